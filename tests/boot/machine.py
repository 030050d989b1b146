# SPDX-License-Identifier: BSD-2-Clause
"""A QEMU machine with real firmware: builds the command line, runs it with the serial port
captured and every line's time, types keys, and always has a cap in seconds."""
import bisect
import dataclasses
import itertools
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import threading
import time

import tpm

ROOT = pathlib.Path(__file__).resolve().parents[2]
OVMF = pathlib.Path("/usr/share/OVMF")
AAVMF = pathlib.Path("/usr/share/AAVMF")
UBOOT = pathlib.Path("/usr/lib/u-boot/qemu_arm64/u-boot.bin")

# Caps are seconds on two idle cores. They end what hangs and measure nothing: what is slow because
# the host is busy must not fail.
PATIENCE = 10

LOOK_S = 0.01  # how often the serial line is read

# Of some thousand starts of AAVMF under QEMU, one printed its greeting and then nothing, for ever:
# no code of ours had run. It is idle seconds until the next line, with a margin.
GREETING, GREETING_S = "UEFI firmware (version", 12
STARTS = 3

# The firmware's terminal driver moves the cursor and sets modes and colours with these.
ESCAPES = re.compile(r"\x1b(?:\[[0-9;=?]*[A-Za-z]|[()][A-Z0-9])")


def line_pattern(pattern: str) -> re.Pattern:
    """^ stands for where a line begins anew: after a newline or a carriage return."""
    return re.compile(pattern.replace("^", r"(?:\A|(?<=[\n\r]))"))


class BootError(AssertionError):
    """The machine did not do what was waited for; the message ends with its last serial output."""


@dataclasses.dataclass
class Drive:
    path: pathlib.Path
    bus: str = "usb"  # usb (xHCI, usb-storage), ahci; ehci (usb-storage), virtio
    readonly: bool = False
    log: pathlib.Path | None = None  # every write and flush goes there too (replay.py reads it)


@dataclasses.dataclass
class Machine:
    """One machine as a command line. kernel boots an application directly, with append as its load
    options; drives are tried by the firmware in order."""

    arch: str = "x86_64"
    machine: str = "q35"  # x86-64
    firmware: str = "edk2"  # or uboot (AArch64)
    level: int = 1  # AArch64: the exception level that the firmware runs at
    gic: int = 3  # AArch64: version of the interrupt controller
    acpi: bool = True  # AArch64: else the firmware hands on the devicetree
    cpu: str = "max"
    smp: int = 1
    topology: str = ""  # of these CPUs: sockets=2,cores=1,threads=2
    memory_mib: int = 1024
    kernel: pathlib.Path | None = None
    append: str = ""
    drives: list[Drive] = dataclasses.field(default_factory=list)
    secure: bool = False  # Secure Boot with the snakeoil keys enrolled
    serial: bool = True
    vga: str = "none"
    icount: bool = False
    plugin: str = ""  # file and arguments
    reboot: bool = False  # let a reset boot again; else it ends the run
    tpm: bool = True  # x86-64: one that fails; without one the firmware waits for some time
    nodes: tuple[int, ...] = ()  # MiB of each NUMA node, or 0; CPUs are dealt in turn, as many to each
    more: str = ""  # of the command line; about nodes, of the machine: hmat=on

    def command(self, scratch: pathlib.Path) -> list[str]:
        command = [
            f"qemu-system-{self.arch}", "-nodefaults", "-no-user-config", "-accel", "tcg",
            "-machine", self._options(), "-cpu", self.cpu,
            "-smp", ",".join(filter(None, [str(self.smp), self.topology])),
            "-m", str(self.memory_mib), "-display", "none", "-vga", self.vga,
            "-monitor", f"unix:{scratch}/monitor,server=on,wait=off",
        ] + self._firmware(scratch)
        if self.secure:
            command += ["-global", "driver=cfi.pflash01,property=secure,value=on"]
        if self.serial:
            command += ["-chardev", "stdio,id=console,signal=off", "-serial", "chardev:console"]
        if self.icount:
            command += ["-icount", "shift=4,sleep=off"]
        if self.nodes:
            command += self._nodes()
        command += self.more.split()
        if self.plugin:
            command += ["-plugin", self.plugin]
        if not self.reboot:
            command += ["-no-reboot"]
        if self.kernel:
            command += ["-kernel", str(self.kernel)]
            if self.append:
                command += ["-append", self.append]
        return command + self._drives()

    def wants_tpm(self) -> bool:
        # When it answers varies, and counted runs must be the same each time.
        return self.tpm and self.arch == "x86_64" and not self.icount

    def _nodes(self) -> list[str]:
        command = []
        each = max(self.smp // len(self.nodes), 1)
        for node, mib in enumerate(self.nodes):
            first = node * each
            cpu = f",cpus={first}-{first + each - 1}" if first < self.smp else ""
            memory = f",memdev=node{node}" if mib else ""
            if mib:
                command += ["-object", f"memory-backend-ram,id=node{node},size={mib}M"]
            command += ["-numa", f"node,nodeid={node}{memory}{cpu}"]
        return command

    def _options(self) -> str:
        hmat = ",hmat=on" if "hmat-" in self.more else ""
        if self.arch == "aarch64":
            two = ",virtualization=on" if self.level == 2 else ""
            acpi = "" if self.acpi else ",acpi=off"
            return f"virt,gic-version={self.gic}{two}{acpi}{hmat}"
        return f"{self.machine},smm={'on' if self.secure else 'off'}{hmat}"

    def _firmware(self, scratch: pathlib.Path) -> list[str]:
        code, variables = OVMF / "OVMF_CODE_4M.fd", OVMF / "OVMF_VARS_4M.fd"
        if self.firmware == "uboot":
            return ["-bios", str(UBOOT)]
        if self.arch == "aarch64":
            code, variables = AAVMF / "AAVMF_CODE.fd", AAVMF / "AAVMF_VARS.fd"
        elif self.secure:
            code, variables = OVMF / "OVMF_CODE_4M.secboot.fd", OVMF / "OVMF_VARS_4M.snakeoil.fd"
        copy = scratch / "variables.fd"
        shutil.copyfile(variables, copy)
        return ["-drive", f"if=pflash,format=raw,unit=0,readonly=on,file={code}",
                "-drive", f"if=pflash,format=raw,unit=1,file={copy}"]

    def _drives(self) -> list[str]:
        command = []
        buses = {drive.bus for drive in self.drives}
        if "usb" in buses:
            command += ["-device", "qemu-xhci,id=xhci"]
        if "ahci" in buses:
            command += ["-device", "ahci,id=ahci"]
        if "ehci" in buses:
            command += ["-device", "usb-ehci,id=ehci"]
        ports = 0
        for index, drive in enumerate(self.drives):
            mode = "on" if drive.readonly else "off"
            where = f"format=raw,readonly={mode},file={drive.path}"
            if drive.log:
                drive.log.touch()
                where = ("driver=blklogwrites,file.driver=raw,file.file.driver=file,"
                         f"file.file.filename={drive.path},log.driver=raw,log.file.driver=file,"
                         f"log.file.filename={drive.log}")
            command += ["-drive", f"if=none,id=drive{index},{where}"]
            if drive.bus == "usb":
                device = f"usb-storage,bus=xhci.0,drive=drive{index},removable=on"
            elif drive.bus == "ehci":
                device = f"usb-storage,bus=ehci.0,drive=drive{index},removable=on"
            elif drive.bus == "virtio":
                device = f"virtio-blk-pci,drive=drive{index}"
            else:
                device = f"ide-hd,bus=ahci.{ports},drive=drive{index}"
                ports += 1
            boot = "" if self.kernel or self.firmware == "uboot" else f",bootindex={index}"
            command += ["-device", device + boot]
        return command


class Boot:
    """A machine that is running. Use it as a context manager: leaving it ends QEMU."""

    def __init__(self, machine: Machine, scratch: pathlib.Path):
        scratch.mkdir(parents=True, exist_ok=True)
        self.scratch = scratch
        self._chunks: list[tuple[int, float]] = []  # where in raw a chunk begins, when it came
        self.raw = ""  # everything printed, overwritten live lines included
        self._changed = threading.Condition()
        self._closed = False
        command = machine.command(scratch)
        self._tpm = tpm.FailingTpm(scratch / "tpm") if machine.wants_tpm() else None
        if self._tpm:
            command += self._tpm.arguments()
        (scratch / "command").write_text(" ".join(command) + "\n")
        self._errors = open(scratch / "qemu.err", "wb")
        # A file takes everything at once. A pipe fills up when it is not read for a while; the PC's
        # serial port then blocks, and the firmware drops output after its timeout.
        self._serial = open(scratch / "serial.log", "wb")
        self._log = open(scratch / "serial.log", "rb", buffering=0)
        self._machine, self._command, self._starts = machine, command, 0
        self._start()

    def _start(self):
        self._starts += 1
        self.started = time.monotonic()
        self.process = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=self._serial,
                                        stderr=self._errors)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _hangs_in_firmware(self) -> bool:
        """It greeted, and has printed nothing more for far longer than firmware takes."""
        return (time.monotonic() - self.started > GREETING_S * PATIENCE
                and self.raw.startswith(GREETING) and self.raw.count("\n") <= 1
                and self._starts < STARTS)

    def _start_again(self):
        """From power-on, with what it printed forgotten; said where a test's output is shown."""
        print(f"firmware hung behind its greeting: start {self._starts + 1} of at most {STARTS}")
        self.process.kill()
        self.process.wait(10 * PATIENCE)
        self._reader.join(5 * PATIENCE)
        self.process.stdin.close()
        for file in (self._serial, self._errors):
            file.seek(0)
            file.truncate()
        self._log.seek(0)
        self._chunks, self.raw, self._closed = [], "", False
        self._machine.command(self.scratch)  # with the variables as they were
        self._start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def _read(self):
        held = ""  # an escape sequence that is not whole yet
        while chunk := self._next_chunk():
            now = time.monotonic()
            text = held + chunk.decode("latin-1")
            cut = text.rfind("\x1b", max(len(text) - 12, 0))
            if cut < 0 or ESCAPES.match(text, cut):
                cut = len(text)
            text, held = text[:cut], text[cut:]
            with self._changed:
                self._chunks.append((len(self.raw), now))
                self.raw += ESCAPES.sub("", text)
                self._changed.notify_all()
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _next_chunk(self) -> bytes:
        """What came next over the serial line; empty: QEMU has ended, and that was all."""
        while True:
            ended = self.process.poll() is not None
            chunk = self._log.read(65536)
            if chunk or ended:
                return chunk
            time.sleep(LOOK_S)

    @property
    def text(self) -> str:
        """The lines as they stay on a screen: a carriage return begins a line anew."""
        return self.shown()

    def shown(self, since=0, until=None) -> str:
        """That of what came from one character on, until another."""
        return "\n".join(self._visible(line) for line in self.raw[since:until].split("\n"))

    @staticmethod
    def _visible(line: str) -> str:
        shown = ""
        for part in line.split("\r"):
            shown = part + shown[len(part):]
        return shown.rstrip()

    def when(self, pattern: str, after=0.0, since=0) -> float:
        """When the first match later than `after` came; seconds since power-on."""
        for match in line_pattern(pattern).finditer(self.raw, since):
            index = bisect.bisect_right(self._chunks, (match.start(), float("inf"))) - 1
            moment = self._chunks[index][1] - self.started
            if moment >= after:
                return moment
        raise BootError(f"nothing matches {pattern!r}\n{self.tail()}")

    def tail(self, lines: int = 60) -> str:
        errors = (self.scratch / "qemu.err").read_text(errors="replace").strip()
        text = "\n".join(line[:160] for line in self.text.splitlines()[-lines:])
        return f"--- serial, last {lines} lines\n{text}\n--- qemu: {errors}\n---"

    def wait_for(self, pattern: str, cap: float, times=1, since=0) -> re.Match:
        """Waits until what was printed since power-on, or after so many characters, (overwritten
        parts included) matches that many times; returns the last of these matches. ^ also matches
        after a carriage return."""
        deadline = time.monotonic() + cap * PATIENCE
        expression = line_pattern(pattern)
        while True:
            closed = self._closed
            found = list(itertools.islice(expression.finditer(self.raw, since), times))
            if len(found) == times:
                return found[-1]
            left = deadline - time.monotonic()
            if closed or left <= 0:
                why = "QEMU ended" if closed else f"{cap * PATIENCE} s passed"
                raise BootError(f"{why} and {pattern!r} did not appear\n{self.tail()}")
            if self._hangs_in_firmware():
                self._start_again()
                deadline = time.monotonic() + cap * PATIENCE
            with self._changed:
                if self._closed == closed:
                    self._changed.wait(min(left, 0.25))

    def wait_exit(self, cap: float):
        """Waits for the guest to switch off; a guest that hangs is an error, and so is a QEMU that
        something else ended."""
        deadline = time.monotonic() + cap * PATIENCE
        while (status := self._ended_within(min(deadline - time.monotonic(), GREETING_S))) is None:
            if self._hangs_in_firmware():
                self._start_again()
                deadline = time.monotonic() + cap * PATIENCE
            if time.monotonic() > deadline:
                raise BootError(f"the machine did not switch off in {cap * PATIENCE} s\n{self.tail()}")
        self._reader.join(5 * PATIENCE)
        if status != 0:
            raise BootError(f"QEMU ended with {status}\n{self.tail()}")

    def _ended_within(self, seconds: float) -> int | None:
        try:
            return self.process.wait(max(seconds, 0))
        except subprocess.TimeoutExpired:
            return None

    def type(self, text: str):
        """Sends characters over the serial port."""
        self.process.stdin.write(text.encode())
        self.process.stdin.flush()

    def monitor(self, command: str):
        """One command of QEMU's human monitor; returns its answer."""
        with self._connect_monitor() as connection:
            self._until_prompt(connection)
            connection.sendall(command.encode() + b"\n")
            return self._until_prompt(connection)

    def _connect_monitor(self) -> socket.socket:
        """A QEMU that has just started has no socket yet, or one that nobody listens at yet."""
        deadline = time.monotonic() + 10 * PATIENCE
        while True:
            connection = socket.socket(socket.AF_UNIX)
            connection.settimeout(10 * PATIENCE)
            try:
                connection.connect(str(self.scratch / "monitor"))
                return connection
            except (FileNotFoundError, ConnectionRefusedError):
                connection.close()
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise BootError(f"no monitor to talk to\n{self.tail()}") from None
            time.sleep(0.02)

    @staticmethod
    def _until_prompt(connection: socket.socket) -> str:
        answer = b""
        while not answer.endswith(b"(qemu) "):
            chunk = connection.recv(4096)
            if not chunk:
                break
            answer += chunk
        return answer.decode(errors="replace")

    def pull(self):
        """Cuts the power, at once."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(10 * PATIENCE)
        self._reader.join(5 * PATIENCE)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(10 * PATIENCE)
        self._reader.join(5 * PATIENCE)
        if self._tpm:
            self._tpm.close()
        self.process.stdin.close()
        self._serial.close()
        self._errors.close()
        self._log.close()
