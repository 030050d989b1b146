# SPDX-License-Identifier: BSD-2-Clause
"""What README shows of a run is what the command beside it prints."""
import os
import pathlib
import re
import subprocess

import pytest

TREE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BUILD", TREE / "build"))
CAP_S = 1200


@pytest.mark.skipif("BARECHASE_LONG" not in os.environ, reason="a whole run: only when long")
def test_readme_shows_what_its_command_prints(tmp_path):
    readme = (TREE / "README.md").read_text(encoding="utf-8")
    program, machine = re.search(r"^    build/(sim/barechase) (machine=\S+)$", readme, re.M).groups()
    block = re.search(r"^    DRAM latency .*?(?=\n\n[^ ])", readme, re.M | re.S).group()
    shown = re.sub(r"^    ", "", block, flags=re.M)
    done = subprocess.run([str((TREE / BUILD / program).resolve()), machine, f"out={tmp_path}/run"],
                          cwd=TREE, capture_output=True, text=True, check=True, timeout=CAP_S)
    assert shown in done.stdout
