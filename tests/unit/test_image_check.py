# SPDX-License-Identifier: BSD-2-Clause
"""The image check finds each broken property: bytes of a good image are changed one by one."""
import os
import struct

import pytest

from script import TREE, load

BUILD = TREE / os.environ.get("BUILD", "build")
IMAGES = sorted(BUILD.glob("*/barechase.efi"))

check_image = load("linker/check_image")
COFF, OPTIONAL, TABLE = 0x44, 0x58, 0x58 + 0xF0


def section(index, field):
    """Offset of a field of a row of the section table."""
    fields = {"name": 0, "memory": 8, "rva": 12, "size": 16, "offset": 20, "relocs": 24, "flags": 36}
    return TABLE + 40 * index + fields[field]


# the check that must fail, offset, format, new value
FIELDS = [
    ("header", 0, "<H", 0x4D5B),
    ("header", 0x3C, "<I", 0x00FFFFFF),
    ("header", 0x40, "<I", 0x4551),
    ("header", OPTIONAL, "<H", 0x10B),
    ("machine", COFF, "<H", 0x14C),
    ("coff", COFF + 4, "<I", 0x5F000000),
    ("coff", COFF + 8, "<I", 0x400),
    ("coff", COFF + 18, "<H", 0x022F),
    ("subsystem", OPTIONAL + 68, "<H", 11),
    ("nx", OPTIONAL + 70, "<H", 0),
    ("alignment", OPTIONAL + 32, "<I", 0x200),
    ("alignment", OPTIONAL + 36, "<I", 0x1000),
    ("alignment", OPTIONAL + 60, "<I", 0x2000),
    ("names", section(1, "name"), "<8s", b".rdata"),
    ("names", section(0, "relocs"), "<I", 1),
    ("protection", section(0, "flags"), "<I", 0xE0000020),
    ("protection", section(0, "flags"), "<I", 0x40000020),
    ("protection", section(4, "flags"), "<I", 0xC0000040),
    ("protection", section(2, "flags"), "<I", 0xE0000040),
    ("protection", section(3, "flags"), "<I", 0xC0000040),
    ("places", section(2, "rva"), "<I", 0x1000),
    ("places", section(2, "offset"), "<I", 0),
    ("places", section(2, "memory"), "<I", 0),
    ("places", section(3, "rva"), "<I", 0x1000),
    ("places", section(3, "size"), "<I", 0x1000),
    ("places", section(3, "offset"), "<I", 0x1000),
    ("places", section(3, "memory"), "<I", 0),
    ("places", OPTIONAL + 56, "<I", 0x100000),
    ("sizes", OPTIONAL + 4, "<I", 0x10),
    ("sizes", OPTIONAL + 8, "<I", 0x10),
    ("sizes", OPTIONAL + 12, "<I", 0x10),
    ("sizes", OPTIONAL + 20, "<I", 0x10),
    ("sizes", OPTIONAL + 24, "<Q", 0x10000),
    ("entry", OPTIONAL + 16, "<I", 0x10),
    ("directories", OPTIONAL + 112, "<I", 0x1000),
    ("reloc", OPTIONAL + 112 + 40, "<I", 0),
    ("reloc", OPTIONAL + 112 + 44, "<I", 8),
]


@pytest.fixture(scope="module", params=IMAGES, ids=lambda path: path.parent.name)
def good(request):
    return request.param.read_bytes()


def names(data, product=True):
    more = check_image.PRODUCT["--product"] if product else ()
    return [check for check, _ in check_image.broken(bytes(data), more)]


def test_there_is_an_image():
    assert IMAGES, "make efi comes first"


def test_good_image_passes(good):
    assert names(good) == []


def plain(path):
    data = path.read_bytes()
    return data + check_image.unpacked(check_image.Image(data))


@pytest.mark.parametrize("path", IMAGES, ids=lambda path: path.parent.name)
def test_product_holds_no_injection(path):
    words = (b"inject\0", b"alloc-fail", b"write-fail", b"flush-fail", b"msr-gp", b"flip:")
    product, test_build = plain(path), plain(path.with_name("barechase-test.efi"))
    assert [word for word in words if word in product] == []
    assert [word for word in words if word not in test_build] == []


@pytest.mark.parametrize("check, offset, form, value", FIELDS)
def test_changed_field_is_found(good, check, offset, form, value):
    data = bytearray(good)
    struct.pack_into(form, data, offset, value)
    assert bytes(data) != good
    assert check in names(data)


def content(data, index):
    return struct.unpack_from("<I", data, section(index, "offset"))[0]


@pytest.mark.parametrize("old, new", [
    (b"sbat,1,", b"sbat,x,"), (b"sbat,1,", b"sbat,0,"), (b"sbat,1,", b"sbaz,1,"),
    (b"\nbarechase,1,", b"\nbarechase,1;"), (b"\nbarechase", b"\nbarechasm"), (b"shim", b"sh\xffm")])
def test_broken_sbat_is_found(good, old, new):
    start = content(good, 2)
    data = good[:start] + good[start:].replace(old, new, 1)
    assert data != good
    assert names(data) == ["sbat"]


@pytest.mark.parametrize("offset, form, value", [
    (0, "<I", 0x1004), (0, "<I", 0x10000000), (4, "<I", 4), (4, "<I", 16), (8, "<H", 0xA010),
    (8, "<H", 0x3010)])
def test_broken_reloc_is_found(good, offset, form, value):
    data = bytearray(good)
    struct.pack_into(form, data, content(good, 1) + offset, value)
    assert names(data) == ["reloc"]


def test_zeroed_entry_is_found(good):
    data = bytearray(good)
    entry = struct.unpack_from("<I", data, OPTIONAL + 16)[0] - 0x1000 + content(good, 0)
    data[entry : entry + 4] = bytes(4)
    assert names(data) == ["entry"]


@pytest.mark.parametrize("offset", [0, 4, 8, 100, 5000])
def test_damaged_data_are_found(good, offset):
    data = bytearray(good)
    data[content(good, 4) + offset] ^= 0x40
    assert "packed" in names(data)


def test_large_image_is_found(good):
    assert "limit" in names(good + bytes(256 * 1024))


def test_bytes_behind_the_image_are_found(good):
    assert names(good + bytes(8)) == ["places"]


@pytest.mark.parametrize("word", [b"Inject", "inject=".encode("utf-16-le")])
def test_words_of_the_test_build_are_found(good, word):
    data = bytearray(good)
    at = content(good, 2) - len(word)
    data[at : at + len(word)] = word
    assert "product" in names(data)
    assert "product" not in names(data, product=False)


@pytest.mark.parametrize("length", [0, 1, 2, 0x3F, 0x40, 0x43, 0x100, 0x200, 0xFFF])
def test_short_file_is_refused_without_a_crash(good, length):
    assert names(good[:length]) != []
