"""`deadground check`: who sees whom."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter

from deadground.geometry.errors import InputError
from deadground.geometry.units import inches
from deadground.scenes.document import read_scene
from deadground.scenes.rulings.verdict import Report
from deadground.scenes.scene import Scene
from deadground.viewer.explain import explained
from deadground.viewer.judging import judge_all, source
from deadground.viewer.margin import margin_lines, with_margins
from deadground.viewer.report_json import dumps, report_values, reports_values
from deadground.viewer.rules_compared import print_comparison
from deadground.viewer.table import print_report

__all__ = ["check", "shortcomings"]

MOST_OFF: Final = 6.0
"""Inches. Being off by more than that is a move."""

Flag = Annotated[bool, Parameter(negative="", show_default=False)]
Names = Annotated[list[str], Parameter(negative="", show_default=False)]


def check(  # noqa: PLR0913  (a command's options)
    scene: Annotated[Path, Parameter(help="A scene file (TOML).")],
    /,
    *,
    ruleset: Annotated[
        str | None, Parameter(help="Judge by this system instead of the scene's: 40k, sctmg, t9a, or all.")
    ] = None,
    observers: Annotated[
        Names, Parameter(name="--from", help="Only this unit or model looks (A or A/1). May be repeated.")
    ] = [],  # noqa: B006  (never changed)
    targets: Annotated[
        Names, Parameter(name="--to", help="Only this unit or model is looked at. May be repeated.")
    ] = [],  # noqa: B006  (never changed)
    json: Annotated[Flag, Parameter(help="Print JSON in place of the table. Lengths are inches.")] = False,
    strict: Annotated[
        Flag, Parameter(help="Exit with 1 if a model may not stand where it stands, or a verdict is only sampled.")
    ] = False,
    explain: Annotated[
        tuple[str, str] | None,
        Parameter(negative="", show_default=False, help="Two models (A/1 B/2): say every rule asked, in plain words."),
    ] = None,
    margin: Annotated[
        float, Parameter(help="Say which verdicts survive either model being this far off, in the file's unit.")
    ] = 0.0,
    allow_outside: Annotated[Flag, Parameter(help="Let the scene name files outside its own folder.")] = False,
) -> int:
    """Say who sees whom, with cover and what decided it.

    Every model of one side is asked about every model of the others. Certainty: "line found" is a clear line, checked
    with its full width; "proved" means that no line exists; "sampled" that time ran out, with the widest slit that
    may have been missed.

    With --margin, each verdict is asked again with one of its two models moved across the surface that it stands on, to
    where it could stand too, and said to be stable (certified, or in so many places tried) or to flip, with the
    smallest move found that flips it. It speaks of being seen, not of cover. In the JSON a verdict then has `margin`:
    `within`, `outcome` (stable, flips), `certified`, `tried`, and `move` with `model`, `to` and `distance`, in inches;
    the note `margin` marks those that flip.
    """
    table = read_scene(scene, allow_outside)
    if explain is not None:
        _only_explain(
            table, {"--json": json, "--strict": strict, "--margin": margin, "--from": observers, "--to": targets}
        )
        sys.stdout.write(explained(table, ruleset, *explain))
        return 0
    reach = _reach(table, margin)
    reports = tuple(with_margins(table, report, reach) for report in judge_all(table, ruleset, observers, targets))
    if json:
        every = ruleset is not None and ruleset.strip().lower() == "all"
        sys.stdout.write(dumps(reports_values(reports) if every else report_values(reports[0])) + "\n")
    else:
        if len(reports) > 1:
            print_comparison(reports, table.title or scene.name)
        for index, report in enumerate(reports):
            sys.stdout.write("\n" * (index > 0 or len(reports) > 1))
            print_report(report, table.title or scene.name)
            sys.stdout.writelines(f"{line}\n" for line in ("", *margin_lines(report.models)) if reach)
    return _judged(reports) if strict else 0


def _only_explain(scene: Scene, others: Mapping[str, object]) -> None:
    """InputError for options that say nothing to an explanation, which is of one pair and in words."""
    given = [name for name, value in others.items() if value]
    if given:
        raise InputError(source(scene), "--explain", f"expected no {given[0]} beside it")


def _reach(scene: Scene, margin: float) -> float:
    """The margin in inches. InputError unless it is 0 or a length to which a model may be off."""
    reach = inches(margin, scene.units_of_file)
    if not 0 <= reach <= MOST_OFF:
        raise InputError(source(scene), "--margin", f"expected 0 to {MOST_OFF:g} inches, found {margin:g}")
    return reach


def shortcomings(report: Report) -> list[str]:
    """What `--strict` does not accept, in words."""
    sampled = [v for v in report.models if "sampled" in (v.certainty, v.fully_certainty)]
    said = [f"{report.ruleset}: {entry.model} may not stand where it stands" for entry in report.placement or ()]
    return said + ([f"{report.ruleset}: {len(sampled)} verdicts are only sampled"] if sampled else [])


def _judged(reports: Sequence[Report]) -> int:
    said = [line for report in reports for line in shortcomings(report)]
    sys.stderr.writelines(f"deadground: {line}\n" for line in said)
    return 1 if said else 0
