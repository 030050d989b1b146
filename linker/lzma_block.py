# SPDX-License-Identifier: BSD-2-Clause
"""The LZMA stream that linker/unpack.c reads: without a header, ended by its marker (LZMA specification,
Igor Pavlov, 2015). What a byte is does not depend on its place or on the byte before: that makes the stream
hundreds of bytes longer and the tables of linker/unpack.c many times smaller."""
import lzma

FILTERS = [{"id": lzma.FILTER_LZMA1, "preset": 9 | lzma.PRESET_EXTREME, "lc": 0, "lp": 0, "pb": 0,
            "nice_len": 273}]


class Corrupt(Exception):
    """The bytes are not one stream, or of another size."""


def compress(data):
    """Returns the stream."""
    return lzma.compress(data, format=lzma.FORMAT_RAW, filters=FILTERS)


def decompress(block, size):
    """Returns what the stream unpacks to, which must be that many bytes."""
    decoder = lzma.LZMADecompressor(format=lzma.FORMAT_RAW, filters=FILTERS)
    try:
        data = decoder.decompress(block, size + 1)
    except lzma.LZMAError as error:
        raise Corrupt(str(error)) from error
    if len(data) != size or not decoder.eof or decoder.unused_data:
        raise Corrupt(f"{len(block)} bytes are not one stream of {size} bytes")
    return data
