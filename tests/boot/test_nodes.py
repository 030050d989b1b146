# SPDX-License-Identifier: BSD-2-Clause
"""NUMA nodes from QEMU's tables as real firmware passes them on: memory ranges carry their node,
the memory measured is of the boot CPU's node unless range= selects another, and tests=nodes measures
that of every node, against what the tables claim."""
import pytest

PLAN = "tests=dram max=1M pages=2m budget=10 error=20"
HMAT = " ".join(f"-numa hmat-lb,initiator=0,target={target},hierarchy=memory,{kind}"
                for target in (0, 1) for kind in ("data-type=access-latency,latency=10",
                                                  "data-type=access-bandwidth,bandwidth=1G"))
CACHE = "-numa hmat-cache,node-id=1,size=16M,level=1,associativity=direct,policy=write-back,line=64"


def nodes_of(records):
    """MiB of each node's memory."""
    found = {}
    for memory in records.all("memory"):
        found[memory["node"]] = found.get(memory["node"], 0) + int(memory["bytes"]) / 2**20
    return found


def within(point, low_mib, high_mib):
    low, high = (int(point[key], 16) for key in ("physical_low", "physical_high"))
    assert high - low + 1 >= point["bytes"]
    return low_mib <= low / 2**20 and (high + 1) / 2**20 <= high_mib


def check_first_node(records, base):
    assert records.status == "ok", records.notes()
    nodes = nodes_of(records)
    assert set(nodes) == {0, 1}
    assert 300 < nodes[0] <= 384 and 500 < nodes[1] <= 640
    points = records.all("point")
    assert points and {point["node"] for point in points} == {0}
    assert all(within(point, base, base + 384) for point in points)
    assert not [note for note in records.notes("warning") if "ACPI" in note]


def check_second_node(records, base):
    points = records.all("point")
    assert points and {point["node"] for point in points} == {1}
    assert all(within(point, base + 400, base + 800) for point in points)


# Both nodes have a CPU; the first one's memory is smaller and lower.
NODES = dict(smp=2, memory_mib=1024, nodes=(384, 640))


def test_nodes(shells_of_all):
    """Both are measured in one boot."""
    _, shell = shells_of_all.start("nodes", **NODES)
    records = shell.finish(PLAN)[1]
    check_first_node(records, 0)
    run = records.one("run")
    assert run["threads_per_core"] == 1 and run["cpu_kinds"] == 1
    assert run["nodes_per_package"] == 2 and run["memory_encryption"] == "none"
    assert run["microcode"] is not None
    check_second_node(shell.finish(f"{PLAN} range=400M-800M")[1], 0)
    shell.switch_off()


@pytest.mark.long
def test_nodes_on_aarch64(lab):
    settings = dict(NODES, arch="aarch64", cpu="cortex-a57")
    records = lab.finish(PLAN, **settings)[1]
    check_first_node(records, 1024)
    run = records.one("run")
    assert run["threads_per_core"] == 1 and run["cpu_kinds"] == 1
    assert (run["nodes_per_package"], run["memory_encryption"], run["microcode"]) == (None,) * 3
    check_second_node(lab.finish(f"{PLAN} range=1424M-1824M", **settings)[1], 1024)


@pytest.mark.long
def test_memory_side_cache(lab):
    """A node without CPUs, behind a cache that only the HMAT lists."""
    records = lab.finish(PLAN, smp=1, memory_mib=1024, nodes=(512, 512),
                         more=f"{HMAT} {CACHE}")[1]
    assert records.status == "ok", records.notes()
    caches = {(memory["node"], memory["side_cache_bytes"]) for memory in records.all("memory")}
    assert caches == {(0, None), (1, 16 * 2**20)}
    assert {point["node"] for point in records.all("point")} == {0}
    assert not [note for note in records.notes("warning") if "memory-side" in note]


@pytest.mark.long
def test_measured_behind_a_memory_side_cache(lab):
    """The boot CPU's own memory is behind it: there is nothing else, so a note says so."""
    cache = CACHE.replace("node-id=1", "node-id=0")
    records = lab.finish(PLAN, smp=1, memory_mib=1024, nodes=(512, 512), more=f"{HMAT} {cache}")[1]
    assert records.status == "ok", records.notes()
    warnings = [note for note in records.notes("warning") if "memory-side" in note]
    assert len(warnings) == 1 and "16M" in warnings[0]


# No cache that QEMU declares holds it; counts alone mean anything here.
PAIRS = "tests=nodes max=20M pages=2m budget=30 error=20 hops=640"


def distance(src, dst, value):
    return f"-numa dist,src={src},dst={dst},val={value}"


def cells_of(records):
    """The pairs by their nodes; each has a figure or says why not."""
    assert records.status == "ok", records.notes()
    cells = {(pair["from_node"], pair["home_node"]): pair for pair in records.all("pair")}
    assert len(cells) == len(records.all("pair"))
    for pair in cells.values():
        assert (pair["ns"] is None) == (pair["why"] is not None), pair
        assert pair["experiment"] == "nodes" and pair["to"] == "memory", pair
    return cells


def measured(records):
    """Nodes of the points, by what their windows were seen to be made of."""
    return {point["node"] for point in records.all("point")}


def claims(pair):
    return tuple(pair[f"claimed{name}"] for name in ("_distance", "_ns", "_bytes_per_s", "_by"))


@pytest.mark.long
def test_pairs_of_two_uneven_nodes(lab):
    """No HMAT; the distance is not the same in both directions."""
    more = f"{distance(0, 1, 21)} {distance(1, 0, 31)}"
    records = lab.finish(PAIRS, more=more, **NODES)[1]
    cells = cells_of(records)
    assert set(cells) == {(0, 0), (0, 1), (1, 0), (1, 1)}
    assert measured(records) >= {0, 1}
    for to in (0, 1):
        assert cells[0, to]["ns"] > 0 and cells[0, to]["bytes_per_s"] > 0, cells[0, to]
        assert cells[0, to]["bytes"] == 20 * 2**20
    assert claims(cells[0, 0]) == (10, None, None, "SLIT")
    assert claims(cells[0, 1]) == (21, None, None, "SLIT")
    assert claims(cells[1, 0]) == (31, None, None, "SLIT")


@pytest.mark.long
def test_pairs_with_an_hmat(lab):
    """A node without CPUs, and claims of latency and bandwidth as QEMU was told."""
    records = lab.finish(PAIRS, smp=1, memory_mib=1024, nodes=(512, 512), more=HMAT)[1]
    cells = cells_of(records)
    assert set(cells) == {(0, 0), (0, 1)}  # it is a place, and nothing measures from it
    for pair in cells.values():
        assert pair["ns"] > 0, pair
        assert claims(pair)[1:3] == (10, 2**30), pair
        assert "HMAT" in pair["claimed_by"]


@pytest.mark.long
def test_pairs_of_four_nodes(lab):
    """One is too small for a set, one has no memory; three have CPUs."""
    records = lab.finish(PAIRS, smp=3, memory_mib=1024, nodes=(640, 0, 376, 8))[1]
    cells = cells_of(records)
    assert set(cells) == {(src, dst) for src in (0, 1, 2) for dst in (0, 2, 3)}
    assert cells[0, 0]["ns"] > 0 and cells[0, 2]["ns"] > 0
    assert "no room" in cells[0, 3]["why"]
    assert measured(records) == {0, 2}


@pytest.mark.long
def test_node_and_place_choose(shells_of_all):
    _, shell = shells_of_all.start("nodes", **NODES)
    records = shell.finish(f"{PAIRS} node=1,7")[1]
    assert set(cells_of(records)) == {(0, 1), (1, 1)} and measured(records) == {1}
    missing = [note for note in records.notes("warning") if "node= names" in note]
    assert len(missing) == 1 and "node 7; there is 0, 1" in missing[0]
    records = shell.finish(f"{PAIRS} place=xor:1")[1]
    assert set(cells_of(records)) == {(0, 1), (1, 0)} and 1 in measured(records)
    shell.switch_off()


def test_one_node_is_said(lab):
    records = lab.finish(PAIRS, smp=1, memory_mib=512)[1]
    assert records.status == "ok", records.notes()
    pair = records.one("pair")
    assert pair["ns"] > 0 and pair["home_node"] is None
    assert [note for note in records.notes("warning") if "nodes: one node" in note]


@pytest.mark.long
def test_pairs_on_aarch64(lab):
    records = lab.finish(PAIRS, arch="aarch64", cpu="cortex-a57", **NODES)[1]
    cells = cells_of(records)
    assert set(cells) == {(0, 0), (0, 1), (1, 0), (1, 1)}
    assert cells[0, 0]["ns"] > 0 and cells[0, 1]["ns"] > 0 and measured(records) >= {0, 1}
