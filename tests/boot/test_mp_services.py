# SPDX-License-Identifier: BSD-2-Clause
"""Firmware whose MP services do not do what they say (efi/mp_stub.h): every CPU has a figure or a
reason, no start is made while another one may still run, none has a time-out, nothing is touched by a
CPU that comes late, and the firmware gets the machine back only if it can."""
import re
import time

import pytest

from brief import brief
from conftest import MENU
from machine import PATIENCE, Drive, Machine
from records import Records
from test_cores import NOT_STARTED as NOT_USED, measured, pairs

CORES = "tests=cores max=4M pages=2m budget=20 error=20"
TOGETHER = "tests=handoff,threads max=4M pages=2m budget=20 error=20"
BEFORE = "a CPU that was started before did not come back"
NOT_STARTED = "the firmware could not start it"
NOT_BACK = "the firmware cannot have the machine back"
HUNG = "fault on purpose: hung in a start"
STUB = re.compile(r"MP stub: (\d+) starts, (\d+) of all; (\d+) while one might run, (\d+) with a time-out; "
                  r"late: (\d+) came, (\d+) ran; (\d+) signals refused")
NAMES = ("starts", "of_all", "overlaps", "time_outs", "came", "ran", "refused_signals")


def short(value) -> str:
    """Of all parameters the fault names the test; its directory has a path that must not be long."""
    return value if isinstance(value, str) and re.fullmatch(r"[-a-z]+(:\d+)?(@\d)?", value) else ""


def stub_of(boot) -> dict[str, int]:
    """What the stub saw; of its rules none was broken."""
    found = dict(zip(NAMES, map(int, STUB.findall(boot.text)[-1])))
    assert (found["overlaps"], found["time_outs"], found["refused_signals"]) == (0, 0, 0), found
    return found


def check_cores(records, reasons: dict[int, str], smp=3):
    """These CPUs have these reasons, all others figures."""
    found = pairs(records)
    assert set(found) == set(range(smp))
    for number, pair in found.items():
        assert (pair["ns"] is None) == (number in reasons), pair
        assert reasons.get(number, "") in (pair["why"] or ""), pair


def check_note(records, words: str, count=1):
    assert sum(words in note for note in records.notes("warning")) == count, records.notes()


# ---- what harms nothing: all in one boot, whose firmware goes on

@pytest.fixture(scope="module")
def harmless(shells_of_all):
    shell = shells_of_all.start("mp", smp=3)[1]
    yield shell
    shell.switch_off()


@pytest.mark.xdist_group("mp harmless")
@pytest.mark.parametrize("fault, reasons, note", [
    ("count-error", {1: "do not list it", 2: "do not list it"}, "do not count their CPUs: device error"),
    ("count-million", {1: "do not list it", 2: "do not list it"}, "CPUs that cannot be: 1000000 of them"),
    ("info-error@1", {1: "do not list it"}, "do not know all their CPUs: 1 of 3"),
    ("twice@2", {1: "list it twice", 2: "do not list it"}, "list a CPU twice: CPU 1"),
    ("disabled@1", {1: "has disabled it"}, None),
    ("sick@2", {2: "not healthy"}, None),
    ("error@1", {1: NOT_STARTED}, "a CPU was not started: CPU 1: not ready"),
    ("error-ran@1", {1: "though it ran"}, "a CPU is not used: CPU 1: it ran"),
    ("other@1", {1: "started another CPU in its place"}, None),
    ("late:300@1", {}, None),
    ("missing", {1: "no MP services", 2: "no MP services"}, None),
], ids=short)
def test_it_goes_on(harmless, fault, reasons, note):
    run, records = harmless.finish(f"{CORES} inject=mp-{fault}", test_build=True)
    check_cores(records, reasons)
    if note is not None:
        check_note(records, note)
    check_note(records, NOT_BACK, 0)
    if fault != "missing":
        stub_of(run)


# ---- a CPU that may still come

@pytest.mark.parametrize("fault, reasons, came", brief([
    ("nobody@1", {1: NOT_STARTED, 2: BEFORE}, 0),
    ("nobody:4@1", {1: BEFORE, 2: BEFORE}, 0),
    ("late:9000@1", {1: NOT_STARTED, 2: BEFORE}, 1),
    ("stays@1", {1: "did not go back", 2: BEFORE}, 0),
], "late:9000@1"), ids=short)
def test_a_cpu_is_lost(lab, fault, reasons, came):
    """None is started after it, and one that comes in the end does nothing."""
    boot, records = lab.finish(f"{CORES} inject=mp-{fault}", smp=3, test_build=True)
    check_cores(records, reasons)
    check_note(records, NOT_BACK)
    seen = stub_of(boot)
    assert (seen["came"], seen["ran"]) == (came, 0), seen
    # In a trial it is the first; that of number 4 is in the midst of CPU 1's point.
    assert seen["starts"] <= (5 if ":4" in fault else 1), seen


def test_no_return_to_the_firmware(lab):
    """At the menu: it is said, and something else can be chosen."""
    boot = lab.app(f"{CORES} inject=mp-nobody@1 end=menu", test_build=True, smp=3)
    boot.wait_for(MENU, 60)
    boot.type("4")
    boot.wait_for("no return to the firmware, only a reset", 20)
    boot.wait_for(MENU, 20, times=2)
    boot.type("2")
    boot.wait_exit(20)


@pytest.mark.long
def test_an_end_that_would_return_is_a_reset(lab):
    boot = lab.app(f"{CORES} inject=mp-stays@1 end=return records=on", test_build=True, smp=2)
    boot.wait_exit(60)
    check_cores(Records.of_console(boot.text).check_whole(), {1: "did not go back"}, 2)
    assert "the machine resets in half a minute" in boot.text
    assert "Shell>" not in boot.raw and "BdsDxe: failed" not in boot.raw, boot.tail()


@pytest.mark.long
def test_a_cpu_that_stays_in_a_measurement(lab):
    """Its memory cannot be given back: the machine resets, the next start tells of it and leaves other
    CPUs alone."""
    boot = lab.app(f"{CORES} inject=mp-stays:4@1 end=shutdown records=on", test_build=True, smp=2,
                   reboot=True)
    boot.wait_for("^another CPU did not come back", 60)
    first = len(boot.raw)
    boot.wait_exit(60)
    assert '"record":"end"' not in boot.raw[:first]
    records = Records.of_console(boot.text[boot.text.rindex('{"record":"run"'):]).check_whole()
    assert any("cores " in note and "another CPU did not come back" in note
               for note in records.notes("error")), records.notes()
    assert any(NOT_USED in note and "EFI variable cpu-start, CPU 0x1" in note
               for note in records.notes("warning")), records.notes()
    found = {pair["from"]: pair["why"] for pair in records.all("pair")}
    assert found[0] is None and "did not come back" in found[1], found


# ---- all at once

def check_together(records, boot_cpu: str, others: str, partly=False):
    """Every pair of CPUs has a figure or a reason: one with the boot CPU, and one without it. partly:
    some were measured before."""
    assert records.status == "ok", records.notes()
    found = {(pair["from"], pair["to_cpu"], pair["kind"]): pair for pair in records.all("pair")}
    assert len(found) == 9 == len(records.all("pair"))
    for (one, other, _), pair in found.items():
        assert (pair["ns"] is None) == (pair["why"] is not None), pair
        if not partly:
            assert (boot_cpu if 0 in (one, other) else others) in (pair["why"] or ""), pair
    for load in records.all("load"):
        assert (load["ns"] is None) == (load["why"] is not None), load


@pytest.mark.parametrize("fault, boot_cpu, others", brief([
    ("all-refused", "only while the boot CPU waits", "does not start several CPUs at once"),
    ("all-error", BEFORE, BEFORE),
    ("all-nobody", BEFORE, BEFORE),
    ("all-without@2", BEFORE, BEFORE),
    ("all-late:9000", BEFORE, BEFORE),
    ("all-stays@2", BEFORE, BEFORE),
    ("no-event", BEFORE, BEFORE),
    ("late-event:6000", BEFORE, BEFORE),
], "all-refused"), ids=short)
def test_all_at_once(lab, fault, boot_cpu, others):
    boot, records = lab.finish(f"{TOGETHER} inject=mp-{fault}", smp=3, test_build=True)
    check_together(records, boot_cpu, others)
    seen = stub_of(boot)
    check_note(records, NOT_BACK, int(fault != "all-refused"))
    assert seen["of_all"] == (2 if fault == "all-refused" else 1), seen
    if "late:" in fault:
        assert (seen["came"], seen["ran"]) == (2, 0), seen


@pytest.mark.long
def test_all_at_once_loses_one_later(lab):
    boot, records = lab.finish(f"{TOGETHER} inject=mp-all-without:8@2", smp=3, test_build=True)
    check_together(records, "", "", partly=True)
    assert any(pair["why"] and BEFORE in pair["why"] for pair in records.all("pair"))
    check_note(records, NOT_BACK)
    assert stub_of(boot)["of_all"] == 8


@pytest.mark.long
@pytest.mark.parametrize("fault", ["missing", "nobody@1", "nobody:9@2", "all-without:2@1"])
def test_every_matrix_has_every_cell(lab, fault):
    """All that other CPUs take part in, in one run: a figure, or a reason and none."""
    records = lab.finish("tests=cores,nodes,handoff,threads,loaded max=20M pages=2m budget=40 error=20 "
                         f"hops=640 inject=mp-{fault}", smp=3, memory_mib=1024, nodes=(512, 256, 256),
                         test_build=True)[1]
    assert records.status == "ok", records.notes()
    cells = records.all("pair") + records.all("load")
    assert all((cell["ns"] is None) == (cell["why"] is not None) for cell in cells), cells
    of = {name: [cell for cell in records.all("pair") if cell["experiment"] == name]
          for name in ("cores", "nodes", "handoff")}
    assert {cell["from"] for cell in of["cores"]} == {0, 1, 2}
    assert len({(cell["from_node"], cell["home_node"]) for cell in of["nodes"]}) == 9 == len(of["nodes"])
    assert len({(cell["from"], cell["to_cpu"], cell["kind"]) for cell in of["handoff"]}) == 9
    assert any(cell["why"] for cell in cells) and any(cell["ns"] for cell in cells)


# ---- a firmware that does not come back: the next start is told

@pytest.mark.parametrize("fault, plan, mark, told", brief([
    ("hang@2", CORES, "cpu-start-", "the stick's cpu-start, CPU 0x2"),
    ("all-hang", TOGETHER, "cpus-beside-", "the stick's cpus-beside, CPU 0x0"),
], "hang@2"), ids=short)
def test_a_start_that_hangs(lab, fault, plan, mark, told):
    copy = lab.stick(f"{plan} inject=mp-{fault} end=shutdown".replace(" ", "\n"), test_build=True)
    machine = Machine(drives=[Drive(copy.path)], smp=3)
    boot = lab.boot(machine)
    boot.wait_for(HUNG, 60)
    time.sleep(0.5)
    boot.pull()
    assert [name for name in copy.names("barechase") if name.startswith("cpu")
            and not name.startswith(mark)] == []
    assert [name for name in copy.names("barechase") if name.startswith(mark)], boot.tail()
    copy.configure(f"{plan} end=shutdown".replace(" ", "\n"))
    lab.boot(machine).wait_exit(60)
    runs = copy.runs()
    records = Records.parse(runs[max(runs)]["results.jsonl"]).check_whole()
    notes = [note for note in records.notes("warning") if NOT_USED in note]
    assert len(notes) == 1 and told in notes[0], records.notes()
    if plan == CORES:
        assert measured(records) == {0}
    else:
        why = "did not come back from starting all CPUs at once"
        found = {(pair["from"], pair["to_cpu"]): pair["why"] for pair in records.all("pair")}
        assert why in found[0, 1] and why in found[0, 2] and why not in (found[1, 2] or ""), found
    assert not [name for name in copy.names("barechase") if name.startswith("cpu")]


@pytest.mark.long
def test_the_watchdog_ends_a_start_of_all(lab):
    """The mark is an EFI variable, and the start after the reset tells of it."""
    boot = lab.app(f"{TOGETHER} inject=mp-all-hang end=shutdown records=on", test_build=True, smp=3,
                   reboot=True)
    boot.wait_for(HUNG, 60)
    boot.wait_for("EFI variable cpus-beside", 120)
    boot.pull()
