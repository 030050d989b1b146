# SPDX-License-Identifier: BSD-2-Clause
"""Parameters of which some are tried by `make test-long` alone: each is a boot of its own, and what
they differ in is tested without booting."""
import pytest


def brief(values, *kept):
    """For pytest.mark.parametrize: all values; those not in `kept` (by their first word) are left to
    the long tests."""
    first = [value[0] if isinstance(value, tuple) else value for value in values]
    assert set(kept) <= set(first), f"{kept} of {first}"
    return [pytest.param(*(value if isinstance(value, tuple) else (value,)),
                         marks=[] if name in kept else pytest.mark.long)
            for name, value in zip(first, values)]
