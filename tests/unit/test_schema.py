#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""docs/results.schema.json against every kind of record as record_json writes it, against lines
that must not pass, and against docs/results.md."""
import copy
import json
import os
import pathlib
import subprocess

import jsonschema
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs/results.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
KINDS = SCHEMA["properties"]["record"]["enum"]
LINE_MAX = 4096
INTEGER_MAX = 2**53


@pytest.fixture(scope="module")
def lines():
    program = ROOT / os.environ.get("BUILD", "build") / "unit" / "print_records"
    assert program.exists(), "make unit comes first"
    return subprocess.run([program], check=True, capture_output=True).stdout.split(b"\n")[:-1]


@pytest.fixture(scope="module")
def records(lines):
    return [json.loads(line.decode("utf-8")) for line in lines]


def plausible(records, kind):
    """The record of a kind with the fewest nulls; of those the shortest."""
    return min((r for r in records if r["record"] == kind),
               key=lambda r: (list(r.values()).count(None), len(json.dumps(r))))


def test_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_every_record_is_valid(records):
    for record in records:
        errors = [error.message[:300] for error in VALIDATOR.iter_errors(record)]
        assert not errors, record["record"]
    assert {record["record"] for record in records} == set(KINDS)


def test_lines_are_short_and_begin_with_record(lines):
    for line in lines:
        assert len(line) < LINE_MAX
        assert line.startswith(b'{"record":"')
    assert max(map(len, lines)) > LINE_MAX // 2


def integers(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for member in value:
            yield from integers(member)
    elif isinstance(value, int) and not isinstance(value, bool):
        yield value


def test_no_integer_loses_digits(records):
    for record in records:
        assert all(value <= INTEGER_MAX for value in integers(record))
    assert any(record.get("seed") == str(2**64 - 2) for record in records)


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_is_required_and_no_other_allowed(records, kind):
    record = plausible(records, kind)
    assert VALIDATOR.is_valid(record)
    for name in record:
        shorter = {key: value for key, value in record.items() if key != name}
        assert not VALIDATOR.is_valid(shorter), f"valid without {name}"
        broken = copy.deepcopy(record)
        broken[name] = {"no": "object"}
        assert not VALIDATOR.is_valid(broken), f"valid with an object for {name}"
    assert not VALIDATOR.is_valid({**record, "latency": 1})


@pytest.mark.parametrize("kind, field, value", [
    ("run", "schema", 3), ("run", "clock_hz", -1), ("run", "clock_hz", 2**53 + 1),
    ("run", "seed", "12"), ("run", "seed", "0x10"), ("run", "board", ""),
    ("cpu", "page_sizes", ["8k"]), ("memory", "base", 4096), ("memory", "base", "0x0100"),
    ("memory", "usable", 1), ("dimm", "type", ""), ("prefetch", "state", "maybe"),
    ("prefetch", "state", None), ("prefetch", "verdict", "perhaps"), ("prefetch", "requested", 15),
    ("point", "pages", 4096), ("point", "pages", None), ("point", "frames", "random"),
    ("point", "map", "firmware"), ("dram", "map", "firmware"), ("dram", "pages", None),
    ("point", "ns_median", "80"), ("point", "ns_median", -80), ("point", "limited_by", "luck"),
    ("point", "hops", 1.5), ("point", "turbo", "maybe"), ("point", "prefetch_only_off", ""), ("level", "kind", "buffer"), ("dram", "map", None),
    ("finding", "bound", "about"), ("finding", "unit", "furlongs"), ("finding", "pages", "8k"),
    ("finding", "detail", ""), ("finding", "value", "10"),
    ("error", "kind", "odd"), ("error", "read", "0xG"), ("note", "severity", "fatal"),
    ("note", "why", None), ("end", "status", "done"), ("end", "errors", "0"),
    ("end", "record", "finish"), ("point", "run_id", "0123456789abcde"), ("run", "run_id", 7),
    ("note", "number", 0), ("note", "number", None),
])
def test_wrong_values_fail(records, kind, field, value):
    record = plausible(records, kind)
    assert VALIDATOR.is_valid(record)
    assert not VALIDATOR.is_valid({**record, field: value})


@pytest.mark.parametrize("line", [[], "run", 1, {}, {"record": None}, {"Record": "end"}])
def test_what_is_no_record_fails(line):
    assert not VALIDATOR.is_valid(line)


@pytest.mark.parametrize("kind", KINDS)
def test_the_document_explains_every_field(kind):
    document = (ROOT / "docs/results.md").read_text()
    section = document.split(f"\n### {kind}\n")[1].split("\n### ")[0]
    for name in SCHEMA["$defs"][kind]["properties"]:
        assert name in ("record", "run_id", "number") or f"`{name}`" in section, f"{kind}: {name} is not explained"
