# SPDX-License-Identifier: BSD-2-Clause
"""Other CPUs of AArch64 firmware that has no MP services: turned on for each measurement by PSCI, and
off again behind it. By the tables of ACPI and by a devicetree; by HVC at EL1 and by SMC at EL2."""
import re

import pytest

from brief import brief
from conftest import MENU, newest
from machine import Drive, Machine
from records import Records
from shell import Shell, prepare
from test_aarch64 import check_restored, finish_arm_stick
from test_cores import NOT_STARTED, PLAN, check_points, measured, pairs
from test_restore import DUMP
from test_together import BUILD, LATE, LOADED, THREADS, TRIES, built, check_threads

ARM = dict(arch="aarch64", cpu="cortex-a57")


@pytest.mark.parametrize("case", brief(["2-el1-acpi", "2-el2-tree", "4-el2-acpi", "8-el1-tree",
                                        "8-el2-acpi"], "4-el2-acpi", "8-el1-tree"))
def test_every_cpu(lab, case):
    smp, level, acpi = int(case[0]), int(case[4]), case.endswith("acpi")
    records = lab.finish(PLAN, smp=smp, level=level, acpi=acpi, **ARM)[1]
    assert measured(records) == set(range(smp)), records.notes()
    check_points(records)
    assert any("no ACPI tables" in note for note in records.notes("info")) != acpi


@pytest.mark.parametrize("level", brief([1, 2], 2))
def test_by_u_boot(lab, level):
    """Its devicetree lists the CPUs."""
    copy = finish_arm_stick(lab, f"{PLAN} cpus=0,1,2", "virtio", firmware="uboot", smp=3, level=level,
                            cpu="cortex-a57")[1]
    records = newest(copy)
    assert measured(records) == {0, 1, 2}, records.notes()
    check_points(records)


@pytest.mark.parametrize("level", brief([1, 2], 2))
def test_they_are_off_afterwards(lab, level):
    """Only a CPU that is off is turned on: by every run of one start, and by the next start."""
    copy = lab.stick()
    prepare(copy, lab.products.application("aarch64", False).read_bytes())
    shell = Shell(Machine(drives=[Drive(copy.path)], smp=3, level=level, **ARM), lab.scratch / "shell")
    lab.boots.append(shell.boot)
    run = shell.app(f"{PLAN} records=on", end="menu")
    run.wait_for(MENU, 60)
    run.type("1")
    run.wait_for(MENU, 60, times=2)
    run.type("4")
    run.wait_exit(20)
    first, second = [Records.of_console('{"record":"run"' + part).check_whole()
                     for part in run.text.split('{"record":"run"')[1:]]
    third = shell.finish(f"{PLAN} cpus=1")[1]
    assert [measured(records) for records in (first, second, third)] == [{0, 1, 2}, {0, 1, 2}, {0, 1}]
    shell.switch_off()


@pytest.mark.parametrize("level", [1, 2])
def test_registers_are_restored(lab, level):
    """The boot CPU's, and those of the others within each start."""
    boot, records = lab.finish(f"{PLAN} prefetch=both inject=cpus", smp=3, level=level, test_build=True,
                               **ARM)
    assert measured(records) == {0, 1, 2}, records.notes()
    check_restored(boot)
    starts, changed = re.findall(r"(\d+) starts of other CPUs, (\d+) registers changed", boot.text)[-1]
    assert int(starts) >= 2 * 3 and changed == "0", re.findall(".* registers changed.*", boot.text)
    dumped = {name: int(value, 16) for when, name, value in DUMP.findall(boot.text) if when == "before"}
    # What makes them able to share the boot CPU's tables.
    for name in ("SCTLR", "TCR", "TTBR0", "MAIR", "VBAR"):
        register = f"{name}_EL{level}"
        assert dumped[f"CPU1:{register}"] == dumped[f"CPU2:{register}"] == dumped[register], register


@pytest.mark.parametrize("level", brief([1, 2], 1))
def test_a_fault_on_another_cpu(lab, level):
    """It ends the run in one named line, and the CPU is off."""
    boot = lab.app(f"{PLAN} inject=pf@1 records=on", test_build=True, smp=2, level=level, **ARM)
    boot.wait_for(MENU, 60)
    boot.type("2")
    boot.wait_exit(20)
    records = Records.of_console(boot.text).check_whole()
    errors = records.all("error")
    assert records.status == "failed" and len(errors) == 1 and "data abort" in errors[0]["text"], errors
    check_restored(boot)


# ---- CPUs that are not to be had

@pytest.mark.parametrize("fault, why, note", [
    ("cpu-is-on", "is on already", "it is on already"),
    ("cpu-refused", "could not start it", "refused on purpose"),
    ("cpu-hang", "did not go back", "it was turned on, and did not come back"),
], ids=["on", "refused", "hangs"])
def test_a_cpu_that_is_not_to_be_had(lab, fault, why, note):
    """It is told, the boot CPU measures alone, and its firmware goes on."""
    records = lab.finish(f"{PLAN} inject={fault}", smp=3, test_build=True, **ARM)[1]
    assert measured(records) == {0}
    assert why in pairs(records)[1]["why"]
    assert any(f"CPU 1: {note}" in found for found in records.notes("warning")), records.notes()
    assert not any(NOT_STARTED in found for found in records.notes("warning"))
    assert ("did not come back" in pairs(records)[2]["why"]) == (fault == "cpu-hang")
    assert any("may still run" in found for found in records.notes("warning")) == (fault == "cpu-hang")


# ---- several at the same time

# The emulator's CPUs are threads of a host that may be busy, and read its clock one at a time.
BUSY = {LATE, "over budget", "a CPU that was to load memory did not run most of the time",
        "the other CPUs could not load memory meanwhile"}


def finish_measured(lab, plan, kind, enough, **settings):
    """Runs until one of those records has a figure that is enough. Every other one says that the host was
    busy."""
    for _ in range(TRIES):
        records = lab.finish(plan, **settings, **ARM)[1]
        assert records.status == "ok", records.notes()
        found = records.all(kind)
        assert found and all(each["why"] is None or each["why"] in BUSY for each in found), found
        if any(each["ns"] is not None and enough(each) for each in found):
            return records
    raise AssertionError(f"{TRIES} runs, no figure: {found}")


@pytest.mark.parametrize("case", brief(["2-el1", "4-el2", "8-el1"], "4-el2"))
def test_threads(lab, case):
    """The boot CPU is one of them."""
    smp = int(case[0])
    records = finish_measured(lab, THREADS, "load", lambda load: load["processors"] > 1, smp=smp,
                              level=int(case[4]))
    for processors in (2, 4, 8):
        found = [load for load in records.all("load") if load["processors"] == processors]
        each = [load["cpu"] for load in found if load["cpu"] is not None]
        assert each == (list(range(processors)) if processors <= smp else [])
        if found and found[0]["ns"] is not None:
            check_threads(records, processors)


@pytest.mark.long
@pytest.mark.parametrize("level", [1, 2])
def test_loaded(lab, level):
    records = finish_measured(lab, LOADED, "load", lambda load: load["processors"] == 3, smp=3,
                              level=level)
    full = {load["kind"]: load for load in records.all("load") if load["pause_cycles"] == 0}
    assert set(full) == {"read", "2:1", "1:1", "store-nt"}
    for load in full.values():
        share = {"read": 0, "2:1": 1 / 3, "1:1": 1 / 2, "store-nt": 1}[load["kind"]]
        if load["ns"] is not None:
            assert load["processors"] == 3 and load["bytes_per_s"] > 1e6
            assert share / 100 <= load["written_share"] <= share + 0.01, load


@pytest.mark.long
@pytest.mark.parametrize("level", [1, 2])
def test_handoff(lab, level):
    """All three pairs, the boot CPU in two of them."""
    records = finish_measured(lab, "tests=handoff", "pair", lambda pair: True, smp=3, level=level)
    found = records.all("pair")
    assert {(pair["from"], pair["to_cpu"]) for pair in found} == {(0, 1), (0, 2), (1, 2)}
    assert {pair["kind"] for pair in found} == {"clean", "modified", "swap"}


def test_registers_are_restored_on_all(lab):
    boot, records = lab.finish(f"{THREADS} inject=cpus", smp=3, test_build=True, **ARM)
    assert records.status == "ok", records.notes()
    check_restored(boot)
    starts, changed = re.findall(r"(\d+) starts of other CPUs, (\d+) registers changed", boot.text)[-1]
    assert int(starts) >= 4 and changed == "0", re.findall(".* registers changed.*", boot.text)


@pytest.mark.parametrize("level", brief([1, 2], 2))
def test_a_fault_on_a_cpu_that_loads(lab, level):
    """It ends the run in one named line; the CPU is off again, or the next run could not start it."""
    boot = lab.app(f"{THREADS} inject=load-pf records=on", test_build=True, smp=2, level=level, **ARM)
    boot.wait_for(MENU, 60)
    boot.type("1")
    boot.wait_for(MENU, 60, times=2)
    boot.type("2")
    boot.wait_exit(20)
    for part in boot.text.split('{"record":"run"')[1:]:
        records = Records.of_console('{"record":"run"' + part).check_whole()
        errors = records.all("error")
        assert records.status == "failed" and len(errors) == 1 and "data abort" in errors[0]["text"], errors


def test_one_that_is_refused_later(lab):
    """Those that are on by then run nothing, and are off again for the next run."""
    boot = lab.app(f"{THREADS} inject=cpu-refused@2 records=on", test_build=True, smp=3, **ARM)
    boot.wait_for(MENU, 60)
    boot.type("1")
    boot.wait_for(MENU, 60, times=2)
    boot.type("2")
    boot.wait_exit(20)
    runs = [Records.of_console('{"record":"run"' + part).check_whole()
            for part in boot.text.split('{"record":"run"')[1:]]
    assert len(runs) == 2
    for records in runs:
        assert records.status == "ok"
        more = [load for load in records.all("load") if load["processors"] == 3]
        assert more and all(load["ns"] is None for load in more), more
    assert any("CPU 2: refused on purpose" in note for note in runs[0].notes("warning")), runs[0].notes()


# ---- work on memory shared out

@pytest.mark.long
def test_a_chain_is_the_same_whoever_builds_it(lab):
    alone = None
    for smp, workers in ((1, 0), (3, 2)):
        boot, records = lab.finish(BUILD, smp=smp, memory_mib=768, test_build=True, **ARM)
        assert records.status == "ok", records.notes()
        sums, at_once = built(boot)
        alone = alone or sums
        assert len(sums) == 1 and sums == alone, (smp, sums, alone)
        assert at_once == workers, boot.tail()
