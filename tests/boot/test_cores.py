# SPDX-License-Identifier: BSD-2-Clause
"""Chases on other CPUs, which the firmware's MP services start: every CPU has a figure or a reason, and
a start that does not come back is told by the next one."""
import re
import time

import pytest

from brief import brief
from conftest import BANNER
from machine import PATIENCE, Drive, Machine
from records import Records
from test_faults import run_injected
from test_restore import DUMP, check_restored

PLAN = "tests=cores max=4M pages=2m budget=20 error=20"
NOT_STARTED = "other CPUs are not started"
NOT_BACK = "this machine did not come back from starting"


def pairs(records) -> dict[int, dict]:
    """Each CPU's record to memory or, without one, to the last cache."""
    found = records.all("pair")
    assert found and records.status == "ok", records.notes()
    assert all((pair["ns"] is None) == (pair["why"] is not None) for pair in found), found
    to = found[0]["to"]
    return {pair["from"]: pair for pair in found if pair["to"] == to}


def measured(records) -> set[int]:
    return {number for number, pair in pairs(records).items() if pair["ns"] is not None}


def check_points(records):
    """Every pair's figure is of a point on that CPU, whose chain was checked."""
    points = {point["cpu"]: point for point in records.all("point")}
    assert set(points) == measured(records)
    # On a busy host the budget may end before a lap does; then every line was read back.
    assert all(point["verified"] in ("lap", "readback") for point in points.values()), points
    assert all(pair["cpu_hz"] > 1e6 for pair in pairs(records).values() if pair["ns"])


@pytest.mark.parametrize("smp, topology", brief([
    (1, ""), (2, "sockets=2,cores=1,threads=1"), (4, "sockets=1,cores=2,threads=2"),
    (8, "sockets=2,dies=2,cores=1,threads=2"),
], 1, 4), ids=["1", "2", "4", "8"])
def test_every_cpu(lab, smp, topology):
    records = lab.finish(PLAN, smp=smp, topology=topology)[1]
    assert measured(records) == set(range(smp))
    check_points(records)
    assert (smp == 1) == any("one CPU to measure from: the machine lists no other" in note
                             for note in records.notes("warning"))


# Hardware ids leave gaps here; numbers do not.
SETTINGS = dict(smp=8, topology="sockets=2,cores=2,threads=2", memory_mib=1024, nodes=(512, 512))


@pytest.mark.long
def test_chosen_cpus(shells_of_all):
    """Several runs in one boot, after which the firmware goes on."""
    _, shell = shells_of_all.start("cores", **SETTINGS)
    for words, numbers in (("1,3", {0, 1, 3}), ("core", {0, 2, 4, 6}), ("node", {0, 4})):
        records = shell.finish(f"{PLAN} cpus={words}")[1]
        assert measured(records) == numbers, words
        check_points(records)
        assert all(pair["from_node"] == pair["from"] // 4 for pair in records.all("pair"))
    records = shell.finish(f"{PLAN} cpus=2,9")[1]
    assert measured(records) == {0, 2}
    assert sum("cpus= names a CPU that is not there: CPU 9;" in note
               for note in records.notes("warning")) == 1
    shell.switch_off()


# ---- a CPU that does not come back

def is_told(records, where):
    assert measured(records) == {0}
    assert "did not come back" in pairs(records)[1]["why"]
    notes = [note for note in records.notes("warning") if NOT_STARTED in note]
    assert len(notes) == 1 and NOT_BACK in notes[0] and where in notes[0], notes


@pytest.mark.long
def test_a_cpu_that_does_not_come_back(lab):
    """The watchdog resets; the mark is an EFI variable, where nothing can be written."""
    boot = lab.app(f"{PLAN} inject=cpu-hang end=shutdown records=on", test_build=True, smp=2,
                   reboot=True)
    boot.wait_for(BANNER, 60)
    first = len(boot.raw)
    boot.wait_exit(90)
    assert '"record":"end"' not in boot.raw[:first]
    is_told(Records.of_console(boot.text[boot.text.rindex('{"record":"run"'):]).check_whole(),
            "EFI variable cpu-start, CPU 0x1")


@pytest.mark.long
def test_the_mark_on_the_stick(lab):
    """Power goes while a CPU hangs. The start after the one that tells tries again."""
    copy = lab.stick(f"{PLAN} inject=cpu-hang end=shutdown".replace(" ", "\n"), test_build=True)
    marks = lambda: [name for name in copy.names("barechase") if name.startswith("cpu-start-")]
    machine = Machine(drives=[Drive(copy.path)], smp=2)
    for told in (False, True, False):
        boot = lab.boot(machine)
        if not told:
            end = time.monotonic() + 60 * PATIENCE
            while not marks() and time.monotonic() < end:
                time.sleep(0.2)
            boot.pull()
            assert len(marks()) == 1, boot.tail()
            continue
        boot.wait_exit(60)
        runs = copy.runs()
        is_told(Records.parse(runs[max(runs)]["results.jsonl"]).check_whole(), "the stick's cpu-start")
        assert not marks()


@pytest.mark.parametrize("cpus, numbers", brief([("", {0}), (" cpus=1", {0, 1})], " cpus=1"),
                         ids=["all", "named"])
def test_no_mark_can_be_laid(lab, cpus, numbers):
    records = lab.finish(f"{PLAN} inject=no-mark{cpus}", smp=2, test_build=True)[1]
    assert measured(records) == numbers
    words = "other CPUs are started without a mark" if cpus else NOT_STARTED
    assert sum(words in note for note in records.notes("warning")) == 1, records.notes()


# ---- what a run leaves of them

@pytest.mark.parametrize("cpu, plan", [
    ("Skylake-Server", "prefetch=both prefetch-unofficial=on pstate=max uncore=max"),
    pytest.param("EPYC-Milan", "prefetch=both", marks=pytest.mark.long),
], ids=["intel", "amd"])
def test_registers_of_every_cpu_are_restored(lab, cpu, plan):
    boot, records = lab.finish(f"{PLAN} {plan} inject=cpus", smp=3, cpu=cpu, test_build=True)
    assert measured(records) == {0, 1, 2}
    check_restored(boot)
    starts, changed = re.findall(r"(\d+) starts of other CPUs, (\d+) registers changed", boot.text)[-1]
    assert int(starts) >= 2 * 3 and changed == "0", re.findall(".* registers changed.*", boot.text)
    names = {name for _, name, _ in DUMP.findall(boot.text)}
    for number in (1, 2):
        own = {name.split(":")[1] for name in names if name.startswith(f"CPU{number}:")}
        assert own == {name for name in names if ":" not in name} - {"TPL"}


@pytest.mark.shell("two")
@pytest.mark.parametrize("fault, named", brief([("pf@1", "#PF"), ("gp@1", "#GP")], "pf@1"))
def test_a_fault_on_another_cpu(shell, fault, named):
    """It ends the run in one named line, and the firmware goes on."""
    boot, records = run_injected(shell, fault, PLAN)
    assert records.status == "failed"
    errors = records.all("error")
    assert len(errors) == 1 and named in errors[0]["text"], errors
    check_restored(boot)
    assert measured(shell.finish(PLAN)[1]) == {0, 1}


@pytest.mark.shell("two")
def test_an_nmi_on_another_cpu(shell):
    boot, records = run_injected(shell, "nmi@1", PLAN)
    assert measured(records) == {0, 1}
    assert sum("resumed" in note for note in records.notes("warning")) == 1, records.notes()


@pytest.mark.long
def test_a_double_fault_on_another_cpu(lab):
    """Told from there, and the machine resets; the next start tells of it too."""
    boot = lab.app(f"{PLAN} inject=df@1 end=menu", test_build=True, smp=2, reboot=True)
    boot.wait_for("an earlier start ended in a fatal", 60)
    assert re.search("double fault|#DF", boot.text)
