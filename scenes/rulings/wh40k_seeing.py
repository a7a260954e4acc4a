"""Who sees whom in Warhammer 40,000, and why not. Rules 06.01, 13.10, 13.11."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from types import MappingProxyType
from typing import Final

import numpy as np

from deadground.geometry.plates import Array
from deadground.geometry.search import Answer
from deadground.geometry.shapes import base_distance
from deadground.scenes.barriers import Kind
from deadground.scenes.rulings.verdict import Blocker, Point, Reason, Verdict
from deadground.scenes.rulings.wh40k_terrain import READINGS, top_of
from deadground.scenes.sight import Pair, Sight, Stop

__all__ = ["REASONS", "Seen", "judge_pairs", "verdict_of"]

REASONS: Final = MappingProxyType(
    {
        Kind.GAP: Reason.SOLID_GAP,
        Kind.STRIP: Reason.ADJACENT_GAP,
        Kind.AREA: Reason.OBSCURING,
        Kind.MODEL: Reason.MODEL,
    }
)
"""What it is called when a kind of barrier keeps a target from being seen."""

RULES: Final = MappingProxyType(
    {
        Reason.TERRAIN: "06.01",
        Reason.SOLID_GAP: "13.11",
        Reason.ADJACENT_GAP: "13.11",
        Reason.OBSCURING: "13.10",
        Reason.MODEL: "06.01",
    }
)
"""The number of the rule behind each reason that sight finds."""

Lifted = frozenset[Kind]


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What sight says of two models, the same both ways round, before any rule about one of them.

    answer : with every barrier in force; reasons : why there is no line, () where there is one
    line : (2, 3) the clear line, or the best one (from the pair's first model); stop : what stopped it
    """

    pair: Pair
    answer: Answer
    reasons: tuple[Reason, ...] = ()
    line: Array | None = None
    stop: Stop | None = None
    notes: tuple[str, ...] = ()

    @property
    def visible(self) -> bool:
        """Whether there is a clear line."""
        return self.answer.line is not None


def judge_pairs(sight: Sight, pairs: Sequence[Pair], progress: Callable[[int], None] | None = None) -> list[Seen]:
    """Sight between each pair of models, with the reasons where there is none."""
    answers = sight.clear(pairs, progress=progress)
    seen = [Seen(pair, answer, line=answer.line) for pair, answer in zip(pairs, answers, strict=True)]
    blind = [i for i, one in enumerate(seen) if not one.visible]
    for i, explained in zip(blind, _explained(sight, [seen[i] for i in blind]), strict=True):
        seen[i] = explained
    return _with_readings(sight, seen)


def _explained(sight: Sight, blind: Sequence[Seen]) -> list[Seen]:
    """The same with their reasons: the smallest sets of kinds that would have to go."""
    kinds = [sight.kinds_between(one.pair) for one in blind]
    bare = _ask(sight, [(one.pair, kinds[i]) for i, one in enumerate(blind)])
    reasons: dict[int, Lifted] = {i: frozenset() for i, answer in enumerate(bare) if answer.line is None}
    lines: dict[int, Array] = {}
    for size in range(1, len(Kind) + 1):
        open_rows = [i for i in range(len(blind)) if i not in reasons]
        tries = [(i, frozenset(s)) for i in open_rows for s in combinations(sorted(kinds[i]), size)]
        for i, lifted, answer in _tried(sight, blind, tries, kinds, bare):
            if answer.line is not None:
                reasons[i] = reasons.get(i, frozenset()) | lifted
                lines.setdefault(i, answer.line)
    return [_explain(sight, one, reasons.get(i, frozenset()), lines.get(i)) for i, one in enumerate(blind)]


def _tried(
    sight: Sight,
    blind: Sequence[Seen],
    tries: Sequence[tuple[int, Lifted]],
    kinds: Sequence[Lifted],
    bare: Sequence[Answer],
) -> Iterable[tuple[int, Lifted, Answer]]:
    """The answer with each set of kinds lifted; lifting all that could matter was asked already."""
    new = [(i, lifted) for i, lifted in tries if lifted != kinds[i]]
    yield from ((i, lifted, bare[i]) for i, lifted in tries if lifted == kinds[i])
    answers = _ask(sight, [(blind[i].pair, lifted) for i, lifted in new])
    yield from ((i, lifted, answer) for (i, lifted), answer in zip(new, answers, strict=True))


def _ask(sight: Sight, questions: Sequence[tuple[Pair, Lifted]]) -> list[Answer]:
    """Answers with kinds lifted, those with the same kinds together."""
    answers: list[Answer | None] = [None] * len(questions)
    for lifted in {lifted for _, lifted in questions}:
        rows = [i for i, (_, kinds) in enumerate(questions) if kinds == lifted]
        for i, answer in zip(rows, sight.clear([questions[i][0] for i in rows], lifted=lifted), strict=True):
            answers[i] = answer
    return [answer for answer in answers if answer is not None]


def _explain(sight: Sight, one: Seen, lifted: Lifted, line: Array | None) -> Seen:
    reasons = tuple(REASONS[kind] for kind in Kind if kind in lifted) or (Reason.TERRAIN,)
    # where material alone blocks, it is material that the best line is shown to meet
    away = () if lifted else tuple(Kind)
    best = sight.best_try(one.pair, away) if line is None else line
    stop = sight.stop(best, one.pair, lifted=away)
    notes = ("assumed:adjacent_gap",) if Kind.STRIP in lifted else ()
    if Kind.AREA in lifted and _looks_over(sight, one.pair, best):
        notes = (*notes, "over-low-area")
    return replace(one, reasons=reasons, line=best, stop=stop, notes=notes)


def _looks_over(sight: Sight, pair: Pair, line: Array) -> bool:
    """Whether both models are taller than everything in the areas on the line: the answer that surprises people."""
    highest = max((top_of(sight.scene, area) for area in sight.areas_on(line, pair)), default=math.inf)
    return all(model.foot + model.height > highest for model in pair)


def _with_readings(sight: Sight, seen: list[Seen]) -> list[Seen]:
    """Note the pairs on which the three readings of a straddling gap differ."""
    doubtful = [i for i, one in enumerate(seen) if sight.readings_matter(one.pair)]
    visible = {i: {seen[i].visible} for i in doubtful}
    for reading in READINGS:
        if reading != sight.barriers.reading:
            for i, answer in zip(doubtful, sight.clear([seen[i].pair for i in doubtful], reading=reading), strict=True):
                visible[i].add(answer.line is not None)
    differ = {i for i, answers in visible.items() if len(answers) > 1}
    return [replace(one, notes=(*one.notes, "readings-differ")) if i in differ else one for i, one in enumerate(seen)]


def verdict_of(seen: Seen, observer: str) -> Verdict:
    """The verdict for the model named `observer` looking at the other one of the pair."""
    one, two = seen.pair
    forward = observer == one.name
    reasons = seen.reasons
    return Verdict(
        observer=observer,
        target=two.name if forward else one.name,
        visible=seen.visible,
        distance=base_distance(one.body, two.body),
        certainty=seen.answer.certainty,
        reasons=reasons,
        line=_drawn(seen, forward),
        blocker=_blocker(seen.stop),
        resolution=seen.answer.resolution,
        notes=seen.notes,
        rule=RULES[reasons[0]] if reasons else "06.01",
    )


def _drawn(seen: Seen, forward: bool) -> tuple[Point, ...]:
    """The line as it is shown from the observer: whole if clear or stopped by an area, else up to what stopped it."""
    if seen.line is None:
        return ()
    line = seen.line if forward else seen.line[::-1]
    if seen.stop is not None and seen.stop.kind is not Kind.AREA:
        line = np.stack([line[0], np.array(seen.stop.at)])
    return tuple((float(p[0]), float(p[1]), float(p[2])) for p in line)


def _blocker(stop: Stop | None) -> Blocker | None:
    if stop is None:
        return None
    if stop.kind is Kind.AREA:
        return Blocker(stop.at, area=stop.name)
    if stop.kind is Kind.MODEL:
        return Blocker(stop.at, model=stop.name)
    return Blocker(stop.at, feature=stop.name, opening=stop.opening)
