# SPDX-License-Identifier: BSD-2-Clause
"""Two boards, one stick: each reads what is common and then what is its own."""
import re

import pytest

from conftest import newest
from machine import Drive, Machine

PLAN = "tests=verify\nmax=4M\nrule-coverage=0\nend=shutdown\nseed=5\n"


def run(lab, copy, **settings):
    boot = lab.boot(Machine(drives=[Drive(copy.path)], memory_mib=256, **settings))
    boot.wait_exit(90)
    records = newest(copy)
    [said] = [note for note in records.notes("info") if note.startswith("configuration: ")]
    return records, said


@pytest.mark.long
def test_each_board_reads_its_own(lab):
    copy = lab.stick(PLAN)
    records, said = run(lab, copy, machine="q35")
    own = re.fullmatch(r"configuration: barechase.cfg; this board has none of its own, which would "
                       r"be ([A-Za-z0-9-]+\.cfg)", said)[1]
    assert "seed=5" in records.one("run")["options"]
    copy.write(f"barechase/{own}", b"max=2M\n")
    records, said = run(lab, copy, machine="q35")
    assert said == f"configuration: barechase.cfg; of this board: {own}"
    assert records.one("verify")["bytes"] == 2 << 20 and "seed=5" in records.one("run")["options"]


@pytest.mark.long
def test_another_board_does_not_and_errors_name_the_file(lab):
    copy = lab.stick(PLAN)
    own = run(lab, copy, machine="q35")[1].rsplit(" ", 1)[1]
    copy.write(f"barechase/{own}", b"max=2M\n")
    records, said = run(lab, copy, machine="pc")
    assert "none of its own" in said and own not in said
    assert records.one("verify")["bytes"] == 4 << 20
    copy.write(f"barechase/{own}", b"max=2M\nnonsense=1\n")
    boot = lab.boot(Machine(drives=[Drive(copy.path)], memory_mib=256, machine="q35"))
    boot.wait_exit(90)
    assert f"{own} line 2" in boot.text
