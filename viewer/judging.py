"""From a scene to reports: which rule systems, which units, and how far it has come."""

from __future__ import annotations

import difflib
import sys
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from deadground.geometry.errors import InputError, SceneError
from deadground.scenes.options import canonical_ruleset, ruleset_names
from deadground.scenes.rulings import NAMES, find
from deadground.scenes.rulings.verdict import Progress as Told
from deadground.scenes.rulings.verdict import Report, RuleSystem
from deadground.scenes.scene import Figure, Scene

__all__ = ["expected", "judge", "judge_all", "named", "progress", "systems", "with_overrides"]

PATIENCE: Final = 1.0
"""Seconds before a bar shows how far it has come."""


def expected(known: Iterable[str], found: str, what: str) -> str:
    """A problem sentence: what was expected, what was found, and the nearest known name."""
    names = list(known)
    folded = {name.casefold(): name for name in names}
    near = [folded[each] for each in difflib.get_close_matches(found.casefold(), folded, n=1, cutoff=0.5)]
    meant = f", did you mean {near[0]}?" if near else ""
    among = f" ({', '.join(names[:8])}{', …' if len(names) > 8 else ''})" if names else ""
    return f'expected {what}{among}, found "{found}"{meant}'


def source(scene: Scene) -> str:
    """How messages name the scene."""
    return str(scene.source or "scene")


def systems(scene: Scene, asked: str | None) -> tuple[RuleSystem, ...]:
    """The rule systems to judge by: the scene's own, the one asked for by name or alias, or "all".

    Raises InputError for a name that there is none of.
    """
    if asked is not None and asked.strip().lower() == "all":
        return tuple(find(name) for name in NAMES)
    name = scene.ruleset if asked is None else canonical_ruleset(asked)
    if name is None:
        raise InputError(source(scene), "--ruleset", expected(("all", *ruleset_names()), str(asked), "a rule system"))
    if name not in NAMES:
        key = "ruleset" if asked is None else "--ruleset"
        raise InputError(source(scene), key, expected(NAMES, name, "a rule system that this version can judge"))
    return (find(name),)


def named(scene: Scene, names: Sequence[str], key: str) -> tuple[str, ...] | None:
    """Names of units or models as given with `key`, checked; None for all. Raises InputError."""
    known = [unit.name for unit in scene.units] + [model.name for model in scene.models]
    for name in names:
        if name not in known:
            raise InputError(source(scene), key, expected(known, name, "a unit or a model of the scene"))
    return tuple(names) or None


def judge(
    scene: Scene, system: RuleSystem, observers: Collection[str] | None = None, targets: Collection[str] | None = None,
    told: Told | None = None,
) -> Report:  # fmt: skip
    """One system's report, with a bar on stderr when it takes long. observers, targets : None for all.

    told : is told (done, total) in place of the bar, where one of its own would lie over another
    """
    if told is not None:
        return system.judge(scene, observers=observers, targets=targets, progress=told)
    with progress(f"judging by {system.name}") as shown:
        return system.judge(scene, observers=observers, targets=targets, progress=shown)


def judge_all(
    scene: Scene, asked: str | None, observers: Sequence[str] = (), targets: Sequence[str] = ()
) -> tuple[Report, ...]:
    """The reports of every system asked for (see `systems`).

    Of "all", a system that misses facts in the scene is left out with a word on stderr, unless all are.
    """
    who, whom = named(scene, observers, "--from"), named(scene, targets, "--to")
    chosen = systems(scene, asked)
    reports, problems = list[Report](), list[SceneError]()
    for system in chosen:
        try:
            reports.append(judge(scene, system, who, whom))
        except SceneError as problem:
            problems.append(problem)
    if problems and not reports:
        raise problems[0]
    sys.stderr.writelines(f"deadground: a rule system is left out: {problem}\n" for problem in problems)
    return tuple(reports)


def with_overrides(scene: Scene, figure: Figure) -> Scene:
    """The scene with the options that a figure replaces; the scene itself where it replaces none."""
    if not figure.overrides:
        return scene
    merged: dict[str, Mapping[str, Any]] = dict(scene.options)
    for system, given in figure.overrides.items():
        merged[system] = MappingProxyType({**merged.get(system, {}), **given})
    return replace(scene, options=MappingProxyType(merged))


@contextmanager
def progress(what: str) -> Iterator[Told]:
    """A function to be told (done, total). It shows a bar on stderr after a second, where stderr is a terminal."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    shown = Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False)
    task, began = shown.add_task(what, total=None), time.monotonic()

    def tell(done: int, total: int) -> None:
        shown.update(task, completed=done, total=total)
        if not shown.live.is_started and sys.stderr.isatty() and time.monotonic() - began > PATIENCE:
            shown.start()

    try:
        yield tell
    finally:
        if shown.live.is_started:
            shown.stop()
