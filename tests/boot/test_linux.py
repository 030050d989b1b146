# SPDX-License-Identifier: BSD-2-Clause
"""After a run the firmware boots an operating system, which finds every CPU as it would have been: a
Linux kernel starts all of them, those that the run had on and off among them."""
import pytest

import linux
from machine import Drive, Machine
from shell import APP, Shell, prepare
from test_cores import measured
from uboot import UBoot

CPUS = 4
MACHINES = {"x86_64": {}, "aarch64": dict(cpu="cortex-a57")}
# Every CPU by itself, then all at once.
EACH_AND_ALL = "tests=cores,threads max=1M pages=2m budget=10 error=20"


def sticks(lab, arch: str):
    """The application's, and the kernel's."""
    disk = linux.disk(lab, arch)
    app, test_app = (lab.products.application(arch, test).read_bytes() for test in (False, True))
    return prepare(lab.stick(), app, test_app), disk


def at_shell(lab, arch: str, **settings) -> Shell:
    stick, disk = sticks(lab, arch)
    machine = Machine(**{**MACHINES[arch], "arch": arch, "smp": CPUS, **settings,
                         "drives": [Drive(stick.path), Drive(disk.path, "virtio")]})
    shell = Shell(machine, lab.scratch / f"at{len(lab.boots)}")
    lab.boots.append(shell.boot)
    return shell


def kernel_starts(boot, command: str) -> str:
    """To the kernel's end; what it said."""
    begin = len(boot.raw)
    boot.type(f"{command}\r")
    boot.wait_exit(60)
    return boot.shown(begin)


def kernel_by_shell(shell, arch: str) -> str:
    shell.boot.type("fs1:\r")
    shell.boot.wait_for(r"^FS1:\\> ", 30)
    return kernel_starts(shell.boot, f"{linux.KERNEL} {linux.words(arch)}")


def check_run(records):
    """It ended well, and measured on every CPU and on all at once."""
    assert measured(records) == set(range(CPUS)), records.notes()
    together = [load["cpu"] for load in records.all("load") if load["processors"] == CPUS]
    assert set(range(CPUS)) <= set(together), records.all("load")


@pytest.mark.parametrize("arch, settings, words", [
    ("x86_64", {}, ""),
    pytest.param("aarch64", {}, "", marks=pytest.mark.long),
    pytest.param("x86_64", dict(cpu="Skylake-Server", topology="sockets=2,cores=1,threads=2"),
                 " prefetch=both pstate=max uncore=max", marks=pytest.mark.long),
    pytest.param("aarch64", dict(level=2, acpi=False), "", marks=pytest.mark.long),
], ids=["x86_64", "aarch64", "x86_64-registers", "aarch64-el2-tree"])
def test_after_every_cpu_was_measured(lab, arch, settings, words):
    shell = at_shell(lab, arch, **settings)
    check_run(shell.finish(EACH_AND_ALL + words)[1])
    linux.check_came_up(kernel_by_shell(shell, arch), CPUS)


@pytest.mark.long
@pytest.mark.parametrize("level", [1, 2])
def test_by_u_boot(lab, level):
    stick, disk = sticks(lab, "aarch64")
    prompt = UBoot(Machine(arch="aarch64", firmware="uboot", level=level, smp=CPUS,
                           drives=[Drive(stick.path, "virtio"), Drive(disk.path, "virtio")],
                           **MACHINES["aarch64"]), lab.scratch / "uboot")
    lab.boots.append(prompt.boot)
    check_run(prompt.finish(APP, EACH_AND_ALL, 60))
    start = prompt.load(1, linux.KERNEL, linux.words("aarch64", separator=""))
    linux.check_came_up(kernel_starts(prompt.boot, start), CPUS)


@pytest.mark.long
@pytest.mark.parametrize("arch", list(MACHINES))
def test_after_all_memory_was_written(lab, arch):
    """What the firmware had kept for itself too, by all CPUs."""
    shell = at_shell(lab, arch, memory_mib=512)
    records = shell.finish("tests=verify cpus=all", cap=300)[1]
    [verify] = records.all("verify")
    assert records.status == "ok" and verify["processors"] > 1, records.notes()
    assert verify["bytes"] > 0.6 * (512 << 20) and verify["events"] == 0
    linux.check_came_up(kernel_by_shell(shell, arch), CPUS)


@pytest.mark.long
@pytest.mark.parametrize("arch", list(MACHINES))
def test_after_a_fault_on_another_cpu(lab, arch):
    """The run has failed, the machine has not."""
    shell = at_shell(lab, arch)
    records = shell.finish(f"{EACH_AND_ALL} inject=pf@1", test_build=True)[1]
    assert records.status == "failed"
    linux.check_came_up(kernel_by_shell(shell, arch), CPUS)


@pytest.mark.long
@pytest.mark.parametrize("arch", list(MACHINES))
def test_it_has_the_same_memory(lab, arch):
    """As much as without a run: nothing is kept from it."""
    memory = []
    for run in (False, True):
        shell = at_shell(lab, arch)
        if run:
            check_run(shell.finish(EACH_AND_ALL)[1])
        memory.append(linux.memory_kib(kernel_by_shell(shell, arch)))
    assert memory[0] == memory[1]
