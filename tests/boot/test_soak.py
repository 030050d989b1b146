# SPDX-License-Identifier: BSD-2-Clause
"""Soaks: the board resets itself until its history has as many lines as it was asked for."""
import csv
import io

import pytest

from conftest import newest
from machine import Drive, Machine

PLAN = "tests=verify,single\nmax=16M\nrule-coverage=0\nbudget=20\n"


def history(copy):
    [name] = [name for name in copy.names("barechase") if name.startswith("history-")]
    return list(csv.DictReader(io.StringIO(copy.read(f"barechase/{name}").decode())))


def soak(lab, copy, **settings):
    bus = "usb" if settings.get("arch", "x86_64") == "x86_64" else "virtio"
    boot = lab.boot(Machine(drives=[Drive(copy.path, bus)], memory_mib=256, reboot=True, **settings))
    return boot


@pytest.mark.parametrize("arch, firmware, boots, how", [
    ("x86_64", "edk2", 2, "cold"), pytest.param("x86_64", "edk2", 5, "warm", marks=pytest.mark.long),
    pytest.param("aarch64", "edk2", 3, "cold", marks=pytest.mark.long)])
def test_it_boots_by_itself(lab, arch, firmware, boots, how):
    copy = lab.stick(PLAN + f"boots={boots}\nboot={how}\nend=shutdown\n")
    boot = soak(lab, copy, arch=arch, firmware=firmware)
    boot.wait_exit(90 * boots)
    copy.check()
    lines = history(copy)
    assert [line["boot"] for line in lines] == [str(i + 1) for i in range(boots)]
    assert [line["run"] for line in lines] == [str(i + 1) for i in range(boots)]
    assert all(line["died"] == "0" and line["status"] == "ok" for line in lines)
    records = newest(copy)
    [verdict] = records.all("verdict")
    [rule] = [rule for rule in verdict["rules"] if rule["name"] == "boots"]
    assert rule["figure"].endswith(f"of {boots} boots differ")
    assert len(copy.runs()) == boots
    assert f"soak: boot {boots - 1} of {boots} done" in boot.text


@pytest.mark.long
def test_a_boot_that_dies_is_counted_and_a_key_stops(lab):
    """Power goes while the first boot measures; the second one says so, and a key ends the soak."""
    copy = lab.stick(PLAN + "boots=3\nend=shutdown\nhold=30\n")
    boot = soak(lab, copy)
    boot.wait_for("verify", 60)
    boot.pull()
    copy.configure(PLAN + "boots=3\nend=shutdown\n")
    boot = soak(lab, copy)
    boot.wait_for("soak: boot 1 of 3 done", 90)
    boot.type("x")
    boot.wait_exit(30)
    assert "soak: stopped by a key" in boot.text
    [line] = history(copy)
    assert line["died"] == "1"
    assert any("a boot of the soak died" in note for note in newest(copy).notes("warning"))


@pytest.mark.long
def test_a_stick_that_cannot_be_written_does_not_loop(lab):
    copy = lab.stick(PLAN + "boots=3\nend=shutdown\n")
    boot = lab.boot(Machine(drives=[Drive(copy.path, "usb", readonly=True)], memory_mib=256,
                            reboot=True))
    boot.wait_exit(90)
    assert boot.text.count("no soak") >= 1 and "soak: boot" not in boot.text


@pytest.mark.long
def test_a_state_that_is_damaged_is_kept(lab):
    copy = lab.stick(PLAN + "boots=2\nend=shutdown\n")
    boot = soak(lab, copy)
    boot.wait_for("soak: boot 1 of 2 done", 90)
    boot.type("x")
    boot.wait_exit(30)
    [name] = [name for name in copy.names("barechase") if name.startswith("state-")]
    state = copy.read(f"barechase/{name}")
    assert len(state) == 8192
    broken = state.replace(b"crc ", b"crx ")
    copy.write(f"barechase/{name}", broken)
    boot = soak(lab, copy)
    boot.wait_exit(90)
    assert copy.read(f"barechase/{name}") == broken and len(history(copy)) == 1
    assert any("damaged or of another version" in note for note in newest(copy).notes("warning"))
