from __future__ import annotations

from datetime import date
from enum import IntEnum
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.encoders import accepted_by_all, nested

from callscore.core.rules import Matcher
from callscore.words.value_text import encode_json, json_safe


class Level(IntEnum):
    HIGH = 3


@pytest.mark.parametrize(
    ("value", "exported"),
    [
        (None, None),
        (True, True),
        (1.5, 1.5),
        (2**70, 2**70),
        (Level.HIGH, 3),
        (nan, "NaN"),
        (-inf, "-Infinity"),
        ((1, [2]), [1, [2]]),
        ({1: "a", "b": {"c": nan}}, {"1": "a", "b": {"c": "NaN"}}),
        (date(2024, 1, 15), "datetime.date(2024, 1, 15)"),
        ({7}, "{7}"),
        ("a\ud800b", "a\\ud800b"),
        ("поиск", "поиск"),
        (
            [Matcher("$approx", 1.5, {"abs": nan}), Matcher("$one_of", [Matcher("$type", "null")])],
            [{"$approx": 1.5, "abs": "NaN"}, {"$one_of": [{"$type": "null"}]}],
        ),
        pytest.param(10**5000, "1" + "0" * 5000, id="an integer too long to print"),
    ],
)
def test_what_json_does_not_know_becomes_text(value: object, exported: object) -> None:
    assert accepted_by_all(json_safe(value)) == exported


def test_deep_values_are_kept_up_to_a_depth_that_every_encoder_can_follow() -> None:
    assert json_safe(nested(90)) == nested(90)
    assert encode_json(nested(100_000)).startswith(b"[" * 100 + b'"[[[[')
    accepted_by_all(json_safe({"a": nested(100_000)}))


def test_integers_keep_all_their_digits_in_json() -> None:
    assert encode_json({"n": [2**64, -(2**63) - 1, 10**30]}) == (
        b'{"n":[18446744073709551616,-9223372036854775809,1000000000000000000000000000000]}'
    )


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.dates() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner),
    max_leaves=8,
)


@given(ANYTHING)
def test_every_encoder_accepts_whatever_was_called(value: object) -> None:
    accepted_by_all(json_safe(value))


@given(ANYTHING)
def test_a_plain_value_stays_as_it_is(value: object) -> None:
    once = json_safe(value)

    assert json_safe(once) == once
