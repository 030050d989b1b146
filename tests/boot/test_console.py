# SPDX-License-Identifier: BSD-2-Clause
"""What a person sees and types: the header, the live line, keys, the menu, and the UEFI shell."""
import re

import pytest

from conftest import BANNER, MENU, newest
from machine import PATIENCE, Drive, Machine
from records import Records

SHORT = "tests=dram max=4M budget=2 error=20"
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


def aborted(boot, lab) -> Records:
    boot.wait_for('"record": *"end"', 20)
    boot.wait_for(MENU, 10)
    boot.type("2")
    boot.wait_exit(20)
    records = Records.of_console(boot.text).check_whole()
    assert records.status == "aborted"
    return records


def test_keyboard_key_aborts(lab):
    boot = lab.app(f"{LONG} records=on", vga="std")
    boot.wait_for('"record": *"point"', 60)
    boot.monitor("sendkey spc")
    aborted(boot, lab)


def test_serial_key_aborts(lab, figure, request):
    """What was measured is on the stick. From the application's first text to the first progress over a
    measured point: the goal is two seconds. Here the time is shown; in make test-long, on a quieter
    host, far more than that fails."""
    stick = lab.stick(LONG.replace(" ", "\n"))
    boot = lab.boot(Machine(drives=[Drive(stick.path)], memory_mib=2048))
    boot.wait_for(LIVE, 60)
    start, first = boot.when(BANNER), boot.when(LIVE)
    figure(f"{first - start:.2f} s from the application's start to the first point, "
           f"{start:.2f} s from power-on to its start")
    assert first - start < 20 or not request.config.option.long
    boot.type("q")
    boot.wait_for(MENU, 20)
    stick.check()
    records = newest(stick)
    assert records.status == "aborted"
    assert records.all("point"), "what was measured is not written"
    boot.type("2")
    boot.wait_exit(20)


# Hundreds of sets in two page sizes, most of them left out: looking for levels takes seconds.
MANY = ("tests=curve min=4K max=2M points=24 pages=4k,2m prefetch=on hops=1024 error=20 "
        "budget=10")


def test_key_aborts_while_levels_are_looked_for(lab, figure):
    """The live line says what goes on and how far it is; a key is obeyed within about a second, and
    what there is becomes three whole files."""
    stick = lab.stick(MANY.replace(" ", "\n"))
    boot = lab.boot(Machine(drives=[Drive(stick.path)]))
    boot.wait_for(rf"\rlevels  \d+ %|{MENU}", 60)
    looking = boot.when(r"\rlevels  \d+ %")
    boot.type("q")
    boot.wait_for(MENU, 20)
    stick.check()
    records = newest(stick)
    assert records.status == "aborted" and records.all("point")
    assert not records.all("level")
    assert "curve: no levels: stopped while they were looked for" in records.notes()
    assert set(stick.runs()["run-0001"]) == {"results.jsonl", "report.txt", "points.csv"}
    took = boot.when("^barechase .* after ") - looking
    figure(f"{took:.2f} s from the key to the last screen, while levels were looked for")
    assert took < PATIENCE


def test_run_again_measures_again(lab):
    """After its report was read, page by page and in both directions."""
    boot = lab.app(f"{SHORT} records=on")
    boot.wait_for(MENU, 60)
    boot.type("5")
    first = boot.wait_for(r"^lines 1 to 23 of (\d+) ", 20).group(1)
    boot.type(" ")
    boot.wait_for(rf"^lines (?!1 )\d+ to \d+ of {first} ", 20)
    boot.type(">")
    boot.wait_for(rf"^lines \d+ to {first} of {first} ", 20)
    boot.type("<")
    boot.wait_for(rf"^lines 1 to 23 of {first} ", 20, times=2)
    boot.type("x")  # has no meaning
    boot.type("q")
    boot.wait_for(MENU, 20, times=2)
    boot.type("a")
    boot.wait_for(MENU, 60, times=3)
    boot.type("s")
    boot.wait_exit(20)
    records = Records.of_console(boot.text)
    assert [record["status"] for record in records.all("end")] == ["ok", "ok"]
    second = [i for i, record in enumerate(records) if record["record"] == "run"][1]
    for run in (Records(records[:second]), Records(records[second:])):
        assert run.check_whole().all("point")


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


def shell_stick(lab, script: str):
    stick = lab.stick("")
    stick.write("bare.efi", stick.read("EFI/BOOT/BOOTX64.EFI"))
    stick.remove("EFI/BOOT/BOOTX64.EFI")
    stick.write("startup.nsh", script.replace("\n", "\r\n").encode())
    return stick


def test_uefi_shell_with_arguments(lab):
    """Started from a command line, it strips its own name, and returns a status."""
    stick = shell_stick(lab, "fs0:\n"
                             f"bare.efi {SHORT} seed=77 end=return\n"
                             "echo first=%lasterror%\n"
                             "bare.efi nonsense=1 end=return\n"
                             "echo second=%lasterror%\n"
                             "reset -s\n")
    boot = lab.boot(Machine(drives=[Drive(stick.path)]))
    boot.wait_for("startup.nsh or any other key", 40)
    boot.type("\r")
    boot.wait_exit(60)
    assert re.search(r"(?m)^first=0x0+\s*$", boot.text), boot.tail()
    assert re.search(r"(?m)^second=0x0*[1-9A-Fa-f]", boot.text), boot.tail()
    assert "nonsense" in boot.text
    stick.check()
    runs = stick.runs()
    first, second = (Records.parse(runs[run]["results.jsonl"]) for run in sorted(runs))
    assert (first.status, second.status) == ("ok", "failed")
    assert int(first.one("run")["seed"]) == 77


def colours_of(picture):
    header, pixels = picture.read_bytes().split(b"\n255\n", 1)
    assert header.startswith(b"P6")
    return {pixels[i:i + 3] for i in range(0, len(pixels), 3)}


def test_last_screen_has_colours_and_restores_them(lab):
    """Headline bright, `ok` green, warnings yellow; what comes after the application is as before. Keys
    typed before it started are still in the firmware's buffer: they do not abort it."""
    stick = shell_stick(lab, f"cls\nfs0:\nstall 4000000\nbare.efi {SHORT}\necho done\n")
    boot = lab.boot(Machine(drives=[Drive(stick.path)], vga="std"))
    boot.wait_for("startup.nsh or any other key", 40)
    boot.type("\r")
    boot.wait_for("stall 4000000", 20)
    boot.type("xx")
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
    assert before.endswith(b"\x1b[0m\x1b[37m\x1b[40m\r\n"), "not in the colours that were found"
    assert b"\x1b" not in behind[:behind.index(b"5 report")]
    boot.monitor(f"screendump {picture}")
    assert len(colours_of(picture)) > 1


def left_edge(boot) -> int:
    """The first column of pixels that is not black. EDK2 centres a text mode, so it tells modes."""
    picture = boot.scratch / "screen.ppm"
    boot.monitor(f"screendump {picture}")
    header, pixels = picture.read_bytes().split(b"\n255\n", 1)
    width = 3 * int(header.split()[1])
    rows = [pixels[i:i + width] for i in range(0, len(pixels), width)]
    return min(width - len(row.lstrip(b"\0")) for row in rows) // 3


def test_text_mode_is_chosen_and_given_back(lab):
    """Another than the firmware's own was in force before the start: it is in force again after,
    and the last screen stands in it."""
    script = f"mode 80 25\nfs0:\nstall 2000000\nbare.efi {SHORT}\nmode\n"
    boot = lab.boot(Machine(drives=[Drive(shell_stick(lab, script).path)], vga="std"))
    boot.wait_for("startup.nsh or any other key", 40)
    boot.type("\r")
    boot.wait_for("stall 2000000", 20)
    found = left_edge(boot)
    boot.wait_for(MENU, 60)
    chosen = left_edge(boot)
    boot.type("4")
    boot.wait_for(r"Col +100 Row +31.*\n", 20)
    assert chosen < found, "no wider mode was chosen"
    assert left_edge(boot) == found
    assert re.search(r"Col +80 Row +25 +\*", boot.text), boot.tail()
    after = boot.text[boot.text.rindex("5 report"):]
    assert re.search("(?s)^barechase .*^DRAM latency .*^results: ", after, re.MULTILINE), after
