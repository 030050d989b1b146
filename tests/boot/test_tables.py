# SPDX-License-Identifier: BSD-2-Clause
"""Firmware tables that are broken, on real firmware: a note for each, and the run goes on. The MADT is
damaged in memory, as the firmware's shell can, between runs of one boot."""
import contextlib
import struct

import pytest

from tables import Memory, seal

PLAN = "tests=dram max=1M pages=2m budget=5 error=20"
CORES = "tests=cores max=1M pages=2m budget=10 error=20"
MIB = 256


class Damage:
    """Writes tables anew through the shell."""

    def __init__(self, shell):
        self.shell = shell
        self.tables = Memory(shell.boot, 0, MIB).tables()

    def find(self, signature: bytes) -> tuple[int, bytes]:
        (found,) = [(address, table) for address, table in self.tables.items() if table[:4] == signature]
        return found

    def write(self, address: int, old: bytes, new: bytes):
        for position, (one, other) in enumerate(zip(old, new)):
            if one != other:
                self.shell.start(f"mm {address + position:x} {other:x} -w 1 -n").wait_exit(10)

    @contextlib.contextmanager
    def change(self, signature: bytes, changes: dict[int, int], sealed=True):
        """These bytes, under a sound checksum or not; and back."""
        address, table = self.find(signature)
        new = bytearray(table)
        for position, value in changes.items():
            new[position] = value
        new = seal(bytes(new)) if sealed else bytes(new)
        self.write(address, table, new)
        yield
        self.write(address, new, table)


@pytest.fixture(scope="module")
def damage(shells_of_all):
    shell = shells_of_all.start("tables", smp=3, memory_mib=MIB)[1]
    yield Damage(shell)
    shell.switch_off()


def entries(madt: bytes) -> list[int]:
    """Where they begin."""
    found, position = [], 44
    while position < len(madt):
        found.append(position)
        position += madt[position + 1]
    return found


LENGTH = struct.pack("<I", 44 + 8 * 10**6)
IN_PART, SKIPPED = "ACPI table unusable in part: MADT: 1 of its", "ACPI tables skipped"


@pytest.mark.xdist_group("tables")
@pytest.mark.parametrize("which, note, cpus", [
    ("sound", None, {0, 1, 2}),
    ("no length", IN_PART, {0, 1}),
    ("past the end", IN_PART, {0, 1, 2}),
    ("a million entries", SKIPPED, {0}),
    ("shorter than its head", SKIPPED, {0}),
    ("wrong checksum", SKIPPED, {0}),
])
def test_madt(damage, which, note, cpus):
    _, madt = damage.find(b"APIC")
    at = entries(madt)
    changes, sealed = {
        "sound": ({}, True),
        "no length": ({at[2] + 1: 0}, True),
        "past the end": ({at[-1] + 1: 255}, True),
        "a million entries": (dict(zip(range(4, 8), LENGTH)), False),
        "shorter than its head": ({4: 12}, True),
        "wrong checksum": ({9: madt[9] ^ 1}, False),
    }[which]
    with damage.change(b"APIC", changes, sealed):
        records = damage.shell.finish(CORES)[1]
    assert records.status == "ok", records.notes()
    said = [text for text in records.notes("warning") if "ACPI" in text]
    assert len(said) == (note is not None) and all(note in text for text in said), said
    figures = {pair["from"] for pair in records.all("pair") if pair["ns"] is not None}
    assert figures == cpus, records.all("pair")


def srat(*structures: bytes) -> bytes:
    return struct.pack("<IQ", 1, 0) + b"".join(structures)


MEMORY = struct.pack("<BBIHQQIIQ", 1, 40, 0, 0, 0, 1 << 40, 0, 1, 0)


@pytest.mark.parametrize("content, note", [
    pytest.param(srat(MEMORY, bytes([0, 0]) + bytes(14)), "SRAT: 1 of its", id="length"),
    pytest.param(srat(MEMORY, bytes([1, 200]) + bytes(38)), "SRAT: 1 of its", id="end",
                 marks=pytest.mark.long),
    pytest.param(srat(*[MEMORY] * 1600), "SRAT: 1344 of its", id="many",
                 marks=pytest.mark.long),
])
def test_srat(lab, tmp_path, content, note):
    """One that QEMU takes from a file, of at most 64 KiB."""
    (tmp_path / "srat").write_bytes(content)
    records = lab.finish(PLAN, more=f"-acpitable sig=SRAT,data={tmp_path}/srat")[1]
    assert records.status == "ok" and records.all("point"), records.notes()
    said = [text for text in records.notes("warning") if "ACPI" in text]
    assert len(said) == 1 and note in said[0], records.notes()
