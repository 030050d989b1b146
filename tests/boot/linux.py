# SPDX-License-Identifier: BSD-2-Clause
"""A Linux kernel of Debian's, which firmware starts as it does any application: a disk with it and with
an initial file system of one program, and what it says when it has come up."""
import os
import re
import subprocess

import pytest

from machine import ROOT

KERNELS = ROOT / "build/kernels"  # tools/deps fetches them
KERNEL, INITIAL = "vmlinuz.efi", "init.cpio"
CONSOLES = {"x86_64": "ttyS0", "aarch64": "ttyAMA0"}
# What a kernel says of a machine that is not as it should be, or that does not come back from something.
TROUBLE = re.compile(
    r".*(?:Oops|BUG|WARNING: CPU|[Cc]all [Tt]race|Kernel panic|Internal error|Bad page|lockup|stalls? on|"
    r"detected stall|blocked for more than|[Ff]irmware [Bb]ug|failed to (?:boot|come online|start)|"
    r"do_boot_cpu failed|not responding|stuck|inconsistent modes|SANITY CHECK|[Mm]achine [Cc]heck event|"
    r"Unhandled EFI|Hardware Error).*")


def words(arch: str, separator="\\") -> str:
    """The kernel's command line; a panic resets at once, which ends QEMU."""
    return f"initrd={separator}{INITIAL} console={CONSOLES[arch]} panic=-1"


def archive(name: str, content: bytes) -> bytes:
    """One program as the kernel unpacks it (Documentation/driver-api/early-userspace/buffer-format)."""
    made = b""
    for inode, (file, mode, data) in enumerate([(name, 0o100755, content), ("TRAILER!!!", 0, b"")], 1):
        fields = (inode, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(file) + 1, 0)
        made += b"070701" + b"".join(b"%08X" % field for field in fields) + file.encode() + b"\0"
        made += bytes(-len(made) % 4) + data
        made += bytes(-len(made) % 4)
    return made


def program(arch: str, scratch) -> bytes:
    path = scratch / "init"
    compiler = "gcc" if os.uname().machine == arch else f"{arch}-linux-gnu-gcc"
    subprocess.run([compiler, "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-static", "-s", "-o", path,
                    ROOT / "tests/boot/linux_init.c"], check=True)
    return path.read_bytes()


def disk(lab, arch: str):
    """A disk of its own, from which no firmware boots by itself."""
    kernel = KERNELS / arch / "vmlinuz"
    if not kernel.exists():
        pytest.skip(f"no kernel to boot: {kernel.relative_to(ROOT)} (tools/deps test {arch} fetches it)")
    made = lab.stick()
    for name in made.names("EFI/BOOT"):
        made.remove(f"EFI/BOOT/{name}")
    made.write(KERNEL, kernel.read_bytes())
    made.write(INITIAL, archive("init", program(arch, lab.scratch)))
    return made


def memory_kib(text: str) -> int:
    """All that the kernel was given."""
    return int(re.search(r"Memory: \d+K/(\d+)K available", text)[1])


def check_came_up(text: str, cpus: int):
    """With all CPUs, and nothing to say against any of them."""
    assert "init: done" in text and "Power down" in text, text[-4000:]
    assert f"init: online 0-{cpus - 1}\n" in text, re.findall("init: online.*", text)
    assert re.findall(r"init: ran on CPU (\d+)", text) == [str(cpu) for cpu in range(cpus)]
    trouble = TROUBLE.findall(text)
    assert not trouble, trouble
