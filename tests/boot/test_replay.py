# SPDX-License-Identifier: BSD-2-Clause
"""The power is cut at any write: every state of the stick that this can leave has what was saved
before, on a volume whose free space is full of records of a deleted run."""
import json
import random

import pytest

from machine import Drive, Machine
from records import Records
from replay import SECTOR, Log, Volume, changed, lines_of, matching, put
from test_results import EARLIER, add_earlier
from brief import brief

PLAN = ("tests=curve,dram\nmin=64K\nmax=1M\npoints=1\npages=4k,2m\nbudget=2\nerror=20\n"
        "end=shutdown\n")
RUN = "run-0008"  # after those of EARLIER
OLD = json.dumps({"record": "note", "run_id": "0" * 15 + "1", "number": 1, "severity": "info",
                  "what": "a record of a run that was deleted", "why": ""}).encode()

# EDK2's USB driver cuts writes up in its own way, and its flush sends the stick nothing.
MACHINES = {"ovmf": dict(), "ovmf-usb": dict(bus="usb"), "aavmf": dict(arch="aarch64"),
            "uboot": dict(arch="aarch64", firmware="uboot", cpu="cortex-a76")}


def used_stick(lab):
    """A stick on which every cluster that a file grows into held a record once."""
    stick = lab.stick(PLAN)
    add_earlier(stick)
    stick.make_directory("barechase/gone")
    line = OLD.ljust(SECTOR - 1) + b"\n"
    stick.write("barechase/gone/results.jsonl", line * (stick.free_bytes() // SECTOR))
    stick.remove("barechase/gone/results.jsonl")
    stick.remove_directory("barechase/gone")
    return stick


class Replay:
    def __init__(self, before: bytes, log: Log, first_sector: int, flushed: bool):
        self.log, self.first_sector, self.flushed = log, first_sector, flushed
        self.image = bytearray(before)
        last = bytearray(before)
        for entry in log.entries:
            put(last, entry)
        self.final = lines_of(Volume(last, first_sector).records(RUN))
        Records.parse(b"\n".join(self.final) + b"\n").check_whole()
        self.saved = 0  # records whose flush has returned; without flushes, those that were written
        self.states = 0
        self.worst = ""

    def look(self, image, where: str, in_order: bool):
        """Checks one state: what was saved is there, and nothing of the deleted run is."""
        self.states += 1
        volume = Volume(image, self.first_sector)
        lines = lines_of(volume.records(RUN))
        count = matching(lines, self.final)
        assert count >= self.saved, \
            f"{where}: {count} records of {self.saved} that were saved\n{lines[count:count + 1]}"
        torn = lines[count:]
        if in_order:
            assert len(torn) <= 1, f"{where}: {len(torn)} lines behind the last record\n{torn[:3]}"
            assert OLD not in torn, f"{where}: a record of the deleted run"
        for name, data in EARLIER.items():
            assert volume.read(name) == data, f"{where}: {name} was changed"
        return count

    def without_each(self, chance, first, end, each):
        """Of the writes between two flushes each one in turn is lost, the others are kept."""
        writes = [i for i in range(first, end) if self.log.entries[i][1] is not None]
        for lost in chance.sample(writes, min(len(writes), each)):
            kept = [self.log.entries[i] for i in writes if i != lost]
            with changed(self.image, kept) as image:
                self.look(image, f"writes {first} to {end} without {lost}", False)

    def cut(self, chance, index, each):
        """A write of several sectors is cut off after some of them."""
        sectors = len(self.log.entries[index][1]) // SECTOR
        for kept in chance.sample(range(1, sectors), min(sectors - 1, each)):
            with changed(self.image, [self.log.entries[index]], slice(0, kept)) as image:
                self.look(image, f"write {index} cut after {kept} sectors of {sectors}", True)

    def look_with_mtools(self, stick):
        """As another computer sees it, which reads the whole file system."""
        stick.path.write_bytes(self.image)
        for name, data in EARLIER.items():
            assert stick.read(name) == data
        if self.saved:
            lines = lines_of([stick.read(f"barechase/{RUN}/results.jsonl")])
            assert matching(lines, self.final) >= self.saved

    def play(self, stick, chance, share, each):
        """All prefixes in order, and a share of the other states."""
        flushes, before, highest = set(self.log.flushes()), 0, 0
        ends = sorted(flushes) + [len(self.log.entries)]
        for index, (_, data) in enumerate(self.log.entries):
            if index == before and self.flushed and chance.random() < share:
                self.without_each(chance, index, next(end for end in ends if end >= index), each)
            if data is None:
                self.saved, before = highest, index + 1
                if chance.random() < max(share / 3, 0.15):
                    self.look_with_mtools(stick)
                continue
            if len(data) > SECTOR and chance.random() < share:
                self.cut(chance, index, each)
            put(self.image, self.log.entries[index])
            if chance.random() < max(share, 0.5) or index + 1 in flushes:
                count = self.look(self.image, f"after write {index}", True)
                assert count >= highest, f"after write {index}: {count} records, {highest} before"
                highest = count
                if not self.flushed:
                    self.saved = highest
        assert highest == len(self.final)


@pytest.mark.parametrize("name", brief(MACHINES, "ovmf"))
def test_power_cut_at_any_write(lab, request, figure, scratch, name):
    long = request.config.option.long
    stick = used_stick(lab)
    before = stick.path.read_bytes()
    log = scratch / "writes.log"
    settings = dict(bus="virtio") | MACHINES[name]
    drive = Drive(stick.path, settings.pop("bus"), log=log)
    flushed = drive.bus != "usb"
    boot = lab.boot(Machine(drives=[drive], **settings))
    boot.wait_exit(120)
    chance = random.Random(1)
    replay = Replay(before, Log(log), stick.first, flushed)
    assert (len(replay.log.flushes()) > 5) == flushed
    replay.play(stick, chance, 1.0 if long else 0.5, 16 if long else 6)
    # The FAT that mtools reads is the same.
    stick.path.write_bytes(replay.image)
    stick.check(count_kept=False)
    files = stick.runs()[RUN]
    assert Records.parse(files["results.jsonl"]).check_whole().status == "ok"
    assert set(files) == {"results.jsonl", "report.txt", "points.csv"}
    figure(f"{name}: {len(replay.log.entries)} writes and flushes, {len(replay.log.flushes())} of "
           f"them flushes, {replay.states} states, {len(replay.final)} records, nothing lost")
