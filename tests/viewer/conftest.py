"""A table made by hand: a wall with a window below 3 inches and one above it, and four models."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pytest
import shapely
import trimesh

from deadground.meshes.piece import Opening, Piece
from deadground.scenes.model import Base, Model, Unit, Warhammer40kUnit
from deadground.scenes.options import described
from deadground.scenes.rulings.verdict import (
    AttackerVerdict,
    Blocker,
    Placement,
    Reason,
    Report,
    State,
    UnitVerdict,
    Verdict,
)
from deadground.scenes.scene import Figure, Scene
from deadground.scenes.terrain import Area, Feature, Warhammer40kFeature

EVERYTHING = ("openings", "solid-height", "areas", "labels", "legend")


def windowed_wall() -> Piece:
    """8 long (x), 6 high, 0.25 thick; window 1 from 1.5 to 2.7, window 2 from 4 to 5.2, both 1.2 wide at x = 4."""
    holes = [shapely.box(3.4, 1.5, 4.6, 2.7), shapely.box(3.4, 4.0, 4.6, 5.2)]
    face = shapely.box(0, 0, 8, 6) - shapely.union_all(holes)
    mesh = trimesh.creation.extrude_polygon(face, 0.25)
    upright = np.array([[1, 0, 0, 0], [0, 0, 1, -0.125], [0, 1, 0, 0], [0, 0, 0, 1]], dtype=np.float64)
    mesh.apply_transform(upright)
    frame = (np.array([0.0, 0, 0]), np.array([1.0, 0, 0]), np.array([0.0, 0, 1]))
    openings = tuple(Opening(k + 1, "wall", *frame, hole, -0.125, 0.125) for k, hole in enumerate(holes))
    return Piece(mesh, openings)


def model(unit: str, number: int, side: str, at: tuple[float, float, float]) -> Model:
    return Model(unit, number, side, Base("round", 32 / 25.4, 32 / 25.4), *at, height=1.6)


@pytest.fixture
def wall_scene() -> Scene:
    infantry = Warhammer40kUnit(frozenset({"INFANTRY"}))
    wall = Feature("wall", windowed_wall(), 10.0, 10.0, wh40k=Warhammer40kFeature("dense"))
    floor = Feature("ledge", Piece(trimesh.creation.box(bounds=[[0, 0, 0], [3, 2, 3]])), 12.5, 12.0)
    sides = [
        Unit(
            "A", "red", (model("A", 1, "red", (14.0, 6.0, 0.0)), model("A", 2, "red", (11.0, 7.0, 0.0))), None, infantry
        ),
        Unit("B", "blue", (model("B", 1, "blue", (14.2, 15.5, 0.0)),), None, infantry),
        Unit("C", "blue", (model("C", 1, "blue", (14.0, 13.0, 3.0)),), 270.0, infantry),
    ]
    figures = (
        Figure(
            "window",
            "The window is closed",
            lines=(("A/1", "B"), ("A/1", "C")),
            show=("openings", "solid-height", "areas", "labels", "legend"),
        ),
        Figure("range", "Nobody in range", view="plan", lines=(("A", "B"),), ranges=(("B", 3.0),)),
    )
    area = Area("north", shapely.box(9, 9, 19, 17), ("wall", "ledge"))
    return Scene("Who sees whom", "wh40k-11e", (24.0, 20.0), (wall, floor), (area,), tuple(sides), figures=figures)


def verdicts() -> tuple[Verdict, ...]:
    shut, stone = Blocker((14.0, 9.875, 2.0), feature="wall", opening=1), Blocker((12.3, 9.875, 1.1), feature="wall")
    to_gap, to_stone = ((14.0, 6.0, 1.5), (14.0, 9.875, 2.0)), ((11.0, 7.0, 1.0), (12.3, 9.875, 1.1))
    upper = ((14.0, 6.0, 1.6), (14.0, 13.0, 4.5))
    closed = Verdict("A/1", "B/1", False, 8.24, "proof", (Reason.SOLID_GAP,), to_gap, shut, rule="13.11")
    return (
        replace(closed, notes=("readings-differ", "assumed:straddle"), fully_visible=False, fully_certainty="proof"),
        Verdict(
            "A/2", "B/1", False, 7.9, "sampled", (Reason.TERRAIN, Reason.SOLID_GAP), to_stone, stone, resolution=0.02
        ),
        Verdict("A/1", "C/1", True, 6.48, "witness", line=upper, fully_visible=False, seen_fraction=0.314159265),
        Verdict("A/2", "C/1", False, 7.2, "proof", (Reason.TERRAIN,)),
        Verdict("C/1", "A/1", True, 6.48, "witness", line=upper[::-1], fully_visible=True, fully_certainty="witness"),
    )


@pytest.fixture
def wall_report() -> Report:
    options = {option.name: option.default for option in described("wh40k")} | {"solid_height": 3.5}
    attackers = (AttackerVerdict("A/1", True, False, True, -1), AttackerVerdict("A/2", False))
    units = (
        UnitVerdict(
            "A",
            "B",
            False,
            (Reason.SOLID_GAP, Reason.TERRAIN),
            (AttackerVerdict("A/1", False), AttackerVerdict("A/2", False)),
        ),
        UnitVerdict("A", "C", True, (), attackers, False, True, -1, False, ("attackers-differ",)),
        UnitVerdict("C", "A", True, (), (AttackerVerdict("C/1", True),)),
    )
    return Report(
        "wh40k-11e", "Warhammer 40,000, 11th edition", MappingProxyType(options), verdicts(), units,
        (State("B/1", ("north",), 0.0, True), State("A/1", (), 0.0)), (Placement("A/2", ("overhang",)),),
    )  # fmt: skip


@pytest.fixture
def bare_report(wall_report: Report) -> Report:
    """What a first version computes: seen or not."""
    plain = tuple(replace(v, fully_visible=None, fully_certainty=None, seen_fraction=None) for v in wall_report.models)
    return replace(wall_report, models=plain, states=None, placement=None)
