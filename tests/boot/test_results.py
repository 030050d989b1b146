# SPDX-License-Identifier: BSD-2-Clause
"""Where results go: a directory of their own on the stick, another volume, or the console; and
what was there before is never damaged."""
import pathlib
import random
import re
import sys
import time

import pytest

from conftest import BANNER, newest
from fat_damage import Damage
from machine import Drive, Machine
from records import Records, validate
from shell import APP, prepare
from stick import Stick

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import record_lines  # noqa: E402

SHORT = "tests=dram\nmax=1M\npages=2m\nbudget=2\nerror=20\n"
LIVE = r"\r\w+ +[1-9]\d*/\d+ "  # a point has been measured
EARLIER = {f"barechase/run-{number:04}/{name}": f"{name} of run {number}\n".encode() * 400
           for number in (1, 7) for name in ("results.jsonl", "report.txt", "points.csv")}


def add_earlier(stick):
    for directory in sorted({name.rsplit("/", 1)[0] for name in EARLIER}):
        stick.make_directory(directory)
    for name, data in EARLIER.items():
        stick.write(name, data)


def assert_earlier_intact(stick):
    for name, data in EARLIER.items():
        assert stick.read(name) == data, f"{name} was changed"


def finish_elsewhere(boot):
    """Results could not be saved where they belong: they are on the console, the run is ok, and a
    warning says so."""
    boot.wait_exit(60)
    return saved_nowhere(boot.text)


def saved_nowhere(text):
    records = Records.of_console(text).check_whole()
    assert records.status == "ok"
    assert records.all("point")
    return records


def measure(shell, volume, more="") -> str:
    """A run of the application on that volume, at the shell's prompt: what it printed."""
    run = shell.start(f"{volume}:\\{APP} {SHORT.replace(chr(10), ' ')}{more} end=return")
    run.wait_exit(60)
    return run.text


def new_stick(products, path):
    """One that holds the application where the firmware does not look for it."""
    return prepare(Stick.copy(products.image, path), products.app.read_bytes())


@pytest.fixture(scope="module")
def saved(products, shells_of_all, tmp_path_factory):
    """One boot with a stick and a full one behind it: a run that saves nothing, one on the stick, one
    on the full one."""
    full = new_stick(products, tmp_path_factory.mktemp("full") / "full.img")
    add_earlier(full)
    full.fill(0)
    stick, shell = shells_of_all.start("saved", add_earlier, [Drive(full.path)])
    listed = [shell.start("ls -b barechase")]
    listed[0].wait_exit(20)
    for volume, more in (("fs0", "save=off"), ("fs0", ""), ("fs1", "")):
        measure(shell, volume, more)
        listed.append(shell.start("ls -b barechase"))
        listed[-1].wait_exit(20)
    shell.switch_off()
    return stick, full, [sorted(set(re.findall(r"run-\d{4}", run.text))) for run in listed]


in_one_saved = pytest.mark.xdist_group("saved")


@in_one_saved
def test_save_off_writes_nothing(saved):
    stick, _, listed = saved
    assert listed[:2] == [["run-0001", "run-0007"]] * 2


@in_one_saved
def test_next_directory_and_earlier_runs_intact(saved):
    stick, _, listed = saved
    stick.check()
    assert_earlier_intact(stick)
    assert listed[2] == ["run-0001", "run-0007", "run-0008"]
    records = Records.parse(stick.read("barechase/run-0008/results.jsonl")).check_whole()
    assert records.status == "ok"


@in_one_saved
def test_other_volume_when_the_first_is_full(saved):
    """A second stick with a barechase directory takes what the first cannot."""
    stick, full, listed = saved
    assert sorted(stick.runs()) == listed[3] == listed[2] + ["run-0009"]
    assert newest(stick).status == "ok"
    assert_earlier_intact(full)
    full.check()


@pytest.fixture(scope="module")
def unsaved(products, shells_of_all, tmp_path_factory):
    """One boot with two sticks that cannot take results, and a run on each of them: its text, the
    stick, and what it held before."""
    readonly = new_stick(products, tmp_path_factory.mktemp("unsaved") / "readonly.img")
    before = readonly.path.read_bytes()

    def a_little_left(stick):
        add_earlier(stick)
        stick.fill(3 * 1024)

    full, shell = shells_of_all.start("unsaved", a_little_left,
                                      [Drive(readonly.path, readonly=True)])
    texts = [measure(shell, volume) for volume in ("fs0", "fs1")]
    shell.switch_off()
    return dict(full=(texts[0], full, None), readonly=(texts[1], readonly, before))


in_one_unsaved = pytest.mark.xdist_group("unsaved")


@in_one_unsaved
def test_read_only_stick(unsaved):
    text, stick, before = unsaved["readonly"]
    records = saved_nowhere(text)
    assert any(re.search("boot volume .*: write protected", note) for note in records.notes("warning"))
    assert stick.path.read_bytes() == before


def check_full(stick, records):
    assert any(re.search("boot volume .*: volume full", note) for note in records.notes("warning")), \
        records.notes("warning")
    stick.check()
    assert_earlier_intact(stick)
    for run, files in stick.runs().items():
        if run not in ("run-0001", "run-0007"):
            Records.parse(files.get("results.jsonl", b""))


@in_one_unsaved
def test_a_little_is_left(unsaved):
    text, stick, _ = unsaved["full"]
    check_full(stick, saved_nowhere(text))


@pytest.mark.long
def test_nothing_is_left(lab):
    stick = lab.stick(SHORT + "end=shutdown\n")
    add_earlier(stick)
    stick.fill(0)
    check_full(stick, finish_elsewhere(lab.boot(Machine(drives=[Drive(stick.path)]))))


@pytest.mark.long
def test_no_number_is_left(lab):
    """9999 runs stand on the stick: one line says so, and the records come over the console."""
    stick = lab.stick(SHORT + "end=shutdown\n")
    with Damage(stick) as damage:
        damage.add_runs(range(1, 10000))
    stick.check(count_kept=False)
    before = sorted(stick.names("barechase"))
    assert len(before) == 10000
    boot = lab.boot(Machine(drives=[Drive(stick.path)]))
    records = finish_elsewhere(boot)
    assert any("run-0001 to run-9999" in note for note in records.notes("warning"))
    assert sorted(stick.names("barechase")) == before


@pytest.mark.long
def test_kernel_boot_finds_the_stick_and_later_options_win(lab, products):
    """Booted past the stick (as PXE does), it reads its configuration and saves there. Defaults, then
    the file, then load options; the run record says what is in effect."""
    stick = lab.stick("tests=curve\nmax=4M\nbudget=2\nerror=20\nseed=5\nend=menu\n")
    machine = Machine(kernel=products.app, append="tests=dram seed=7 end=shutdown",
                      drives=[Drive(stick.path)])
    lab.boot(machine).wait_exit(60)
    stick.check()
    records = newest(stick)
    assert records.status == "ok"
    assert {point["experiment"] for point in records.all("point")} == {"dram"}
    assert records.one("run")["seed"] in (7, "7")
    effective = records.one("run")["options"].split()
    assert {"tests=dram", "seed=7", "end=shutdown"} <= set(effective)
    assert any(word.startswith("error=20") for word in effective)


def test_no_disk_prints_records_by_itself(lab):
    """Words that a boot manager adds are named and skipped. This CPU has no 1 GiB pages: the default
    takes the sizes that there are."""
    boot = lab.app("initrd=initrd tests=dram max=4M budget=60 error=20 end=shutdown", cpu="qemu64")
    records = finish_elsewhere(boot)
    assert records.notes("warning") and records.all("dram")
    assert any("skipped: initrd=initrd" in note for note in records.notes("warning"))
    assert {point["pages"] for point in records.all("point")} == {"4k", "2m"}
    assert "1g" not in records.one("cpu")["page_sizes"]


# With neither: test_headless; a screen's last lines: test_console.py.
@pytest.mark.long
def test_no_serial(lab):
    """A machine without a serial port: a screen, and the results on the stick."""
    stick = lab.stick(SHORT + "end=shutdown\n")
    boot = lab.boot(Machine(drives=[Drive(stick.path)], serial=False, vga="std"))
    boot.wait_exit(60)
    stick.check()
    assert newest(stick).status == "ok"
    assert boot.text == ""


def test_headless(lab):
    """Neither screen nor serial port nor keyboard."""
    stick = lab.stick(SHORT + "end=shutdown\n")
    lab.boot(Machine(drives=[Drive(stick.path)], serial=False)).wait_exit(60)
    assert newest(stick).status == "ok"


def assert_one_tear_at_most(data, folder):
    """Whole records in order, and after them nothing, or one line that the cut tore."""
    path = folder / "results.jsonl"
    path.write_bytes(data)
    found, tear = record_lines.read_lines(path)
    lines = [line for line in data.split(b"\n") if line.strip()]
    assert len(lines) - len(found) == (tear is not None), tear
    for line in lines[:len(found)]:
        validate(line.decode())


@pytest.mark.slow
def test_stick_pulled(lab, request, figure, scratch):
    """The power is cut at random moments between the application's start and its end, in the short
    tests once, when the first point has been measured: QEMU ends in the middle of it. Which states of
    the stick that can leave, test_replay.py tries."""
    rounds = 20 if request.config.option.long else 0
    chance = random.Random(1)
    stick = lab.stick("tests=curve,dram\nmin=64K\nmax=2M\npoints=1\npages=4k,2m\nbudget=4\n"
                      "error=0.2\nend=shutdown\n")
    add_earlier(stick)
    machine = Machine(drives=[Drive(stick.path)])
    pull(lab, machine, stick, {}, LIVE, 0, scratch)
    if not rounds:
        return
    whole = lab.boot(machine)
    whole.wait_exit(90)
    took = time.monotonic() - whole.started - whole.when(BANNER)
    complete = stick.runs()
    assert newest(stick).status == "ok"
    for index in range(rounds):
        moment = took * (index + chance.random()) / rounds
        complete = pull(lab, machine, stick, complete, BANNER, moment, scratch)
    figure(f"stick pulled {rounds} times in the {took:.1f} s of a run, nothing lost")


def pull(lab, machine, stick, complete, seen, after_s, scratch):
    """Cuts the power so long after something was seen; the runs that the stick has then."""
    boot = lab.boot(machine)
    boot.wait_for(seen, 40)
    time.sleep(after_s)
    boot.pull()
    # Its count of free clusters is written after the tables: the power may go between them.
    stick.check(count_kept=False)
    assert_earlier_intact(stick)
    runs = stick.runs()
    for run, files in complete.items():
        assert runs.get(run) == files, f"{run} changed when the power went {after_s:.2f} s in"
    begun = set(runs) - set(complete) - {"run-0001", "run-0007"}
    for run in begun:
        assert_one_tear_at_most(runs[run].get("results.jsonl", b""), scratch)
    assert begun or seen == BANNER, "nothing was saved of a run that had measured"
    return runs
