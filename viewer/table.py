"""Reports as tables that need no explaining. At most 100 columns; without colours where nobody sees them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TextIO

from rich import box
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from deadground.scenes.rulings.verdict import Report, UnitVerdict, Verdict
from deadground.viewer import phrases
from deadground.viewer.printing import WIDEST, print_parts, rendered

__all__ = ["print_report", "report_text"]

_STYLES: Final = {"seen": "bold blue", "fully seen": "bold blue", "not seen": "bold dark_orange3"}
_HEADS: Final = ("models", "verdict", "why", "decided by", "distance", "how sure")
_LIMITS: Final = (22, 10, 24, 28, 8, 12)
"""Columns each may take; the rest is wrapped."""


def print_report(report: Report, title: str = "", stream: TextIO | None = None) -> None:
    """Write the table to a stream (stdout): coloured on a terminal, plain elsewhere."""
    print_parts(lambda width: _parts(report, title, width), stream)


def report_text(
    report: Report, title: str = "", *, width: int = WIDEST, colour: bool = False, plain: bool = False
) -> str:
    """The table as text. plain : only signs that every console has."""
    return rendered(_parts(report, title, width), width=width, colour=colour, plain=plain)


@dataclass(frozen=True, slots=True)
class Section:
    """One pair of units. both : its verdicts say the same the other way round, and stand for that as well."""

    headlines: tuple[Text, ...]
    verdicts: tuple[Verdict, ...]
    both: bool


def _parts(report: Report, title: str, width: int) -> Iterator[Text | Table]:
    """Heading, one table for each pair of units, what is wrong with placements, notes and legend."""
    yield from _heading(report, title)
    sections = _sections(report)
    columns = _widths(sections, width)
    for index, section in enumerate(sections):
        yield Text()
        yield from section.headlines
        yield _table(section, columns, heads=index == 0)
    if not sections:
        yield Text("\nNo two models of different sides to judge.")
    yield from _tail(report)


def _sections(report: Report) -> list[Section]:
    """The pairs of units in the report's order; two that mirror each other are one."""
    pairs = _grouped(report)
    units = {(verdict.attacker, verdict.target): verdict for verdict in report.units}
    done: set[tuple[str, str]] = set()
    sections = []
    for pair, verdicts in pairs.items():
        if pair not in done:
            back = pair[::-1]
            both = _mirrored(verdicts, pairs.get(back, []))
            told = (pair, back) if both else (pair,)
            done.update(told)
            headlines = tuple(line for each in told for line in _headlines(units.get(each), each, pairs[each]))
            sections.append(Section(headlines, tuple(verdicts), both))
    return sections


def _mirrored(verdicts: Sequence[Verdict], back: Sequence[Verdict]) -> bool:
    """Whether the verdicts of the way back say the same of every pair of models."""
    there = {(verdict.observer, verdict.target): _said(verdict) for verdict in verdicts}
    return there == {(verdict.target, verdict.observer): _said(verdict) for verdict in back}


def _said(verdict: Verdict) -> tuple[object, ...]:
    """What a row says, but for who looks and which end of the line comes first."""
    stopped = verdict.blocker and phrases.blocker_name(verdict.blocker)
    seen = (verdict.visible, verdict.fully_visible, verdict.seen_fraction, phrases.in_view(verdict))
    return *seen, verdict.reasons, stopped, verdict.certainty, verdict.notes


def _heading(report: Report, title: str) -> Iterator[Text]:
    if title:
        yield Text(title, style="bold")
    yield Text(f"Rules: {_system(report)}")
    changed = phrases.changed_options(report)
    if changed:
        yield Text(f"Options changed: {'; '.join(changed)}")


def _system(report: Report) -> str:
    return f"{report.edition} ({report.ruleset})" if report.edition else report.ruleset


def _grouped(report: Report) -> dict[tuple[str, str], list[Verdict]]:
    """Model verdicts by pair of units, in the order of the report."""
    groups: dict[tuple[str, str], list[Verdict]] = {}
    for verdict in report.models:
        groups.setdefault((phrases.unit_of(verdict.observer), phrases.unit_of(verdict.target)), []).append(verdict)
    return groups


def _headlines(unit: UnitVerdict | None, pair: tuple[str, str], verdicts: Sequence[Verdict]) -> Iterator[Text]:
    """The summary of a pair of units, and below it what each attacker finds, where they differ."""
    if unit is None:
        yield Text(f"{pair[0]} → {pair[1]}", style="bold")
        return
    style = _STYLES["seen" if unit.visible else "not seen"]
    yield Text(f"{phrases.summary(unit, verdicts)}.", style=style)
    apart = phrases.attackers_apart(unit)
    if apart:
        yield Text(apart)


def _row(verdict: Verdict, arrow: str) -> tuple[str, ...]:
    return (
        f"{verdict.observer} {arrow} {verdict.target}",
        phrases.outcome(verdict) + (" *" if verdict.notes else ""),
        phrases.reasons(verdict.reasons) or phrases.in_view(verdict),
        phrases.decided_by(verdict),
        phrases.length(verdict.distance, 2),
        phrases.certainty(verdict),
    )


def _rows(section: Section) -> list[tuple[str, ...]]:
    return [_row(verdict, "↔" if section.both else "→") for verdict in section.verdicts]


def _widths(sections: Sequence[Section], width: int) -> list[int]:
    """Columns for each cell, so that all tables of a report stand in line and within `width`."""
    rows = [_HEADS, *(row for section in sections for row in _rows(section))]
    wanted = [min(limit, max(cell_len(row[k]) for row in rows)) for k, limit in enumerate(_LIMITS)]
    while sum(wanted) + 2 * len(wanted) > width:
        widest = max(range(len(wanted)), key=wanted.__getitem__)
        wanted[widest] -= 1
    return wanted


def _table(section: Section, columns: Sequence[int], *, heads: bool) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_header=heads, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
    for head, wide in zip(_HEADS, columns, strict=True):
        side: Literal["left", "right"] = "right" if head == "distance" else "left"
        table.add_column(head, width=wide, justify=side, overflow="fold", header_style="dim")
    for verdict, (who, said, *rest) in zip(section.verdicts, _rows(section), strict=True):
        table.add_row(who, Text(said, style=_STYLES[phrases.outcome(verdict)]), *rest)
    return table


def _tail(report: Report) -> Iterator[Text]:
    """Placements, notes, warnings and the legend."""
    hidden = [state.model for state in report.states or () if state.hidden]
    if hidden:
        yield Text(f"\nHidden, and seen only from within their detection range: {', '.join(hidden)}.")
    for entry in report.placement or ():
        why = "; ".join(phrases.placed_wrong(reason) for reason in entry.reasons)
        yield Text(f"\n{entry.model} may not stand there: {why}.", style="bold")
    for words in phrases.standing(report.facts):
        yield Text(f"\n{words}")
    for code, who in _notes(report.models, report.units).items():
        yield Text(f"\n* {_listed(who)}: {phrases.note(code, report.ruleset)}")
    for warning in report.warnings:
        yield Text(f"\nNote: {warning}")
    yield Text(
        "\n↔: the same both ways. why: what hides it (all that apply). decided by: what stopped the best line, or the"
        " ends of a clear one, as x, y, height in inches. distance: between the closest parts of the bases, in inches."
        " line found: this very line is clear, checked with its full width. proved: no line exists at all.",
        style="dim",
    )


def _notes(verdicts: Sequence[Verdict], units: Sequence[UnitVerdict]) -> Mapping[str, list[str]]:
    """Each note once, with the pairs it belongs to."""
    found: dict[str, list[str]] = {}
    for verdict in verdicts:
        for code in verdict.notes:
            found.setdefault(code, []).append(f"{verdict.observer} → {verdict.target}")
    for unit in units:
        for code in unit.notes:
            found.setdefault(code, []).append(f"{unit.attacker} → {unit.target}")
    return found


def _listed(names: Sequence[str], most: int = 4) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
