"""How well detection finds the gaps that a ruin is known to have."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from scipy import optimize

from deadground.geometry.units import MM_PER_INCH
from deadground.meshes.ground import levelling
from deadground.meshes.openings import find_openings
from deadground.meshes.piece import Opening
from tests.meshes.ruins import Known, Ruin, ruin

__all__ = ["Score", "matched", "score"]

_NEAR = 10 / MM_PER_INCH  # seen from above, a gap and its finding lie no further apart


@dataclass(frozen=True, slots=True)
class Score:
    """Counts over many ruins. worst : the seeds of ruins where something was missed or made up."""

    known: int
    found: int
    matched: int
    worst: tuple[int, ...]

    @property
    def recall(self) -> float:
        """Share of the known gaps that were found."""
        return self.matched / self.known

    @property
    def precision(self) -> float:
        """Share of the findings that are known gaps."""
        return self.matched / max(self.found, 1)

    def __str__(self) -> str:
        told = f"recall {self.recall:.4f}, precision {self.precision:.4f} ({self.known} gaps)"
        return told + (f"; seeds to look at: {', '.join(map(str, self.worst))}" if self.worst else "")


def score(seeds: Iterable[int], scan: Callable[[Ruin, int], Ruin], tolerance: float) -> Score:
    """Score on one ruin a seed, each scanned first; sure openings only. tolerance : mm for sill, head and width."""
    chosen = list(seeds)
    with ThreadPoolExecutor(2) as pool:
        counts = np.array(list(pool.map(lambda seed: _counts(scan(ruin(seed), seed), tolerance), chosen)))
    worst = tuple(seed for seed, row in zip(chosen, counts, strict=True) if len(set(row.tolist())) > 1)
    known, found, right = counts.sum(axis=0).tolist()
    return Score(known, found, right, worst)


def _counts(scanned: Ruin, tolerance: float) -> tuple[int, int, int]:
    level = levelling(scanned.mesh).levelled(scanned.mesh)
    found = [opening for opening in find_openings(level) if opening.sure]
    return len(scanned.openings), len(found), matched(scanned.openings, found, tolerance)


def matched(known: Iterable[Known], found: Iterable[Opening], tolerance: float) -> int:
    """How many known gaps have a finding of their own with sill, head and width within `tolerance` mm."""
    fits = np.array([[_fits(one, other, tolerance) for other in found] for one in known], bool)
    if not fits.size:
        return 0
    rows, columns = optimize.linear_sum_assignment(fits, maximize=True)
    return int(fits[rows, columns].sum())


def _fits(known: Known, found: Opening, tolerance: float) -> bool:
    off = np.abs([known.sill - found.sill, known.head - found.head, known.width - found.width]) * MM_PER_INCH
    return bool(off.max() <= tolerance and np.linalg.norm(known.centre[:2] - found.centre[:2]) < _NEAR)
