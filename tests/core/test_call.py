"""Marks for what is not JSON."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from callscore.core.call import (
    FaultyArray,
    FaultyObject,
    Malformed,
    excerpt,
    malformed_part,
    split_concatenated_objects,
)

FAULT = Malformed("NaN", "NaN is not a JSON number")


def test_a_faulty_container_is_still_the_container_it_was() -> None:
    members = FaultyObject({"a": FAULT}, FAULT)
    items = FaultyArray([FAULT], FAULT)

    assert members == {"a": FAULT}
    assert items == [FAULT]
    assert malformed_part(members) is malformed_part(items) is FAULT


def test_a_faulty_container_keeps_its_fault_when_it_is_pickled() -> None:
    members = pickle.loads(pickle.dumps(FaultyObject({"a": 1}, FAULT)))  # noqa: S301  (our own)

    assert members == {"a": 1}
    assert malformed_part(members) == FAULT


def test_an_excerpt_has_2000_characters_and_says_that_more_was_there() -> None:
    assert excerpt("x" * 2000) == "x" * 2000
    assert excerpt("x" * 2001) == "x" * 2000 + "…"


# Objects, one after another.


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1}', [{"a": 1}]),
        ('{"a": 1}{"b": 18446744073709551617}', [{"a": 1}, {"b": 18446744073709551617}]),
        (' \r\n{"a": 1}\n\t{} ', [{"a": 1}, {}]),
        ("{}" + " " * 5000 + "{}", [{}, {}]),
        ("", []),
        ('{"a": 1}[2]', []),
        ('{"a": 1} thanks', []),
        ('{"a": NaN}{}', []),
        ('{}{"a"', []),
        ("[" * 100_000, []),
    ],
    ids=range(10),
)
def test_only_objects_may_follow_one_another(text: str, found: list[Any]) -> None:
    assert split_concatenated_objects(text) == found


def test_whoever_only_counts_needs_no_numbers() -> None:
    text = '{"a": ' + "9" * 5000 + "}{}"

    assert repr(split_concatenated_objects(text)[0]["a"]) == "9" * 5000
    assert len(split_concatenated_objects(text, parse_int=str)) == 2
