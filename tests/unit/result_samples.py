# SPDX-License-Identifier: BSD-2-Clause
"""What tests of the tools that read results share: the tools as modules, sample records, runs."""
import importlib.machinery
import importlib.util
import json
import pathlib

TREE = pathlib.Path(__file__).resolve().parents[2]
SVG = "{http://www.w3.org/2000/svg}"

RUN = {"record": "run", "schema": 1, "version": "v1-2-gabc", "arch": "x86_64", "firmware": "ACME",
       "board": "ACME X1", "bios": "1.07", "cpu": "Example 2900", "clock_hz": 2900000000,
       "clock_source": "ACPI PM timer", "clock_ppm": 1.5, "options": "", "seed": 1}
END = {"record": "end", "status": "ok", "seconds": 61.5, "errors": 0, "clock_check_ppm": -3.5}


def load(name):
    """The tool of that name as a module; tools have no ending."""
    loader = importlib.machinery.SourceFileLoader(f"tools_{name}", str(TREE / "tools" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def write(directory, *records):
    """A run's directory that holds these records; answers it."""
    directory.mkdir(exist_ok=True)
    (directory / "results.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records))
    return directory
