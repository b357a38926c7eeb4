"""What `Annotated` says beside a type."""

from __future__ import annotations

from typing import Any

import msgspec
import pydantic
import pytest

from callscore.formats.annotation_notes import with_notes

TEXT = {"type": "string"}
NUMBER = {"type": "number"}


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
