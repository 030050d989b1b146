# SPDX-License-Identifier: BSD-2-Clause
"""The harness can fail: each check of its own fails on what it must catch."""
import json
import subprocess

import pytest

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


def test_plugin_refuses_to_run_without_a_file(trace_plugin):
    done = subprocess.run(["qemu-system-x86_64", "-M", "none", "-display", "none", "-plugin",
                           str(trace_plugin)], capture_output=True, text=True, timeout=200)
    assert done.returncode != 0 and "out=FILE" in done.stderr
