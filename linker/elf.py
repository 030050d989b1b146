# SPDX-License-Identifier: BSD-2-Clause
"""The sections of a linked image, for the scripts that pack it."""
import struct

SECTION_HEADER = "<IIQQQQIIQQ"


class Broken(Exception):
    """What cannot be packed; the text says which."""


def sections(data):
    """Returns name -> (address, offset, bytes, occupies the file) of a 64-bit little-endian ELF file."""
    if data[:6] != b"\x7fELF\x02\x01":
        raise Broken("not a 64-bit little-endian ELF file")
    (table,) = struct.unpack_from("<Q", data, 0x28)
    entry_bytes, count, names = struct.unpack_from("<HHH", data, 0x3A)
    rows = [struct.unpack_from(SECTION_HEADER, data, table + i * entry_bytes) for i in range(count)]
    text = rows[names][4]
    found = {}
    for name, kind, _, address, offset, size, *_ in rows:
        begin = text + name
        found[data[begin : data.index(b"\0", begin)].decode()] = (address, offset, size, kind != 8)
    return found
