# SPDX-License-Identifier: BSD-2-Clause
"""A machine that stays at the prompt of the firmware's shell: the application is started there as often
as there are tests for that machine, and comes back to the prompt. The firmware's own start, which
takes most of a boot, is paid once."""
from machine import Boot, Drive, Machine
from records import Records

PROMPT = r"^FS\d+:\\> "
APP, TEST_APP = "bare.efi", "test.efi"


def prepare(stick, app: bytes, test_app: bytes | None = None):
    """The firmware finds nothing to boot on the stick and starts its shell."""
    for name in stick.names("EFI/BOOT"):
        stick.remove(f"EFI/BOOT/{name}")
    stick.write(APP, app)
    if test_app is not None:
        stick.write(TEST_APP, test_app)
    return stick


class Shell:
    def __init__(self, machine: Machine, scratch):
        self.boot = Boot(machine, scratch)
        self.boot.wait_for("any other key to continue|Shell> ", 60)
        self.boot.type("\r")
        self.boot.wait_for("Shell> ", 30)
        self.boot.type("fs0:\r")
        self.boot.wait_for(PROMPT, 30)

    def waits(self) -> bool:
        """It is at its prompt: the last command has come back."""
        return self.boot.process.poll() is None and self.boot.raw.endswith("> ")

    def start(self, command: str) -> "Run":
        assert self.waits(), self.boot.tail()
        run = Run(self.boot)
        self.boot.type(f"{command}\r")
        return run

    def app(self, args: str, test_build=False, end="return") -> "Run":
        return self.start(f"{TEST_APP if test_build else APP} {args} save=off end={end}")

    def finish(self, args: str, cap=60, test_build=False):
        """As Lab.finish: to the run's end, its records over the console."""
        run = self.app(f"{args} records=on", test_build)
        run.wait_exit(cap)
        return run, Records.of_console(run.text).check_whole()

    def switch_off(self, cap=30):
        self.boot.type("reset -s\r")
        self.boot.wait_exit(cap)


class Run:
    """What a command does at the prompt, to be asked and answered as a boot is: all that it printed
    is its own, and its end is the next prompt."""

    def __init__(self, boot: Boot):
        self.boot, self.begin, self.end, self.scratch = boot, len(boot.raw), None, boot.scratch
        self.type, self.monitor, self.tail = boot.type, boot.monitor, boot.tail

    @property
    def raw(self) -> str:
        return self.boot.raw[self.begin:self.end]

    @property
    def text(self) -> str:
        return self.boot.shown(self.begin, self.end)

    def wait_for(self, pattern: str, cap: float, times=1):
        return self.boot.wait_for(pattern, cap, times, self.begin)

    def when(self, pattern: str) -> float:
        return self.boot.when(pattern, since=self.begin)

    def wait_exit(self, cap: float):
        self.wait_for(PROMPT + r"\Z", cap)
        self.end = len(self.boot.raw)


# What tests name by pytest.mark.shell: one machine of each, as long as it lives. AArch64's start
# with -kernel costs less than its way to the shell.
MACHINES = {"max": {}, "skylake": dict(cpu="Skylake-Server"), "two": dict(smp=2)}


class Shells:
    """The machines of this process. new_stick makes a copy of the stick image at a path."""

    def __init__(self, products, new_stick, scratch):
        self.products, self.new_stick, self.scratch = products, new_stick, scratch
        self.shells: dict[str, Shell] = {}
        self.started: list[Shell] = []

    def get(self, name: str) -> Shell:
        """One that a test left elsewhere than at its prompt is replaced."""
        shell = self.shells.get(name)
        if shell is None or not shell.waits():
            if shell is not None:
                shell.boot.kill()
            shell = self.shells[name] = self.start(name, **MACHINES[name])[1]
        return shell

    def start(self, name: str, prepared=lambda stick: None, drives=(), **settings):
        """A stick, which is prepared before the start, and the machine at its prompt on it; other
        drives come after it."""
        scratch = self.scratch / f"{name}-{len(self.started) + 1}"
        scratch.mkdir(parents=True)
        stick = prepare(self.new_stick(scratch / "stick.img"),
                        self.products.app.read_bytes(), self.products.test_app.read_bytes())
        prepared(stick)
        shell = Shell(Machine(drives=[Drive(stick.path), *drives], **settings), scratch)
        self.started.append(shell)
        return stick, shell

    def finish(self):
        for shell in self.started:
            shell.boot.kill()
