# SPDX-License-Identifier: BSD-2-Clause
"""A copy of the stick image: its files are written and read with mtools, the way another computer
would; no mounting, no root."""
import os
import pathlib
import re
import struct
import subprocess

SECTOR = 512
RESULTS = re.compile(r"run-\d{4}")
# All that fsck.fat prints when nothing else is wrong.
COUNT_IS_WRONG = re.compile(r"fsck\.fat .*\nFree cluster summary wrong .*\n +Auto-correcting\.\n\n"
                            r"Leaving filesystem unchanged\.\n.* clusters\n")


class Stick:
    def __init__(self, path: pathlib.Path):
        self.path = path
        self.first, self.sectors = self._partition()

    @classmethod
    def copy(cls, image: pathlib.Path, path: pathlib.Path):
        subprocess.run(["cp", "--sparse=always", image, path], check=True)
        return cls(path)

    def _partition(self) -> tuple[int, int]:
        """The first partition's first sector and length, from the GPT."""
        with open(self.path, "rb") as image:
            image.seek(SECTOR)
            header = image.read(92)
            assert header[:8] == b"EFI PART", f"{self.path} has no GPT"
            image.seek(struct.unpack_from("<Q", header, 72)[0] * SECTOR + 32)
            first, last = struct.unpack("<QQ", image.read(16))
        return first, last - first + 1

    def _mtools(self, *command, data: bytes | None = None) -> bytes:
        environment = dict(os.environ, MTOOLS_SKIP_CHECK="1", MTOOLSRC="/dev/null", LC_ALL="C")
        name, *rest = command
        drive = f"{self.path}@@{self.first * SECTOR}"
        done = subprocess.run([name, "-i", drive, *rest], input=data, capture_output=True,
                              env=environment)
        if done.returncode:
            raise OSError(f"{' '.join(command)}: {done.stderr.decode(errors='replace')}")
        return done.stdout

    def write(self, name: str, data: bytes):
        self._mtools("mcopy", "-o", "-", f"::{name}", data=data)

    def read(self, name: str) -> bytes:
        return self._mtools("mcopy", "-n", f"::{name}", "-")

    def remove(self, name: str):
        self._mtools("mdel", f"::{name}")

    def remove_directory(self, name: str):
        self._mtools("mrd", f"::{name}")

    def make_directory(self, name: str):
        self._mtools("mmd", f"::{name}")

    def configure(self, text: str | bytes):
        data = text.encode() if isinstance(text, str) else text
        self.write("barechase/barechase.cfg", data)

    def names(self, directory: str) -> list[str]:
        """Files and folders in a directory, without a leading path."""
        listing = self._mtools("mdir", "-b", f"::{directory}").decode(errors="replace")
        return [line.rstrip("/").rsplit("/", 1)[1] for line in listing.splitlines() if line]

    def runs(self) -> dict[str, dict[str, bytes]]:
        """Every run's directory with the contents of its files."""
        found = {}
        for run in self.names("barechase"):
            if RESULTS.fullmatch(run):
                directory = f"barechase/{run}"
                found[run] = {name: self.read(f"{directory}/{name}")
                              for name in self.names(directory)}
        return found

    def free_bytes(self) -> int:
        listing = self._mtools("mdir", "::").decode(errors="replace")
        return int(re.search(r"([\d ]+) bytes free", listing)[1].replace(" ", ""))

    def fill(self, leave: int):
        """Fills the free space, all but `leave` bytes, with one file."""
        self.write("ballast.bin", bytes(max(self.free_bytes() - leave, 0)))

    def check(self, count_kept=True):
        """The file system is clean; fsck only reads. count_kept: its count of free clusters is right
        too, a hint that firmware writes after the tables, or not at all."""
        part = self.path.with_suffix(".partition")
        subprocess.run(["dd", f"if={self.path}", f"of={part}", "bs=1M", "iflag=skip_bytes,count_bytes",
                        f"skip={self.first * SECTOR}", f"count={self.sectors * SECTOR}",
                        "conv=sparse", "status=none"], check=True)
        done = subprocess.run(["fsck.fat", "-n", part], capture_output=True, text=True)
        part.unlink()
        if not count_kept and COUNT_IS_WRONG.fullmatch(done.stdout):
            return
        assert done.returncode == 0, f"fsck.fat -n: {done.stdout}{done.stderr}"
