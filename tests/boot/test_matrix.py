# SPDX-License-Identifier: BSD-2-Clause
"""The application on every kind of machine that QEMU emulates: each case of the boot matrix ends ok,
with valid records of what was requested."""
import pytest

import matrix
from conftest import SMALL
from records import Records


def pytest_generate_tests(metafunc):
    if "case" in metafunc.fixturenames:
        cases = matrix.CASES + (matrix.pairs_cases() if metafunc.config.option.long else [])
        metafunc.parametrize("case", cases, ids=matrix.name_of)


def boot_case(lab, case: dict) -> Records:
    args = " ".join((case.get("args", matrix.SHORT), f"pages={case['pages']}", f"map={case['map']}"))
    settings = {axis: case[axis] for axis in matrix.PAIRED}
    if case["boot"] == "kernel":
        return lab.finish(args, **settings)[1]
    config = args.replace(" ", "\n")
    return lab.finish_stick(config, bus=case["boot"], vga="std", **settings)[2]


def test_case(lab, case):
    records = boot_case(lab, case)
    assert records.status == "ok", records.notes()
    assert records.one("cpu")["count"] == case["smp"]
    usable = sum(int(r["bytes"]) for r in records.all("memory") if r["usable"])
    assert 0.5 * case["memory_mib"] < usable / 2**20 < case["memory_mib"]
    points = records.all("point")
    assert points, "nothing was measured"
    for point in points:
        assert point["map"] == case["map"]
        assert point["verified"] in ("lap", "readback")
    assert records.all("dram")[0]["pages"] == case["pages"]
    assert not records.all("error")
    # QEMU without NUMA options has no tables of nodes.
    assert {place["node"] for place in points + records.all("memory")} == {None}
    assert any("nodes of the memory unknown" in note for note in records.notes("info"))
    clock_warnings = [note for note in records.notes("warning") if "invariant" in note]
    assert clock_warnings, "QEMU's clock is not invariant, and nothing says so"


def test_every_value_is_booted():
    assert matrix.values_missing(matrix.CASES) == {}


def test_every_pair_is_booted_when_long():
    cases = matrix.CASES + matrix.pairs_cases()
    missing = matrix.pairs_wanted() - set().union(*(matrix.pairs_of(case) for case in cases))
    assert not missing
    assert all(set(case) >= set(matrix.AXES) for case in cases)


# By default they are not used: test_results.py, without a disk.
@pytest.mark.long
def test_pages_the_cpu_lacks_are_refused(lab):
    records = lab.finish("tests=dram max=4M budget=60 error=20 pages=1g", cpu="qemu64")[1]
    assert records.status == "failed" and records.notes("error")


@pytest.mark.slow
def test_whole_default_plan(lab, request, figure):
    """What a new user's stick does: in the long tests nothing is configured but the way it ends; else it
    is small, and with time for a machine ten times slower."""
    plan = "" if request.config.option.long else SMALL
    boot, stick, records = lab.finish_stick(plan, cap=180, vga="std", memory_mib=2048)
    assert records.status == "ok", records.notes()
    assert {point["experiment"] for point in records.all("point")} == {"curve", "dram"}
    figure(f"{records.one('end')['seconds']:.1f} s for the default plan{', small' if plan else ''}, "
           "emulated")
    headline = records.all("dram")
    assert headline and headline[0]["ns"] > 0
    files = stick.runs()[max(stick.runs())]
    assert set(files) == {"results.jsonl", "report.txt", "points.csv"}
    rows = files["points.csv"].decode().splitlines()
    assert len(rows) == len(records.all("point")) + 1
    report = files["report.txt"].decode("ascii")
    assert max(map(len, report.splitlines())) <= 80
    assert "\x1b" not in report
    for first in ("barechase ", "DRAM latency "):
        line = [line for line in report.splitlines() if line.startswith(first)][-1]
        assert line.rstrip() in boot.text, f"the last screen lacks {line!r}"
