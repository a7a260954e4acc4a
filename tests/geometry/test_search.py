"""The search on small worlds of flat walls and bodies, where the answer is known by hand."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
import trimesh

from deadground.geometry.obstacles import Blocker, Layer, World
from deadground.geometry.patches import MANTLE, Patches, facing_patches, point_patch, triangle_patches
from deadground.geometry.plates import Array, Plate
from deadground.geometry.reference import clearance
from deadground.geometry.search import Answer, Question, Searcher
from deadground.geometry.segments import Segments
from deadground.geometry.shapes import Upright
from deadground.geometry.units import WIDTH_SLACK, inches
from deadground.meshes.builder import build
from deadground.meshes.parts import Floor, Hole, Part, Wall
from deadground.meshes.piece import Piece

HALF_WIDTH = inches(1.0, "mm") / 2
RADIUS = 16 / 25.4


def body(x: float, y: float, height: float, foot: float = 0.0) -> Upright:
    return Upright(x, y, RADIUS, RADIUS, 0.0, foot, foot + height)


LOW = body(30, 14, 1.5), body(30, 26, 1.5)
TALL = body(30, 14, 5.0), body(30, 26, 5.0)


def ruin(*parts: Part, closed: float | None = None) -> Piece:
    """Walls and floors; with `closed` every opening that begins below it is filled up to it."""
    piece = build(parts)
    low = {opening.id: closed for opening in piece.openings if closed is not None and opening.sill < closed}
    return piece.closed(low) if low else piece


def wall(*openings: Hole, height: float = 6.0, start: float = 0.0, end: float = 60.0, thickness: float = 0.25) -> Wall:
    return Wall((start, 20), (end, 20), height, thickness, openings=openings)


def blocker(piece: Piece) -> Blocker:
    faces = np.asarray(piece.mesh.faces, np.int64)
    return Blocker(np.asarray(piece.mesh.triangles), faces, piece.cores)


def world(*pieces: Piece, half_width: float = HALF_WIDTH) -> World:
    return World([Layer([blocker(piece) for piece in pieces])], half_width)


def ask(world: World, one: Upright, two: Upright, budget: int = 100_000) -> Answer:
    """The answer, asked both ways round, with its line checked against every triangle."""
    here, there = facing_patches(one, two, one.foot), facing_patches(two, one, two.foot)
    ignored = np.zeros(world.owners, bool)
    answer, back = Searcher(world, budget).answer([Question(here, there, ignored), Question(there, here, ignored)])
    assert (answer.line is None) is (back.line is None)
    for found in (answer, back):
        if found.line is not None:
            assert keeps_width(world, found.line)
            assert found.certainty == "witness"
            assert found.resolution == 0.0
    return answer


def keeps_width(world: World, line: Array) -> bool:
    for layer in world.layers:
        start, end = (np.broadcast_to(p, (len(layer.triangles), 3)) for p in line)
        if clearance(start, end, layer.triangles).distance.min(initial=np.inf) < world.half_width - WIDTH_SLACK:
            return False
    return True


def is_hidden(answer: Answer) -> bool:
    assert (answer.line is None) is (answer.certainty == "proof")
    return answer.line is None


def slit(mm: float) -> Hole:
    return Hole(30.37, mm / 25.4, 3.6, 4.6)


def test_a_closed_window_is_proved_in_few_steps():
    answer = ask(world(ruin(wall(Hole(30, 1, 0.6, 1.4)), closed=3.0)), *LOW)
    assert is_hidden(answer)
    assert answer.cells < 5000


def test_an_open_window_shows():
    assert not is_hidden(ask(world(ruin(wall(Hole(30, 1, 0.6, 1.4)))), *LOW))


def test_an_upper_window_shows_tall_bodies_and_not_low_ones():
    piece = ruin(wall(Hole(30, 1, 3.5, 5)))
    assert is_hidden(ask(world(piece), *LOW))
    assert not is_hidden(ask(world(piece), *TALL))


@pytest.mark.parametrize(("mm", "hidden"), [(0.8, True), (0.95, True), (1.05, False), (1.3, False)])
@pytest.mark.parametrize("thickness", [0.05, 0.25])
def test_a_slit_shows_if_it_is_wider_than_a_line(mm, hidden, thickness):
    assert is_hidden(ask(world(ruin(wall(slit(mm), thickness=thickness))), *TALL)) is hidden


@pytest.mark.parametrize(("mm", "hidden"), [(0.9, True), (1.2, False)])
def test_a_slit_in_a_thick_wall_is_a_tunnel(mm, hidden):
    assert is_hidden(ask(world(ruin(wall(slit(mm), thickness=2.0))), *TALL)) is hidden


def test_two_slits_in_a_row_show_only_if_a_line_passes_both():
    near = Wall((0, 20), (60, 20), 6, 0.1, openings=(Hole(30, 0.06, 3.6, 4.6),))
    in_line = Wall((0, 22), (60, 22), 6, 0.1, openings=(Hole(30.1, 0.06, 3.6, 4.6),))
    aside = Wall((0, 22), (60, 22), 6, 0.1, openings=(Hole(31, 0.06, 3.6, 4.6),))
    assert not is_hidden(ask(world(ruin(near), ruin(in_line)), *TALL))
    assert is_hidden(ask(world(ruin(near), ruin(aside)), *TALL))


def test_the_corner_of_two_walls_leaves_no_seam():
    piece = ruin(Wall((30, 20), (40, 20), 6, 0.25), Wall((30, 20), (30, 10), 6, 0.25))
    assert is_hidden(ask(world(piece), body(32.5, 12, 1.5), body(27, 23, 1.5)))


def test_two_pieces_that_touch_leave_no_seam():
    left, right = ruin(wall(end=30.1)), ruin(wall(start=30.1))
    assert is_hidden(ask(world(left, right), *LOW))


@pytest.mark.parametrize(("height", "hidden"), [(1.55, True), (1.5, True), (1.45, False)])
def test_a_wall_hides_if_it_is_as_high_as_both(height, hidden):
    assert is_hidden(ask(world(ruin(wall(height=height))), *LOW)) is hidden


@pytest.mark.parametrize(("end", "hidden"), [(30.70, True), (30.64, True), (30.55, False)])
def test_a_wall_hides_if_it_reaches_past_both(end, hidden):
    assert is_hidden(ask(world(ruin(wall(end=end))), *LOW)) is hidden


def test_a_floor_behind_an_upper_window_hides_what_is_below_it():
    floor = Floor(((20, 20), (40, 20), (40, 30), (20, 30)), 3.0, 0.2)
    piece = ruin(wall(Hole(30, 2, 3.5, 5)), floor)
    assert is_hidden(ask(world(piece), body(30, 10, 6.0), LOW[1]))
    assert not is_hidden(ask(world(piece), body(30, 10, 6.0), body(30, 26, 1.5, foot=3.0)))


def test_a_body_that_reaches_through_a_wall_is_seen_from_both_sides():
    for other in LOW:
        assert not is_hidden(ask(world(ruin(wall())), body(30, 20, 1.5), other))


def test_a_body_that_touches_a_wall_does_not_see_through_it():
    assert is_hidden(ask(world(ruin(wall())), body(30, 19.875 - RADIUS, 1.5), LOW[1]))


def test_without_a_width_a_line_passes_a_slit_of_a_tenth_of_a_millimetre():
    piece = ruin(wall(slit(0.2), thickness=0.05))
    assert not is_hidden(ask(world(piece, half_width=0.0), *TALL))
    assert is_hidden(ask(world(ruin(wall()), half_width=0.0), *TALL))


def test_bodies_at_one_place_see_each_other():
    assert not is_hidden(ask(world(ruin(wall())), body(30, 14, 1.5), body(30, 14, 2.5)))


def test_what_does_not_count_is_looked_through():
    both = world(ruin(wall()), ruin(Wall((0, 22), (60, 22), 6, 0.25)))
    here, there = facing_patches(*LOW, 0.0), facing_patches(*LOW[::-1], 0.0)
    expected = {(False, False): True, (True, False): True, (False, True): True, (True, True): False}
    for ignored, hidden in expected.items():
        (answer,) = Searcher(both).answer([Question(here, there, np.array(ignored))])
        assert is_hidden(answer) is hidden


def test_a_spent_budget_is_said_with_the_slit_that_could_be_missed():
    answer = ask(world(ruin(wall(slit(1.001), thickness=0.5))), *TALL, budget=300)
    assert answer.line is None
    assert answer.certainty == "sampled"
    assert 2 * HALF_WIDTH < answer.resolution < 6
    assert answer.cells >= 300


def mantle(middle: float, half: float) -> Patches:
    """A stretch of the mantle of a body ten inches to the right of the origin. Degrees."""
    shape = np.array([[np.radians(middle), np.radians(half), 0.5, 0.1, 0, 0, 0, 0, 0]])
    return Patches(np.array([MANTLE]), shape, np.array([[10.0, 0, 1, 1, 0]]))


@pytest.mark.parametrize(("middle", "half", "certainty"), [(180, 20, "witness"), (80, 30, "witness"), (0, 60, "proof")])
def test_a_part_is_reached_from_its_front_and_never_through_its_own_body(middle, half, certainty):
    target = mantle(middle, half)
    asked = Question(point_patch(np.array([0.0, 0, 0.5])), target, np.zeros(0, bool), front=True)
    (answer,) = Searcher(World([], HALF_WIDTH), 2000).answer([asked])
    assert answer.certainty == certainty
    assert answer.cells < 100
    if answer.line is not None:
        outward = answer.line[1] - [10, 0, answer.line[1][2]]
        assert (answer.line[1] - answer.line[0]) @ outward < 0


def test_an_answer_does_not_hang_on_what_else_is_asked():
    scene = world(ruin(wall(slit(1.3), Hole(20, 1, 1, 2))))
    pairs = [LOW, TALL, (body(20, 14, 1.5), body(20, 26, 1.5)), (body(20, 14, 1.5), TALL[1])]
    nobody = np.zeros(scene.owners, bool)
    questions = [Question(facing_patches(a, b, 0.0), facing_patches(b, a, 0.0), nobody) for a, b in pairs]
    together = Searcher(scene).answer(questions)
    for question, answer in zip(questions, together, strict=True):
        (alone,) = Searcher(scene).answer([question])
        assert (alone.line is None, alone.certainty) == (answer.line is None, answer.certainty)


def test_lines_that_somebody_aims_are_tried_first():
    scene = world(ruin(wall(slit(1.3))))
    here, there = facing_patches(*TALL, 0.0), facing_patches(*TALL[::-1], 0.0)
    aim = Segments(np.array([[30.37, 14 + 0.5, 4.1]]), np.array([[30.37, 26 - 0.5, 4.1]]))
    (answer,) = Searcher(scene).answer([Question(here, there, np.zeros(1, bool), aim)])
    assert answer.line is not None
    assert np.allclose(answer.line, [aim.start[0], aim.end[0]])


def test_progress_is_told():
    scene = world(ruin(wall()))
    question = Question(facing_patches(*LOW, 0.0), facing_patches(*LOW[::-1], 0.0), np.zeros(1, bool))
    told: list[int] = []
    Searcher(scene).answer([question] * 3, told.append)
    assert told[-1] == 3


@pytest.mark.parametrize(("height", "hidden"), [(6.0, True), (2.2, False)])
def test_bodies_that_are_meshes(height, hidden):
    ball = trimesh.creation.icosphere(1, 1.2)
    one, two = (triangle_patches(np.asarray(ball.triangles) + place) for place in ([30, 14, 1.2], [30, 26, 1.2]))
    scene = world(ruin(wall(height=height)))
    (answer,) = Searcher(scene).answer([Question(one, two, np.zeros(1, bool))])
    assert is_hidden(answer) is hidden
    if answer.line is not None:
        assert keeps_width(scene, answer.line)


def test_an_area_has_no_width():
    outline = shapely.box(20, 19, 29.5, 21)
    edges = [Plate(np.array([29.5, 19, 0]), np.array([0, 1.0, 0]), np.array([0, 0, 1.0]), shapely.box(0, -9, 2, 9))]
    mesh = trimesh.creation.extrude_polygon(outline, 12)
    mesh.apply_translation([0, 0, -3])
    area = Blocker(np.asarray(mesh.triangles), np.asarray(mesh.faces, np.int64), tuple(edges))
    scene = World([Layer([area], wide=False)], HALF_WIDTH)
    assert not is_hidden(ask_thin(scene, body(28.88, 14, 1.5), body(28.88, 26, 1.5)))
    assert is_hidden(ask_thin(scene, body(28.86, 14, 1.5), body(28.86, 26, 1.5)))


def ask_thin(scene: World, one: Upright, two: Upright) -> Answer:
    here, there = facing_patches(one, two, one.foot), facing_patches(two, one, two.foot)
    (answer,) = Searcher(scene).answer([Question(here, there, np.zeros(scene.owners, bool))])
    return answer
