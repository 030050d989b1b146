# SPDX-License-Identifier: BSD-2-Clause
"""FAT32 volumes as no driver leaves them, and as thousands of runs would: written into a stick's image
byte by byte."""
import struct

from replay import SECTOR, Volume

END = 0x0FFFFFFF
ENTRY = struct.Struct("<11sBBBHHHHHHHI")
DIRECTORY, LOWER_CASE = 0x10, 0x08
DELETED = b"\xe5" + bytes(31)


class Damage:
    """Changes an image; leaving the context writes it back."""

    def __init__(self, stick):
        self.stick = stick
        self.image = bytearray(stick.path.read_bytes())
        self.volume = Volume(self.image, stick.first)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stick.path.write_bytes(self.image)

    def cluster_of(self, path: str) -> int:
        *folders, name = path.split("/")
        entries = self.volume.entries(self.volume.root)
        for folder in folders:
            entries = self.volume.entries(entries[folder][1])
        return entries[name][1]

    def link(self, cluster: int, after: int):
        """Both copies of the table."""
        boot = self.volume.start
        fats, = struct.unpack_from("<B", self.image, boot + 16)
        sectors, = struct.unpack_from("<I", self.image, boot + 36)
        for copy in range(fats):
            struct.pack_into("<I", self.image,
                             self.volume.fat + copy * sectors * SECTOR + 4 * cluster, after)

    def put(self, cluster: int, data: bytes):
        place = self.volume.data + (cluster - 2) * self.volume.cluster_bytes
        size = self.volume.cluster_bytes
        self.image[place:place + size] = data.ljust(size, b"\0")

    def lose(self, path: str):
        """A file whose clusters are all free."""
        self.link(self.cluster_of(path), 0)

    def add_runs(self, numbers):
        """Empty directories run-NNNN in \\barechase, from the volume's last clusters on down."""
        home = self.cluster_of("barechase")
        free, entries = self._last_clusters(), []
        for number in numbers:
            cluster = next(free)
            self.link(cluster, END)
            self.put(cluster, self._entry(b".", cluster, 0) + self._entry(b"..", home, 0))
            entries.append(self._entry(b"RUN-%04d" % number, cluster))
        per = self.volume.cluster_bytes // 32
        last = home
        for at in range(0, len(entries), per):
            cluster = next(free)
            self.put(cluster, b"".join(entries[at:at + per]))
            self.link(last, cluster)
            self.link(cluster, END)
            last = cluster
        self._full(home)

    def _last_clusters(self):
        sectors, = struct.unpack_from("<I", self.image, self.volume.start + 32)
        last = (self.volume.start + sectors * SECTOR - self.volume.data) // self.volume.cluster_bytes
        for cluster in range(last + 1, 2, -1):
            if struct.unpack_from("<I", self.image, self.volume.fat + 4 * cluster)[0] == 0:
                yield cluster

    def _full(self, cluster: int):
        """No entry of it ends the directory."""
        place = self.volume.data + (cluster - 2) * self.volume.cluster_bytes
        for at in range(place, place + self.volume.cluster_bytes, 32):
            if self.image[at] == 0:
                self.image[at:at + 32] = DELETED

    @staticmethod
    def _entry(name: bytes, cluster: int, case=LOWER_CASE) -> bytes:
        return ENTRY.pack(name.ljust(11), DIRECTORY, case, 0, 0, 0, 0x21, cluster >> 16, 0, 0x21,
                          cluster & 0xFFFF, 0)
