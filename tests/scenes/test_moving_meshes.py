"""Ways over real pieces: stairs, a printed building, a landscape."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import trimesh

from deadground.meshes.piece import Piece
from deadground.scenes.material import placed_surfaces
from deadground.scenes.movement import Way
from deadground.scenes.placing import base_outline, standing, surfaces_under
from deadground.scenes.rulings.wh40k_moving import Move, move
from deadground.scenes.scene import Scene
from deadground.scenes.standing import base_at
from deadground.scenes.terrain import Feature, Warhammer40kFeature
from tests.scenes.moving_tables import table, unit


def piece(path: Path, scale: float, y_up: bool = False) -> Piece:
    """A mesh file as a piece: inches, its middle at the origin, its lowest point at 0."""
    mesh = trimesh.load_mesh(path)
    if y_up:
        mesh.apply_transform(trimesh.transformations.rotation_matrix(np.pi / 2, [1, 0, 0]))
    mesh.apply_scale(scale)
    low, high = mesh.bounds
    mesh.apply_translation([*(-(low + high)[:2] / 2), -low[2]])
    return Piece(mesh)


def on_table(found: Piece, keyword: str, at=(3, 3), category="dense") -> Scene:
    scene = table([unit(at=[at], keywords=[keyword], base="25mm", height=1.2)])
    return replace(scene, features=(Feature("piece", found, 20, 15, wh40k=Warhammer40kFeature(category)),))


def go(scene: Scene, x: float, y: float, z: float) -> Move:
    placed = base_at(scene.models[0], x, y, z)
    found = standing(z, surfaces_under(base_outline(placed), scene.features))
    return move(scene, scene.models[0], (x, y, found[0] if found else z))


def checked(way: Way | None) -> Way:
    """The way, after its sum and its ends were looked at."""
    assert way is not None
    assert way.distance == pytest.approx(way.across + way.up + way.down)
    assert way.up - way.down == pytest.approx(way.path[-1][2] - way.path[0][2], abs=1e-6)
    return way


@pytest.mark.parametrize("keyword", ["INFANTRY", "MONSTER"])
def test_up_the_stairs(data, keyword):
    scene = on_table(piece(data / "meshes" / "stairs_industrial_stairs.stl", 1 / 25.4), keyword)
    top = max(surface.height for surface in placed_surfaces(scene.features[0]) if surface.holds(0.5))
    landing = max((s for s in placed_surfaces(scene.features[0]) if s.height == top), key=lambda s: s.area)
    spot = landing.outline.representative_point()
    found = go(scene, spot.x, spot.y, top)
    way = checked(found.way)
    assert way.up == pytest.approx(top)
    assert way.across >= np.hypot(spot.x - 3, spot.y - 3) - 1e-3


def test_onto_every_floor_of_a_printed_building(data):
    scene = on_table(piece(data / "meshes" / "building_with_roof.stl", 1 / 25.4), "INFANTRY")
    for millimetres in (3.0, 53.0, 103.0, 153.0):
        floor = max(
            (s for s in placed_surfaces(scene.features[0]) if abs(s.height * 25.4 - millimetres) < 0.1),
            key=lambda surface: surface.area,
        )
        spot = floor.outline.buffer(-0.5).representative_point()
        found = go(scene, spot.x, spot.y, floor.height)
        way = checked(found.way)
        assert way.up == pytest.approx(millimetres / 25.4, abs=0.01)
        assert way.across == pytest.approx(np.hypot(spot.x - 3, spot.y - 3), abs=0.01)


@pytest.mark.parametrize("category", ["light", "dense"])
def test_over_the_hills_of_a_landscape(data, category):
    scene = on_table(piece(data / "meshes" / "nav_test.obj", 0.2, y_up=True), "INFANTRY", category=category)
    slopes = [s for s in placed_surfaces(scene.features[0]) if not s.level and s.holds(0.5)]
    hill = max(slopes, key=lambda surface: surface.area)
    spot = hill.outline.buffer(-0.5).representative_point()
    placed = base_at(scene.models[0], spot.x, spot.y, 0)
    heights = surfaces_under(base_outline(placed), scene.features).levels
    found = go(scene, spot.x, spot.y, heights[-1])
    way = checked(found.way)
    assert way.up >= heights[-1] - 1e-6
    assert not way.exact
