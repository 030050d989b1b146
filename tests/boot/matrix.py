# SPDX-License-Identifier: BSD-2-Clause
"""The boot matrix of cases.toml: the listed cases, and those that complete every pair."""
import itertools
import pathlib
import tomllib

TABLE = tomllib.loads((pathlib.Path(__file__).parent / "cases.toml").read_text())
SHORT = TABLE["short"]
AXES = TABLE["axes"]
PAIRED = ("machine", "cpu", "smp", "memory_mib")  # every pair of values of these, when long
CASES = TABLE["case"]

# Cores without 1 GiB pages (QEMU's models as CPUID 8000_0001h EDX[26] gives them).
WITHOUT_1G = {"qemu64", "Nehalem", "Haswell"}


def pairs_of(case: dict) -> set:
    return {((a, case[a]), (b, case[b])) for a, b in itertools.combinations(PAIRED, 2)}


def pairs_wanted() -> set:
    return {((a, x), (b, y)) for a, b in itertools.combinations(PAIRED, 2)
            for x in AXES[a] for y in AXES[b]}


def values_missing(cases: list[dict]) -> dict:
    return {axis: missing for axis, values in AXES.items()
            if (missing := [v for v in values if v not in {case[axis] for case in cases}])}


def pairs_cases() -> list[dict]:
    """Greedy and deterministic: always the combination that covers most of the missing pairs, the
    first one of the product where there are several. The way to boot rotates."""
    missing = pairs_wanted()
    for case in CASES:
        missing -= pairs_of(case)
    product = [dict(zip(PAIRED, values)) for values in itertools.product(*(AXES[a] for a in PAIRED))]
    chosen = []
    while missing:
        best = max(product, key=lambda case: len(pairs_of(case) & missing))
        missing -= pairs_of(best)
        chosen.append(dict(best, **_rotate(best, len(chosen))))
    return chosen


def _rotate(case: dict, turn: int) -> dict:
    pages = AXES["pages"]
    if case["cpu"] in WITHOUT_1G or case["memory_mib"] < 6144:
        pages = [page for page in pages if page != "1g"]
    return {"boot": AXES["boot"][turn % 3], "pages": pages[turn % len(pages)],
            "map": AXES["map"][turn // 3 % 2]}


def name_of(case: dict) -> str:
    return "-".join(str(case[axis]) for axis in AXES)
