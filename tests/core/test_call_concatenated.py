"""Objects, one after another."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.call import split_concatenated_objects


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

    assert split_concatenated_objects(text) == []
    assert len(split_concatenated_objects(text, parse_int=str)) == 2
