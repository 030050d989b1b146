# SPDX-License-Identifier: BSD-2-Clause
"""Bad input, on real firmware: a message with key, line and what is allowed; nothing is measured;
the end record says failed."""
import random

import pytest

from brief import brief
from conftest import MENU
from fat_damage import Damage
from machine import Drive, Machine
from records import Records
from shell import APP, prepare
from stick import Stick

NOISE = random.Random(1).randbytes(2**20)

# id: load options, what the message must contain
WORDS = {
    "unknown-key": ("tets=dram", ["load options", "tets", "tests"]),
    "bad-value": ("end=maybe", ["load options", "end", "maybe", "shutdown", "return"]),
    "bad-size": ("max=12Q", ["load options", "max", "12Q"]),
    "empty-member": ("pages=4k,,2m", ["load options", "pages"]),
    "not-yet-known": ("turbo=on", ["load options", "turbo", "not yet known"]),
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


SHORT_FILES = ("unknown-key-line-3", "utf16")
CONFIG = "barechase\\barechase.cfg"


def to_the_menu_and_back(shell, command) -> str:
    """What it printed; the firmware still works."""
    run = shell.start(command)
    run.wait_for(MENU, 60)
    run.type("4")
    run.wait_exit(20)
    return run.text


def unreadable(image, path, app) -> Stick:
    """A stick whose configuration has lost its clusters."""
    stick = prepare(Stick.copy(image, path), app)
    stick.configure("tests=dram\n" + "#" * 1000 + "\n")
    with Damage(stick) as damage:
        damage.lose("barechase/barechase.cfg")
    return stick


@pytest.fixture(scope="module")
def refused(products, shells_of_all, request, tmp_path_factory):
    """One boot in which each bad configuration is the boot volume's in turn: by its name what was
    printed, and the files of the run."""
    names = list(FILES) if request.config.option.long else SHORT_FILES
    lost = unreadable(products.image, tmp_path_factory.mktemp("lost") / "lost.img",
                      products.app.read_bytes())

    def add_files(stick):
        for number, name in enumerate(names):
            stick.write(f"{number}.cfg", FILES[name][0])

    stick, shell = shells_of_all.start("refused", add_files, [Drive(lost.path)])
    printed = {}
    for number, name in enumerate(names):
        shell.start(f"cp -q {number}.cfg {CONFIG}").wait_exit(20)
        printed[name] = to_the_menu_and_back(shell, APP)
    shell.start(f"rm -q {CONFIG}").wait_exit(20)
    shell.start(f"mkdir {CONFIG}").wait_exit(20)
    printed["directory"] = to_the_menu_and_back(shell, APP)
    printed["lost"] = to_the_menu_and_back(shell, f"fs1:\\{APP}")
    shell.switch_off()
    stick.check()
    runs = [files for _, files in sorted(stick.runs().items())] + list(lost.runs().values())
    assert len(runs) == len(printed)
    return {name: (text, files) for (name, text), files in zip(printed.items(), runs)}


def check_refused(refused, name, expected):
    printed, files = refused[name]
    assert_refused(Records.parse(files["results.jsonl"]).check_whole(), printed, expected)
    assert set(files) == {"results.jsonl", "report.txt", "points.csv"}


in_one_boot = pytest.mark.xdist_group("refused")


@in_one_boot
@pytest.mark.parametrize("name", brief(FILES, *SHORT_FILES))
def test_bad_configuration(refused, name):
    check_refused(refused, name, FILES[name][1])


@in_one_boot
def test_configuration_that_is_a_directory(refused):
    check_refused(refused, "directory", ["barechase.cfg", "boot volume", "directory"])


@in_one_boot
def test_configuration_that_cannot_be_read(refused):
    """Its clusters are lost: the run that it asked for is not replaced by another."""
    check_refused(refused, "lost", ["barechase.cfg", "boot volume", "corrupted"])


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
