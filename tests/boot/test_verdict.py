# SPDX-License-Identifier: BSD-2-Clause
"""Verdicts and baselines under real firmware: a run kept as the reference of a board, and later boots
held against it."""
import pytest

from machine import Machine, Drive
from conftest import newest

PLAN = "tests=verify\nmax=16M\nrule-coverage=0\n"


def boot(lab, copy, config, **settings):
    copy.configure(PLAN + config + "\nend=shutdown\n")
    run = lab.boot(Machine(drives=[Drive(copy.path, "usb" if settings["arch"] == "x86_64" else "virtio")],
                           memory_mib=256, **settings))
    run.wait_exit(120)
    copy.check(count_kept=settings["firmware"] != "uboot")
    return run, newest(copy)


@pytest.mark.parametrize("arch, firmware", [
    ("x86_64", "edk2"), pytest.param("aarch64", "edk2", marks=pytest.mark.long),
    pytest.param("aarch64", "uboot", marks=pytest.mark.long)])
def test_a_boot_is_held_against_another(lab, arch, firmware):
    copy = lab.stick()
    settings = {"arch": arch, "firmware": firmware}
    _, records = boot(lab, copy, "baseline=save", **settings)
    [own] = [note.rsplit(" ", 1)[1] for note in records.notes("info")
             if note.startswith("configuration: barechase.cfg; ")]
    assert copy.runs()["run-0001"]["baseline.txt"].startswith(b"barechase baseline 5\n")
    # What this board has of its own is read after what is common.
    copy.write(f"barechase/{own}", b"baseline=run-0001/baseline.txt\n")
    run, records = boot(lab, copy, "baseline=none.txt", **settings)
    [verdict] = records.all("verdict")
    assert verdict["verdict"] == "OK", verdict
    assert {rule["name"]: rule["met"] for rule in verdict["rules"]} == {
        "contents": True, "baseline": True, "run": True,
        # Where the firmware and the CPU tell them.
        **{rule["name"]: True for rule in verdict["rules"]
           if rule["name"] in ("modules-map", "hardware-errors")}}
    assert "baseline.txt" not in copy.runs()["run-0002"]
    assert "Verdict" in run.text


@pytest.mark.long
def test_a_baseline_that_is_not_there(lab):
    copy = lab.stick()
    settings = {"arch": "x86_64", "firmware": "edk2"}
    run, records = boot(lab, copy, "baseline=run-0009\\baseline.txt", **settings)
    [verdict] = records.all("verdict")
    assert verdict["verdict"] == "INCOMPLETE" and not verdict["conclusive"]
    assert any("no volume has it" in note for note in records.notes("warning"))
