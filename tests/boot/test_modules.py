# SPDX-License-Identifier: BSD-2-Clause
"""Memory modules and caches as firmware describes them by SMBIOS: QEMU's tables, with what it is told of
them, come back in the records."""
import struct

import pytest

PLAN = "tests=dram max=1M pages=2m budget=10 error=20"
SLOT = "-smbios type=17,loc_pfx=ChannelA-DIMM,bank=BANK-7,manufacturer=Acme,part=EX-4800-1,speed=4800"
TABLES = f"{SLOT} -smbios type=4,max-speed=3100,current-speed=2700"
EXPECT = "expect-dimms=1 expect-size=256M expect-speed=4800 expect-channels=2 expect-ecc=on"


def smbios_cache(level, size, size_2=0):
    """A type 7 structure, as QEMU takes it from a file: enabled, write-back, unified, 16-way."""
    return struct.pack("<BBHBHHHHHBBBBII", 7, 27, 0x700 + level, 1, 0x180 | level - 1, size, size, 2,
                       2, 0, 2, 5, 8, size_2, size_2) + b"L%d\0\0" % level


def check_caches(records):
    """The registers know of no fourth level, nor of a third that large."""
    said = {cache["level"]: cache for cache in records.all("cache")}
    assert said[4]["bytes"] == 128 * 2**20 and said[3]["bytes"] == 64 * 2**20
    assert said[4]["ways"] == 16 and said[4]["kind"] == "unified" and said[4]["name"] == "L4"
    last = max(cache["level"] for cache in records.one("cpu")["caches"])
    assert {level for level in said if said[level]["beyond_registers"]} == \
        {level for level in said if level > last}
    warnings = [note for note in records.notes("warning") if "memory-side" in note]
    assert len(warnings) == 1 and "128M" in warnings[0] and "SMBIOS" in warnings[0]


@pytest.mark.parametrize("arch, entry", [
    ("x86_64", "32"), pytest.param("x86_64", "64", marks=pytest.mark.long), ("aarch64", None)])
def test_slots_and_caches(lab, tmp_path, arch, entry):
    """By both entry points, which only QEMU's PCs choose between."""
    more = TABLES if entry is None else f"{TABLES} -machine smbios-entry-point-type={entry}"
    files = {"l3": smbios_cache(3, 0x8000 | 1024), "l4": smbios_cache(4, 0xffff, 0x80000000 | 2048)}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
        more += f" -smbios file={tmp_path}/{name}"
    settings = {} if arch == "x86_64" else {"cpu": "cortex-a57"}
    records = lab.finish(f"{PLAN} {EXPECT}", arch=arch, smp=1, memory_mib=256, nodes=(256,),
                         more=more, **settings)[1]
    assert records.status == "ok", records.notes()
    run = records.one("run")
    assert (run["smbios_cpu_hz"], run["smbios_cpu_max_hz"]) == (2700000000, 3100000000)
    dimm = records.one("dimm")
    assert dimm["locator"] == "ChannelA-DIMM 0" and dimm["bank"] == "BANK-7"
    assert dimm["maker"] == "Acme" and dimm["part"] == "EX-4800-1"
    assert dimm["rated_mts"] == 4800 and dimm["configured_mts"] == 4800
    assert dimm["bytes"] == 256 << 20 and dimm["use"] == "system memory"
    assert dimm["ecc"] == "multi-bit" and dimm["ranks"] is None
    assert dimm["channel"] == "ChannelA" and dimm["channel_source"] == "name"
    modules = records.one("modules")
    assert modules["fitted"] == modules["slots"] == 1 and modules["bytes"] == 256 << 20
    assert modules["channels"] == 1 and modules["max_bytes"] == 256 << 20
    # QEMU's virt machine has no type 19.
    assert modules["mapped_bytes"] == (256 << 20 if arch == "x86_64" else None)
    assert 192 << 20 < modules["map_bytes"] <= 256 << 20 and modules["map_agrees"] is True
    met = {item["name"]: (item["found"], item["met"]) for item in records.all("expectation")}
    assert met == {"expect-dimms": ("1", True), "expect-size": ("256M", True),
                   "expect-speed": ("4800", True), "expect-channels": ("1", False),
                   "expect-ecc": ("on", True)}
    warned = [note for note in records.notes("warning") if "memory-side" not in note and
              ("expect-" in note or "SMBIOS" in note)]
    assert len(warned) == 1 and "2 is expected, 1 is found" in warned[0]
    check_caches(records)
