# SPDX-License-Identifier: BSD-2-Clause
"""Soaks: the board resets itself until its history has as many lines as it was asked for."""
import csv
import io
import re
import struct

import pytest

from conftest import BANNER, MENU, newest
from machine import PATIENCE, BootError, Drive, Machine
from records import Records

PLAN = "tests=verify,single\nmax=16M\nrule-coverage=0\nbudget=20\n"


def file_of(copy, kind):
    [name] = [name for name in copy.names("barechase") if name.startswith(f"{kind}-")]
    return f"barechase/{name}"


def history(copy):
    return list(csv.DictReader(io.StringIO(copy.read(file_of(copy, "history")).decode())))


def soak(lab, copy, **settings):
    bus = "usb" if settings.get("arch", "x86_64") == "x86_64" else "virtio"
    boot = lab.boot(Machine(drives=[Drive(copy.path, bus)], memory_mib=256, reboot=True, **settings))
    return boot


def check_done(copy, boots):
    """Each boot has its line and its run, and the last one's verdict is about all of them."""
    lines = history(copy)
    assert [line["boot"] for line in lines] == [str(i + 1) for i in range(boots)]
    assert [line["run"] for line in lines] == [str(i + 1) for i in range(boots)]
    assert all(line["died"] == "0" and line["status"] == "ok" for line in lines)
    # Neither EDK2 for QEMU nor U-Boot has a FPDT table: that is said once.
    assert all(line["firmware_s"] == "" for line in lines)
    runs = [Records.parse(files["results.jsonl"]) for _, files in sorted(copy.runs().items())]
    said = [any("FPDT" in note for note in run.notes("info")) for run in runs]
    assert said == [True] + [False] * (boots - 1)
    records = newest(copy)
    [verdict] = records.all("verdict")
    [rule] = [rule for rule in verdict["rules"] if rule["name"] == "boots"]
    assert rule["figure"].endswith(f"of {boots} boots")
    assert len(copy.runs()) == boots


# A cold one of two boots: test_a_stick_that_becomes_full_ends_it.
@pytest.mark.long
@pytest.mark.parametrize("arch, firmware, boots, how", [
    ("x86_64", "edk2", 2, "cold"), ("x86_64", "edk2", 5, "warm"), ("aarch64", "edk2", 3, "cold")])
def test_it_boots_by_itself(lab, arch, firmware, boots, how):
    copy = lab.stick(PLAN + f"boots={boots}\nboot={how}\nend=shutdown\n")
    boot = soak(lab, copy, arch=arch, firmware=firmware)
    boot.wait_exit(90 * boots)
    copy.check()
    check_done(copy, boots)
    assert f"soak: boot {boots - 1} of {boots} done" in boot.text


FBPT = 0x8000000  # free memory that EDK2 leaves alone


def performance_tables(directory, took_s):
    """QEMU's options for a FPDT table of a firmware that took so long; QEMU itself has none."""
    record = struct.pack("<HBBI5Q", 2, 48, 2, 0, 10**9, 2 * 10**9, int((took_s + 1) * 1e9), 0, 0)
    (directory / "fbpt").write_bytes(b"FBPT" + struct.pack("<I", 8 + len(record)) + record)
    (directory / "fpdt").write_bytes(struct.pack("<HBBIQ", 0, 16, 1, 0, FBPT))
    return (f"-acpitable sig=FPDT,data={directory}/fpdt "
            f"-device loader,file={directory}/fbpt,addr={FBPT:#x},force-raw=on")


@pytest.mark.long
def test_a_boot_whose_firmware_took_longer_is_named(lab, scratch):
    copy = lab.stick(PLAN + "boots=2\nend=shutdown\n")
    boot = soak(lab, copy, more=performance_tables(scratch, 12.25))
    boot.wait_for("soak: boot 1 of 2 done", 90)
    boot.type("x")
    boot.wait_exit(30)
    boot = soak(lab, copy, more=performance_tables(scratch, 41.5))
    boot.wait_exit(90)
    copy.check()
    assert [line["firmware_s"] for line in history(copy)] == ["12.25", "41.50"]
    records = newest(copy)
    [note] = [note for note in records.notes("warning") if "the firmware took longer" in note]
    assert "run-0002: 41.50 s instead of 12.25 s" in note
    [spread] = [spread for spread in records.all("spread") if spread["name"] == "firmware"]
    assert (spread["low"], spread["high"], spread["high_run"]) == (12.25e9, 41.5e9, 2)
    assert records.one("verdict")["verdict"] != "SUSPECT"
    assert not any("FPDT" in note for note in records.notes())


@pytest.mark.long
def test_a_boot_that_dies_is_counted_and_a_key_stops(lab):
    """Power goes while the first boot measures; the second one says so, and a key ends the soak."""
    copy = lab.stick(PLAN + "boots=3\nend=shutdown\nhold=30\n")
    boot = soak(lab, copy)
    boot.wait_for("verify", 60)
    boot.pull()
    copy.configure(PLAN + "boots=3\nend=shutdown\n")
    boot = soak(lab, copy)
    boot.wait_for("soak: boot 1 of 3 done", 90)
    boot.type("x")
    boot.wait_exit(30)
    assert "soak: stopped by a key" in boot.text
    [line] = history(copy)
    assert line["died"] == "1"
    assert any("a boot of the soak died" in note for note in newest(copy).notes("warning"))


@pytest.mark.long
def test_a_stick_that_cannot_be_written_does_not_loop(lab):
    copy = lab.stick(PLAN + "boots=3\nend=shutdown\n")
    boot = lab.boot(Machine(drives=[Drive(copy.path, "usb", readonly=True)], memory_mib=256,
                            reboot=True))
    boot.wait_exit(90)
    assert boot.text.count("no soak") >= 1 and "soak: boot" not in boot.text


@pytest.mark.long
@pytest.mark.parametrize("arch, hangs", [
    ("x86_64", 1), ("x86_64", 4), ("aarch64", 1)])
def test_a_boot_that_hangs_is_reset(lab, arch, hangs):
    """The firmware's watchdog resets it; after three in a row it stays off. What died where is found
    by the next start that comes to its end."""
    copy = lab.stick(PLAN + "boots=2\nend=shutdown\ninject=hang\n", test_build=True)
    boot = soak(lab, copy, arch=arch)
    boot.wait_for("fault on purpose: hung", 120 * hangs, times=hangs)
    if hangs <= 3:
        boot.wait_for(BANNER, 90, times=hangs + 1)
    else:
        with pytest.raises(BootError):
            boot.wait_for(BANNER, 40 / PATIENCE, times=hangs + 1)
    boot.pull()
    copy.configure(PLAN + "boots=2\nend=shutdown\n")
    boot = soak(lab, copy, arch=arch)
    boot.wait_exit(180)
    copy.check()
    lines = history(copy)
    assert [line["boot"] for line in lines] == ["1", "2"]
    died = int(lines[0]["died"])
    assert hangs <= died <= hangs + 1 and lines[1]["died"] == lines[0]["died"]
    runs = [Records.parse(files["results.jsonl"]) for _, files in sorted(copy.runs().items())]
    noted = [note for run in runs for note in run.notes("warning") if "a boot of the soak died" in note]
    if died == hangs:
        where = re.compile(r"died in tests=(verify, step|single, point) \d+")
        assert noted and all(where.search(note) for note in noted), noted
        assert noted[-1].endswith(f"; {died} did in all")
    assert boot.raw.count("reading the machine") == 2


@pytest.mark.long
def test_the_watchdog_resets_nobody_who_goes_on(lab):
    """It waits anew while a run shows progress, and is off when the soak has ended and a menu waits."""
    copy = lab.stick("tests=verify\nmax=4M\nrule-coverage=0\nhold=15\nboots=2\ninject=watchdog\n",
                     test_build=True)
    boot = soak(lab, copy)
    boot.wait_for(MENU, 400)
    with pytest.raises(BootError):
        boot.wait_for(BANNER, 40 / PATIENCE, times=3)
    assert [line["died"] for line in history(copy)] == ["0", "0"]
    assert min(float(line["seconds"]) for line in history(copy)) > 25


def tree(copy):
    """Every file on the stick but those of the soak itself."""
    return {**{"ballast": copy.read("ballast.bin")},
            **{f"{run}/{name}": data for run, files in copy.runs().items() for name, data in files.items()}}


def test_a_full_stick_ends_it_before_it_begins(lab):
    copy = lab.stick(PLAN + "boots=3\nend=shutdown\n")
    copy.fill(100 << 10)
    before = tree(copy)
    boot = soak(lab, copy)
    boot.wait_exit(90)
    copy.check()
    assert "no soak" in boot.text and "volume full" in boot.text and "soak: boot" not in boot.text
    assert boot.raw.count("reading the machine") == 1
    assert tree(copy) == before
    assert not [name for name in copy.names("barechase") if name.startswith(("state-", "history-"))]


@pytest.mark.long
@pytest.mark.parametrize("room", [300, 330, 400, 520])
def test_a_stick_that_becomes_full_ends_it(lab, room):
    """Kibibytes for a boot or some: it ends by itself, what was written is whole and stays, and with
    room again it goes on where it was, with no boot lost or counted as dead."""
    copy = lab.stick(PLAN + "boots=9\nend=shutdown\n")
    copy.fill(room << 10)
    boot = soak(lab, copy)
    boot.wait_exit(600)
    copy.check()
    lines = history(copy)
    assert len(lines) < 9
    assert boot.raw.count("reading the machine") <= len(lines) + 1
    assert "volume full" in boot.text or "were not saved" in boot.text
    before = tree(copy)
    assert set(before["ballast"]) == {0}
    for line in lines:
        Records.parse(before[f"run-{int(line['run']):04}/results.jsonl"]).check_whole()
    copy.remove("ballast.bin")
    copy.configure(PLAN + f"boots={max(len(lines) + 1, 2)}\nend=shutdown\n")
    more = soak(lab, copy)
    more.wait_exit(180)
    copy.check()
    check_done(copy, max(len(lines) + 1, 2))
    assert history(copy)[:len(lines)] == lines
    assert re.search(r"soak: boot 1 of \d done", boot.text + more.text)


def stopped_after_one(lab):
    """A stick whose soak of two boots a key stopped after the first."""
    copy = lab.stick(PLAN + "boots=2\nend=shutdown\n")
    boot = soak(lab, copy)
    boot.wait_for("soak: boot 1 of 2 done", 90)
    boot.type("x")
    boot.wait_exit(30)
    return copy


@pytest.mark.long
def test_a_state_that_is_damaged_is_kept(lab):
    copy = stopped_after_one(lab)
    name = file_of(copy, "state")
    state = copy.read(name)
    assert len(state) == 8192
    broken = state.replace(b"crc ", b"crx ")
    copy.write(name, broken)
    boot = soak(lab, copy)
    boot.wait_exit(90)
    assert copy.read(name) == broken and len(history(copy)) == 1
    assert any("damaged or of another version" in note for note in newest(copy).notes("warning"))


@pytest.mark.long
def test_a_history_of_another_version_is_kept(lab):
    copy = stopped_after_one(lab)
    copy.remove(file_of(copy, "state"))
    name = file_of(copy, "history")
    other = copy.read(name).replace(b",firmware_s\n", b"\n")
    copy.remove(name)
    copy.write(name, other)
    boot = soak(lab, copy)
    boot.wait_exit(90)
    assert copy.read(name) == other
    assert any("history is of another version" in note for note in newest(copy).notes("warning"))


@pytest.mark.long
def test_a_torn_history_with_line_ends_of_an_editor_is_mended(lab):
    copy = stopped_after_one(lab)
    name = file_of(copy, "history")
    whole = copy.read(name)
    copy.remove(name)
    copy.write(name, whole.replace(b"\n", b"\r\n")[:-9])
    boot = soak(lab, copy)
    boot.wait_exit(180)
    assert copy.read(name).startswith(whole.replace(b"\n", b"\r\n", 1))
    check_done(copy, 2)
    assert any("history was torn" in note for note in newest(copy).notes("warning"))


@pytest.mark.long
def test_a_state_whose_history_is_missing_is_kept(lab):
    copy = stopped_after_one(lab)
    name, state = file_of(copy, "history"), copy.read(file_of(copy, "state"))
    copy.remove(name)
    boot = soak(lab, copy)
    boot.wait_exit(90)
    assert name not in [f"barechase/{kept}" for kept in copy.names("barechase")]
    assert copy.read(file_of(copy, "state")) == state
    assert any("its history is missing" in note for note in newest(copy).notes("warning"))
