"""The command line: exit codes, one line for what is wrong, nothing but the answer on stdout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import jsonschema
import pytest

from deadground.geometry.errors import DrawingError
from deadground.scenes.document import read_scene
from deadground.scenes.rulings import find
from deadground.scenes.scene import Figure
from deadground.viewer import cli, judging, opengl
from deadground.viewer.cli import COMMANDS, PIPE_CLOSED, STOPPED, run
from deadground.viewer.figure import judged
from deadground.viewer.opengl import Probe
from deadground.viewer.report_schema import report_schema

SCENE = """
schema = 1
ruleset = "wh40k-11e"
units = "in"
title = "A window"
[board]
size = [30, 20]
[[area]]
name = "mat"
outline = [[4, 9.5], [14, 9.5], [14, 16], [4, 16]]
[[feature]]
name = "wall"
at = [5, 10]
wh40k = { category = "dense" }
[[feature.wall]]
from = [0, 0]
to = [8, 0]
height = 6
thickness = 0.25
openings = [{ at = 4, width = 1.2, sill = 1, head = 2.5 }]
[[unit]]
name = "A"
side = "red"
base = "32mm"
height = 1.5
at = [[9, 6]]
[[unit]]
name = "B"
side = "blue"
base = "32mm"
height = 1.5
at = [[9, 14], [22, 6]]
[[figure]]
name = "window"
view = "side"
lines = [["A", "B/1"]]
[[figure]]
name = "lowered"
title = "With a lower limit"
view = "side"
lines = [["A", "B/1"]]
with = { wh40k = { solid_height = 0.5, adjacent_gap = 0 } }
"""


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    path = tmp_path / "scene.toml"
    path.write_text(SCENE, encoding="utf-8")
    return path


def test_check_prints_a_table(scene, capsys):
    assert run(["check", str(scene)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.startswith("A window\nRules: Warhammer 40,000, 11th edition (wh40k-11e)\n")
    assert "gap closed by Solid" in out
    assert "wall, opening 1" in out


def test_check_prints_json_and_nothing_else(scene, capsys):
    assert run(["check", str(scene), "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    report = json.loads(out)
    jsonschema.validate(report, report_schema())
    verdicts = {(entry["observer"], entry["target"]): entry["visible"] for entry in report["models"]}
    assert verdicts == {("A/1", "B/1"): False, ("A/1", "B/2"): True, ("B/1", "A/1"): False, ("B/2", "A/1"): True}


def test_the_same_scene_gives_the_same_json(scene, capsys):
    answers = [(run(["check", str(scene), "--json"]), capsys.readouterr().out) for _ in range(2)]
    assert answers[0] == answers[1]


def test_from_and_to_restrict_the_pairs(scene, capsys):
    run(["check", str(scene), "--json", "--from", "A", "--to", "B/2"])
    pairs = [(entry["observer"], entry["target"]) for entry in json.loads(capsys.readouterr().out)["models"]]
    assert pairs == [("A/1", "B/2")]


def test_all_systems_give_one_result_each(scene, capsys):
    assert run(["check", str(scene), "--json", "--ruleset", "all"]) == 0
    out, err = capsys.readouterr()
    answer = json.loads(out)
    jsonschema.validate(answer, report_schema())
    assert [result["ruleset"] for result in answer["results"]] == ["wh40k-11e"]
    assert "a rule system is left out" in err
    assert 'StarCraft TMG needs the Size of "wall"' in err


def test_an_alias_names_a_system(scene, capsys):
    assert run(["check", str(scene), "--json", "--ruleset", "40K"]) == 0
    assert json.loads(capsys.readouterr().out)["ruleset"] == "wh40k-11e"


def test_strict_says_what_it_does_not_accept(scene, capsys):
    scene.write_text(SCENE.replace("[22, 6]", "[29.9, 6]"), encoding="utf-8")
    code = run(["check", str(scene), "--json", "--strict"])
    out, err = capsys.readouterr()
    placement = json.loads(out).get("placement", [])
    assert code == (1 if placement else 0)
    assert ("may not stand" in err) == bool(placement)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("side =", "sidee ="), "sidee"),
        (("height = 6", "height = nan"), "nan"),
        (("height = 6", 'height = "six"'), "number"),
        (('units = "in"\n', ""), "units"),
        (("schema = 1", "schema = ["), "TOML"),
        ((SCENE, ""), "empty"),
        (("height = 1.5\nat = [[9, 6]]", 'mesh = { file = "../m.stl", units = "mm" }\nat = [[9, 6]]'), "m.stl"),
        (("height = 1.5\nat = [[9, 6]]", 'mesh = { file = "gone.stl", units = "mm" }\nat = [[9, 6]]'), "gone.stl"),
    ],
    ids=["unknown key", "nan", "wrong type", "no units", "not TOML", "empty", "outside", "missing mesh"],
)
@pytest.mark.parametrize("command", [["check"], ["figure", "-o", "x.svg"]], ids=["check", "figure"])
def test_bad_scenes_give_one_line_that_names_the_file(change, words, command, scene, capsys, monkeypatch):
    monkeypatch.chdir(scene.parent)
    scene.write_text(SCENE.replace(*change), encoding="utf-8")
    assert run([*command, "scene.toml"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("deadground: scene.toml: ")
    assert err.count("\n") == 1
    assert words in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["check", "gone.toml"], "gone.toml: "),
        (["check", "scene.toml", "--from", "Aa"], "scene.toml: --from: expected a unit or a model of the scene"),
        (["check", "scene.toml", "--to", "B/7"], "did you mean B/2?"),
        (["check", "scene.toml", "--ruleset", "41k"], "did you mean 40k?"),
        (["check", "scene.toml", "--jsn"], "Did you mean --json?"),
        (["check", "scene.toml", "more"], 'Unexpected argument: "more"'),
        (["check"], "SCENE"),
        (["chek", "scene.toml"], 'Did you mean "check"?'),
        (["figure", "scene.toml"], "--output"),
        (["figure", "scene.toml", "-o", "x.bmp"], ".svg"),
        (["figure", "scene.toml", "widow", "-o", "x.svg"], "did you mean window?"),
        (["figure", "scene.toml", "-o", "no/where/x.svg"], "x.svg: cannot be written"),
        (["figure", "scene.toml", "-o", "x.svg", "--ruleset", "all"], "one rule system"),
    ],
    ids=str,
)  # fmt: skip
def test_wrong_arguments_give_one_line_and_exit_2(arguments, words, scene, capsys, monkeypatch):
    monkeypatch.chdir(scene.parent)
    assert run(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("deadground: ")
    assert err.count("\n") == 1
    assert words in err


def test_figure_writes_the_first_figure_to_a_file(scene, tmp_path, capsys):
    path = tmp_path / "out.svg"
    assert run(["figure", str(scene), "-o", str(path)]) == 0
    assert capsys.readouterr().out == f"{path}\n"
    assert "gap closed by Solid" in path.read_text(encoding="utf-8")


def test_figure_writes_all_figures_to_a_folder_each_with_its_own_options(scene, tmp_path):
    assert run(["figure", str(scene), "-o", str(tmp_path / "all")]) == 0
    files = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "all").iterdir()}
    assert sorted(files) == ["lowered.svg", "window.svg"]
    assert "A/1 does not see B/1" in files["window.svg"]
    assert "A/1 sees B/1" in files["lowered.svg"]
    assert "solid_height 0.5 (normally 3)" in files["lowered.svg"]


def test_a_figure_of_one_model_is_judged_with_its_whole_unit(scene):
    table = read_scene(scene)
    _, report = judged(table, find("40k"), Figure("one", lines=(("A/1", "B/1"),)))
    assert [verdict.target for verdict in report.models] == ["B/1", "B/2"]


def test_figure_of_a_scene_without_figures_draws_it_whole(scene, tmp_path, monkeypatch):
    monkeypatch.setattr(opengl, "_asked", lambda: Probe(works=False, problem="no OpenGL"))
    scene.write_text(SCENE.partition("[[figure]]")[0], encoding="utf-8")
    assert run(["figure", str(scene), "-o", str(tmp_path / "out.svg")]) == 0
    text = (tmp_path / "out.svg").read_text(encoding="utf-8")
    assert "A/1 does not see B/1" in text
    assert "A/1 sees B/2" in text


def test_schemas_are_json_schemas(capsys):
    for arguments in (["schema"], ["schema", "--report"]):
        assert run(arguments) == 0
        jsonschema.Draft202012Validator.check_schema(json.loads(capsys.readouterr().out))


def test_no_arguments_and_help_list_the_commands(capsys):
    for arguments in ([], ["--help"], ["-h"]):
        assert run(arguments) == 0
        assert "demo" in capsys.readouterr().out


@pytest.mark.parametrize("command", sorted(name for name in cli.application() if not name.startswith("-")))
def test_every_command_has_help(command, capsys):
    assert command in {name for name, _, _ in COMMANDS}
    assert run([command, "--help"]) == 0
    assert capsys.readouterr().out.startswith(f"Usage: deadground {command}")


def test_the_help_of_check_explains_how_sure_a_verdict_is(capsys):
    run(["check", "--help"])
    out = " ".join(capsys.readouterr().out.split())
    assert '"proved" means that no line exists' in out
    assert "margin" in out


def test_version(capsys):
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.strip() == version("deadground")


@pytest.mark.parametrize(
    ("problem", "code", "words"),
    [
        (KeyboardInterrupt(), STOPPED, ""),
        (DrawingError("no OpenGL, install libegl1"), 2, "deadground: no OpenGL, install libegl1\n"),
        (ZeroDivisionError("oops"), 3, "a fault of the program"),
    ],
    ids=["Ctrl-C", "no OpenGL", "a fault"],
)
def test_what_happens_in_a_command_becomes_an_exit_code(problem, code, words, monkeypatch, capsys):
    def fail(_: list[str]) -> None:
        raise problem

    monkeypatch.setattr(cli, "application", lambda _: fail)
    assert run(["check"]) == code
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["check"], "SCENE is missing: a scene file (TOML). See: deadground check --help"),
        (["figure", "SCENE"], "--output is missing: a file"),
        (["figure", "SCENE", "-o"], "-o requires an argument"),
        (["figure", "SCENE", "--outptu", "x.svg"], "Did you mean --output?"),
        (["figure", "SCENE", "-o", "no/such/x.svg"], "no/such/x.svg: cannot be written (there is no folder"),
        (["reach", "SCENE", "A/1"], "--limit is missing: how far it may move"),
        (["populate", "SCENE", "-o", "x.toml"], "--side is missing"),
        (["inspect", "nowhere"], "nowhere: cannot be read: there is no such file or folder"),
        (["inspect", "SCENE"], "(for a scene: deadground check)"),
        (["import", "none.json", "a"], "none.json: cannot be read"),
        (["bases", "Someone"], "expected a list of bases in this folder, or --list FILE"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_what_is_forgotten_or_mistyped_is_named_in_one_line(typed, said, scene, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run([str(scene) if word == "SCENE" else word for word in typed]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err.replace("\\", "/")
    assert err.count("\n") == 1


def test_a_problem_of_many_lines_is_said_in_one(monkeypatch, capsys):
    def fail(_: list[str]) -> None:
        raise DrawingError("one\ntwo\r\n three")

    monkeypatch.setattr(cli, "application", lambda _: fail)
    assert run([]) == 2
    assert capsys.readouterr().err == "deadground: one two three\n"


def command(*arguments: str, **more: str) -> subprocess.Popen[str]:
    """The installed command as a process."""
    code = "from deadground.viewer.cli import main; main()"
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, **more}, encoding="utf-8",
    )  # fmt: skip


@pytest.mark.skipif(sys.platform == "win32", reason="pipes close differently there")
def test_a_reader_that_goes_away_is_no_error():
    with command("schema") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait() == PIPE_CLOSED


def test_progress_says_nothing_where_nobody_looks(capsys):
    with judging.progress("judging") as told:
        told(1, 10)
        told(10, 10)
    assert capsys.readouterr() == ("", "")
