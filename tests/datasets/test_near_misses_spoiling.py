"""Values and names that are a little wrong."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.equality import equal, json_type
from callscore.datasets.near_misses import invalid_values, similar_names, values_of_other_types

VALUES = ["text", "", 5, 2.5, True, None, ["a"], [], {"a": 1}, {}]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_the_first_other_type_is_another_type(value: Any) -> None:
    assert all(json_type(other) != json_type(value) for other in values_of_other_types(value)[:1])


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_invalid_values_keep_the_type(value: Any) -> None:
    found = invalid_values(value)

    assert all(json_type(other) == json_type(value) for other in found)
    assert not value or isinstance(value, bool) or not all(equal(value, other) for other in found)


def test_long_texts_do_not_grow_without_end() -> None:
    assert max(map(len, invalid_values("x" * 10_000))) < 20_000


def test_strange_names_are_not_the_name() -> None:
    assert "get_weather" not in similar_names("get_weather")
