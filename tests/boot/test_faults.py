# SPDX-License-Identifier: BSD-2-Clause
"""Faults put in on purpose (inject=, test build only): each ends in one named line and a failed or
marked run, and the firmware lives on, down to the menu."""
import re

import pytest

from machine import Drive, Machine
from records import Records

PLAN = "tests=curve min=64K max=256K points=1 pages=2m prefetch=on budget=3 error=20"
MENU = r"(?m)^.*\b1\b.*again.*"


def run_injected(lab, fault: str, plan=PLAN, **settings):
    """Runs to the menu with the fault, switches off through the menu."""
    boot = lab.app(f"{plan} inject={fault} records=on", test_build=True, **settings)
    boot.wait_for(MENU, 60)
    boot.type("2")
    boot.wait_exit(20)
    return boot, Records.of_console(boot.text).check_whole()


@pytest.mark.parametrize("fault, named", [
    ("ud", "#UD"), ("pf", "#PF"), ("gp", "#GP"), ("msr-gp", "#GP"),
])
def test_exception_ends_the_run(lab, fault, named):
    boot, records = run_injected(lab, fault)
    assert records.status == "failed"
    errors = records.all("error")
    assert len(errors) == 1 and errors[0]["kind"] == "fault", errors
    assert named in errors[0]["text"], errors[0]
    assert re.search("(?i)rip", errors[0]["text"]), "the registers are missing"
    assert records.one("end")["errors"] >= 1
    lines = [line for line in boot.text.splitlines()
             if named in line and not line.startswith('{"record"')]
    assert lines, f"no line on the console names {named}"


def test_nmi_is_counted_and_resumed(lab):
    boot, records = run_injected(lab, "nmi")
    assert records.status == "ok"
    points = records.all("point")
    assert sum(point["disturbed"] for point in points) >= 1 or any(
        "NMI" in note for note in records.notes()), "the NMI left no mark"


@pytest.mark.parametrize("fault, named", [("mc", "machine check|#MC"), ("df", "double fault|#DF")])
def test_nothing_can_go_on_after_it(lab, fault, named):
    """The minimum is printed and the machine resets; with -no-reboot QEMU ends there."""
    boot = lab.app(f"{PLAN} inject={fault} end=menu", test_build=True)
    boot.wait_exit(60)
    assert re.search(f"(?i){named}", boot.text), boot.tail()
    assert not re.search(MENU, boot.text)


def test_abort(lab):
    boot, records = run_injected(lab, "abort")
    assert records.status == "aborted"


# 64 KiB of lines: bit 6 keeps the pointer inside the window, a low bit unaligns it, a high one
# leaves the canonical addresses.
@pytest.mark.parametrize("bit", [0, 6, 9, 62])
def test_flipped_bit_gives_one_right_error(lab, bit):
    boot, records = run_injected(lab, f"flip:100:{bit}",
                                 "tests=curve min=64K max=64K pages=2m prefetch=on budget=3 error=20")
    errors = records.all("error")
    assert len(errors) == 1, errors
    error = errors[0]
    expected, read, reread = (int(error[key], 16) for key in ("expected", "read", "reread"))
    assert expected ^ read == 1 << bit and reread == read
    assert error["kind"] == "memory"
    assert int(error["physical_address"], 16) % 64 == 0
    assert records.status == "failed"


def test_flip_without_a_bit(lab):
    errors = run_injected(lab, "flip:5")[1].all("error")
    assert len(errors) == 1 and errors[0]["kind"] == "memory"
    changed = int(errors[0]["expected"], 16) ^ int(errors[0]["read"], 16)
    assert changed.bit_count() == 1


def test_write_fail(lab):
    """Every file write fails: the records come over the console, and nothing is half there."""

    stick = lab.stick(PLAN.replace(" ", "\n") + "\ninject=write-fail\nend=shutdown\n",
                      test_build=True)
    boot = lab.boot(Machine(drives=[Drive(stick.path)]))
    boot.wait_exit(60)
    records = Records.of_console(boot.text).check_whole()
    assert records.status == "ok" and records.all("point")
    assert records.notes("warning")
    stick.check()


@pytest.mark.parametrize("which", [1, 2, 3, 5, 8])
def test_allocation_fails(lab, which):
    """The K-th allocation fails: the run goes on without it or ends failed, and says which."""
    boot, records = run_injected(lab, f"alloc-fail:{which}")
    assert records.status in ("ok", "failed")
    if records.status == "failed":
        assert records.notes("error")
    else:
        assert records.all("point")


def test_product_holds_no_injection(products):
    assert b"inject" not in products.app.read_bytes()
    assert "inject".encode("utf-16-le") not in products.app.read_bytes()
    assert b"inject" in products.test_app.read_bytes()
