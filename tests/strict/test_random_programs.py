# SPDX-License-Identifier: Apache-2.0
"""Random programs, judged by strict mode and by a slow way that knows everything."""

import pytest
from random_programs import ORDERS, VIEWS, judge

SEEDS = range(200)


@pytest.mark.parametrize(("file", "kinds"), [(ORDERS, 2), (VIEWS, 5)])
def test_strict_mode_finds_all_and_nothing_else(file, kinds, tmp_path):
    seen = set()
    for result in judge(file, SEEDS, tmp_path):
        assert result.good, result
        seen.add(result.expected)
    assert frozenset() in seen
    assert len(seen) >= kinds
