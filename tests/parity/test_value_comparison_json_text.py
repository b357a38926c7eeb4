"""The JSON text that Python's own encoder writes."""

from __future__ import annotations

import json  # noqa: TID251  (what it is compared with)
from typing import Any

import pytest

from callscore import NotScorable
from callscore.parity.value_comparison import json_round_trip, python_json_text


@pytest.mark.parametrize(
    "options",
    [{}, {"sort_keys": True}, {"ensure_ascii": False}, {"separators": (",", ":")}],
    ids=repr,
)
def test_it_is_what_dumps_gives(options: dict[str, Any]) -> None:
    value = {"b": [1, 1.0, True, None, float("nan"), 10**30], "a": "й\ud800"}

    assert python_json_text(value, **options) == json.dumps(value, **options)


@pytest.mark.parametrize("value", [{1, 2}, {"a": 1, 2: 3}, float], ids=repr)
def test_what_cannot_be_written_is_not_scored(value: Any) -> None:
    with pytest.raises(NotScorable, match="JSON"):
        python_json_text(value, sort_keys=True)


def test_what_is_nested_too_deeply_is_not_scored() -> None:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]

    with pytest.raises(NotScorable):
        python_json_text(value)


def test_what_is_written_and_read_again_is_what_loads_gives() -> None:
    value = {"a": (1, 1.0), 2: None}

    assert json_round_trip(value) == {"a": [1, 1.0], "2": None}


def test_every_nan_that_is_read_is_the_same() -> None:
    first, second = json_round_trip([float("nan"), float("nan")])

    assert first is second
