"""The tool loop over HTTP: calls are run, results told, and every step recorded."""

from __future__ import annotations

import asyncio
import threading
from typing import Any, NoReturn

import msgspec
import pytest
from tests.servers.openai_server import ERROR_429, OpenAIServer, Reply, Script, openai_server

from callscore import ModelFailed, models, read_calls, score
from callscore.core.results import Usage
from callscore.models import Limits
from callscore.models.usage import usage_of


def weather(city: str) -> dict[str, Any]:
    """Tell the weather."""
    return {"city": city, "degrees": 7}


async def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def fail(reason: str) -> NoReturn:
    """Fail."""
    raise ValueError(reason)


def converse(script: Script, **options: Any) -> tuple[dict[str, Any], OpenAIServer]:
    options = {"tools": [weather, add, fail], "limits": Limits(timeout=5), **options}
    with openai_server(script) as server:
        answer = asyncio.run(models.chat("m", base_url=server.base_url, **options)("Hello"))
    return answer, server


def in_turn(*replies: Reply) -> Script:
    return lambda _body, number: replies[min(number, len(replies)) - 1]


def test_calls_are_run_and_the_model_is_told_what_came_of_them() -> None:
    answer, server = converse(
        in_turn(
            Reply(calls=[("weather", {"city": "Oslo"}), ("add", {"a": 1, "b": 2})]),
            Reply(calls=[("add", {"a": 3, "b": 4})]),
            Reply(text="It is cold."),
        )
    )

    calls = read_calls(answer)
    assert [(call.name, call.step, call.failed) for call in calls] == [
        ("weather", 0, False),
        ("add", 0, False),
        ("add", 1, False),
    ]
    assert [call.result for call in calls] == ['{"city":"Oslo","degrees":7}', "3", "7"]
    assert answer["messages"][-1]["content"] == "It is cold."
    assert usage_of(answer) == Usage(3, 60, 30)
    assert "stopped" not in answer
    told = server.requests[2].body["messages"]
    assert [message["role"] for message in told] == [
        *("user", "assistant", "tool", "tool", "assistant", "tool"),
    ]
    assert all("is_error" not in message for message in told)


def test_a_tool_that_fails_is_told_and_marked_and_the_loop_goes_on() -> None:
    answer, server = converse(
        in_turn(
            Reply(calls=[("fail", {"reason": "no such city"}), ("launch", {})]),
            Reply(calls=[("add", {"a": "x"})]),
            Reply(text="Sorry."),
        )
    )

    calls = read_calls(answer)
    assert [call.failed for call in calls] == [True, True, True]
    assert calls[0].result == "Error: ValueError: no such city"
    assert "there is no tool 'launch'" in str(calls[1].result)
    assert len(server.requests) == 3
    assert score([("weather", {})], answer, failed_calls="ignore").total_actual == 0


def test_the_model_is_asked_so_many_times_and_no_more() -> None:
    forever = Reply(calls=[("add", {"a": 1, "b": 1})])

    answer, server = converse(in_turn(forever), max_steps=3)

    assert len(server.requests) == 3
    assert answer["stopped"] == "max_steps"
    calls = read_calls(answer)
    assert [call.step for call in calls] == [0, 1, 2]
    assert [call.result for call in calls] == ["2", "2", None]  # nobody would be told the last one


def test_by_default_there_are_eight_steps() -> None:
    _, server = converse(in_turn(Reply(calls=[("add", {"a": 1, "b": 1})])))

    assert len(server.requests) == 8


def test_with_one_step_functions_only_say_what_may_be_called() -> None:
    answer, server = converse(in_turn(Reply(calls=[("fail", {"reason": "x"})])), max_steps=1)

    assert "choices" in answer
    assert len(server.requests) == 1


def test_malformed_arguments_are_told_recorded_and_scored() -> None:
    answer, _ = converse(in_turn(Reply(calls=[("add", '{"a": 1')]), Reply(text="Sorry.")))

    (call,) = read_calls(answer)
    assert (call.arguments, call.error, call.failed) == (None, "truncated_json", True)
    assert score([("add", {"a": 1, "b": 2})], answer).f1 == 0


def test_a_server_that_refuses_to_hear_of_a_malformed_call_ends_the_conversation() -> None:
    answer, _ = converse(
        in_turn(Reply(calls=[("add", '{"a": 1')]), Reply(status=400, message="bad arguments"))
    )

    assert "bad arguments" in answer["stopped"]
    (call,) = read_calls(answer)
    assert call.error == "truncated_json"


def test_any_other_refusal_is_an_error() -> None:
    script = in_turn(Reply(calls=[("add", {"a": 1, "b": 1})]), Reply(status=400))

    with pytest.raises(ModelFailed, match="400"):
        converse(script)


def test_trouble_in_a_later_step_is_waited_for_and_no_tool_is_run_again() -> None:
    times: list[int] = []

    def note() -> str:
        times.append(1)
        return "noted"

    script = in_turn(Reply(calls=[("note", {})]), ERROR_429, Reply(text="Done."))
    answer, server = converse(script, tools=[note])

    assert len(times) == 1
    assert len(server.requests) == 3
    assert usage_of(answer).requests == 2


def test_calls_of_one_message_run_at_once() -> None:
    both = threading.Barrier(2)

    def meet() -> str:
        both.wait(10)
        return "met"

    script = in_turn(Reply(calls=[("meet", {}), ("meet", {})]), Reply(text="Done."))
    answer, _ = converse(script, tools=[meet])

    assert [call.result for call in read_calls(answer)] == ["met", "met"]


def test_a_tool_that_hangs_is_a_failed_call() -> None:
    stop = threading.Event()

    def hang() -> None:
        stop.wait(20)

    script = in_turn(Reply(calls=[("hang", {})]), Reply(text="Done."))
    answer, _ = converse(script, tools=[hang], limits=Limits(timeout=0.3))
    stop.set()

    assert read_calls(answer)[0].failed


def test_a_tool_that_nobody_can_run_ends_the_conversation() -> None:
    tools = [add, {"name": "news", "input_schema": {"type": "object"}}]

    answer, server = converse(in_turn(Reply(calls=[("news", {}), ("add", {})])), tools=tools)

    assert len(server.requests) == 1
    assert [(call.name, call.result) for call in read_calls(answer)] == [
        ("news", None),
        ("add", None),
    ]


def test_several_steps_may_be_asked_for_without_functions() -> None:
    tools = [{"name": "news", "input_schema": {"type": "object"}}]

    answer, _ = converse(in_turn(Reply(calls=[("news", {})])), tools=tools, max_steps=4)

    assert [call.name for call in read_calls(answer)] == ["news"]
    assert answer["finish_reason"] == "tool_calls"


def test_a_streamed_conversation_is_no_other() -> None:
    script = in_turn(Reply(calls=[("add", {"a": 1, "b": 2})]), Reply(text="It is 3."))

    answer, _ = converse(script, stream=True)

    assert [call.result for call in read_calls(answer)] == ["3"]


def body(message: Any) -> Reply:
    return Reply(body=msgspec.json.encode({"choices": [{"index": 0, "message": message}]}))


def test_calls_without_an_id_get_one() -> None:
    call = {"type": "function", "function": {"name": "add", "arguments": '{"a": 1, "b": 2}'}}
    message = {"role": "assistant", "tool_calls": [call, {**call, "id": None}, None]}

    answer, server = converse(in_turn(body(message), Reply(text="Done.")))

    assert [each.id for each in read_calls(answer)] == ["call_1_1", "call_1_2"]
    assert [each.result for each in read_calls(answer)] == ["3", "3"]
    assert server.requests[1].body["messages"][2]["tool_call_id"] == "call_1_1"


@pytest.mark.parametrize("message", [None, "text", {"role": "assistant", "content": "Hi"}])
def test_an_answer_without_calls_is_the_last(message: Any) -> None:
    answer, server = converse(in_turn(body(message)))

    assert read_calls(answer) == []
    assert len(server.requests) == 1


def test_a_call_without_a_name_is_a_failed_call() -> None:
    message = {"role": "assistant", "tool_calls": [{"id": "a", "type": "function", "function": 5}]}

    answer, _ = converse(in_turn(body(message), Reply(text="Done.")))

    assert "the call names no tool" in answer["messages"][1]["content"]


@pytest.mark.parametrize(
    ("generated", "name", "error"),
    [('{"name": "add", "arguments": {"a": 1}}', "add", None), ("<add>{", "?", "invalid_json")],
)
def test_a_call_that_the_server_threw_away_is_recorded(
    generated: str, name: str, error: str | None
) -> None:
    lost = {"message": "Failed", "code": "tool_use_failed", "failed_generation": generated}
    refusal = Reply(status=400, body=msgspec.json.encode({"error": lost}))

    answer, _ = converse(in_turn(Reply(calls=[("add", {"a": 1, "b": 2})]), refusal))

    first, last = read_calls(answer)
    assert (first.result, first.failed) == ("3", False)
    assert (last.name, last.error, last.failed, last.result) == (name, error, True, "Failed")


@pytest.mark.parametrize(
    ("calls", "arguments"),
    [
        ("weather", None),
        (["weather"], None),
        ({"city": "Oslo"}, {}),
        ({"name": "fail", "arguments": {"reason": "?"}}, {"reason": "?"}),
        ([{"id": 5, "type": "function", "function": {"name": ["weather"], "arguments": "{}"}}], {}),
    ],
    ids=["text", "texts", "object", "flat", "name in a list"],
)
def test_calls_of_an_odd_form_are_calls_to_score(calls: Any, arguments: Any) -> None:
    message = {"role": "assistant", "content": None, "tool_calls": calls}

    answer, server = converse(in_turn(body(message), Reply(text="Done.")))

    (call,) = read_calls(answer)
    assert (call.arguments, call.failed) == (arguments, True)
    assert len(server.requests) == 2


def test_a_server_that_refuses_to_be_told_of_odd_calls_ends_the_conversation() -> None:
    message = {"role": "assistant", "content": None, "tool_calls": "weather"}

    answer, _ = converse(in_turn(body(message), Reply(status=400)))

    assert "400 Bad Request" in answer["stopped"]
    assert len(read_calls(answer)) == 1


def test_no_calls_in_a_list_are_none() -> None:
    message = {"role": "assistant", "content": "Hi", "tool_calls": [None]}

    answer, _ = converse(in_turn(body(message)))

    assert answer["messages"] == [{"role": "assistant", "content": "Hi"}]


@pytest.mark.parametrize(
    ("choice", "later"),
    [
        ("required", None),
        ({"type": "function", "function": {"name": "add"}}, None),
        ("auto", "auto"),
        ({"type": "allowed_tools"}, {"type": "allowed_tools"}),
    ],
)
def test_a_model_is_forced_to_call_in_the_first_step_alone(choice: Any, later: Any) -> None:
    _, server = converse(
        in_turn(Reply(calls=[("add", {"a": 1, "b": 2})]), Reply(text="3")), tool_choice=choice
    )

    assert [request.body.get("tool_choice") for request in server.requests] == [choice, later]
