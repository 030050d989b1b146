# SPDX-License-Identifier: BSD-2-Clause
"""AArch64: EDK2 and U-Boot, at EL1 and EL2, from the same stick image, with the same care."""
import re

import pytest

import matrix
from brief import brief
from conftest import MENU, newest
from machine import Drive, Machine
from records import Records
from test_counted import LIMIT, ONE_POINT, check_samples
from test_restore import registers

CASES = matrix.TABLE["arm"]
AXES = matrix.TABLE["arm_axes"]
KINDS = {"el1": dict(level=1, gic=2, cpu="cortex-a72"),
         "el2": dict(level=2, gic=3, cpu="neoverse-n1")}
PLAN = "tests=curve min=64K max=1M points=1 pages=4k,2m budget=30 error=20"


def case_name(case: dict) -> str:
    return "-".join(str(case[axis]) for axis in AXES)


def finish_arm_stick(lab, config: str, bus: str, readonly=False, test_build=False, **settings):
    """To the end of the run on a stick; the application that boots is the image's own."""
    copy = lab.stick(config.replace(" ", "\n") + "\nend=shutdown\n", test_build)
    boot = lab.boot(Machine(arch="aarch64", drives=[Drive(copy.path, bus, readonly)], **settings))
    boot.wait_exit(120)
    return boot, copy


@pytest.mark.parametrize("case", CASES, ids=case_name)
def test_case(lab, case):
    args = f"{matrix.SHORT} pages={case['pages']} map={case['map']}"
    settings = {axis: case[axis] for axis in ("firmware", "level", "gic", "cpu", "smp", "memory_mib")}
    if case["boot"] == "kernel":
        records = lab.finish(args, arch="aarch64", **settings)[1]
    else:
        copy = finish_arm_stick(lab, args, case["boot"], **settings)[1]
        copy.check(count_kept=case["firmware"] != "uboot")
        records = newest(copy)
    assert records.status == "ok", records.notes()
    assert records.one("run")["arch"] == "aarch64"
    usable = sum(int(r["bytes"]) for r in records.all("memory") if r["usable"])
    assert 0.5 * case["memory_mib"] < usable / 2**20 <= case["memory_mib"]
    points = records.all("point")
    assert points and not records.all("error")
    for point in points:
        assert point["map"] == case["map"] and point["verified"] in ("lap", "readback")
    assert records.all("dram")[0]["pages"] == case["pages"]


def test_every_value_is_booted():
    missing = {axis: set(values) - {case[axis] for case in CASES} for axis, values in AXES.items()}
    assert not any(missing.values()), missing
    assert {(case["firmware"], case["level"]) for case in CASES} == {
        (firmware, level) for firmware in AXES["firmware"] for level in AXES["level"]}


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("firmware, bus", [("edk2", "usb"), ("uboot", "virtio")])
def test_whole_default_plan(lab, firmware, bus):
    """Every experiment of the default plan, with nothing configured but the way it ends."""
    boot, copy = finish_arm_stick(lab, "", bus, firmware=firmware, cpu="cortex-a72", memory_mib=2048)
    records = newest(copy)
    assert records.status == "ok", records.notes()
    assert {"curve", "dram"} <= {point["experiment"] for point in records.all("point")}
    copy.check(count_kept=firmware != "uboot")


@pytest.mark.parametrize("firmware, bus", brief([("edk2", "virtio"), ("uboot", "ehci")]))
def test_read_only_stick(lab, firmware, bus):
    """Nothing can be saved: the records come over the console, and a note says why."""
    boot, copy = finish_arm_stick(lab, PLAN, bus, readonly=True, firmware=firmware, cpu="cortex-a57")
    records = Records.of_console(boot.text).check_whole()
    assert records.status == "ok" and records.all("point")
    assert records.notes("warning")
    assert copy.runs() == {}
    copy.check()


# ---- the quiet section

def run_injected(lab, fault: str, **settings):
    boot = lab.app(f"{PLAN} inject={fault} records=on", test_build=True, arch="aarch64", **settings)
    boot.wait_for(MENU, 60)
    boot.type("2")
    boot.wait_exit(20)
    return boot, Records.of_console(boot.text).check_whole()


def check_restored(boot):
    before, after = registers(boot.text)
    assert before.keys() == after.keys()
    expected = {"DAIF", "SP_EL0", "SCTLR_EL1", "TCR_EL1", "TTBR0_EL1", "MAIR_EL1", "VBAR_EL1",
                "CNTKCTL_EL1", "PMCR", "PMCNTENSET", "PMCCFILTR", "CSSELR_EL1"}
    if before["CurrentEL"] == 8:
        expected |= {"SCTLR_EL2", "TCR_EL2", "TTBR0_EL2", "MAIR_EL2", "VBAR_EL2", "HCR_EL2",
                     "MDCR_EL2", "CNTHCTL_EL2"}
    assert expected <= before.keys()
    level = before["CurrentEL"] // 4
    assert before[f"TTBR0_EL{level}"] and before[f"VBAR_EL{level}"], "the dump holds no values"
    changed = {name: (hex(before[name]), hex(after[name])) for name in before
               if before[name] != after[name]}
    assert not changed


FAULTS = {"ud": r"undefined instruction at", "serror": "SError at",
          "pf": r"data abort on a read of 0x[0-9a-f]+ \(not mapped"}


def at_each_level(names, *kept):
    """For pytest.mark.parametrize: what is named at every exception level, "pf-el1"."""
    return brief([f"{name}-{level}" for name in names for level in KINDS], *kept)


@pytest.mark.parametrize("which", at_each_level(FAULTS, "pf-el1", "serror-el2"))
def test_fault_ends_the_run(lab, which):
    fault, level = which.split("-")
    boot, records = run_injected(lab, fault, **KINDS[level])
    assert records.status == "failed"
    errors = records.all("error")
    assert len(errors) == 1 and errors[0]["kind"] == "fault", errors
    for part in (FAULTS[fault], r"image\+0x[0-9a-f]+, ESR 0x[0-9a-f]+, ELR 0x[0-9a-f]+, FAR 0x[0-9a-f]+;",
                 r"\bsp=0x", r"\bx0=0x", r"\bx30=0x"):
        assert re.search(part, errors[0]["text"]), f"{part} is missing in {errors[0]['text']}"
    check_restored(boot)


@pytest.mark.parametrize("level", brief(KINDS, "el2"))
def test_register_that_is_not_there_is_survived(lab, level):
    boot, records = run_injected(lab, "msr-gp", **KINDS[level])
    assert records.status == "ok" and records.all("point")
    assert len([note for note in records.notes("warning") if "resumed" in note]) == 1
    check_restored(boot)


@pytest.mark.parametrize("level", KINDS)
def test_registers_are_restored(lab, level):
    """In the firmware's mapping made finer; in windows of our own: after the faults above."""
    boot = lab.app(f"{PLAN} map=identity prefetch=both end=shutdown", test_build=True, arch="aarch64",
                   **KINDS[level])
    boot.wait_exit(60)
    check_restored(boot)


@pytest.mark.parametrize("plan, shows", brief([
    ("tests=single max=64M", "single accesses to random lines"),
    ("tests=regions max=96M block=16M", "6 blocks of 16M")], "tests=single max=64M"),
    ids=["single", "regions"])
def test_registers_are_restored_after(lab, plan, shows):
    boot = lab.app(f"{plan} budget=10 end=shutdown", test_build=True, arch="aarch64")
    boot.wait_exit(60)
    check_restored(boot)
    assert shows in boot.text


def test_registers_are_restored_on_uboot(lab):
    boot = finish_arm_stick(lab, PLAN, "virtio", test_build=True, firmware="uboot", level=2,
                        cpu="cortex-a57")[0]
    check_restored(boot)


def test_without_tables_of_our_own(lab):
    """The run goes on in the firmware's mapping, and every point says so."""
    boot, records = run_injected(lab, "no-tables", cpu="cortex-a57")
    assert records.status == "ok", records.notes()
    assert any("no page tables of our own" in note for note in records.notes("warning"))
    points = records.all("point")
    assert points
    for point in points:
        assert (point["map"], point["pages"]) == ("firmware", None)


FATAL = {"mc": "SError at image", "df": "while a fault was being handled"}


@pytest.mark.parametrize("which", at_each_level(FATAL, "mc-el1", "df-el2"))
def test_nothing_can_go_on_after_it(lab, which):
    """An uncontainable SError, a fault of the handler: the minimum is printed and the machine
    resets; with -no-reboot QEMU ends there."""
    fault, level = which.split("-")
    boot = lab.app(f"{PLAN} inject={fault} end=menu", test_build=True, arch="aarch64", **KINDS[level])
    boot.wait_exit(60)
    assert FATAL[fault] in boot.text and "the machine resets in half a minute" in boot.text, boot.tail()
    assert "1 again" not in boot.text


# ---- counted and traced

def test_instructions_per_hop(lab):
    """The counter runs at 62.5 MHz and an instruction takes 16 ns: a tick is an instruction."""
    ticks = {}
    for hops in (16384, 65536):
        plan = ONE_POINT.format(size="64K", pages="2m") + f" hops={hops}"
        records = lab.finish(plan, cap=90, icount=True, arch="aarch64", cpu="cortex-a57")[1]
        assert records.status == "ok" and records.one("run")["clock_hz"] == 62500000
        point = records.one("point")
        assert point["hops"] == hops
        ticks[hops] = point["ticks_median"]
    per_hop = (ticks[65536] - ticks[16384]) / (65536 - 16384)
    print(f"{per_hop:.4f} instructions per hop")
    assert 1 <= per_hop <= LIMIT


@pytest.mark.parametrize("level, pages, map_, size, hops", [
    (1, "4k", "window", "64K", 4096), (2, "2m", "identity", "1M", 16384 + 100),
])
def test_trace_holds_only_the_chain(lab, trace_plugin, scratch, level, pages, map_, size, hops):
    trace = scratch / "trace"
    plan = ONE_POINT.format(size=size, pages=pages) + f" map={map_} hops={hops}"
    records = lab.finish(plan, cap=90, plugin=f"file={trace_plugin},out={trace}", arch="aarch64",
                         cpu="cortex-a72", level=level)[1]
    assert records.status == "ok", records.notes()
    check_samples(trace, size, hops, samples_min=5)
