"""What a machine can do, and what is said where it cannot."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from deadground.geometry.errors import DrawingError
from deadground.viewer import demo, doctor, opengl
from deadground.viewer.cli import run
from deadground.viewer.opengl import Probe

BLIND = Probe(works=False, problem="VTK crashed on the test picture (signal 11): OpenGL is missing")


@pytest.fixture
def no_opengl(monkeypatch):
    monkeypatch.setattr(opengl, "_asked", lambda: BLIND)
    monkeypatch.setattr(sys, "platform", "linux")


@pytest.mark.usefixtures("no_opengl")
def test_casting_is_tried():
    finding = doctor.examine()["casting"]
    assert finding.works
    assert finding.detail == "gives the right answer"


@pytest.mark.usefixtures("no_opengl")
def test_without_opengl_it_says_what_to_install(capsys):
    assert run(["doctor"]) == 0
    out = capsys.readouterr().out
    assert "NO  3D pictures" in out
    assert "apt-get install libegl1 libgl1-mesa-dri" in out
    assert "dnf install" in out
    assert "yes Plans and elevations (.svg)" in out


@pytest.mark.usefixtures("no_opengl")
def test_json_says_the_same(capsys):
    assert run(["doctor", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["pictures"]["works"] is False
    assert "Debian, Ubuntu" in said["pictures"]["install"]
    assert said["casting"]["works"] is True
    assert said["packages"]["embreex"]


@pytest.mark.usefixtures("no_opengl")
def test_drawing_without_opengl_is_refused_with_a_sentence():
    with pytest.raises(DrawingError, match="libegl1 libgl1-mesa-dri"):
        opengl.require()


@pytest.mark.usefixtures("no_opengl")
@pytest.mark.parametrize(("platform", "words"), [("win32", "graphics card's driver"), ("darwin", "nothing to install")])
def test_other_systems_are_not_told_to_install_packages_of_linux(platform, words, monkeypatch, capsys):
    monkeypatch.setattr(sys, "platform", platform)
    with pytest.raises(DrawingError, match=words):
        opengl.require()
    assert run(["doctor"]) == 0
    assert demo._wanted() == [".svg"]
    out, err = capsys.readouterr()
    assert words in out
    assert words in err
    for foreign in ("apt", "dnf", "Debian", "libegl"):
        assert foreign not in out + err


@pytest.mark.parametrize(
    ("code", "said", "works", "problem"),
    [
        (0, "a warning\nDREW vtkEGLRenderWindow | llvmpipe\n", True, ""),
        (-11, "", False, "VTK crashed on the test picture (signal 11): OpenGL is missing"),
        (0, "BLANK vtkEGLRenderWindow |\n", False, "the test picture came out blank"),
        (1, "", False, "the test picture failed (exit code 1: ImportError: DLL load failed)"),
        (0xC0000005, "", False, "VTK crashed on the test picture (code 0xc0000005): OpenGL is missing"),
    ],
    ids=["works", "crash", "blank", "error", "crash on Windows"],
)
def test_the_probe_reads_what_its_child_did(code, said, works, problem, monkeypatch):
    done = SimpleNamespace(returncode=code, stdout=said, stderr="Traceback:\nImportError: DLL load failed\n")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: done)
    found = opengl._asked.__wrapped__()
    assert (found.works, found.problem) == (works, problem)
    assert found.renderer == ("llvmpipe" if works else "")


def test_a_probe_that_hangs_is_a_no(monkeypatch):
    def hang(*_: object, **__: object) -> None:
        raise subprocess.TimeoutExpired("python", 1)

    monkeypatch.setattr(subprocess, "run", hang)
    assert not opengl._asked.__wrapped__().works


@pytest.mark.usefixtures("no_opengl")
def test_demo_without_opengl_writes_drawings_and_says_what_is_missing(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    own = tmp_path / "deadground-demo" / "demo.toml"
    own.parent.mkdir()
    own.write_text("changed by its owner", encoding="utf-8")
    assert run(["demo"]) == 0
    out, err = capsys.readouterr()
    assert {path.suffix for path in Path("deadground-demo").iterdir()} == {".svg", ".toml"}
    assert "Written:" in out
    assert "sees" in out
    assert "apt-get install libegl1 libgl1-mesa-dri" in err
    assert own.read_text(encoding="utf-8") == "changed by its owner"


@pytest.mark.usefixtures("no_opengl")
def test_demo_says_where_it_cannot_write(tmp_path, capsys):
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert run(["demo", "-o", str(tmp_path / "file" / "in")]) == 2
    assert "expected a folder" in capsys.readouterr().err
