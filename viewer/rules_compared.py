"""One table judged by several rule systems: what each says of every two models, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TextIO

from rich import box
from rich.table import Table
from rich.text import Text

from deadground.scenes.rulings.verdict import Report, Verdict
from deadground.viewer import phrases
from deadground.viewer.printing import print_parts

__all__ = ["comparison", "print_comparison"]

Two = tuple[str, str]

_UNASKED: Final = "-"


def print_comparison(reports: Sequence[Report], title: str = "", stream: TextIO | None = None) -> None:
    """Write what several systems say of the same models to a stream (stdout), one column each."""
    print_parts(lambda _: _parts(reports, title), stream)


def comparison(reports: Sequence[Report]) -> list[tuple[str, ...]]:
    """A row for every two models: who looks at whom, then what each system says. Both ways are one row if all agree."""
    said = [{(verdict.observer, verdict.target): _said(verdict) for verdict in report.models} for report in reports]
    rows, done = [], set[Two]()
    for pair in dict.fromkeys(pair for report in said for pair in report):
        if pair not in done:
            there, back = _cells(said, pair), _cells(said, pair[::-1])
            done.update((pair, pair[::-1]) if there == back else (pair,))
            rows.append((f"{pair[0]} {'↔' if there == back else '→'} {pair[1]}", *there))
    return rows


def _said(verdict: Verdict) -> str:
    why = phrases.reasons(verdict.reasons)
    return phrases.outcome(verdict) + (f": {why}" if why else "")


def _cells(said: Sequence[Mapping[Two, str]], pair: Two) -> tuple[str, ...]:
    return tuple(report.get(pair, _UNASKED) for report in said)


def _parts(reports: Sequence[Report], title: str) -> Iterator[Text | Table]:
    if title:
        yield Text(title, style="bold")
    yield Text("Side by side; each system's own report follows.")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
    for head in ("models", *(report.ruleset for report in reports)):
        table.add_column(head, overflow="fold", header_style="dim")
    for row in comparison(reports):
        table.add_row(*row)
    yield Text()
    yield table
