"""From checked tables to the values the rest of deadground works with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import shapely
import trimesh

from deadground.geometry.errors import SceneError
from deadground.geometry.units import TOUCH, millimetres
from deadground.meshes.limits import MOST_TRIANGLES
from deadground.scenes.complaints import Place, key_of, shown
from deadground.scenes.entries import parse_base
from deadground.scenes.figure_assembly import figure_of, given_options, theme_of
from deadground.scenes.format import (
    AreaTable,
    FeatureTable,
    NinthAgeFeatureTable,
    SceneTable,
    TokenTable,
    UnitTable,
)
from deadground.scenes.model import Model, NinthAgeUnit, StarcraftUnit, Unit, Warhammer40kUnit
from deadground.scenes.pieces import Beside, body_mesh, piece_of
from deadground.scenes.placing import Ground, Plan, base_outline, footprint, standing
from deadground.scenes.references import keyword_warnings
from deadground.scenes.scene import Scene, Token
from deadground.scenes.terrain import Area, Feature, NinthAgeFeature, StarcraftFeature, Warhammer40kFeature

__all__ = ["assemble"]

_MOST_TRIANGLES = 2 * MOST_TRIANGLES
"""Of all features of a scene; a mesh counts each time it is placed."""
_MOST_HEIGHTS = 6
"""Heights of surfaces that an error names: the nearest ones."""


def assemble(table: SceneTable, beside: Beside) -> Scene:
    """The scene that checked tables describe. SceneError for what cannot be built, loaded or stood on."""
    features = _features(table, beside)
    ground = Ground(features)
    width, depth = table.board.size
    return Scene(
        title=table.title,
        ruleset=table.ruleset,
        board=(width, depth),
        features=features,
        areas=_areas(table, features, beside.source),
        units=tuple(_unit(unit, number, ground, table.units, beside) for number, unit in enumerate(table.unit)),
        tokens=tuple(_token(token) for token in table.token),
        figures=tuple(figure_of(figure) for figure in table.figure),
        themes=tuple(theme_of(theme) for theme in table.theme),
        options=given_options(table),
        units_of_file=table.units,
        warnings=(*keyword_warnings(table), *_tilted(table, features)),
    )


# --- features


def _tilted(table: SceneTable, features: Sequence[Feature]) -> Iterator[str]:
    """One line for each mesh that stands askew: lines pass under its raised side, as they would on the table."""
    for number, (entry, feature) in enumerate(zip(table.feature, features, strict=True)):
        if entry.mesh is not None and feature.piece.tilt > 0:
            yield (
                f"feature[{number}].mesh: {shown(entry.mesh.file)} stands tilted by {feature.piece.tilt:.1f} degrees, "
                f"so that lines may pass under it; level it with: deadground inspect FILE --repair OUT"
            )


def _features(table: SceneTable, beside: Beside) -> tuple[Feature, ...]:
    """All features in the order of the file, each stood on what is below it."""
    loose = list(_loose(table, beside))
    stood: dict[int, Feature] = {}
    for number in sorted(range(len(loose)), key=lambda n: (loose[n].foot, n)):
        below = Ground([stood[n] for n in sorted(stood)] if loose[number].foot else [])
        place: Place = ("feature", number, "at")
        foot, support = _stand(footprint(loose[number]), loose[number].foot, below, table.units, (beside.source, place))
        stood[number] = replace(loose[number], foot=foot, support=support)
    return tuple(stood[number] for number in range(len(loose)))


def _loose(table: SceneTable, beside: Beside) -> Iterator[Feature]:
    """The features, not stood on anything yet. SceneError where they have too many triangles together."""
    triangles = 0
    for number, entry in enumerate(table.feature):
        feature = _feature(entry, ("feature", number), beside)
        triangles += len(feature.piece.mesh.faces)
        if triangles > _MOST_TRIANGLES:
            problem = f"with it the features have {triangles:,} triangles, at most {_MOST_TRIANGLES:,} are judged"
            raise SceneError(beside.source, key_of(("feature", number)), problem)
        yield feature


def _feature(table: FeatureTable, place: Place, beside: Beside) -> Feature:
    piece = piece_of(table, beside, place)
    _check_overruled(table, {opening.id for opening in piece.openings}, beside.source, place)
    return Feature(
        name=table.name,
        piece=piece,
        x=table.at[0],
        y=table.at[1],
        foot=_height(table.at),
        turn=table.turn,
        overruled=tuple((overruled.id, overruled.closed) for overruled in table.openings),
        physical_base=None if table.footprint is None else shapely.Polygon(table.footprint),
        wh40k=Warhammer40kFeature(table.wh40k.category),
        sctmg=StarcraftFeature(
            table.sctmg.size, tuple((x, y) for x, y in table.sctmg.access_points), table.sctmg.openings_agreed
        ),
        t9a=_ninth_age(table.t9a),
    )


def _ninth_age(table: NinthAgeFeatureTable | None) -> NinthAgeFeature:
    if table is None:
        return NinthAgeFeature()
    return NinthAgeFeature(
        given=True,
        opaque=table.opaque,
        cover=table.cover,
        height=table.height,
        contact_only=table.contact_only,
        dangerous=None if table.dangerous is None else int(table.dangerous.rstrip("+")),
        dangerous_only=table.dangerous_only,
        disruptive=table.disruptive,
    )


def _check_overruled(table: FeatureTable, ids: set[int], source: str, place: Place) -> None:
    for number, overruled in enumerate(table.openings):
        if overruled.id not in ids:
            there = ", ".join(str(n) for n in sorted(ids)) or "none"
            key = key_of((*place, "openings", number, "id"))
            raise SceneError(source, key, f"expected the number of an opening ({there}), found {overruled.id}")
        earlier = next(n for n, other in enumerate(table.openings) if other.id == overruled.id)
        if earlier < number:
            key = key_of((*place, "openings", number, "id"))
            raise SceneError(source, key, f"opening {overruled.id} is spoken of in openings[{earlier}] already")


def _height(spot: Sequence[float]) -> float:
    return spot[2] if len(spot) == 3 else 0.0


def _stand(plan: Plan, height: float, below: Ground, unit: str, where: tuple[str, Place]) -> tuple[float, str | None]:
    """Height and owner of the surface that is meant. SceneError if there is none."""
    if height == 0:
        return 0.0, None  # the ground is everywhere, and nothing is nearer to its height
    under = below.under(plan)
    found = standing(height, under)
    if found is None:
        nearest = sorted(under.levels, key=lambda level: abs(level - height))[:_MOST_HEIGHTS]
        heights = ", ".join(_written(level, unit) for level in sorted(nearest))
        source, place = where
        problem = f"nothing to stand on at height {_written(height, unit)}, the surfaces there are at {heights}"
        raise SceneError(source, key_of(place), problem)
    return found


def _written(length: float, unit: str) -> str:
    return f"{length if unit == 'in' else millimetres(length):.6g}"


# --- areas


def _areas(table: SceneTable, features: Sequence[Feature], source: str) -> tuple[Area, ...]:
    """The areas of the file, then each feature outside all of them as an area of its own."""
    declared = [_area(entry, features, source, number) for number, entry in enumerate(table.area)]
    inside = {name for area in declared for name in area.features}
    names = {area.name: number for number, area in enumerate(declared)}
    own = []
    for feature in features:
        if feature.name in inside:
            continue
        if feature.name in names:
            problem = f"{feature.name!r} is also a feature outside every area, which is an area of its own"
            raise SceneError(source, key_of(("area", names[feature.name], "name")), problem)
        own.append(Area(feature.name, _one_outline([footprint(feature)]), (feature.name,)))
    return (*declared, *own)


def _area(table: AreaTable, features: Sequence[Feature], source: str, number: int) -> Area:
    names = frozenset(table.features)
    plans = [footprint(feature) for feature in features]
    if table.outline is None:
        named = [plan for plan, feature in zip(plans, features, strict=True) if feature.name in names]
        outline = shapely.convex_hull(shapely.union_all(named))
    else:
        outline = shapely.Polygon(table.outline)
    if not isinstance(outline, shapely.Polygon):
        raise SceneError(source, key_of(("area", number, "features")), "expected features that cover some ground")
    inside = shapely.covers(outline.buffer(TOUCH), plans)
    members = [f.name for f, within in zip(features, inside, strict=True) if within or f.name in names]
    return Area(table.name, outline, tuple(members))


def _one_outline(plans: Sequence[Plan]) -> shapely.Polygon:
    """The plan as one polygon: of parts that lie apart, their hull."""
    plan = shapely.union_all(list(plans))
    shape = plan if isinstance(plan, shapely.Polygon) else shapely.convex_hull(plan)
    return shapely.Polygon(shape.exterior) if isinstance(shape, shapely.Polygon) else shapely.Polygon()


# --- units


def _unit(table: UnitTable, number: int, ground: Ground, unit: str, beside: Beside) -> Unit:
    body = None if table.mesh is None else body_mesh(table.mesh, beside, ("unit", number, "mesh"))
    loose = [_model(table, n, body) for n in range(len(table.at))]
    models = []
    for n, model in enumerate(loose):
        where = (beside.source, ("unit", number, "at", n))
        foot, support = _stand(base_outline(model), model.foot, ground, unit, where)
        models.append(replace(model, foot=foot, support=support, mesh=_placed(body, model, foot)))
    return Unit(
        name=table.name,
        side=table.side,
        models=tuple(models),
        facing=table.facing,
        wh40k=Warhammer40kUnit(
            frozenset(word.upper() for word in table.wh40k.keywords),
            table.wh40k.shot,
            table.wh40k.detection_range,
            table.wh40k.ignores_cover,
        ),
        sctmg=StarcraftUnit(table.sctmg.size, table.sctmg.flying),
        t9a=NinthAgeUnit(
            table.t9a.height,
            table.t9a.pool,
            None if table.t9a.kinds is None else frozenset(kind.casefold() for kind in table.t9a.kinds),
            table.t9a.joined,
        ),
    )


def _model(table: UnitTable, n: int, body: trimesh.Trimesh | None) -> Model:
    spot = table.at[n]
    return Model(
        unit=table.name,
        number=n + 1,
        side=table.side,
        base=parse_base(table.base),
        x=spot[0],
        y=spot[1],
        foot=_height(spot),
        height=table.height if table.height is not None else _top(body),
        facing=table.facing or 0.0,
    )


def _top(body: trimesh.Trimesh | None) -> float:
    return 0.0 if body is None else float(body.bounds[1, 2])


def _placed(body: trimesh.Trimesh | None, model: Model, foot: float) -> trimesh.Trimesh | None:
    if body is None:
        return None
    turn = np.radians(model.facing)
    c, s = np.cos(turn), np.sin(turn)
    rotation = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    vertices = np.asarray(body.vertices) @ rotation.T + np.array([model.x, model.y, foot])
    return trimesh.Trimesh(vertices, body.faces, process=False)


# --- the rest


def _token(table: TokenTable) -> Token:
    return Token(table.name, table.at[0], table.at[1], table.radius, table.marker)
