# SPDX-License-Identifier: BSD-2-Clause
"""What memory holds, tested under real firmware: all of it is tested or named, a bad cell is found
where it is, and the firmware goes on."""
import pytest

from machine import Machine, Drive
from conftest import newest

MIB = 1 << 20
IN_USE = "in use by the firmware or a loader, or not cached"


def finish(lab, args, cap, **settings):
    """U-Boot has no way to start an application but from a disk."""
    if settings["firmware"] != "uboot":
        return lab.finish(args, cap=cap, **settings)
    copy = lab.stick(args.replace(" ", "\n") + "\nend=shutdown\n")
    boot = lab.boot(Machine(drives=[Drive(copy.path, "virtio")], **settings))
    boot.wait_exit(cap)
    return boot, newest(copy)


@pytest.mark.parametrize("arch, firmware, mib", [
    ("x86_64", "edk2", 256), pytest.param("aarch64", "edk2", 256, marks=pytest.mark.long),
    pytest.param("aarch64", "uboot", 512, marks=pytest.mark.long),
    pytest.param("x86_64", "edk2", 6144, marks=pytest.mark.long)])
def test_all_memory_is_tested_or_named(lab, arch, firmware, mib):
    boot, records = finish(lab, "tests=verify", 100 + mib // 4, arch=arch, firmware=firmware,
                           memory_mib=mib)
    assert records.status == "ok", records.notes()
    [verify] = records.all("verify")
    assert verify["steps_done"] == verify["steps"] and verify["cut_by"] is None
    assert verify["events"] == 0 and verify["lane_events"] is None
    # Every two addresses were held at once, in one of three windows, but for what the firmware took.
    assert verify["apart_share"] < 1e-3 and verify["steps"] == 10 + 10 + 6
    assert not any("tested as one" in note for note in records.notes("warning")), records.notes()
    assert any("tested as one" in note for note in records.notes("info")) == (verify["apart_share"] > 0)
    assert not records.all("error") and not records.all("bad_memory")
    memory = sum(r["bytes"] for r in records.all("memory"))
    assert verify["memory_bytes"] == memory
    assert verify["bytes"] + sum(r["bytes"] for r in records.all("gap")) == memory
    # What is left are the firmware's own pieces, and what is ours.
    assert {r["why"] for r in records.all("gap")} <= {IN_USE, "less than a page at an edge",
                                                      "kept free for the firmware and page tables"}
    assert sum(r["bytes"] for r in records.all("gap") if r["why"] != IN_USE) < 2 * MIB
    assert verify["bytes"] > (0.6 if mib <= 256 else 0.85) * mib * MIB
    assert "no word read wrong" in boot.text


@pytest.mark.parametrize("smp, workers", [(2, 2), (4, 3)])
@pytest.mark.long
def test_several_cpus_test_it(lab, smp, workers):
    """With one other CPU the boot CPU works too; with more it waits. A stuck cell is found all the same,
    whose events are not of one CPU alone."""
    offset, bit = 77 * MIB + 0x1238, 41
    records = {}
    for cpus in ("0", "all"):
        boot, records[cpus] = lab.finish(f"tests=verify cpus={cpus} max=192M inject=stuck:{offset}:{bit}",
                                         cap=100, test_build=True, smp=smp, memory_mib=384)
        assert not [note for note in records[cpus].notes() if "one CPU alone" in note]
    alone, together = records["0"], records["all"]
    assert [r.all("verify")[0]["processors"] for r in (alone, together)] == [1, workers]
    for kind in ("error", "bad_memory"):
        assert len(together.all(kind)) == len(alone.all(kind)) == 1
    [one], [other] = alone.all("error"), together.all("error")
    for field in ("cause", "bits", "expected", "read", "reread", "events"):
        assert one[field] == other[field], (field, one, other)
    assert alone.all("verify")[0]["events"] == together.all("verify")[0]["events"] > 3


def test_a_cpu_that_cannot_be_had_is_named(lab):
    """One that is on already, on AArch64: memory is tested all the same."""
    records = lab.finish("tests=verify max=16M cpus=all inject=cpu-is-on", cap=90, smp=2,
                         arch="aarch64", cpu="cortex-a57", firmware="edk2", memory_mib=256,
                         test_build=True)[1]
    assert records.status == "ok"
    assert records.all("verify")[0]["processors"] == 1
    assert any("CPUs that do not work on memory" in note for note in records.notes()), records.notes()


@pytest.mark.parametrize("arch", ["x86_64", pytest.param("aarch64", marks=pytest.mark.long)])
def test_a_stuck_cell_is_found_where_it_is(lab, arch):
    offset, bit = 5 * MIB + 0x1238, 41
    boot, records = lab.finish(f"tests=verify max=16M decode=0x40000/0x80000:A1,A2,B1,B2 "
                               f"inject=stuck:{offset}:{bit}", cap=90,
                               test_build=True, arch=arch, firmware="edk2", memory_mib=256)
    [verify], [error], [bad] = (records.all(kind) for kind in ("verify", "error", "bad_memory"))
    assert records.status == "failed"
    assert error["cause"] == "stored" and int(error["bits"], 16) == 1 << bit
    assert int(error["physical_address"], 16) % 4096 == offset % 4096
    assert int(bad["physical_first"], 16) == int(error["physical_address"], 16) & ~0xfff
    slot = ["A1", "A2", "B1", "B2"][int(error["physical_address"], 16) >> 18 & 3]
    assert error["slot"] == bad["slot"] == slot
    [part] = records.all("bad_part")
    assert (part["by"], part["name"], part["words"]) == ("slot", slot, 1)
    assert bad["bytes"] == 4096 and bad["events"] == error["events"] == verify["events"]
    assert verify["lane_events"][bit] == verify["events"] > 3
    assert f"memmap=4K${bad['physical_first']}" in boot.text
    assert "READ WRONG" in boot.text


@pytest.mark.long
def test_a_key_ends_it(lab):
    boot = lab.app("tests=verify hold=1000 records=on end=shutdown")
    boot.wait_for(r"verify", 60)
    boot.type("q")
    boot.wait_exit(60)
    assert '"cut_by":"stopped"' in boot.text
