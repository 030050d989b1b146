# SPDX-License-Identifier: BSD-2-Clause
"""README.md and the stick's configuration say the same of the options as the program does.

    python3 tests/unit/test_readme.py --write

puts the program's own words into README.md.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TREE = pathlib.Path(__file__).resolve().parents[2]
README = TREE / "README.md"
BEGIN, END = "<!-- options: begin -->\n```\n", "```\n<!-- options: end -->\n"
PROGRAM = """
#include <stdio.h>
#include "core/options/options.h"
static void print(void *context, const char *text, size_t bytes)
{
    (void)context;
    fwrite(text, 1, bytes, stdout);
}
int main(void)
{
    struct text_sink sink = {.write = print};
    options_help((enum option_host)(OPTION_FIRMWARE | OPTION_LINUX | OPTION_SIMULATOR), &sink);
    return 0;
}
"""


def options_help():
    """What the program says of every key, on any machine."""
    with tempfile.TemporaryDirectory() as scratch:
        program = os.path.join(scratch, "help")
        subprocess.run(["gcc", "-std=c11", "-I.", "-o", program, "-x", "c", "-", "-x", "none",
                        *map(str, sorted((TREE / "core").rglob("*.c")))],
                       input=PROGRAM, text=True, cwd=TREE, check=True)
        return subprocess.run([program], capture_output=True, text=True, check=True).stdout


def test_readme_has_every_option():
    text = README.read_text()
    assert text.count(BEGIN) == text.count(END) == 1
    assert text.split(BEGIN)[1].split(END)[0] == options_help(), "--write brings it up to date"


def defaults_of(text):
    """Key and default of every row of the help, which is wrapped."""
    rows = re.findall(r"^([a-z-]+)=(.*(?:\n .*)*)", text, re.M)
    found = {key: re.search(r"Default: (\S+)\.$", " ".join(words.split())) for key, words in rows}
    return {key: match.group(1) for key, match in found.items() if match}


def test_configuration_on_the_stick_lists_every_key_with_its_default():
    lines = (TREE / "tools" / "barechase.cfg").read_text().splitlines()
    assert all(line.startswith("#") or not line for line in lines), "the defaults rule"
    listed = [match for line in lines for match in re.findall(r"^#([a-z-]+)=(.+)$", line)]
    assert len(listed) == len(dict(listed))
    assert dict(listed) == defaults_of(options_help())


if __name__ == "__main__" and sys.argv[1:] == ["--write"]:
    before, rest = README.read_text().split(BEGIN)
    README.write_text(before + BEGIN + options_help() + END + rest.split(END)[1])
