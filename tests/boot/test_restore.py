# SPDX-License-Identifier: BSD-2-Clause
"""Everything that a run changes in the processor is restored: the test build prints each register
before and after a run, from outside the module that restores them."""
import re

import pytest

DUMP = re.compile(r"^dump (before|after) (\S+)=0x([0-9a-f]+)\s*$", re.MULTILINE)
EXCEPTED = {"CR2"}
# EFER, PAT, MTRRdefType, the first MTRR pair, and registers of the prefetchers' tables
EXPECTED = {"CR0", "CR3", "CR4", "IDTR_base", "GDTR_base", "RFLAGS", "TPL", "MSR_0xc0000080",
            "MSR_0x277", "MSR_0x2ff", "MSR_0x200", "MSR_0x201", "MSR_0x1a4", "MSR_0xc0011022"}


def registers(text: str) -> tuple[dict, dict]:
    dumps = {"before": {}, "after": {}}
    for when, name, value in DUMP.findall(text):
        assert name not in dumps[when], f"{name} is dumped twice"
        dumps[when][name] = int(value, 16)
    return dumps["before"], dumps["after"]


PLAN = "tests=curve min=64K max=1M points=1 pages=4k,2m budget=30 error=20"


def check_restored(boot):
    before, after = registers(boot.text)
    assert before.keys() == after.keys()
    assert EXPECTED <= before.keys()
    assert before["CR4"] and before["MSR_0x277"], "the dump holds no values"
    changed = {name: (hex(before[name]), hex(after[name])) for name in before
               if before[name] != after[name] and name.upper() not in EXCEPTED}
    assert not changed


def on(machine, plan, *marks):
    return pytest.param(plan, marks=[pytest.mark.shell(machine), *marks])


# After a fault: test_faults.py.
@pytest.mark.parametrize("plan", [
    on("max", f"{PLAN} map=identity prefetch=both"),
    on("skylake", f"{PLAN} prefetch=both prefetch-unofficial=on pstate=max uncore=max"),
    on("skylake", "tests=single max=64M pages=2m budget=30", pytest.mark.long),
    on("skylake", "tests=regions max=96M block=16M budget=10"),
    on("skylake", "tests=prefetchers,frequency max=256K pages=2m budget=30 error=20"),
], ids=["identity", "intel", "single", "regions", "switches"])
def test_registers_are_restored(shell, plan):
    run = shell.app(plan, test_build=True)
    run.wait_exit(60)
    check_restored(run)
    if "tests=regions" in plan:
        assert "6 blocks of 16M" in run.text


def test_registers_are_restored_on_amd(lab):
    boot = lab.app(f"{PLAN} prefetch=both witness=ibs end=shutdown", test_build=True, cpu="EPYC-Milan")
    boot.wait_exit(60)
    check_restored(boot)
    # No emulator has the sampler.
    assert "witness=ibs is not possible: " in re.sub(r"\s+", " ", boot.text)
