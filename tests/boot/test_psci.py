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
    ("cpu-hang", "could not start it", "it was turned on, and did not come back"),
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
