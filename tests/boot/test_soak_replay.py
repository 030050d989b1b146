# SPDX-License-Identifier: BSD-2-Clause
"""The power is cut at any write of a soak: whatever state the stick is left in, the next start has
every line of the history that was there before."""
import random
import zlib

import pytest

from machine import Drive, Machine
from replay import SECTOR, Log, Volume, changed, put

PLAN = "tests=verify\nmax=4M\nrule-coverage=0\nhold=3\nboots=3\nend=shutdown\n"
SLOT = 4096


def decode(slot: bytes):
    """(sequence, lines, bytes of the history, its last line, what was under way, CRC of what stands
    before that line) of a slot, or None; as core/verdict/soak.c writes it."""
    lines = slot.split(b"\n")
    words = lines[0].split()
    if len(words) != 12 or words[:3] != [b"barechase", b"soak", b"3"]:
        return None
    done = int(words[5])
    line = lines[2] + b"\n" if done else b""
    covered = lines[0] + b"\n" + lines[1] + b"\n" + line
    if not slot[len(covered):].startswith(b"crc %08x\n" % zlib.crc32(covered)):
        return None
    assert lines[1].startswith(b"at ")
    return int(words[3]), done, int(words[10]), line, lines[1][3:].decode(), int(words[11])


class Soak:
    def __init__(self, stick, before, log):
        self.first, self.image, self.log = stick.first, bytearray(before), log
        names = stick.names("barechase")
        [state] = [name for name in names if name.startswith("state-")]
        [history] = [name for name in names if name.startswith("history-")]
        self.state, self.history = f"barechase/{state}", f"barechase/{history}"
        self.final = stick.read(self.history)
        self.done = self.states = self.torn = 0
        self.where = set()

    def look(self, image, where):
        """What the next start would make of it; returns how many lines it would have."""
        self.states += 1
        volume = Volume(image, self.first)
        slots, found = volume.read(self.state.lower()) or b"", volume.read(self.history.lower()) or b""
        valid = [state for place in (0, SLOT) if (state := decode(slots[place:place + SLOT]))]
        if not valid:
            assert self.done == 0, f"{where}: no state is left"
            assert self.final.startswith(found) or not found.strip(b" \0\n"), f"{where}: {found[:80]}"
            return 0
        _, done, length, line, under_way, crc = max(valid)
        self.where.add(under_way)
        assert length - len(line) <= len(found) <= length, f"{where}: {len(found)} of {length}"
        assert zlib.crc32(found[:length - len(line)]) == crc, f"{where}: the next start refuses it"
        self.torn += found != self.final[:length]
        mended = found[:length - len(line)] + line
        assert mended == self.final[:length], f"{where}: {mended} is not {self.final[:length]}"
        assert done >= self.done, f"{where}: {done} lines, {self.done} were saved"
        return done

    def play(self, chance, each):
        for index, entry in enumerate(self.log.entries):
            where = f"write {index}"
            if entry[1] is None:
                self.done = self.look(self.image, where)
                continue
            sectors = len(entry[1]) // SECTOR
            for kept in chance.sample(range(1, sectors), min(sectors - 1, each)):
                with changed(self.image, [entry], slice(0, kept)) as image:
                    self.look(image, f"{where} cut after {kept} sectors of {sectors}")
            put(self.image, entry)
            self.look(self.image, where)

    def reorder(self, before, chance):
        """Of the writes between two flushes each one in turn is lost, and the others are kept."""
        image, first, self.done = bytearray(before), 0, 0
        for end in self.log.flushes() + [len(self.log.entries)]:
            writes = [entry for entry in self.log.entries[first:end] if entry[1] is not None]
            for lost in chance.sample(range(len(writes)), min(len(writes), 8)):
                with changed(image, writes[:lost] + writes[lost + 1:]) as other:
                    self.look(other, f"writes {first} to {end} without the {lost}th")
            for entry in writes:
                put(image, entry)
            self.done = self.look(image, f"flush {end}")
            first = end + 1


@pytest.mark.long
@pytest.mark.parametrize("settings", [dict(), dict(arch="aarch64")], ids=["ovmf", "aavmf"])
def test_no_line_is_lost_or_torn(lab, figure, scratch, settings):
    stick = lab.stick(PLAN)
    before = stick.path.read_bytes()
    drive = Drive(stick.path, "virtio", log=scratch / "writes.log")
    boot = lab.boot(Machine(drives=[drive], memory_mib=256, reboot=True, **settings))
    boot.wait_exit(240)
    stick.check(count_kept=False)
    soak = Soak(stick, before, Log(drive.log))
    assert soak.final.count(b"\n") == 4
    soak.play(random.Random(1), 6)
    assert soak.done == 3
    # Each boot says where it is: as it begins, and when 2 s have passed.
    assert {"", "tests=verify, point 1 of 1"} <= soak.where
    assert any(where.startswith("tests=verify, step") for where in soak.where), soak.where
    soak.reorder(before, random.Random(2))
    figure(f"{len(soak.log.entries)} writes and flushes of a soak, {soak.states} states, "
           f"{soak.torn} of them with a torn line, none lost")
