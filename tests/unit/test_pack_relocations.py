# SPDX-License-Identifier: BSD-2-Clause
"""linker/pack_relocations: what it packs is what start_<architecture>.S unpacks."""
import random
import struct

import pytest

from script import load

tool = load("linker/pack_relocations")
AARCH64, X86_64, GLOB_DAT = 1027, 8, 1025
DATA, ROOM = 0x3000, 64


def unpacked(entries):
    """As linker/start_*.S reads them."""
    offsets, at = [], 0
    for entry in entries:
        if not entry & 1:
            offsets.append(entry)
            at = entry + 8
            continue
        offsets += [at + 8 * bit for bit in range(63) if entry >> (1 + bit) & 1]
        at += 63 * 8
    return offsets


def elf(relocations, room=ROOM, data=4096):
    """A file with .rela, .relr and .data, as far as the tool looks at it."""
    names = b"\0.rela\0.relr\0.data\0.bss\0.shstrtab\0"
    rela = b"".join(struct.pack("<QQq", *row) for row in relocations)
    parts = [("", 0, 0, b""), (".rela", 4, 0x9000, rela), (".relr", 1, 0x2000, bytes(room)),
             (".data", 1, DATA, b"\xAA" * data), (".bss", 8, DATA + data, bytes(0)),
             (".shstrtab", 3, 0, names)]
    body, headers = bytearray(64), []
    for name, kind, address, content in parts:
        size = 4096 if kind == 8 else len(content)
        headers.append(struct.pack("<IIQQQQIIQQ", names.index(name.encode()) if name else 0, kind, 0,
                                   address, len(body), size, 0, 0, 0, 0))
        body += content
    table = len(body)
    body[:6] = b"\x7fELF\x02\x01"
    struct.pack_into("<Q", body, 0x28, table)
    struct.pack_into("<HHH", body, 0x3A, 64, len(headers), len(headers) - 1)
    return bytes(body) + b"".join(headers)


def part(data, name):
    _, offset, size, _ = tool.sections(data)[name]
    return data[offset : offset + size]


def test_entries_name_the_same_words():
    draw = random.Random(17)
    for _ in range(300):
        reach = draw.choice([8, 63, 64, 65, 127, 1000])
        offsets = sorted(8 * word for word in draw.sample(range(reach), draw.randint(0, reach)))
        assert unpacked(tool.packed(offsets)) == offsets


def test_a_file_is_packed_in_place_and_a_second_time_the_same():
    draw = random.Random(3)
    words = draw.sample(range(500), 120)
    rows = [(DATA + 8 * word, draw.choice([AARCH64, X86_64]), 0x1000 + word) for word in words]
    data = tool.pack(elf(rows, room=160))
    entries = struct.unpack("<20Q", part(data, ".relr"))
    assert unpacked(entries) == sorted(row[0] for row in rows)
    content = part(data, ".data")
    for word in range(512):
        (value,) = struct.unpack_from("<Q", content, 8 * word)
        assert value == (0x1000 + word if word in words else 0xAAAAAAAAAAAAAAAA)
    assert tool.pack(data) == data
    assert unpacked(struct.unpack("<8Q", part(tool.pack(elf([])), ".relr"))) == []


@pytest.mark.parametrize("rows, text", [
    ([(DATA, GLOB_DAT, 0)], "the word at 0x3000 has a relocation of type 1025"),
    ([(DATA, 1 << 32 | AARCH64, 0)], "the word at 0x3000 has a relocation of type 1027"),
    ([(DATA + 4, AARCH64, 0)], "the word at 0x3004 is not aligned"),
    ([(DATA + 8, AARCH64, 0), (DATA + 20, AARCH64, 0)], "the word at 0x3014 is not aligned"),
    ([(DATA + 4096 + 8, AARCH64, 0)], "the word at 0x4008 lies in no section"),
    ([(DATA + 512 * i, AARCH64, 0) for i in range(8)] + [(DATA + 8, AARCH64, 0)],
     "9 entries do not fit into the 64 bytes of .relr"),
])
def test_what_cannot_be_packed_is_named(rows, text):
    with pytest.raises(tool.Broken, match=text):
        tool.pack(elf(rows))


def test_a_file_that_is_no_elf_is_left_alone(tmp_path, capsys):
    path = tmp_path / "image.elf"
    path.write_bytes(b"MZ" + bytes(100))
    assert tool.main([str(path)]) == 1
    assert "not a 64-bit little-endian ELF file" in capsys.readouterr().err
    assert path.read_bytes() == b"MZ" + bytes(100)
    assert tool.main([]) == 2
