"""Which parts of a body are seen, where the share is known by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
import trimesh

from deadground.geometry.obstacles import Blocker, Layer, World
from deadground.geometry.parts import Parts, PartsQuestion, seen_parts
from deadground.geometry.patches import facing_patches, point_patch, underside
from deadground.geometry.search import Searcher
from deadground.geometry.shapes import Upright
from deadground.geometry.units import inches

SMALLEST = inches(2.0, "mm")
HALF_WIDTH = inches(1.0, "mm") / 2
NEAR, FAR = Upright(30, 10, 0.6, 0.6, 0.0, 0.0, 1.5), Upright(30, 30, 0.6, 0.6, 0.0, 0.0, 1.5)


def box(size: tuple[float, float, float], at: tuple[float, float, float]) -> Blocker:
    """A box; `at` is the middle of its underside."""
    mesh = trimesh.creation.box(size)
    mesh.apply_translation([at[0], at[1], at[2] + size[2] / 2])
    return Blocker(np.asarray(mesh.triangles), np.asarray(mesh.faces, np.int64))


def parts(*blockers: Blocker, one: Upright = NEAR, two: Upright = FAR, smallest: float = SMALLEST) -> Parts:
    world = World([Layer(blockers)], HALF_WIDTH)
    here, target = facing_patches(one, two, one.foot), facing_patches(two, one, two.foot)
    views = np.array([[one.x, one.y, one.top], [one.x, one.y, (one.foot + one.top) / 2], [one.x, one.y, one.foot]])
    question = PartsQuestion(here, target.take(~underside(target)), np.zeros(len(blockers), bool), views, smallest)
    return seen_parts(Searcher(world), [question])[0]


def test_with_nothing_between_all_of_it_is_seen():
    found = parts(box((1, 1, 1), (10, 10, 0)))
    assert found.fully
    assert found.certainty == "witness"
    assert found.seen_fraction == pytest.approx(1.0)
    assert len(found.unseen) == 0


def test_behind_a_wall_none_of_it_is():
    found = parts(box((20, 0.25, 5), (30, 20, 0)))
    assert not found.fully
    assert found.certainty == "proof"
    assert found.seen_fraction == pytest.approx(0.0)


def test_a_wall_against_it_hides_the_half_behind_it():
    found = parts(box((4, 0.02, 5), (32, 29.36, 0)))
    assert not found.fully
    assert found.certainty == "proof"
    assert found.seen_fraction == pytest.approx(0.5, abs=0.08)


@pytest.mark.parametrize("height", [0.4, 0.75, 1.1])
def test_a_low_wall_against_it_hides_a_band_as_high(height):
    found = parts(box((6, 0.02, height), (30, 29.36, 0)), one=Upright(30, 10, 0.6, 0.6, 0.0, 0.0, 1.5))
    # the wall touches the front only: what bulges back is seen a little over it from 20 inches away, hardly more
    assert not found.fully
    assert found.seen_fraction == pytest.approx(1 - height / 1.5, abs=0.08)


def test_a_beam_hides_one_band_in_the_middle():
    found = parts(box((6, 0.02, 0.5), (30, 29.36, 0.5)))
    assert not found.fully
    assert found.certainty == "proof"
    assert found.seen_fraction == pytest.approx(2 / 3, abs=0.08)
    heights = found.unseen.corners()[:, :, 2]
    assert heights.min() > 0.4
    assert heights.max() < 1.1


def test_a_pole_far_from_a_wide_observer_hides_nothing():
    wide = Upright(30, 10, 1.2, 1.2, 0.0, 0.0, 1.5)
    assert parts(box((0.2, 0.2, 5), (30, 20, 0)), one=wide).fully


def test_a_pole_seen_from_one_point_hides_a_strip():
    world = World([Layer([box((0.3, 0.3, 5), (30, 20, 0))])], HALF_WIDTH)
    target = facing_patches(FAR, NEAR, 0.0)
    target = target.take(~underside(target))
    point = np.array([30, 10.6, 0.75])
    question = PartsQuestion(point_patch(point), target, np.zeros(1, bool), point[None], SMALLEST)
    (found,) = seen_parts(Searcher(world), [question])
    # the pole's shadow at 20 inches, from 0.34 wide at its place to about 0.66 at the body's
    shadow = 2 * math.asin(0.34 / 1.2) / math.pi
    assert not found.fully
    assert found.seen_fraction == pytest.approx(1 - shadow * 1.0, abs=0.2)


def test_what_is_smaller_than_is_asked_for_does_not_count():
    thin = box((0.04, 0.02, 5), (30, 29.385, 0))
    assert parts(thin, smallest=0.5).fully


def test_its_own_far_side_does_not_count():
    assert parts(box((6, 0.25, 5), (30, 31, 0))).fully


def test_of_a_body_below_the_top_is_asked_for_too():
    above = Upright(30, 10, 0.6, 0.6, 0.0, 6.0, 7.5)
    assert parts(box((1, 1, 1), (10, 10, 0)), one=above).fully
    lid = parts(box((3, 1.2, 0.02), (30, 30.1, 1.505)), one=above)
    assert not lid.fully
    assert 0.3 < lid.seen_fraction < 0.95


def test_answers_to_many_questions_are_those_to_each():
    world = World([Layer([box((4, 0.02, 5), (32, 29.36, 0))])], HALF_WIDTH)
    questions = []
    for x in (30.0, 29.0, 31.5):
        one, two = Upright(x, 10, 0.6, 0.6, 0.0, 0.0, 1.5), Upright(x, 30, 0.6, 0.6, 0.0, 0.0, 1.5)
        target = facing_patches(two, one, 0.0)
        view = np.array([[x, 10.0, 1.0]])
        questions.append(
            PartsQuestion(facing_patches(one, two, 0.0), target.take(~underside(target)), np.zeros(1, bool), view, 0.2)
        )
    searcher = Searcher(world)
    together = seen_parts(searcher, questions)
    for question, answer in zip(questions, together, strict=True):
        (alone,) = seen_parts(searcher, [question])
        assert (alone.fully, alone.certainty) == (answer.fully, answer.certainty)
    assert [answer.fully for answer in together] == [False, True, False]
