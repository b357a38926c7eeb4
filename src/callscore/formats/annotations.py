"""Annotations of Python as JSON Schemas: what a value of that type looks like in JSON.

What JSON has no word for, or nobody here knows, is allowed to be anything: a schema that is too
wide finds too little, and one that is too narrow finds what is not there.

Written by hand because `msgspec.json.schema` refuses unions of two classes, sorts the values of a
`Literal`, and knows no notes but its own.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from os import PathLike
from typing import Annotated, Any, Literal, NotRequired, Required, Union, get_args, get_origin
from uuid import UUID

import msgspec

from callscore.core.equality import equal
from callscore.words.value_text import json_safe

__all__ = ["hints_of", "schema_of", "with_notes"]

Schemas = dict[str, Any]
_SCALARS: dict[Any, Schemas] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    None: {"type": "null"},
    bytes: {"type": "string"},
    Decimal: {"type": ["number", "string"]},
    datetime: {"type": "string", "format": "date-time"},
    date: {"type": "string", "format": "date"},
    time: {"type": "string", "format": "time"},
    timedelta: {"type": "string", "format": "duration"},
    UUID: {"type": "string", "format": "uuid"},
}
_QUALIFIERS = ("Required", "NotRequired", "ReadOnly", "ClassVar", "Final", "InitVar")
_SETS = (set, frozenset)
_TEXTS = (str, bytes, PathLike)
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


def schema_of(kind: Any, definitions: Schemas) -> Schemas:
    """The JSON Schema of the values of a type.

    Args:
        kind: the type, as an annotation has it, with names looked up already.
        definitions: what `#/$defs/` holds; schemas of classes are added there.
    """
    while hasattr(kind, "__supertype__") or isinstance(kind, _alias_type()):
        kind = getattr(kind, "__supertype__", None) or kind.__value__
    scalar = _SCALARS.get(kind) if _is_hashable(kind) else None
    if scalar is not None:
        return dict(scalar)
    origin = get_origin(kind)
    if origin is Annotated:
        inner, *notes = get_args(kind)
        return with_notes(schema_of(inner, definitions), notes)
    if origin is None:
        return _of_class(kind, definitions) if isinstance(kind, type) else {}
    return _of_generic(kind, origin, definitions)


def _alias_type() -> type:
    """What `type Name = ...` makes, where Python has it; else a type that nothing is of."""
    found: type = getattr(typing, "TypeAliasType", types.EllipsisType)
    return found


def _is_hashable(kind: Any) -> bool:
    return isinstance(kind, type) or kind is None


def _of_generic(kind: Any, origin: Any, definitions: Schemas) -> Schemas:
    arguments = get_args(kind)
    if origin is Literal:
        return _of_members(arguments)
    if origin is Union or origin is types.UnionType:
        return {"anyOf": [schema_of(item, definitions) for item in arguments]}
    if getattr(origin, "_name", None) in _QUALIFIERS:
        return schema_of(arguments[0], definitions)
    return _of_class(origin, definitions, arguments) if isinstance(origin, type) else {}


def _of_members(members: Iterable[Any]) -> Schemas:
    """One of some values, each of them once."""
    found: list[Any] = []
    for member in members:
        value = json_safe(member.value if isinstance(member, Enum) else member)
        found += [] if any(equal(value, other) for other in found) else [value]
    kind = {"type": "string"} if all(isinstance(value, str) for value in found) else {}
    return {**kind, "enum": found} if found else {}


def _of_class(kind: type, definitions: Schemas, arguments: tuple[Any, ...] = ()) -> Schemas:
    if callable(getattr(kind, "model_json_schema", None)):
        return _of_model(kind, definitions)
    if _fields_of(kind) is not None:
        return _of_fields(kind, definitions)
    if issubclass(kind, Enum):
        return _of_members(kind)
    return _of_container(kind, definitions, arguments)


def _of_container(kind: type, definitions: Schemas, arguments: tuple[Any, ...]) -> Schemas:
    if issubclass(kind, tuple):
        arguments = _items_of(kind) or arguments
    inner = [schema_of(item, definitions) for item in arguments if item is not Ellipsis]
    if issubclass(kind, tuple) and inner and Ellipsis not in arguments:
        return _of_tuple(inner)
    if issubclass(kind, Mapping):
        return {"type": "object", **({"additionalProperties": inner[1]} if inner[1:] else {})}
    if issubclass(kind, _TEXTS) or not (issubclass(kind, Collection) or kind is Iterable):
        return _SCALARS[str] if issubclass(kind, _TEXTS) else {}
    unique = {"uniqueItems": True} if issubclass(kind, _SETS) else {}
    return {"type": "array", **({"items": inner[0]} if inner else {}), **unique}


def _items_of(kind: type) -> tuple[Any, ...]:
    """The types of the fields of a named tuple; none for any other tuple."""
    names = getattr(kind, "_fields", ())
    hints = hints_of(kind) if names else {}
    return tuple(hints.get(name, Any) for name in names)


def _of_tuple(items: list[Schemas]) -> Schemas:
    length = len(items)
    return {"type": "array", "prefixItems": items, "minItems": length, "maxItems": length}


class _Field(msgspec.Struct, frozen=True):
    """A field of a class: the name that JSON has for it, and whether it must be given."""

    attribute: str
    name: str
    is_required: bool


def _fields_of(kind: type) -> list[_Field] | None:
    """The fields of a class that is made of fields; None for any other."""
    if typing.is_typeddict(kind):
        return [_Field(name, name, _is_required(kind, name)) for name in kind.__annotations__]
    if dataclasses.is_dataclass(kind):
        nothing = dataclasses.MISSING
        return [
            _Field(each.name, each.name, each.default is nothing is each.default_factory)
            for each in dataclasses.fields(kind)
            if each.init
        ]
    if issubclass(kind, msgspec.Struct):
        found = msgspec.structs.fields(kind)
        return [_Field(each.name, each.encode_name, each.required) for each in found]
    return None


def _is_required(kind: type, name: str) -> bool:
    """Whether a typed dictionary must have a key; it does not know itself if its hints are text."""
    origin = get_origin(hints_of(kind).get(name))
    if origin in (Required, NotRequired):
        return origin is Required
    required: frozenset[str] = getattr(kind, "__required_keys__", frozenset())
    return name in required


def _of_fields(kind: type, definitions: Schemas) -> Schemas:
    name = _name_for(kind, definitions)
    if name not in definitions:
        definitions[name] = {
            "type": "object",
            "x-python": _place(kind),
        }  # for what refers to itself
        hints = hints_of(kind)
        fields = _fields_of(kind) or []
        definitions[name] |= {
            "properties": {
                field.name: schema_of(hints.get(field.attribute, Any), definitions)
                for field in fields
            },
            "required": [field.name for field in fields if field.is_required],
        }
    return {"$ref": f"#/$defs/{name}"}


def _name_for(kind: type, definitions: Schemas) -> str:
    """The name of a class among the definitions; another class of the same name has a number."""
    name, number = kind.__name__, 1
    while definitions.get(name, {}).get("x-python", _place(kind)) != _place(kind):
        number += 1
        name = f"{kind.__name__}{number}"
    return name


def _place(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}:{id(kind)}"


def _of_model(kind: Any, definitions: Schemas) -> Schemas:
    """The schema that a model of pydantic gives itself, with what it refers to."""
    name = _name_for(kind, definitions)
    if name not in definitions:
        schema = kind.model_json_schema(ref_template=f"#/$defs/{name}.{{model}}")
        for inner, inner_schema in schema.pop("$defs", {}).items():
            definitions[f"{name}.{inner}"] = inner_schema
        definitions[name] = {**schema, "x-python": _place(kind)}
    return {"$ref": f"#/$defs/{name}"}


def with_notes(schema: dict[str, Any], notes: Iterable[Any]) -> dict[str, Any]:
    """A schema with what the notes of `Annotated` say; a text is a description, and unknown notes say nothing.

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
            said[word] = json_safe(value)
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


def hints_of(owner: Any) -> dict[str, Any]:
    """The annotations of a function or a class by name, without those whose names are not found."""
    try:
        return typing.get_type_hints(owner, include_extras=True)
    except Exception:  # noqa: BLE001  (whatever one annotation does, the others are good)
        return _hints_one_by_one(owner)


def _hints_one_by_one(owner: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    module = getattr(owner, "__module__", None)
    for name, annotation in getattr(owner, "__annotations__", {}).items():
        single = type("_Single", (), {"__annotations__": {name: annotation}, "__module__": module})
        names = getattr(owner, "__globals__", None)
        try:
            found |= typing.get_type_hints(single, globalns=names, include_extras=True)
        except Exception:  # noqa: BLE001, S112  (likewise: it stays unknown)
            continue
    return found
