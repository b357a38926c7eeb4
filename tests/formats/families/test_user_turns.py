"""How often a user asked again, in what a model received."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from callscore.formats.families.user_turns import count_turns

ASK = {"role": "user", "content": "q"}
ANSWER = {"role": "assistant", "content": "a"}
SYSTEM = {"role": "system", "content": "s"}


@pytest.mark.parametrize(
    ("messages", "count"),
    [
        ([], None),
        ([SYSTEM, ANSWER], None),
        ([SYSTEM, ASK], 0),
        ([ANSWER, ASK, ASK], 0),
        ([ASK, SYSTEM, ASK], 0),
        ([ASK, ANSWER, ASK], 1),
        ([ASK, ANSWER, ASK, ANSWER, ASK], 2),
        ([ASK, ANSWER, {"role": "user", "content": "Observation: 18"}], 0),
        ([ASK, ANSWER, {"role": "user", "content": "[18]"}], 1),
        ([ASK, ANSWER, {"role": "user", "content": [{"tool_use_id": "1"}]}], 0),
        ([ASK, ANSWER, {"role": "user", "content": '[{"type": "tool_result"}]'}], 0),
        ([ASK, ANSWER, {"role": "user", "parts": [{"functionResponse": {}}]}], 0),
        ([ASK, ANSWER, {"role": "user", "parts": [{"type": "tool_call_response"}]}], 0),
        ([{"type": "human"}, {"type": "ai"}, {"type": "human"}], 1),
        ([{"message.role": "user"}, {"message": {"role": "ASSISTANT"}}, ASK], 1),
        ([{"role": 7}, {"role": ["user"]}, ASK], 0),
    ],
)
def test_a_user_who_asks_after_an_answer_asks_again(messages: list[Any], count: int | None) -> None:
    assert count_turns(messages) == count
    assert count_turns({"messages": messages}) == count
    assert count_turns([messages]) == count


def test_a_message_of_langchain_has_the_name_of_its_class() -> None:
    names = ("SystemMessage", "HumanMessage", "AIMessage", "ToolMessage", "HumanMessage")
    found = [{"type": "constructor", "id": ["langchain", name], "kwargs": {}} for name in names]

    assert count_turns({"input": {"messages": [found]}}) == 1


def test_text_is_decoded_if_there_may_be_several_messages_of_the_user() -> None:
    assert count_turns(msgspec.json.encode([ASK, ANSWER, ASK]).decode()) == 1
    assert count_turns("a user, another user, and no JSON") is None


@pytest.mark.parametrize(
    ("value", "count"),
    [
        ([ASK, ANSWER], 0),
        ([{"type": "human"}, ANSWER], 0),
        ([{"type": "constructor", "id": ["langchain", "HumanMessage"]}], 0),
        ([{"role": "system", "content": "Help the user."}], None),
        ({"user": "Ann"}, None),
    ],
)
def test_of_one_mention_in_a_text_only_a_role_is_a_message(value: Any, count: int | None) -> None:
    text = msgspec.json.encode(value).decode()

    assert count_turns(text) == count_turns(msgspec.json.encode(text).decode()) == count


@pytest.mark.parametrize("value", [None, 7, "", {}, {"messages": 7}, [7, [ASK]], {"input": {}}])
def test_what_has_no_messages_says_nothing(value: Any) -> None:
    assert count_turns(value) is None


def test_messages_that_are_nested_for_ever_are_not_followed() -> None:
    loop: dict[str, Any] = {}
    loop["messages"] = loop

    assert count_turns(loop) is None
