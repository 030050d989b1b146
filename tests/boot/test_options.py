# SPDX-License-Identifier: BSD-2-Clause
"""Bad input, on real firmware: a message with key, line and what is allowed; nothing is measured;
the end record says failed."""
import random

import pytest

from brief import brief
from conftest import MENU, newest
from fat_damage import Damage
from machine import Drive, Machine
from records import Records

NOISE = random.Random(1).randbytes(2**20)

# id: load options, what the message must contain
WORDS = {
    "unknown-key": ("tets=dram", ["load options", "tets", "tests"]),
    "bad-value": ("end=maybe", ["load options", "end", "maybe", "shutdown", "return"]),
    "bad-size": ("max=12Q", ["load options", "max", "12Q"]),
    "empty-member": ("pages=4k,,2m", ["load options", "pages"]),
    "not-yet-known": ("threads=4", ["load options", "threads", "not yet known"]),
    "no-inject-in-the-product": ("inject=ud", ["load options", "inject", "unknown"]),
}

# id: configuration file, what the message must contain
FILES = {
    "unknown-key-line-3": (b"# mine\ntests=dram\nspeed=11\n", ["barechase.cfg", "3", "speed"]),
    "bad-value-line-2": (b"plan=quick\r\nprefetch = maybe\r\n",
                         ["barechase.cfg", "2", "prefetch", "off", "both"]),
    "empty-value": (b"max=\n", ["barechase.cfg", "1", "max"]),
    "line-too-long": (b"seed=1\n# fine\ntests=" + b"d" * 2000 + b"\n",
                      ["barechase.cfg", "3", "1024"]),
    "nul": (b"plan=quick\nmax=\x0064M\n", ["barechase.cfg", "NUL"]),
    "utf16": ("plan=quick\n".encode("utf-16"), ["barechase.cfg", "UTF-16"]),
    "utf16-no-mark": ("plan=quick\n".encode("utf-16-le"), ["barechase.cfg", "UTF-16"]),
    "noise": (NOISE, ["barechase.cfg"]),
}


def assert_refused(records, printed: str, expected: list[str]):
    assert records.status == "failed"
    assert not records.all("point") and not records.all("dram")
    errors = records.notes("error")
    assert errors, "no error note"
    for word in expected:
        assert word in errors[0], f"{word!r} is not in {errors[0]!r}"
        assert word in printed, f"{word!r} is not on the console:\n{printed}"


@pytest.mark.parametrize("name", brief(WORDS, "bad-value"))
def test_bad_load_options(lab, name):
    args, expected = WORDS[name]
    boot = lab.app(f"{args} records=on" + ("" if name == "bad-value" else " end=shutdown"))
    if name == "bad-value":  # its end= is the bad one: it waits in the menu, alive
        boot.wait_for(MENU, 60)
    else:
        boot.wait_exit(60)
    assert_refused(Records.of_console(boot.text).check_whole(), boot.text, expected)


@pytest.mark.parametrize("name", brief(FILES, "unknown-key-line-3", "utf16"))
def test_bad_configuration(lab, name):
    config, expected = FILES[name]
    stick = lab.stick(config)
    boot = lab.boot(Machine(drives=[Drive(stick.path)]))
    boot.wait_for(MENU, 60)  # the firmware still works
    stick.check()
    assert_refused(newest(stick), boot.text, expected)
    assert set(stick.runs()["run-0001"]) == {"results.jsonl", "report.txt", "points.csv"}


def test_configuration_that_is_a_directory(lab):
    stick = lab.stick()
    stick.remove("barechase/barechase.cfg")
    stick.make_directory("barechase/barechase.cfg")
    boot = lab.boot(Machine(drives=[Drive(stick.path)]))
    boot.wait_for(MENU, 60)
    assert_refused(newest(stick), boot.text, ["barechase.cfg", "boot volume", "directory"])


def test_configuration_that_cannot_be_read(lab):
    """Its clusters are lost: the run that it asked for is not replaced by another."""
    stick = lab.stick("tests=dram\n" + "#" * 1000 + "\n")
    with Damage(stick) as damage:
        damage.lose("barechase/barechase.cfg")
    boot = lab.boot(Machine(drives=[Drive(stick.path)]))
    boot.wait_for(MENU, 60)
    assert_refused(newest(stick), boot.text, ["barechase.cfg", "boot volume", "corrupted"])


@pytest.mark.long
def test_reboots_until_there_are_enough_runs(lab):
    """The stick is first again after each reboot (end=reboot): without a number that would go on for
    ever. Each run has a directory of its own."""
    stick = lab.stick("tests=dram\nmax=1M\nbudget=1\nerror=20\nend=reboot\nruns=2\n")
    lab.boot(Machine(drives=[Drive(stick.path)], reboot=True)).wait_exit(120)
    assert sorted(stick.runs()) == ["run-0001", "run-0002"]


@pytest.mark.long
def test_max_beyond_memory_is_clamped(lab):
    boot, records = lab.finish("tests=dram max=1T budget=8 error=20 pages=2m prefetch=on",
                               memory_mib=256)
    assert records.status == "ok"
    clamped = [note for note in records.notes() if "clamp" in note]
    assert clamped, records.notes()
    largest = max(int(point["bytes"]) for point in records.all("point"))
    assert 16 * 2**20 < largest < 256 * 2**20
