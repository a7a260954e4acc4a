"""The page about a piece and about a folder: whole by itself, true to the JSON, and safe whatever a file is called."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely
import trimesh
from lxml import etree

from deadground.geometry.units import MM_PER_INCH
from deadground.meshes.files import export
from deadground.meshes.solid import prism, united
from deadground.viewer import crew, piece_pages, piece_sheet
from deadground.viewer.cli import run
from deadground.viewer.markup import raw, tag
from deadground.viewer.piece_page import ALONE, Allowance
from deadground.viewer.turntable import thinned

X, _, Z = np.eye(3)
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
EVIL = "\"><script>alert(1)<.script><img src=x onerror='alert(2)'>&amp;.stl"


def ruin() -> trimesh.Trimesh:
    """A wall of 6 by 4.5 with a doorway and gaps that Solid closes, leaves open and splits; a floor behind it."""
    shape = shapely.box(0, 0, 6, 4.5)
    for hole in ((0.5, -1, 1.8, 2), (2.3, 1, 3.2, 2), (3.5, 3.4, 4.2, 4), (4.6, 2.5, 5.4, 3.6)):
        shape = shape.difference(shapely.box(*hole))
    front = prism(shape, np.zeros(3), X, Z, -0.25, 0.0)
    return united([front, trimesh.creation.box(bounds=[[0, 0, 2.0], [6, 2, 2.2]]),
                   trimesh.creation.box(bounds=[[0, 1.75, 0], [6, 2, 2.2]])])  # fmt: skip


@pytest.fixture(autouse=True, scope="module")
def _small_pictures() -> Iterator[None]:
    """Small pictures are as true as large ones, and soon drawn."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (piece_pages, piece_sheet):
            name = "ALONE" if module is piece_pages else "SIZES"
            patch.setattr(module, name, Allowance((240.0, 180.0), (360.0, 300.0), 0.6, 2000))
        yield


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a ruin, a crate of the wrong size and a broken file; and their pages."""
    folder = tmp_path_factory.mktemp("pieces")
    export(ruin(), folder / "ruin.stl")
    export(trimesh.creation.box(extents=[35, 1, 1]), folder / "huge.stl")
    (folder / "broken.stl").write_bytes((folder / "ruin.stl").read_bytes()[:700])
    assert run(["inspect", str(folder / "ruin.stl"), "--units", "mm", "--html", str(folder / "one.html")]) == 0
    assert run(["inspect", str(folder), "--units", "mm", "--html", str(folder / "many.html")]) == 2
    return folder


@pytest.fixture(scope="module")
def crate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A piece that is soon looked at."""
    file = tmp_path_factory.mktemp("crate") / "crate.stl"
    export(trimesh.creation.box(extents=[2, 1, 1]), file)
    return file


def tree(text: str) -> Any:
    """The page as XML: it is well-formed but for what its program holds."""
    bare = re.sub(r"(<script[^>]*>).*?(</script>)", r"\1\2", text, flags=re.DOTALL)
    return etree.fromstring(bare.removeprefix("<!DOCTYPE html>\n").encode())


def page(folder: Path, name: str) -> Any:
    return tree((folder / name).read_text(encoding="utf-8"))


def words(element: Any) -> str:
    return " ".join(" ".join(element.itertext()).split())


def tagged(text: str) -> set[str]:
    """What is said of the openings that a picture numbers."""
    return set(re.findall(r"Opening \d+: [a-z, ]+\.", text))


@pytest.mark.parametrize("name", ["one.html", "many.html"])
def test_a_page_is_well_formed_and_refers_to_nothing_outside(made, name):
    text = (made / name).read_text(encoding="utf-8")
    whole = tree(text)
    held = [value for each in whole.iter() for key, value in each.attrib.items() if key in ("src", "href")]
    assert held
    assert [value[:40] for value in held if not value.startswith(("data:image/png;base64,", "#"))] == []
    assert "http" not in text.replace("http-equiv", "")
    assert not re.search(r"url\(|@import|fetch\(|import\(|XMLHttpRequest", text)
    assert whole.find(".//meta[@content]").get("content").startswith("default-src 'none'; img-src data:; ")
    ids = [each.get("id") for each in whole.iter() if each.get("id")]
    assert len(ids) == len(set(ids))


def test_the_first_thing_said_is_whether_it_is_fit_and_what_to_mend(made):
    first = page(made, "one.html").find(".//section[@class='first']")
    assert words(first).startswith("Fit for the table, once you agree The file is sound. Before the game, agree on:")
    assert "Agree on a reading before the game" in words(first)
    assert "--repair" not in words(first)
    assert "5 gaps: 3 closed by Solid, 1 open, 1 straddling the limit" in words(first)
    assert first.find(".//figure//svg") is not None


def test_the_numbers_of_the_page_are_those_of_the_json(made, capsys):
    assert run(["inspect", str(made / "ruin.stl"), "--units", "mm", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    whole = page(made, "one.html")
    gaps = {gap["id"]: gap for gap in facts["openings"]}
    told: dict[int, list[float]] = {}
    for row in whole.findall(".//table[@class='openings']/tbody/tr"):
        values = [float(cell.get("data-value")) for cell in row if cell.get("data-value")]
        shown = [float(re.findall(r"[\d.]+", words(cell))[0]) for cell in row if cell.get("data-value")]
        assert shown == pytest.approx(values, abs=0.0051)
        states = {gaps[int(number)]["state"] for number in row.get("data-ids").split()}
        assert [words(row).split()[-1] if "straddles" not in words(row) else "straddles"] == list(states)
        told |= {int(number): values for number in row.get("data-ids").split()}
    assert told == {
        number: pytest.approx([gap[key] for key in ("sill", "head", "width", "area")], abs=0.002)
        for number, gap in gaps.items()
    }
    (floor,) = facts["floors"]
    (row,) = whole.findall(".//table[@class='floors']/tbody/tr")
    assert float(row[1].get("data-value")) == pytest.approx(floor["height"], abs=0.001)
    assert all(f"{count} of {name.removesuffix('mm')}" in words(row) for name, count in floor["fits"].items())
    doors = [row.get("data-ids") for row in whole.findall(".//table[@class='doorways']/tbody/tr")]
    assert doors == [str(gap["id"]) for gap in facts["openings"] if "passes" in gap]
    codes = [each.get("data-code") for each in whole.iter() if each.get("data-code")]
    assert codes == [finding["code"] for finding in facts["findings"]]
    for finding in facts["findings"]:
        assert finding["message"] in words(whole)
        assert finding.get("remedy", "") in words(whole)


def test_openings_are_numbered_in_the_pictures_that_show_them(made):
    figures = page(made, "one.html").findall(".//div[@class='pictures']/figure")
    labels = {words(each.find("figcaption")): each.find("svg").get("aria-label") for each in figures}
    assert list(labels)[:6] == ["Front", "Right", "Back", "Left", "From above", "Plan of the ground"]
    front = {"Opening 2: closed.", "Opening 3: closed.", "Opening 4: straddles.", "Opening 5: open."}
    hidden = {"Opening 2: closed.", "Opening 3: closed."}  # by the wall behind, from the back
    assert (tagged(labels["Front"]), tagged(labels["Back"])) == (front, front - hidden)
    assert tagged(labels["Plan of the ground"]) == hidden | {"Opening 1: closed."}
    assert "Floor A, 2.20 inches high." in labels["From above"]
    assert "Solid closes gaps up to 3 inches." in labels["Front"]


def test_a_folder_has_a_row_for_each_piece_worst_first_and_says_why_one_could_not_be_read(made):
    whole = page(made, "many.html")
    rows = whole.findall(".//table[@class='many']/tbody/tr")
    named = [words(row.find(".//a")) for row in rows]
    assert set(named[:2]) == {"broken.stl", "huge.stl"}
    assert named[2] == "ruin.stl"
    broken, ruined = rows[named.index("broken.stl")], rows[2]
    assert "could not be read" in words(broken)
    assert "cut short" in words(broken)
    assert ruined.find(".//svg/image") is not None
    targets = {each.get("id") for each in whole.findall(".//details")}
    assert {row.find(".//a").get("href").removeprefix("#") for row in rows} == targets
    assert "2 not fit as they are, 1 to mend or to agree on" in words(whole)


def test_a_name_cannot_bring_markup_into_a_page(crate, tmp_path):
    (tmp_path / EVIL).write_bytes(crate.read_bytes())
    (tmp_path / f"b{EVIL}").write_bytes(b"solid <script>alert(3)</script>")
    for target in (tmp_path / EVIL, tmp_path):
        out = tmp_path / "page.html"
        run(["inspect", str(target), "--units", "mm", "--html", str(out)])
        text = out.read_text(encoding="utf-8")
        assert "<script>alert" not in text
        assert "<img src" not in text
        assert len(tree(text).findall(".//script")) == 2
        assert words(tree(text).find(".//h1")).endswith((EVIL, tmp_path.name))


def test_names_that_are_no_text_are_written_with_the_sign_for_that(crate, tmp_path):
    name = os.fsdecode(b"ru\xffin.stl")
    try:
        (tmp_path / name).write_bytes(crate.read_bytes())
    except OSError:
        pytest.skip("this file system has no such names")
    assert run(["inspect", str(tmp_path / name), "--units", "mm", "--html", str(tmp_path / "p.html"), "--json"]) == 0
    assert words(page(tmp_path, "p.html").find(".//h1")) == "ru\ufffdin.stl"


def test_text_is_escaped_and_markup_of_our_own_is_not():
    assert tag("p", {"title": '"<'}, "a < b & \x00", raw("<b>c</b>"), None) == (
        '<p title="&quot;&lt;">a &lt; b &amp; \ufffd<b>c</b></p>'
    )


@pytest.mark.parametrize(
    ("arguments", "words_said"),
    [
        (["ruin.stl", "--html", "page.txt"], ["--html: expected a file that ends in .html", "page.txt"]),
        (["ruin.stl", "-o", "page.pdf"], ["--output: expected a file that ends in .png or .svg", "page.pdf"]),
        (["ruin.stl", "huge.stl", "-o", "p.png"], ["--output: expected one mesh file"]),
        (["huge.stl", "--html", "nowhere/page.html"], ["nowhere/page.html", "cannot be written"]),
    ],
)  # fmt: skip
def test_what_cannot_be_written_is_one_line_and_exit_2(made, capsys, monkeypatch, arguments, words_said):
    monkeypatch.chdir(made)
    before = sorted(file.name for file in made.iterdir())
    assert run(["inspect", *arguments, "--units", "mm"]) == 2
    out, err = capsys.readouterr()
    assert err.count("\n") == 1
    assert all(said in err for said in words_said)
    assert sorted(file.name for file in made.iterdir()) == before
    assert out == ""


def test_the_page_takes_its_place_whole_and_the_same_each_time(made, tmp_path, monkeypatch):
    page_file = tmp_path / "one.html"
    page_file.write_text("before", encoding="utf-8")
    replaced = []
    true_replace = Path.replace

    def watched(self: Path, target: Path) -> Path:
        replaced.append((self.read_bytes()[-8:], Path(target).read_text(encoding="utf-8")))
        return true_replace(self, target)

    monkeypatch.setattr(Path, "replace", watched)
    assert run(["inspect", str(made / "ruin.stl"), "--units", "mm", "--html", str(page_file)]) == 0
    assert replaced == [(b"</html>\n", "before")]
    assert page_file.read_bytes() == (made / "one.html").read_bytes()
    assert [file.name for file in tmp_path.iterdir()] == ["one.html"]


def test_the_pictures_alone_come_as_svg_and_png(made, crate, tmp_path):
    for ending, file in (("svg", made / "ruin.stl"), ("png", crate)):
        assert run(["inspect", str(file), "--units", "mm", "-o", str(tmp_path / f"p.{ending}")]) == 0
    drawn = etree.parse(str(tmp_path / "p.svg")).getroot()
    assert len(drawn.findall(".//{*}image")) >= 7
    assert "straddles" in etree.tostring(drawn, encoding="unicode")
    assert (tmp_path / "p.png").read_bytes()[:4] == b"\x89PNG"


def test_large_meshes_are_thinned_out_for_the_turntable_and_keep_their_shape():
    ball = trimesh.creation.icosphere(subdivisions=6, radius=2)
    thin = thinned(ball, 3000)
    assert 1000 < len(thin.faces) <= 3000
    assert thin.bounds == pytest.approx(ball.bounds, abs=0.15)
    assert thinned(ball, len(ball.faces)) is ball


def test_the_more_pieces_the_less_each_may_fill(monkeypatch):
    monkeypatch.setattr(piece_pages, "ALONE", ALONE)
    triangles = [count * piece_pages.allowance(count).triangles for count in (1, 2, 50, 500)]
    assert triangles[0] == ALONE.triangles
    assert max(triangles) <= piece_pages.TRIANGLES
    assert piece_pages.allowance(500).small < piece_pages.allowance(50).small < ALONE.small


def test_a_fault_with_one_piece_does_not_lose_the_others(made, crate, capsys, monkeypatch, tmp_path):
    true_look = crew.look_whole

    def faulty(path: Path, asked: Any) -> Any:
        if path.name == "huge.stl":
            raise ZeroDivisionError
        return true_look(path, asked)

    monkeypatch.setattr(crew, "look_whole", faulty)
    files = [str(made / "huge.stl"), str(crate)]
    assert run(["inspect", *files, "--units", "mm", "--html", str(tmp_path / "p.html")]) == 2
    assert "huge.stl: looking at it went wrong (ZeroDivisionError)" in capsys.readouterr().err
    assert "crate.stl" in words(page(tmp_path, "p.html"))


@pytest.mark.slow
def test_many_pieces_are_looked_at_side_by_side_with_the_same_results(made, tmp_path, capsys, monkeypatch):
    for number in range(3):
        (tmp_path / f"{number}.stl").write_bytes((made / ("broken.stl" if number == 2 else "ruin.stl")).read_bytes())
    found = []
    for few in (100, 1):
        monkeypatch.setattr(crew, "FEW", few)
        monkeypatch.setattr(os, "cpu_count", lambda: 2)
        out = tmp_path / f"{few}.html"
        assert run(["inspect", str(tmp_path), "--units", "mm", "--json", "--html", str(out)]) == 2
        found.append((capsys.readouterr().out, out.read_text(encoding="utf-8")))
    assert found[0] == found[1]


MEASURED = """
import resource, sys
from deadground.viewer.cli import run
code = run(["inspect", *sys.argv[1:], "--units", "mm", "--json"])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.slow
def test_a_large_piece_full_of_holes_takes_bounded_memory_and_gives_a_page_of_bounded_size(tmp_path):
    holes = [shapely.box(x, y, x + 0.1, y + 0.1) for x in np.arange(0.1, 4.9, 0.2) for y in np.arange(0.1, 2.7, 0.2)]
    shape = shapely.box(0, 0, 6, 3).difference(shapely.union_all(holes))
    sieve = prism(shape, np.zeros(3), X, Z, -0.1, 0.0)
    ball = trimesh.creation.icosphere(subdivisions=6, radius=1.5).apply_translation([3, 3, 1.5])
    export(trimesh.util.concatenate([sieve, ball]), tmp_path / "sieve.stl")
    command = [sys.executable, "-c", MEASURED, str(tmp_path / "sieve.stl"), "--html", str(tmp_path / "p.html")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stderr.split()[-1]) < 1500  # MiB
    assert (tmp_path / "p.html").stat().st_size < 5_000_000
    gaps = json.loads(done.stdout)["openings"]
    assert len(gaps) > 300
    whole = page(tmp_path, "p.html")
    told = " ".join(row.get("data-ids") for row in whole.findall(".//table[@class='openings']/tbody/tr")).split()
    assert len(told) == len(gaps)
    assert f"{len(gaps) - 300} smaller gaps are not drawn" in words(whole)
    assert "Thinned out to" in words(whole)


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 390])
def test_a_browser_without_a_network_shows_and_turns_the_piece(made, width):
    for shown in browsed(made / "one.html", width):
        figure = shown.locator("figure.turntable")
        assert shown.get_by_role("heading", level=2).first.is_visible()
        assert shown.evaluate("document.documentElement.scrollWidth") <= width
        shown.get_by_role("button", name="Turn it in 3D").click()
        pictures = [pixels(figure)]
        figure.get_by_role("button", name="Back").click()
        pictures.append(pixels(figure))
        figure.locator("canvas").press("ArrowLeft")
        pictures.append(pixels(figure))
        figure.get_by_role("button", name="Zoom in").click()
        pictures.append(pixels(figure))
        assert len(set(pictures)) == 4
        assert all(share > 0.05 for _, share in pictures)


@pytest.mark.slow
def test_a_link_of_a_page_of_many_opens_the_piece(made):
    for shown in browsed(made / "many.html", 1280):
        assert not shown.locator("details[open]").count()
        shown.get_by_role("link", name="ruin.stl").click()
        shown.wait_for_selector("details[open] section.first")
        assert shown.locator("details[open]").count() == 1


def browsed(file: Path, width: int) -> Iterator[Any]:
    """The page in a Chromium without a network; what it asks for or complains of is a failure."""
    if CHROMIUM is None or importlib.util.find_spec("playwright") is None:
        pytest.skip("no Chromium, or no playwright to drive it")
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  (not everywhere installed)

    said: list[str] = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        shown = browser.new_context(viewport={"width": width, "height": 800}, offline=True).new_page()
        shown.on("console", lambda message: said.append(message.text))
        shown.on("pageerror", lambda error: said.append(str(error)))
        shown.on(
            "request", lambda asked: said.append(asked.url) if not asked.url.startswith(("file:", "data:")) else None
        )
        shown.goto(file.as_uri())
        yield shown
        browser.close()
    assert said == []


def pixels(figure: Any) -> tuple[str, float]:
    """What the turntable shows once it was drawn, and the share of it that is not paper."""
    figure.page.wait_for_timeout(150)
    found: list[Any] = figure.locator("canvas").evaluate(
        """canvas => {
            const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
            let inked = 0;
            for (let i = 0; i < data.length; i += 4) if (data[i] + data[i + 1] + data[i + 2] < 740) inked++;
            return [canvas.toDataURL(), inked * 4 / data.length];
        }"""
    )
    return str(found[0]), float(found[1])


def test_the_widths_of_the_page_are_in_inches(made):
    assert f"{6 * MM_PER_INCH:.0f} x" in words(page(made, "one.html"))
