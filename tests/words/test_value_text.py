"""Calls, numbers, scores and runs as short text, and values as safe JSON."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from enum import IntEnum
from math import inf, nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.encoders import accepted_by_all, nested
from tests.reports.runs import FINE, MIXED, VARIANTS

from callscore.core.call import NOT_CAPTURED, ToolCall
from callscore.core.rendering import display_width
from callscore.core.results import EvaluationResults, RunResults, Unloaded
from callscore.core.rules import Matcher
from callscore.core.summary import Summary, ToolCounts
from callscore.words.value_text import (
    arguments_text,
    call_text,
    confused_tools,
    decimal,
    encode_json,
    exact_decimal,
    exact_percent,
    forbidden_tools,
    json_safe,
    name_text,
    percent,
    rating,
    rating_meaning,
    run_text,
    sparkline,
    worst_arguments,
    worst_faults,
    worst_tools,
)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (ToolCall("f", {"city": "Oslo", "days": 2}), 'f(city="Oslo", days=2)'),
        (ToolCall("f", {}), "f()"),
        (ToolCall("f"), "f(any arguments)"),
        (ToolCall("f", {"on": Matcher("$date", "2024-01-15")}), 'f(on=$date "2024-01-15")'),
        (ToolCall("f", raw="{oops", error="truncated_json"), 'f("{oops")'),
        (ToolCall("f", error=NOT_CAPTURED), "f(?)"),
        (ToolCall("\x1b[31m", {"a\n": "\x00"}), 'f(a\\n="\\u0000")'.replace("f", "\\u001b[31m")),
    ],
)
def test_a_call_is_written_as_one_would_write_it(call: ToolCall, text: str) -> None:
    assert call_text(call, limit=100) == text


@given(st.text(min_size=1), st.dictionaries(st.text(), st.text()), st.integers(1, 60))
def test_a_call_takes_no_more_room_than_there_is(
    name: str, arguments: dict[str, str], limit: int
) -> None:
    text = call_text(ToolCall(name, arguments), limit=limit)

    assert display_width(text) <= limit
    assert text.isprintable()


def test_long_names_and_arguments_are_cut() -> None:
    assert name_text("x" * 1000, limit=5) == "xxxx…"
    assert arguments_text(ToolCall("f", {"a": "x" * 1000}), limit=10) == '(a="xxxx…)'


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


# Numbers as a line of small bars.


@pytest.mark.parametrize(
    ("shares", "line"),
    [
        ([], ""),
        ([0.0, 0.5, 1.0], "▁▅█"),
        ([0.2, 0.4, 0.6, 0.8], "▁▃▆█"),
        ([1.0, 0.0], "█▁"),
    ],
)
def test_the_lowest_share_has_the_lowest_bar_and_the_highest_the_highest(
    shares: list[float], line: str
) -> None:
    assert sparkline(shares) == line


def test_a_small_step_looks_small() -> None:
    assert sparkline([0.50, 0.51]) == "▄▅"
    assert sparkline([0.50, 0.60]) == "▁█"


@pytest.mark.parametrize(("share", "line"), [(0.0, "▁▁"), (0.5, "▅▅"), (1.0, "██")])
def test_shares_that_are_all_alike_stand_where_they_belong(share: float, line: str) -> None:
    assert sparkline([share, share]) == line


@given(st.lists(st.floats(0, 1), min_size=1, max_size=50))
def test_there_is_a_bar_for_each_and_a_higher_share_never_has_a_lower_one(
    shares: list[float],
) -> None:
    line = sparkline(shares)

    assert len(line) == len(shares)
    in_order = [bar for _, bar in sorted(zip(shares, line, strict=True))]
    assert in_order == sorted(in_order)


def test_an_evaluation_is_a_line_with_its_scorers() -> None:
    lines = str(VARIANTS).splitlines()

    assert len(lines) == 3
    assert lines[2] == (
        "assistant [small]: 4 of 7 passed, 1 error; tool_called 0.833, parameters_valid 0.750,"
        " accuracy 0.667 (required ≥ 0.800)"
    )
    assert str(FINE).count("\n") == 0
    assert " < " not in str(FINE)


def test_what_went_wrong_follows() -> None:
    lines = str(MIXED).splitlines()

    assert "polite - (required ≥ 0.500)" in str(MIXED)
    assert lines[-3:] == [
        "evals/eval_broken.py:3: ModuleNotFoundError: No module named 'wether'",
        "interrupted",
        "Nothing was kept: the disk is full (.callscore/history.db).",
    ]


def test_names_are_escaped_and_a_run_may_be_empty() -> None:
    bare = EvaluationResults(name="a\x1b", place="", results=FINE.evaluations[0].results)
    run = RunResults(evaluations=(bare,), unloaded=(Unloaded("b\x1b", "c\x1b"),))

    assert run_text(run) == "a\\u001b: 0 of 0 passed\nb\\u001b: c\\u001b"
    assert run_text(RunResults()) == "nothing was run"


def test_tools_with_the_most_wrong_calls_come_first() -> None:
    summary = Summary(
        tools={
            "fine": ToolCounts(correct=9),
            "b": ToolCounts(missed=2),
            "worst": ToolCounts(correct=5, incorrect=1, missed=1, extra=1),
            "a": ToolCounts(extra=2),
        }
    )

    assert [tool for tool, _ in worst_tools(summary)] == ["worst", "a", "b", "fine"]


def test_arguments_wrong_most_often_come_first() -> None:
    summary = Summary(wrong_arguments={("f", "b"): 1, ("g", "a"): 3, ("f", "a"): 1})

    assert worst_arguments(summary) == [("g", "a", 3), ("f", "a", 1), ("f", "b", 1)]


def test_arguments_whose_keys_are_not_texts_are_in_order_too() -> None:
    keys: list[Any] = ["b", None, 1, ("x", 2), "a"]
    summary = Summary(wrong_arguments={("f", key): 1 for key in keys})

    assert [key for _, key, _ in worst_arguments(summary)] == [("x", 2), 1, None, "a", "b"]


def test_tools_confused_most_often_come_first_and_nothing_is_left_out() -> None:
    summary = Summary(confusion={("b", None): 1, (None, "x"): 1, ("a", "x"): 2})

    assert confused_tools(summary) == [("a", "x", 2), (None, "x", 1), ("b", None, 1)]


def test_tools_that_must_not_be_called_and_were_come_before_all_others() -> None:
    summary = Summary(
        tools={
            "wrong": ToolCounts(missed=9),
            "b": ToolCounts(extra=1, forbidden=1),
            "a": ToolCounts(extra=1, forbidden=1),
            "worst": ToolCounts(extra=2, forbidden=2),
        }
    )

    assert [tool for tool, _ in worst_tools(summary)] == ["worst", "a", "b", "wrong"]
    assert forbidden_tools(summary) == [("worst", 2), ("a", 1), ("b", 1)]


def test_faults_found_most_often_come_first() -> None:
    summary = Summary(faults={("f", "wrong_type"): 1, ("g", "malformed"): 3, ("f", "malformed"): 1})

    assert worst_faults(summary) == [
        ("g", "malformed", 3),
        ("f", "malformed", 1),
        ("f", "wrong_type", 1),
    ]


@pytest.mark.parametrize(
    ("value", "as_percent", "as_decimal"),
    [
        (0.89952, "89.9%", "0.899"),
        (0.9, "90.0%", "0.900"),
        (0.6996, "69.9%", "0.699"),
        (0.49999, "49.9%", "0.499"),
        (0.9996, "99.9%", "0.999"),
        (1.0, "100.0%", "1.000"),
        (0.0004, "0.1%", "0.001"),
        (0.0, "0.0%", "0.000"),
        (2 / 3, "66.7%", "0.667"),
        (-0.0001, "-0.1%", "-0.001"),
        (1.0002, "100.1%", "1.001"),
        (1e30, "1" + "0" * 32 + "%", "1" + "0" * 30),
    ],
)
def test_numbers_are_rounded_to_the_side_of_a_border_that_they_are_on(
    value: float, as_percent: str, as_decimal: str
) -> None:
    assert (percent(value), decimal(value)) == (as_percent, as_decimal)


def test_more_decimals_are_shown_where_borders_are_too_close() -> None:
    assert decimal(0.8997, border=0.8995) == "0.8997"
    assert percent(0.84996, border=0.85) == "84.9%"
    assert percent(0.85, border=0.85) == "85.0%"
    assert percent(0.4996, places=0) == "49%"


def test_a_limit_is_shown_with_all_its_decimals() -> None:
    assert [exact_percent(limit) for limit in (1, 0.9, 0.8995)] == ["100.0%", "90.0%", "89.95%"]
    assert [exact_decimal(limit) for limit in (0, 0.9, 0.8995)] == ["0.000", "0.900", "0.8995"]


@given(
    st.floats(0, 1) | st.integers(0, 10_000).map(lambda part: part / 10_000),
    st.none() | st.floats(0, 1) | st.integers(0, 1000).map(lambda part: part / 1000),
    st.integers(0, 4),
)
def test_what_is_shown_is_on_the_same_side_of_every_border(
    value: float, border: float | None, places: int
) -> None:
    shown = float(decimal(value, places=places, border=border))
    in_percent = Decimal(percent(value, places=places, border=border)[:-1])

    for one in (0.5, 0.7, 0.9, *([] if border is None else [border])):
        assert (shown >= one) == (value >= one)
        assert (float(in_percent / 100) >= one) == (value >= one)
    for end in (0, 1):
        assert (shown == end) == (value == end) == (in_percent == 100 * end)
    assert abs(shown - value) <= 10**-places


@given(st.floats(0, 1))
def test_a_rating_never_contradicts_the_number_beside_it(score: float) -> None:
    assert rating(float(decimal(score))) == rating(score)


@pytest.mark.parametrize(
    ("score", "en", "ru"),
    [
        (
            1.0,
            "all tool calls match expected calls perfectly",
            "все вызовы инструментов точно совпадают с ожидаемыми",
        ),
        (0.95, "almost all tool calls are correct", "почти все вызовы инструментов корректны"),
        (0.7, "most tool calls are correct", "большинство вызовов инструментов корректны"),
        (
            0.5,
            "some tool calls are incorrect or missing",
            "часть вызовов инструментов некорректна или отсутствует",
        ),
        (
            0.1,
            "many tool calls are incorrect or missing",
            "многие вызовы инструментов некорректны или отсутствуют",
        ),
    ],
)
def test_every_rating_has_its_sentence(score: float, en: str, ru: str) -> None:
    assert rating_meaning(score, mode="strict", has_extra=False) == en
    assert rating_meaning(score, mode="strict", has_extra=False, lang="ru") == ru


def test_the_sentence_of_a_rating_is_true_of_extra_calls_and_flexible_pairs() -> None:
    meaning = rating_meaning(0.5, mode="strict", has_extra=True)

    assert meaning == "some tool calls are incorrect, missing or extra"
    assert "perfectly" not in rating_meaning(1.0, mode="flexible", has_extra=False)
