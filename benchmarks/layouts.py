"""`deadground check` on every layout of a file with two generated armies: seconds, verdicts, how many are certain.

    uv run python benchmarks/layouts.py LAYOUTS.json [--units 2] [--models 5] [--seed 1] [--only PART-OF-A-NAME]

The layouts are not part of this repository. Each is imported, populated and checked by the very commands that people
use. Seconds are those of one processor, whatever else it does; those for lines between models (with their reasons) and
for parts of models are told apart.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from deadground.scenes.layout_file import layout_ids
from deadground.scenes.sight import Sight
from deadground.viewer.cli import run

STAGES = {"clear": "lines", "parts": "parts"}
"""Methods of `Sight` whose time is told, and what it is called."""


@contextmanager
def told(spent: dict[str, float]) -> Iterator[None]:
    """Add the seconds that each stage takes to `spent`."""
    kept = {name: getattr(Sight, name) for name in STAGES}
    for name, method in kept.items():
        setattr(Sight, name, _timed(method, spent, STAGES[name]))
    try:
        yield
    finally:
        for name, method in kept.items():
            setattr(Sight, name, method)


def _timed(method: Any, spent: dict[str, float], stage: str) -> Any:
    def timed(*args: Any, **named: Any) -> Any:
        begin = time.process_time()
        try:
            return method(*args, **named)
        finally:
            spent[stage] += time.process_time() - begin

    return timed


def command(*words: object) -> str:
    """What a command prints; the benchmark ends if it fails."""
    said = StringIO()
    with redirect_stdout(said):
        code = run([str(word) for word in words])
    if code:
        raise SystemExit(f"deadground {' '.join(map(str, words))}: exit {code}")
    return said.getvalue()


def populated(table: Path, asked: argparse.Namespace) -> Path:
    """The table with two armies, as a file beside it."""
    for side in ("red", "blue"):
        words = ("--units", asked.units, "--models", asked.models, "--seed", asked.seed)
        command("populate", table, "--side", side, *words, "-o", table.with_suffix(f".{side}.toml"))
        table = table.with_suffix(f".{side}.toml")
    return table


def checked(name: str, table: Path) -> Counter[str]:
    """Check one table, print what it took, return how many verdicts are sampled."""
    spent = dict.fromkeys(STAGES.values(), 0.0)
    begin = time.process_time()
    with told(spent):
        models = json.loads(command("check", table, "--json"))["models"]
    whole = time.process_time() - begin
    rest = whole - sum(spent.values())
    unsure = Counter(key for one in models for key in ("certainty", "fully_certainty") if one.get(key) == "sampled")
    sees = Counter(key for one in models for key in ("visible", "fully_visible") if one.get(key))
    print(
        f"{name:40} {whole:6.1f} s  lines {spent['lines']:5.1f}  parts {spent['parts']:5.1f}  rest {rest:5.1f}"
        f"  {len(models):5} verdicts, {sees['visible']:4} visible, {sees['fully_visible']:4} fully,"
        f"  sampled {unsure['certainty']} and {unsure['fully_certainty']}",
        flush=True,
    )
    return Counter(verdicts=len(models), visible=unsure["certainty"], fully=unsure["fully_certainty"])


def main() -> None:
    """Print a line for each layout, and the shares over all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("layouts", type=Path, help="the file with the layouts")
    parser.add_argument("--units", type=int, default=2, help="units a side")
    parser.add_argument("--models", type=int, default=5, help="models a unit")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="part of the names of the layouts to check")
    asked = parser.parse_args()
    total, begin = Counter[str](), time.process_time()
    with TemporaryDirectory() as folder:
        for name in layout_ids(asked.layouts):
            if asked.only in name:
                table = Path(folder) / f"{name}.toml"
                command("import", asked.layouts, name, "-o", table)
                total += checked(name, populated(table, asked))
    for kind in ("visible", "fully"):
        print(f"{kind:10} {1 - total[kind] / max(total['verdicts'], 1):.4%} of {total['verdicts']} verdicts certain")
    print(f"all of it  {time.process_time() - begin:.0f} s")


if __name__ == "__main__":
    main()
