"""Where names go."""

from __future__ import annotations

from itertools import combinations

import shapely
from hypothesis import given
from hypothesis import strategies as st

from deadground.viewer.labels import Box, Wanted, place
from deadground.viewer.lettering import clipped, text_width, wrapped

PAGE = Box(0, 0, 600, 400)
PLACES = st.tuples(st.floats(0, 560), st.floats(0, 360), st.floats(1, 80), st.floats(1, 60))
WORDS = st.text(alphabet="abc XYZ/123″", min_size=1, max_size=14)


def wanted(words: str, at: tuple[float, float, float, float], *, inside: bool) -> Wanted:
    x, y, width, height = at
    return Wanted(words, Box(x, y, x + width, y + height), inside=inside)


@given(st.lists(st.tuples(WORDS, PLACES, st.booleans()), max_size=25), st.lists(PLACES, max_size=5))
def test_names_never_overlap_and_never_leave_the_page(names, taken):
    used = [Box(x, y, x + width, y + height) for x, y, width, height in taken]
    placed = place([wanted(words, at, inside=inside) for words, at, inside in names], PAGE, [], used)
    boxes = [each.box for each in placed]
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
    assert not any(box.overlaps(other) for box in boxes for other in used)
    assert all(0 <= box.left <= box.right <= 600 and 0 <= box.top <= box.bottom <= 400 for box in boxes)


def test_a_name_that_fits_goes_inside_its_thing():
    (found,) = place([wanted("A/1", (100, 100, 80, 40), inside=True)], PAGE, [])
    assert found.box.middle == (140, 120)
    assert found.leader is None


def test_a_name_goes_beside_a_thing_that_is_too_small():
    (found,) = place([wanted("a long name", (100, 100, 20, 20), inside=True)], PAGE, [])
    assert not found.box.overlaps(Box(100, 100, 120, 120))


def test_a_name_avoids_what_it_would_cover():
    line = shapely.LineString([(100, 110), (600, 110)]).buffer(3)
    (found,) = place([wanted("name", (90, 100, 20, 20), inside=False)], PAGE, [line])
    assert not found.box.shape.intersects(line)


def test_a_name_far_from_its_thing_is_tied_to_it():
    crowd = [Box(60, 60, 160, 160)]
    (found,) = place([wanted("name", (100, 100, 20, 20), inside=False)], PAGE, [], crowd)
    assert found.leader is not None


def test_where_there_is_no_room_a_name_is_left_out():
    assert place([wanted("name", (0, 0, 20, 20), inside=False)], Box(0, 0, 20, 20), []) == []


@given(st.text(max_size=60), st.floats(30, 300))
def test_wrapped_lines_fit(words, room):
    lines = wrapped(words, room)
    assert all(text_width(line) <= room for line in lines)
    assert "…" in "".join(lines) + words or "".join(lines).replace(" ", "") == "".join(words.split())


def test_a_text_that_fits_is_not_clipped():
    assert clipped("chapel", 100) == "chapel"
    assert clipped("chapel", 30).endswith("…")
