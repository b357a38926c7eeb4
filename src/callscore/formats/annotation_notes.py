"""What `Annotated` says of a type beside the type: a description, bounds, lengths, a pattern."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.plain import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["with_notes"]

# What msgspec.Meta, the notes of annotated-types and the fields of pydantic call the same things.
_WORDS = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
    "multiple_of": "multipleOf",
    "pattern": "pattern",
    "description": "description",
    "documentation": "description",
    "title": "title",
    "examples": "examples",
}
_LENGTHS = {
    "string": ("minLength", "maxLength"),
    "array": ("minItems", "maxItems"),
    "object": ("minProperties", "maxProperties"),
}


def with_notes(schema: dict[str, Any], notes: Iterable[Any]) -> dict[str, Any]:
    """A schema with what notes say; a text is a description, and unknown notes say nothing.

    Args:
        schema: of the type that the notes are about.
        notes: texts, `msgspec.Meta`, pydantic's `Field(...)`, `annotated_types.Ge(...)` and the like.
    """
    found = dict(schema)
    for note in _spread(notes):
        found |= {"description": note} if isinstance(note, str) else _said(note, schema)
    return found


def _spread(notes: Iterable[Any]) -> Iterator[Any]:
    """The notes, and those that a note gathers."""
    for note in notes:
        inner = getattr(note, "metadata", None)
        if isinstance(inner, list | tuple):
            yield from inner
        yield note


def _said(note: Any, schema: dict[str, Any]) -> dict[str, Any]:
    said: dict[str, Any] = {}
    for attribute, word in _WORDS.items():
        value = getattr(note, attribute, None)
        if _is_data(value):
            said[word] = plain(value)
    for attribute, word in zip(("min_length", "max_length"), _lengths(schema), strict=False):
        value = getattr(note, attribute, None)
        if _is_data(value):
            said[word] = value
    extra = getattr(note, "extra_json_schema", None)
    return {**said, **extra} if isinstance(extra, dict) else said


def _is_data(value: Any) -> bool:
    """Whether it is a value; a note may well have a method of such a name."""
    return isinstance(value, str | int | float | list | tuple)


def _lengths(schema: dict[str, Any]) -> tuple[str, ...]:
    kind = schema.get("type")
    return _LENGTHS.get(kind, ()) if isinstance(kind, str) else ()
