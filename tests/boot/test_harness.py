# SPDX-License-Identifier: BSD-2-Clause
"""The harness can fail: each check of its own fails on what it must catch."""
import json
import subprocess

import pytest

import machine
import records
from machine import Boot, BootError, Machine
from stick import Stick

NOTE = {"record": "note", "run_id": None, "number": 1, "severity": "info", "what": "a", "why": "b"}


def test_records_are_validated():
    line = json.dumps(NOTE)
    assert records.Records.parse(f"{line}\n".encode()).notes() == ["a: b"]
    for wrong in (line[:-1], json.dumps(dict(NOTE, more=1)), json.dumps(dict(NOTE, severity="x")),
                  json.dumps({"record": "note"}), "[]", json.dumps(dict(NOTE, number=2)),
                  f"{line}\n{json.dumps(dict(NOTE, number=2, run_id='0' * 16))}"):
        with pytest.raises(AssertionError):
            records.Records.parse(f"{wrong}\n".encode())
    assert records.Records.parse(f"{line}  \n".encode()) == [NOTE]
    assert records.Records.parse(b"   \n") == []
    with pytest.raises(AssertionError, match="not whole"):
        records.Records.parse(line.encode())


def test_whole_runs():
    with pytest.raises(AssertionError, match="first"):
        records.Records([NOTE]).check_whole()


def test_stick_round_trip_and_check(products, scratch):
    stick = Stick.copy(products.image, scratch / "stick.img")
    stick.check()
    stick.make_directory("barechase/run-0001")
    stick.write("barechase/run-0001/results.jsonl", b"x" * 100000)
    assert stick.runs() == {"run-0001": {"results.jsonl": b"x" * 100000}}
    stick.fill(1024)
    assert stick.free_bytes() <= 1024
    stick.check()
    with open(stick.path, "r+b") as image:  # the count of free clusters, in the second sector
        image.seek(stick.first * 512 + 512 + 488)
        image.write(b"\x07\0\0\0")
    stick.check(count_kept=False)
    with pytest.raises(AssertionError, match="Free cluster summary wrong"):
        stick.check()
    with open(stick.path, "r+b") as image:  # the two file allocation tables differ
        image.seek(stick.first * 512 + 32 * 512 + 20)
        image.write(b"\xff" * 64)
    with pytest.raises(AssertionError, match="fsck"):
        stick.check(count_kept=False)


def test_live_lines_are_overwritten():
    assert Boot._visible("\rcurve 1/3\rcurve 2/3\r         \rdone") == "done"
    assert Boot._visible("abcdef\rxy") == "xycdef"


def test_a_qemu_that_was_ended_has_not_switched_off(lab):
    boot = lab.boot(Machine())
    boot.process.kill()
    with pytest.raises(BootError, match="QEMU ended with -9"):
        boot.wait_exit(20)


def test_firmware_that_hangs_behind_its_greeting_is_started_again(lab, monkeypatch, capsys):
    greets = "echo 'UEFI firmware (version 1)'; test -e {0} || {{ touch {0}; sleep 1000; }}; echo on"
    monkeypatch.setattr(machine, "GREETING_S", 0.05)
    monkeypatch.setattr(machine.Machine, "command",
                        lambda _, scratch: ["sh", "-c", "exec 2>/dev/null; "
                                            + greets.format(scratch / "hung")])
    for wait in (lambda boot: boot.wait_for("on", 2), lambda boot: boot.wait_exit(2)):
        boot = lab.boot(Machine(arch="aarch64"))
        wait(boot)
        boot.wait_exit(2)
        assert boot.text == "UEFI firmware (version 1)\non\n"
        assert "start 2 of at most 3" in capsys.readouterr().out


def test_a_machine_that_says_more_is_never_started_again(lab, monkeypatch):
    monkeypatch.setattr(machine, "GREETING_S", 0.01)
    monkeypatch.setattr(machine, "PATIENCE", 1)
    monkeypatch.setattr(machine.Machine, "command", lambda _, scratch: [
        "sh", "-c", "echo 'UEFI firmware (version 1)'; echo begun; exec sleep 1000"])
    boot = lab.boot(Machine(arch="aarch64"))
    with pytest.raises(BootError, match="did not switch off"):
        boot.wait_exit(0.5)


def test_plugin_refuses_to_run_without_a_file(trace_plugin):
    done = subprocess.run(["qemu-system-x86_64", "-M", "none", "-display", "none", "-plugin",
                           str(trace_plugin)], capture_output=True, text=True, timeout=200)
    assert done.returncode != 0 and "out=FILE" in done.stderr
