"""The inputs of the tools that read the history."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest

from callscore.errors import InvalidCall
from callscore.integrations.history_fields import (
    CASE_FIELDS,
    COMPARE_FIELDS,
    GATE_FIELDS,
    LIST_FIELDS,
    RUN_FIELDS,
    input_schema,
    read_fields,
)

EVERY = (LIST_FIELDS, RUN_FIELDS, CASE_FIELDS, COMPARE_FIELDS, GATE_FIELDS)


@pytest.mark.parametrize("fields", EVERY)
def test_the_defaults_are_as_the_schema_says(fields: Any) -> None:
    given = {"case": "oslo"} if "case" in fields else {}

    found = read_fields(given, fields)

    jsonschema_rs.validate(input_schema(fields), found)
    assert read_fields({**dict.fromkeys(fields), **given}, fields) == found


@pytest.mark.parametrize("given", [7, "7", 7.0])
def test_numbers_are_read_as_models_send_them(given: Any) -> None:
    assert read_fields({"limit": given}, LIST_FIELDS)["limit"] == 7


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "expected an object with case, run, limit, offset, got"),
        ({}, "case: missing. The id of the case"),
        ({"case": 1}, "case: expected text, got"),
        ({"case": "x" * 1_001}, "case: the text is too long: the limit is 1,000 characters."),
        ({"case": "a", "offset": -1}, "offset: expected an integer from 0 to 100,000, got -1."),
        ({"case": "a", "limit": 0}, "limit: expected an integer from 1 to 100, got 0."),
        ({"case": "a", "limit": 101}, "got 101. How many trials to return"),
        ({"case": "a", "limit": "9" * 30}, "limit: expected an integer"),
        ({"case": "a", "limit": True}, "limit: expected an integer"),
        ({"case": "a", "limit": 1.5}, "limit: expected an integer"),
        ({"case": "a", "lmit": 1}, "unknown field 'lmit'. Did you mean 'limit'?"),
        ({"case": "a", 1: 1}, "keys of objects must be strings"),
    ],
)
def test_wrong_input_says_what_to_send(arguments: Any, told: str) -> None:
    with pytest.raises(InvalidCall) as caught:
        read_fields(arguments, CASE_FIELDS)

    assert told in str(caught.value)


def test_a_choice_that_there_is_not_is_refused() -> None:
    with pytest.raises(InvalidCall, match=r"fail_on: unknown value 'brokn'\. Did you mean"):
        read_fields({"fail_on": "brokn"}, GATE_FIELDS)
