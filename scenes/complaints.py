"""What is wrong with a scene file, in one line that names the place in it."""

from __future__ import annotations

import difflib
import re
import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from deadground.geometry.errors import SceneError

__all__ = ["Place", "first_complaint", "first_in_file", "key_of", "nearest", "shown"]

Place = tuple[str | int, ...]
"""Where in the document: ("feature", 2, "wall", 0, "height")."""

_CLOSE: Final = 0.6
"""Similarity above which a mistyped key is taken for the other; below it the nearest is named with less confidence."""

_LONGEST: Final = 60
"""Characters of a wrong value that are shown."""

_BARE: Final = re.compile(r"[A-Za-z0-9_-]{1,60}")
"""A key that is shown as it is."""

_KINDS: Final = {
    "float_type": "a number",
    "finite_number": "a finite number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "string_type": "text in quotes",
    "bool_type": "true or false",
    "list_type": "a list",
    "tuple_type": "a list",
    "model_type": "a table",
    "dict_type": "a table",
}


def key_of(place: Place) -> str:
    """The place as people write it: feature[2].wall[0].height (counted from 0, as in the file's order)."""
    key = ""
    for part in place:
        if isinstance(part, int):
            key += f"[{part}]"
        else:
            key += ("." if key else "") + (part if _BARE.fullmatch(part) else _cut(ascii(part)))
    return key


def nearest(word: str, known: Iterable[str]) -> str:
    """A clause that names the known word nearest to `word`: "did you mean 'width'?" Empty if nothing is known."""
    words = list(known)
    folded = {candidate.lower(): candidate for candidate in words}
    for cutoff, clause in ((_CLOSE, "did you mean {}?"), (0.0, "the nearest known one is {}")):
        found = difflib.get_close_matches(word[:100].lower(), list(folded), n=1, cutoff=cutoff)
        if found:
            return clause.format(repr(folded[found[0]]))
    return ""


def first_complaint(
    error: ValidationError, model: type[BaseModel], document: Mapping[str, Any], source: str
) -> SceneError:
    """The first trouble in the order of the file, as the one line a user reads."""
    details = {_blamed(detail): detail for detail in reversed(error.errors(include_url=False, include_input=False))}
    blamed_within = {place[:length] for place in details for length in range(len(place))}
    place = first_in_file((place for place in details if place not in blamed_within), document)
    if details[place]["type"] == "missing":
        place = first_in_file(_unknown_beside(place, details), document) or place
    return SceneError(source, key_of(place), _sentence(place, details[place], model, document))


def _unknown_beside(place: Place, details: Mapping[Place, ErrorDetails]) -> Iterator[Place]:
    """Unknown keys beside one that is missing: it is likely one of them, misspelt."""
    for other, detail in details.items():
        if other[:-1] == place[:-1] and detail["type"] == "extra_forbidden":
            yield other


def first_in_file(places: Iterable[Place], document: Mapping[str, Any]) -> Place:
    """The place that comes first in the file, () if there are none.

    What is missing stands behind the plain values of its table.
    """
    known: dict[int, dict[str, int]] = {}
    return min(places, key=lambda place: _rank(place, document, known), default=())


def _rank(place: Place, document: Mapping[str, Any], known: dict[int, dict[str, int]]) -> tuple[float, ...]:
    """Which value it is of its table or list, for each step of the way. known : positions of keys, kept by table."""
    ranks: list[float] = []
    node: Any = document
    for part in place:
        if isinstance(node, Mapping):
            if id(node) not in known:
                known[id(node)] = {key: number for number, key in enumerate(node)}
            position = known[id(node)].get(str(part))
            ranks.append(_last_plain(node) + 0.5 if position is None else position)
        else:
            ranks.append(float(part) if isinstance(part, int) else 0.0)
        try:
            node = node[part]
        except (KeyError, IndexError, TypeError):
            break
    return tuple(ranks)


def _last_plain(table: Mapping[str, Any]) -> int:
    return max((number for number, value in enumerate(table.values()) if not _is_table(value)), default=-1)


def _blamed(detail: ErrorDetails) -> Place:
    key = detail.get("ctx", {}).get("key", "") if detail["type"] == "deadground" else ""
    return (*detail["loc"], key) if key else tuple(detail["loc"])


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping) or (isinstance(value, list) and bool(value) and isinstance(value[0], Mapping))


def _value(document: Any, place: Place) -> Any:
    for part in place:
        document = document[part]
    return document


def _sentence(place: Place, detail: ErrorDetails, model: type[BaseModel], document: Mapping[str, Any]) -> str:
    kind = detail["type"]
    context = detail.get("ctx", {})
    if kind == "deadground":
        return str(context["problem"])
    if kind == "extra_forbidden":
        known = _keys(model, place[:-1])
        return f"unknown key, {nearest(str(place[-1]), known)}"
    if kind == "missing":
        return _missing(place)
    value = _value(document, place)
    if kind == "tuple_type" and isinstance(value, Mapping):
        return f"expected a list of tables, written [[{_dotted(place)}]], found a table"
    return f"expected {_expected(kind, context)}, found {shown(value)}"


def _dotted(place: Place) -> str:
    return ".".join(part for part in place if isinstance(part, str))


def _missing(place: Place) -> str:
    if isinstance(place[-1], int):
        return "missing, expected another item here"
    if place == ("units",):
        return 'missing, every scene says whether its lengths are "in" or "mm"'
    if place == ("schema",):
        return "missing, expected schema = 1"
    return f"missing, every {_table_name(place[:-1])} needs it"


def _table_name(place: Place) -> str:
    names = [str(part) for part in place if isinstance(part, str)]
    return names[-1].removesuffix("s") if names else "scene"


def _expected(kind: str, context: Mapping[str, Any]) -> str:
    if kind in _KINDS:
        return _KINDS[kind]
    if kind == "literal_error":
        return f"one of {context['expected']}".replace(" or ", ", ")
    if kind in {"too_short", "too_long"}:
        return _count(kind, context)
    if kind in {"string_too_short", "string_too_long"}:
        return "some text" if kind.endswith("short") else f"at most {context['max_length']} characters"
    if kind == "string_pattern_mismatch":
        return _PATTERNS.get(str(context["pattern"]), f"text of the form {context['pattern']}")
    return _bound(kind, context)


_PATTERNS: Final = {
    r"^[2-6]\+$": '"2+" to "6+"',
    r"^#[0-9a-fA-F]{6}$": 'a colour such as "#0072B2"',
    r"^[\w][\w .()+-]*$": "a name that can be a file's name (letters, digits, space and . ( ) + - _)",
}

_BOUNDS: Final = {
    "greater_than": ("gt", "more than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than": ("lt", "less than"),
    "less_than_equal": ("le", "at most"),
}


def _bound(kind: str, context: Mapping[str, Any]) -> str:
    if kind in _BOUNDS:
        name, words = _BOUNDS[kind]
        return f"{words} {context[name]:g}"
    return "another value"


def _count(kind: str, context: Mapping[str, Any]) -> str:
    bound, count = ("at least", context["min_length"]) if kind == "too_short" else ("at most", context["max_length"])
    return f"{bound} {count} item{'' if count == 1 else 's'}"


def shown(value: Any) -> str:
    """A wrong value as an error shows it: on one line, printable, not long."""
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, bool):
        return "true" if value else "false"
    return _cut(repr(value) if isinstance(value, str) else _number_text(value))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def _number_text(value: Any) -> str:
    try:
        return str(value)
    except ValueError:  # Python refuses to write out whole numbers of thousands of digits
        return "a number of thousands of digits"


def _keys(model: type[BaseModel], place: Place) -> Sequence[str]:
    """The keys that the table at a place knows."""
    for part in place:
        if isinstance(part, str):
            field = next(f for name, f in model.model_fields.items() if (f.alias or name) == part)
            inner = _table_in(field.annotation)
            if inner is None:
                return ()
            model = inner
    return [field.alias or name for name, field in model.model_fields.items()]


def _table_in(annotation: Any) -> type[BaseModel] | None:
    """The model inside list[...], Annotated[...] and unions."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    found = (_table_in(inner) for inner in typing.get_args(annotation))
    return next((inner for inner in found if inner is not None), None)
