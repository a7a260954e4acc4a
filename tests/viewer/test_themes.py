"""Themes: each colour in its role, those of a scene checked; and how figures come to their files."""

from __future__ import annotations

import re
from dataclasses import fields, replace
from io import StringIO

import pytest

from deadground.geometry.errors import InputError, SceneError
from deadground.scenes.figure import Theme
from deadground.scenes.figure_format import ThemeTable
from deadground.scenes.rulings.verdict import Report
from deadground.scenes.scene import Figure, Scene
from deadground.viewer import figure as figures
from deadground.viewer import judging, plan
from deadground.viewer.cli import run
from deadground.viewer.draw import draw_list
from deadground.viewer.figure import writer
from deadground.viewer.palette import CLASSIC, DARK, DEFAULT, PALETTES, Palette, in_palette
from deadground.viewer.recolour import ROLES, colours_of, recoloured
from deadground.viewer.svg import written
from deadground.viewer.themes import apart, contrast, palette_for, theme_warnings
from deadground.viewer.things import Look as ThingLook

FIGURE = Figure("all", "Up to 3\N{DOUBLE PRIME}", view="plan", lines=(("A/1", "B"), ("A/1", "C")), ranges=(("B", 3.0),),
                show=("openings", "solid-height", "areas", "labels", "legend"))  # fmt: skip


def colours(text: str) -> set[str]:
    return set(re.findall("#[0-9a-f]{6}", text.lower()))


def test_every_role_of_a_vector_drawing_has_a_colour_of_its_own() -> None:
    assert len(ROLES) == 19
    assert set(ROLES.values()) <= {field.name for field in fields(Palette)}
    assert colours_of(DEFAULT) == {}


@pytest.mark.parametrize("view", ["plan", "side"])
def test_a_dark_drawing_has_the_same_shapes_and_no_light_paper(
    wall_scene: Scene, wall_report: Report, view: str
) -> None:
    light = plan.tree(wall_scene, wall_report, replace(FIGURE, view=view))
    dark = written(recoloured(light, DARK))
    assert re.sub("#[0-9a-fA-F]{6}", "", dark) == re.sub("#[0-9a-fA-F]{6}", "", written(light))
    lost = {drawn.lower() for drawn, role in ROLES.items() if getattr(DARK, role) != getattr(DEFAULT, role)}
    assert not colours(dark) & lost
    assert {DARK.paper, DARK.ink, DARK.clear, DARK.blocked} <= colours(dark)


def test_colours_of_a_draw_list_are_those_of_the_theme(wall_scene: Scene, wall_report: Report) -> None:
    seen = {t.look.colour for t in draw_list(wall_scene, wall_report, FIGURE, CLASSIC) if t.kind == "ray"}
    assert seen == {CLASSIC.clear, CLASSIC.blocked}
    assert in_palette(ThingLook(DEFAULT.way, casing=DEFAULT.ink), DARK) == ThingLook(DARK.way, casing=DARK.ink)


def own(**colours: str) -> Scene:
    return Scene("t", "wh40k-11e", (10.0, 10.0), themes=(Theme("mine", "classic", colours),))


def test_a_theme_of_the_scene_changes_its_base() -> None:
    found = palette_for(own(clear="#0072b2", blocked="#d55e00"), "mine")
    assert (found.clear, found.blocked, found.ground) == ("#0072b2", "#d55e00", CLASSIC.ground)
    assert palette_for(own(), "") == DEFAULT
    assert palette_for(own(), "dark") == DARK


@pytest.mark.parametrize(
    ("given", "key", "problem"),
    [
        ({"ink": "#cccccc"}, "ink", "at least 4.5 to 1, found 1.6 to 1"),
        ({"paper": "#00796b"}, "ink", "contrast to the paper"),
        ({"blocked": "#1a8a3b"}, "blocked", "told apart, found #1a8a3a and #1a8a3b"),
        ({"clear": "#eaeddf"}, "clear", "seen on the ground, found a contrast of 1.0 to 1"),
    ],
)
def test_a_theme_that_cannot_be_read_is_refused(given: dict[str, str], key: str, problem: str) -> None:
    with pytest.raises(SceneError, match=f"theme mine: {key}") as found:
        palette_for(own(**given), "mine")
    assert problem in str(found.value)


def test_an_unknown_theme_is_refused_with_the_nearest() -> None:
    with pytest.raises(InputError, match=r"--theme: .*did you mean mine"):
        palette_for(own(), "mime")


def test_a_theme_that_some_readers_cannot_tell_apart_is_warned_of() -> None:
    (said,) = theme_warnings(own(clear="#1a8a3a"), "mine")
    assert said == (
        "theme mine: clear and blocked lines look alike to readers without green cones, but for their dash and cross"
    )
    assert not list(theme_warnings(own(clear="#0072b2"), "mine"))
    assert not list(theme_warnings(own(ink="#000000"), "mine"))  # the lines are those of its base


@pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES)
def test_our_own_themes_pass_what_is_asked_of_others(palette: Palette) -> None:
    for key, base in PALETTES.items():
        if base is palette:
            scene = Scene("t", "wh40k-11e", (1.0, 1.0), themes=(Theme("copy", key, {}),))
            assert palette_for(scene, "copy") == palette


def test_contrast_and_difference_are_those_of_the_standards() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
    assert apart("#000000", "#ffffff") == pytest.approx(100.0, abs=0.01)
    assert apart("#ff0000", "#00ff00") == pytest.approx(170.6, abs=0.3)


def test_the_file_knows_the_same_colours_as_the_pictures() -> None:
    known = {name for name in ThemeTable.model_fields if name not in ("name", "base")}
    assert known | {"base"} == {field.name for field in fields(Palette)}


SCENE = """
schema = 1
ruleset = "wh40k-11e"
units = "in"
board = { size = [12, 8] }
unit = [
    { name = "A", side = "red", base = "32mm", height = 1.5, at = [[3, 4]] },
    { name = "B", side = "blue", base = "32mm", height = 1.5, at = [[9, 4]] },
]
theme = [{ name = "club", base = "dark", blocked = "BLOCKED" }]
figure = [
    { name = "one", view = "plan", lines = [["A", "B"]], theme = "club" },
    { name = "two", view = "side", lines = [["A", "B"]] },
]
"""


def test_a_figures_theme_holds_unless_the_command_line_names_one(tmp_path, capsys) -> None:
    path = tmp_path / "scene.toml"
    path.write_text(SCENE.replace("BLOCKED", "#ffcc00"), encoding="utf-8")
    for more, paper in (([], DARK.paper), (["--theme", "classic"], DEFAULT.paper), (["--theme", "club"], DARK.paper)):
        assert run(["figure", str(path), "one", "-o", str(tmp_path / "f.svg"), *more]) == 0
        assert f'height="100%" fill="{paper}"' in (tmp_path / "f.svg").read_text(encoding="utf-8")
    path.write_text(SCENE.replace("BLOCKED", "red"), encoding="utf-8")
    capsys.readouterr()
    assert run(["figure", str(path), "one", "-o", str(tmp_path / "f.svg")]) == 2
    assert "theme[0].blocked" in capsys.readouterr().err


def test_several_figures_show_how_far_they_are_on_stderr_alone(tmp_path, capsys, monkeypatch) -> None:
    class Terminal(StringIO):
        def isatty(self) -> bool:
            return True

    path, shown = tmp_path / "scene.toml", Terminal()
    path.write_text(SCENE.replace("BLOCKED", "#ffcc00"), encoding="utf-8")
    monkeypatch.setattr(judging, "PATIENCE", -1.0)
    monkeypatch.setattr("sys.stderr", shown)
    assert run(["figure", str(path), "-o", str(tmp_path / "out")]) == 0
    assert "drawing figures" in shown.getvalue()
    assert "judging" not in shown.getvalue()
    lines = capsys.readouterr().out.splitlines()
    assert [line.rpartition("/")[2] for line in lines] == ["one.svg", "two.svg"]


def test_figures_that_were_written_are_named_when_a_later_one_fails(tmp_path, capsys, monkeypatch) -> None:
    path = tmp_path / "scene.toml"
    path.write_text(SCENE.replace("BLOCKED", "#ffcc00"), encoding="utf-8")
    known = figures.judged

    def fail(scene, system, asked, told=None):
        if asked.name == "two":
            raise InputError("scene", "two", "expected to fail")
        return known(scene, system, asked, told)

    monkeypatch.setattr(figures, "judged", fail)
    assert run(["figure", str(path), "-o", str(tmp_path / "out")]) == 2
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["one.svg"]
    assert capsys.readouterr().out.strip().endswith("one.svg")


@pytest.mark.parametrize("ending", [".svg", ".glb", pytest.param(".pdf", marks=pytest.mark.slow)])
def test_an_interrupted_write_leaves_no_half_file(
    wall_scene: Scene, wall_report: Report, tmp_path, monkeypatch, ending: str
) -> None:
    out = tmp_path / f"f{ending}"
    out.write_bytes(b"old")

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("deadground.viewer.files.os.fdopen", interrupt)
    with pytest.raises(KeyboardInterrupt):
        writer(ending)(wall_scene, wall_report, FIGURE, out)
    assert out.read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir()] == [out.name]
