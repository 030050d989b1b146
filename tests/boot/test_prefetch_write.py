# SPDX-License-Identifier: BSD-2-Clause
"""Prefetchers on AArch64: only read unless prefetch-write=on; a mark in an EFI variable goes before
the first write, and one that is found at the next start means that nothing is written."""
import pytest

from brief import brief
from records import Records

PLAN = "tests=curve min=64K max=64K points=1 pages=4k budget=2 error=20"
MARK = "the last try did not come back (EFI variable prefetch-try"
HALTED = "^fault on purpose: halted before a prefetcher write"


def controls(records) -> dict:
    return {record["control"]: record["state"] for record in records.all("prefetch")}


@pytest.mark.parametrize("level", brief([1, 2], 1))
def test_only_read_by_default(lab, level):
    plan = PLAN.replace("curve", "curve,prefetchers")
    boot, records = lab.finish(plan, arch="aarch64", cpu="cortex-a57", level=level)
    assert records.status == "ok"
    states = controls(records)
    assert len(states) == 2 and set(states.values()) == {"on"}, states
    notes = [note for note in records.notes("info")
             if "prefetchers are only read" in note and "prefetch-write=on" in note]
    assert len(notes) == 1, records.notes()


# QEMU: the A57's registers accept every write and read 0; the N1's does not exist; the table has
# none for the max.
@pytest.mark.parametrize("cpu, states", [
    ("cortex-a57", {"refused", "not-honoured"}), ("neoverse-n1", {"unsupported"}),
    pytest.param("max", {"unsupported"}, marks=pytest.mark.long),
])
def test_written_on_demand(lab, cpu, states):
    boot, records = lab.finish(f"{PLAN} prefetch-write=on prefetch-unofficial=on", arch="aarch64",
                               cpu=cpu)
    assert records.status == "ok"
    assert set(controls(records).values()) == states
    assert MARK not in boot.text
    assert not any("prefetchers are only read" in note or "prefetchers are not written" in note
                   for note in records.notes())


def test_a_write_that_did_not_come_back(lab):
    """Halted at the write, reset: the next start reports it and does not write, the one after tries
    again."""
    boot = lab.app(f"{PLAN} prefetch-write=on inject=prefetch-halt end=reboot records=on",
                   test_build=True, arch="aarch64", cpu="cortex-a57", reboot=True)
    boot.wait_for(HALTED, 60)
    first = len(boot.raw)
    assert MARK not in boot.text
    boot.monitor("system_reset")
    boot.wait_for(HALTED, 90, times=2)
    second = boot.raw[first:]
    assert second.count('"record":"end"') == 1, boot.tail()
    records = Records.of_console(second)
    assert records.status == "ok"
    assert sum(MARK in note for note in records.notes("warning")) == 1, records.notes()
    assert "0x411fd070" in second
    assert "on" in controls(records).values() and "refused" not in controls(records).values()
