# SPDX-License-Identifier: BSD-2-Clause
"""tests/bench/run: what is enough, the exit status, and the pool of huge pages put back."""
import pytest

from script import load


@pytest.fixture
def bench():
    return load("tests/bench/run")


def measured_as(own, shuffle, stores, kernel, loop, steps=1.0):
    """Stands in for build/bench/measure."""
    parts = {"build": [["pages", "2m"], ["build", str(own), str(shuffle), str(stores), str(own), str(own / 1.9)]],
             "verify": [["pages", "2m"], ["verify", str(steps), "0.04", "0.04", "1", "0.6"]],
             "hops": [["pages", "2m"], ["hop", "cycle-1", str(kernel), str(loop)]],
             "instructions": [["pages", "2m"], ["instructions", "cycle-1", "1.0156"]]}
    return lambda build, part, repeats: parts[part]


def ran_as(seconds, limited_by):
    """Stands in for build/host/barechase."""
    records = [{"record": "point", "rel_error": 0.004, "ns_median": 100.0,
                "limited_by": limited_by},
               {"record": "dram", "ns": 100.0, "ns_low": 99.0, "ns_high": 101.0}]
    return lambda build, words: (seconds, seconds, records)


GOOD = {"measured": measured_as(0.1, 0.4, 0.05, 5.0, 5.0), "run_once": ran_as(1.0, "error")}


@pytest.mark.parametrize("change, missed", [
    ({}, None),
    ({"measured": measured_as(0.1, 0.29, 0.05, 5.0, 5.0)}, "against Sattolo"),
    ({"measured": measured_as(0.1, 0.4, 0.014, 5.0, 5.0)}, "against streaming stores"),
    ({"measured": measured_as(0.1, 0.4, 0.05, 5.11, 5.0)}, "cycle differs from assembly"),
    ({"measured": measured_as(0.1, 0.4, 0.05, 4.89, 5.0)}, "cycle differs from assembly"),
    ({"measured": measured_as(0.1, 0.4, 0.05, 5.0, 5.0, 1.3)}, "against plain reads"),
    ({"run_once": ran_as(2.1, "error")}, "seconds to the point"),
    ({"run_once": ran_as(1.0, "cap")}, "seconds to the point")])
def test_exit_status_says_what_is_not_reached(bench, monkeypatch, tmp_path, capsys, change, missed):
    (tmp_path / "pool").write_text("3\n")
    monkeypatch.setattr(bench, "POOL", tmp_path / "pool")
    monkeypatch.setattr("sys.argv", ["run", "--dram", str(tmp_path)])
    for name, stand_in in {**GOOD, **change}.items():
        monkeypatch.setattr(bench, name, stand_in)
    assert bench.main() == (0 if missed is None else 1)
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("All that must" if missed is None else "Not reached: " + missed)


@pytest.mark.parametrize("before, during", [("3", "520"), ("600", "600")])
def test_pool_is_filled_and_put_back(bench, monkeypatch, tmp_path, before, during):
    pool = tmp_path / "pool"
    pool.write_text(before)
    monkeypatch.setattr(bench, "POOL", pool)
    with pytest.raises(SystemExit):
        with bench.filled_pool():
            assert pool.read_text() == during
            raise SystemExit(143)
    assert pool.read_text() == before


def test_pool_that_cannot_be_had_is_said(bench, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(bench, "POOL", tmp_path / "none" / "pool")
    with bench.filled_pool():
        pass
    assert "left as it is" in capsys.readouterr().out
