"""Calls and results, written down as they come."""

from __future__ import annotations

import re
from typing import Any

import pytest

from callscore.core.call import NOT_CAPTURED, ToolCall
from callscore.core.case import Group
from callscore.formats.trace import ReadOptions, Trace
from callscore.formats.transcript import Transcript


def results(transcript: Transcript) -> list[Any]:
    return [call.result for call in transcript.calls()]


def test_calls_come_out_in_the_order_in_which_they_were_written_down() -> None:
    transcript = Transcript()
    transcript.step()
    transcript.call("f", {"a": 1}, "1")
    transcript.call("g", '{"b": 2}', 2, kind="hosted")
    transcript.step()
    transcript.call("f", "{", None, caller="user")

    assert len(transcript) == 3
    assert transcript.trace(id="t") == Trace(
        calls=(
            ToolCall("f", {"a": 1}, id="1", step=0),
            ToolCall("g", {"b": 2}, id="2", step=0, kind="hosted"),
            ToolCall("f", None, step=1, raw="{", error="truncated_json", caller="user"),
        ),
        id="t",
    )


@pytest.mark.parametrize("name", [None, "", 5, [], {}])
def test_a_call_without_a_name_is_still_a_call(name: Any) -> None:
    transcript = Transcript()
    transcript.call(name, {})

    assert transcript.calls() == (ToolCall("", {}),)


@pytest.mark.parametrize("name", [1.5, [], {}, True, pytest.param(10**5000, id="huge")])
def test_an_id_that_is_neither_text_nor_a_number_is_none(name: Any) -> None:
    transcript = Transcript()
    transcript.call("f", {}, name)

    assert transcript.calls()[0].id is None


def test_an_error_given_by_a_trace_is_kept_unless_the_arguments_are_malformed_text() -> None:
    transcript = Transcript()
    transcript.call("f", {"a": 1}, error="could not be parsed")
    transcript.call("f", "{", error="could not be parsed")
    transcript.call("f", None, error=NOT_CAPTURED)

    assert transcript.calls() == (
        ToolCall("f", None, raw='{"a":1}', error="could not be parsed"),
        ToolCall("f", None, raw="{", error="truncated_json"),
        ToolCall("f", None, error=NOT_CAPTURED),
    )


def test_a_result_belongs_to_the_call_of_its_id() -> None:
    transcript = Transcript()
    transcript.call("f", {}, "1")
    transcript.call("f", {}, "2")
    transcript.result("b", "2")
    transcript.result("a", "1")
    transcript.result("nobody asked", "3")

    assert results(transcript) == ["a", "b"]


def test_of_calls_with_the_same_id_the_nearest_before_is_meant() -> None:
    transcript = Transcript()
    for text in ("a", "b"):
        transcript.step()
        transcript.call("f", {}, "same")
        transcript.result(text, "same")
    transcript.step()
    transcript.call("f", {}, "same")
    transcript.call("f", {}, "same")
    transcript.result("c", "same")
    transcript.result("d", "same")
    transcript.result("one too many", "same")

    assert results(transcript) == ["a", "b", "c", "d"]


def test_without_ids_names_and_order_tell() -> None:
    transcript = Transcript()
    transcript.step()
    transcript.call("f", {})
    transcript.step()
    transcript.call("f", {})
    transcript.call("g", {})
    transcript.call("f", {})
    transcript.result("g", name="g")
    transcript.result("first", name="f")
    transcript.result("second")
    transcript.result("earlier", name="f")

    assert results(transcript) == ["earlier", "first", "g", "second"]


def test_ids_may_be_numbers() -> None:
    transcript = Transcript()
    transcript.call("f", {}, 7)
    transcript.result("a", 7)

    assert results(transcript) == ["a"]


@pytest.mark.parametrize(
    ("result", "said", "failed"),
    [
        ("18C", None, False),
        ("Error: no such city", None, True),
        ("Error: no such city", False, False),
        ("18C", True, True),
        ([{"type": "text", "text": "Error!"}], None, True),
        ([{"type": "image"}], None, None),
        ({"error": "x"}, None, None),
        (None, None, None),
    ],
)
def test_a_failure_is_what_the_trace_says_or_else_what_the_text_says(
    result: Any, said: bool | None, failed: bool | None
) -> None:
    transcript = Transcript()
    transcript.call("f", {}, "1")
    transcript.result(result, "1", failed=said)

    (call,) = transcript.calls()
    assert (call.result, call.failed) == (result, failed)


def test_a_stack_has_its_own_words_for_a_failure() -> None:
    transcript = Transcript(failure=re.compile("^oops"))
    transcript.call("f", {}, "1")
    transcript.result("oops", "1")

    assert transcript.calls()[0].failed is True


def test_the_text_of_a_failure_can_be_chosen() -> None:
    transcript = Transcript(ReadOptions(failure=re.compile("(?i)fail")))
    transcript.call("f", {}, "1")
    transcript.result("It FAILED.", "1")

    assert transcript.calls()[0].failed


def test_a_call_that_stands_there_twice_is_one_where_the_stack_repeats_itself() -> None:
    for once, count in ((True, 3), (False, 4)):
        transcript = Transcript(once=once)
        transcript.call("f", {"a": 1}, "1")
        transcript.call("f", '{"a": 1}', "1")
        transcript.call("f", {"a": 2}, "1")
        transcript.call("f", {"a": 1})

        assert len(transcript) == count


def test_an_open_step_goes_on_until_it_is_closed() -> None:
    transcript = Transcript()
    for name in ("f", "g"):
        transcript.open_step()
        transcript.call(name, {})
    transcript.close_step()
    transcript.open_step()
    transcript.call("h", {})

    assert [call.step for call in transcript.calls()] == [0, 0, 1]


@pytest.mark.parametrize("flag", [None, "true", 1, []])
def test_a_failed_flag_that_is_not_a_boolean_is_ignored(flag: Any) -> None:
    transcript = Transcript()
    transcript.call("f", {}, "1")
    transcript.call("g", {}, "2")
    transcript.result("fine", "1", failed=flag)
    transcript.result("Error: no", "2", failed=flag)

    assert [call.failed for call in transcript.calls()] == [False, True]


def test_a_result_may_have_an_id_that_its_call_has_not() -> None:
    transcript = Transcript()
    transcript.call("f", {})
    transcript.call("g", {}, "1")
    transcript.result("for f", "made-up", name="f")
    transcript.result("for nobody", "made-up")
    transcript.result("not for g", "made-up", name="g")

    assert results(transcript) == ["for f", None]


def test_an_id_that_repeats_for_ever_costs_no_more_than_others() -> None:
    transcript = Transcript()
    for number in range(50_000):
        transcript.step()
        transcript.call("f", {}, "same")
        transcript.result(number, "same")

    assert results(transcript) == list(range(50_000))


def turns(transcript: Transcript) -> list[int | None]:
    return [call.turn for call in transcript.calls()]


def test_a_user_who_asks_again_after_an_answer_begins_a_turn() -> None:
    transcript = Transcript()
    for role in ("assistant", "user", "user", "system", "user"):
        transcript.role(role)
    transcript.call("f", {})
    transcript.role("tool")
    transcript.role("User")
    transcript.role("user")
    transcript.role("model")
    transcript.role("HUMAN")
    transcript.call("g", {})

    assert transcript.turn == 2
    assert turns(transcript) == [0, 2]


@pytest.mark.parametrize("role", [None, 7, ["user"], "developer", ""])
def test_other_roles_are_of_neither(role: Any) -> None:
    transcript = Transcript()
    for each in ("user", role, "user"):
        transcript.role(each)
    transcript.call("f", {})

    assert turns(transcript) == [None]


def test_a_call_of_the_user_is_not_an_answer() -> None:
    transcript = Transcript()
    transcript.role("user")
    transcript.call("f", {}, caller="user")
    transcript.role("user")
    transcript.call("g", {})

    assert turns(transcript) == [None, None]


def test_expected_calls_of_several_turns_are_a_group_for_each_turn() -> None:
    transcript = Transcript()
    for number, name in enumerate(("f", None, "g")):
        transcript.begin_turn(number)
        if name:
            transcript.call(name, {})

    assert transcript.expected() == (
        Group("turn", (ToolCall("f", {}),)),
        Group("turn", ()),
        Group("turn", (ToolCall("g", {}),)),
    )


def test_expected_calls_of_one_turn_are_not_grouped() -> None:
    transcript = Transcript()
    transcript.begin_turn(0)
    transcript.call("f", {})

    assert transcript.expected() == (ToolCall("f", {}),)


@pytest.mark.parametrize(
    ("roles", "expected"), [(("user",), [0]), (("assistant", "user"), [0]), (("system",), [None])]
)
def test_the_only_turn_has_a_number_if_the_options_ask_for_it(
    roles: tuple[str, ...], expected: list[int | None]
) -> None:
    transcript = Transcript(ReadOptions(numbers_turns=True))
    for role in roles:
        transcript.role(role)
    transcript.call("f", {})

    assert turns(transcript) == expected
