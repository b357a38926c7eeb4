"""Who makes a call is shown where it is not the agent."""

from __future__ import annotations

from typing import Any

import pytest

from callscore import ToolCall, score
from callscore.core.rendering import display_width
from callscore.words.callers import caller_suffix, other_caller_text
from callscore.words.diff import call_lines, calls_text
from callscore.words.diff_rows import plain_text
from callscore.words.explanation import explain
from callscore.words.value_text import call_text


def by(caller: str | None, name: str = "reboot", **arguments: Any) -> ToolCall:
    return ToolCall(name, arguments, caller=caller)


def test_nothing_is_said_of_the_agent() -> None:
    assert caller_suffix(by(None), "en") == caller_suffix(by("agent"), "ru") == ""
    assert call_text(by(None), limit=40) == "reboot()"


@pytest.mark.parametrize(
    ("caller", "english", "russian"),
    [
        ("user", "  by user", "  от пользователя"),
        ("subagent", "  by subagent", "  от субагента"),
        ("code", "  by code", "  от кода"),
        ("cron\n\x1b[31m", "  by cron\\n\\u001b[31m", "  от cron\\n\\u001b[31m"),
    ],
)
def test_another_caller_follows_the_call(caller: str, english: str, russian: str) -> None:
    assert caller_suffix(by(caller), "en") == english
    assert caller_suffix(by(caller), "ru") == russian
    assert call_text(by(caller, n=1), limit=60) == f"reboot(n=1){english}"


def test_a_long_caller_is_cut() -> None:
    assert display_width(caller_suffix(by("x" * 5000), "en")) <= 30
    assert display_width(call_text(by("x" * 5000), limit=20)) <= 20


def test_a_call_that_another_made_says_who_should_have() -> None:
    assert other_caller_text(by(None), by("user"), "en") == (
        "made by the agent, expected of the user"
    )
    assert other_caller_text(by("cron"), by(None), "ru") == "сделан cron, ожидался от агента"


def test_a_wrong_caller_is_shown_on_both_sides_and_explained() -> None:
    missed = score([by("user"), by("user", "look")], [by(None), by("user", "look")])

    assert calls_text(missed) == (
        "  Expected            Actual\n"
        "- reboot()  by user\n"
        "    made by the agent, expected of the user\n"
        "+                     reboot()\n"
        "= look()  by user     look()  by user"
    )
    assert plain_text(call_lines(missed)) == calls_text(missed)
    text = explain(missed)
    assert "- expected 1 reboot by user: missed, made by the agent, expected of the user" in text
    assert "- actual 1 reboot: extra, made by the agent, expected of the user" in text
    assert "- expected 2 look by user with actual 2: correct" in text
    assert "сделан агентом, ожидался от пользователя" in calls_text(missed, lang="ru")


@pytest.mark.parametrize("order", ["any", "in_order", "exact"])
def test_a_wrong_caller_is_not_a_wrong_order(order: Any) -> None:
    swapped = score([by("user"), by(None)], [by("subagent"), by("code")], order=order)

    assert "order" not in calls_text(swapped)
    assert "made by a subagent, expected of the user" in calls_text(swapped)


def test_a_call_of_the_right_caller_in_the_wrong_order_is_out_of_order() -> None:
    expected = [by("user", "a"), by(None, "b")]

    late = score(expected, [by(None, "b"), by("user", "a"), by(None, "a")], order="in_order")

    assert "called, but not in this order" in calls_text(late)
    assert "expected of" not in calls_text(late)


def test_where_no_caller_is_expected_the_actual_one_is_shown() -> None:
    paired = score([by(None)], [by("user")], callers=["agent", "user"])
    wrong = score([by(None, n=1)], [by("user", n=2)], callers=["agent", "user"])

    assert calls_text(paired).splitlines()[1] == "= reboot()   reboot()  by user"
    assert calls_text(wrong).splitlines()[1] == "~ reboot     reboot  by user"
    assert "- expected 1 reboot with actual 1 by user: correct" in explain(paired)


@pytest.mark.parametrize("width", [40, 44, 60])
@pytest.mark.parametrize(
    "expected", [by("user"), by("user", text="a long text " * 9), by("user", "n" * 60, a=1)]
)
def test_a_caller_has_room_in_narrow_columns(expected: ToolCall, width: int) -> None:
    for actual in (expected, by(None), by("user", expected.name, other="text " * 9)):
        found = score([expected], [actual])
        lines = calls_text(found, width=width).split("\n")

        assert max(map(display_width, lines)) <= width
        assert plain_text(call_lines(found, width=width)) == "\n".join(lines)


def test_a_free_call_of_another_caller_explains_what_was_missed() -> None:
    found = score([by("user", n=1)], [by(None, n=1), by(None, "x")], extra_calls="free")
    other = score([by("user", n=1)], [by(None, n=2)], extra_calls="free")

    assert "made by the agent, expected of the user\n" in calls_text(found)
    assert "made by the agent, expected of the user: reboot(n=2)" in calls_text(other)


def test_calls_that_do_not_count_are_listed_with_their_callers() -> None:
    made = [by(None), by("user"), by("user")]
    found = score([], made, extra_calls="free", callers=["agent", "user"])

    assert "- actual reboot: extra, and free" in explain(found)
    assert "- actual reboot by user (2 times): extra, and free" in explain(found)
