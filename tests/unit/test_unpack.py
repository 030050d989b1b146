# SPDX-License-Identifier: BSD-2-Clause
"""What linker/lzma_block.py packs, linker/unpack.c unpacks; what was damaged, it refuses."""
import ctypes
import os
import random
import re
import struct
import subprocess
import sys
import zlib

import pytest

from script import TREE

sys.path.insert(0, str(TREE / "linker"))
from lzma_block import Corrupt, compress, decompress  # noqa: E402

BUILD = TREE / os.environ.get("BUILD", "build")
DRAW = random.Random(5)
TEXT = b"".join(DRAW.choice([b"latency", b"ns/access ", b"bank", bytes(9)]) for _ in range(900))
INPUTS = {
    "one byte": b"x", "run": bytes(5000), "text": TEXT, "random": DRAW.randbytes(3000),
    "long literals": DRAW.randbytes(900) + bytes(4000) + DRAW.randbytes(20) + TEXT,
    **{f"{count} equal": b"a" * count for count in range(2, 40)},
}
FIT = {name: data for name, data in INPUTS.items() if len(compress(data)) + 8 <= len(data)}
GUARD = b"\xa5" * 64


@pytest.fixture(scope="module")
def unpack(tmp_path_factory):
    """The C function, with the bytes beside its output looked at: (packed, size) -> data or None."""
    library = tmp_path_factory.mktemp("unpack") / "unpack.so"
    subprocess.run(["gcc", "-std=c11", "-O1", "-shared", "-fPIC", "-I.", "-o", library,
                    "linker/unpack.c", "core/lib/crc32.c"], cwd=TREE, check=True)
    function = ctypes.CDLL(str(library)).unpack_data
    function.restype, function.argtypes = ctypes.c_bool, [ctypes.c_void_p] * 3

    def call(packed, size):
        source = ctypes.create_string_buffer(packed.ljust(size, b"\0"))
        out = ctypes.create_string_buffer(GUARD + bytes(size) + GUARD, size + 2 * len(GUARD))
        begin = ctypes.addressof(out) + len(GUARD)
        done = function(ctypes.addressof(source), begin, begin + size)
        assert out.raw[: len(GUARD)] == out.raw[len(GUARD) + size :] == GUARD
        return out.raw[len(GUARD) : len(GUARD) + size] if done else None

    return call


def packed(data):
    block = compress(data)
    return struct.pack("<II", zlib.crc32(data), len(block)) + block


@pytest.mark.parametrize("name", ["", *INPUTS])
def test_blocks_unpack_to_what_they_were(name):
    data = INPUTS.get(name, b"")
    assert decompress(compress(data), len(data)) == data


@pytest.mark.parametrize("name", FIT)
def test_the_start_code_unpacks_the_same(unpack, name):
    assert unpack(packed(FIT[name]), len(FIT[name])) == FIT[name]


def test_damaged_blocks_are_refused(unpack):
    data = FIT["text"]
    good = packed(data)
    assert unpack(good, len(data) - 1) is None and unpack(good, len(data) + 1) is None
    for count in range(0, len(good), 7):
        assert unpack(good[:count], len(data)) is None
    for pos in range(0, len(good), 3):
        changed = bytearray(good)
        changed[pos] ^= DRAW.randrange(1, 256)
        # An earlier place may hold the same bytes: then nothing is wrong.
        assert unpack(bytes(changed), len(data)) in (None, data)
    for pos in range(8):
        assert unpack(good[:pos] + bytes([good[pos] ^ 0x80]) + good[pos + 1 :], len(data)) is None
    longer = struct.pack("<II", zlib.crc32(data), len(good) - 8 + 1) + good[8:] + b"\0"
    assert unpack(longer, len(data)) is None
    with pytest.raises(Corrupt):
        decompress(good[8:-3], len(data))


OBJECTS = [image.parent / "obj" / name for place in ("*", "clang/*")
           for image in sorted(BUILD.glob(f"{place}/barechase.efi"))
           for name in ("linker/unpack.c.o", "core/lib/crc32.c.o")]


def test_the_unpacker_needs_no_constant():
    """What it is built of refers to code alone: constants and data are what it has yet to unpack."""
    assert OBJECTS
    for path in OBJECTS:
        table = subprocess.run(["readelf", "-rW", path], capture_output=True, text=True, check=True)
        names = re.findall(r"R_\w+ +[0-9a-f]+ +(\S+)", table.stdout)
        assert all(name == "crc32_add" or name.startswith(".text") for name in names), (path, names)
