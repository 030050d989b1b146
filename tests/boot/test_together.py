# SPDX-License-Identifier: BSD-2-Clause
"""Several CPUs at the same time on firmware: threads, loaded and handoff. What is asserted is that they
ran, what they moved, and what they left behind; nothing here is a latency."""
import re

import pytest

from brief import brief
from test_restore import check_restored

THREADS = "tests=threads max=4M pages=2m budget=30 error=20"
LOADED = "tests=loaded max=4M pages=2m budget=15 error=20"
# The emulator's CPUs are threads of a host that may be busy: not each of them answers in time.
LATE = "the other CPU did not answer in time"
AWAY = {"a CPU that was to load memory did not run most of the time",
        "a CPU that was to be kept awake did not run most of the time", "it was not measured"}
TRIES = 12  # only where a host is busy are there more than a few
WAITS = "the firmware runs other CPUs only while the boot CPU waits"


def loads(records, processors):
    found = [load for load in records.all("load") if load["processors"] == processors]
    assert all((load["ns"] is None) == (load["why"] is not None) for load in found), found
    return found


def check_threads(records, processors):
    """Of each CPU and of all together; what all moved is what each did. Whether there are figures: the
    host may have had no time for that many CPUs."""
    found = loads(records, processors)
    each = [load for load in found if load["cpu"] is not None]
    whole, = [load for load in found if load["cpu"] is None]
    assert [load["cpu"] for load in each] == list(range(processors))
    if whole["why"] is not None:
        assert processors > 1 and {load["why"] for load in found} <= AWAY, found
        return False
    assert all(load["ns"] > 0 and load["bytes_per_s"] > 0 for load in found), found
    # Not of the same samples, and the emulator's CPUs are not steady.
    moved = sum(load["bytes_per_s"] for load in each)
    assert moved / 3 < whole["bytes_per_s"] < moved * 3
    return True


@pytest.mark.parametrize("smp, topology", brief([
    (2, "sockets=2,cores=1,threads=1"), (4, "sockets=1,cores=2,threads=2"),
    (8, "sockets=2,dies=2,cores=1,threads=2"),
], 4), ids=["2", "4", "8"])
def test_threads(lab, smp, topology):
    left = {processors for processors in (2, 4, 8) if processors <= smp}
    for _ in range(TRIES):
        records = lab.finish(THREADS, smp=smp, topology=topology)[1]
        assert records.status == "ok"
        assert [load["why"] for load in loads(records, 1)] == [None]
        left -= {processors for processors in left if check_threads(records, processors)}
        if not left:
            return
    raise AssertionError(f"no figure for {left} CPUs: {records.notes()}")


@pytest.mark.long
def test_loaded(lab):
    """Each kind of load moves what it is to: its share of stores is what it says."""
    records = lab.finish(LOADED, smp=3)[1]
    assert records.status == "ok"
    full = {load["kind"]: load for load in records.all("load") if load["pause_cycles"] == 0}
    assert set(full) == {"read", "2:1", "1:1", "store-nt"}
    measured = [load for load in full.values() if load["ns"] is not None]
    assert measured, full
    for load in measured:
        # The chase, which reads only, is a part of it.
        share = {"read": 0, "2:1": 1 / 3, "1:1": 1 / 2, "store-nt": 1}[load["kind"]]
        assert load["processors"] == 3 and load["bytes_per_s"] > 1e6
        assert share / 100 <= load["written_share"] <= share + 0.01, load


# At work, of them threads of the chase's core, and parked.
PARKS = {("spin", 3, 0, 1), ("spin", 4, 1, 0), ("park", 1, 0, 3)}
CANNOT = {("spin", 3, 0, 0), ("spin", 4, 1, 0)}


@pytest.mark.parametrize("cpu, arch, topology, states", brief([
    ("max", "x86_64", "sockets=1,cores=2,threads=2", PARKS),
    ("max,-monitor", "x86_64", "sockets=1,cores=2,threads=2", CANNOT),
    ("cortex-a72", "aarch64", "", {("spin", 4, 0, 0), ("park", 1, 0, 3)}),
], "max"), ids=["parks", "cannot-park", "aarch64"])
@pytest.mark.long
def test_awake(lab, cpu, arch, topology, states):
    """Others that run, and touch no memory, or are halted; each core's own thread apart."""
    for _ in range(TRIES):
        records = lab.finish("tests=awake max=4M pages=2m budget=30 error=20", arch=arch, cpu=cpu, smp=4,
                             topology=topology)[1]
        assert records.status == "ok"
        loads = [load for load in records.all("load") if load["kind"] != "none"]
        assert {(load["kind"], load["processors"], load["siblings"], load["parked"])
                for load in loads} == states
        assert all((load["ns"] is None) == (load["why"] in AWAY) for load in loads), loads
        assert any("no CPU is parked" in note for note in records.notes()) == (states == CANNOT)
        if all(load["ns"] is not None for load in loads):
            return
    raise AssertionError(f"no figure: {loads}")


def test_handoff(lab):
    """All three pairs of CPUs, the boot CPU in two of them."""
    answered = set()
    for _ in range(TRIES):
        pairs = lab.finish("tests=handoff", smp=3)[1].all("pair")
        assert {(pair["from"], pair["to_cpu"]) for pair in pairs} == {(0, 1), (0, 2), (1, 2)}
        assert {pair["kind"] for pair in pairs} == {"clean", "modified", "swap"}
        assert all((pair["ns"] is None) == (pair["why"] == LATE) for pair in pairs), pairs
        answered |= {pair["to_cpu"] for pair in pairs if pair["ns"] is not None}
        if answered == {1, 2}:
            return
    raise AssertionError(f"only {answered} answered: {pairs}")


@pytest.mark.long
def test_the_boot_cpu_has_to_wait(lab):
    """Firmware that runs other CPUs only while the boot CPU waits: pairs without it are measured."""
    for _ in range(TRIES):
        records = lab.finish("tests=handoff,threads max=4M pages=2m budget=30 inject=mp-no-beside",
                             smp=3, test_build=True)[1]
        pairs = records.all("pair")
        for pair in pairs:
            with_boot = 0 in (pair["from"], pair["to_cpu"])
            assert (pair["why"] == WAITS) == with_boot, pair
            assert pair["ns"] is None or not with_boot
        if any(pair["ns"] is not None for pair in pairs):
            break
    without = [pair for pair in pairs if 0 not in (pair["from"], pair["to_cpu"])]
    assert without and all((pair["ns"] is None) == (pair["why"] == LATE) for pair in without), without
    assert any(pair["ns"] is not None for pair in pairs), pairs
    more = [load for load in records.all("load") if load["processors"] > 1]
    assert more and all(load["ns"] is None and load["why"] for load in more), more
    assert any(WAITS in note for note in records.notes("warning")), records.notes()


def test_a_fault_on_a_cpu_that_loads(lab):
    """It ends the run in one named line, every CPU is as it was, and the firmware goes on."""
    boot, records = lab.finish(f"{THREADS} inject=load-pf", smp=2, test_build=True)
    assert records.status == "failed"
    errors = records.all("error")
    assert len(errors) == 1 and "#PF" in errors[0]["text"], errors
    check_restored(boot)


def test_registers_are_restored(lab):
    boot, records = lab.finish(f"{THREADS} inject=cpus", smp=3, cpu="Skylake-Server", test_build=True)
    assert records.status == "ok"
    check_restored(boot)
    starts, changed = re.findall(r"(\d+) starts of other CPUs, (\d+) registers changed", boot.text)[-1]
    assert int(starts) >= 4 and changed == "0", re.findall(".* registers changed.*", boot.text)


def test_one_cpu(lab):
    records = lab.finish(f"{THREADS} tests=threads,handoff,loaded", smp=1)[1]
    assert not [pair for pair in records.all("pair") if pair["ns"] is not None]
    assert any("one CPU" in note for note in records.notes("warning")), records.notes()


# ---- work on memory shared out

LINES = (256 << 20) // 64
# The other CPUs are started before the first set is built, in memory that nobody has written to.
BUILD = "tests=handoff,threads max=256M pages=2m budget=30 error=20 prefetch=on inject=sums"
SUM = re.compile(r"sum (0x[0-9a-f]+) of (\d+) lines, (\d+) CPUs")


def built(boot) -> tuple[set[str], int]:
    """Sums of whole sets, and by how many CPUs at once one of them was built, 0: by one alone."""
    found = [found for found in SUM.findall(boot.raw) if int(found[1]) == LINES]
    assert found, boot.tail()
    return {sum for sum, _, _ in found}, max(int(workers) for _, _, workers in found)


@pytest.mark.long
def test_a_chain_is_the_same_whoever_builds_it(lab):
    """With one other CPU the boot CPU builds too; with more it waits."""
    alone = None
    for smp, workers in ((1, 0), (2, 2), (4, 3)):
        boot, records = lab.finish(BUILD, smp=smp, memory_mib=768, test_build=True)
        assert records.status == "ok", records.notes()
        sums, at_once = built(boot)
        alone = alone or sums
        assert len(sums) == 1 and sums == alone, (smp, sums, alone)
        assert at_once == workers, boot.tail()
        assert all(point["verified"] in ("lap", "readback") for point in records.all("point"))


@pytest.mark.long
def test_a_fault_on_a_cpu_that_builds(lab):
    boot, records = lab.finish(BUILD.replace("sums", "part-pf"), smp=3, memory_mib=768, test_build=True)
    assert records.status == "failed"
    errors = records.all("error")
    assert len(errors) == 1 and "#PF" in errors[0]["text"], errors
    check_restored(boot)
