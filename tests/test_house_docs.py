"""What the documentation says is so."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from deadground.scenes.document import read_scene
from deadground.scenes.options import OPTIONS, RULESETS, described
from deadground.viewer.cli import application

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
COMMANDS = {name for name in application() if not name.startswith("-")}


def blocks(page: Path, language: str) -> list[str]:
    """The fenced blocks of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def title(page: Path) -> str:
    """A page's path in the repository."""
    return page.relative_to(ROOT).as_posix()


def test_the_readme_starts_with_the_promise_and_two_commands():
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "# deadground"
    commands = [line for line in lines[:30] if line.startswith(("pip ", "uv "))]
    assert commands == ["pip install uv", "uv run deadground demo", "uv run pytest"]


@pytest.mark.parametrize("page", PAGES, ids=title)
def test_every_command_that_is_named_exists(page):
    named = re.findall(r"^(?:\$ )?(?:uv run )?deadground (\w+)", "\n".join(blocks(page, "console")), re.MULTILINE)
    named += re.findall(r"`(?:uv run )?deadground (\w+)", page.read_text(encoding="utf-8"))
    assert set(named) <= COMMANDS


def test_the_readme_names_every_command():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [command for command in sorted(COMMANDS) if f"`deadground {command}" not in text] == []


@pytest.mark.parametrize("page", PAGES, ids=title)
def test_links_lead_somewhere(page):
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=title)
def test_examples_of_toml_and_json_can_be_read(page):
    for block in blocks(page, "toml"):
        tomllib.loads(block)
    for block in blocks(page, "json"):
        json.loads(block)


@pytest.mark.parametrize("page", PAGES, ids=title)
def test_whole_scenes_in_the_documentation_can_be_loaded(page, tmp_path):
    for block in blocks(page, "toml"):
        if block.startswith("schema"):
            scene = tmp_path / "scene.toml"
            scene.write_text(block, encoding="utf-8")
            assert read_scene(scene).models


def test_the_first_scene_shows_what_the_command_prints(tmp_path):
    page = ROOT / "docs" / "first-scene.md"
    (tmp_path / "ruin.toml").write_text(blocks(page, "toml")[0], encoding="utf-8")
    shown = next(
        block for block in blocks(page, "console") if block.startswith("$ uv run deadground check ruin.toml\n")
    )
    run = subprocess.run(
        [sys.executable, "-c", "from deadground.viewer.cli import main; main()", "check", "ruin.toml"],
        cwd=tmp_path, env={**os.environ, "COLUMNS": "100"}, capture_output=True, encoding="utf-8", check=True,
    )  # fmt: skip
    assert run.stdout.startswith(shown.partition("\n")[2])


def rows(system: str) -> dict[str, tuple[str, str]]:
    """Option -> (default, source) as documented for one system."""
    text = (ROOT / "docs" / "options.md").read_text(encoding="utf-8")
    sections = re.split(r"^## ", text, flags=re.MULTILINE)
    section = next(part for part in sections if f"`[{system}]`" in part.splitlines()[0])
    found = re.findall(r"^\| `(\w+)` \| (.+?) \| (.+?) \|", section, re.MULTILINE)
    return {name: (default.replace("`", ""), source) for name, default, source in found}


@pytest.mark.parametrize("system", sorted(OPTIONS))
def test_every_option_is_documented_with_its_default_and_source(system):
    def shown(default: object) -> str:
        return ", ".join(default) if isinstance(default, tuple) else json.dumps(default)

    assert rows(system) == {option.name: (shown(option.default), option.source) for option in described(system)}


def test_every_rule_system_is_documented():
    text = (ROOT / "docs" / "scene-file.md").read_text(encoding="utf-8")
    assert [name for name in RULESETS if f"`{name}`" not in text] == []
