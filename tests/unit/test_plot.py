# SPDX-License-Identifier: BSD-2-Clause
"""tools/plot: one well-formed picture of a run or several, and words for what is no run."""
import json
import math
import re
import subprocess
import xml.etree.ElementTree as ElementTree

import pytest

from result_samples import END, RUN, SVG, write
from script import TREE, load

plot = load("tools/plot")

POINT = {"record": "point", "experiment": "curve", "pattern": "cycle", "pages": "4k",
         "frames": "scattered", "map": "window", "prefetch": "off", "bytes": 4096,
         "ns_median": 1.25, "rel_error": 0.01}
LEVEL = {"record": "level", "experiment": "curve", "name": "L1", "kind": "cache", "bytes": 49152.5,
         "bytes_low": 48000.0, "bytes_high": 50000.0, "ns": 1.25, "ns_low": 1.2, "ns_high": 1.3,
         "cycles": 5, "declared_bytes": 49152, "extrapolated": False}
DRAM = {"record": "dram", "pages": "2m", "pattern": "cycle", "frames": "contiguous",
        "map": "window", "prefetch": "off", "bytes": 1 << 27, "ns": 87.5, "ns_low": 87.25,
        "ns_high": 87.75, "cycles": 253.75, "slope_ns": None, "tlb_cost_ns": 5.5}
VERDICT = {"record": "prefetch", "cpu": 0, "control": "MSR 0x1a4", "state": "off",
           "sequential_over_random": 1.02, "verdict": "off"}


def curve(count=6, **more):
    return [{**POINT, "bytes": 4096 << i, "ns_median": 1.25 + i, **more} for i in range(count)]


def drawn(capsys, *arguments):
    assert plot.main([str(word) for word in arguments]) == 0, capsys.readouterr().err
    return ElementTree.fromstring(capsys.readouterr().out)


def texts(root):
    return [element.text or "" for element in root.iter(f"{SVG}text")]


def of_class(root, name):
    return [element for element in root.iter() if element.get("class") == name]


def centre(element):
    """The centre of a mark, whatever its shape."""
    if element.tag == f"{SVG}circle":
        return float(element.get("cx")), float(element.get("cy"))
    if element.tag == f"{SVG}rect":
        return (float(element.get("x")) + float(element.get("width")) / 2,
                float(element.get("y")) + float(element.get("height")) / 2)
    x, y = map(float, re.match(r"M(\S+) ([^a-z]+)", element.get("d")).groups())
    return x, y + 4


def within(root):
    """Everything lies inside the picture."""
    width, height = float(root.get("width")), float(root.get("height"))
    for element in root.iter():
        for name, limit in (("x", width), ("x1", width), ("x2", width), ("cx", width),
                            ("y", height), ("y1", height), ("y2", height), ("cy", height)):
            if element.get(name) is not None:
                value = float(element.get(name))
                assert math.isfinite(value) and -1 <= value <= limit + 1, (element.tag, name, value)


def test_every_point_is_where_it_belongs(tmp_path, capsys):
    points = [*curve(), *curve(pages="2m", frames="contiguous"), *curve(pages="1g", prefetch="on"),
              *curve(pattern="iid"), *curve(3, pages=None, map="firmware")]
    root = drawn(capsys, write(tmp_path / "a", RUN, *points, END))
    within(root)
    marks = of_class(root, "point")
    assert len(marks) == len(points)
    assert len(of_class(root, "error")) == len(points)
    assert len(of_class(root, "curve")) == 5
    xs = sorted({centre(mark)[0] for mark in marks})
    assert len(xs) == 6
    steps = [b - a for a, b in zip(xs, xs[1:])]
    assert max(steps) - min(steps) < 0.1, "working sets are logarithmic"
    by_x = {}
    for mark in marks:
        by_x.setdefault(centre(mark)[0], set()).add(round(centre(mark)[1]))
    heights = [by_x[x] for x in xs]
    assert all(max(h) - min(h) <= 1 for h in heights)
    tops = [min(h) for h in heights]
    assert tops == sorted(tops, reverse=True)
    assert math.isclose((tops[0] - tops[5]) / (tops[0] - tops[1]),
                        math.log(6.25 / 1.25) / math.log(2.25 / 1.25), rel_tol=0.02)


def test_styles_are_pattern_and_page_size_and_colours_are_runs(tmp_path, capsys):
    points = [*curve(), *curve(pages="2m"), *curve(pattern="iid"), *curve(pattern="iid", pages="2m")]
    root = drawn(capsys, write(tmp_path / "a", RUN, *points, END),
                 write(tmp_path / "b", RUN, *points, END))
    curves = of_class(root, "curve")
    assert len(curves) == 8
    assert len({c.get("stroke-dasharray") for c in curves}) == 4
    assert len({c.get("stroke") for c in curves}) == 2
    assert len({(c.get("stroke-dasharray"), c.get("stroke")) for c in curves}) == 8
    words = texts(root)
    assert words.count("cycle, 4k scattered, prefetchers off") == 1
    assert any(w.startswith("a: ACME X1") for w in words)
    assert any(w.startswith("b: ACME X1") for w in words)


def test_hops_that_are_not_as_usual_are_curves_of_their_own(tmp_path, capsys):
    usual = {"stride_bytes": 64, "group_bytes": None, "chains": 1, "load": "plain", "hint": "none",
             "work_cycles": 0, "word": 0, "warm_hops": 9}
    odd = [{"chains": 3}, {"load": "dirty", "word": 2}, {"warm_hops": 0}, {"stride_bytes": 128}]
    records = curve(**usual) + [p for more in odd for p in curve(**{**usual, **more})]
    root = drawn(capsys, write(tmp_path / "a", RUN, *records, END))
    words = " ".join(texts(root))
    assert len(of_class(root, "curve")) == 1 + len(odd)
    for name in ("cycle chains 3,", "cycle load dirty word 2,", "cycle cold,", "cycle stride 128,"):
        assert name in words


def test_runs_of_one_name_are_told_apart(tmp_path, capsys):
    (tmp_path / "x").mkdir()
    (tmp_path / "y").mkdir()
    first = write(tmp_path / "x" / "run-0001", RUN, *curve(), END)
    second = write(tmp_path / "y" / "run-0001", RUN, *curve(), END)
    words = " ".join(texts(drawn(capsys, first, second / "results.jsonl")))
    assert str(first) in words and str(second) in words


def test_levels_are_guides_with_their_bounds(tmp_path, capsys):
    tlb = {**LEVEL, "name": "TLB 4k L1", "kind": "tlb", "bytes": 65536, "bytes_low": 60000,
           "bytes_high": 70000, "ns": 2.5, "ns_low": 2, "ns_high": 3}
    memory = {**LEVEL, "name": "memory", "kind": "memory", "bytes": None, "bytes_low": None,
              "bytes_high": None, "ns": 5.5, "ns_low": 5, "ns_high": 6, "extrapolated": True}
    merged = {**tlb, "name": "TLB 2m L1 + TLB 2m L2", "kind": "merged", "bytes": 32768,
              "bytes_low": 32700, "bytes_high": 32800, "ns": 1.5, "ns_low": 1, "ns_high": 2}
    root = drawn(capsys, write(tmp_path / "b", RUN, *curve(), LEVEL, merged, memory, END))
    assert "TLB 2m L1 + TLB 2m L2 32K (+1.50 ns)" in texts(root)
    root = drawn(capsys, write(tmp_path / "a", RUN, *curve(), LEVEL, tlb, memory, END))
    words = texts(root)
    for text in ("L1 48K", "L1 1.25 (1.20 to 1.30)", "TLB 4k L1 64K (+2.50 ns)",
                 "memory 5.50 (5.00 to 6.00), extrapolated"):
        assert text in words
    assert not any(word.startswith("TLB 4k L1 2.50") for word in words)
    assert len(of_class(root, "level")) == 4
    widths = sorted(float(band.get("width")) for band in of_class(root, "level"))[:2]
    assert math.isclose(widths[1] / widths[0], math.log(70 / 60) / math.log(50 / 48), rel_tol=0.05)


def test_labels_do_not_overlap(tmp_path, capsys):
    runs = []
    for i in range(3):
        levels = [{**LEVEL, "name": f"level {j} of {i}", "bytes": 16384 * (1 + 0.1 * j + 0.01 * i),
                   "ns": 3 + 0.01 * j + 0.001 * i} for j in range(8)]
        runs.append(write(tmp_path / str(i), RUN, *curve(), *levels, END))
    root = drawn(capsys, *runs)
    within(root)
    boxes = []
    for element in root.iter(f"{SVG}text"):
        if re.match(r"level \d of", element.text or ""):
            size = float(element.get("font-size") or plot.FONT)
            width = len(element.text) * 0.55 * size
            x, y = float(element.get("x")), float(element.get("y"))
            left = x - width / 2 if element.get("text-anchor") == "middle" else x
            boxes.append((left, left + width, y - 0.75 * size, y))
    assert len(boxes) == 48
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            assert a[1] <= b[0] or b[1] <= a[0] or a[3] <= b[2] or b[3] <= a[2], (a, b)


def test_labels_are_spread_within_their_margin():
    assert plot.spread([10, 10, 11], 14, 10, 500) == [10, 24, 38]
    assert plot.spread([490, 495, 499], 14, 10, 500) == [472, 486, 500]
    assert plot.spread([50, 100], 14, 10, 500) == [50, 100]
    close = plot.spread([20] * 100, 14, 10, 500)
    assert 10 <= close[0] and close[-1] <= 500 and close == sorted(close)
    assert plot.spread([], 14, 10, 500) == []


def caption(capsys, directory, *records):
    return " ".join(texts(drawn(capsys, write(directory, *records))))


def test_the_caption_has_the_headline_and_all_that_belongs_to_it(tmp_path, capsys):
    words = caption(capsys, tmp_path / "a", RUN, *curve(), VERDICT, DRAM, END)
    for text in ("ACME X1, Example 2900, 1.07", "0.2.0 (abc1234)", "87.50 ns (87.25 to 87.75)",
                 "253.8 core cycles", "pattern cycle", "pages 2m contiguous", "set 128M",
                 "prefetchers off, by behaviour off (ratio 1.02)",
                 "clock 2900.000 MHz by ACPI PM timer, -3.5 ppm from the second clock"):
        assert text in words
    assert "say nothing" not in words and "cut off" not in words
    on = {**DRAM, "prefetch": "on", "ns": 55.0}
    assert "DRAM 87.50 ns" in caption(capsys, tmp_path / "b", RUN, *curve(), on, DRAM, on, END)
    later = {**VERDICT, "state": "on", "verdict": "on", "sequential_over_random": 0.25}
    assert "by behaviour off (ratio 1.02)" in caption(capsys, tmp_path / "e", RUN, *curve(), VERDICT,
                                                      later, DRAM, END)
    both = {**VERDICT, "footprint_share": 0.0, "footprint_high": 0.0199}
    assert "by behaviour off (footprint 0.0 % (at most 2.0), ratio 1.02)" in caption(
        capsys, tmp_path / "f", RUN, *curve(), both, DRAM, END)
    refused = caption(capsys, tmp_path / "c", RUN, *curve(), {**DRAM, "prefetch": "refused"}, END)
    assert "prefetchers NOT off (refused), not proven by behaviour" in refused
    assert "no DRAM headline" in caption(capsys, tmp_path / "d", RUN, *curve(), END)


def test_chains_of_translation_alone_are_no_curve(tmp_path, capsys):
    points = [*curve(purpose="headline"), *curve(purpose="translation", stride_bytes=192)]
    root = drawn(capsys, write(tmp_path / "a", RUN, *points, END))
    assert len(of_class(root, "curve")) == 1 and len(of_class(root, "point")) == 6


def test_prefetchers_at_work_are_not_called_off(tmp_path, capsys):
    lie = {**VERDICT, "verdict": "on"}
    words = caption(capsys, tmp_path / "a", RUN, *curve(), *curve(prefetch="on"), lie, DRAM, END)
    assert "prefetchers NOT off (registers say off), by behaviour on" in words
    assert "cycle, 4k scattered, prefetchers: NOT off, registers say off" in words
    assert "cycle, 4k scattered, prefetchers on" in words
    assert "prefetchers off" not in words


FOOTPRINT = {"record": "footprint", "experiment": "footprint", "pages": "2m", "prefetch": "off",
             "prefetch_only_off": None, "touches": 2, "touched": 85, "verdict": "on",
             "shares": [0.5 if i == 90 else None if i in (85, 86) else 0.0 for i in range(192)]}


def test_a_footprint_is_a_row_of_lines(tmp_path, capsys):
    for records in ([], curve()):
        root = drawn(capsys, write(tmp_path / str(len(records)), RUN, *records, FOOTPRINT, END))
        within(root)
        cells = of_class(root, "footprint")
        assert len(cells) == 192
        dark = [float(cell.get("fill-opacity")) for cell in cells]
        assert dark[90] == 0.53 and dark[91] == dark[84] == 0.06
        assert [cell.get("stroke") != "none" for cell in cells].count(True) == 2
        assert cells[85].get("stroke") != "none" and "touched" in cells[85][0].text
        assert "+5 lines from the first touched one: 50.0 %" in cells[90][0].text
        assert any("footprint after 2 touches, prefetchers off: verdict on, a line is found in "
                   "50.0 %" in text for text in texts(root))
        assert len(of_class(root, "point")) == len(records)


HEAT = {"record": "regions", "node": 1, "ns": 90.0, "step_ns": 1.0}


def block(number, slower):
    return {"record": "block", "physical_first": hex((4 << 30) + (number << 26)), "bytes": 1 << 26,
            "slower_ns": slower}


def test_blocks_of_memory_are_a_map(tmp_path, capsys):
    blocks = [block(i, 4.5 if i == 130 else -2.0 if i == 131 else 40 if i == 132 else 0) for i in range(140)]
    for records in ([], curve()):
        root = drawn(capsys, write(tmp_path / str(len(records)), RUN, *records, HEAT, *blocks,
                                   block(140, None), END))
        within(root)
        cells = of_class(root, "heat")
        assert len(cells) == 141
        assert [float(cells[i].get("fill-opacity")) for i in (130, 131, 132, 140)] == [0.53, 0.06, 1, 1]
        assert cells[140].get("fill") == "#ffffff" != cells[132].get("fill")
        assert "0x308000000, 64M: +4.50 ns" in cells[130][0].text
        assert float(cells[128].get("y")) > float(cells[127].get("y"))
        assert cells[128].get("x") == cells[0].get("x")
        assert any("141 blocks of node 1, 90.00 ns an access; full colour: 9.00 ns slower" in text
                   for text in texts(root))


SINGLE = {"record": "distribution", "accesses": 1110, "prefetch": "off", "row_hit_ns": 64.0,
          "row_empty_ns": None, "row_conflict_ns": 92.0, "refresh_period_ns": 7800.0,
          "refresh_stall_ns": 350.0, "histogram": [[60.0, 100], [64.0, 1000], [92.0, 10]]}


def test_single_accesses_are_a_histogram(tmp_path, capsys):
    root = drawn(capsys, write(tmp_path / "a", RUN, SINGLE, END))
    within(root)
    bars = of_class(root, "bar")
    heights = [float(bar.get("height")) for bar in bars]
    assert len(bars) == 3 and heights[1] == 120 and heights[2] < heights[0] < heights[1]
    assert "from 64.00 ns: 1000 accesses" in bars[1][0].text
    # A bar ends where the next begins.
    left, width = (float(bars[0].get(name)) for name in ("x", "width"))
    assert left + width <= float(bars[1].get("x"))
    assert len(of_class(root, "row")) == 2
    assert any("1110 single accesses, prefetchers off; row hit 64.00 ns; conflict 92.00 ns; a refresh "
               "every 7.8 us, which takes 350.00 ns" in text for text in texts(root))
    assert "Single accesses" in texts(root)


@pytest.mark.parametrize("histogram", [None, "x", [[1.0]], [[1.0, True]], [[0, 1]],
                                       [[2.0, 1], [1.0, 1]]])
def test_a_histogram_of_something_else_is_named(tmp_path, capsys, histogram):
    run = write(tmp_path / "a", RUN, {**SINGLE, "histogram": histogram}, END)
    assert plot.main([str(run)]) == 2
    assert "'histogram' is no list of ascending times" in capsys.readouterr().err


def test_a_block_without_its_node_is_named(tmp_path, capsys):
    assert plot.main([str(write(tmp_path / "a", RUN, *curve(), block(0, 1.0), END))]) == 2
    assert "a block without the summary of its node" in capsys.readouterr().err


@pytest.mark.parametrize("shares", [None, "x", [0.5], [0, 0, 2], [0, True, 0], [0, 0, "1"]])
def test_a_footprint_of_something_else_is_named(tmp_path, capsys, shares):
    run = write(tmp_path / "a", RUN, *curve(), {**FOOTPRINT, "shares": shares}, END)
    assert plot.main([str(run)]) == 2
    assert "'shares' is no list of shares" in capsys.readouterr().err


@pytest.mark.parametrize("change, end, words", [
    ({"arch": "simulated"}, END, "A simulated machine: these figures say nothing"),
    ({"cpu": "QEMU TCG CPU version 2.5+"}, END, "An emulated machine: these figures say nothing"),
    ({"board": "QEMU Standard PC"}, END, "A virtual machine: if it is emulated"),
    ({}, {**END, "status": "aborted"}, "The run ended aborted."),
    ({}, {**END, "clock_check_ppm": -1500}, "The clock is off by more than 1000 ppm"),
    ({}, None, "The run was cut off")])
def test_what_makes_figures_doubtful_is_said(tmp_path, capsys, change, end, words):
    records = [{**RUN, **change}, *curve(), *([end] if end else [])]
    assert words in caption(capsys, tmp_path / "a", *records)
    assert words not in caption(capsys, tmp_path / "b", RUN, *curve(), END)


def test_unknown_figures_are_left_out_in_words(tmp_path, capsys):
    records = [RUN, *curve(), {**POINT, "ns_median": None}, {**POINT, "ns_median": -0.5}]
    root = drawn(capsys, write(tmp_path / "a", *records, {
        **LEVEL, "bytes": None, "ns": None}, {**DRAM, "ns": None, "bytes": None}, END))
    assert len(of_class(root, "point")) == 6 and not of_class(root, "level")
    assert not of_class(root, "headline")
    words = " ".join(texts(root))
    assert "2 points without a figure above 0 ns are left out" in words and "DRAM unknown" in words


@pytest.mark.parametrize("points", [
    curve(1), [{**POINT, "ns_median": 1e-300}, {**POINT, "ns_median": 1e300}],
    [{**POINT, "bytes": 64}, {**POINT, "bytes": "18446744073709551615", "rel_error": 20}],
    [POINT] * 50, curve(6, rel_error=None), curve(6, ns_median=1), curve(6, ns_median=0.3)])
def test_odd_ranges(tmp_path, capsys, points):
    root = drawn(capsys, write(tmp_path / "a", RUN, *points, LEVEL, DRAM, END))
    within(root)
    assert len(of_class(root, "point")) == len(points)


def test_many_runs(tmp_path, capsys):
    root = drawn(capsys, *[write(tmp_path / str(i), RUN, *curve(), LEVEL, DRAM, END)
                           for i in range(20)])
    within(root)
    assert len({c.get("stroke") for c in of_class(root, "curve")}) == 20


def test_text_of_the_machine_cannot_break_the_picture(tmp_path, capsys):
    board = "<b>&\"'\x01\x7f\ud800\uffff]]>" + "x" * 400
    assert "<b>&\"'" in caption(capsys, tmp_path / "a", {**RUN, "board": board, "cpu": None},
                                *curve(pattern="<&>"), {**LEVEL, "name": "<L&1>"}, END)


def test_patterns_and_pages_can_be_chosen(tmp_path, capsys):
    run = write(tmp_path / "a", RUN, *curve(), *curve(5, pages="2m"), *curve(4, pattern="iid"), END)
    for choice, count in ((("--pattern", "cycle"), 11), (("--pages", "2m"), 5),
                          (("--pattern", "iid,cycle", "--pages", "4k"), 10)):
        assert len(of_class(drawn(capsys, run, *choice), "point")) == count
    assert plot.main([str(run), "--pages", "1g"]) == 2
    assert "--pages 1g: no points of that; there are: 2m, 4k" in capsys.readouterr().err


def line(record):
    return (json.dumps(record) + "\n").encode()


HEAD = line(RUN)


@pytest.mark.parametrize("data, place, words", [
    (b"", ":1: ", "empty"),
    (b" " * 4096 + b"\n", ":1: ", "empty"),
    (b"{", ":1: ", "cut off"),
    (b"M\0Z\0\n" * 3, ":1: ", "not JSON"),
    (b"\0" * 3000, ":1: ", "cut off"),
    (HEAD + line(POINT).replace(b"1.25", b"1e999"), ":2: ", "'ns_median' is not a number"),
    (HEAD + line(POINT).replace(b"1.25", b"9" * 400), ":2: ", "'ns_median' is not a number"),
    (HEAD + line({**POINT, "ns_median": "fast"}), ":2: ", "'ns_median' is not a number: \"fast\""),
    (HEAD + line({**POINT, "ns_median": True}), ":2: ", "'ns_median' is not a number"),
    (HEAD + line({**POINT, "bytes": 0}), ":2: ", "working set"),
    (HEAD + line({**POINT, "bytes": None}), ":2: ", "working set"),
    (HEAD + line({**POINT, "rel_error": -1}), ":2: ", "'rel_error' is below 0"),
    (HEAD + line({**POINT, "pages": 4}), ":2: ", "'pages' is not text: 4"),
    (HEAD + line({"record": "point"}), ":2: ", "point record without 'bytes'"),
    (HEAD + line(POINT) + line({"record": "level"}), ":3: ", "level record without 'bytes'"),
    (line(POINT), ":1: ", "first record is not a run"),
    (line({**RUN, "schema": 3}), ":1: ", "schema 3, but known are 1 and 2"),
    (HEAD + line(END), ": ", "no points to draw")])
def test_bad_files_are_named_with_their_line(tmp_path, capsys, data, place, words):
    good = write(tmp_path / "good", RUN, *curve(), END)
    path = tmp_path / "bad.jsonl"
    path.write_bytes(data)
    out = tmp_path / "out.svg"
    assert plot.main([str(good), str(path), "-o", str(out)]) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith(f"tools/plot: {path}{place}") and words in captured.err
    assert captured.err.count("\n") == 1 and captured.out == "" and not out.exists()


def test_a_run_without_points_is_skipped_and_said(tmp_path, capsys):
    verify = {"record": "verify", "experiment": "verify"}
    bare = write(tmp_path / "contents", RUN, verify, {"record": "verdict", "verdict": "OK"}, END)
    good = write(tmp_path / "good", RUN, *curve(), END)
    out = tmp_path / "out.svg"
    words = (f"tools/plot: {bare}/results.jsonl is skipped: it has no points, but records of kind verify, "
             "verdict, which tools/compare and report.txt show\n")
    assert plot.main([str(good), str(bare), "-o", str(out)]) == 0
    assert capsys.readouterr().err == words
    root = ElementTree.fromstring(out.read_text())
    assert not any("contents" in text for text in texts(root))
    out.unlink()
    assert plot.main([str(bare), "-o", str(out)]) == 1
    assert capsys.readouterr().err == words and not out.exists()
    # Points that were only not chosen are there.
    mixed = write(tmp_path / "mixed", RUN, verify, {**POINT, "purpose": "translation"}, END)
    assert plot.main([str(mixed), "-o", str(out)]) == 2
    assert "no points to draw" in capsys.readouterr().err


@pytest.mark.parametrize("torn, words", [
    (line(POINT)[:-9], "the line is cut off"),
    (b"\0" * 3000, "the line is cut off"),
    (line(POINT)[:-9] + b"\0" * 3000 + b"\n" + line(LEVEL), "not JSON"),
    (b"{nonsense}\n" + line(LEVEL), "not JSON at column 2"),
    (b"[1]\n" + line(LEVEL), "not a record"),
    (b'{"record":7}\n', "not a record"),
    (b"\xff\xfe\n" + line(LEVEL), "not UTF-8 at byte 0"),
    (b"[" * 200000 + b"\n", "not JSON"),
    (line(POINT).replace(b"1.25", b"NaN"), "not JSON: NaN is not JSON"),
    (line(POINT).replace(b"1.25", b"9" * 5000), "not JSON")])
def test_a_torn_file_is_read_up_to_the_tear(tmp_path, capsys, torn, words):
    whole = caption(capsys, tmp_path / "a", RUN, *curve())
    (tmp_path / "a" / "results.jsonl").write_bytes(
        b"".join(map(line, [RUN, *curve()])) + torn)
    root = drawn(capsys, tmp_path / "a")
    said = " ".join(texts(root))
    tear = 2 + len(curve())
    assert f"results.jsonl is read up to line {tear - 1}; line {tear}: {words}" in said
    assert "is read up to" not in whole
    assert len(of_class(root, "point")) == len(curve()) and not of_class(root, "level")


def numbered(*records, run_id="0123456789abcdef"):
    return [{**record, "run_id": run_id, "number": number}
            for number, record in enumerate(records, 1)]


def test_blanks_and_further_parts_are_read(tmp_path, capsys):
    records = numbered(RUN, *curve(), LEVEL, END)
    run = write(tmp_path / "a", *records)
    plain = drawn(capsys, run)
    (run / "results.jsonl").write_bytes(
        b"".join(map(line, records[:4]))[:-1] + b" " * 500 + b"\n")
    (run / "results-2.jsonl").write_bytes(
        b"".join(map(line, records[4:]))[:-1] + b" " * 9000 + b"\n")
    parted = drawn(capsys, run)
    assert texts(parted) == texts(plain)
    assert len(of_class(parted, "point")) == len(curve()) and of_class(parted, "level")


@pytest.mark.parametrize("change, words", [
    ({"run_id": "fedcba9876543210"}, "a record of another run"),
    ({"number": 4}, "record 4 where 3 should stand")])
def test_what_does_not_follow_is_not_read(tmp_path, capsys, change, words):
    """Room that a file grew into may hold whole records of a run that was deleted."""
    records = numbered(RUN, *curve(), LEVEL)
    records[2] = {**records[2], **change}
    root = drawn(capsys, write(tmp_path / "a", *records))
    assert words in " ".join(texts(root))
    assert len(of_class(root, "point")) == 1 and not of_class(root, "level")


def test_missing_files_and_places_are_named(tmp_path, capsys):
    good = write(tmp_path / "good", RUN, *curve(), END)
    (tmp_path / "empty").mkdir()
    for arguments, place in (([tmp_path / "none"], tmp_path / "none"),
                             ([tmp_path / "empty"], tmp_path / "empty" / "results.jsonl"),
                             ([good, "-o", tmp_path / "no" / "x.svg"], tmp_path / "no" / "x.svg")):
        assert plot.main([str(word) for word in arguments]) == 2
        assert f"{place}: No such file" in capsys.readouterr().err


def test_the_command(tmp_path):
    run = write(tmp_path / "a", RUN, *curve(), LEVEL, DRAM, END)
    out = tmp_path / "out.svg"

    def call(*arguments):
        return subprocess.run([str(TREE / "tools" / "plot"), *map(str, arguments)],
                              capture_output=True, check=False)
    assert call(run, "-o", out).returncode == 0
    assert call(run).stdout == out.read_bytes()
    ElementTree.fromstring(out.read_bytes())
    assert call().returncode == 2 and b"RUN" in call().stderr
    unknown = call(run, "--pattern", "cycle,foo")
    assert unknown.returncode == 2 and b"--pattern foo: no points of that; there are: " \
        in unknown.stderr
    assert b"--pages 8k: no points" in call(run, "--pages", "8k").stderr
    bad = call(tmp_path)
    assert bad.returncode == 2 and b"Traceback" not in bad.stderr


def test_what_its_run_doubts_is_dashed_with_the_reasons(tmp_path, capsys):
    doubted = [{**LEVEL, "doubt": ["merged", "drift"]}, {**DRAM, "doubt": ["translation"]}]
    root = drawn(capsys, write(tmp_path / "a", RUN, *curve(), *doubted, END))
    marked = of_class(root, "doubted")
    assert len(marked) == 2 and all(mark.get("stroke-dasharray") == "8 5" for mark in marked)
    assert any(text.endswith("(1.20 to 1.30), merged, drift") for text in texts(root))
    assert any("87.50 ns (87.25 to 87.75)" in text and "doubt: translation" in text
               for text in texts(root))
    assert of_class(root, "headline")[0].get("stroke-dasharray") == "3 2"
    sure = [{**LEVEL, "doubt": []}, {**DRAM, "doubt": []}]
    root = drawn(capsys, write(tmp_path / "b", RUN, *curve(), *sure, END))
    assert of_class(root, "doubted") == []
    assert of_class(root, "headline")[0].get("stroke-dasharray") is None
    root = drawn(capsys, write(tmp_path / "c", RUN, *curve(settled=False), END))
    titles = [title.text for mark in of_class(root, "point") for title in mark]
    assert titles and all(title.endswith("; doubt: unsettled") for title in titles)
