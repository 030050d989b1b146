# SPDX-License-Identifier: BSD-2-Clause
"""Other CPUs of AArch64 firmware that has no MP services: turned on for each measurement by PSCI, and
off again. By the tables of ACPI and by a devicetree; by HVC at EL1 and by SMC at EL2."""
import pytest

from test_cores import PLAN, check_points, measured, pairs


@pytest.mark.parametrize("smp, level, acpi", [(2, 1, True), (4, 2, False), (8, 1, False)])
def test_every_cpu(lab, smp, level, acpi):
    records = lab.finish(PLAN, smp=smp, arch="aarch64", cpu="cortex-a57", level=level, acpi=acpi,
                         gic=3)[1]
    assert measured(records) == set(range(smp)), (pairs(records), records.notes())
    check_points(records)
