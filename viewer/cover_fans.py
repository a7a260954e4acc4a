"""The lines that The 9th Age counts for cover: the ground that they run over, hatched behind what covers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import shapely
from shapely.geometry.base import BaseGeometry

from deadground.scenes.rulings.ninth_age import CoverLines, cover_lines
from deadground.scenes.rulings.verdict import Verdict
from deadground.viewer.forms import FLAT, LIFT, hatching, polygons, shifted, slab
from deadground.viewer.setting import Setting
from deadground.viewer.things import Label, Look, Surface, Thing

__all__ = ["cover_fans"]

STEP: Final = 0.22
"""Inches between hatching lines: soft cover has them apart, hard cover near each other."""


def cover_fans(setting: Setting) -> Iterator[Thing]:
    """For each clear line that is drawn the ground of all lines to that target, hatched where they run behind cover."""
    if setting.report.ruleset != "t9a" or not setting.shows("cover"):
        return
    for verdict in setting.verdicts:
        lines = cover_lines(setting.scene, verdict) if verdict.visible else None
        if lines is not None:
            yield from _fan(setting, verdict, lines)


def _fan(setting: Setting, verdict: Verdict, lines: CoverLines) -> Iterator[Thing]:
    foot = next(model.foot for model in setting.scene.models if model.name == verdict.target)
    palette, name = setting.palette, f"{verdict.observer} to {verdict.target}"
    share = verdict.facts.get(f"{lines.kind}_fraction", 0.0)
    words = f"Lines from {verdict.observer} to {verdict.target}: {share:.0%} run through {lines.kind} cover."
    open_look = Look(palette.clear, opacity=0.10, edge=palette.clear, width=0.7)
    yield Thing("shade", f"lines {name}", _flat(lines.lines, foot), open_look, words)
    if polygons(lines.covered):
        look = Look(palette.closed, opacity=0.55, edge=palette.closed_edge, width=0.8)
        shape = _flat(lines.covered, foot, STEP if lines.kind == "soft" else STEP / 2)
        yield Thing("shade", f"covered {name}", shape, look, words, "lines that run through cover")
        yield _share(setting, f"covered {name}", shape, f"{share:.0%}")


def _share(setting: Setting, name: str, shape: Surface, text: str) -> Thing:
    """How many of the lines that is, beside what is hatched."""
    label = Label(shape.vertices.mean(axis=0), text, rank=0, around=shape.vertices)
    return Thing("measure", name, label, Look(setting.palette.closed_edge, casing=setting.palette.paper))


def _flat(shape: BaseGeometry, foot: float, step: float = 0.0) -> Surface:
    """A shape at the height at which its target stands; step : between hatching lines, 0 for its outline alone."""
    whole = shapely.union_all(polygons(shape))
    ground = shifted(FLAT, foot + 2 * LIFT)
    flat = slab(whole, ground)
    return Surface(flat.vertices, flat.faces, hatching(whole, ground, step) if step else flat.edges)
