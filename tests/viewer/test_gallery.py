"""`deadground gallery` and its contact sheets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from deadground.viewer.cli import run
from deadground.viewer.colour_vision import EYES, seen_by, seen_colour
from deadground.viewer.contact import Tile, size_of, write_sheets
from deadground.viewer.theme import BLOCKED, CLEAR

SHEETS = ["contact-sheet", *(f"contact-sheet-{eye}" for eye in EYES), "contact-sheet-400"]


def luminance(colour: str) -> float:
    red, green, blue = (int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in (red, green, blue)]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


def test_vectors_are_drawn_with_sheets_of_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run(["gallery", "sct-engagement", "-o", str(tmp_path), "--format", "svg"]) == 0
    names = [Path(line).name for line in capsys.readouterr().out.splitlines()]
    assert names == ["sct-engagement.svg", *(f"{name}.svg" for name in SHEETS)]
    sheet = (tmp_path / "contact-sheet-deutan.svg").read_text(encoding="utf-8")
    assert 'filter="url(#deutan)"' in sheet
    assert 'href="data:image/svg+xml;base64,' in sheet
    assert ">sct-engagement</text>" in sheet


@pytest.mark.parametrize("arguments", [["nonsense"], ["demo", "--format", "gif"], ["demo", "--size", "9x9"]])
def test_what_cannot_be_drawn_is_refused_in_one_line(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    assert run(["gallery", *arguments, "-o", str(tmp_path / "new")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "new").exists()


def tiles(folder: Path) -> list[Tile]:
    found = []
    for number, (width, height) in enumerate([(320, 200), (320, 200), (200, 400)]):
        file = folder / f"{number}.png"
        Image.new("RGB", (width, height), (CLEAR.colour, BLOCKED.colour, "#808080")[number]).save(file)
        found.append(Tile("one" if number < 2 else "two", str(number), file, size_of(file)))
    return found


def test_a_sheet_holds_every_figure_once_and_none_over_another(tmp_path: Path):
    paths = list(write_sheets(tiles(tmp_path), tmp_path))
    assert [path.name for path in paths] == [f"{name}.png" for name in SHEETS]
    pixels = np.asarray(Image.open(tmp_path / "contact-sheet.png").convert("RGB")).reshape(-1, 3)
    for colour, area in ((CLEAR.colour, 640 * 400), (BLOCKED.colour, 640 * 400), ("#808080", 640 * 1280)):
        wanted = [int(colour[k : k + 2], 16) for k in (1, 3, 5)]
        assert abs(int((pixels == wanted).all(axis=1).sum()) - area) <= 0.01 * area


def test_grey_is_luminance_and_greys_stay_grey_to_every_eye():
    grey = seen_by("grey", Image.new("RGB", (1, 1), "#0072b2"))
    assert len(set(np.asarray(grey).ravel().tolist())) == 1
    assert abs(luminance(seen_colour("grey", "#0072b2")) - luminance("#0072b2")) < 0.01
    for eye in EYES:
        assert seen_colour(eye, "#808080") in {"#808080", "#7f7f7f", "#818181"}


@pytest.mark.parametrize("eye", ["deutan", "protan"])
def test_red_and_green_look_alike_to_those_without_the_cones_and_the_verdicts_do_not(eye: str):
    def apart(one: str, other: str) -> float:
        first, second = (
            np.asarray(Image.new("RGB", (1, 1), seen_colour(eye, each)), float)[0, 0] for each in (one, other)
        )
        return float(np.linalg.norm(first - second))

    assert apart("#b00000", "#5a6b00") < 60 < apart(CLEAR.colour, BLOCKED.colour)
