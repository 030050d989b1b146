# SPDX-License-Identifier: BSD-2-Clause
"""Memory measured block by block under real firmware: blocks and named gaps are the memory map. What
an emulator's blocks cost means nothing."""
import re

import pytest

from conftest import newest
from machine import Drive, Machine

MIB = 1 << 20


def finish(lab, args, cap, **settings):
    """U-Boot has no way to start an application but from a disk."""
    if settings["firmware"] != "uboot":
        return lab.finish(args, cap=cap, **settings)
    copy = lab.stick(args.replace(" ", "\n") + "\nend=shutdown\n")
    boot = lab.boot(Machine(drives=[Drive(copy.path, "virtio")], **settings))
    boot.wait_exit(cap)
    return boot, newest(copy)


# The largest has a hole below 4 GiB and memory on both sides of it.
@pytest.mark.parametrize("arch, firmware, mib, block, budget_s", [
    ("x86_64", "edk2", 128, "16M", 15),
    pytest.param("aarch64", "edk2", 512, "64M", 15, marks=pytest.mark.long),
    pytest.param("aarch64", "uboot", 512, "64M", 15, marks=pytest.mark.long),
    pytest.param("aarch64", "edk2", 2048, "64M", 45, marks=pytest.mark.long),
    pytest.param("x86_64", "edk2", 6144, "64M", 120, marks=pytest.mark.long)])
def test_all_memory_is_covered_or_named(lab, arch, firmware, mib, block, budget_s):
    boot, records = finish(lab, f"tests=regions block={block} budget={budget_s}", 2 * budget_s + 40,
                           arch=arch, firmware=firmware, memory_mib=mib)
    assert records.status == "ok", records.notes()
    blocks, gaps = records.all("block"), records.all("gap")
    covered = sum(r["bytes"] for r in blocks)
    memory = sum(r["bytes"] for r in records.all("memory"))
    [summary] = records.all("regions")
    assert memory == covered + sum(r["bytes"] for r in gaps)
    assert (summary["memory_bytes"], summary["covered_bytes"]) == (memory, covered)
    if mib > 4096:
        firsts = [int(r["physical_first"], 16) for r in blocks]
        assert min(firsts) < 1 << 31 and max(firsts) >= 1 << 32
    # most of it could be had, and nothing is covered twice
    assert covered > (0.25 if mib == 128 else 0.8) * mib * MIB
    parts = sorted((int(r["physical_first"], 16), int(r["physical_last"], 16)) for r in blocks + gaps)
    assert all(low[1] < high[0] for low, high in zip(parts, parts[1:]))
    assert all(last - first + 1 > 0 for first, last in parts)
    assert {r["why"] for r in gaps} <= {
        "in use by the firmware or a loader, or not cached", "less than a page at an edge",
        "kept free for the firmware and page tables", "too few lines for a chain"}
    # the row on the console has a character for each block
    rows = re.findall(r"^ +0x[0-9a-f]+ ([.,?!0-9-]+) *\r?$", boot.text, re.M)
    assert sum(map(len, rows)) >= len(blocks)
    # an emulator's flush does nothing, and what conflicts there is not memory
    [mapping] = records.all("mapping")
    assert mapping["verdict"] == "unsure"
    assert mapping["why"].startswith("flushed lines are read as fast as lines in caches")


@pytest.mark.long
def test_a_fault_on_a_cpu_that_builds(lab):
    """Chains are built by other CPUs, and what a fault there ends is told."""
    boot, records = lab.finish("tests=regions block=4M max=512M budget=30 cpus=all inject=part-pf", cap=100,
                               test_build=True, smp=3, memory_mib=768)
    assert records.status == "failed"
    [error] = records.all("error")
    assert "#PF" in error["text"]
    assert not records.all("block")
    why = [r["why"] for r in records.all("gap")]
    assert why.count("not reached when a fault ended the measurement") > 0, why


@pytest.mark.long
def test_several_cpus_measure_what_one_does(lab):
    blocks = {}
    for cpus in ("0", "all"):
        records = lab.finish(f"tests=regions block=16M max=256M budget=20 cpus={cpus}", cap=100,
                             smp=2, memory_mib=512)[1]
        assert records.status == "ok", records.notes()
        blocks[cpus] = [r["physical_first"] for r in records.all("block")]
    assert blocks["0"] == blocks["all"]
