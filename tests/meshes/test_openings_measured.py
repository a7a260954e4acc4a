"""Recall and precision on ruins whose gaps are known: clean, scanned, and scanned badly.

Nothing was developed on the seeds used here.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.effort import some
from tests.meshes.ruins import Ruin
from tests.meshes.scans import hard_scan, moderate_scan
from tests.meshes.scoring import score


def clean(ruin: Ruin, seed: int) -> Ruin:  # noqa: ARG001 - the others use the seed
    return ruin


CASES = [
    pytest.param(clean, 0.3, 0.995, id="clean"),
    pytest.param(moderate_scan, 1.5, 0.98, id="scan-like"),
    pytest.param(hard_scan, 3.0, 0.9, id="hard"),
]


@pytest.mark.parametrize(("scan", "tolerance", "least"), CASES)
def test_a_few_ruins_give_nearly_all_their_gaps_and_no_others(
    scan: Callable[[Ruin, int], Ruin], tolerance: float, least: float
) -> None:
    count = 3 if scan is clean else 2
    found = score(range(5000, 5000 + count), scan, tolerance)
    assert found.recall >= min(least, 0.9), str(found)
    assert found.precision >= min(least, 0.9), str(found)


@pytest.mark.slow
@pytest.mark.parametrize(("scan", "tolerance", "least"), CASES)
def test_many_ruins_give_their_gaps_and_no_others(
    scan: Callable[[Ruin, int], Ruin], tolerance: float, least: float, capsys: pytest.CaptureFixture[str]
) -> None:
    found = score(some(range(10_000, 10_200), 2), scan, tolerance)
    with capsys.disabled():
        print(f"\n{scan.__name__.replace('_', ' ')}, within {tolerance} mm: {found}")  # noqa: T201 - the answer
    assert found.recall >= least
    assert found.precision >= least
