# SPDX-License-Identifier: BSD-2-Clause
"""The last screen of a run in a process: on a terminal coloured and as high as that, elsewhere plain
and whole, as in report.txt."""
import fcntl
import os
import pathlib
import pty
import re
import struct
import subprocess
import termios

import pytest

TREE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BUILD", TREE / "build"))
PROGRAM = (TREE / BUILD / "sim" / "barechase").resolve()
ROWS, HANG_S = 30, 600
# Nothing to measure: an error, which is red; the run ends at once.
WORDS = ["tests=dram", "range=0x1000-0x2000", "save=off"]


def on_terminal(**environment):
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, 80, 0, 0))
    inherited = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    process = subprocess.Popen([str(PROGRAM), *WORDS], stdin=subprocess.DEVNULL, stdout=theirs,
                               stderr=subprocess.DEVNULL, env={**inherited, **environment})
    os.close(theirs)
    shown = b""
    try:
        while chunk := os.read(ours, 65536):
            shown += chunk
    except OSError:  # the other side is closed
        pass
    os.close(ours)
    process.wait(timeout=HANG_S)
    return shown.decode("ascii").replace("\r\n", "\n")


def test_a_terminal_gets_colours_and_words():
    shown = on_terminal(TERM="xterm")
    assert re.search(r"\x1b\[31mbarechase .*: failed after .*\x1b\[0m\n", shown), shown
    assert re.search(r"\x1b\[31merror: nothing to measure.*\x1b\[0m\n", shown), shown
    assert "\x1b[1mDRAM latency - (not measured)\x1b[0m\n" in shown
    assert len(shown[shown.rindex("\x1b[31mbarechase"):].splitlines()) <= ROWS - 2


@pytest.mark.parametrize("environment", [{"TERM": "xterm", "NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_colours_where_they_are_not_wanted(environment):
    shown = on_terminal(**environment)
    assert "\x1b" not in shown and ": failed after" in shown


def test_an_empty_no_color_refuses_nothing():
    assert "\x1b[31m" in on_terminal(TERM="xterm", NO_COLOR="")


def test_elsewhere_it_is_the_reports(tmp_path):
    out = tmp_path / "run"
    done = subprocess.run([str(PROGRAM), *WORDS[:-1], f"out={out}"], capture_output=True, text=True,
                          timeout=HANG_S, check=False, env={**os.environ, "TERM": "xterm"})
    assert done.stdout == (out / "report.txt").read_text() + f"results: {out}\n"
