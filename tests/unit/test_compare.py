# SPDX-License-Identifier: BSD-2-Clause
"""tools/compare: figures of several runs side by side, differences marked only beyond doubt."""
import json
import re
import subprocess
import xml.etree.ElementTree as ElementTree

import pytest

from result_samples import END, RUN, SVG, write
from script import TREE, load

compare = load("tools/compare")

POINT = {"record": "point", "experiment": "curve", "pattern": "cycle", "pages": "4k",
         "frames": "scattered", "map": "window", "prefetch": "off", "bytes": 4096,
         "stride_bytes": 64, "chains": 1, "ns_median": 100.0, "rel_error": 0.01}
LEVEL = {"record": "level", "experiment": "curve", "name": "L1", "kind": "cache", "bytes": 49152.0,
         "bytes_low": 48000.0, "bytes_high": 50000.0, "ns": 1.25, "ns_low": 1.2, "ns_high": 1.3}
DRAM = {"record": "dram", "pages": "2m", "pattern": "cycle", "frames": "contiguous",
        "map": "window", "prefetch": "off", "bytes": 1 << 27, "ns": 87.5, "ns_low": 87.25,
        "ns_high": 87.75, "slope_ns": None, "slope_low_ns": None, "slope_high_ns": None,
        "tlb_cost_ns": 5.5, "tlb_cost_low_ns": 5.0, "tlb_cost_high_ns": 6.0}
FINDING = {"record": "finding", "experiment": "parallel", "name": "outstanding misses",
           "value": 12.0, "low": 11.5, "high": 12.5, "unit": "misses", "bound": "exact",
           "pattern": "cycle", "pages": "2m", "frames": "contiguous", "prefetch": "off",
           "bytes": 1 << 30, "chains": 14, "limited_by": None, "detail": None}


MAPPING = {"record": "mapping", "experiment": "banks", "verdict": "linear", "banks_low": 3.0,
           "banks_high": 6.0, "functions": [[6, 13], [13, 17]], "offset_bytes": "0"}
SINGLE = {"record": "distribution", "experiment": "single", "ns_median": 80.0, "rows": "open",
          "row_hit_ns": 64.0, "row_hit_low": 63.0, "row_hit_high": 65.0, "refresh_scope": "unsure"}
CLASS = {"record": "class", "experiment": "regions", "node": 0, "mask": [[16, 20], [8]],
         "parity": [1, 0], "slower_ns": 6.0, "slower_low_ns": 5.5, "slower_high_ns": 6.5}
RANGE = {"record": "range", "experiment": "regions", "node": None, "physical_first": "0x100000000",
         "physical_last": "0x1ffffffff", "slower_ns": -2.0, "slower_low_ns": -2.5,
         "slower_high_ns": -1.5}
RATE = {"record": "bandwidth", "experiment": "regions", "node": 0, "mask": None, "parity": None,
        "channels": 2, "bytes_per_s": 41e9, "bytes_per_s_low": 40.5e9, "bytes_per_s_high": 41.5e9}


VERIFY = {"record": "verify", "experiment": "verify", "bytes": 1 << 30, "memory_bytes": 1 << 31,
          "least_node": 0, "least_share": 0.5, "steps": 10, "steps_done": 10, "cut_by": None,
          "words": 0, "stored": 0, "transfers": 0, "aliases": 0, "outside": 0}
VERDICT = {"record": "verdict", "verdict": "OK", "conclusive": True, "why": None, "rules": [
    {"name": "contents", "met": True, "figure": "0 words", "threshold": "0 words", "against": "x"},
    {"name": "run", "met": True, "figure": "ended", "threshold": "ended", "against": "the plan"}]}
SPREAD = {"record": "spread", "name": "dram 2m", "kind": "latency", "boots": 5, "middle": 90.0,
          "low": 89.0, "high": 91.0, "low_run": 1, "high_run": 2}


def compared(capsys, *arguments, status=0):
    assert compare.main([str(word) for word in arguments]) == status, capsys.readouterr()
    return capsys.readouterr().out


def pair(tmp_path, first, second):
    return (write(tmp_path / "one", RUN, *first, END), write(tmp_path / "two", RUN, *second, END))


def row(text, label):
    """The words of the only row of that label."""
    found = [line for line in text.splitlines() if line.startswith(f"  {label}  ")]
    assert len(found) == 1, text
    return found[0].split()


def test_a_point_stands_beside_its_own_kind(tmp_path, capsys):
    text = compared(capsys, *pair(tmp_path, [POINT, {**POINT, "bytes": 8192, "ns_median": 200}],
                                  [{**POINT, "ns_median": 110}]))
    assert "curve: cycle, 4k (ns/access)" in text
    assert row(text, "4K") == ["4K", "100.00", "±1.96", "110.00", "±2.16", "+10.0", "%*"]
    assert "8K " not in text and "  1 only in A" in text
    assert "1 figures held against another, 1 differ beyond both uncertainties (*)" in text
    assert "  8K " in compared(capsys, "--all", tmp_path / "one", tmp_path / "two")


@pytest.mark.parametrize("ns, error, mark", [
    (103.8, 0.01, ""),      # 100 +- 1.96, 103.8 +- 2.03: they meet
    (104.2, 0.01, "*"),     # 100 +- 1.96, 104.2 +- 2.04: they do not
    (96.2, 0.01, ""), (95.8, 0.01, "*"),
    (150.0, 0.3, ""), (150.0, None, "?"), (100.0, None, "?"), (100.0, 0.0, ""),
])
def test_only_what_no_doubt_covers_is_marked(tmp_path, capsys, ns, error, mark):
    other = {**POINT, "ns_median": ns, "rel_error": error}
    text = compared(capsys, *pair(tmp_path, [POINT], [other]))
    change = re.search(r"([+-][\d.]+) %([*?]?)$", "\n".join(
        line for line in text.splitlines() if line.startswith("  4K")))
    assert float(change[1]) == pytest.approx(ns - 100, abs=0.06)
    assert change[2] == mark


@pytest.mark.parametrize("other", [
    {"pattern": "iid"}, {"pages": "2m"}, {"bytes": 8192}, {"experiment": "pattern"},
    {"stride_bytes": 128}, {"group_bytes": 8192}, {"chains": 2}, {"load": "nt"}, {"hint": "t0"},
    {"work_cycles": 10}, {"word": 3}, {"frames": "contiguous"}, {"prefetch_only_off": "streamer"},
    {"turbo": "off"}, {"pages": None, "map": "firmware"}, {"purpose": "translation"},
])
def test_what_is_not_the_same_is_not_compared(tmp_path, capsys, other):
    first, second = pair(tmp_path, [POINT], [{**POINT, **other}])
    text = compared(capsys, first, second, status=1)
    assert "0 figures held against another, 0 differ" in text


@pytest.mark.parametrize("other", [
    {"frames": "as-allocated", "map": "process"}, {"prefetch": "unsupported"}, {"cpu": 3},
    {"load": "plain", "hint": "none", "work_cycles": 0, "word": 0, "group_bytes": None}])
def test_machines_differ_and_are_compared_all_the_same(tmp_path, capsys, other):
    text = compared(capsys, *pair(tmp_path, [POINT], [{**POINT, **other}]))
    assert "1 figures held against another" in text
    assert ("Frames of 4k pages differ: as-allocated, scattered." in text) == ("frames" in other)
    assert ("prefetchers' states differ" in text) == ("prefetch" in other)


def test_runs_of_schema_1_are_read_in_todays_words(tmp_path, capsys):
    old = {**POINT, "frames": "as-found", "map": "process", "prefetch_alone": "streamer"}
    new = {**POINT, "frames": "as-allocated", "map": "process", "prefetch_only_off": "streamer"}
    first = write(tmp_path / "one", {**RUN, "schema": 1}, old, END)
    second = write(tmp_path / "two", RUN, new, END)
    text = compared(capsys, first, second)
    assert "1 figures held against another, 0 differ" in text and "Frames of" not in text


def test_translation_alone_is_called_that(tmp_path, capsys):
    point = {**POINT, "purpose": "translation", "stride_bytes": (2 << 20) + 64}
    text = compared(capsys, *pair(tmp_path, [point], [point]))
    assert "curve, translation alone: cycle, 4k, stride 2097216 (ns/access)" in text


def test_on_and_off_of_one_run_are_kept_apart(tmp_path, capsys):
    points = [POINT, {**POINT, "prefetch": "on", "ns_median": 50}]
    text = compared(capsys, *pair(tmp_path, points, points))
    assert "curve: cycle, 4k, prefetchers on (ns/access)" in text
    assert "2 figures held against another, 0 differ" in text
    # A run that has one state only is matched with what was requested to be off.
    other = write(tmp_path / "three", RUN, {**POINT, "prefetch": "refused"}, END)
    text = compared(capsys, tmp_path / "one", other)
    assert "1 figures held against another, 0 differ" in text and "1 only in A" in text


def test_repeats_are_one_figure_with_the_bounds_of_all(tmp_path, capsys):
    repeats = [{**POINT, "ns_median": ns, "rel_error": 0.001} for ns in (100, 90, 120)]
    text = compared(capsys, *pair(tmp_path, repeats, [{**POINT, "ns_median": 118}]))
    assert "+18.0 %" in text and "+18.0 %*" not in text
    assert "1 figures held against another, 0 differ" in text


def test_of_a_point_measured_at_two_frequencies_the_last_stands(tmp_path, capsys):
    again = [{**POINT, "ns_median": 50, "cpu_hz_after": 4e9},
             {**POINT, "ns_median": 99, "cpu_hz_after": 2.01e9},
             {**POINT, "ns_median": 101, "cpu_hz_after": 2e9}]
    text = compared(capsys, *pair(tmp_path, again, [{**POINT, "ns_median": 101}]))
    assert "+0.0 %" in text, text


def test_levels_headlines_and_findings(tmp_path, capsys):
    other = [{**LEVEL, "bytes": 65536.0, "bytes_low": 65000.0, "bytes_high": 66000.0},
             {**DRAM, "ns": 95.0, "ns_low": 94.0, "ns_high": 96.0, "tlb_cost_ns": -0.5,
              "tlb_cost_low_ns": -1.0, "tlb_cost_high_ns": 0.0},
             {**FINDING, "value": 16.0, "low": None, "high": None}]
    text = compared(capsys, *pair(tmp_path, [LEVEL, DRAM, FINDING], other))
    assert re.search(r"^  L1, ns .*\+0\.0 %$", text, re.M)
    assert re.search(r"^  L1, bytes +48K ±1\.12K +64K ±536 +\+33\.3 %\*$", text, re.M), text
    assert re.search(r"^  ns +87\.50 ±0\.25 +95\.00 ±1\.00 +\+8\.6 %\*$", text, re.M), text
    assert re.search(r"^  4k pages add, ns .* -6\*$", text, re.M), text
    assert re.search(r"^  outstanding misses, misses, cycle, 2m, 1G, 14 chains .*\+33\.3 %\?$",
                     text, re.M), text
    assert text.index("DRAM headline") < text.index("curve: levels") < text.index("parallel: find")


def test_memory_is_compared_by_what_it_is_like(tmp_path, capsys):
    """The same span of functions is the same mapping, whichever of them a run gives."""
    same = {**MAPPING, "functions": [[6, 17], [6, 13]]}
    text = compared(capsys, *pair(tmp_path, [MAPPING, SINGLE, CLASS, RANGE, RATE], [
        same, {**SINGLE, "rows": "closed", "row_hit_ns": 68.0, "row_hit_low": 67.0,
               "row_hit_high": 69.0},
        {**CLASS, "slower_ns": 8.0, "slower_low_ns": 7.5, "slower_high_ns": 8.5}, RANGE,
        {**RATE, "channels": 1, "bytes_per_s": 21e9, "bytes_per_s_low": 20.5e9,
         "bytes_per_s_high": 21.5e9}]))
    assert row(text, "verdict") == ["verdict", "linear", "linear", "same"]
    assert row(text, "banks")[1:3] == ["4", "4"]
    assert row(text, "function 1, reduced")[3:] == ["0x2040", "0x2040", "same"]
    assert row(text, "function 2, reduced")[3:] == ["0x20040", "0x20040", "same"]
    assert row(text, "rows") == ["rows", "open", "closed", "other*"]
    assert row(text, "row hit, ns")[-2:] == ["+6.2", "%*"]
    assert row(text, "median, ns")[-1] == "%?"
    assert "regions: slower or faster of node 0" in text
    assert row(text, "0x100 even, 0x110000 odd, ns")[-2:] == ["+33.3", "%*"]
    assert row(text, "0x100000000 to 0x1ffffffff, ns")[-1] == "+0"
    assert row(text, "all lines, GB/s")[3:] == ["41.00", "±0.5", "21.00", "±0.5", "-48.8", "%*"]
    assert row(text, "channels")[-1] == "%*"
    (tmp_path / "more").mkdir()
    text = compared(capsys, *pair(tmp_path / "more", [MAPPING], [
        {**MAPPING, "functions": [[6, 13], [13, 18]], "offset_bytes": "4294967296"}]))
    assert row(text, "function 2, reduced")[-1] == "other*"
    assert row(text, "offset")[-3:] == ["0x0", "0x100000000", "other*"]


def test_verdicts_and_contents_stand_side_by_side(tmp_path, capsys):
    worse = {**VERDICT, "verdict": "SUSPECT", "conclusive": False, "rules": [
        {**VERDICT["rules"][0], "met": False}, {**VERDICT["rules"][1], "met": None},
        {**VERDICT["rules"][1], "met": True}]}
    bad = {**VERIFY, "bytes": 3 << 29, "least_share": 0.75, "steps_done": 4, "cut_by": "budget",
           "words": 3, "stored": 2, "outside": 1}
    text = compared(capsys, *pair(tmp_path, [RATE, VERIFY, VERDICT], [RATE, bad, worse]))
    assert row(text, "verdict") == ["verdict", "OK", "SUSPECT", "other*"]
    assert row(text, "conclusive") == ["conclusive", "yes", "no", "other*"]
    assert row(text, "rule contents") == ["rule", "contents", "met", "NOT", "met", "other*"]
    assert row(text, "rule run") == ["rule", "run", "met", "left", "open", "other*"]
    assert "  1 only in B" in text  # the second rule of one name
    assert row(text, "tested") == ["tested", "1G", "1.5G", "+50.0", "%*"]
    assert row(text, "of the least node, %")[-4:] == ["50.00", "75.00", "+50.0", "%*"]
    assert row(text, "steps") == ["steps", "10", "of", "10", "4", "of", "10,", "budget", "other*"]
    assert row(text, "words read wrong")[-3:] == ["0", "3", "+3*"]
    assert row(text, "  memory held wrong")[-3:] == ["0", "2", "+2*"]
    assert row(text, "  spoilt on the way")[-3:] == ["0", "0", "+0"]
    assert text.index("\nverdict\n") < text.index("\nregions: bandwidth of node 0\n") \
        < text.index("\nverify: contents\n")
    assert "--all" not in text and "rule run (2)" in compared(
        capsys, "--all", tmp_path / "one", tmp_path / "two")


def test_boots_are_compared_by_their_middle(tmp_path, capsys):
    other = {**SPREAD, "middle": 95.0, "low": 94.0, "high": 96.0}
    rate = {**SPREAD, "name": "bandwidth", "kind": "rate", "middle": 40e9, "low": 39e9, "high": 41e9}
    block = {**SPREAD, "name": "block 0x0 64M"}
    text = compared(capsys, *pair(tmp_path, [SPREAD, rate, block], [other, rate, block]))
    assert row(text, "dram 2m, ns")[-2:] == ["+5.6", "%*"]
    assert row(text, "bandwidth, GB/s")[2:] == ["40.00", "±1.00", "40.00", "±1.00", "+0.0", "%"]
    assert "block" not in text


def test_a_board_without_a_name_is_its_cpu_once(tmp_path, capsys):
    run = {**RUN, "board": "Example 2900, 64G", "board_source": "cpu-and-memory"}
    text = compared(capsys, write(tmp_path / "one", run, POINT, END),
                    write(tmp_path / "two", RUN, POINT, END))
    assert "one: Example 2900, 64G, 1.07, ACME; " in text
    assert "two: ACME X1, Example 2900, 1.07, ACME; " in text


@pytest.mark.parametrize("rules", ["x", [1], [{"met": True}]])
def test_rules_that_are_none_are_named(tmp_path, capsys, rules):
    runs = pair(tmp_path, [VERDICT], [{**VERDICT, "rules": rules}])
    assert compare.main([str(run) for run in runs]) == 2
    assert "no list of rules" in capsys.readouterr().err


@pytest.mark.parametrize("functions", ["x", [1], [["1"]], [[64]], [[True]]])
def test_functions_that_are_none_are_named(tmp_path, capsys, functions):
    runs = pair(tmp_path, [MAPPING], [{**MAPPING, "functions": functions}])
    assert compare.main([str(run) for run in runs]) == 2
    assert "of functions" in (error := capsys.readouterr().err) or "address bits" in error


def test_levels_of_one_name_are_told_apart(tmp_path, capsys):
    twice = [{**LEVEL, "name": "unexplained"}, {**LEVEL, "name": "unexplained", "ns": 1.29}]
    text = compared(capsys, *pair(tmp_path, twice, twice))
    assert "  unexplained, ns (2) " in text
    assert "4 figures held against another, 0 differ" in text


def test_three_runs_are_held_against_the_first(tmp_path, capsys):
    first, second = pair(tmp_path, [POINT], [{**POINT, "ns_median": 110}])
    third = write(tmp_path / "three", RUN, {**POINT, "ns_median": 50}, END)
    text = compared(capsys, first, second, third)
    assert "+10.0 %*" in text and "-50.0 %*" in text
    assert "2 figures held against another, 2 differ" in text
    assert re.search(r"^C   three: ACME X1", text, re.M)


def test_the_head_warns(tmp_path, capsys):
    first = write(tmp_path / "one", {**RUN, "arch": "simulated"}, POINT,
                  {**END, "clock_check_ppm": 5000})
    second = write(tmp_path / "two", RUN, POINT)
    text = " ".join(compared(capsys, first, second).split())
    for words in ("A simulated machine", "off by more than 1000 ppm", "there is no end record",
                  "clock 2900.000 MHz by ACPI PM timer"):
        assert words in text


def test_the_picture_shows_every_shared_figure(tmp_path, capsys):
    sets = [{**POINT, "bytes": 4096 << i, "ns_median": 10.0 + i} for i in range(8)]
    other = [{**point, "ns_median": point["ns_median"] * (1.2 if i % 2 else 1.001)}
             for i, point in enumerate(sets)]
    picture = tmp_path / "a.svg"
    compared(capsys, *pair(tmp_path, [*sets, DRAM], [*other, DRAM]), "--svg", picture)
    root = ElementTree.fromstring(picture.read_text())
    dots = [e for e in root.iter(f"{SVG}circle") if e.get("class")]
    assert sum(e.get("class") == "beyond" for e in dots) == 4
    # headline, the 4K pages' cost and the size of the set are the same
    assert sum(e.get("class") == "within" for e in dots) == 4 + 3
    width, height = float(root.get("width")), float(root.get("height"))
    assert all(0 <= float(e.get("cx")) <= width and 0 <= float(e.get("cy")) <= height for e in dots)
    far, near = (float(next(e for e in dots if e.get("class") == name).get("cx"))
                 for name in ("beyond", "within"))
    assert far > near + 20


RUN_LINE, END_LINE = json.dumps(RUN) + "\n", json.dumps(END) + "\n"


def test_a_torn_file_is_compared_up_to_the_tear(tmp_path, capsys):
    first, second = pair(tmp_path, [POINT, LEVEL], [POINT])
    torn = second / "results.jsonl"
    torn.write_text(torn.read_text() + "\0" * 3000)
    text = compared(capsys, first, second)
    assert row(text, "4K") == ["4K", "100.00", "±1.96", "100.00", "±1.96", "+0.0", "%"]
    assert "results.jsonl is read up to line 3; line 4: the line is cut off." in text


@pytest.mark.parametrize("text, words", [
    ("", ":1: the file is empty"),
    ('{"record": "ru', ":1: the line is cut off"),
    ("{]\n", ":1: not JSON"),
    (END_LINE, ":1: not a results file"),
    ('{"a": 1}\n', ":1: not a record"),
    (json.dumps({**RUN, "schema": 9}) + "\n", "schema 9, but known are 1 and 2"),
    (RUN_LINE + json.dumps({**POINT, "ns_median": "fast"}) + "\n", "'ns_median' is not a number"),
    (RUN_LINE + json.dumps({**POINT, "bytes": None}) + "\n", "without a working set"),
    (RUN_LINE + json.dumps({**POINT, "pattern": 7}) + "\n", "'pattern' is not text"),
])
def test_bad_input_is_named_by_file_and_line(tmp_path, capsys, text, words):
    good = write(tmp_path / "good", RUN, POINT, END)
    bad = tmp_path / "bad.jsonl"
    bad.write_text(text)
    assert compare.main([str(good), str(bad)]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith(f"tools/compare: {bad}:") and words in shown.err


def test_missing_files_and_too_few_runs(tmp_path, capsys):
    good = write(tmp_path / "good", RUN, POINT, END)
    assert compare.main([str(good), str(tmp_path / "none")]) == 2
    assert "No such file" in capsys.readouterr().err
    (tmp_path / "empty").mkdir()
    assert compare.main([str(good), str(tmp_path / "empty")]) == 2
    with pytest.raises(SystemExit) as stop:
        compare.main([str(good)])
    assert stop.value.code == 2 and "two runs at least" in capsys.readouterr().err
    assert compare.main([str(good), str(good), "--svg", str(tmp_path / "no" / "a.svg")]) == 2


def test_nothing_in_common_is_said(tmp_path, capsys):
    first, second = pair(tmp_path, [POINT], [LEVEL])
    assert compare.main([str(first), str(second)]) == 1
    assert "no figure stands in two of these runs" in capsys.readouterr().err


def test_as_a_program(tmp_path):
    first, second = pair(tmp_path, [POINT], [POINT])
    done = subprocess.run([TREE / "tools" / "compare", first, second], capture_output=True,
                          text=True, check=True)
    assert "1 figures held against another, 0 differ" in done.stdout and done.stderr == ""
    assert not (TREE / "tools" / "__pycache__").exists()


def test_what_its_run_doubts_is_marked(tmp_path, capsys):
    first = [{**POINT, "settled": False}, {**LEVEL, "doubt": []}, {**DRAM, "doubt": []}]
    second = [{**POINT, "settled": True}, {**LEVEL, "doubt": ["merged"]},
              {**DRAM, "doubt": ["budget", "translation"]},
              {**FINDING, "doubt": ["disturbed"]}]
    text = compared(capsys, *pair(tmp_path, first, second))
    assert row(text, "4K") == ["4K", "100.00", "±1.96!", "100.00", "±1.96", "+0.0", "%"]
    assert row(text, "L1, ns") == ["L1,", "ns", "1.25", "±0.05", "1.25", "±0.05!", "+0.0", "%"]
    lines = text.splitlines()
    headline = next(i for i, line in enumerate(lines) if line.startswith("  ns  "))
    assert "87.50 ±0.25!" in lines[headline]
    assert lines[headline + 1] == "    ! B: budget, translation"
    assert "    ! A: unsettled" in lines and "    ! B: merged" in lines
    assert text.rstrip().endswith("have a figure in doubt (!)")
    plain = compared(capsys, *pair(tmp_path, [POINT, LEVEL], [POINT, LEVEL]))
    assert "!" not in plain


@pytest.mark.parametrize("doubt", ["merged", [1], {}, None])
def test_a_doubt_that_is_no_list_of_words(tmp_path, capsys, doubt):
    first, second = pair(tmp_path, [{**LEVEL, "doubt": doubt}], [LEVEL])
    assert compare.main([str(first), str(second)]) == 2
    assert "results.jsonl:2: 'doubt' is no list of words" in capsys.readouterr().err
