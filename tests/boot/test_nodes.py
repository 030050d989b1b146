# SPDX-License-Identifier: BSD-2-Clause
"""NUMA nodes from QEMU's tables as real firmware passes them on: memory ranges carry their node,
and the memory measured is of the boot CPU's node unless range= selects another."""
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


def test_memory_side_cache(lab):
    """A node without CPUs, behind a cache that only the HMAT lists."""
    records = lab.finish(PLAN, smp=1, memory_mib=1024, nodes=(512, 512),
                         more=f"{HMAT} {CACHE}")[1]
    assert records.status == "ok", records.notes()
    caches = {(memory["node"], memory["side_cache_bytes"]) for memory in records.all("memory")}
    assert caches == {(0, None), (1, 16 * 2**20)}
    assert {point["node"] for point in records.all("point")} == {0}
    assert not [note for note in records.notes("warning") if "memory-side" in note]


def test_measured_behind_a_memory_side_cache(lab):
    """The boot CPU's own memory is behind it: there is nothing else, so a note says so."""
    cache = CACHE.replace("node-id=1", "node-id=0")
    records = lab.finish(PLAN, smp=1, memory_mib=1024, nodes=(512, 512), more=f"{HMAT} {cache}")[1]
    assert records.status == "ok", records.notes()
    warnings = [note for note in records.notes("warning") if "memory-side" in note]
    assert len(warnings) == 1 and "16M" in warnings[0]
