# SPDX-License-Identifier: BSD-2-Clause
"""Every command line that docs/method.md gives for another program's option is accepted by barechase,
and every option of those programs is listed there."""
import os
import pathlib
import re
import subprocess

import pytest

TREE = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = (TREE / os.environ.get("BUILD", "build") / "host" / "barechase").resolve()
SECTION = (TREE / "docs/method.md").read_text().split("\n## Options of other programs\n")[1]
SECTION = SECTION.split("\n## ")[0]
TABLES = {part.split("\n")[0]: part for part in SECTION.split("\n### ")[1:]}
ROWS = [row.strip("|").split("|") for row in SECTION.splitlines() if row.startswith("| ")]
COMMANDS = sorted({words for row in ROWS for words in re.findall(r"`([a-z]+=[^`]*)`", row[-1])})
ALLOWED_CPU = min(os.sched_getaffinity(0))  # what runs the tests may have bound them to a few

# What each program knows.
KNOWN = {
    "pChase": ["-l", "-p", "-c", "-r", "-i", "-e", "-s", "-g", "-f", "-a random", "-a forward",
               "-a reverse", "-o", "-h", "-t", "-n"],
    "multichase": ["-a", "-c simple", "-c work", "-c incr", "-c branch", "-c t0", "-c movdqa",
                   "-c movntdqa", "-c parallel2", "-c critword:", "-c critword2:", "-m", "-s", "-T",
                   "-n", "-N", "-p", "-H", "-M", "-f", "-o", "-O", "-F", "-L", "-X", "-y", "-v",
                   "-t", "-W", "multiload -l", "pingpong", "pingpong -u"],
    "lat_mem_rd, and its neighbours in lmbench": ["-t", "-N", "-W", "MB STRIDE", "-P"],
    "clamchowder MemoryLatency": ["-test c", "-test asm", "-test longpattern", "-test tlb",
                                  "-test mlp", "-test aop", "-test stlf", "-sizekb", "-maxsizemb",
                                  "-iter", "-hugepages", "-affinity", "-pagebypage", "-numa",
                                  "CoherencyLatency", "LoadedMemoryLatency"],
    "Intel MLC": ["--idle_latency", "--latency_matrix", "--bandwidth_matrix", "--loaded_latency",
                  "--c2c_latency", "--peak_injection_bandwidth", "-b", "-r", "-L", "-e", "-c", "-W",
                  "-d", "-X", "-J"],
}


def test_there_are_command_lines():
    assert len(COMMANDS) > 50
    assert all(len(row) == 3 for row in ROWS)


@pytest.mark.parametrize("program", KNOWN)
def test_no_option_is_left_out(program):
    first = "\n".join(row.split("|")[1] for row in TABLES[program].splitlines()
                      if row.startswith("|"))
    for option in KNOWN[program]:
        assert re.search(rf"`{re.escape(option)}(?![\w])|`[^`]*{re.escape(option)}", first), option


@pytest.mark.parametrize("words", COMMANDS)
def test_every_command_line_is_taken(words, tmp_path):
    words = words.replace("cpu=0", f"cpu={ALLOWED_CPU}")
    ran = subprocess.run([PROGRAM, *words.split(), "dry=on", "save=off"], cwd=tmp_path, text=True,
                         capture_output=True, check=False, timeout=600)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "plan: " in ran.stdout and "points left out" not in ran.stdout, ran.stdout
