"""The tool loop over HTTP: calls are run, results told, and every step recorded."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import Enum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn
from uuid import UUID

import msgspec
import pytest
from msgspec import Struct
from pydantic import BaseModel
from tests.servers.openai_server import (
    ERROR_429,
    OpenAIServer,
    Reply,
    Script,
    in_turn,
    openai_server,
)

from callscore import models, read_calls, score
from callscore.core.results import Usage
from callscore.models import Limits
from callscore.models.tool_loop import ToolOutcome, convert_arguments, run_call
from callscore.models.usage import usage_of

if TYPE_CHECKING:
    from collections.abc import Iterator


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
    options = {"tools": [weather, add, fail], "limits": Limits(timeout=300), **options}
    with openai_server(script) as server:
        answer = asyncio.run(models.chat("m", base_url=server.base_url, **options)("Hello"))
    return answer, server


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
    assert "unknown tool 'launch'" in str(calls[1].result)
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
        both.wait(300)
        return "met"

    script = in_turn(Reply(calls=[("meet", {}), ("meet", {})]), Reply(text="Done."))
    answer, _ = converse(script, tools=[meet])

    assert [call.result for call in read_calls(answer)] == ["met", "met"]


def test_a_tool_that_hangs_is_a_failed_call() -> None:
    def script(body: dict[str, Any], _: int) -> Reply:
        is_told = body["messages"][-1]["role"] == "tool"
        return Reply(text="Done.") if is_told else Reply(calls=[("hang", {})])

    # The model has no more time for each attempt than the tool, but a slow machine has many.
    answer, _ = converse(script, tools=[hang], limits=Limits(timeout=1, retries=20))

    assert read_calls(answer)[0].failed


def test_a_tool_that_nobody_can_run_ends_the_conversation() -> None:
    tools = [add, {"name": "news", "input_schema": {"type": "object"}}]

    answer, server = converse(in_turn(Reply(calls=[("news", {}), ("add", {})])), tools=tools)

    assert len(server.requests) == 1
    assert [(call.name, call.result) for call in read_calls(answer)] == [
        ("news", None),
        ("add", None),
    ]


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


@pytest.mark.parametrize(
    ("generated", "name", "error"),
    [('{"name": "add", "arguments": {"a": 1}}', "add", None), ("<add>{", "", "invalid_json")],
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


# The arguments of a call as the annotations of the function say they are.


class Unknown:
    """Of which nobody knows how it is made."""


def taking(kind: Any) -> Any:
    """A function whose parameter is annotated so."""

    def function(given: Any) -> None:
        """Take it."""

    function.__annotations__ = {"given": kind}
    return function


@pytest.mark.parametrize(
    ("kind", "value", "made"),
    [
        (date, "2024-01-02", date(2024, 1, 2)),
        (
            UUID,
            "12345678-1234-5678-1234-567812345678",
            UUID(int=0x12345678123456781234567812345678),
        ),
        (Decimal, 1.5, Decimal("1.5")),
        (set[int], [1, 2, 1], {1, 2}),
        (Path, "a/b", Path("a/b")),
        (Path | None, None, None),
        (bytes | None, "hi", b"hi"),
        (int, "5", 5),
        (int | str, "5", "5"),
    ],
)
def test_an_argument_is_converted_to_the_annotated_type_of_its_parameter(
    kind: Any, value: Any, made: Any
) -> None:
    found = convert_arguments(taking(kind), {"given": value}).named["given"]

    assert found == made
    assert type(found) is type(made)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (str, 5),
        (Literal["a"], "b"),
        (Any, {"a": 1}),
        (Unknown, {"a": 1}),
        (date | str, "2024-01-02"),
    ],
)
def test_an_argument_of_a_json_type_or_for_an_unknown_class_is_not_converted(
    kind: Any, value: Any
) -> None:
    assert convert_arguments(taking(kind), {"given": value}).named == {"given": value}


@pytest.mark.parametrize(
    ("kind", "value", "problem"),
    [
        (date, "tomorrow", "given: Invalid RFC3339 encoded date"),
        (set[int], ["a"], "given: Expected `int`"),
    ],
)
def test_an_argument_that_cannot_be_converted_is_an_error_that_names_it(
    kind: Any, value: Any, problem: str
) -> None:
    with pytest.raises(ValueError, match=problem):
        convert_arguments(taking(kind), {"given": value})


def test_a_function_with_arguments_filled_in_has_its_annotations() -> None:
    def ask(a: int, when: date) -> None:
        """Ask."""

    found = convert_arguments(partial(partial(ask), 1), {"when": "2024-01-02"})

    assert found.named == {"when": date(2024, 1, 2)}


# Functions that a model calls: whatever goes wrong is told to the model.


class Unit(Enum):
    CELSIUS = "C"


@dataclass
class Place:
    city: str


class Point(Struct):
    x: int


class Person(BaseModel):
    name: str


def plus(a: int, b: int = 1) -> int:
    return a + b


async def add_later(a: int) -> int:
    await asyncio.sleep(0)
    return a + 1


def promise(a: int) -> Any:
    return add_later(a)


def typed(unit: Unit, place: Place, point: Point, person: Person) -> str:
    return f"{unit.name} {place.city} {point.x} {person.name}"


def several(places: list[Place], person: Person | None = None) -> str:
    return f"{[place.city for place in places]} {person}"


def either(place: Place | dict[str, int]) -> str:
    return type(place).__name__


def refuse() -> NoReturn:
    raise ValueError("no such city")


def leave() -> NoReturn:
    raise SystemExit(3)


def hang() -> None:
    threading.Event().wait()


def slow() -> NoReturn:
    raise TimeoutError("the database is slow")


async def slow_without_words() -> NoReturn:
    raise TimeoutError


class Unprintable(Exception):
    def __str__(self) -> str:
        raise ZeroDivisionError


def unprintable() -> NoReturn:
    raise Unprintable


def cancel() -> NoReturn:
    raise asyncio.CancelledError


async def cancel_later() -> NoReturn:
    raise asyncio.CancelledError


def close() -> NoReturn:
    raise GeneratorExit


def several_at_once() -> NoReturn:
    raise BaseExceptionGroup("two", [KeyboardInterrupt()])


def stop() -> NoReturn:
    raise StopIteration(1)


def leak() -> NoReturn:
    raise ValueError("no entry with sk-abcdef-1234567")


def half() -> str:
    return "half \ud83d"


async def deaf() -> str:
    for _ in range(3):
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(0.2)
    return "late"


def rows() -> Iterator[dict[str, int]]:
    yield {"a": 1}
    yield {"a": 2}


class Odd:
    def __repr__(self) -> str:
        return "Odd()"

    @property
    def __dict__(self) -> Any:  # type: ignore[override]  # it is odd
        raise RuntimeError("no")


def odd() -> Odd:
    return Odd()


TOOLS = {
    each.__name__: each
    for each in (
        plus,
        add_later,
        promise,
        typed,
        several,
        either,
        refuse,
        leave,
        hang,
        slow,
        slow_without_words,
        unprintable,
        cancel,
        cancel_later,
        close,
        several_at_once,
        stop,
        leak,
        half,
        deaf,
        rows,
        odd,
    )
}


def outcome(name: str, arguments: Any = None, seconds: float | None = None) -> ToolOutcome:
    return asyncio.run(run_call(name, arguments, TOOLS, seconds))


@pytest.mark.parametrize(
    ("name", "arguments", "text"),
    [
        ("plus", '{"a": 1, "b": 2}', "3"),
        ("plus", {"a": 1}, "2"),
        ("add_later", '{"a": 1}', "2"),
        ("promise", '{"a": 1}', "2"),
        ("rows", "", '[{"a":1},{"a":2}]'),
        ("half", "", "half \\ud83d"),
        (
            "typed",
            '{"unit": "C", "place": {"city": "Oslo"}, "point": {"x": 1}, "person": {"name": "Ada"}}',
            "CELSIUS Oslo 1 Ada",
        ),
        ("several", '{"places": [{"city": "Oslo"}], "person": null}', "['Oslo'] None"),
        ("several", '{"places": [], "person": {"name": "Ada"}}', "[] name='Ada'"),
        ("either", '{"place": {"city": "Oslo"}}', "dict"),
    ],
)
def test_a_call_is_run_and_its_result_told(name: str, arguments: Any, text: str) -> None:
    assert outcome(name, arguments) == ToolOutcome(text)


@pytest.mark.parametrize(
    ("name", "arguments", "text"),
    [
        ("refuse", "{}", "Error: ValueError: no such city"),
        ("unprintable", "{}", "Error: Unprintable: (the message cannot be printed)"),
        ("cancel", "{}", "Error: CancelledError"),
        ("cancel_later", "{}", "Error: CancelledError"),
        ("close", "{}", "Error: GeneratorExit"),
        ("several_at_once", "{}", "Error: BaseExceptionGroup: two (1 sub-exception)"),
        ("stop", "{}", "Error: StopIteration: 1"),
        ("leak", "{}", "Error: ValueError: no entry with ***"),
        ("leave", "{}", "Error: SystemExit: 3"),
        ("slow_without_words", "{}", "Error: TimeoutError"),
        ("slow", "{}", "Error: TimeoutError: the database is slow"),
        ("plus", '{"c": 1}', "Error: TypeError: plus() got an unexpected keyword argument 'c'"),
        ("typed", '{"unit": "K"}', "Error: ValueError: unit: Invalid enum value 'K'"),
        ("subtract", "{}", "Error: unknown tool 'subtract'. Choose from: plus, add_later"),
    ],
)
def test_a_failed_tool_or_an_unknown_one_is_told_to_the_model_as_an_error(
    name: str, arguments: str, text: str
) -> None:
    found = outcome(name, arguments)

    assert found.failed
    assert not found.is_malformed
    assert found.text.startswith(text)


@pytest.mark.parametrize("arguments", ['{"a": ', "[1]", "5", "add 1 and 2"])
def test_arguments_that_are_no_object_are_told_apart(arguments: str) -> None:
    found = outcome("plus", arguments)

    assert found.failed
    assert found.is_malformed
    assert "not a JSON object" in found.text


def test_a_tool_that_does_not_listen_is_given_up_too() -> None:
    async def main() -> tuple[ToolOutcome, bool]:
        task = asyncio.create_task(run_call("deaf", "{}", TOOLS, 0.01))
        found = await task
        return found, len(asyncio.all_tasks()) > 1

    found, goes_on = asyncio.run(main())

    assert found == ToolOutcome("Error: the tool did not finish within 0.01 s", failed=True)
    assert goes_on


def test_who_is_cancelled_waits_for_no_tool() -> None:
    async def main() -> None:
        async with asyncio.timeout(0.01):
            await run_call("hang", "{}", TOOLS, None)

    with pytest.raises(TimeoutError):
        asyncio.run(main())
