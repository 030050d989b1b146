# SPDX-License-Identifier: BSD-2-Clause
"""Errors that the hardware counts, which QEMU's monitor injects: before the run, in it, and such that
nothing can go on."""
import time

import pytest

from machine import BootError, Drive, Machine
from conftest import newest
from records import Records

VALID, UNCORRECTED, HAS_MISC, HAS_ADDRESS, ENABLED = (1 << bit for bit in (63, 61, 59, 58, 60))
MEMORY = 0x9F  # a memory controller's, channel not told
INTEL = "Skylake-Server,-pcid"
PLACE = 0x123456C0


def inject(boot, bank, status, place):
    """MISC: a physical address from bit 6 on."""
    boot.monitor(f"mce 0 {bank} {status:#x} 0 {place:#x} 0x86")


@pytest.mark.parametrize("cpu, intel", [(INTEL, True),
                                        pytest.param("EPYC", False, marks=pytest.mark.long)])
def test_what_banks_count_is_told(lab, cpu, intel):
    corrected = VALID | HAS_MISC | HAS_ADDRESS | ENABLED | MEMORY
    boot = lab.app("tests=verify max=32M hold=1.5 rule-coverage=0 records=on end=shutdown "
                   "decode=0x40:even,odd", cpu=cpu)
    inject(boot, 3, corrected, PLACE)
    boot.wait_for("barechase .*reading the machine", 60)
    boot.wait_for('"record": *"prefetch"', 60)
    inject(boot, 5, corrected, PLACE + 64)
    boot.wait_exit(120)
    records = Records.of_console(boot.text).check_whole()
    before, during = records.all("hardware_error")
    for record, bank, experiment in ((before, 3, "before the start"), (during, 5, "verify")):
        assert (record["bank"], record["experiment"]) == (bank, experiment)
        assert record["source"] == "machine-check banks" and record["severity"] == "corrected"
        assert record["corrected"] == 1 and record["at_least"] and record["memory"]
        assert int(record["status"], 16) == corrected
        place = PLACE if bank == 3 else PLACE + 64
        assert int(record["address"], 16) == place
        if intel:
            assert int(record["physical_address"], 16) == place
            assert record["slot"] == ("odd" if place & 64 else "even")
        else:
            assert record["physical_address"] is None and record["slot"] is None
    total = records.one("hardware_errors")
    assert total["counting"] == "presence" and total["banks"] == 10
    assert (total["corrected"], total["others"]) == (1, 0)
    assert (total["before_corrected"], total["before_others"]) == (1, 0)
    verdict = records.one("verdict")
    assert verdict["verdict"] == "SUSPECT"
    [rule] = [rule for rule in verdict["rules"] if rule["name"] == "hardware-errors"]
    assert rule["met"] is False


def test_nothing_to_read_is_said(lab):
    """On AArch64 older firmware halts at such registers; with the option they are read."""
    for more, why in (("", "prefetch-write=on does it"),
                      (" prefetch-write=on", "no error records")):
        records = lab.finish(f"tests=verify max=4M rule-coverage=0{more}", arch="aarch64",
                             firmware="edk2")[1]
        total = records.one("hardware_errors")
        assert total["counting"] == "unread" and why in total["why"]
        assert not records.all("hardware_error") and total["ecc"] == "on" and total["hidden"]
        assert any(why in note for note in records.notes("info"))
        assert not records.one("verdict")["conclusive"]


@pytest.mark.long
def test_a_fatal_one_is_told_by_the_next_start(lab):
    stick = lab.stick("tests=pattern\nmin=8M\nmax=8M\npages=2m\nseconds=200\nbudget=400\nrecords=on\n")
    boot = struck(lab, stick)
    assert "#MC machine check" in boot.text and "bank 4 status 0xbc0000000000009f" in boot.text
    first = len(boot.raw)
    boot.wait_for("barechase .*reading the machine", 120, times=2)
    boot.wait_for(r'earlier start ended in a fatal.*\n', 60)  # the whole record
    said = boot.raw[first:]
    boot.monitor("system_reset")
    boot.wait_for('"record": *"prefetch"', 60, times=3)
    boot.pull()
    assert boot.text.count("earlier start ended") <= 2 * said.count("earlier start ended")
    assert "pattern" in said and "bank 4 status" in said and f"{PLACE:#x}" in said


def struck(lab, stick):
    """A boot that a machine check ended within a quiet section; outside of them the firmware's handler
    has it, and another try is due."""
    fatal = VALID | UNCORRECTED | ENABLED | HAS_ADDRESS | HAS_MISC | MEMORY
    for _ in range(6):
        boot = lab.boot(Machine(drives=[Drive(stick.path)], cpu=INTEL, reboot=True))
        boot.wait_for('"record": *"prefetch"', 60)
        time.sleep(2)
        boot.monitor(f"mce 0 4 {fatal:#x} 5 {PLACE:#x} 0x86")
        try:
            boot.wait_for("resets in half a minute", 1)
            return boot
        except BootError:
            boot.pull()
    raise AssertionError("no machine check within a quiet section")
