"""The pictures of one piece: from four sides, from above, storey by storey, and from over a shoulder, all at one scale.

Drawn by `etching`, so no OpenGL is needed and the same piece gives the same pictures on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import shapely
import trimesh
from PIL import Image

from deadground.geometry.plates import Array
from deadground.geometry.units import MM_PER_INCH, SNAP, STOREY, TOUCH
from deadground.meshes.inspection import Inspection
from deadground.meshes.piece import Opening
from deadground.meshes.probes import Probe
from deadground.meshes.standing_room import Floor
from deadground.scenes.rulings.wh40k_piece import PieceReading, State
from deadground.viewer import theme
from deadground.viewer.camera import Camera, angled
from deadground.viewer.etching import NOBODY, Exposure, Ground, Panel, Sitter, Stain, boxes, etched, exposed
from deadground.viewer.forms import slab

__all__ = ["MOST_OPENINGS", "MOST_PLANS", "STAINS", "Aspect", "Picture", "Studio", "floor_colours", "stain_of"]

MOST_OPENINGS: Final = 300
"""Openings that are drawn, those with most area: a file with more is a sieve."""
MOST_PLANS: Final = 6
"""Storeys that are drawn, the lowest ones."""
CUT: Final = 1.0
"""Inches above a floor at which its plan is cut: about where a model's eyes are."""
ROOM: Final = 14.0
"""Drawing units left free round a piece."""
ALIKE: Final = 0.25
"""Inches: floors that differ by less are shown in one plan."""
SHOULDERS: Final = (28.0, 118.0, 208.0, 298.0)
"""Azimuths from which the large picture may be taken; the one that shows most openings is."""
RAISED: Final = 24.0
"""Elevation of the large picture, degrees."""
GLIMPSE: Final = 0.15
"""Share of a gap that is in sight where it is numbered: what shows through another gap is not."""
SEEN: Final = 12
"""Points, as fine as rays, of something that is in sight."""
ENOUGH: Final = 6
"""Points of a panel or a floor that count as seen."""
WINK: Final = 150.0
"""Points across of the pictures that choose the azimuth."""

STAINS: Final[Mapping[State, Stain]] = {
    "closed": Stain(theme.GAP_CLOSED, theme.GAP_HATCH.colour, 0.9, hatch=1),
    "open": Stain(theme.GAP_FREE, theme.CLEAR.colour, 0.45),
    "straddles": Stain(theme.GAP_SPLIT, theme.GAP_SPLIT_HATCH.colour, 0.9, hatch=2),
}
"""How gaps look that Solid closes, leaves open, or of which it is not clear."""


def stain_of(state: State, *, sure: bool) -> Stain:
    """How a gap looks; one that is only possible has a dotted outline."""
    return replace(STAINS[state], dotted=not sure)


@dataclass(frozen=True, slots=True, eq=False)
class Aspect:
    """One picture to take. camera : parallel; size : drawing units across and down; scale : of them to the inch.

    level : height of the floor that a plan is cut above, None for what is seen whole
    """

    name: str
    title: str
    camera: Camera
    size: tuple[float, float]
    scale: float
    level: float | None = None

    @property
    def upright(self) -> bool:
        """Whether it is an elevation: heights are true."""
        return bool(self.camera.forward[2] == 0)

    def flat(self, points: Array) -> Array:
        """(n, 3) points as (n, 2) drawing units, y down."""
        return self.camera.project(points, self.size)[:, :2]


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """A picture that was taken.

    openings, floors : number -> (left, top, right, bottom) of what is in sight of it, and a point on that, in drawing
    units; openings by their id, floors by their place in the inspection
    """

    aspect: Aspect
    image: Image.Image
    openings: Mapping[int, tuple[Array, Array]]
    floors: Mapping[int, tuple[Array, Array]]


@dataclass(frozen=True, slots=True, eq=False)
class Studio:
    """A piece that stands level, ready to be drawn. turn, shift : from the mesh as it was read to how it stands."""

    mesh: trimesh.Trimesh
    piece: Inspection
    reading: PieceReading
    sitter: Sitter
    openings: tuple[Opening, ...]
    grounds: tuple[Ground, ...]

    @classmethod
    def of(cls, mesh: trimesh.Trimesh, piece: Inspection, reading: PieceReading) -> Studio:
        """Make the mesh ready that was inspected."""
        standing = piece.level.levelled(mesh)
        probe = Probe.of(standing)
        sitter = Sitter(probe.caster, probe.outward, np.asarray(standing.bounds), piece.noise)
        colours = floor_colours(piece.floors)
        grounds = tuple(
            Ground(floor.outline, floor.low, floor.height, colour)
            for floor, colour in zip(piece.floors, colours, strict=True)
        )
        largest = sorted(piece.openings, key=lambda gap: (-gap.area, gap.id))[:MOST_OPENINGS]
        return cls(standing, piece, reading, sitter, tuple(sorted(largest, key=lambda gap: gap.id)), grounds)

    def standing(self, points: Array) -> Array:
        """(n, 3) points of the mesh as it was read, as it stands."""
        return points @ self.piece.level.turn.T + self.piece.level.shift

    def stain(self, gap: Opening) -> Stain:
        """How a gap looks."""
        return stain_of(self.reading.states[gap.id], sure=gap.sure)

    def scale(self, width: float, height: float) -> float:
        """Drawing units to the inch with which no picture is wider or higher than so many."""
        x, y, z = (max(float(side), TOUCH) for side in np.ptp(self.sitter.bounds, axis=0))
        return min((width - 2 * ROOM) / max(x, y), (height - 2 * ROOM) / max(z, y), theme.MOST_SCALE * 2)

    def sides(self, scale: float) -> Iterator[Aspect]:
        """From the front, the right, the back and the left."""
        for name, title, azimuth in (
            ("front", "Front", 0),
            ("right", "Right", 90),
            ("back", "Back", 180),
            ("left", "Left", 270),
        ):
            yield self._aspect(name, title, angled(azimuth, 0.0, 0.0), scale)

    def above(self, scale: float) -> Aspect:
        """From above."""
        return self._aspect("above", "From above", angled(0.0, 90.0, 0.0), scale)

    def plans(self, scale: float) -> Iterator[Aspect]:
        """Each storey that has something over it, cut at the height of a model's eyes, the ground first."""
        camera = self._aspect("", "", angled(0.0, 90.0, 0.0), scale)
        low, top = (float(height) for height in self.sitter.bounds[:, 2])
        for level in self.storeys():
            eye = camera.camera.eye * [1, 1, 0] + [0, 0, level + min(CUT, (top - level) / 2)]
            cut = replace(camera.camera, eye=eye, reach=top - low + 1)
            title = "Plan of the ground" if level == 0 else f"Plan of the floor at {level:.2f}″"
            yield replace(camera, name=f"plan-{level:.2f}", title=title, camera=cut, level=level)

    def storeys(self) -> list[float]:
        """Heights of the floors that have something over them, the ground too; at most `MOST_PLANS`."""
        levels = [0.0]
        for floor in self.piece.floors:
            if floor.level and floor.height > levels[-1] + ALIKE:
                levels.append(floor.height)
        top = float(self.sitter.bounds[1, 2])
        return [level for level in levels if level + STOREY < top - SNAP][:MOST_PLANS]

    def shoulder(self, width: float, height: float) -> Aspect:
        """From over a shoulder: where most openings are in sight."""
        tried = [self._fitted(angled(azimuth, RAISED, 0.0), WINK, WINK) for azimuth in SHOULDERS]
        panels = self._panels()
        shown = [_shown(exposed(self.sitter, one.camera, _points(one), panels, self.grounds)) for one in tried]
        best = max(range(len(tried)), key=lambda k: (shown[k], -k))
        return self._fitted(angled(SHOULDERS[best], RAISED, 0.0), width, height)

    def _fitted(self, camera: Camera, width: float, height: float) -> Aspect:
        own = _own(self.sitter.bounds, camera)
        across, up, _ = np.maximum(np.ptp(own, axis=0), TOUCH)
        scale = min((width - 2 * ROOM) / across, (height - 2 * ROOM) / up)
        return self._aspect("shoulder", "The piece", camera, float(scale))

    def _aspect(self, name: str, title: str, camera: Camera, scale: float) -> Aspect:
        own = _own(self.sitter.bounds, camera)
        low, high = own.min(axis=0), own.max(axis=0)
        middle, extent = (low + high) / 2, (high - low) * scale + 2 * ROOM
        size = max(round(float(extent[0])), 40), max(round(float(extent[1])), 40)
        middle[2] = low[2] - 1
        eye = middle @ np.vstack([camera.right, camera.up, camera.forward])
        seat = replace(camera, eye=eye, span=size[1] / scale, reach=float(high[2] - low[2]) / 2 + 1)
        return Aspect(name, title, seat, size, scale)

    def take(self, aspect: Aspect, fine: float = 1.0) -> Picture:
        """Take a picture, `fine` points to the drawing unit."""
        panels = self._panels() if aspect.level is None else self._bars(aspect.level, float(aspect.camera.eye[2]))
        grounds = self._of_storey(aspect.level)
        cut = aspect.level is not None
        view = exposed(self.sitter, aspect.camera, _points(aspect, fine), panels, grounds, cut=cut)
        stains = {number: self.stain(self.openings[panel.stain]) for number, panel in enumerate(panels)}
        image = etched(view, self.piece.noise, stains, grounds)
        ratio = aspect.size[0] / view.depth.shape[1]
        gaps = [self.openings[panel.stain] for panel in panels]
        least = [0.0 if cut else GLIMPSE * _extent(gap, aspect.camera) / ratio**2 * aspect.scale**2 for gap in gaps]
        openings = {gaps[number].id: spot for number, spot in _spots(view.panel, ratio, least).items()}
        return Picture(aspect, image, openings, _spots(view.floor, ratio, [0.0] * len(grounds)))

    def _of_storey(self, level: float | None) -> tuple[Ground, ...]:
        """The floors that are tinted: in a plan those of its storey, which keep their places."""
        if level is None:
            return self.grounds
        return tuple(
            ground if abs(ground.high - level) <= ALIKE else replace(ground, outline=shapely.Polygon())
            for ground in self.grounds
        )

    def panes(self) -> list[tuple[Stain, Array]]:
        """What fills each gap: its look, and triangles (n, 3, 3) in the middle of the gap."""
        return [(self.stain(self.openings[panel.stain]), panel.triangles) for panel in self._panels()]

    def _panels(self) -> list[Panel]:
        """One panel in the middle of each gap."""
        made = []
        for number, gap in enumerate(self.openings):
            middle = gap.origin + (gap.near + gap.far) / 2 * gap.normal
            form = slab(shapely.simplify(gap.outline, TOUCH), (middle, gap.along, gap.up))
            if len(form.faces):
                made.append(Panel(self.standing(form.vertices)[form.faces], number))
        return made

    def _bars(self, level: float, eye: float) -> list[Panel]:
        """The gaps of a storey as a plan shows them: bars across the wall, and holes in the floor."""
        above = min([height for height in self.storeys() if height > level + ALIKE], default=np.inf)
        made = []
        for number, gap in enumerate(self.openings):
            if gap.kind == "wall" and level - SNAP <= gap.sill < above - SNAP:
                made.append(Panel(self._bar(gap, eye), number))
        return made

    def _bar(self, gap: Opening, eye: float) -> Array:
        """(2, 3, 3) across the wall, just under the cut."""
        left, _, right, _ = gap.outline.bounds
        depth = max((gap.far - gap.near) / 2, 1.5 / MM_PER_INCH)
        corners = [
            gap.origin + u * gap.along + ((gap.near + gap.far) / 2 + w) * gap.normal
            for u, w in ((left, -depth), (right, -depth), (right, depth), (left, depth))
        ]
        flat = self.standing(np.array(corners))
        flat[:, 2] = eye - TOUCH
        return flat[[[0, 1, 2], [0, 2, 3]]]


def _own(bounds: Array, camera: Camera) -> Array:
    """(8, 3) the corners of a box along the camera's right, up and forward."""
    low, high = bounds
    corners = np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
    return np.asarray(corners @ np.column_stack([camera.right, camera.up, camera.forward]))


def _points(aspect: Aspect, fine: float = 1.0) -> tuple[int, int]:
    return max(round(aspect.size[0] * fine), 1), max(round(aspect.size[1] * fine), 1)


def _shown(view: Exposure) -> tuple[int, int, int]:
    """How much a picture tells: panels, floors, and how much of the picture the piece fills, in twentieths."""
    panels, floors = (
        int((np.bincount(numbers[numbers != NOBODY]) > ENOUGH).sum()) for numbers in (view.panel, view.floor)
    )
    return panels, floors, int(20 * view.hit.mean())


def _extent(gap: Opening, camera: Camera) -> float:
    """Square inches of a gap in a picture, if nothing hides it."""
    return gap.area * abs(float(gap.normal @ camera.forward))


def _spots(
    numbers: np.typing.NDArray[np.int32], ratio: float, least: Sequence[float]
) -> dict[int, tuple[Array, Array]]:
    """Number -> its box and a point in it, drawing units; of those in sight. least : points that must be, of each."""
    found = {}
    for number, box in enumerate(boxes(numbers)):
        if box is None:
            continue
        rows, columns = np.nonzero(numbers[box] == number)
        if len(rows) >= max(SEEN, least[number]):
            corner = np.array([box[1].start, box[0].start])
            middle = np.argmin((rows - np.median(rows)) ** 2 + (columns - np.median(columns)) ** 2)
            sides = np.array([*corner, box[1].stop, box[0].stop]) * ratio
            found[number] = sides, (corner + [columns[middle] + 0.5, rows[middle] + 0.5]) * ratio
    return found


def floor_colours(floors: Sequence[Floor]) -> list[str]:
    """A tint for each floor, "#rrggbb": the higher, the darker; all that are level to the eye have the same."""
    heights = sorted({round(floor.height / ALIKE) for floor in floors})
    pale, dark = (np.array([int(end[k : k + 2], 16) for k in (1, 3, 5)]) for end in theme.STOREYS)
    shares = {height: k / max(len(heights) - 1, 1) for k, height in enumerate(heights)}
    tints = [pale + shares[round(floor.height / ALIKE)] * (dark - pale) for floor in floors]
    return ["#" + "".join(f"{round(float(part)):02x}" for part in tint) for tint in tints]
