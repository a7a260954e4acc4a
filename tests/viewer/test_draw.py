"""The draw list: what is drawn, in which colour, and what it says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from deadground.geometry.errors import SceneError
from deadground.scenes.document import read_scene
from deadground.scenes.gallery import example
from deadground.scenes.rulings import find
from deadground.scenes.rulings.verdict import Blocker, Reason, Report, Verdict
from deadground.scenes.scene import Figure, Scene
from deadground.viewer import theme
from deadground.viewer.draw import draw_list
from deadground.viewer.palette import DEFAULT
from deadground.viewer.tags import tags, unit_tag
from deadground.viewer.things import Label, Mark, Path, Surface, Thing

ALL = Figure("all", lines=(("A/1", "B"), ("A/1", "C")), ranges=(("B", 3.0),),
             show=("openings", "solid-height", "areas", "labels", "legend"))  # fmt: skip


def things(scene: Scene, report: Report, figure: Figure = ALL) -> list[Thing]:
    return list(draw_list(scene, report, figure))


def of_kind(found: list[Thing], kind: str) -> list[Thing]:
    return [thing for thing in found if thing.kind == kind]


def ray(found: list[Thing], name: str) -> Thing:
    (thing,) = [t for t in of_kind(found, "ray") if t.name == name]
    return thing


def surface(thing: Thing) -> Surface:
    assert isinstance(thing.shape, Surface)
    return thing.shape


def test_a_clear_line_is_blue_and_unbroken_with_dots_at_both_ends(wall_scene: Scene, wall_report: Report) -> None:
    found = things(wall_scene, wall_report)
    line = ray(found, "A/1 - C/1")
    assert (line.look.colour, line.look.dash) == (theme.CLEAR.colour, None)
    marks = [t.shape.sign for t in found if t.name.startswith("A/1 - C/1") and isinstance(t.shape, Mark)]
    assert marks == ["dot", "dot"]


def test_a_blocked_line_is_vermillion_and_dashed_with_a_cross_where_it_stops(
    wall_scene: Scene, wall_report: Report
) -> None:
    found = things(wall_scene, wall_report)
    line = ray(found, "A/1 - B/1")
    assert line.look.colour == theme.BLOCKED.colour
    assert line.look.dash is not None
    (cross,) = [t.shape for t in found if isinstance(t.shape, Mark) and t.shape.sign == "cross"]
    assert np.allclose(cross.at, (14.0, 9.875, 2.0))


def test_the_colour_follows_the_verdict_and_nothing_else(wall_scene: Scene, wall_report: Report) -> None:
    turned = tuple(replace(v, visible=not v.visible, reasons=()) for v in wall_report.models)
    found = things(wall_scene, replace(wall_report, models=turned))
    assert ray(found, "A/1 - B/1").look.colour == theme.CLEAR.colour
    assert ray(found, "A/1 - C/1").look.colour == theme.BLOCKED.colour


def test_both_kinds_of_line_have_a_dark_casing(wall_scene: Scene, wall_report: Report) -> None:
    found = things(wall_scene, wall_report)
    assert {t.look.casing for t in of_kind(found, "ray")} == {DEFAULT.ink}


def test_a_line_says_its_verdict_in_words(wall_scene: Scene, wall_report: Report) -> None:
    found = things(wall_scene, wall_report)
    assert "does not see" in ray(found, "A/1 - B/1").words
    assert ray(found, "A/1 - C/1").words.startswith("A/1 sees C/1")


def test_a_line_past_an_area_goes_on_faintly_behind_its_cross(wall_scene: Scene, wall_report: Report) -> None:
    first, *rest = wall_report.models
    over = replace(first, reasons=(Reason.OBSCURING,), line=((14.0, 6.0, 1.5), (14.0, 15.0, 1.5)),
                   blocker=Blocker((14.0, 9.0, 1.5), area="north"))  # fmt: skip
    found = things(wall_scene, replace(wall_report, models=(over, *rest)))
    reached, beyond = ray(found, "A/1 - B/1"), ray(found, "A/1 - B/1 beyond")
    assert isinstance(reached.shape, Path)
    assert isinstance(beyond.shape, Path)
    assert np.allclose(reached.shape.points[-1], (14.0, 9.0, 1.5))
    assert np.allclose(beyond.shape.points[-1], (14.0, 15.0, 1.5))
    assert beyond.look.width < reached.look.width


def test_a_unit_is_joined_to_each_target_by_its_best_line(wall_scene: Scene, wall_report: Report) -> None:
    found = things(wall_scene, wall_report, Figure("units", lines=(("A", "C"),)))
    names = [t.name for t in of_kind(found, "ray") if isinstance(t.shape, Path)]
    assert names == ["A/1 - C/1"]


def test_a_closed_gap_is_filled_up_to_the_limit_and_hatched(wall_scene: Scene, wall_report: Report) -> None:
    (gap,) = of_kind(things(wall_scene, wall_report), "closed-gap")
    form = surface(gap)
    assert gap.name == "wall:1"
    assert np.allclose(form.vertices[:, 2].min(), 1.5)
    assert np.allclose(form.vertices[:, 2].max(), 2.7)
    assert len(form.edges) > 8  # more than its two outlines
    assert "closed" in gap.words


def test_a_gap_that_reaches_over_the_limit_is_filled_below_and_free_above(
    wall_scene: Scene, wall_report: Report
) -> None:
    figure = replace(ALL, overrides={"wh40k": {"solid_height": 2.0}})
    found = things(wall_scene, wall_report, figure)
    (gap,) = of_kind(found, "closed-gap")
    free = [t for t in of_kind(found, "open-gap") if t.name == "wall:1"]
    assert surface(gap).vertices[:, 2].max() == pytest.approx(2.0)
    assert surface(free[0]).edges[:, :, 2].min() == pytest.approx(2.0)


def test_an_open_gap_is_an_outline_only(wall_scene: Scene, wall_report: Report) -> None:
    (gap,) = of_kind(things(wall_scene, wall_report), "open-gap")
    assert gap.name == "wall:2"
    assert len(surface(gap).faces) == 0
    assert gap.look.edge == theme.CLEAR.colour


def test_light_terrain_has_no_closed_gap(wall_scene: Scene, wall_report: Report) -> None:
    wall, ledge = wall_scene.features
    light = replace(wall, wh40k=replace(wall.wh40k, category="light"))
    found = things(replace(wall_scene, features=(light, ledge)), wall_report)
    assert not of_kind(found, "closed-gap")
    assert len(of_kind(found, "open-gap")) == 2


def test_a_range_is_drawn_from_the_edge_of_the_base(wall_scene: Scene, wall_report: Report) -> None:
    (sphere,) = of_kind(things(wall_scene, wall_report), "range")
    flat = np.linalg.norm(surface(sphere).vertices[:, :2] - (14.2, 15.5), axis=1)
    assert flat.max() == pytest.approx(3 + 16 / 25.4, abs=1e-2)
    assert 0 < sphere.look.opacity < 0.5


def test_show_decides_what_is_drawn(wall_scene: Scene, wall_report: Report) -> None:
    bare = things(wall_scene, wall_report, replace(ALL, show=("legend",)))
    kinds = {thing.kind for thing in bare}
    assert not kinds & {"name", "area", "open-gap", "sheet"}
    assert {"area", "sheet", "name", "open-gap"} <= {thing.kind for thing in things(wall_scene, wall_report)}


def test_the_solid_height_is_a_sheet_at_its_height(wall_scene: Scene, wall_report: Report) -> None:
    (sheet,) = of_kind(things(wall_scene, wall_report), "sheet")
    assert np.allclose(surface(sheet).vertices[:, 2], 3.5, atol=0.03)


def test_a_model_is_drawn_as_the_solid_that_is_judged(wall_scene: Scene, wall_report: Report) -> None:
    found = things(wall_scene, wall_report)
    both = np.vstack([surface(t).vertices for t in found if t.name == "C/1" and t.kind in ("base", "body")])
    assert both[:, 2].min() == pytest.approx(3.0)
    assert both[:, 2].max() == pytest.approx(4.6)
    assert np.linalg.norm(both[:, :2] - (14.0, 13.0), axis=1).max() == pytest.approx(16 / 25.4, abs=5e-3)


def test_sides_differ_in_colour_and_in_their_rims(wall_scene: Scene, wall_report: Report) -> None:
    bodies = {t.name: t for t in of_kind(things(wall_scene, wall_report), "body")}
    red, blue = bodies["A/1"], bodies["B/1"]
    assert red.look.colour != blue.look.colour
    assert len(surface(red).edges) != len(surface(blue).edges)


def test_a_lone_model_is_named_after_its_unit(wall_scene: Scene, wall_report: Report) -> None:
    texts = [t.shape.text for t in of_kind(things(wall_scene, wall_report), "name") if isinstance(t.shape, Label)]
    assert {"A/1", "B (hidden)", "wall", "ledge", "north"} <= set(texts)


def test_a_name_says_that_its_model_is_hidden_in_cover_or_placed_wrongly(wall_report: Report) -> None:
    said = tags(wall_report, wall_report.models)
    assert said == {"B/1": "hidden", "C/1": "cover", "A/2": "overhang"}


def test_cover_is_not_said_of_a_model_whose_line_is_not_drawn(wall_report: Report) -> None:
    assert "C/1" not in tags(wall_report, [v for v in wall_report.models if not v.visible])


def test_names_say_cover_and_dangerous_tests_of_the_9th_age() -> None:
    scene = read_scene(example("t9a-dangerous"))
    report = find("t9a").judge(scene)
    assert tags(report, []) == {"Guard/1": "5 tests, 4+", "Captain/1": "2 tests, 4+"}
    assert unit_tag(report, "Guard") == "5 tests, 4+"
    assert unit_tag(report, "Wizard") == ""
    verdict = Verdict("A/1", "B/1", True, 5.0, "witness", facts={"cover": "soft"})
    assert tags(Report("t9a", "", {}, (verdict,)), [verdict]) == {"B/1": "soft cover"}


def test_an_elevation_is_cut_where_its_line_meets_the_wall(wall_scene: Scene, wall_report: Report) -> None:
    found = things(wall_scene, wall_report, replace(ALL, view="side", ranges=()))
    (face,) = [t for t in of_kind(found, "cut") if t.name == "wall"]
    assert np.allclose(surface(face).vertices[:, 0], 14.0, atol=0.01)
    walls = [surface(t) for t in of_kind(found, "terrain") if t.name == "wall"]
    assert walls[0].vertices[:, 0].max() <= 14.0 + 1e-6
    heights = set(np.round(surface(face).edges[:, :, 2], 3).ravel().tolist())
    assert heights == {0.0, 1.5, 2.7, 4.0, 5.2, 6.0}


def test_an_elevation_leaves_out_what_its_lines_do_not_meet(wall_scene: Scene, wall_report: Report) -> None:
    found = things(wall_scene, wall_report, Figure("side", view="side", lines=(("A/1", "B"),)))
    assert {t.name for t in of_kind(found, "body")} == {"A/1", "B/1"}


@pytest.mark.parametrize(
    ("figure", "key"),
    [
        (Figure("f", lines=(("A", "Z"),)), "lines"),
        (Figure("f", ranges=(("nobody", 3.0),)), "ranges"),
        (Figure("f", show=("opnings",)), "show"),
    ],
)
def test_a_wrong_name_is_refused_and_says_where(
    wall_scene: Scene, wall_report: Report, figure: Figure, key: str
) -> None:
    with pytest.raises(SceneError) as caught:
        draw_list(wall_scene, wall_report, figure)
    assert key in caught.value.key


def test_the_same_input_gives_the_same_list(wall_scene: Scene, wall_report: Report) -> None:
    one, two = things(wall_scene, wall_report), things(wall_scene, wall_report)
    assert [(t.kind, t.name, t.words) for t in one] == [(t.kind, t.name, t.words) for t in two]
    for left, right in zip(one, two, strict=True):
        if isinstance(left.shape, Surface) and isinstance(right.shape, Surface):
            assert np.array_equal(left.shape.vertices, right.shape.vertices)


def test_drawing_leaves_the_scene_as_it_is(wall_scene: Scene, wall_report: Report) -> None:
    before = wall_scene.features[0].piece.mesh.vertices.copy()
    things(wall_scene, wall_report)
    assert np.array_equal(before, wall_scene.features[0].piece.mesh.vertices)


def test_who_has_plunging_fire_is_told_with_what_comes_of_it():
    scene = read_scene(example("plunging-fire"))
    report = find(scene.ruleset).judge(scene)
    said = tags(report, report.models, ["cover"])
    assert "plunging fire, BS" in said["A/1"]
    assert "plunging" not in said.get("C/1", "")
    assert "plunging" not in tags(report, [], ["cover"]).get("A/1", "")
    assert "plunging" not in tags(report, report.models).get("A/1", "")
