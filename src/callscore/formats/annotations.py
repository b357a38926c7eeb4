"""JSON Schemas of Python annotations.

What JSON does not have, or is unknown here, may be anything: a schema that is too wide finds too
few errors, but one that is too narrow finds errors in correct calls.

Written by hand because `msgspec.json.schema` refuses unions of two classes, sorts the values of a
`Literal`, and reads only its own notes.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Collection, Iterable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from os import PathLike
from typing import Annotated, Any, Literal, NotRequired, Required, Union, get_args, get_origin
from uuid import UUID

import msgspec

from callscore.core.equality import equal
from callscore.words.value_text import json_safe

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
# What `type Name = ...` makes, from Python 3.12 on; before, a type that no annotation has.
_ALIAS_TYPE: type = getattr(typing, "TypeAliasType", types.EllipsisType)
_QUALIFIERS = ("Required", "NotRequired", "ReadOnly", "ClassVar", "Final", "InitVar")
_SETS = (set, frozenset)
_TEXTS = (str, bytes, PathLike)
# The attributes of msgspec.Meta, of annotated-types and of pydantic fields, and their keywords.
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
    """The JSON Schema of a resolved annotation; schemas of classes are added to `definitions`."""
    while hasattr(kind, "__supertype__") or isinstance(kind, _ALIAS_TYPE):
        kind = getattr(kind, "__supertype__", None) or kind.__value__
    scalar = _SCALARS.get(kind) if isinstance(kind, type) or kind is None else None
    if scalar is not None:
        return dict(scalar)
    origin = get_origin(kind)
    if origin is Annotated:
        inner, *notes = get_args(kind)
        return with_notes(schema_of(inner, definitions), notes)
    if origin is None:
        return _of_class(kind, definitions) if isinstance(kind, type) else {}
    return _of_generic(kind, origin, definitions)


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
    """One of some values, without repetitions."""
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
    names = getattr(kind, "_fields", ()) if issubclass(kind, tuple) else ()
    if names:  # a named tuple
        hints = hints_of(kind)
        arguments = tuple(hints.get(name, Any) for name in names)
    inner = [schema_of(item, definitions) for item in arguments if item is not Ellipsis]
    if issubclass(kind, tuple) and inner and Ellipsis not in arguments:
        size = len(inner)
        return {"type": "array", "prefixItems": inner, "minItems": size, "maxItems": size}
    if issubclass(kind, Mapping):
        return {"type": "object", **({"additionalProperties": inner[1]} if inner[1:] else {})}
    if issubclass(kind, _TEXTS) or not (issubclass(kind, Collection) or kind is Iterable):
        return _SCALARS[str] if issubclass(kind, _TEXTS) else {}
    unique = {"uniqueItems": True} if issubclass(kind, _SETS) else {}
    return {"type": "array", **({"items": inner[0]} if inner else {}), **unique}


class _Field(msgspec.Struct, frozen=True):
    """A field of a class; `name` is its name in JSON."""

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
    """Whether a key is required; `__required_keys__` is wrong if the hints are text."""
    origin = get_origin(hints_of(kind).get(name))
    if origin in (Required, NotRequired):
        return origin is Required
    required: frozenset[str] = getattr(kind, "__required_keys__", frozenset())
    return name in required


def _of_fields(kind: type, definitions: Schemas) -> Schemas:
    name = _name_for(kind, definitions)
    if name not in definitions:
        # Added before its fields are read: they may refer to the class itself.
        definitions[name] = {"type": "object", "x-python": _place(kind)}
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
    """The name of a class in `$defs`; another class of the same name gets a number."""
    name, number = kind.__name__, 1
    while definitions.get(name, {}).get("x-python", _place(kind)) != _place(kind):
        number += 1
        name = f"{kind.__name__}{number}"
    return name


def _place(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}:{id(kind)}"


def _of_model(kind: Any, definitions: Schemas) -> Schemas:
    """The schema that a pydantic model generates, with its definitions."""
    name = _name_for(kind, definitions)
    if name not in definitions:
        schema = kind.model_json_schema(ref_template=f"#/$defs/{name}.{{model}}")
        for inner, inner_schema in schema.pop("$defs", {}).items():
            definitions[f"{name}.{inner}"] = inner_schema
        definitions[name] = {**schema, "x-python": _place(kind)}
    return {"$ref": f"#/$defs/{name}"}


def with_notes(schema: dict[str, Any], notes: Iterable[Any]) -> dict[str, Any]:
    """A schema with the keywords of notes: texts, `msgspec.Meta`, pydantic's `Field(...)` and the like.

    A text is a description, and unknown notes are ignored.
    """
    found = dict(schema)
    for note in notes:
        inner = getattr(note, "metadata", None)
        for each in [*inner, note] if isinstance(inner, list | tuple) else [note]:
            found |= {"description": each} if isinstance(each, str) else _keywords_in(each, schema)
    return found


def _keywords_in(note: Any, schema: dict[str, Any]) -> dict[str, Any]:
    kind = schema.get("type")
    lengths = _LENGTHS.get(kind, ()) if isinstance(kind, str) else ()
    words = _WORDS | dict(zip(("min_length", "max_length"), lengths, strict=False))
    found: dict[str, Any] = {}
    for attribute, word in words.items():
        value = getattr(note, attribute, None)
        if isinstance(value, str | int | float | list | tuple):  # and not a method of that name
            found[word] = json_safe(value)
    extra = getattr(note, "extra_json_schema", None)
    return {**found, **extra} if isinstance(extra, dict) else found


def hints_of(owner: Any) -> dict[str, Any]:
    """The annotations of a function or class by name, without those that cannot be resolved."""
    try:
        return typing.get_type_hints(owner, include_extras=True)
    except Exception:  # noqa: BLE001  (one bad annotation does not spoil the others)
        return _hints_one_by_one(owner)


def _hints_one_by_one(owner: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    module, names = getattr(owner, "__module__", None), getattr(owner, "__globals__", None)
    for name, annotation in getattr(owner, "__annotations__", {}).items():
        single = type("_Single", (), {"__annotations__": {name: annotation}, "__module__": module})
        try:
            found |= typing.get_type_hints(single, globalns=names, include_extras=True)
        except Exception:  # noqa: BLE001, S112  (likewise: it stays unknown)
            continue
    return found
