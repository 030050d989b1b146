# SPDX-License-Identifier: BSD-2-Clause
"""Sample records and runs, for the tests of the tools that read results."""
import json

SVG = "{http://www.w3.org/2000/svg}"

RUN = {"record": "run", "schema": 2, "version": "0.2.0 (abc1234)", "arch": "x86_64", "firmware": "ACME",
       "board": "ACME X1", "bios": "1.07", "cpu": "Example 2900", "clock_hz": 2900000000,
       "clock_source": "ACPI PM timer", "clock_ppm": 1.5, "clock_choice": "measured",
       "clock_declared_hz": None, "clock_declared_source": None, "clock_grade": None,
       "clock_crystal_hz": None, "core_base_hz": None, "smbios_cpu_hz": None, "smbios_cpu_max_hz": None,
       "board_source": "smbios", "options": "", "seed": 1}
END = {"record": "end", "status": "ok", "seconds": 61.5, "errors": 0, "clock_check_ppm": -3.5,
       "clock_check_source": "HPET", "clock_calendar_ppm": None, "clock_calendar_s": None}


def write(directory, *records):
    """Makes a run's directory that holds these records; returns it."""
    directory.mkdir(exist_ok=True)
    (directory / "results.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records))
    return directory
