# SPDX-License-Identifier: BSD-2-Clause
"""What a person sees and types: the header, the live line, keys, the menu, and the UEFI shell."""
import re

import pytest

from conftest import BANNER, MENU, newest
from machine import PATIENCE, Drive, Machine
from records import Records
from shell import APP, prepare

SHORT = "tests=dram max=1M pages=2m budget=2 error=20"
LONG = "tests=curve,dram pattern=cycle budget=60 error=0.1"
# What the console leaves to the report: the same sets a second time, and a row for each memory slot.
REPORT_TABLES = (r"(?m)^\w+: ns/access.*pattern iid,(.*\n)+?(?=\n|\Z)"
                 r"|^DIMM +slot +size .*\n(  .*\n)+")
LAST_SCREEN = r"^barechase \S.* after "
LIVE = r"\r\w+ +[1-9]\d*/\d+ "  # a point has been measured


def test_console_is_plain(lab):
    """No line over 80 columns, nothing but ASCII, and we do not move the cursor."""
    stick = lab.stick(SHORT.replace(" ", "\n") + "\nend=shutdown\n")
    boot = lab.boot(Machine(drives=[Drive(stick.path)]))
    boot.wait_exit(60)
    ours = boot.text[boot.text.index("---- barechase"):]
    assert max(map(len, ours.splitlines())) <= 80, max(ours.splitlines(), key=len)
    assert all(character == "\n" or " " <= character <= "~" for character in ours)
    after = (boot.scratch / "serial.log").read_bytes().split(b"barechase", 1)[1]
    assert b"\x1b" not in after, "escape sequences after the banner"
    report = next(iter(stick.runs().values()))["report.txt"].decode().splitlines()
    summary = max(i for i, line in enumerate(report) if re.match(LAST_SCREEN, line))
    kept = re.sub(REPORT_TABLES, "", "\n".join(report[:summary]))
    for line in kept.splitlines():
        assert line.rstrip() in ours, f"the console lacks a line of the report: {line!r}"
    screen = ours[ours.rindex("\nbarechase ") + 1:].rstrip().splitlines()
    assert len(screen) <= 24 and screen[-1].startswith("results: ")
    for line in screen[:-1]:
        assert line in report[summary:] or line.startswith("... and "), line
    assert [line for line in screen if line.startswith("DRAM latency ")]


@pytest.mark.shell("max")
def test_keyboard_key_aborts(shell):
    run = shell.app(f"{LONG} records=on", end="menu")
    run.wait_for('"record": *"point"', 60)
    run.monitor("sendkey spc")
    run.wait_for('"record": *"end"', 20)
    run.wait_for(MENU, 10)
    run.type("4")
    run.wait_exit(20)
    assert Records.of_console(run.text).check_whole().status == "aborted"


# Hundreds of sets in two page sizes, most of them left out: looking for levels takes seconds.
MANY = ("tests=curve min=4K max=2M points=24 pages=4k,2m prefetch=on hops=1024 error=20 "
        "budget=10")
LOOKING = r"\rlevels  \d+ %"


@pytest.fixture(scope="module")
def stopped(shells_of_all):
    """One boot with two runs that a key over the serial port stops: while a point is measured, while
    levels are looked for. Each with the files that it left."""
    stick, shell = shells_of_all.start("stopped")
    runs = []
    for plan, when in ((LONG, LIVE), (MANY, rf"{LOOKING}|{MENU}")):
        run = shell.start(f"{APP} {plan}")
        run.wait_for(when, 60)
        run.type("q")
        run.wait_for(MENU, 20)
        run.type("4")
        run.wait_exit(20)
        runs.append(run)
    shell.switch_off()
    stick.check()
    return list(zip(runs, (files for _, files in sorted(stick.runs().items()))))


in_one_boot = pytest.mark.xdist_group("stopped")


@in_one_boot
def test_serial_key_aborts(stopped, figure, request):
    """What was measured is on the stick. From the application's first text to the first progress over a
    measured point: the goal is two seconds. Here the time is shown; in make test-long, on a quieter
    host, far more than that fails."""
    run, files = stopped[0]
    took = run.when(LIVE) - run.when(BANNER)
    figure(f"{took:.2f} s from the application's start to the first point")
    assert took < 20 or not request.config.option.long
    records = Records.parse(files["results.jsonl"]).check_whole()
    assert records.status == "aborted"
    assert records.all("point"), "what was measured is not written"


@in_one_boot
def test_key_aborts_while_levels_are_looked_for(stopped, figure):
    """The live line says what goes on and how far it is; a key is obeyed within about a second, and
    what there is becomes three whole files."""
    run, files = stopped[1]
    records = Records.parse(files["results.jsonl"]).check_whole()
    assert records.status == "aborted" and records.all("point")
    assert not records.all("level")
    assert "curve: no levels: stopped while they were looked for" in records.notes()
    assert set(files) == {"results.jsonl", "report.txt", "points.csv"}
    took = run.when("^barechase .* after ") - run.when(LOOKING)
    figure(f"{took:.2f} s from the key to the last screen, while levels were looked for")
    assert took < PATIENCE


@pytest.mark.shell("max")
def test_run_again_measures_again(shell):
    """After its report was read, page by page and in both directions."""
    run = shell.app(f"{SHORT} records=on", end="menu")
    run.wait_for(MENU, 60)
    run.type("5")
    first = run.wait_for(r"^lines 1 to 23 of (\d+) ", 20).group(1)
    run.type(" ")
    run.wait_for(rf"^lines (?!1 )\d+ to \d+ of {first} ", 20)
    run.type(">")
    run.wait_for(rf"^lines \d+ to {first} of {first} ", 20)
    run.type("<")
    run.wait_for(rf"^lines 1 to 23 of {first} ", 20, times=2)
    run.type("x")  # has no meaning
    run.type("q")
    run.wait_for(MENU, 20, times=2)
    run.type("a")
    run.wait_for(MENU, 60, times=3)
    run.type("4")
    run.wait_exit(20)
    records = Records.of_console(run.text)
    assert [record["status"] for record in records.all("end")] == ["ok", "ok"]
    second = [i for i, record in enumerate(records) if record["record"] == "run"][1]
    for part in (Records(records[:second]), Records(records[second:])):
        assert part.check_whole().all("point")


def test_menu(lab):
    """Every choice: keys without a meaning, again, reboot, again after that, return. The run is dry:
    its plan is printed, and nothing is measured."""
    boot = lab.app("plan=full dry=on records=on", reboot=True)
    boot.wait_for(MENU, 60)
    records = Records.of_console(boot.text).check_whole()
    assert records.status == "ok"
    assert not records.all("point") and not records.all("dram")
    assert len(records.notes("info")) >= 1, "the plan is not printed"
    boot.type("x")
    boot.type("1")
    boot.wait_for(MENU, 30, times=2)
    boot.type("3")
    boot.wait_for(BANNER, 40, times=2)
    boot.wait_for(MENU, 30, times=3)
    at = len(boot.raw)
    boot.type("4")
    boot.wait_for(r"(?s)\A.{%d}.*(BdsDxe|Shell>)" % at, 30)


@pytest.mark.shell("max")
def test_uefi_shell_with_arguments(shell):
    """Started from a command line, it strips its own name, and returns a status."""
    first = shell.finish(f"{SHORT} seed=77")[1]
    assert first.status == "ok" and int(first.one("run")["seed"]) == 77
    assert re.search(r"(?m)^first=0x0+\s*$", said(shell, "echo first=%lasterror%"))
    assert "nonsense" in said(shell, f"{APP} nonsense=1 end=return").split("end=return", 1)[1]
    assert re.search(r"(?m)^second=0x0*[1-9A-Fa-f]", said(shell, "echo second=%lasterror%"))


def said(shell, command) -> str:
    run = shell.start(command)
    run.wait_exit(60)
    return run.text


def colours_of(picture):
    header, pixels = picture.read_bytes().split(b"\n255\n", 1)
    assert header.startswith(b"P6")
    return {pixels[i:i + 3] for i in range(0, len(pixels), 3)}


def left_edge(boot) -> int:
    """The first column of pixels that is not black. EDK2 centres a text mode, so it tells modes."""
    picture = boot.scratch / "screen.ppm"
    boot.monitor(f"screendump {picture}")
    header, pixels = picture.read_bytes().split(b"\n255\n", 1)
    width = 3 * int(header.split()[1])
    rows = [pixels[i:i + width] for i in range(0, len(pixels), width)]
    return min(width - len(row.lstrip(b"\0")) for row in rows) // 3


# Of 4 MiB: below that a note stands under the headline.
SCREEN = SHORT.replace("max=1M", "max=4M")
PAUSED = "Enter 'q' to quit"  # the shell's pause waits for a key


def test_the_screen_is_used_and_given_back(lab):
    """In colours, then in a text mode that is not the firmware's own."""
    stick = prepare(lab.stick(""), lab.products.app.read_bytes())
    script = f"cls\nfs0:\npause\n{APP} {SCREEN}\necho done\nmode 80 25\npause\n{APP} {SCREEN}\nmode\n"
    stick.write("startup.nsh", script.replace("\n", "\r\n").encode())
    boot = lab.boot(Machine(drives=[Drive(stick.path)], vga="std"))
    boot.wait_for("startup.nsh or any other key", 40)
    boot.type("\r")
    check_colours(boot, stick)
    check_mode(boot)


def check_colours(boot, stick):
    """Headline bright, `ok` green, warnings yellow; what comes after the application is as before. Keys
    typed before it started are still in the firmware's buffer: they do not abort it."""
    boot.wait_for(PAUSED, 20)
    boot.type("yxx")
    boot.wait_for(MENU, 60)
    assert newest(stick).status == "ok"
    picture = boot.scratch / "screen.ppm"
    boot.monitor(f"screendump {picture}")
    shown = colours_of(picture)
    assert {b"\xff\xff\xff", b"\x00\xff\x00", b"\xff\xff\x00"} <= shown, shown
    boot.type("4")
    boot.wait_for("^done", 20)
    after = (boot.scratch / "serial.log").read_bytes()
    assert re.search(rb"\x1b\[1m\x1b\[37m\x1b\[40mDRAM latency", after)
    before, behind = after.rsplit(b"results: ", 1)
    # An empty line stands between the last note, where there is one, and the results.
    assert before.rstrip(b"\r\n").endswith(b"\x1b[0m\x1b[37m\x1b[40m"), "not in the colours found"
    assert b"\x1b" not in behind[:behind.index(b"5 report")]
    # The change of mode clears the screen in between.
    boot.wait_for(PAUSED, 20, times=2)
    boot.monitor(f"screendump {picture}")
    assert len(colours_of(picture)) > 1


def check_mode(boot):
    """Another than the firmware's own was in force before the start: it is in force again after, and
    the last screen stands in it."""
    boot.wait_for(PAUSED, 20, times=2)
    found = left_edge(boot)
    boot.type("y")
    boot.wait_for(MENU, 60, times=2)
    chosen = left_edge(boot)
    boot.type("4")
    boot.wait_for(r"Col +100 Row +31.*\n", 20)
    assert chosen < found, "no wider mode was chosen"
    assert left_edge(boot) == found
    assert re.search(r"Col +80 Row +25 +\*", boot.text), boot.tail()
    after = boot.text[boot.text.rindex("5 report"):]
    assert re.search("(?s)^barechase .*^DRAM latency .*^results: ", after, re.MULTILINE), after
