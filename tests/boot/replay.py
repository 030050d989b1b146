# SPDX-License-Identifier: BSD-2-Clause
"""Power cuts, replayed: a stick's writes as QEMU's blklogwrites recorded them, and the states of the
stick that a cut between or within them can leave."""
import contextlib
import pathlib
import struct

SECTOR = 512
MAGIC = 0x6A736677736872
FLUSH = 1  # flags of an entry, as in dm-log-writes
DISCARD = 4
STEP = struct.Struct("<4Q")  # sector, sectors, flags, length of data that is no blocks


class Log:
    """[(first sector, data)] in order; data None: a flush."""

    def __init__(self, path: pathlib.Path):
        data = path.read_bytes()
        magic, version, count, sector = struct.unpack_from("<3QI", data)
        assert (magic, version) == (MAGIC, 1), f"{path} is no log of writes"
        self.entries, place = [], sector
        for _ in range(count):
            first, sectors, flags, more = STEP.unpack_from(data, place)
            place += -(-(STEP.size + more) // sector) * sector
            assert not flags & DISCARD
            if sectors:
                self.entries.append((first * sector, data[place:place + sectors * sector]))
                place += sectors * sector
            if flags & FLUSH:
                self.entries.append((0, None))

    def flushes(self) -> list[int]:
        return [index for index, (_, data) in enumerate(self.entries) if data is None]


class Volume:
    """A FAT32 volume inside an image, as far as reading run directories takes: short and long names,
    chains that end early where they are broken."""

    def __init__(self, image: bytearray, first_sector: int):
        self.image, self.start = image, first_sector * SECTOR
        boot = image[self.start:self.start + SECTOR]
        self.cluster_bytes = boot[13] * SECTOR
        reserved, fats = struct.unpack_from("<HB", boot, 14)
        fat_sectors, = struct.unpack_from("<I", boot, 36)
        self.root, = struct.unpack_from("<I", boot, 44)
        self.fat = self.start + reserved * SECTOR
        self.data = self.fat + fats * fat_sectors * SECTOR
        self.clusters = fat_sectors * SECTOR // 4

    def chain(self, cluster: int, most: int) -> bytes:
        found, seen = [], 0
        while 2 <= cluster < self.clusters and seen < most:
            place = self.data + (cluster - 2) * self.cluster_bytes
            found.append(self.image[place:place + self.cluster_bytes])
            seen += self.cluster_bytes
            cluster = struct.unpack_from("<I", self.image, self.fat + 4 * cluster)[0] & 0xFFFFFFF
        return b"".join(found)[:most]

    def entries(self, cluster: int) -> dict[str, tuple[bool, int, int]]:
        """{name: (is a directory, first cluster, bytes)}"""
        data, found, long = self.chain(cluster, 2**16), {}, ""
        for place in range(0, len(data), 32):
            entry = data[place:place + 32]
            if entry[0] == 0:
                break
            if entry[0] == 0xE5:
                long = ""
            elif entry[11] == 0x0F:
                part = (entry[1:11] + entry[14:26] + entry[28:32]).decode("utf-16-le", "replace")
                long = part.split("\0")[0] + long
            elif entry[11] & 8 == 0:
                short = entry[:8].decode("latin-1").rstrip() + "." + entry[8:11].decode("latin-1")
                high, low = struct.unpack_from("<H", entry, 20)[0], struct.unpack_from("<H", entry, 26)[0]
                name = (long or short.rstrip(" .")).lower()
                found[name] = (bool(entry[11] & 16), high << 16 | low,
                               struct.unpack_from("<I", entry, 28)[0])
                long = ""
        return found

    def read(self, path: str) -> bytes | dict | None:
        """A file's bytes, a directory's entries, or None."""
        here = self.entries(self.root)
        for name in path.split("/"):
            if not isinstance(here, dict) or name not in here:
                return None
            is_directory, cluster, size = here[name]
            here = self.entries(cluster) if is_directory else self.chain(cluster, size)
        return here

    def records(self, run: str) -> list[bytes]:
        """The files of a run's records, in order."""
        parts = [self.read(f"barechase/{run}/results.jsonl")]
        while parts[-1] is not None:
            parts.append(self.read(f"barechase/{run}/results-{len(parts) + 1}.jsonl"))
        return parts[:-1]


def put(image: bytearray, entry: tuple, sectors: slice = slice(None)):
    """A write, or those sectors of it."""
    place, data = entry
    if data is None:
        return
    first, last, _ = sectors.indices(len(data) // SECTOR)
    image[place + first * SECTOR:place + last * SECTOR] = data[first * SECTOR:last * SECTOR]


@contextlib.contextmanager
def changed(image: bytearray, entries: list[tuple], sectors: slice = slice(None)):
    """The image with those writes; restored afterwards."""
    kept = [(place, bytes(image[place:place + len(data)])) for place, data in entries]
    for entry in entries:
        put(image, entry, sectors)
    yield image
    for place, data in reversed(kept):
        image[place:place + len(data)] = data


def lines_of(parts: list[bytes]) -> list[bytes]:
    """Lines that are not blank, without trailing blanks; a last one without a newline gets a NUL, so
    that it matches no record."""
    found = []
    for data in parts:
        *whole, rest = data.split(b"\n")
        found += [line.rstrip(b" ") for line in whole] + ([rest + b"\0"] if rest else [])
    return [line for line in found if line]


def matching(lines: list[bytes], final: list[bytes]) -> int:
    """How many of the run's records are there in order, from the first on."""
    count = 0
    while count < min(len(lines), len(final)) and lines[count] == final[count]:
        count += 1
    return count
