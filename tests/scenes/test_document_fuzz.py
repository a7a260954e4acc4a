"""Whatever is done to a scene file, it is read or refused in one line."""

from __future__ import annotations

import copy
import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deadground.geometry.errors import SceneError
from deadground.scenes.document import read_document, read_scene, scene_from, scene_text
from deadground.scenes.format import SceneTable
from deadground.scenes.gallery import example, example_names

TEXTS = [example(name).read_bytes() for name in example_names()]
DOCUMENTS = [read_document(example(name)) for name in example_names()]

numbers = st.one_of(
    st.integers(-3, 12),
    st.floats(-30, 30),
    st.sampled_from([0, -0.0, 1e-9, 1e-300, 1e308, 10**30, float("inf"), float("nan")]),
)
words = st.one_of(
    st.text(max_size=8), st.sampled_from(["A", "A/1", "32mm", "dense", "in", "mm", "../x.stl", "\0", "é\u2028"])
)
keys = st.sampled_from(
    sorted({name.rstrip("_") for name in SceneTable.model_fields} | {"at", "to", "from", "openings"})
)
values = st.recursive(
    st.one_of(numbers, words, st.booleans()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words | keys, inner, max_size=3),
    max_leaves=8,
)


def places(node: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inside = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    return [path, *(found for key, value in inside for found in places(value, (*path, key)))]


@st.composite
def damaged(draw: st.DrawFn) -> dict[str, Any]:
    """A built-in scene with one to three values replaced, removed, doubled, or put under another key."""
    document: dict[str, Any] = copy.deepcopy(draw(st.sampled_from(DOCUMENTS)))
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(places(document)[1:] or [()]))
        if path:
            damage(document, path, draw)
    return document


def damage(document: Any, path: tuple[Any, ...], draw: st.DrawFn) -> None:
    *way, last = path
    for key in way:
        document = document[key]
    how = draw(st.sampled_from(["replace", "scale", "remove", "double", "rename"]))
    if how == "remove":
        del document[last]
    elif how == "double" and isinstance(document, list):
        document.append(copy.deepcopy(document[last]))
    elif how == "rename" and isinstance(document, dict):
        document[draw(words | keys)] = document.pop(last)
    elif how == "scale" and type(document[last]) in (int, float):
        document[last] = document[last] * draw(st.sampled_from([-1, 0, 0.001, 1.001, 25.4, 1e6]))
    else:
        document[last] = draw(values)


def is_one_clear_line(error: SceneError, source: str = "scene") -> None:
    line = str(error)
    assert line.isprintable()
    assert line.startswith(f"{source}: ")
    assert 15 < len(line) < 1000
    assert "another value" not in line


@settings(max_examples=250)
@given(damaged())
def test_a_damaged_document_is_read_or_refused_in_one_line(document):
    try:
        scene_from(document)
    except SceneError as error:
        is_one_clear_line(error)


@settings(max_examples=100)
@given(values)
def test_any_value_at_the_top_is_refused_in_one_line(value):
    document = value if isinstance(value, dict) else {"unit": value, "feature": value}
    with pytest.raises(SceneError) as refused:
        scene_from(document)
    is_one_clear_line(refused.value)


@settings(max_examples=150)
@given(st.data())
def test_a_file_with_damaged_bytes_is_read_or_refused_in_one_line(tmp_path_factory, data):
    text = bytearray(data.draw(st.sampled_from(TEXTS)))
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text) - 1))
        text[start : start + data.draw(st.integers(0, 6))] = data.draw(st.binary(max_size=4))
    path = tmp_path_factory.mktemp("damaged") / "table.toml"
    path.write_bytes(bytes(text))
    try:
        read_scene(path)
    except SceneError as error:
        is_one_clear_line(error, str(path))


said = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
toml_values = st.recursive(
    st.one_of(st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False), said, st.booleans(), st.dates()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(said | keys, inner, max_size=3),
    max_leaves=12,
)


@settings(max_examples=200)
@given(st.dictionaries(said | keys, toml_values, min_size=1, max_size=5))
def test_every_document_survives_a_round_trip(document):
    assert tomllib.loads(scene_text(document)) == document
