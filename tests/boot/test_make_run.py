# SPDX-License-Identifier: BSD-2-Clause
"""`make run`, as a newcomer types it."""
import re
import subprocess
import time

import pytest

from conftest import make
from machine import ROOT


def test_bad_input_fails(products):
    done = make("run", "ARGS=tests=dram nonsense=1", cap=150)
    assert done.returncode != 0, done.stdout
    assert "nonsense" in done.stdout


def test_shows_the_headline(products):
    done = make("run", "ARGS=tests=dram max=4M budget=2 error=20", cap=150)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "build/results/run-" in done.stdout
    headline = done.stdout.split("results: build", 1)[1]
    assert re.search(r"\d+\.\d+ ns, ", headline), headline


@pytest.mark.slow
def test_clean_checkout_under_a_minute(request, scratch, figure):
    """Nothing built, packages present. The limit holds on two idle cores; here another boot has one
    of them."""
    if not request.config.option.long:
        pytest.skip("takes a minute: make test-long")
    tree = scratch / "checkout"
    subprocess.run(["git", "clone", "-q", ROOT, tree], check=True)
    begun = time.monotonic()
    done = make("run", cap=300, directory=tree)
    took = time.monotonic() - begun
    figure(f"{took:.0f} s for make run in a clean checkout")
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr
    assert took < 120
