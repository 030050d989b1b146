# SPDX-License-Identifier: BSD-2-Clause
"""`make run`, as a new user types it."""
import re
import resource
import shutil
import subprocess
import time

import pytest

from conftest import make
from machine import ROOT


@pytest.mark.long
def test_bad_input_fails(products):
    done = make("run", "ARGS=tests=dram nonsense=1", cap=150)
    assert done.returncode != 0, done.stdout
    assert "nonsense" in done.stdout


def test_shows_the_headline(products):
    done = make("run", "ARGS=tests=dram max=1M pages=2m budget=2 error=20", cap=150)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "build/results/run-" in done.stdout
    headline = done.stdout.split("results: build", 1)[1]
    assert re.search(r"\d+\.\d+ ns, ", headline), headline


def processor_seconds() -> float:
    """Of all children that have ended: the same on a busy host."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.mark.slow
@pytest.mark.long
def test_clean_checkout_takes_a_minute(request, scratch, figure):
    """Nothing is built, packages and headers are present: on two idle cores 35 s of both together."""
    if not request.config.option.long:
        pytest.skip("takes a minute: make test-long")
    tree = scratch / "checkout"
    subprocess.run(["git", "clone", "-q", ROOT, tree], check=True)
    # Without DEPS=no, tools/deps would fetch for that tree what it has fetched for this one.
    if (ROOT / "build/headers").is_dir():
        shutil.copytree(ROOT / "build/headers", tree / "build/headers")
    begun, used = time.monotonic(), processor_seconds()
    done = make("run", cap=300, directory=tree)
    took = processor_seconds() - used
    figure(f"{time.monotonic() - begun:.0f} s for make run in a clean checkout, {took:.0f} s of "
           "processors")
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr
    assert took < 120
