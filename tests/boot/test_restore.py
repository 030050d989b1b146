# SPDX-License-Identifier: BSD-2-Clause
"""Everything a run changes in the processor is as it was: the test build prints each register before
and after a run, from outside the module that restores them."""
import re

import pytest

DUMP = re.compile(r"^dump (before|after) (\S+)=0x([0-9a-f]+)$", re.MULTILINE)
EXCEPTED = {"CR2"}
EXPECTED = {"CR0", "CR3", "CR4", "EFER", "IDTR.base", "GDTR.base", "RFLAGS", "TPL", "PAT"}


def registers(text: str) -> tuple[dict, dict]:
    dumps = {"before": {}, "after": {}}
    for when, name, value in DUMP.findall(text):
        assert name not in dumps[when], f"{name} is dumped twice"
        dumps[when][name] = int(value, 16)
    return dumps["before"], dumps["after"]


def family(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


PLAN = "tests=curve min=64K max=1M points=1 pages=4k,2m budget=3 error=20"


@pytest.mark.parametrize("cpu, plan", [
    ("max", f"{PLAN} prefetch=both"), ("max", f"{PLAN} map=identity"), ("max", f"{PLAN} inject=pf"),
    ("Skylake-Server", f"{PLAN} prefetch=both prefetch-unofficial=on"),
    ("EPYC-Milan", f"{PLAN} prefetch=both"),
], ids=["window", "identity", "fault", "intel", "amd"])
def test_registers_are_restored(lab, cpu, plan):
    boot = lab.app(f"{plan} end=shutdown", test_build=True, cpu=cpu)
    boot.wait_exit(60)
    before, after = registers(boot.text)
    assert before.keys() == after.keys()
    dumped = {family(name) for name in before}
    for name in EXPECTED:
        assert any(family(name.split(".")[0]) in have for have in dumped), f"{name} is not dumped"
    assert any("mtrr" in have for have in dumped), "no MTRR is dumped"
    assert len(before) >= 20
    changed = {name: (hex(before[name]), hex(after[name])) for name in before
               if before[name] != after[name] and name.upper() not in EXCEPTED}
    assert not changed
