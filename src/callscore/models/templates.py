"""Prompts with places for what a case holds: `Question: {{input}}`.

Four braces, `{{{{`, are two that begin no place.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from callscore.core.plain import encode_json
from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from callscore.core.model import Case

__all__ = ["filled", "require_template", "text_of"]

_FIELDS = ("input", "id", "tags", "metadata")
_OPENING = "{{"
_PLACE = re.compile(r"\{\{\{\{|\{\{\s*([^{}]*?)\s*\}\}")


def require_template(template: Any) -> None:
    """Refuse a template that is no text, or that wants what no case has.

    Raises:
        InvalidSettings: it is such a template.
    """
    if template is None:
        return
    if not isinstance(template, str):
        raise InvalidSettings(f"prompt: {template!r} is not a text")
    for place in _PLACE.finditer(template):
        if place[1] is not None and place[1].split(".")[0] not in _FIELDS:
            known = ", ".join(f"{{{{{field}}}}}" for field in _FIELDS)
            problem = f"a case has no field {place[1]!r}; there are {known}, and what they hold"
            aside = "Write four braces, {{{{, for two that begin no place"
            raise InvalidSettings(f"prompt: {problem}: {{{{metadata.city}}}}. {aside}")


def filled(template: str, case: Case) -> str:
    """The template with values in its places, each put in once and as it is.

    Nothing is worked out, and a value that looks like a place stays as it is. A number in a path is
    a place in a list, from 0 on.

    Raises:
        InvalidSettings: the case has nothing there.
    """
    return _PLACE.sub(lambda place: _put_in(place[1], case), template)


def _put_in(path: str | None, case: Case) -> str:
    return _OPENING if path is None else text_of(_value_at(path, case))


def _value_at(path: str, case: Case) -> Any:
    first, *keys = path.split(".")
    value = getattr(case, first)
    for key in keys:
        value = _member(value, key)
    if value is None:
        raise InvalidSettings(f"prompt: the case {case.id!r} has no {path}")
    return value


def _member(value: Any, key: str) -> Any:
    """What a value holds under a key; None where it holds nothing."""
    if isinstance(value, dict):
        return value.get(key)
    is_place = isinstance(value, list | tuple) and key.isascii() and key.isdigit()
    return value[int(key)] if is_place and int(key) < len(value) else None


def text_of(value: Any) -> str:
    """A value as a model is told it: a text as it is, anything else as JSON."""
    return value if isinstance(value, str) else encode_json(value).decode()
