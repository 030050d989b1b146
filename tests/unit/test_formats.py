# SPDX-License-Identifier: BSD-2-Clause
"""Formats: what the compiler cannot check in the sentences that text_format puts together."""
import re

import pytest

from test_layout import C_FILES, text_of

LITERAL = r'"(?:[^"\\]|\\.)*"'


def without_comments(code):
    return re.sub(rf"{LITERAL}|'(?:[^'\\]|\\.)+'|/\*.*?\*/",
                  lambda found: " " if found.group().startswith("/*") else found.group(), code,
                  flags=re.S)


# Functions that take a format, found by their declarations, and where it stands among arguments.
DECLARED = re.compile(r"\b(\w+)\([^;{}()]*\)\s*TEXT_CHECKED\((\d+), [1-9]\d*\)", re.S)


def declared(name):
    return {function: int(place)
            for function, place in DECLARED.findall(without_comments(text_of(name)))}


FORMATS = {function: place for name in C_FILES if name.endswith(".h")
           for function, place in declared(name).items()}
# What core/lib/text_format.c knows, of all that the compiler lets pass.
KNOWN = re.compile(r"%(?:-?[1-9]\d*)?s|%c|%%|%(?:0?[1-9]\d*|-[1-9]\d*)?[lz]?[ux]"
                   r"|%(?:-?[1-9]\d*)?[lz]?d|%\.(?:\d|1[0-7])f")
TOKEN = re.compile(rf"{LITERAL}|'(?:[^'\\]|\\.)+'|[(){{}},]")
# A format is a literal, or one of two.
FORMAT = re.compile(rf"(?:[^\"]*\?\s*)?(?:{LITERAL}\s*)+(?::\s*(?:{LITERAL}\s*)+)?")
# What an expression for a number of bytes looks like.
BYTES = re.compile(r"(?:bytes|size|stride|\b\d+|1ull << [\w.>-]*page)(?:\(\w*\))?$")


def calls(name, functions):
    """Each call in a file of one of the functions: its name and its arguments."""
    code = without_comments(text_of(name))
    for found in re.finditer(rf"\b({'|'.join(functions)})\(", code):
        arguments, depth, start = [], 0, found.end()
        for token in TOKEN.finditer(code, start):
            depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(token.group(), 0)
            if depth < 0 or (depth == 0 and token.group() == ","):
                arguments.append(code[start:token.start()].strip())
                start = token.end()
            if depth < 0:
                break
        yield found.group(1), arguments


def formats(name):
    known = FORMATS | declared(name)
    for function, arguments in calls(name, known):
        if not any(word.startswith("const char *") for word in arguments):
            yield arguments[known[function] - 1]


def unknown(text):
    """Conversions in a format that text_format does not know."""
    return re.findall(r"%[^%]*", KNOWN.sub("", text))


USERS = [name for name in C_FILES if name.startswith(("core/", "efi/", "arch/", "tests/"))
         and name != "core/lib/text_format.c" and any(True for _ in calls(name, FORMATS))]


def test_formats_are_found():
    assert {"text_format", "text_print", "notes_format", "journal_note_format"} <= set(FORMATS)
    assert len(USERS) > 10
    assert unknown('"%g %5.2f %lld %*s %p %.18f %i"') != []
    assert unknown('"%s %-8s %c %% %lu %02lu %zu %016lx %d %6ld %.0f %.12f"') == []


@pytest.mark.parametrize("name", USERS)
def test_formats_are_literals_of_known_conversions(name):
    for text in formats(name):
        if not name.endswith("test_text_format.c"):
            assert FORMAT.fullmatch(text), text
        assert unknown(text) == [], text


@pytest.mark.parametrize("name", [name for name in C_FILES if "_SIZE(" in text_of(name)
                                  and not name.startswith(("core/lib/", "tests/unit/"))])
def test_only_bytes_are_printed_as_a_size(name):
    for _, (size, ) in calls(name, ["TEXT_SIZE", "REPORT_SIZE"]):
        assert BYTES.search(size), size
