# SPDX-License-Identifier: BSD-2-Clause
"""The rooms of core/, the arrows allowed between them, and what in a tree breaks these rules.

Run as a script it prints the violations in the tree it is run in, one line each, and nothing where
there are none. Calls are read from the objects of build/<cpu>/obj (`make efi` comes first).
"""
import collections
import os
import pathlib
import re
import subprocess
import sys

ROOT_FILES = {"engine.c", "engine.h", "machine.h", "inventory.h", "names.c", "names.h"}
# What every room may see.
SEAM = "machine.h inventory.h names.h"

# Room: the headers that other rooms may use, besides the one named like the room; `*` is all.
PUBLIC = {
    "lib": "*",
    "stats": "apart.h figure.h nnls.h doubt.h binomial.h histogram.h rate.h",
    "dram": "badram.h bandwidth.h banks.h classes.h conflict.h coverage.h modules.h offsets.h refresh.h regions.h rows.h slots.h verify.h",
    "chase": "chain.h order.h listed.h kernels.h kernels_sample.h kernels_traffic.h march.h traffic.h",
    "cpu": "errors.h pmu.h prefetch.h same.h topology.h",
    "firmware": "acpi.h apei.h board.h census.h devicetree.h fpdt.h numa.h pptt.h smbios.h",
    "mapping": "memmap.h frames.h node_map.h tables.h slots.h",
    "clock": "refclock.h calendar.h ticks.h info.h",
    "options": "cpus.h decode.h followed.h experiments.h nodes.h",
    "results": "record.h fields.h journal.h notes.h run_id.h save.h",
    "levels": "tlb_knees.h",
    "plan": "point.h check.h names.h sets.h sampling.h estimate.h estimate_populate.h "
            "estimate_warm.h shares.h left_out.h preview.h",
    "measure": "at_work.h banks.h controls.h core_clock.h cpus.h describe.h draw_cost.h finding.h footprint.h "
               "footprint_run.h handoff.h hardware_errors.h load_work.h modules.h regions.h single.h slots.h time.h verify.h witness.h",
    "experiments": "schedule.h table.h",
    "verdict": "baseline.h boots.h choose.h figures.h soak.h",
    "report": "csv.h screen.h pager.h live.h",
}

# Who may use whom. All may use lib and core's own seam; a room may use itself.
ARROWS = {
    "engine": "experiments measure plan levels options results clock",
    "experiments": "measure plan levels stats results options",
    "measure": "plan options chase stats results clock cpu dram",
    "plan": "options chase stats results dram",
    "report": "results stats",
    "verdict": "options results stats dram",
    "levels": "stats",
    "results": "stats",
    "arch": "chase cpu clock mapping firmware",
    "efi": "engine.h verdict report results options clock firmware mapping arch.h",
    "tests/shared": "engine.h verdict report results options",
    "tests/host": "tests/shared report results options clock firmware mapping chase arch.h arch",
    "tests/sim": "tests/shared engine.h results options mapping chase levels stats",
    "lib": "", "dram": "stats chase", "stats": "", "chase": "", "cpu": "", "firmware": "", "mapping": "", "clock": "",
    "options": "",
}

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)


def room_of(name):
    """The room of a file; None: the table has none for it."""
    parts = name.split("/")
    if parts[0] == "core" and len(parts) == 2:
        return parts[1] if parts[1] in ("machine.h", "inventory.h", "engine.h") \
            else "names.h" if parts[1].startswith("names.") \
            else "engine" if parts[1] in ROOT_FILES else parts[1]
    if parts[0] == "core":
        return parts[1]
    if name == "arch/arch.h":
        return "arch.h"
    if parts[0] in ("arch", "efi"):
        return parts[0]
    if parts[:2] in (["tests", "shared"], ["tests", "host"], ["tests", "sim"]):
        # Test programs see all.
        return None if parts[2].startswith("test_") else "/".join(parts[:2])
    return None


def may_use(user, used):
    if user == used or used == "lib" or used in SEAM.split():
        # The seam itself may use lib and the rest of the seam.
        return True
    user = {"engine.h": "engine", "arch.h": "arch"}.get(user, user)
    if user == "engine" and used == "engine.h":
        return True
    if user == "arch" and used == "arch.h":
        return True
    return used in ARROWS.get(user, "").split()


def is_public(header):
    parts = header.split("/")
    if parts[0] != "core" or len(parts) == 2:
        return True
    public = PUBLIC.get(parts[1], "")
    return public == "*" or parts[2] == parts[1] + ".h" or parts[2] in public.split()


def unit_of(name):
    return name.rsplit(".", 1)[0]


class Tree:
    def __init__(self, path, build="build"):
        self.path = pathlib.Path(path)
        self.build = self.path / build
        self.files = sorted(
            str(file.relative_to(self.path)) for part in ("core", "arch", "efi", "tests/shared",
                                                          "tests/host", "tests/sim")
            for file in (self.path / part).rglob("*.[ch]"))
        self.used = {name: [file for file in INCLUDE.findall((self.path / name).read_text("utf-8"))
                            if (self.path / file).is_file()] for name in self.files}

    def roomless(self):
        """Files of core/ that belong to no room."""
        return [name for name in self.files if name.startswith("core/") and (
            name.split("/")[1] not in (ROOT_FILES if name.count("/") == 1 else PUBLIC)
            or name.count("/") > 2)]

    def includes_between_rooms(self):
        for name, used in self.used.items():
            for file in used:
                rooms = room_of(name), room_of(file)
                if None not in rooms and rooms[0] != rooms[1]:
                    yield name, file, rooms

    def forbidden_includes(self):
        """{"room -> room": includes} that the table has no arrow for."""
        found = collections.defaultdict(list)
        for name, file, rooms in self.includes_between_rooms():
            if not may_use(*rooms):
                found[" -> ".join(rooms)].append(f"{name} includes {file}")
        return found

    def private_includes(self):
        """Headers private to their room, included from another."""
        return [f"{name} includes {file}" for name, file, _ in self.includes_between_rooms()
                if not is_public(file)]

    def impure_includes(self):
        """Includes that arch/<cpu>/pure_* may not have: of its folder, pure headers and those that only
        name registers are allowed."""
        return [f"{name} includes {file}" for name, used in self.used.items() for file in used
                if re.match(r"arch/\w+/pure_", name) and re.match(r"arch/\w+/", file)
                and not re.search(r"/(pure_\w+|\w*registers)\.h$", file)]

    def objects(self, cpu):
        """{file without .c: (symbols it defines, symbols it needs)} of core/ and arch/<cpu>."""
        top = self.build / cpu / "obj"
        paths = [path for part in ("core", f"arch/{cpu}")
                 for path in sorted((top / part).rglob("*.o"))
                 # An object whose source is gone is a leftover of an earlier build.
                 if (self.path / path.relative_to(top)).with_suffix("").is_file()]
        found = {str(path.relative_to(top)): (set(), set()) for path in paths}
        for place, option in enumerate(("--defined-only", "--undefined-only")):
            done = subprocess.run(["nm", "-A", "-g", "--format=posix", option, *paths], text=True,
                                  capture_output=True, check=True)
            for line in done.stdout.splitlines():
                path, symbol = line.split(": ", 1)
                found[str(pathlib.Path(path).relative_to(top))][place].add(symbol.split()[0])
        return {unit_of(unit_of(name)): both for name, both in found.items()}

    def calls(self, cpu):
        """{file: {file that it calls: symbols}} of core/ and arch/<cpu>, without .c."""
        objects = self.objects(cpu)
        owner = {symbol: name for name, (defined, _) in objects.items() for symbol in defined}
        found = collections.defaultdict(lambda: collections.defaultdict(set))
        for name, (_, needed) in objects.items():
            for symbol in needed:
                if owner.get(symbol, name) != name:
                    found[name][owner[symbol]].add(symbol)
        return found

    def forbidden_calls(self, cpu):
        """{"room -> room": calls} that the table has no arrow for."""
        found = collections.defaultdict(list)
        for name, calls in self.calls(cpu).items():
            for other, names in calls.items():
                rooms = room_of(name + ".c"), room_of(other + ".c")
                if not may_use(*rooms):
                    found[" -> ".join(rooms)].append(
                        f"{name} calls {other}: {' '.join(sorted(names))}")
        return found

    def include_circles(self):
        """Sets of files that include each other in a circle."""
        return components(self.used)

    def call_circles(self, cpu):
        """Sets of files (without .c) that call each other in a circle."""
        return components(self.calls(cpu))


def components(arrows):
    """The strongly connected components, of more than one node, of {node: nodes} (Tarjan)."""
    index, low, stack, parts = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(arrows.get(node, ())):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            part = set(stack[stack.index(node):])
            del stack[stack.index(node):]
            if len(part) > 1:
                parts.append(part)

    for node in sorted(arrows):
        if node not in index:
            visit(node)
    return parts


def table_circles():
    """Rooms that the table itself puts on a circle."""
    return components({room: used.split() for room, used in ARROWS.items()})


def main():
    tree = Tree(".", os.environ.get("BUILD", "build"))
    cpus = sorted(path.name for path in tree.build.iterdir() if (tree.path / "arch" / path.name).is_dir())
    wrong = [f"in no room: {name}" for name in tree.roomless()]
    wrong += [f"private: {line}" for line in tree.private_includes()]
    wrong += [f"not pure: {line}" for line in tree.impure_includes()]
    wrong += [f"no arrow {arrow}: {line}" for arrow, lines in tree.forbidden_includes().items()
              for line in lines]
    wrong += ["circle of includes: " + " ".join(sorted(part)) for part in tree.include_circles()]
    for cpu in cpus:
        wrong += [f"{cpu}: no arrow {arrow}: {line}"
                  for arrow, lines in tree.forbidden_calls(cpu).items() for line in lines]
        wrong += [f"{cpu}: circle of calls: " + " ".join(sorted(part))
                  for part in tree.call_circles(cpu)]
    print("\n".join(wrong) or "all in order")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
