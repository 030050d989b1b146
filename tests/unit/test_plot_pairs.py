# SPDX-License-Identifier: BSD-2-Clause
"""tools/plot: pairs of CPUs, and of CPUs and places, as maps."""
import math
import sys

import pytest

from result_samples import END, RUN, SVG, write
from script import TREE
from test_plot import curve, drawn, of_class, plot, texts, within

sys.path.insert(0, str(TREE / "tools"))
import pair_maps  # noqa: E402


def pair(start, to_cpu, ns, **more):
    return {"record": "pair", "experiment": "handoff", "from": start, "to": "cores of a module",
            "to_cpu": to_cpu, "kind": "clean", "home_node": 0, "prefetch": "off", "ns": ns,
            "ns_low": ns and ns * 0.98, "ns_high": ns and ns * 1.02, "ns_min": ns and ns * 0.9,
            "ns_max": ns and ns * 1.25, "doubt": [], "why": None, **more}


def to_place(start, ns, to="memory", **more):
    return pair(start, None, ns, experiment="cores", kind=None, to=to, ns_min=None, ns_max=None,
                **more)


def title_of(cell):
    return cell[0].text


def at(cell):
    return float(cell.get("x")), float(cell.get("y"))


def lightness(colour):
    return sum(int(colour[i:i + 2], 16) for i in (1, 3, 5))


def test_each_home_is_a_map(tmp_path, capsys):
    pairs = [pair(0, to, 40 * to + 60 * home, home_node=home) for to in (1, 2) for home in (0, 1)]
    root = drawn(capsys, write(tmp_path, RUN, *pairs, END))
    assert len(of_class(root, "pair")) == len(pairs)
    for home in (0, 1):
        assert any(f"clean of node {home}'s memory" in words for words in texts(root))


def test_each_pair_is_a_cell_and_the_slower_the_darker(tmp_path, capsys):
    pairs = [pair(start, to, 20 * 2**(to - start))
             for start in range(4) for to in range(start + 1, 5)]
    for records in ([], curve()):
        root = drawn(capsys, write(tmp_path / str(len(records)), RUN, *records,
                                   *reversed(pairs), END))
        within(root)
        cells = {title_of(cell).split(":")[0]: cell for cell in of_class(root, "pair")}
        assert len(cells) == len(pairs) == 10
        first, below = cells["CPU 0, CPU 1"], cells["CPU 1, CPU 2"]
        step = float(first.get("width"))
        assert at(below) == (at(first)[0] + step, at(first)[1] + step)
        assert first.get("fill") == below.get("fill")
        row = [cells[f"CPU 0, CPU {to}"] for to in (1, 2, 3, 4)]
        assert [at(cell)[1] for cell in row] == [at(first)[1]] * 4
        shades = [lightness(cell.get("fill")) for cell in row]
        assert shades == sorted(set(shades), reverse=True)
        assert title_of(row[1]) == ("CPU 0, CPU 2: 80.00 ns (78.40 to 81.60), lines 72.00 to "
                                    "100.00")
        words = texts(root)
        assert ("handoff: clean of node 0's memory, to the CPU on the left from the CPU above; "
                "40.00 to 320.00 ns; prefetchers off") in words
        for label in ("CPU 0", "CPU 3", "1", "4", "40.0", "320", "113.14"):
            assert label in words, label
        assert len(of_class(root, "point")) == len(records)
        assert len(of_class(root, "scale")) == pair_maps.SHADES
        assert ("From each CPU" in words) == (not records)


def test_the_colour_scale_is_logarithmic_and_its_ends_are_the_figures(tmp_path, capsys):
    pairs = [pair(0, 1, 10.0), pair(0, 2, 100.0), pair(1, 2, 1000.0), pair(1, 3, 1000.0)]
    root = drawn(capsys, write(tmp_path / "a", RUN, *pairs, END))
    fills = [cell.get("fill") for cell in of_class(root, "pair")]
    assert fills == [pair_maps.colour_of(share) for share in (0, 0.5, 1, 1)]
    assert {"10.00", "100.00", "1000.00"} <= set(texts(root))
    # What differs by noise alone does not fill the scale.
    root = drawn(capsys, write(tmp_path / "b", RUN, pair(0, 1, 100.0), pair(0, 2, 101.0), END))
    fills = [cell.get("fill") for cell in of_class(root, "pair")]
    share = math.log(1.01) / math.log(pair_maps.RATIO_LEAST)
    assert fills == [pair_maps.colour_of(0), pair_maps.colour_of(share)]


def test_cells_without_a_figure_are_hatched_with_their_reasons_once(tmp_path, capsys):
    pairs = [pair(0, 1, 20.0), pair(0, 2, None, why="over budget"),
             pair(1, 2, None, why="over <budget>"), pair(0, 3, None, why="over budget")]
    root = drawn(capsys, write(tmp_path / "a", RUN, *pairs, END))
    within(root)
    fills = [cell.get("fill") for cell in of_class(root, "pair")]
    assert [fill == "url(#hatch)" for fill in fills] == [False, True, True, True]
    assert len([e for e in root.iter(f"{SVG}pattern") if e.get("id") == "hatch"]) == 1
    words = texts(root)
    assert words.count("hatched, 2 pairs: over budget") == 1
    assert words.count("hatched, 1 pair: over <budget>") == 1
    assert len(of_class(root, "reason")) == 2
    assert title_of(of_class(root, "pair")[1]) == "CPU 0, CPU 2: no figure: over budget"
    # Not one has a figure: no scale either.
    root = drawn(capsys, write(tmp_path / "b", RUN, *pairs[1:], END))
    assert not of_class(root, "scale") and len(of_class(root, "pair")) == 3
    assert any(word.endswith("; no figure") for word in texts(root))
    assert not list(drawn(capsys, write(tmp_path / "c", RUN, *curve(), END)).iter(f"{SVG}pattern"))


def test_what_a_run_doubts_is_outlined(tmp_path, capsys):
    pairs = [*(pair(0, to, ns, doubt=["drift", "budget"]) for to, ns in ((1, 20.0), (2, 200.0))),
             pair(1, 2, 20.0), pair(1, 3, None, why="lost", doubt=["drift"])]
    root = drawn(capsys, write(tmp_path / "a", RUN, *pairs, END))
    marks = of_class(root, "doubted")
    # In a colour that shows on the cell's.
    assert [mark.get("stroke") for mark in marks] == ["#222222", "#ffffff"]
    assert all(mark.get("stroke-dasharray") for mark in marks)
    assert "dashed, 2 pairs: doubt: drift, budget" in texts(root)
    assert title_of(of_class(root, "pair")[0]).endswith("; doubt: drift, budget")


def test_kinds_places_and_states_have_maps_of_their_own(tmp_path, capsys):
    pairs = [pair(0, 1, 20.0), pair(0, 1, 30.0, kind="swap"), pair(0, 1, 10.0, prefetch="on"),
             *[to_place(cpu, ns, to) for to, ns in (("declared L3", 12.0), ("memory", 90.0))
               for cpu in range(3)],
             to_place(3, None, why="lost", prefetch="unsupported")]
    root = drawn(capsys, write(tmp_path / "a", RUN, *pairs, END))
    within(root)
    headings = [word for word in texts(root) if word.startswith(("handoff", "cores"))]
    assert len(headings) == 5
    assert ("cores: ns/access from each CPU to declared L3; 12.00 to 12.00 ns; prefetchers off"
            in headings)
    # From CPUs to one place: a row, also with a CPU that knows no state.
    assert ("cores: ns/access from each CPU to memory; 90.00 to 90.00 ns; prefetchers off"
            in headings)
    row = [cell for cell in of_class(root, "pair") if "memory of node 0" in title_of(cell)]
    assert len({at(cell)[1] for cell in row}) == 1 and len({at(cell)[0] for cell in row}) == 4


def test_nodes_are_columns(tmp_path, capsys):
    pairs = [{**to_place(8 * cpu, 90.0 if cpu == node else 140.0), "home_node": node,
              "experiment": "nodes"} for cpu in range(2) for node in range(2)]
    root = drawn(capsys, write(tmp_path / "a", RUN, *pairs, END))
    cells = of_class(root, "pair")
    assert [cell.get("fill") for cell in cells] == [
        pair_maps.colour_of(share) for share in (0, 1, 1, 0)]
    assert {"CPU 0", "CPU 8", "node 0"} <= set(texts(root))
    assert any("to memory of the node above" in word for word in texts(root))


def test_of_two_records_of_a_pair_the_last_counts(tmp_path, capsys):
    root = drawn(capsys, write(tmp_path / "a", RUN, pair(0, 1, 20.0), pair(0, 1, 25.0), END))
    cells = of_class(root, "pair")
    assert len(cells) == 1 and "25.00 ns" in title_of(cells[0])


def test_a_map_of_many_cpus_is_of_shades(tmp_path, capsys):
    count = 130
    pairs = [pair(start, to, None if start == 7 else 40.0 if start // 65 == to // 65 else 120.0,
                  why="over budget" if start == 7 else None)
             for start in range(count) for to in range(start + 1, count)]
    run = write(tmp_path / "a", RUN, *pairs, END)
    root = drawn(capsys, run)
    within(root)
    assert not of_class(root, "pair")
    paths = {path.get("fill"): path.get("d") for path in of_class(root, "shade")}
    assert set(paths) == {"url(#hatch)", *(pair_maps.colour_of((i + 0.5) / pair_maps.SHADES)
                                           for i in (0, pair_maps.SHADES - 1))}
    # A strip for each row: of the far half 65 rows but the one without figures.
    assert paths["url(#hatch)"].count("M") == 1
    assert paths[pair_maps.colour_of(1 - 0.5 / pair_maps.SHADES)].count("M") == 64
    assert len(texts(root)) < 100


@pytest.mark.parametrize("change, words", [
    ({"from": None}, "'from' is no whole number"), ({"from": 1.5}, "'from' is no whole number"),
    ({"to_cpu": -1}, "'to_cpu' is no whole number"), ({"to_cpu": "x"}, "'to_cpu' is not a number"),
    ({"ns": "x"}, "'ns' is not a number"), ({"kind": 3}, "'kind' is not text"),
    ({"doubt": "drift"}, "'doubt' is no list")])
def test_a_pair_of_something_else_is_named(tmp_path, capsys, change, words):
    run = write(tmp_path / "a", RUN, {**pair(0, 1, 20.0), **change}, END)
    assert plot.main([str(run)]) == 2
    error = capsys.readouterr().err
    assert words in error and "results.jsonl:2: " in error


@pytest.mark.parametrize("figures", [[0.0, 5.0], [-3.0, 5.0], [-3.0, -1.0], [1e-300, 1e300],
                                     [1.4e308, 1.4e308], [5.0, 5.0]])
def test_odd_figures(tmp_path, capsys, figures):
    pairs = [pair(0, to, ns) for to, ns in enumerate(figures, 1)]
    root = drawn(capsys, write(tmp_path / "a", RUN, *pairs, END))
    within(root)
    assert len(of_class(root, "pair")) == 2


def test_runs_before_there_were_pairs_of_cpus_are_drawn(tmp_path, capsys):
    old = to_place(0, 90.0)
    for name in ("to_cpu", "kind", "ns_min", "ns_max"):
        del old[name]
    root = drawn(capsys, write(tmp_path / "a", RUN, old, END))
    assert len(of_class(root, "pair")) == 1
