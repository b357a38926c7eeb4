"""What the text in a cell of a table stands for."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.call import Malformed, malformed_part
from callscore.sources.tables import read_cell

OPENINGS = ("{", "[", '"')


def read(text: str) -> Any:
    return read_cell(text, openings=OPENINGS)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, null]}', {"a": [1, None]}),
        (' \n[{"name": "f"}] ', [{"name": "f"}]),
        ('"quoted"', "quoted"),
        ("[]", []),
        ("[12345678901234567890123]", [12345678901234567890123]),
    ],
)
def test_a_cell_that_begins_like_json_is_its_value(text: str, value: Any) -> None:
    assert read(text) == value


@pytest.mark.parametrize(
    "text", ["0", "1.5", "true", "null", "NaN", "Book me on UA123", " Москва "]
)
def test_any_other_cell_is_text(text: str) -> None:
    assert read(text) == text


@pytest.mark.parametrize(
    "text", ['{"a": 1', "[urgent] book a flight", '"Yes", she said', "[get_weather(city='Paris')]"]
)
def test_a_cell_that_only_begins_like_json_stays_text(text: str) -> None:
    assert read(text) == text


def test_only_what_is_asked_for_is_taken_as_json() -> None:
    assert read_cell('"quoted"', openings=("{", "[")) == '"quoted"'


def test_what_is_malformed_in_the_json_is_marked() -> None:
    value = read('{"a": NaN, "b": 1}')

    assert value == {"a": Malformed("NaN", "NaN is not a JSON number"), "b": 1}
    assert malformed_part(value) is not None


def test_bytes_that_are_not_utf_8_are_marked_in_json_and_in_text() -> None:
    text = b'{"a": "caf\xe9"}'.decode("utf-8", "surrogateescape")

    assert read(text) == {"a": Malformed('"caf\\xe9"', "bytes that are not UTF-8")}
    assert read("caf\udce9") == Malformed("caf\\xe9", "bytes that are not UTF-8")
