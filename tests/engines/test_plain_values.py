"""What is JSON already is saved as it is; the result is the same as with a copy."""

from __future__ import annotations

from datetime import date
from enum import Enum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.core.call import ToolCall
from callscore.core.expectation_json import contains_rule_keys
from callscore.engines.payloads import calls_payload, expected_payload
from callscore.engines.plain_values import call_fields, exact_json, is_json, plain_json
from callscore.words.plain_data import call_to_dict
from callscore.words.value_text import json_safe


class _Word(str, Enum):  # noqa: UP042  (its text is not its value)
    A = "a"


_SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(min_value=10**18, max_value=10**20),
    st.floats(),
    st.text(alphabet=st.characters(codec=None, exclude_categories=())),
    st.just("$x"),
    st.sampled_from([date(2024, 1, 15), b"bytes", _Word.A, 10**4200]),
)
_KEYS = st.one_of(st.text(max_size=3), st.sampled_from(["$contains", "\ud800"]), st.integers())
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(_KEYS, inner, max_size=3),
        st.tuples(inner),
    ),
    max_leaves=8,
)
_CALLS = st.builds(
    ToolCall,
    st.text(alphabet=st.characters(codec=None, exclude_categories=()), max_size=3),
    st.dictionaries(st.text(max_size=3), _VALUES, max_size=3) | st.none(),
    id=st.none() | st.text(max_size=2),
    step=st.none() | st.integers(0, 3),
    result=st.none() | _VALUES,
    failed=st.none() | st.booleans(),
    positional=st.booleans(),
)


def _same(one: Any, other: Any) -> bool:
    return repr(one) == repr(other)


@given(_VALUES)
def test_a_value_that_is_json_is_what_a_copy_is(value: Any) -> None:
    assert _same(plain_json(value), json_safe(value))
    assert _same(exact_json(value), json_safe(value, exact=True))


@given(_VALUES)
def test_keys_of_rules_are_found_wherever_they_are(value: Any) -> None:
    if is_json(value, has_rules=False):
        assert not contains_rule_keys(value)


@given(_CALLS)
def test_a_call_has_the_same_fields(call: ToolCall) -> None:
    assert _same(calls_payload([call]), [call_to_dict(call, exact=True)])


@given(_CALLS)
def test_an_expected_call_has_the_same_fields(call: ToolCall) -> None:
    if call_fields(call, has_rules=False) is not None:
        spelled = {
            name: json_safe(value, exact=True)
            for name in call.__struct_fields__
            if (value := getattr(call, name)) is not None and (value or name != "positional")
        }

        assert _same(expected_payload(call), spelled)


@pytest.mark.parametrize(
    "value",
    [(1,), {1: 2}, {"a": float("nan")}, {"a": "\ud800"}, {"\ud800": 1}, 2**63, _Word.A, b"", {1}],
)
def test_everything_else_is_not_json(value: Any) -> None:
    assert not is_json(value)
    assert not is_json([value])


def test_what_is_nested_deeply_is_left_to_the_careful_way() -> None:
    value: Any = 1
    for _ in range(60):
        value = [value]

    assert not is_json(value)
    assert is_json(value[0][0][0][0][0][0][0][0][0][0])


def test_what_is_json_is_not_copied() -> None:
    arguments = {"city": "Paris", "days": [1, 2.5, None, True], "é": {"a": "ü"}}

    fields = call_fields(ToolCall("weather", arguments))

    assert fields == {"name": "weather", "arguments": arguments}
    assert fields["arguments"] is arguments
    assert call_fields(ToolCall("weather", {"a": {"$x": 1}}), has_rules=False) is None
    assert call_fields(ToolCall("weather")) is None
    assert call_fields(ToolCall("weather", {}, result=(1,))) is None
