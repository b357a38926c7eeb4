"""The score of a case as JSON, which is the same however it was encoded."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import Enum, IntEnum
from math import inf, nan
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.core.encoders import nested

from callscore import expect
from callscore.core.call import FaultyObject, Malformed, ToolCall
from callscore.core.case import Forbidden, Group, Times
from callscore.core.counted_calls import Ignored
from callscore.core.large_number import LargeNumber
from callscore.core.results import CaseScore, MetricValue
from callscore.core.rules import Matcher
from callscore.core.score import Fault, Score
from callscore.core.scoring import score_calls
from callscore.core.settings import ArgumentRule, Settings
from callscore.words import case_json, plain_data
from callscore.words.case_json import case_to_json, plain_case_to_json
from callscore.words.plain_data import case_to_dict
from callscore.words.value_text import json_safe

if TYPE_CHECKING:
    from callscore.core.phrases import Language


class Word(str, Enum):  # noqa: UP042  (`str` of a `StrEnum` is its text)
    """A text that an encoder and `str` write differently."""

    RED = "red"


class Number(IntEnum):
    ONE = 1


class Text(str):
    __slots__ = ()


class Object(dict[str, Any]):
    pass


ODD: list[Any] = [
    *(nan, inf, -inf, 10**4000, -(10**4000), 10**30, 2**64, 1e308, -0.0),
    *(Word.RED, Number.ONE, Text("x"), Object(a=1), (1, 2), {1, 2}, b"bytes", 1j, object),
    *(datetime(2026, 1, 1, tzinfo=UTC), LargeNumber("1", 400, is_negative=False)),
    *({1: "a", "1": "b"}, {None: 1}, {Word.RED: 1}, {(1, 2): 3}, {"$x": 1}, {"a": {"$literal": 1}}),
    *("\ud800", {"\udc80": "x"}, "##[x]", "\u200b", "\x7f", "привет", "$5", 'a"b\\'),
    *(Matcher("$contains", "x"), [Matcher("$any")], {"a": Matcher("$approx", 1, {"abs": nan})}),
    *(Malformed("{", "cut"), FaultyObject({"a": Malformed("{", "cut")}, Malformed("{", "cut"))),
    *(nested(88), nested(94), nested(99), nested(120), [[[{"a": [nan]}]]]),
]
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)
VALUES = PLAIN | st.sampled_from(ODD)
ARGUMENTS = st.dictionaries(st.sampled_from(["a", "b", "$c", "é"]), VALUES, max_size=3)
NAMES = st.sampled_from(["f", "g", "f", Word.RED, Text("f"), "\ud800"])
EXPECTED = st.lists(st.builds(ToolCall, NAMES, st.none() | ARGUMENTS), max_size=3)
ACTUAL = st.lists(
    st.builds(
        ToolCall,
        NAMES,
        ARGUMENTS,
        id=st.sampled_from([None, None, None, "call_1", Word.RED]),
        result=st.none() | VALUES,
        failed=st.sampled_from([None, False]),
        positional=st.booleans(),
        error=st.sampled_from([None, None, None, "invalid_json"]),
    ),
    max_size=3,
)
SETTINGS = st.sampled_from(
    [
        Settings(),
        Settings(),
        Settings(mode="flexible"),
        Settings(order="in_order"),
        Settings(arrays="unordered", nested_objects="subset"),
        Settings(arguments=(ArgumentRule("f.a", "contains"),)),
    ]
)


def careful(case: CaseScore, lang: Language = "en", depth: int = 0) -> bytes:
    """What the report is defined as: plain data, every value of which is made safe."""
    return msgspec.json.encode(json_safe(case_to_dict(case, lang=lang), depth=depth))


@given(EXPECTED, EXPECTED, ACTUAL, SETTINGS, st.sampled_from(["en", "ru"]))
def test_a_case_is_encoded_as_its_plain_data(
    expected: list[ToolCall],
    made: list[ToolCall],
    others: list[ToolCall],
    settings: Settings,
    lang: Language,
) -> None:
    score = score_calls(tuple(expected), (*expected, *made, *others)[-4:], settings)
    case = CaseScore(id="a", score=score)

    assert case_to_json(case, lang=lang) == careful(case, lang)
    assert case_to_json(case, lang=lang, depth=2) == careful(case, lang, depth=2)


@pytest.mark.parametrize("value", ODD, ids=lambda value: str(type(value)))
def test_what_an_encoder_would_write_otherwise_is_written_safely(value: Any) -> None:
    calls = (ToolCall("f", {"a": value, "b": [value]}), ToolCall("f", {"a": {"b": value}}))
    for score in (
        score_calls((), calls, Settings()),
        score_calls((ToolCall("f", {"a": 1}),), calls, Settings()),
        score_calls((ToolCall("f", {"x": value}),), (), Settings()),
    ):
        case = CaseScore(id="a", score=score)

        assert case_to_json(case) == careful(case)
        assert case_to_json(case, depth=2) == careful(case, depth=2)


def scored() -> Score:
    expected = (ToolCall("f", {"a": 1}), ToolCall("g", {"b": [1.5, None]}), ToolCall("h", {}))
    actual = (ToolCall("f", {"a": 1}), ToolCall("g", {"b": []}, id="call_2"), ToolCall("i"))
    return score_calls(expected, actual, Settings())


@pytest.mark.parametrize(
    "case",
    [
        CaseScore(id="a", score=scored()),
        CaseScore(id=Word.RED, score=scored(), trial=2, tags=("x", Text("y"))),
        CaseScore(id="\ud800", score=scored(), trial="\ud800"),
        CaseScore(id="a", score=scored(), metrics=(MetricValue("m", nan, "\ud800"),)),
        CaseScore(id="a", score=scored(), metrics=(MetricValue("m", is_broken=True),)),
        CaseScore(
            id="a",
            score=replace(
                scored(),
                forbidden=(2,),
                expectation=(
                    Group("any_order", (ToolCall("f", {"a": Matcher("$any")}), ToolCall("g"))),
                    Times(ToolCall("h"), 0, None),
                    ToolCall("$g", {"$a": 1}),
                    Forbidden("i"),
                ),
                ignored=(
                    Ignored(ToolCall("k", {"$a": 1}), "expected", "read"),
                    Ignored(ToolCall("k", {"a": nan}), "actual", "failed"),
                ),
                faults=(Fault("wrong_type", "f", 0, "$.a", required="x", value={1, 2}),),
            ),
        ),
    ],
)
def test_every_kind_of_field_is_encoded_as_its_plain_data(case: CaseScore) -> None:
    assert case_to_json(case) == careful(case)
    assert case_to_json(case, lang="ru") == careful(case, "ru")


def test_a_usual_case_is_not_walked_through_value_by_value(monkeypatch: pytest.MonkeyPatch) -> None:
    case = CaseScore(id="a", score=scored())
    expected = careful(case)
    walked: list[Any] = []

    def watched(value: Any, **options: Any) -> Any:
        if isinstance(value, dict | list | tuple) and value:
            walked.append(value)
        return json_safe(value, **options)

    case_to_json(case)  # now the settings are encoded
    monkeypatch.setattr(plain_data, "json_safe", watched)
    monkeypatch.setattr(case_json, "json_safe", watched)

    assert plain_case_to_json(case) == case_to_json(case) == expected
    assert walked == []


def test_the_settings_of_the_next_case_may_be_others() -> None:
    for settings in (Settings(), Settings(mode="flexible"), Settings()):
        case = CaseScore(id="a", score=score_calls((), (), settings))

        assert case_to_json(case) == careful(case)


def test_only_so_many_counts_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_data, "_MOST_COUNTED", 2)
    monkeypatch.setattr(plain_data, "_counted_before", {})

    for length in range(7):
        score = score_calls((), (ToolCall("f", {}),) * length, Settings())
        assert plain_data.score_to_dict(score)["total_actual"] == length

    assert len(plain_data._counted_before) <= 2


def test_rules_in_python_are_written_as_in_a_file() -> None:
    score = score_calls(
        (ToolCall("f", {"a": expect.contains("x"), "b": 1}),),
        (ToolCall("f", {"a": "y", "b": 1}),),
        Settings(),
    )

    found = msgspec.json.decode(case_to_json(CaseScore(id="a", score=score)))

    assert found["incorrect"][0]["expected"]["arguments"] == {"a": {"$contains": "x"}, "b": 1}
