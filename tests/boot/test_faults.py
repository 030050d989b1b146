# SPDX-License-Identifier: BSD-2-Clause
"""Faults injected on purpose (inject=, test build only): each ends in one named line and a failed or
marked run, and the firmware goes on, down to the menu."""
import re

import pytest

from brief import brief
from conftest import MENU
from machine import Drive, Machine
from records import Records
from shell import TEST_APP
from test_restore import check_restored

PLAN = "tests=curve min=64K max=256K points=1 pages=2m prefetch=on budget=3 error=20"


def run_injected(shell, fault: str, plan=PLAN):
    """Runs to the menu with the fault, and returns from it to the firmware's shell, which goes on."""
    run = shell.app(f"{plan} inject={fault} records=on", test_build=True, end="menu")
    run.wait_for(MENU, 60)
    run.type("4")
    run.wait_exit(20)
    return run, Records.of_console(run.text).check_whole()


@pytest.mark.shell("max")
@pytest.mark.parametrize("fault, named", brief([
    ("ud", "#UD"), ("pf", "#PF"), ("gp", "#GP"),
], "pf", "gp"))
def test_exception_ends_the_run(shell, fault, named):
    boot, records = run_injected(shell, fault)
    assert records.status == "failed"
    errors = records.all("error")
    assert len(errors) == 1 and errors[0]["kind"] == "fault", errors
    assert named in errors[0]["text"], errors[0]
    for part in (r"image\+0x[0-9a-f]+", r"\bsp=0x", r"\bax=0x", r"\bflags=0x"):
        assert re.search(part, errors[0]["text"]), f"{part} is missing in {errors[0]['text']}"
    assert records.one("end")["errors"] >= 1
    lines = [line for line in boot.text.splitlines()
             if named in line and not line.startswith('{"record"')]
    assert lines, f"no line on the console names {named}"
    check_restored(boot)


@pytest.mark.shell("max")
@pytest.mark.parametrize("fault", ["nmi", "msr-gp"])
def test_resumed_fault_marks_the_run(shell, fault):
    """An NMI is counted and resumed, a register that faults is survived; a line says so."""
    boot, records = run_injected(shell, fault)
    assert records.status == "ok" and records.all("point")
    marks = [note for note in records.notes("warning") if "resumed" in note]
    assert len(marks) == 1, records.notes()
    assert "fault on purpose" in boot.text


@pytest.mark.parametrize("fault, named", brief([("mc", "machine check|#MC"),
                                                ("df", "double fault|#DF")], "df"))
def test_nothing_can_go_on_after_it(lab, fault, named):
    """The minimum is printed and the machine resets; the next start tells of it."""
    boot = lab.app(f"{PLAN} inject={fault} end=menu", test_build=True, reboot=True)
    boot.wait_for("an earlier start ended in a fatal", 60)
    boot.wait_for("^.*an earlier start ended in a fatal.*\n.*\n", 10)
    boot.pull()
    assert re.search(f"(?i){named}", boot.text), boot.tail()
    assert re.search(rf"(?is)fatal\s+exception: [a-z]+ \d+/\d+: ({named})", boot.text), boot.tail()
    assert "1 again" not in boot.text


@pytest.mark.shell("max")
@pytest.mark.long
def test_abort(shell):
    boot, records = run_injected(shell, "abort")
    assert records.status == "aborted"


# 64 KiB of lines: bit 6 keeps the pointer inside the window, a low bit unaligns it, a high one
# leaves the canonical addresses.
@pytest.mark.shell("max")
@pytest.mark.parametrize("bit", brief([0, 6, 9, 62], 6, 62))
def test_flipped_bit_gives_one_right_error(shell, bit):
    boot, records = run_injected(shell, f"flip:100:{bit}",
                                 "tests=curve min=64K max=64K pages=2m prefetch=on budget=3 error=20")
    errors = records.all("error")
    assert len(errors) == 1, errors
    error = errors[0]
    expected, read, reread = (int(error[key], 16) for key in ("expected", "read", "reread"))
    assert expected ^ read == 1 << bit and reread == read
    assert error["kind"] == "memory"
    assert int(error["physical_address"], 16) % 64 == 0
    assert records.status == "failed"


@pytest.mark.shell("max")
@pytest.mark.long
def test_flip_without_a_bit(shell):
    errors = run_injected(shell, "flip:5")[1].all("error")
    assert len(errors) == 1 and errors[0]["kind"] == "memory"
    changed = int(errors[0]["expected"], 16) ^ int(errors[0]["read"], 16)
    assert changed.bit_count() == 1


@pytest.fixture(scope="module")
def failed_writes(shells_of_all):
    """One boot in which each kind of write fails for a run of its own: their text, and the stick's runs."""
    stick, shell = shells_of_all.start("writes")
    texts = []
    for fault in ("write-fail", "last-write-fail", "flush-fail"):
        run = shell.start(f"{TEST_APP} {PLAN} inject={fault} end=return")
        run.wait_exit(60)
        texts.append(run.text)
    shell.switch_off()
    stick.check()
    return texts, stick.runs()


in_one_boot = pytest.mark.xdist_group("failed writes")


@in_one_boot
def test_write_fail(failed_writes):
    """Every file write fails: the records come over the console, and nothing is half written."""
    texts, runs = failed_writes
    records = Records.of_console(texts[0]).check_whole()
    assert records.status == "ok" and records.all("point") and records.notes("warning")
    assert set(runs) == {"run-0001", "run-0002"}, "a run's directory without its records"


@in_one_boot
def test_last_write_fails(failed_writes):
    """The note about it comes before the end record, which is always the last; what was saved before
    stays."""
    texts, runs = failed_writes
    records = Records.of_console(texts[1]).check_whole()
    assert records.status == "ok" and records.all("point")
    assert any("results not written" in note for note in records.notes("warning"))
    assert [record["number"] for record in records] == list(range(1, len(records) + 1))
    saved = Records.parse(runs["run-0001"]["results.jsonl"]).check_whole()
    assert saved.all("point") == records.all("point") and "points.csv" not in runs["run-0001"]


@in_one_boot
def test_a_flush_that_fails_is_a_note(failed_writes):
    """All was written: the run stays where it is, and a note says that it may be lost."""
    texts, runs = failed_writes
    records = Records.parse(runs["run-0002"]["results.jsonl"]).check_whole()
    assert records.status == "ok" and records.all("point")
    assert sum("could not flush" in note for note in records.notes("warning")) == 1
    assert set(runs["run-0002"]) == {"results.jsonl", "report.txt", "points.csv"}


@pytest.mark.shell("max")
@pytest.mark.parametrize("which", brief([1, 2, 3, 5, 8], 1, 5))
def test_allocation_fails(shell, which):
    """The K-th allocation fails: the run goes on without it or ends failed, and says which."""
    boot, records = run_injected(shell, f"alloc-fail:{which}")
    assert records.status in ("ok", "failed")
    if records.status == "failed":
        assert records.notes("error")
    else:
        assert records.all("point")


def test_damaged_data_of_the_image_are_refused(lab):
    """A byte of the packed data changed on the stick: the application ends before anything of it
    runs, and the firmware goes on to what it would boot without it."""
    stick = lab.stick("tests=dram\nend=shutdown\n")
    image = bytearray(stick.read("EFI/BOOT/BOOTX64.EFI"))
    image[-4096] ^= 1
    stick.write("EFI/BOOT/BOOTX64.EFI", bytes(image))
    boot = lab.boot(Machine(drives=[Drive(stick.path)]))
    boot.wait_for("failed to start|Shell> |No bootable option", 60)
    boot.wait_for("Shell> |No bootable option", 60)
    assert "reading the machine" not in boot.raw
    assert stick.runs() == {}
