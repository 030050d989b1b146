# SPDX-License-Identifier: BSD-2-Clause
"""A machine at U-Boot's prompt, where applications are loaded from a disk and started by hand."""
from machine import Boot, Machine
from records import Records

PROMPT = r"^=> "


class UBoot:
    def __init__(self, machine: Machine, scratch):
        self.boot = Boot(machine, scratch)
        self.boot.wait_for("Hit any key to stop autoboot", 30)
        self.boot.type(" ")
        self.boot.wait_for(PROMPT, 10)
        self.command("virtio scan", 10)

    def command(self, command: str, cap: float) -> str:
        """To the next prompt; what it printed."""
        begin = len(self.boot.raw)
        self.boot.type(f"{command}\r")
        self.boot.wait_for(PROMPT + r"\Z", cap, since=begin + len(command))
        return self.boot.shown(begin)

    def load(self, disk: int, file: str, args: str) -> str:
        """Loads an application with its load options; returns what starts it."""
        self.command(f"load virtio {disk}:1 $kernel_addr_r {file}", 10)
        self.command(f"setenv bootargs {args}", 10)
        return "bootefi $kernel_addr_r $fdtcontroladdr"

    def finish(self, file: str, args: str, cap: float) -> Records:
        text = self.command(self.load(0, file, f"{args} records=on save=off end=return"), cap)
        return Records.of_console(text).check_whole()
