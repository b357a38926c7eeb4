"""Annotations of Python as JSON Schemas."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    NewType,
    NotRequired,
    Optional,
    TypedDict,
    TypeVar,
    Union,
)

import msgspec
import pydantic
import pytest

from callscore.core.schemas.validation import schema_problem, validation_errors
from callscore.formats.annotations import hints_of, schema_of, with_notes

TEXT = {"type": "string"}
WHOLE = {"type": "integer"}
NUMBER = {"type": "number"}
NULL = {"type": "null"}
Item = TypeVar("Item")
UserId = NewType("UserId", str)


class Unit(enum.Enum):
    CELSIUS = "C"
    FAHRENHEIT = "F"


class Nothing(enum.Enum):
    pass


class Place(TypedDict):
    city: Annotated[str, "The city."]
    country: NotRequired[str]


@dataclass
class Passenger:
    name: str
    seats: list[int] = field(default_factory=list)
    age: int = 0
    full: str = field(init=False)


class Node(msgspec.Struct, rename="camel"):
    node_name: str
    children: list[Node] = []


class Point(NamedTuple):
    x: int
    y: float


class Inner(pydantic.BaseModel):
    depth: int


class Model(pydantic.BaseModel):
    inner: Inner
    again: Model | None = None


class Unknown:
    pass


@pytest.mark.parametrize(
    ("kind", "schema"),
    [
        (str, TEXT),
        (int, WHOLE),
        (float, {"type": "number"}),
        (bool, {"type": "boolean"}),
        (None, NULL),
        (bytes, TEXT),
        (Path, TEXT),
        (date, {"type": "string", "format": "date"}),
        (datetime, {"type": "string", "format": "date-time"}),
        (Decimal, {"type": ["number", "string"]}),
        (UserId, TEXT),
        (list, {"type": "array"}),
        (list[int], {"type": "array", "items": WHOLE}),
        (Sequence[str], {"type": "array", "items": TEXT}),
        (Iterable[str], {"type": "array", "items": TEXT}),
        (set[str], {"type": "array", "items": TEXT, "uniqueItems": True}),
        (tuple[int, ...], {"type": "array", "items": WHOLE}),
        (dict, {"type": "object"}),
        (dict[str, int], {"type": "object", "additionalProperties": WHOLE}),
        (Mapping[str, int], {"type": "object", "additionalProperties": WHOLE}),
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
        (Literal["a", 1, True], {"enum": ["a", 1, True]}),
        (Literal[Unit.CELSIUS, "C"], {"type": "string", "enum": ["C"]}),
        (Unit, {"type": "string", "enum": ["C", "F"]}),
        (Nothing, {}),
        (Optional[str], {"anyOf": [TEXT, NULL]}),  # noqa: UP045  (the old spelling is read, too)
        (Union[int, str], {"anyOf": [WHOLE, TEXT]}),  # noqa: UP007  (likewise)
        (int | list[str] | set[int], None),
        (Any, {}),
        (Item, {}),
        (Unknown, {}),
        (complex, {}),
        (Callable[[int], str], {}),
        (object, {}),
    ],
    ids=str,
)
def test_a_type_becomes_a_schema(kind: Any, schema: dict[str, Any] | None) -> None:
    found = schema_of(kind, {})

    assert schema_problem(found) is None
    assert schema is None or found == schema


def test_a_tuple_of_some_length_has_a_schema_for_each_item() -> None:
    for kind in (tuple[int, float], Point):
        schema = schema_of(kind, {})

        assert not validation_errors(schema, [1, 2.5])
        assert validation_errors(schema, [2.5, 1])
        assert validation_errors(schema, [1])


def test_a_typed_dictionary_is_an_object_with_what_it_requires() -> None:
    definitions: dict[str, Any] = {}

    found = schema_of(Place, definitions)

    place = definitions["Place"]
    assert found == {"$ref": "#/$defs/Place"}
    assert place["properties"]["city"] == {"type": "string", "description": "The city."}
    assert place["properties"]["country"] == TEXT
    assert place["required"] == ["city"]


def test_a_dataclass_is_an_object_of_what_it_is_made_with() -> None:
    definitions: dict[str, Any] = {}

    schema_of(Passenger, definitions)

    passenger = definitions["Passenger"]
    assert list(passenger["properties"]) == ["name", "seats", "age"]
    assert passenger["required"] == ["name"]


def test_a_struct_is_an_object_under_the_names_that_json_has_and_may_hold_itself() -> None:
    definitions: dict[str, Any] = {}

    found = schema_of(Node, definitions)

    schema = {**found, "$defs": definitions}
    assert not validation_errors(schema, {"nodeName": "a", "children": [{"nodeName": "b"}]})
    assert validation_errors(schema, {"nodeName": "a", "children": [{"nodeName": 1}]})


def test_a_model_of_pydantic_gives_its_own_schema_with_what_it_refers_to() -> None:
    definitions: dict[str, Any] = {}

    found = schema_of(list[Model], definitions)

    schema = {**found, "$defs": definitions}
    assert not validation_errors(
        schema, [{"inner": {"depth": 1}, "again": {"inner": {"depth": 2}}}]
    )
    assert validation_errors(schema, [{"inner": {"depth": 1}, "again": {"inner": {"depth": "2"}}}])


def test_classes_of_the_same_name_keep_apart() -> None:
    first: type = dataclass(type("Same", (), {"__annotations__": {"a": int}}))
    second: type = dataclass(type("Same", (), {"__annotations__": {"b": str}}))
    definitions: dict[str, Any] = {}

    found = [schema_of(kind, definitions) for kind in (first, second, first)]

    assert found == [{"$ref": f"#/$defs/{name}"} for name in ("Same", "Same2", "Same")]
    assert list(definitions["Same2"]["properties"]) == ["b"]


def test_one_annotation_that_nobody_can_look_up_does_not_lose_the_others() -> None:
    def function(city: str, strange: Missing) -> None:  # type: ignore[name-defined]  # noqa: F821  (what the test is about)
        """Take a name that does not exist."""

    assert hints_of(function) == {"city": str, "return": type(None)}


def test_an_owner_without_annotations_has_no_hints() -> None:
    assert hints_of(SimpleNamespace()) == {}


@pytest.mark.parametrize(
    ("schema", "note", "said"),
    [
        (TEXT, "The city.", {"description": "The city."}),
        (
            TEXT,
            msgspec.Meta(description="It.", pattern="^a"),
            {"description": "It.", "pattern": "^a"},
        ),
        (TEXT, msgspec.Meta(min_length=1, max_length=3), {"minLength": 1, "maxLength": 3}),
        ({"type": "array"}, msgspec.Meta(min_length=2), {"minItems": 2}),
        ({"type": "object"}, msgspec.Meta(max_length=2), {"maxProperties": 2}),
        ({}, msgspec.Meta(max_length=2), {}),
        (NUMBER, msgspec.Meta(ge=1, lt=5), {"minimum": 1, "exclusiveMaximum": 5}),
        (NUMBER, msgspec.Meta(gt=1, le=5), {"exclusiveMinimum": 1, "maximum": 5}),
        (NUMBER, msgspec.Meta(multiple_of=5), {"multipleOf": 5}),
        (TEXT, msgspec.Meta(examples=["a"]), {"examples": ["a"]}),
        (TEXT, msgspec.Meta(extra_json_schema={"format": "email"}), {"format": "email"}),
        (
            NUMBER,
            pydantic.Field(gt=0, description="It."),
            {"exclusiveMinimum": 0, "description": "It."},
        ),
        (TEXT, Ellipsis, {}),
        (TEXT, str.title, {}),
    ],
    ids=str,
)
def test_a_note_adds_what_it_says(schema: dict[str, Any], note: Any, said: dict[str, Any]) -> None:
    assert with_notes(schema, [note]) == {**schema, **said}


def test_the_schema_of_the_type_itself_stays_as_it_is() -> None:
    schema = {"type": "string"}

    with_notes(schema, ["It."])

    assert schema == {"type": "string"}
