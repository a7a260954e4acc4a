"""Tournament layouts: where each piece's corners come to lie. Inches; y down, as in the files, until `y_up` turns it.

A footprint is put on its centroid, mirrored, turned clockwise as seen, and moved to the piece's position; a piece with
a parent is placed in the parent's frame, which carries it along.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import shapely

from deadground.geometry.errors import InputError
from deadground.geometry.plates import Array
from deadground.scenes.complaints import nearest, shown
from deadground.scenes.layout_file import Footprint, Layout, Piece, Template

__all__ = ["Placed", "resolve"]

_MIRRORS: Final = {None: (1.0, 1.0), "none": (1.0, 1.0), "horizontal": (-1.0, 1.0), "vertical": (1.0, -1.0)}
_FLIP: Final = np.diag([1.0, -1.0])


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """A piece on the table.

    own : (n, 2) its corners round its centroid, before it is turned; floors : the same of each upper floor, and its
        level; matrix, centre : table = matrix @ own + centre. All y down
    whole : whether the shape is the template's, not one of the piece's own
    """

    id: str
    name: str | None
    kind: str
    level: int
    own: Array
    matrix: Array
    centre: Array
    template: Template | None = None
    floors: tuple[tuple[int, Array], ...] = ()
    whole: bool = True

    @property
    def corners(self) -> Array:
        """(n, 2) on the table, y down."""
        return np.asarray(self.own @ self.matrix.T + self.centre)

    @property
    def turn(self) -> float:
        """Degrees counter-clockwise as seen from above, 0 to 360."""
        up = _FLIP @ self.matrix @ self._mirror @ _FLIP
        return math.degrees(math.atan2(up[1, 0], up[0, 0])) % 360.0

    @property
    def _mirror(self) -> Array:
        return np.diag([-1.0 if np.linalg.det(self.matrix) < 0 else 1.0, 1.0])

    def y_up(self, points: Array) -> Array:
        """(n, 2) points of its own frame, mirrored where it is, with y up: what `turn` then turns."""
        return np.asarray(points @ self._mirror @ _FLIP)


def resolve(layout: Layout, templates: Mapping[str, Template], source: str = "layout") -> tuple[Placed, ...]:
    """Every piece of a layout on the table, those that come with a template right after it.

    InputError for a template or parent that there is none of, an id used twice, and parents in a circle.
    """
    return tuple(_Resolver(layout, templates, source).placed())


class _Resolver:
    """One layout, whose parents are placed before their children, each once."""

    def __init__(self, layout: Layout, templates: Mapping[str, Template], source: str) -> None:
        self._layout, self._templates, self._source = layout, templates, source
        self._number: dict[str, int] = {}
        for number, piece in enumerate(layout.pieces):
            if piece.id in self._number:
                raise self._wrong(number, "id", f"expected each id once, found {shown(piece.id)} twice")
            self._number[piece.id] = number
        self._frames: dict[str, tuple[Array, Array]] = {}

    def placed(self) -> list[Placed]:
        found = list[Placed]()
        for number, piece in enumerate(self._layout.pieces):
            template = self._template(piece, f"pieces[{number}].template")
            found.append(_placed(piece, template, self._frame(piece)))
            found += self._with_it(template, self._frame(piece), (), number)
        return found

    def _with_it(
        self, template: Template | None, frame: tuple[Array, Array], inside: tuple[str, ...], number: int
    ) -> list[Placed]:
        """The pieces that come with a template."""
        if template is None:
            return []
        if template.id in inside:
            problem = f"expected templates that do not contain themselves, found {shown(template.id)} in itself"
            raise self._wrong(number, "template", problem)
        found = list[Placed]()
        for part in template.features:
            own = self._template(part, f"pieces[{number}].template: {template.id}.features")
            there = _inside(frame, part)
            found.append(_placed(part, own, there))
            found += self._with_it(own, there, (*inside, template.id), number)
        return found

    def _frame(self, piece: Piece) -> tuple[Array, Array]:
        """Matrix and centre of a piece, its parents' applied. Walks up without recursion: chains may be long."""
        chain = [piece]
        while chain[-1].id not in self._frames and chain[-1].parent_area_id is not None:
            parent = self._parent(chain[-1])
            if parent in chain:
                circle = " in ".join(each.id for each in [*chain[chain.index(parent) :], parent])
                problem = f"expected parents that do not go in a circle, found {circle}"
                raise self._wrong(self._number[piece.id], "parent_area_id", problem)
            chain.append(parent)
        outer = np.eye(2), np.zeros(2)
        for each in reversed(chain):
            outer = self._frames[each.id] = self._frames[each.id] if each.id in self._frames else _inside(outer, each)
        return outer

    def _parent(self, piece: Piece) -> Piece:
        name = piece.parent_area_id or ""
        if name not in self._number:
            near = nearest(name, self._number)
            problem = f"expected the id of a piece, found {shown(name)}{near and ', '}{near}"
            raise self._wrong(self._number[piece.id], "parent_area_id", problem)
        return self._layout.pieces[self._number[name]]

    def _template(self, piece: Piece, key: str) -> Template | None:
        if piece.template is None:
            return None
        if piece.template not in self._templates:
            near = nearest(piece.template, self._templates)
            problem = f"expected the id of a template, found {shown(piece.template)}{near and ', '}{near}"
            raise InputError(self._source, key, problem)
        return self._templates[piece.template]

    def _wrong(self, number: int, key: str, problem: str) -> InputError:
        return InputError(self._source, f"pieces[{number}].{key}", problem)


def _inside(outer: tuple[Array, Array], piece: Piece) -> tuple[Array, Array]:
    """Matrix and centre of a piece that is placed in an outer frame."""
    turn = math.radians(piece.rotation_degrees)
    c, s = math.cos(turn), math.sin(turn)
    own = np.array([[c, -s], [s, c]]) @ np.diag(_MIRRORS[piece.mirror])
    matrix, centre = outer
    return matrix @ own, matrix @ np.array([piece.position.x, piece.position.y]) + centre


def _placed(piece: Piece, template: Template | None, frame: tuple[Array, Array]) -> Placed:
    shape = piece.footprint or (template.footprint if template else None)
    corners = _corners(shape) if shape is not None else np.zeros((0, 2))
    middle = _centroid(corners)
    kind = piece.piece_type or (template.kind if template else "area")
    name = piece.name or (template.name if template and kind == "feature" else None)
    floors = _floors(template, middle) if piece.footprint is None else ()
    return Placed(
        piece.id, name, kind, piece.floor, corners - middle, *frame, template, floors, piece.footprint is None
    )


def _floors(template: Template | None, middle: Array) -> tuple[tuple[int, Array], ...]:
    if template is None or template.upper_floor is None:
        return ()
    return ((template.upper_floor.floor, _corners(template.upper_floor.footprint) - middle),)


def _corners(shape: Footprint) -> Array:
    return np.array(shape.corners, float)


def _centroid(corners: Sequence[Sequence[float]] | Array) -> Array:
    """(2,) of the area, whichever way round the corners go; their mean if they enclose none."""
    outline = shapely.Polygon(corners)
    middle = outline.centroid
    return np.array([middle.x, middle.y]) if outline.area > 0 else np.asarray(corners, float).mean(0)
