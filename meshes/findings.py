"""What is found on a piece: each finding with a code, a level, a sentence and a place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from deadground.geometry.plates import Array

__all__ = ["LEVELS", "Finding", "Level", "place", "ranked", "worst"]

Level = Literal["ok", "note", "warning", "error"]

LEVELS: Final[tuple[Level, ...]] = ("ok", "note", "warning", "error")
"""Best to worst. ok: looked at and in order; note: good to know; warning: mend it, or know what you do; error: what is
said of this piece cannot be trusted, or it is not fit for a table."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    code : what was looked at; each code comes with at most one level per piece, but for the openings' own
    message : what was found, in one or two sentences
    at : (x, y, z) in inches where it is worst, or None if it concerns the whole piece
    remedy : what to do about it, a sentence; "" where nothing is to be done
    """

    code: str
    level: Level
    message: str
    at: tuple[float, float, float] | None = None
    remedy: str = ""

    @property
    def told(self) -> str:
        """What was found and what to do."""
        return f"{self.message} {self.remedy}".strip()


def place(point: Array) -> tuple[float, float, float]:
    """A point (3,) as the place of a finding."""
    x, y, z = (float(value) for value in np.asarray(point))
    return x, y, z


def ranked(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The same findings, worst first; those of one level keep their order."""
    return tuple(sorted(findings, key=lambda finding: -LEVELS.index(finding.level)))


def worst(findings: Iterable[Finding]) -> Level:
    """The worst level among findings; ok if there are none."""
    return max((finding.level for finding in findings), key=LEVELS.index, default="ok")
