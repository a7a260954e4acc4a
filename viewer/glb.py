"""A figure as a glTF binary file: metres, y up, every thing under its own name, translucent things truly so."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import trimesh
from trimesh.visual.material import PBRMaterial
from trimesh.visual.texture import TextureVisuals

from deadground.geometry.units import MM_PER_INCH
from deadground.scenes.rulings.verdict import Report
from deadground.scenes.scene import Figure, Scene
from deadground.viewer.draw import draw_list
from deadground.viewer.files import write_bytes
from deadground.viewer.paper import PLAIN, Paper
from deadground.viewer.side_by_side import check_single
from deadground.viewer.solids import Solid, solids
from deadground.viewer.things import Look, Thing

__all__ = ["glb", "write_glb"]

METRES = MM_PER_INCH / 1000
"""Of an inch."""
Y_UP = np.array([[1.0, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]])
"""From z up to y up."""
ROUGH = 0.9


def write_glb(scene: Scene, report: Report, figure: Figure, path: Path, paper: Paper = PLAIN) -> None:
    """Write the figure as a GLB file; needs no OpenGL. SceneError for wrong names, InputError for a bad path."""
    check_single(scene, figure, ".glb")
    write_bytes(path, glb(draw_list(scene, report, figure, paper.palette)))


def glb(things: Sequence[Thing]) -> bytes:
    """The file's bytes, the same for the same things. Names are left out; a node's extras hold its words."""
    table = trimesh.Scene()
    for number, solid in enumerate(solids(things)):
        if len(solid.form.faces):
            add(table, mesh_of(solid), f"{number:03d} {solid.thing.kind} {solid.thing.name}", solid.thing)
        if solid.thing.look.edge is not None and len(solid.form.edges):
            lines = trimesh.load_path(solid.form.edges)
            lines.colors = np.tile(edge_colour(solid.thing.look.edge), (len(lines.entities), 1))
            add(table, lines, f"{number:03d} {solid.thing.kind} {solid.thing.name} edges", solid.thing)
    data = table.export(file_type="glb")
    return bytes(data)


def add(table: trimesh.Scene, geometry: trimesh.Trimesh | trimesh.path.Path3D, name: str, thing: Thing) -> None:
    """One node in metres, with what it says."""
    geometry.apply_transform(Y_UP @ np.diag([METRES, METRES, METRES, 1.0]))
    geometry.metadata = {"words": thing.words} if thing.words else {}
    table.add_geometry(geometry, node_name=name, geom_name=name)


def mesh_of(solid: Solid) -> trimesh.Trimesh:
    """A mesh with its material; flat faces keep their own corners, so that they are not shaded round."""
    form = solid.form
    mesh = trimesh.Trimesh(form.vertices, form.faces, process=False)
    if not form.smooth:
        mesh.unmerge_vertices()
    mesh.visual = TextureVisuals(material=material(solid.thing.look))
    return mesh


def material(look: Look) -> PBRMaterial:
    """A matt colour; below full opacity it is blended and seen from both sides."""
    clear = look.opacity < 1
    return PBRMaterial(
        name=f"{look.colour} {look.opacity:g}", baseColorFactor=linear(look.colour, look.opacity), metallicFactor=0.0,
        roughnessFactor=ROUGH, alphaMode="BLEND" if clear else "OPAQUE", doubleSided=clear,
    )  # fmt: skip


def linear(colour: str, opacity: float) -> list[float]:
    """The colour as glTF wants it: in linear light, 0 to 1, and its opacity."""
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    return [*(c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts), opacity]


def edge_colour(colour: str) -> list[int]:
    """The same as four bytes."""
    return [round(255 * part) for part in linear(colour, 1.0)]
