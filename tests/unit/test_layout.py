# SPDX-License-Identifier: BSD-2-Clause
"""The tree stays in order: who includes and calls whom, and what each file must look like."""
import os
import pathlib
import re
import subprocess

import pytest

import rooms

TREE = pathlib.Path(__file__).resolve().parents[2]
BUILD = TREE / os.environ.get("BUILD", "build")
FREESTANDING = {"float.h", "limits.h", "stdalign.h", "stdarg.h", "stdbool.h", "stddef.h",
                "stdint.h", "stdnoreturn.h"}
# What a compiler may call by itself (linker/libc.c has them), and what stands for the linker.
COMPILER_CALLS = {"memcpy", "memmove", "memset", "memcmp", "_GLOBAL_OFFSET_TABLE_"}
FUNCTION_LINES_MAX = 80
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)


def listed_files():
    """What belongs to the tree: tracked by git, or new and not ignored; all files without git."""
    done = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=TREE,
                          capture_output=True, text=True, check=False)
    if done.returncode == 0:
        names = done.stdout.splitlines()
    else:
        names = [str(path.relative_to(TREE)) for path in TREE.rglob("*")]
    return sorted(name for name in names if (TREE / name).is_file()
                  and not name.startswith(("build/", ".git/")) and "__pycache__" not in name)


FILES = listed_files()
C_FILES = [name for name in FILES if name.endswith((".c", ".h"))]
# The stick's configuration is its user's and has no licence line.
SOURCES = [name for name in FILES if name != "tools/barechase.cfg" and (
           name.endswith((".c", ".h", ".S", ".py", ".sh", ".mk", ".toml", ".ini"))
           or name == "Makefile" or name.startswith(("tools/", ".ci/", "linker/")))]
ARCHES = [name[len("linker/start_"):-len(".S")] for name in FILES
          if name.startswith("linker/start_")]


def text_of(name):
    return (TREE / name).read_text(encoding="utf-8")


def code_of(name):
    """A C file without its comments and strings."""
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"',
                  lambda match: '""' if match.group().startswith('"') else " ", text_of(name),
                  flags=re.S)


def folder(*names):
    return [name for name in C_FILES if name.startswith(tuple(f"{part}/" for part in names))]


def includes(name):
    return INCLUDE.findall(text_of(name))


def test_there_are_files():
    assert folder("core") and folder("efi") and ARCHES


@pytest.mark.parametrize("name", folder("core"))
def test_core_includes_core_only(name):
    assert [file for file in includes(name)
            if file not in FREESTANDING and not file.startswith("core/")] == []


@pytest.mark.parametrize("name", folder("arch"))
def test_arch_includes_core_and_its_own_folder_only(name):
    own = "/".join(name.split("/")[:2]) + "/"
    assert [file for file in includes(name) if file not in FREESTANDING
            and file != "arch/arch.h" and not file.startswith(("core/", own))] == []


@pytest.mark.parametrize("name", folder("efi"))
def test_efi_sees_of_the_cpu_only_its_contract(name):
    assert [file for file in includes(name) if file not in FREESTANDING
            and file != "arch/arch.h" and not re.match(r"(core/|efi/|protocol/|efi\w*\.h$)", file)
            ] == []


@pytest.mark.parametrize("name", [name for name in C_FILES if not name.startswith("efi/")])
def test_only_efi_sees_the_firmware(name):
    assert [file for file in includes(name) if re.match(r"(efi\w*\.h|protocol/)", file)] == []


@pytest.mark.parametrize("name", folder("core", "efi", "linker") + ["arch/arch.h"])
def test_no_architecture_is_named_outside_arch(name):
    conditions = re.findall(r"^\s*#\s*(?:if|ifdef|ifndef|elif)\b.*$", code_of(name), re.M)
    words = r"x86|amd64|i386|aarch64|(?<![a-z])arm|riscv|_M_X64"
    assert [line for line in conditions if re.search(words, line, re.I)] == []


@pytest.mark.parametrize("name", folder("core", "efi"))
def test_no_instructions_outside_arch(name):
    assert re.findall(r"\b(?:__asm__|__asm|asm)\b[^;]*", code_of(name)) == []


# core/chase/kernels.h and its parts are a template: a file that includes it defines its hooks
# first.
@pytest.mark.parametrize("name", [name for name in folder("core", "arch")
                                  if name.endswith(".h") and not name.startswith("core/chase/kernels")])
def test_header_compiles_alone(name):
    # A header that names registers compiles only for the CPU that has them. Both compilers see every
    # header in the sources that include it.
    cpu = [part for part in ARCHES if name.startswith(f"arch/{part}/")]
    done = subprocess.run(
        ["clang" if cpu else "gcc", *[f"--target={part}-linux-gnu" for part in cpu],
         "-std=c11", "-ffreestanding", "-Wall", "-Wextra", "-Wshadow",
         "-Wstrict-prototypes", "-Werror", "-fsyntax-only", "-I.",
         "-x", "c", "-"],
        input=f'#include "{name}"\n#include "{name}"\ntypedef int not_empty;\n', cwd=TREE,
        capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def objects(arch, *parts):
    built = BUILD / arch / "obj"
    # An object whose source is gone is a leftover of an earlier build.
    return [path for path in sorted(built.joinpath(*parts).rglob("*.o"))
            if (TREE / path.relative_to(built)).with_suffix("").is_file()]


def symbols(paths, *options):
    if not paths:
        return set()
    done = subprocess.run(["nm", "-A", "--format=posix", *options, *map(str, paths)], text=True,
                          capture_output=True, check=True)
    return {line.split(": ", 1)[1].split()[0] for line in done.stdout.splitlines()}


def defined(paths):
    return symbols(paths, "--defined-only", "--extern-only")


@pytest.mark.parametrize("arch", ARCHES)
def test_core_calls_nobody(arch):
    paths = objects(arch, "core")
    assert paths, f"make efi ARCH={arch} comes first"
    assert symbols(paths, "--undefined-only") - defined(paths) - COMPILER_CALLS == set()


@pytest.mark.parametrize("arch", ARCHES)
def test_arch_calls_core_only(arch):
    paths = objects(arch, "arch", arch)
    assert paths, f"make efi ARCH={arch} comes first"
    known = defined(paths) | defined(objects(arch, "core")) | COMPILER_CALLS
    assert symbols(paths, "--undefined-only") - known == set()


HOUSE = rooms.Tree(TREE, BUILD)


def test_rooms_stand_on_floors():
    assert rooms.table_circles() == []


def test_rooms_are_documented():
    """docs/develop.md has each room, and whom it uses."""
    table = dict(re.findall(r"^\| `core/(\w+)(?:/|\.c)`[^|]*\|[^|]*\| ([^|]*)\|$",
                            text_of("docs/develop.md"), re.M))
    assert {room: sorted(re.findall(r"\w+", used)) for room, used in table.items()} == {
        room: sorted(used.split()) for room, used in
        {**{room: "" for room in rooms.PUBLIC}, **rooms.ARROWS}.items()
        if room in rooms.PUBLIC or room == "engine"} | {"lib": []}


def test_every_file_of_core_has_its_room():
    assert HOUSE.roomless() == []


def test_includes_follow_the_arrows():
    assert HOUSE.forbidden_includes() == {}


def test_private_headers_stay_in_their_rooms():
    assert HOUSE.private_includes() == []


def test_pure_files_of_a_cpu_see_pure_ones():
    assert HOUSE.impure_includes() == []


def test_includes_have_no_circle():
    assert HOUSE.include_circles() == []


@pytest.mark.parametrize("arch", ARCHES)
def test_calls_follow_the_arrows(arch):
    assert HOUSE.calls(arch), f"make efi ARCH={arch} comes first"
    assert HOUSE.forbidden_calls(arch) == {}


@pytest.mark.parametrize("arch", ARCHES)
def test_calls_have_no_circle(arch):
    assert HOUSE.call_circles(arch) == []


def without_comments(name):
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text_of(name), flags=re.S)


NAMED_ONCE = set(re.findall(r'"(\d+[kmg]|as-\w+|scattered|contiguous|nta|iid|paged|grouped|[a-z]+-page\w*)"',
                            without_comments("core/names.c") + without_comments("core/names.h")))


@pytest.mark.parametrize("name", [name for name in folder("core") if "core/names." not in name])
def test_names_of_enums_stand_in_their_tables(name):
    assert {"4k", "1g", "scattered", "iid", "hop-page"} <= NAMED_ONCE
    assert NAMED_ONCE & set(re.findall(r'"([^"\\\n]*)"', without_comments(name))) == set()


@pytest.mark.parametrize("arch", ARCHES)
def test_core_has_no_global_that_changes(arch):
    paths = objects(arch, "core")
    changing = []
    for path in paths:
        done = subprocess.run(["readelf", "-SW", str(path)], capture_output=True, text=True,
                              check=True)
        for name, size in re.findall(
                r"\] (\.data|\.bss|\.data\.(?!rel\.ro)\S+|\.bss\.\S+)\s+\S+\s+\S+ \S+ (\S+)",
                done.stdout):
            if int(size, 16):
                changing.append(f"{path.name}: {name} has {int(size, 16)} bytes")
    assert changing == []


@pytest.mark.parametrize("arch", ARCHES)
def test_every_architecture_fulfils_the_contract(arch):
    contract = set(re.findall(r"\b(arch_\w+)\(", code_of("arch/arch.h")))
    contract |= set(re.findall(r"^window_work (arch_\w+);", code_of("arch/arch.h"), re.M))
    contract -= set(re.findall(r"typedef[^;]*?\b(arch_\w+)\(", code_of("arch/arch.h")))
    assert "arch_quiet_run" in contract
    mine = {name for name in defined(objects(arch, "arch", arch)) if name.startswith("arch_")}
    assert mine == contract


@pytest.mark.parametrize("name", SOURCES)
def test_file_names_its_licence_and_itself(name):
    lines = text_of(name).splitlines()
    if lines and lines[0].startswith("#!"):
        lines = lines[1:]
    opening = "/* " if name.endswith((".c", ".h", ".S")) else "# "
    closing = " */" if opening == "/* " else ""
    assert lines[:1] == [f"{opening}SPDX-License-Identifier: BSD-2-Clause{closing}"]
    assert re.match(r'(/\*|#|"""|--)', lines[1]), "the second line says what the file is"


@pytest.mark.parametrize("name", FILES)
def test_no_words_of_unfinished_work(name):
    if (TREE / name).stat().st_size > 1 << 20 or "corpus" in name:
        return
    data = (TREE / name).read_bytes().decode("utf-8", "replace")
    # Spelt in parts, so that this file does not hold them.
    words = "|".join(["TO" "DO", "FIX" "ME", "XX" "X"])
    assert re.findall(rf"\b(?:{words})\b", data) == []
    places = "work|root" if name.startswith("tests/") else "work|root|tmp"
    assert re.findall(rf"(?<![\w.:/*])/(?:{places})/[\w.-]*", data) == []


@pytest.mark.parametrize("name", C_FILES)
def test_functions_are_short(name):
    lines = text_of(name).splitlines()
    start, long = None, []
    for number, line in enumerate(lines, 1):
        if line == "{":
            start = number
        elif line == "}" and start:
            if number - start + 1 > FUNCTION_LINES_MAX:
                long.append(f"{name}:{start}: {number - start + 1} lines")
            start = None
    assert long == []


def test_sources_are_formatted():
    done = subprocess.run(["clang-format", "--dry-run", "-Werror", *C_FILES], cwd=TREE,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_scripts_can_be_run():
    wrong = [name for name in FILES if (TREE / name).read_bytes()[:2] == b"#!"
             and not os.access(TREE / name, os.X_OK)]
    assert wrong == []
