"""Which calls count, in words."""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones are meant)

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import pytest

from callscore.core.call import ToolCall
from callscore.core.case import Forbidden, Group, Times
from callscore.core.counted_calls import Ignored
from callscore.core.score import Score
from callscore.core.settings import Settings
from callscore.words.explanation import expectation_lines, ignored_items, ignored_notes, short_name
from callscore.words.unpaired import order_matters

if TYPE_CHECKING:
    from callscore.core.case import Expected

A, B, C = (ToolCall(name, {}) for name in "abc")
Why = Literal["read", "failed", "repeated"]


def ignored(side: Literal["expected", "actual"], *whys: Why, name: str = "get") -> list[Ignored]:
    return [Ignored(ToolCall(name, {}), side, why) for why in whys]


def without(*calls: Ignored) -> Score:
    return Score((), (), 0, ignored=calls)


def written(*expectation: Expected, counting: int = 1, order: Any = "any") -> Score:
    return Score((A,) * counting, (), 0, settings=Settings(order=order), expectation=expectation)


def test_where_every_call_counts_nothing_is_said() -> None:
    assert ignored_notes(without(), "en") == []
    assert list(ignored_items(without(), "en")) == []


def test_calls_that_do_not_count_are_counted_by_side_and_reason() -> None:
    calls = [
        *ignored("actual", "repeated", "read", "read", "failed", "read", "read", "read"),
        *ignored("expected", "read"),
    ]

    assert ignored_notes(without(*calls), "en") == [
        "… 1 expected call not counted: 1 read",
        "… 7 actual calls not counted: 5 reads, 1 failed, 1 repeated",
    ]
    assert ignored_notes(without(*calls), "ru") == [
        "… не учтено: 1 эталонный вызов (1 чтение)",
        "… не учтено: 7 фактических вызовов (5 чтений, 1 с ошибкой, 1 повтор)",
    ]


def test_calls_that_do_not_count_are_listed_once_for_each_tool_and_reason() -> None:
    calls = [
        *ignored("expected", "read"),
        *ignored("actual", "read", "read", "failed"),
        *ignored("actual", "repeated", name="bo\nok"),
    ]

    assert list(ignored_items(without(*calls), "en")) == [
        "These calls do not count under the settings:",
        "- expected get: its tool only reads",
        "- actual get (2 times): its tool only reads",
        "- actual get: its result was an error",
        "- actual bo\\nok: the same call came before it",
    ]
    assert list(ignored_items(without(*calls), "ru"))[2] == (
        "- фактический get (2 раза): его инструмент только читает"
    )


def test_a_long_list_of_such_calls_is_cut_and_says_how_much_is_left() -> None:
    calls = [call for number in range(25) for call in ignored("actual", "read", name=f"t{number}")]

    lines = list(ignored_items(without(*calls), "en"))

    assert len(lines) == 22
    assert lines[-1] == "  … 5 more"


def test_a_list_of_plain_calls_needs_no_words() -> None:
    assert expectation_lines(Score((A,), (), 0), "en") == []
    assert expectation_lines(written(A), "en") == []


@pytest.mark.parametrize(
    "choice",
    [Group("one_of", (A, Group("in_order", (B, C)))), Group("optional", (A,)), Times(A, 1, 3)],
)
def test_where_there_is_a_choice_it_is_said_how_many_calls_count(choice: Expected) -> None:
    line, *_ = expectation_lines(written(choice, B, counting=2), "en")

    calls = 4 if isinstance(choice, Group) and choice.kind == "one_of" else 2
    assert line == (
        "Alternatives, optional calls and repeats are settled first: "
        f"calls written {calls}, calls that count 2."
    )


def test_the_calls_that_were_written_and_do_not_count_are_named() -> None:
    other = ToolCall("a", {"n": 1})
    score = written(A, *[Group("optional", (call,)) for call in (B, C, C, other)])

    _, line = expectation_lines(score, "en")
    _, russian = expectation_lines(score, "ru")

    assert line == "Not counted: b, c (2 times), a(n=1)."
    assert russian == "Не учитываются: b, c (2 раза), a(n=1)."


def test_a_long_list_of_what_does_not_count_is_cut() -> None:
    score = written(A, *[Group("optional", (ToolCall(f"t{n}", {}),)) for n in range(25)])

    _, line = expectation_lines(score, "en")

    assert line.endswith(", t19, … 5 more.")


def test_where_all_that_was_written_counts_nothing_more_is_said() -> None:
    assert len(expectation_lines(written(Group("optional", (A,))), "en")) == 1


def test_a_group_that_does_not_follow_the_order_of_the_list_is_mentioned() -> None:
    ordered, free = Group("in_order", (A, B)), Group("any_order", (A, B))
    ordered_line = "The members of an `in_order` group keep their order."
    free_line = "The members of an `any_order` group may come in any order."

    assert expectation_lines(written(ordered), "en") == [ordered_line]
    assert expectation_lines(written(Group("any_order", (ordered, C))), "en") == [ordered_line]
    assert expectation_lines(written(free), "en") == []
    assert expectation_lines(written(free, order="in_order"), "en") == [free_line]
    assert expectation_lines(written(ordered, order="in_order"), "en") == []


def test_what_must_not_be_called_is_named() -> None:
    score = written(A, Forbidden("delete_*"), Forbidden("\x1b[31m"))

    assert expectation_lines(score, "en") == ["Must not be called: delete_*, \\u001b[31m."]
    assert expectation_lines(score, "ru") == ["Нельзя вызывать: delete_*, \\u001b[31m."]


def test_order_matters_where_the_settings_or_a_group_anywhere_say_so() -> None:
    ordered = Group("in_order", (A, B))

    assert not order_matters(Score((A,), (), 0))
    assert not order_matters(written(Group("any_order", (A, B))))
    assert order_matters(written(Group("one_of", (A, ordered))))
    assert order_matters(written(A, order="exact"))


def test_groups_nested_ten_thousand_deep_are_counted() -> None:
    group = Group("optional", (A,))
    for _ in range(10_000):
        group = Group("optional", (group,))

    assert "calls written 1," in expectation_lines(written(group), "en")[0]


def test_a_long_name_is_cut() -> None:
    assert short_name("x" * 500) == "x" * 79 + "…"
