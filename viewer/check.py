"""`deadground check`: who sees whom."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from deadground.scenes.document import read_scene
from deadground.scenes.rulings.verdict import Report
from deadground.viewer.explain import explained
from deadground.viewer.judging import judge_all
from deadground.viewer.report_json import dumps, report_values, reports_values
from deadground.viewer.table import print_report

__all__ = ["check", "shortcomings"]

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
    allow_outside: Annotated[Flag, Parameter(help="Let the scene name files outside its own folder.")] = False,
) -> int:
    """Say who sees whom, with cover and what decided it.

    Every model of one side is asked about every model of the others. Certainty: "line found" is a clear line, checked
    with its full width; "proved" means that no line exists; "sampled" that time ran out, with the widest slit that
    may have been missed. A note "a very close call" (margin) marks a verdict that the smallest shift could change.
    """
    table = read_scene(scene, allow_outside)
    if explain is not None:
        sys.stdout.write(explained(table, ruleset, *explain))
        return 0
    reports = judge_all(table, ruleset, observers, targets)
    if json:
        every = ruleset is not None and ruleset.strip().lower() == "all"
        sys.stdout.write(dumps(reports_values(reports) if every else report_values(reports[0])) + "\n")
    else:
        for index, report in enumerate(reports):
            sys.stdout.write("\n" * (index > 0))
            print_report(report, table.title or scene.name)
    return _judged(reports) if strict else 0


def shortcomings(report: Report) -> list[str]:
    """What `--strict` does not accept, in words."""
    sampled = [v for v in report.models if "sampled" in (v.certainty, v.fully_certainty)]
    said = [f"{report.ruleset}: {entry.model} may not stand where it stands" for entry in report.placement or ()]
    return said + ([f"{report.ruleset}: {len(sampled)} verdicts are only sampled"] if sampled else [])


def _judged(reports: Sequence[Report]) -> int:
    said = [line for report in reports for line in shortcomings(report)]
    sys.stderr.writelines(f"deadground: {line}\n" for line in said)
    return 1 if said else 0
