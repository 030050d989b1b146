# SPDX-License-Identifier: BSD-2-Clause
"""ACPI tables as they lie in a running machine's memory: found by their root pointer in a dump of it.

Run as a script it boots an AArch64 machine with nodes and writes its tables for the fuzzer: the root
pointer from address 0 on, tables after it (tests/fuzz/fuzz_acpi.c)."""
import pathlib
import struct
import sys
import tempfile

KEPT = ("FACP", "APIC", "PPTT", "SRAT", "SLIT", "HMAT")


class Memory:
    """What monitor commands see of a machine's memory from `base` on."""

    def __init__(self, boot, base: int, mib: int):
        path = boot.scratch / "memory"
        said = boot.monitor(f"pmemsave {base:#x} {mib << 20:#x} \"{path}\"")
        assert path.exists(), said
        self.base, self.bytes = base, path.read_bytes()
        path.unlink()

    def at(self, address: int, count: int) -> bytes:
        start = address - self.base
        return self.bytes[start:start + count] if start >= 0 else b""

    def table(self, address: int) -> bytes | None:
        """A whole table with a sound checksum."""
        header = self.at(address, 8)
        if len(header) < 8:
            return None
        table = self.at(address, struct.unpack_from("<I", header, 4)[0])
        return table if 36 <= len(table) < 1 << 20 and sum(table) % 256 == 0 else None

    def tables(self) -> dict[int, bytes]:
        """By their addresses: the tables of every sound root pointer, the root table first."""
        found, position = {}, -1
        while (position := self.bytes.find(b"RSD PTR ", position + 1)) >= 0:
            pointer = self.bytes[position:position + 36]
            if sum(pointer) % 256 or pointer[15] < 2:
                continue
            address = struct.unpack_from("<Q", pointer, 24)[0]
            root = self.table(address)
            if root is None or root[:4] != b"XSDT":
                continue
            found[address] = root
            for entry, in struct.iter_unpack("<Q", root[36:]):
                if table := self.table(entry):
                    found[entry] = table
        return found


def seal(table: bytes) -> bytes:
    """With its checksum right again."""
    return table[:9] + bytes([(table[9] - sum(table)) % 256]) + table[10:]


def for_the_fuzzer(tables: dict[int, bytes]) -> bytes:
    kept = [table for table in tables.values() if table[:4].decode("latin-1") in KEPT]
    root = next(table for table in tables.values() if table[:4] == b"XSDT")
    root_at, body, entries = 64, b"", b""
    at = root_at + 36 + 8 * len(kept)
    for table in kept:
        at += -at % 4
        entries += struct.pack("<Q", at)
        body += bytes(-len(body) % 4) + table
        at += len(table)
    head = root[:4] + struct.pack("<I", 36 + len(entries)) + root[8:36]
    pointer = b"RSD PTR " + bytes(1) + root[10:16] + bytes([2]) + struct.pack("<IIQI", 0, 36, root_at, 0)
    pointer = pointer[:8] + bytes([-sum(pointer[:20]) % 256]) + pointer[9:]
    pointer = pointer[:32] + bytes([-sum(pointer) % 256]) + bytes(3)
    gap = bytes(-(root_at + len(head + entries)) % 4)
    return pointer.ljust(root_at, b"\0") + seal(head + entries) + gap + body


def main(path: str):
    from machine import Boot, Machine
    machine = Machine(arch="aarch64", cpu="cortex-a57", smp=4, topology="sockets=2,clusters=1,cores=2",
                      memory_mib=512, nodes=(256, 256), more=" ".join(
                          f"-numa hmat-lb,initiator={one},target={other},hierarchy=memory,{kind}={value}"
                          for one in (0, 1) for other in (0, 1)
                          for kind, value in (("data-type=access-latency,latency", 10 + 20 * (one != other)),
                                              ("data-type=access-bandwidth,bandwidth", "2G")))
                      + " -numa dist,src=0,dst=1,val=21")
    with tempfile.TemporaryDirectory() as scratch, Boot(machine, pathlib.Path(scratch)) as boot:
        boot.wait_for("Shell>|any other key", 90)
        tables = Memory(boot, 1 << 30, 512).tables()
        pathlib.Path(path).write_bytes(for_the_fuzzer(tables))
        for address, table in tables.items():
            print(f"{address:#x} {table[:4].decode()} {len(table)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
