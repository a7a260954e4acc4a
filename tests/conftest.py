"""What every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# Time limits belong to benchmarks. CI draws the same examples every time, so that a change is judged by itself.
settings.register_profile("everyday", deadline=None, print_blob=True)
settings.register_profile("ci", parent=settings.get_profile("everyday"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "everyday")


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of meshes and layouts for the larger tests, which are not part of this repository."""
    named = os.environ.get("DEADGROUND_DATA")
    if not named:
        pytest.skip("DEADGROUND_DATA does not name a folder of test data")
    folder = Path(named).resolve()
    if not folder.is_dir():
        pytest.fail(f"DEADGROUND_DATA names {named}, which is not a folder")
    return folder


@pytest.fixture
def links(tmp_path: Path) -> None:
    """Skips a test where links cannot be made: Windows allows it to few."""
    try:
        (tmp_path / "a-link").symlink_to(tmp_path / "a-file")
    except OSError as error:
        pytest.skip(f"no links can be made here ({error.strerror})")
    (tmp_path / "a-link").unlink()
