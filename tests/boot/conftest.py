# SPDX-License-Identifier: BSD-2-Clause
"""What every boot test shares: the products, a scratch directory of its own, and ways to boot."""
import dataclasses
import fcntl
import os
import pathlib
import re
import shutil
import subprocess

import pytest

import machine
import records
import shell as shells
import stick

ROOT = machine.ROOT
BUILD = ROOT / "build"
BANNER = r"^barechase \S.*: reading"  # the application's first words
MENU = "^1 again"  # the menu at the end
# The default plan, on an emulated machine that has little of the host.
SMALL = "max=4M\npoints=1\nerror=20\nbudget=120"
SCRATCH = BUILD / "boot"  # logs stay there; images go when the test has passed


def pytest_addoption(parser):
    parser.addoption("--long", action="store_true",
                     help="every pair of the boot matrix, and more pulled sticks")


@pytest.hookimpl(tryfirst=True, hookwrapper=True)
def pytest_runtest_makereport(item):
    outcome = yield
    setattr(item, "report_" + outcome.get_result().when, outcome.get_result())


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: takes long; such tests start first")
    config.addinivalue_line("markers", "long: only with --long")
    config.addinivalue_line("markers", "shell(name): on that machine of shell.py, which several share")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Tests that share a machine go to one process (--dist loadgroup)."""
    for item in items:
        if mark := item.get_closest_marker("shell"):
            item.add_marker(pytest.mark.xdist_group(mark.args[0]))
    if not config.option.long:
        left = [item for item in items if item.get_closest_marker("long")]
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if item not in left]
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


@pytest.fixture
def figure(record_property):
    """Reports a figure that is shown after the tests and kept in the result file."""
    return lambda words: record_property("figure", words)


def pytest_terminal_summary(terminalreporter):
    for report in terminalreporter.stats.get("passed", []) + terminalreporter.stats.get("failed", []):
        for name, words in report.user_properties if report.when == "call" else []:
            if name == "figure":
                terminalreporter.write_line(f"figure: {words}")


def make(*words, cap: float, directory=ROOT) -> subprocess.CompletedProcess:
    """Runs make as a person would, one at a time: its targets share files."""
    SCRATCH.mkdir(parents=True, exist_ok=True)
    outside = {name: value for name, value in os.environ.items()
               if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "BUILD")}
    with open(SCRATCH / "make.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return subprocess.run(["make", "-s", *words], cwd=directory, capture_output=True, text=True,
                              env=dict(outside, DEPS="no"), timeout=cap * machine.PATIENCE)


BOOT_NAMES = {"x86_64": "BOOTX64.EFI", "aarch64": "BOOTAA64.EFI"}


@dataclasses.dataclass(frozen=True)
class Products:
    app: pathlib.Path
    test_app: pathlib.Path
    image: pathlib.Path

    def application(self, arch: str, test_build: bool) -> pathlib.Path:
        path = self.test_app if test_build else self.app
        return path.parents[1] / arch / path.name


@pytest.fixture(scope="session")
def products() -> Products:
    found = Products(BUILD / "x86_64/barechase.efi", BUILD / "x86_64/barechase-test.efi",
                     BUILD / "barechase.img")
    missing = [str(path) for path in vars(found).values() if not path.exists()]
    assert not missing, f"not built (make all does): {', '.join(missing)}"
    return found


@pytest.fixture
def scratch(request) -> pathlib.Path:
    """An empty directory of this test's own; its disk images are removed if the test passes."""
    name = re.sub(r"[^\w.=-]+", "_", request.node.name)[:100].strip("_")
    path = SCRATCH / name
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    yield path
    report = getattr(request.node, "report_call", None)
    if report and report.passed:
        for image in path.rglob("*.img"):
            image.unlink()


class Lab:
    """Boots machines for one test and ends all of them with it."""

    def __init__(self, products: Products, scratch: pathlib.Path):
        self.products, self.scratch = products, scratch
        self.boots: list[machine.Boot] = []
        self._copies = 0

    def boot(self, what: machine.Machine) -> machine.Boot:
        boot = machine.Boot(what, self.scratch / f"boot{len(self.boots)}")
        self.boots.append(boot)
        return boot

    def app(self, args: str, test_build=False, **settings) -> machine.Boot:
        """Boots the application itself, without a disk."""
        path = self.products.application(settings.get("arch", "x86_64"), test_build)
        return self.boot(machine.Machine(kernel=path, append=args, **settings))

    def stick(self, config: str | bytes | None = None, test_build=False) -> stick.Stick:
        """A copy of the stick image, configured."""
        copy = stick.Stick.copy(self.products.image, self.scratch / f"stick{self._copies}.img")
        self._copies += 1
        if config is not None:
            copy.configure(config)
        if test_build:
            for arch, name in BOOT_NAMES.items():
                if (path := self.products.application(arch, True)).exists():
                    copy.write(f"EFI/BOOT/{name}", path.read_bytes())
        return copy

    def finish(self, args: str, cap=60, test_build=False, **settings):
        """Runs the application without a disk to its end; its records come over the console."""
        boot = self.app(f"{args} records=on end=shutdown", test_build, **settings)
        boot.wait_exit(cap)
        return boot, records.Records.of_console(boot.text).check_whole()

    def finish_stick(self, config: str, cap=90, bus="usb", test_build=False, **settings):
        """Boots the stick to the end of the run and reads the newest results off it."""
        copy = self.stick(config + "\nend=shutdown\n", test_build)
        boot = self.boot(machine.Machine(drives=[machine.Drive(copy.path, bus)], **settings))
        boot.wait_exit(cap)
        copy.check()
        return boot, copy, newest(copy)


def newest(copy: stick.Stick) -> records.Records:
    """The records of the last run on the stick."""
    runs = copy.runs()
    assert runs, "no results on the stick"
    return records.Records.parse(runs[max(runs)]["results.jsonl"]).check_whole()


@pytest.fixture
def lab(products, scratch) -> Lab:
    made = Lab(products, scratch)
    yield made
    for boot in made.boots:
        boot.kill()


@pytest.fixture(scope="session")
def shells_of_all(products, worker_id):
    directory = SCRATCH / f"shells-{worker_id}"
    shutil.rmtree(directory, ignore_errors=True)
    made = shells.Shells(products, lambda path: stick.Stick.copy(products.image, path), directory)
    yield made
    made.finish()
    for image in directory.rglob("*.img"):
        image.unlink()


@pytest.fixture
def shell(shells_of_all, request) -> shells.Shell:
    """The machine that pytest.mark.shell names, at its shell's prompt."""
    return shells_of_all.get(request.node.get_closest_marker("shell").args[0])


@pytest.fixture(scope="session")
def trace_plugin(tmp_path_factory) -> pathlib.Path:
    """The tracing plugin, compiled for this QEMU."""
    library = tmp_path_factory.mktemp("plugin") / "trace.so"
    source = pathlib.Path(__file__).with_name("trace_plugin.c")
    subprocess.run(["gcc", "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC",
                    "-o", library, source], check=True)
    return library
