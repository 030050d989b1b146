# SPDX-License-Identifier: BSD-2-Clause
"""What the compilers made of the kernels: arch/<cpu>/chase.c as built for the application and for the
Linux machine, disassembled. A hop of a plain chain is one load, with at most one other instruction
per sixteen loads; no kernel's loop touches the stack."""
import dataclasses
import functools
import os
import pathlib
import platform
import re
import subprocess

import pytest

TREE = pathlib.Path(__file__).resolve().parents[2]
HOST = platform.machine()
CHAINS_MAX = {"x86_64": 14, "aarch64": 24}
CHAINS_BY_COMPILER = 7
LOADS_PER_OTHER = 16
# (architecture, compiler, what is built)
BUILDS = [("x86_64", "gcc", "efi"), ("x86_64", "clang", "efi"), ("aarch64", "gcc", "efi"),
          ("aarch64", "clang", "efi"), (HOST, "gcc", "host"), (HOST, "clang", "host")]


@dataclasses.dataclass
class Instruction:
    address: int
    name: str
    operands: str
    target: int | None  # of a branch, where it names one


@functools.cache
def disassembly(arch, compiler, product):
    """{function: [Instruction]} of chase.c, built by the Makefile itself."""
    build = {"gcc": "build", "clang": "build/clang"}[compiler]
    inner = f"{arch}/obj" if product == "efi" else "host/obj"
    path = f"{build}/{inner}/arch/{arch}/chase.c.o"
    outside = {name: value for name, value in os.environ.items()
               if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "BUILD")}
    done = subprocess.run(["make", "-s", f"CC={compiler}", f"BUILD={build}", f"ARCH={arch}", path],
                          cwd=TREE, env=dict(outside, DEPS="no"), capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stderr
    tool = "objdump" if arch == HOST else f"{arch}-linux-gnu-objdump"
    text = subprocess.run([tool, "-d", "--no-show-raw-insn", path], cwd=TREE, check=True,
                          capture_output=True, text=True).stdout
    functions, code = {}, None
    for line in text.splitlines():
        if match := re.fullmatch(r"[0-9a-f]+ <([^>]+)>:", line):
            code = functions.setdefault(match[1], [])
        elif match := re.fullmatch(r"\s*([0-9a-f]+):\s+(\S+)\s*(.*)", line):
            operands = match[3].split(" #" if arch == "x86_64" else " //")[0].strip()
            target = re.search(r"\b([0-9a-f]+) <", operands)
            code.append(Instruction(int(match[1], 16), match[2], operands,
                                    int(target[1], 16) if target else None))
    return functions


def ends_here(instruction):
    """Control never falls through to the next instruction."""
    return instruction.name in ("ret", "retq", "b", "jmp", "jmpq", "br", "ud2", "udf")


def successors(code):
    """For each instruction, the indices of those that may follow it in this function. A jump to
    another function is one to outlined code, which returns behind it."""
    index = {instruction.address: i for i, instruction in enumerate(code)}
    following = []
    for i, instruction in enumerate(code):
        inside = index.get(instruction.target)
        call = instruction.name in ("call", "callq", "bl")
        follows = [inside] if inside is not None and not call else []
        leaves = ends_here(instruction) and (inside is not None or instruction.target is None)
        if not leaves and i + 1 < len(code):
            follows.append(i + 1)
        following.append(follows)
    return following


def reached(following, start):
    seen, open_ = set(), list(following[start])
    while open_:
        i = open_.pop()
        if i not in seen:
            seen.add(i)
            open_ += following[i]
    return seen


def loops(code):
    """The instructions of each loop (those nested in it included), in order of address."""
    following = successors(code)
    preceding = [[] for _ in code]
    for i, follows in enumerate(following):
        for j in follows:
            preceding[j].append(i)
    found, done = [], set()
    for i, follows in enumerate(following):
        # Every loop has a branch back to its head.
        for head in (j for j in follows if j <= i and j not in done):
            members = reached(following, head) & reached(preceding, head)
            if head in members:
                done |= members
                found.append([code[k] for k in sorted(members)])
    return found


def kernel(functions, name):
    """A compiler may add a suffix of its own."""
    names = [found for found in functions if re.fullmatch(rf"{name}(\.\w+)*", found)]
    assert len(names) == 1, f"{name}: {names or 'not there'}"
    return functions[names[0]]


# What touches the stack, and what touches memory in any way. RSP's and X29's other names do not
# occur in this code; X29 is a frame pointer or nothing.
STACK = {"x86_64": re.compile(r"%[re]?sp\b|^(push|pop|call)"),
         "aarch64": re.compile(r"\bsp\b|\bx29\b")}
MEMORY = {"x86_64": re.compile(r"^(?!lea|nop|cs nop|data16)\S+ .*\(|^(push|pop|call)"),
          "aarch64": re.compile(r"\[")}
READ_ONLY = re.compile(r"(cmp|test|j\w+|nop\w*|cmn|tst|cbn?z|tbn?z|b|b\.\w+|prfm|str|prefetch\w+) ")
WIDER = {"x86_64": lambda name: re.sub(r"^e(?=[a-ds])", "r", re.sub(r"^(r\d+)[dwb]$", r"\1", name)),
         "aarch64": lambda name: re.sub(r"^w(?=\d)", "x", name)}
REGISTER = {"x86_64": re.compile(r"%(\w+)"), "aarch64": re.compile(r"\b([wx]\d+)\b")}


def words(instruction):
    return f"{instruction.name} {instruction.operands}".strip()


def registers(arch, text):
    return [WIDER[arch](name) for name in REGISTER[arch].findall(text)]


def plain_load(arch, instruction):
    """(register that points, register loaded), or None."""
    if arch == "x86_64":
        match = re.fullmatch(r"mov (?:0x0)?\(%(\w+)\),%(r\w+)", words(instruction))
        return match and (match[1], match[2])
    match = re.fullmatch(r"ldr (x\d+), \[(x\d+)\]", words(instruction))
    return match and (match[2], match[1])


def written(arch, instruction):
    """The registers that an instruction, not a load or store, leaves changed."""
    if READ_ONLY.match(words(instruction) + " "):
        return []
    operands = instruction.operands.split(",")
    return registers(arch, operands[-1 if arch == "x86_64" else 0])


def moved(arch, instruction):
    match = re.fullmatch(r"mov %(r\w+),%(r\w+)" if arch == "x86_64" else r"mov (x\d+), (x\d+)",
                         words(instruction))
    return match and ((match[1], match[2]) if arch == "x86_64" else (match[2], match[1]))


def chains_of(arch, loop):
    """{register: hops} of the chains that a loop without inner branches follows: after so many loads,
    each of which takes its address from the one before, the chain is in the register it began in.
    And the instructions that are no such loads."""
    value, others = {}, []  # value: {register: (register it began in, loads)}
    for instruction in loop:
        if load := plain_load(arch, instruction):
            origin, hops = value.get(load[0], (load[0], 0))
            value[load[1]] = (origin, hops + 1)
            continue
        others.append(words(instruction))
        if move := moved(arch, instruction):
            value[move[1]] = value.get(move[0], (move[0], 0))
            continue
        for name in written(arch, instruction):
            value[name] = (None, 0)
    return {name: hops for name, (origin, hops) in value.items()
            if origin == name and hops > 0}, others


def check_plain(arch, found, chains, single=True):
    """One loop of many hops and (single) one of a single hop for this number of chains, nothing else
    in either."""
    shapes = []
    for loop in found:
        counts, others = chains_of(arch, loop)
        if len(counts) != chains:
            continue
        assert len(set(counts.values())) == 1, f"{chains} chains: {counts}"
        assert not [other for other in others if MEMORY[arch].search(other)], others
        shapes.append((sum(counts.values()), len(others)))
    assert len(shapes) == 1 + single, f"{chains} chains: {shapes}"
    loads, others = max(shapes)
    assert others * LOADS_PER_OTHER <= loads, f"{chains} chains: {others} beside {loads} loads"
    assert not single or min(shapes)[0] == chains


@pytest.mark.parametrize("arch, compiler, product", BUILDS)
def test_a_plain_hop_is_one_load(arch, compiler, product):
    functions = disassembly(arch, compiler, product)
    for chains in range(1, CHAINS_BY_COMPILER + 1):
        found = loops(kernel(functions, f"kernel_cycle_{chains}"))
        assert len(found) == 2, f"{chains} chains: {len(found)} loops"
        check_plain(arch, found, chains)
    found = loops(kernel(functions, "kernel_many"))
    counts = range(CHAINS_BY_COMPILER + 1, CHAINS_MAX[arch] + 1)
    # AArch64 enters its loop in the middle instead.
    single = arch == "x86_64"
    assert len(found) == (1 + single) * len(counts)
    for chains in counts:
        check_plain(arch, found, chains, single)


@pytest.mark.parametrize("arch, compiler, product", BUILDS)
@pytest.mark.parametrize("name, min_loops", [
    *[(f"kernel_hop_{chains}", 3) for chains in range(1, CHAINS_BY_COMPILER + 1)],
    ("kernel_iid", 6), ("kernel_stream", 1), ("kernel_flush", 1), ("kernel_many", 14),
    *[(f"kernel_traffic_{kind}{order}", 1) for kind in ("read", "2_1", "1_1", "store_nt")
      for order in ("", "_random")]])
def test_no_loop_touches_the_stack(arch, compiler, product, name, min_loops):
    found = loops(kernel(disassembly(arch, compiler, product), name))
    assert len(found) >= min_loops, f"{name}: {len(found)} loops"
    for loop in found:
        assert [words(one) for one in loop if STACK[arch].search(words(one))] == []


@pytest.mark.parametrize("arch, compiler, product", BUILDS)
@pytest.mark.parametrize("chains", range(1, CHAINS_BY_COMPILER + 1))
def test_a_hop_touches_memory_as_often_as_it_should(arch, compiler, product, chains):
    """Loops for plain, non-temporal and dirty loads: each chain's accesses, four kinds of
    prefetch."""
    found = loops(kernel(disassembly(arch, compiler, product), f"kernel_hop_{chains}"))
    wanted = {"x86_64": ("prefetch", "movntdqa"), "aarch64": ("prfm", "ldnp")}[arch]
    shapes = []
    for loop in found:
        touching = [one for one in loop if MEMORY[arch].search(words(one))]
        hints, apart = ([one for one in touching if one.name.startswith(name)] for name in wanted)
        assert len(hints) == 4 * chains
        shapes.append((len(touching) - len(hints), len(apart)))
    # Non-temporal: one of two instructions for the halves of 16 bytes.
    assert sorted(shapes) == [(chains, 0), (2 * chains, 0), (2 * chains, 2 * chains)]


@pytest.mark.parametrize("arch, compiler, product", BUILDS)
def test_work_does_not_touch_memory(arch, compiler, product):
    code = kernel(disassembly(arch, compiler, product), "hook_work_begin")
    assert len(code) > 128
    assert [words(one) for one in code
            if MEMORY[arch].search(words(one)) or STACK[arch].search(words(one))] == []


@pytest.mark.parametrize("arch, compiler, product", BUILDS)
def test_a_stream_load_waits_for_no_other(arch, compiler, product):
    """Sixteen loads in a round; no address comes from anything that was loaded."""
    found = loops(kernel(disassembly(arch, compiler, product), "kernel_stream"))
    for loop in found:
        loads, loaded = 0, set()
        for _ in range(2):
            for one in loop:
                text = words(one)
                if MEMORY[arch].search(text):
                    address = re.search(r"\((.*)\)|\[(.*)\]", text).group()
                    assert not loaded & set(registers(arch, address)), text
                    loads += 1
                    loaded |= set(written(arch, one))
                    continue
                into = written(arch, one)
                before, _, last = one.operands.rpartition(",")
                source = one.operands.partition(",")[2] if arch == "aarch64" else \
                    before if one.name in ("mov", "lea") else one.operands
                if one.name == "xor" and registers(arch, before) == registers(arch, last):
                    source = ""
                tainted = loaded & set(registers(arch, source))
                loaded = loaded | set(into) if tainted else loaded - set(into)
        assert loads == 2 * 17, f"{loads // 2} loads"
