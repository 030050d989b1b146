# SPDX-License-Identifier: BSD-2-Clause
"""tests/levels/constants, and that docs/levels.md has a row for each constant of the analysis."""
import re

import pytest

from script import TREE, load

ROW = re.compile(r"^\| `([A-Z_]+)` \| (\S+) \| ", re.M)


@pytest.fixture
def script():
    return load("tests/levels/constants")


def test_every_constant_stands_in_the_table_and_no_other(script):
    rows = ROW.findall((TREE / "docs" / "levels.md").read_text(encoding="ascii"))
    there = [(name, source.name) for source, name, _ in script.constants()]
    lacking = [row for row in there if row not in rows]
    gone = [row for row in rows if row not in there]
    assert not lacking, f"no row; tests/levels/constants --only NAME makes one: {lacking}"
    assert not gone, f"no such constant any more: {gone}"
    assert len(rows) == len(set(rows))


def test_what_is_not_varied_is_there(script):
    texts = "\n".join(path.read_text(encoding="ascii") for path in script.SOURCES)
    defined = set(re.findall(r"^#define ([A-Z_]+) ", texts, re.M))
    assert not script.FIXED - defined
    assert not script.RATIOS - {name for _, name, _ in script.constants()}


def test_halves_and_doubles(script):
    assert script.scaled("SPIKE", "3", 0.5) == "1"
    assert script.scaled("SPIKE", "1", 0.5) == "1"
    assert script.scaled("SPIKE", "3", 2) == "6"
    assert script.scaled("SPIKE", "1e-3", 2) == "(1e-3 * 2)"
    assert float(script.scaled("HINGE_SAME", "4.0", 0.5)) == 2
    assert float(script.scaled("HINGE_SAME", "4.0", 2)) == 16


def test_what_moved(script):
    text = """\
  found cache       L1                     48.0K [47.7 48.3]    0.974 ns [0.973 0.975] 0
  found memory      memory                  nanK [nan nan]   84.824 ns [84.465 85.183] 0
  truth cache       L1                     48.0K    0.974 ns
wide-1: (extra) unexplained@1K
  found cache       L1                     48.0K [47.7 48.3]    0.974 ns [0.973 0.975] 0
  truth cache       L1                     48.0K    0.974 ns
"""
    first, second = script.machines_of(text)
    assert [level[1].split() for level in first] == [["cache", "L1"], ["memory", "memory"]]
    assert len(second) == 1
    assert script.has_moved(first, second)
    assert not script.has_moved(first, first)
    slower = script.machines_of(text.replace("84.824", "85.824"))[0]
    nearly = script.machines_of(text.replace("84.824", "84.924"))[0]
    assert script.has_moved(first, slower)
    assert not script.has_moved(first, nearly)


def test_a_run_that_was_ended_goes_on(script, tmp_path):
    made = []

    def make():
        made.append(1)
        return [[0.5], 1, 0]
    for _ in range(2):
        results = script.Results(tmp_path / "results.jsonl")
        found = results.find(["sources", ["a.curve"], "hinge.c", "SPIKE", 0.5], make)
        assert found == [[0.5], 1, 0]
    assert len(made) == 1
    results.find(["other sources", ["a.curve"], "hinge.c", "SPIKE", 0.5], make)
    assert len(made) == 2


def test_cells_say_where_nothing_printed_changed(script):
    assert script.cell([[0.0] * 5, 0, 0], 24) == "-"
    assert script.cell([[-4.2, 0, 0, 0.5, 0], 3, 6], 24) == "-4.2 +0.0 +0.0 +0.5 +0.0 (25)"
