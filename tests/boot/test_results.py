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

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import record_lines  # noqa: E402

SHORT = "tests=dram\nmax=4M\nbudget=2\nerror=20\n"
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


def test_next_directory_and_earlier_runs_intact(lab):
    stick = lab.stick(SHORT + "end=shutdown\n")
    add_earlier(stick)
    lab.boot(Machine(drives=[Drive(stick.path)])).wait_exit(60)
    stick.check()
    assert_earlier_intact(stick)
    runs = [name for name in stick.names("barechase") if name.startswith("run-")]
    assert sorted(runs) == ["run-0001", "run-0007", "run-0008"]
    assert newest(stick).status == "ok"


def test_save_off_writes_nothing(lab):
    stick = lab.stick(SHORT + "save=off\nend=shutdown\n")
    before = sorted(stick.names("barechase"))
    boot = lab.boot(Machine(drives=[Drive(stick.path)]))
    boot.wait_exit(60)
    assert sorted(stick.names("barechase")) == before


def finish_elsewhere(boot):
    """Results could not be saved where they belong: they are on the console, the run is ok, and a
    warning says so."""
    boot.wait_exit(60)
    records = Records.of_console(boot.text).check_whole()
    assert records.status == "ok"
    assert records.all("point")
    return records


def test_read_only_stick(lab):
    stick = lab.stick(SHORT + "end=shutdown\n")
    before = stick.path.read_bytes()
    boot = lab.boot(Machine(drives=[Drive(stick.path, readonly=True)]))
    records = finish_elsewhere(boot)
    assert records.notes("warning"), "no warning that nothing could be saved"
    assert any(re.search("read|write|volume|save|file", note) for note in records.notes("warning"))
    assert stick.path.read_bytes() == before


@pytest.mark.parametrize("leave", [pytest.param(0, id="nothing-left", marks=pytest.mark.long),
                                   pytest.param(3 * 1024, id="a-little-left")])
def test_full_stick(lab, leave):
    stick = lab.stick(SHORT + "end=shutdown\n")
    add_earlier(stick)
    stick.fill(leave)
    boot = lab.boot(Machine(drives=[Drive(stick.path)]))
    records = finish_elsewhere(boot)
    assert any("full" in note for note in records.notes("warning")), records.notes("warning")
    stick.check()
    assert_earlier_intact(stick)
    for run, files in stick.runs().items():
        if run not in ("run-0001", "run-0007"):
            Records.parse(files.get("results.jsonl", b""))


def test_other_volume_when_the_first_is_full(lab):
    """A second stick with a barechase directory takes what the first cannot."""
    full, other = lab.stick(SHORT + "end=shutdown\n"), lab.stick("")
    add_earlier(full)
    full.fill(0)
    boot = lab.boot(Machine(drives=[Drive(full.path), Drive(other.path)]))
    boot.wait_exit(60)
    other.check()
    assert newest(other).status == "ok"
    assert_earlier_intact(full)
    full.check()


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
    """The power is cut at random moments between the application's start and its end: QEMU ends in the
    middle of it. Which states of the stick that can leave, test_replay.py tries."""
    rounds = 20 if request.config.option.long else 1
    chance = random.Random(1)
    stick = lab.stick("tests=curve,dram\nmin=64K\nmax=2M\npoints=1\npages=4k,2m\nbudget=4\n"
                      "error=0.2\nend=shutdown\n")
    add_earlier(stick)
    machine = Machine(drives=[Drive(stick.path)])
    whole = lab.boot(machine)
    whole.wait_exit(90)
    took = time.monotonic() - whole.started - whole.when(BANNER)
    complete = stick.runs()
    assert newest(stick).status == "ok"
    moments = [took * (index + chance.random()) / rounds for index in range(rounds)]
    for moment in moments:
        boot = lab.boot(machine)
        boot.wait_for(BANNER, 40)
        time.sleep(moment)
        boot.pull()
        # Its count of free clusters is written after the tables: the power may go between them.
        stick.check(count_kept=False)
        assert_earlier_intact(stick)
        runs = stick.runs()
        for run, files in complete.items():
            assert runs.get(run) == files, f"{run} changed when the power went {moment:.2f} s in"
        for run in set(runs) - set(complete):
            assert_one_tear_at_most(runs[run].get("results.jsonl", b""), scratch)
        complete = runs
    figure(f"stick pulled {rounds} times in the {took:.1f} s of a run, nothing lost")
