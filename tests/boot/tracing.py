# SPDX-License-Identifier: BSD-2-Clause
"""Reads what trace_plugin.c recorded of the samples of a boot."""
import collections
import dataclasses
import pathlib
import re

WINDOW = re.compile(r"window (\d+) instructions (\d+) loads (\d+) stores (\d+) others (\d+)")


@dataclasses.dataclass
class Window:
    """What happened between two marks. Addresses are in the order of their first use."""

    instructions: int
    loads: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    stores: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    others: list[str] = dataclasses.field(default_factory=list)


def read_windows(path: pathlib.Path) -> list[Window]:
    windows = []
    for line in path.read_text().splitlines():
        if match := WINDOW.fullmatch(line):
            windows.append(Window(int(match[2])))
            if int(match[5]):
                windows[-1].others.append(f"{match[5]} others")
        elif line.startswith("at "):
            _, address, loads, stores = line.split()
            for counter, count in (windows[-1].loads, loads), (windows[-1].stores, stores):
                if int(count):
                    counter[int(address, 16)] = int(count)
        elif not line.startswith("end"):
            windows[-1].others.append(line)
    return windows
