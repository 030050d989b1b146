# SPDX-License-Identifier: BSD-2-Clause
"""Every pattern and kernel boots, and is traced: what its samples touch, in which order, and how
many instructions that takes. One boot is one point."""
import itertools
import re

from tracing import read_windows

LINE, WORD = 64, 8
SET = 64 * 1024
CHAINS_MAX = {"x86_64": 14, "aarch64": 24}
LIMIT = 1 + 1 / 16  # instructions per plain hop
PLAN = "tests=pattern max=64K pages=2m prefetch=on error=20 budget=5 hops={hops}"
SHORT = ["x86_64 chains=7 load=nt hint=t0 work=20", "aarch64 chains=24",
         "aarch64 chains=5 load=dirty hint=nta word=7"]


def cases():
    """Every number of chains; every load and hint, with the minimum and maximum of chains; every
    pattern."""
    for arch, most in CHAINS_MAX.items():
        yield from (f"{arch} chains={chains}" for chains in range(1, most + 1))
        hops = [("plain", hint) for hint in ("nta", "t0", "t1", "t2")]
        for load, hint in hops + [("nt", "none"), ("nt", "t2"), ("dirty", "none"), ("dirty", "t1")]:
            for chains in (1, 7):
                yield f"{arch} chains={chains} load={load} hint={hint}"
        yield from (f"{arch} chains={chains} work={work}"
                    for chains, work in ((1, 1), (3, 127), (7, 128), (2, 1000)))
        yield from (f"{arch} load=nt word={word}" for word in (1, 6, 7))
        yield from (f"{arch} pattern={pattern}" for pattern in ORDERS)
        yield from (f"{arch} pattern={pattern} stride={stride}"
                    for pattern, stride in itertools.product(("forward", "reverse"), (8, 4160)))
        yield from (f"{arch} pattern=iid {more}" for more in ("", "work=9", "stride=192"))


def pytest_generate_tests(metafunc):
    if "case" in metafunc.fixturenames:
        more = [case for case in cases() if case not in SHORT]
        metafunc.parametrize("case", SHORT + (more if metafunc.config.option.long else []),
                             ids=lambda case: re.sub(r"[= ]", "-", case))
    if "arch" in metafunc.fixturenames:
        metafunc.parametrize("arch", CHAINS_MAX if metafunc.config.option.long else ["aarch64"])


# ---- the order in which one chain's nodes come, as offsets in the set, a whole lap of them


def steps(order):
    return [after - before for before, after in zip(order, order[1:])]


def check_forward(order, stride):
    """One step back to the beginning, wherever the lap was entered."""
    assert all(step == stride for step in steps(order) if step > 0)
    assert sum(step < 0 for step in steps(order)) <= 1


def check_reverse(order, stride):
    check_forward(order[::-1], stride)


def runs(order, bytes_):
    """The lap by groups of that many bytes: [(group, [offsets])]. A lap that was entered inside a
    group ends in it."""
    found = [(group, list(offsets))
             for group, offsets in itertools.groupby(order, lambda offset: offset // bytes_)]
    if len(found) > 1 and found[0][0] == found[-1][0]:
        found[0] = (found[0][0], found.pop()[1] + found[0][1])
    return found


def check_groups(order, bytes_, inside):
    """Each group once and whole; groups, and lines where inside is "random", in an order without a
    step."""
    found = runs(order, bytes_)
    assert len(found) == len({group for group, _ in found}) == SET // bytes_
    if len(found) > 2:
        assert len(set(steps([group for group, _ in found]))) > 2
    for _, offsets in found:
        ascending = all(step == LINE for step in steps(offsets))
        assert ascending == (inside == "ascending")
        assert inside == "ascending" or len(set(steps(offsets))) > 4


def check_cycle(order, _stride):
    assert len(set(steps(order))) > len(order) // 4


def check_hop_page(order, _stride):
    assert all(a // 4096 != b // 4096 for a, b in zip(order, order[1:]))
    # The same order of pages in each pass.
    pages = [offset // 4096 for offset in order]
    count = SET // 4096
    assert pages[count:2 * count] == pages[:count] and len(set(pages[:count])) == count


ORDERS = {
    "cycle": check_cycle, "forward": check_forward, "reverse": check_reverse,
    "sequential": check_forward, "hop-page": check_hop_page,
    "shuffled-pages": lambda order, _: check_groups(order, 4096, "ascending"),
    "paged": lambda order, _: check_groups(order, 4096, "random"),
    "grouped": lambda order, _: check_groups(order, SET, "random"),
}


# ---- what a window holds


def parse(case):
    arch, *words = case.split()
    request = {"chains": "1", "load": "plain", "hint": "none", "work": "0", "word": "0",
            "pattern": "cycle", "stride": str(LINE)}
    request.update(word.split("=") for word in words)
    for key in ("chains", "work", "word", "stride"):
        request[key] = int(request[key])
    return arch, request


def max_instructions(request, hops):
    """Of a window: there are a few more around the loops, and around work, which is a loop of 128
    additions."""
    work = request["work"] + (24 + 5 * (request["work"] // 128) if request["work"] else 0)
    if request["pattern"] == "iid":
        return hops * (12 + work) + 64
    if request["load"] == "plain" and request["hint"] == "none" and work == 0:
        return hops * request["chains"] * LIMIT + 128
    a_hop = {"plain": 1, "dirty": 4, "nt": 6}[request["load"]] + (request["hint"] != "none")
    return hops * (a_hop * request["chains"] + 20 + work) + 64


def check_counts(window, request, hops, nodes):
    """Each node of each chain as often as it should be; for non-temporal loads the other half of the
    16 bytes too; for dirty ones also one store."""
    chains, length = request["chains"], len(nodes) // request["chains"]
    rounds = {hops // length, -(-hops // length)}
    assert not window.others, window.others
    assert {window.loads[node] for node in nodes} <= rounds
    beside = {node ^ WORD for node in nodes} if request["load"] == "nt" else set()
    assert set(window.loads) == set(nodes) | beside
    assert sum(window.loads[node] for node in nodes) == hops * chains
    if request["load"] == "dirty":
        line = [node - node % LINE for node in nodes]
        written = [base + (node + WORD) % LINE for base, node in zip(line, nodes)]
        assert set(window.stores) == set(written)
        assert sum(window.stores.values()) == hops * chains
    else:
        assert not window.stores
    assert window.instructions <= max_instructions(request, hops)
    assert window.instructions >= hops * (chains + request["work"] + chains * (request["hint"] != "none"))


def nodes_of(window, request):
    """The nodes in the order of first use: of a non-temporal load's two halves the one that is a node."""
    return [address for address in window.loads if address % LINE == request["word"] * WORD] \
        if request["stride"] % LINE == 0 else list(window.loads)


def check_iid(windows, request, hops):
    lines = SET // request["stride"]
    # Their arithmetic is calibrated on a small set first; then all lines are touched, in order.
    touched = [list(window.loads) for window in windows if len(window.loads) == lines]
    assert len(touched) == 1 and set(steps(touched[0])) == {request["stride"]}
    drawn = [window for window in windows if 64 < len(window.loads) < lines]
    assert len(drawn) >= 9
    for window in drawn:
        assert not window.stores and not window.others
        assert sum(window.loads.values()) == hops
        base = min(window.loads)
        assert all((address - base) % request["stride"] == 0 and address < base + SET
                   for address in window.loads)
        # Draws repeat: of n lines n draws leave a share of 1/e untouched.
        assert 0.55 < len(window.loads) / lines < 0.72


def test_trace(lab, trace_plugin, scratch, figure, case):
    arch, request = parse(case)
    lines = SET // request["stride"]
    length = lines // request["chains"]
    hops = max(length, 512) if request["pattern"] != "iid" else lines
    # Counted time: a long sample would be taken in parts.
    args = " ".join(case.split()[1:])
    pattern = "" if "pattern=" in args else "pattern=cycle"
    boot, records = lab.finish(f"{PLAN.format(hops=hops)} {pattern} {args}", cap=120,
                               arch=arch, icount=True,
                               plugin=f"file={trace_plugin},out={scratch / 'trace'}")
    assert records.status == "ok", records.notes()
    point = records.one("point")
    assert {key: point[key] for key in ("pattern", "chains", "load", "hint", "word")} == \
        {key: request[key] for key in ("pattern", "chains", "load", "hint", "word")}
    samples = [window for window in read_windows(scratch / "trace")
               if sum(window.loads.values()) ==
               hops * request["chains"] * (1 + (request["load"] == "nt"))]
    assert len(samples) >= 9, f"{len(samples)} samples were traced"
    figure(f"{case}: {samples[-1].instructions / hops / request['chains']:.3f} instructions per hop")
    if request["pattern"] == "iid":
        check_iid(samples, request, hops)
        return
    nodes = nodes_of(samples[0], request)
    assert len(nodes) == length * request["chains"]
    base = min(nodes) - min(nodes) % 4096
    for window in samples:
        check_counts(window, request, hops, sorted(nodes))
        order = nodes_of(window, request)
        for k in range(request["chains"]):
            # Chains take turns; each stays in its own part.
            assert set(order[k::request["chains"]]) == set(nodes[k::request["chains"]])
        if request["chains"] == 1:
            ORDERS[request["pattern"]]([node - base - request["word"] * WORD for node in order],
                                    request["stride"])


def test_stream(lab, trace_plugin, scratch, arch):
    """Independent loads at a fixed distance, lap after lap, nothing else."""
    boot, records = lab.finish("tests=throughput max=64K pages=2m prefetch=on error=20 budget=5",
                               cap=120, arch=arch, icount=True,
                               plugin=f"file={trace_plugin},out={scratch / 'trace'}")
    assert records.status == "ok", records.notes()
    streamed = 0
    for window in read_windows(scratch / "trace"):
        assert not window.stores and not window.others
        order, hops = list(window.loads), sum(window.loads.values())
        if len(order) < 256 or len(set(steps(sorted(order)))) != 1:
            continue
        stride = steps(sorted(order))[0]
        forward = sum(step == stride for step in steps(order))
        if forward < len(order) - 2:
            continue
        streamed += 1
        assert max(window.loads.values()) - min(window.loads.values()) <= 1
        assert window.instructions <= hops * 3 + 64
    assert streamed >= 9, f"{streamed} samples of streams"


def test_flush(lab, trace_plugin, scratch, arch):
    """A clock step is too long for a single hop here, which is reported; the hops by which that was
    found are traced: each a load of its own, between fences and readings."""
    boot, records = lab.finish(f"{PLAN.format(hops=512)} pattern=cycle load=flush", cap=120,
                               arch=arch, icount=True,
                               plugin=f"file={trace_plugin},out={scratch / 'trace'}")
    assert records.status == "failed" and not records.all("point")
    assert any("load=flush" in note and "quarter" in note for note in records.notes("warning"))
    windows = read_windows(scratch / "trace")
    plain = [window for window in windows
             if window.instructions <= sum(window.loads.values()) * 2 + 16]
    single = [window for window in windows if window not in plain]
    assert plain and single
    nodes = set().union(*(window.loads for window in plain))
    for window in single:
        hops = sum(window.loads.values())
        assert not window.others and not window.stores and set(window.loads) <= nodes
        assert 8 * hops < window.instructions < 40 * hops + 64
