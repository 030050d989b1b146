# SPDX-License-Identifier: BSD-2-Clause
"""Counts instead of times. Under `-icount shift=4` the clock moves 16 ns an instruction, so that
ticks count instructions exactly; the trace plugin counts what a sample touches."""
import pytest

from tracing import read_windows


LIMIT = 1 + 1 / 16  # instructions per hop
ONE_POINT = "tests=curve min={size} max={size} points=1 pages={pages} pattern=cycle prefetch=on error=20 budget=5"
SIZES = {"64K": 64 * 1024, "1M": 1024 * 1024}


def counted_points(lab, plan: str) -> list[dict]:
    boot, records = lab.finish(plan, cap=90, icount=True)
    assert records.status == "ok", records.notes()
    points = records.all("point")
    assert points
    clock_hz = float(records.one("run")["clock_hz"])
    assert abs(clock_hz / 1e9 - 1) < 0.02, "under icount the clock is 1 GHz"
    return points


@pytest.mark.long
def test_instructions_per_hop(lab, figure):
    """From the difference of two run lengths, so that what is around the loop cancels."""
    ticks = {}
    for hops in (16384, 65536):
        points = counted_points(lab, ONE_POINT.format(size="64K", pages="2m") + f" hops={hops}")
        assert len(points) == 1 and points[0]["hops"] == hops
        ticks[hops] = points[0]["ticks_median"]
    per_hop = (ticks[65536] - ticks[16384]) / 16 / (65536 - 16384)
    figure(f"{per_hop:.4f} instructions per hop")
    assert 1 <= per_hop <= LIMIT


@pytest.mark.long
def test_two_runs_are_identical(lab):
    plan = "tests=curve min=64K max=256K points=1 pattern=cycle pages=4k,2m error=20 budget=5 seed=3"
    first, second = (counted_points(lab, plan) for _ in range(2))
    for point in first + second:
        del point["run_id"]
    assert first == second


def check_samples(trace, size, hops, samples_min):
    """At least samples_min samples, each of which loads the lines of the set and nothing else."""
    lines = SIZES[size] // 64
    # Walks that warm the set are between marks too; a sample has its hops, give or take what
    # should not be there.
    sampled = [window for window in read_windows(trace)
               if hops <= sum(window.loads.values()) < hops + 64]
    assert len(sampled) >= samples_min, f"{len(sampled)} samples were traced"
    for window in sampled:
        assert not window.others and not window.stores, (window.others, window.stores)
        loads, instructions = window.loads, window.instructions
        stray = sum(loads.values()) - hops
        assert stray == 0, f"{stray} loads beside the {hops} hops: {loads.most_common()[-3:]}"
        assert instructions <= hops * LIMIT + 64
        base = min(loads)
        assert base % 4096 == 0 and max(loads) < base + SIZES[size]
        assert all((address - base) % 64 == 0 for address in loads)
        assert len(loads) == min(lines, hops)
        assert set(loads.values()) <= {hops // lines, -(-hops // lines)}


@pytest.mark.parametrize("pages, map_, size, hops", [
    pytest.param("4k", "window", "64K", 4096, marks=pytest.mark.long),
    pytest.param("2m", "window", "64K", 5000, marks=pytest.mark.long),
    pytest.param("2m", "identity", "1M", 32768, marks=pytest.mark.long),
    ("4k", "window", "1M", 16384 + 100),
])
def test_trace_holds_only_the_chain(lab, trace_plugin, scratch, pages, map_, size, hops):
    """Between the marks: 8-byte loads of the set's lines, each as often as it should be, no store,
    nothing else."""
    trace = scratch / "trace"
    plan = ONE_POINT.format(size=size, pages=pages) + f" map={map_} hops={hops}"
    records = lab.finish(plan, cap=90, plugin=f"file={trace_plugin},out={trace}")[1]
    assert records.status == "ok", records.notes()
    check_samples(trace, size, hops, samples_min=9)
