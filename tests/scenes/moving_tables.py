"""Tables for the tests of movement, written as scene files are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from deadground.scenes.document import scene_from
from deadground.scenes.scene import Scene

BASE = 32 / 25.4
SQUARE = ((0, 0), (6, 0), (6, 6), (0, 6))


def unit(
    name: str = "A",
    at: Sequence[Sequence[float]] = ((5, 5),),
    side: str = "red",
    keywords: Sequence[str] = ("INFANTRY",),
    base: str = "32mm",
    height: float = 1.5,
) -> dict[str, Any]:
    """A unit."""
    places = [list(place) for place in at]
    return {"name": name, "side": side, "base": base, "height": height, "at": places,
            "wh40k": {"keywords": list(keywords)}}  # fmt: skip


def feature(
    name: str = "ruin", at: Sequence[float] = (10, 10), category: str = "dense", **parts: Any
) -> dict[str, Any]:
    """A feature of these parts."""
    return {"name": name, "at": list(at), "wh40k": {"category": category}, **parts}


def wall(
    start: Sequence[float], end: Sequence[float], height: float, thickness: float = 0.25, **more: Any
) -> dict[str, Any]:
    """A wall."""
    return {"from": list(start), "to": list(end), "height": height, "thickness": thickness, **more}


def floor(
    outline: Sequence[Sequence[float]] = SQUARE, top: float = 3.0, holes: Sequence[Sequence[Sequence[float]]] = ()
) -> dict[str, Any]:
    """A floor 0.2 thick."""
    return {"outline": [list(p) for p in outline], "top": top, "thickness": 0.2, "holes": [list(h) for h in holes]}


def block(size: Sequence[float], at: Sequence[float] = (0, 0, 0)) -> dict[str, Any]:
    """A box."""
    return {"size": list(size), "at": list(at)}


def table(
    units: Sequence[dict[str, Any]],
    features: Sequence[dict[str, Any]] = (),
    board: Sequence[float] = (40, 30),
    **options: Any,
) -> Scene:
    """A table."""
    return scene_from(
        {"schema": 1, "ruleset": "wh40k-11e", "units": "in", "board": {"size": list(board)}, "wh40k": options,
         "feature": list(features), "unit": list(units)}
    )  # fmt: skip
