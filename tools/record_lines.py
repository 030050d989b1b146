# SPDX-License-Identifier: BSD-2-Clause
"""The lines of a run's results: read up to a bad one, which is reported: power may fail at any time.

A save that was cut off can leave a torn line, and after it whole ones that belong to nothing: so
nothing after the first bad line counts. Blanks are space reserved for later records. What did not
fit continues in results-2.jsonl, results-3.jsonl and so on.
"""
import itertools
import json
import pathlib


class Unreadable(Exception):
    """The reason why a line is no record of this run."""


def not_json(name):
    raise ValueError(f"{name} is not JSON")


def fields_of(line):
    """The fields of a line that is a record."""
    try:
        fields = json.loads(line.decode("utf-8"), parse_constant=not_json)
    except UnicodeDecodeError as error:
        raise Unreadable(f"not UTF-8 at byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise Unreadable(f"not JSON at column {error.colno}: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"not JSON: {str(error)[:80]}") from None
    if not isinstance(fields, dict) or not isinstance(fields.get("record"), str):
        raise Unreadable("not a record: no object with the key 'record'")
    return fields


def parts_of(path):
    """The files that hold a run's records, in order; OSError where the first cannot be read."""
    path = pathlib.Path(path)
    if path.is_dir():
        path /= "results.jsonl"
    yield path, path.read_bytes()
    for part in itertools.count(2):
        more = path.with_name(f"{path.stem}-{part}{path.suffix}")
        if path.name != "results.jsonl" or not more.is_file():
            return
        yield more, more.read_bytes()


def follows(fields, before):
    """Raises Unreadable where a record is not the one that comes after `before` (None: the first).
    Records of older versions are not numbered."""
    if fields.get("run_id") != (before or fields).get("run_id"):
        raise Unreadable(f"a record of another run: run_id {json.dumps(fields.get('run_id'))[:40]}")
    wanted = 1 if before is None else before.get("number")
    if before is not None and wanted is not None:
        wanted += 1
    if "number" in fields and fields["number"] != wanted:
        raise Unreadable(f"record {json.dumps(fields['number'])[:20]} where {wanted} should stand")


def read_lines(path):
    """([(file, line number, fields)], why reading stopped early). The latter is None, or (file, line
    number, words); then the records before that line are all that counts."""
    found, before = [], None
    for file, data in parts_of(path):
        lines = data.split(b"\n")
        for number, line in enumerate(lines, 1):
            if not line.strip(b" "):
                continue
            try:
                if number == len(lines):
                    raise Unreadable("the line is cut off")
                fields = fields_of(line)
                follows(fields, before)
            except Unreadable as why:
                return found, (file, number, str(why))
            found.append((file, number, fields))
            before = fields
    return found, None
