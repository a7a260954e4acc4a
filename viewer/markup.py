"""HTML that is safe by construction: what is text is escaped, and only what was made here is markup."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Final

from deadground.viewer.svg import Element, clean

__all__ = ["Markup", "empty", "raw", "tag"]

_VOID: Final = frozenset({"br", "meta", "img"})


class Markup(str):
    """Text that is HTML already. Made by `tag` and `raw` alone."""

    __slots__ = ()


Child = Markup | Element | str | None
empty: Final = Markup("")


def raw(text: str) -> Markup:
    """Text that is known to be HTML: a style sheet or a program of our own."""
    return Markup(text)


def tag(name: str, attributes: Mapping[str, str | float | bool | None] | None, *children: Child) -> Markup:
    """An element. Children that are plain text are escaped, drawings are written out, None is left out.

    Attributes that are None or False are left out; True stands by its name alone.
    """
    given = {key: value for key, value in (attributes or {}).items() if value is not None and value is not False}
    head = "".join(f' {key}="{"" if value is True else _escaped(str(value))}"' for key, value in given.items())
    if name in _VOID:
        return Markup(f"<{name}{head}/>")
    return Markup(f"<{name}{head}>{''.join(_written(child) for child in children if child is not None)}</{name}>")


def _written(child: Markup | Element | str) -> str:
    if isinstance(child, Markup):
        return child
    return str(child) if isinstance(child, Element) else _escaped(child)


def _escaped(text: str) -> str:
    """Also without what no file may hold: a name on a disc may be any bytes."""
    return escape(clean(text))
