"""How far models may be off before what they see changes in Warhammer 40,000. Rules 06.01, 13.09 to 13.11."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from deadground.geometry.search import Answer
from deadground.geometry.shapes import base_distance
from deadground.geometry.units import at_or_below
from deadground.scenes.margin import Margin, Places, Regions, Sway, tried_margin
from deadground.scenes.model import Model
from deadground.scenes.options import Warhammer40kOptions, options_of
from deadground.scenes.rulings.verdict import Progress, Verdict
from deadground.scenes.rulings.wh40k_states import detection_range, hiding_areas, may_hide
from deadground.scenes.rulings.wh40k_terrain import barriers_of
from deadground.scenes.scene import Scene
from deadground.scenes.sight import Pair, Sight

__all__ = ["margins"]


def margins(scene: Scene, verdicts: Sequence[Verdict], reach: float, progress: Progress | None = None) -> list[Margin]:
    """For each verdict whether `visible` survives either of its models being off by up to `reach` inches (above 0).

    One model at a time; the others stand where the scene has them.
    """
    return _Referee(scene, reach).margins(verdicts, progress)


class _Referee:
    """One scene under one margin."""

    def __init__(self, scene: Scene, reach: float) -> None:
        options = options_of(scene, "wh40k")
        self._scene, self._reach, self._options = scene, reach, options
        self._models = {model.name: model for model in scene.models}
        self._sway = Sway(Sight(scene, barriers_of(scene, options)), reach)
        self._places = Places(scene, reach)
        self._hiding = _Hiding(scene, options, reach)
        self._known: dict[tuple[frozenset[str], bool], Margin] = {}

    def margins(self, verdicts: Sequence[Verdict], progress: Progress | None) -> list[Margin]:
        """One for each verdict, in order."""
        pairs = [(self._models[v.observer], self._models[v.target]) for v in verdicts]
        certain = self._certain(pairs, [v.visible for v in verdicts])
        found = []
        for done, (pair, verdict, sure) in enumerate(zip(pairs, verdicts, certain, strict=True), start=1):
            found.append(Margin(self._reach, certified=True) if sure else self._tried(pair, verdict.visible))
            if progress is not None:
                progress(done, len(verdicts))
        return found

    def _certain(self, pairs: Sequence[Pair], visible: Sequence[bool]) -> list[bool]:
        """Whether each verdict is certain to survive. Sight is the same both ways, and asked once."""
        hidden = [not seen and self._hiding.always(pair) for pair, seen in zip(pairs, visible, strict=True)]
        open_ = [self._hiding.never(pair) for pair in pairs]
        clear = _once(self._sway.surely_clear, [p for p, s, o in zip(pairs, visible, open_, strict=True) if s and o])
        shut = _once(
            self._sway.surely_blocked, [p for p, s, h in zip(pairs, visible, hidden, strict=True) if not s and not h]
        )
        return [h or _names(pair) in (clear if s else shut) for pair, s, h in zip(pairs, visible, hidden, strict=True)]

    def _tried(self, pair: Pair, visible: bool) -> Margin:
        """What `tried_margin` finds. Without hiding it is the same both ways."""
        alike = self._hiding.never(pair) and self._hiding.never(pair[::-1])
        key = _names(pair), visible
        if alike and key in self._known:
            return self._known[key]
        found = tried_margin(pair, self._places, self._reach, partial(self._changes, visible=visible))
        if alike:
            self._known[key] = found
        return found

    def _changes(self, places: Sequence[Model], other: Model, looks: bool, visible: bool) -> list[bool]:
        """Whether the verdict is surely another with a model in each place (see `Changes`)."""
        answers = self._sway.ask([(there, other) for there in places])
        pairs = [(there, other) if looks else (other, there) for there in places]
        return [self._changed(answer, pair, visible) for answer, pair in zip(answers, pairs, strict=True)]

    def _changed(self, answer: Answer, pair: Pair, visible: bool) -> bool:
        if self._hiding.now(pair):
            return visible
        return answer.certainty != "sampled" and (answer.line is not None) != visible


def _once(ask: Callable[[Sequence[Pair]], list[bool]], pairs: Sequence[Pair]) -> set[frozenset[str]]:
    """The pairs of which it holds, by their names; each is asked once, whichever way round it is given."""
    asked = list({_names(pair): pair for pair in pairs}.values())
    return {_names(pair) for pair, holds in zip(asked, ask(asked), strict=True) if holds}


def _names(pair: Pair) -> frozenset[str]:
    return frozenset(model.name for model in pair)


class _Hiding:
    """Whether the second model of a pair is hidden from the first. Rule 13.09."""

    def __init__(self, scene: Scene, options: Warhammer40kOptions, reach: float) -> None:
        names = hiding_areas(scene, options)
        self._regions = Regions([area for area in scene.areas if area.name in names], reach)
        self._units = {unit.name: unit for unit in scene.units}
        self._options, self._reach = options, reach

    def _within_range(self, pair: Pair, off: float) -> bool:
        reach = detection_range(self._units[pair[1].unit], self._options)
        return at_or_below(base_distance(pair[0].body, pair[1].body) + off, reach)

    def now(self, pair: Pair) -> bool:
        """As they stand."""
        if not may_hide(self._units[pair[1].unit]) or self._within_range(pair, 0.0):
            return False
        return bool(self._regions.now(pair[1]).any())

    def always(self, pair: Pair) -> bool:
        """Wherever they stand. True is certain."""
        if not may_hide(self._units[pair[1].unit]) or self._within_range(pair, -self._reach):
            return False
        return bool(self._regions.always(pair[1]).any())

    def never(self, pair: Pair) -> bool:
        """Not hidden wherever they stand. True is certain."""
        if not may_hide(self._units[pair[1].unit]) or self._within_range(pair, self._reach):
            return True
        return not self._regions.ever(pair[1]).any()
