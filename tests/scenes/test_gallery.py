"""The built-in scenes can be found and read, and their figures name what is there."""

from __future__ import annotations

import pytest

from deadground.geometry.errors import SceneError
from deadground.scenes.document import read_scene
from deadground.scenes.gallery import example, example_names


@pytest.mark.parametrize("name", example_names())
def test_every_built_in_scene_can_be_read_and_has_figures(name):
    scene = read_scene(example(name))
    assert scene.warnings == ()
    assert scene.title
    assert len(scene.figures) >= 1
    assert len({model.side for model in scene.models}) in (1, 2)


def test_the_demo_is_among_the_built_in_scenes():
    assert "demo" in example_names()
    assert list(example_names()) == sorted(example_names())


def test_an_unknown_built_in_scene_names_the_nearest():
    with pytest.raises(SceneError, match="did you mean 'windows'"):
        example("window")


def test_figures_of_all_built_in_scenes_have_different_names():
    names = [figure.name for name in example_names() for figure in read_scene(example(name)).figures]
    assert len(names) == len(set(names))
