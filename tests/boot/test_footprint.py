# SPDX-License-Identifier: BSD-2-Clause
"""Footprints boot on both architectures: their records are whole, and their loads are traced. What
they find is no prefetcher: an emulator has none, and hardly a cache."""
import pytest
from brief import brief
from tracing import read_windows

LINE, PAGE = 64, 4096
STAGE = 3 * PAGE
TOUCHED = PAGE + 21 * LINE  # of a stage: the first line touched
TOUCHES = [1, 2, 3, 8]
KNOWN = 512 + 512 + 2048  # loads that certainly hit or miss, one per probe
CPUS = {"x86_64": "Skylake-Server", "aarch64": "neoverse-n1"}


def check_row(row, touches):
    assert (row["touches"], row["touched"], row["line_bytes"]) == (touches, TOUCHED // LINE, LINE)
    assert len(row["shares"]) == STAGE // LINE
    given = [share is not None for share in row["shares"]]
    first = row["touched"]
    assert not any(given[first:first + touches])
    rest = given[:first] + given[first + touches:]
    assert all(rest) if row["tries"] else not any(rest)
    assert all(0 <= share <= 1 for share in row["shares"] if share is not None)
    assert row["hit_ns"] > 0 and row["miss_ns"] > 0 and row["threshold_ns"] > 0
    assert 0 <= row["max_low"] <= row["max_share"] <= row["max_high"] <= row["high"] <= 1
    assert row["verdict"] in ("off", "on", "undecided")


@pytest.mark.parametrize("arch", brief(CPUS, "x86_64"))
def test_records_are_whole(lab, arch):
    _, records = lab.finish("tests=footprint", cap=60, arch=arch, cpu=CPUS[arch])
    assert records.status == "ok", records.notes()
    rows = records.all("footprint")
    assert [row["touches"] for row in rows] == TOUCHES
    for row, touches in zip(rows, TOUCHES):
        check_row(row, touches)
    verdicts = [record for record in records.all("prefetch") if record["verdict"]]
    assert verdicts
    assert all(record["footprint_verdict"] in ("off", "on", "undecided") for record in verdicts)
    # Hits and misses cannot be distinguished: nothing is tried, and the doubt says why.
    if not any(row["tries"] for row in rows):
        assert all(row["doubt"] == ["coarse-clock"] for row in rows)
        assert all(record["doubt"] == ["coarse-clock"] for record in verdicts)


def stages(window):
    """The lines of each stage that were loaded, in order: [[(offset in its stage, loads)]]. Windows
    lie far above all memory; stages begin after the first page, which is not used."""
    ours = [address for address in window.loads if address >= 1 << 40]
    base = min(ours) & -(2 << 20)
    found = {}
    for address in ours:
        if address >= base + STAGE:
            at = address - base
            found.setdefault(at // STAGE, []).append((at % STAGE, window.loads[address]))
    return list(found.values())


@pytest.mark.parametrize("arch", brief(CPUS, "aarch64"))
def test_trace(lab, trace_plugin, scratch, arch):
    """Each probe touches eight lines in order and then loads one more, once or, where it must be a
    hit, twice. In counted time no load takes longer than another, so nothing more is tried."""
    boot, records = lab.finish("tests=footprint pages=2m", cap=120, arch=arch, cpu=CPUS[arch],
                               icount=True, plugin=f"file={trace_plugin},out={scratch / 'trace'}")
    assert records.status == "ok", records.notes()
    assert all(row["tries"] == 0 and row["doubt"] == ["coarse-clock"]
               for row in records.all("footprint"))
    probes = hits = 0
    for window in read_windows(scratch / "trace"):
        for lines in stages(window):
            assert [offset for offset, _ in lines[:8]] == [TOUCHED + i * LINE for i in range(8)]
            # A stage's turn may come twice where all of them begin anew.
            visits = lines[0][1]
            assert visits <= 2 and all(loads == visits for _, loads in lines[:8])
            assert 1 <= len(lines[8:]) <= visits
            for offset, loads in lines[8:]:
                assert offset % LINE == 0 and not TOUCHED <= offset < TOUCHED + 8 * LINE
                assert loads <= 2 * visits
            probes += visits
            hits += sum(loads for _, loads in lines[8:]) - visits
    assert (probes, hits) == (KNOWN, 512)
