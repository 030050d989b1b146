# SPDX-License-Identifier: BSD-2-Clause
"""Records of a run: parsed, validated by docs/results.schema.json, and looked up."""
import functools
import json
import pathlib

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parents[2]


@functools.cache
def validator():
    schema = json.loads((ROOT / "docs/results.schema.json").read_text())
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    return kind(schema)


def validate(line: str) -> dict:
    """One line as a record; AssertionError says which line and why."""
    try:
        record = json.loads(line)
    except ValueError as error:
        raise AssertionError(f"not JSON ({error}): {line!r}") from None
    errors = [f"{'/'.join(map(str, error.path)) or 'record'}: {error.message}"
              for error in validator().iter_errors(record)]
    assert not errors, f"{line}\nbreaks the schema: " + "; ".join(errors)
    return record


class Records(list):
    """All records of one run, in order."""

    @classmethod
    def parse(cls, data: bytes):
        """A results.jsonl: whole lines only, every one valid, and all of one run in order. Before
        the first record it is blank."""
        assert data.endswith(b"\n") or not data, f"the last line is not whole: {data[-200:]!r}"
        records = cls(validate(line) for line in data.decode("utf-8").splitlines() if data.strip())
        for number, record in enumerate(records, 1):
            assert record["number"] == number, f"record {number} is called {record['number']}"
            assert record["run_id"] == records[0]["run_id"], f"record {number} is of another run"
        return records

    @classmethod
    def of_console(cls, text: str):
        """Records that records=on printed among other text."""
        return cls(validate(line) for line in text.splitlines() if line.startswith('{"record"'))

    def all(self, kind: str) -> list[dict]:
        return [record for record in self if record["record"] == kind]

    def one(self, kind: str) -> dict:
        found = self.all(kind)
        assert len(found) == 1, f"{len(found)} {kind} records instead of one"
        return found[0]

    @property
    def status(self) -> str:
        return self.one("end")["status"]

    def notes(self, severity: str = "") -> list[str]:
        """Notes as text; only of one severity if given."""
        return [f"{note['what']}: {note['why']}" for note in self.all("note")
                if severity in ("", note["severity"])]

    def check_whole(self):
        """A complete run: it begins with run, ends with end, and there is one end."""
        assert self and self[0]["record"] == "run", "the first record is not run"
        assert self[-1]["record"] == "end", "the last record is not end"
        self.one("run")
        self.one("end")
        return self
