# SPDX-License-Identifier: BSD-2-Clause
"""The documentation matches the tree: pages name what exists, and describe the options as the program
does."""
import os
import pathlib
import re
import subprocess

import pytest

TREE = pathlib.Path(__file__).resolve().parents[2]
README = TREE / "README.md"
README_LINES_MAX = 300
PAGES = ["README.md", *sorted(f"docs/{path.name}" for path in (TREE / "docs").glob("*.md"))]
PRINT_OPTIONS = TREE / os.environ.get("BUILD", "build") / "unit" / "print_options"


def text_of(page):
    return (TREE / page).read_text(encoding="utf-8")


def anchor(heading):
    """The anchor that GitHub makes of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors(page):
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text_of(page), flags=re.S | re.M),
                          re.M)
    return {anchor(heading) for heading in headings}


def test_readme_is_short():
    assert len(text_of("README.md").splitlines()) < README_LINES_MAX


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    wrong = []
    for link in re.findall(r"\]\(([^)\s]+)\)", text_of(page)):
        if link.startswith(("http://", "https://")):
            continue
        name, _, place = link.partition("#")
        target = (TREE / page).parent / name if name else TREE / page
        if not target.exists() or (place and place not in anchors(target.relative_to(TREE))):
            wrong.append(link)
    assert wrong == []


@pytest.mark.parametrize("page", PAGES)
def test_targets_of_make_exist(page):
    rules = "".join(text_of(name) for name in ("Makefile", "tools/efi.mk", "tools/host.mk"))
    known = {name for line in re.findall(r"^([a-z][\w \-]*):", rules, re.M) for name in line.split()}
    shown = re.findall(r"(?:^    |`)make ([a-z][a-z-]*)", text_of(page), re.M)
    assert sorted(set(shown) - known) == []


@pytest.mark.parametrize("page", PAGES)
def test_files_of_the_tree_exist(page):
    """Every path that starts with a folder of the tree; patterns match at least one file."""
    named = re.findall(r"(?<![\w./<-])((?:tools|docs|tests|core|arch|efi|linker)/[\w./*<>-]*[\w*>])",
                       text_of(page))
    wrong = [name for name in named
             if not list(TREE.glob(re.sub(r"<[\w-]+>", "*", name)))]
    assert wrong == []


def options_page():
    assert PRINT_OPTIONS.exists(), "make unit comes first"
    return subprocess.run([str(TREE / "tools" / "options"), str(PRINT_OPTIONS)],
                          capture_output=True, text=True, check=True).stdout


def test_page_of_options_is_what_the_program_prints():
    assert text_of("docs/options.md") == options_page(), "make docs brings it up to date"


def test_page_of_options_has_every_option():
    shown = re.findall(r"^\| `([a-z-]+)=` \|", options_page(), re.M)
    table = (TREE / "core" / "options" / "table.c").read_text()
    assert shown == re.findall(r'^    \{"([a-z-]+)", OPTION_', table, re.M)


def test_page_of_options_marks_what_runs_by_default():
    assert re.findall(r"^\| `([a-z-]+)` \* \|", options_page(), re.M) == ["curve", "dram"]


def defaults():
    return dict(re.findall(r"^\| `([a-z-]+)=` \|.*\| `([^`|]+)` \|$", options_page(), re.M))


def test_configuration_on_the_stick_lists_every_key_with_its_default():
    lines = text_of("tools/barechase.cfg").splitlines()
    assert all(line.startswith("#") or not line for line in lines), "the defaults rule"
    listed = [match for line in lines for match in re.findall(r"^#([a-z-]+)=(.+)$", line)]
    assert len(listed) == len(dict(listed))
    assert dict(listed) == defaults()
