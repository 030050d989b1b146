# SPDX-License-Identifier: BSD-2-Clause
"""A simulated run that is stopped ends as the Linux program does: with whole records of what was
measured, and an end that says so."""
import json
import os
import pathlib
import signal
import subprocess
import time

import pytest

TREE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BUILD", TREE / "build"))
PROGRAM = (TREE / BUILD / "sim" / "barechase").resolve()
HANG_S = 600  # ends what hangs; nothing here measures time


def points_in(directory):
    file = directory / "results.jsonl"
    return file.read_text().count('"record":"point"') if file.exists() else 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_stop_keeps_what_there_is(tmp_path, number):
    out = tmp_path / "run"
    # A run of minutes, whose passes reach the file one by one.
    process = subprocess.Popen([str(PROGRAM), "tests=curve", "plan=full", "error=0.01", f"out={out}"],
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
    begun = time.monotonic()
    while points_in(out) == 0 and process.poll() is None and time.monotonic() - begun < HANG_S:
        time.sleep(0.02)
    process.send_signal(number)
    assert process.wait(timeout=HANG_S) == 130
    records = [json.loads(line) for line in (out / "results.jsonl").read_text().splitlines()]
    assert records[-1]["record"] == "end" and records[-1]["status"] == "aborted"
    assert [record for record in records if record["record"] == "point"]
    assert "aborted" in (out / "report.txt").read_text()


@pytest.mark.parametrize("command, status, message", [
    ('"$0" dry=on out=here >&-', 0, ""),
    ('"$0" dry=on out=here <&- >&- 2>&-', 0, ""),
    ('"$0" dry=on out=here > /dev/full', 0, "standard output: cannot be written: No space left"),
    ('set -o pipefail; "$0" dry=on out=here | true', 0, ""),
    # Of minutes, if it were not stopped.
    ('"$0" save=off plan=full error=0.01 > /dev/full', 1,
     "standard output: cannot be written: No space left"),
    ('"$0" --help > /dev/full', 1, "standard output: cannot be written: No space left"),
    ('"$0" --version > /dev/full', 1, "standard output: cannot be written: No space left")])
def test_a_screen_that_takes_nothing(tmp_path, command, status, message):
    """What was measured is in the files anyway, and only there."""
    done = subprocess.run(["bash", "-c", command, str(PROGRAM)], cwd=tmp_path, timeout=HANG_S,
                          capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    assert done.returncode == status and message in done.stderr, done
    if status == 0:
        lines = (tmp_path / "here" / "results.jsonl").read_text().splitlines()
        assert json.loads(lines[-1])["status"] == "ok" and all(map(json.loads, lines))
        assert (tmp_path / "here" / "report.txt").read_text().count("\nverdict: ") <= 1


def test_who_reads_a_pipe_gets_a_line_when_it_is_said():
    """The first one long before the end."""
    process = subprocess.Popen([str(PROGRAM), "tests=curve", "plan=full", "error=0.01", "save=off"],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    line = process.stdout.readline()
    still_runs = process.poll() is None
    process.kill()
    process.wait()
    process.stdout.close()
    assert line.endswith(b"\n") and still_runs
