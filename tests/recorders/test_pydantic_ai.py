"""What hooks note, without Pydantic AI; tests/stacks has the real agents."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from callscore.recorders.pydantic_ai import _Hooks


def message(*names: str) -> dict[str, Any]:
    parts = [
        {"part_kind": "tool-call", "tool_name": name, "args": {}, "tool_call_id": name}
        for name in names
    ]
    return {"kind": "response", "parts": parts}


class Run:
    """A run as Pydantic AI makes it: its history is replaced after it has begun."""

    def __init__(self, *messages: Any, id_: str = "1", history: Any = ()) -> None:
        self.context = SimpleNamespace(run_id=id_, messages=list(history))
        self.messages = list(messages)
        self.error: Exception | None = None
        self.tool: Any = None

    async def __call__(self, *recordings: _Hooks) -> Any:
        async def body() -> Any:
            history = [*self.context.messages]
            context = SimpleNamespace(run_id=self.context.run_id, messages=history)
            for each in self.messages:
                for recording in recordings:
                    assert await recording.before_model_request(context, "request") == "request"
                history.append(each)
                for recording in recordings:
                    found = await recording.after_model_request(
                        context, request_context=None, response=each
                    )
                    assert found is each
            if self.tool is not None:
                await self._execute(recordings[0], context)
            if self.error is not None:
                raise self.error
            before = len(self.context.messages)
            return SimpleNamespace(new_messages=lambda: history[before:])

        handler = body
        for recording in recordings:
            handler = _wrapped(recording, self.context, handler)
        return await handler()

    async def _execute(self, recording: _Hooks, context: Any) -> None:
        async def handler(args: Any) -> Any:
            assert args == "args"
            return await self.tool(recording)

        call = SimpleNamespace(tool_call_id=self.messages[-1]["parts"][0]["tool_call_id"])
        await recording.wrap_tool_execute(
            context, call=call, tool_def=None, args="args", handler=handler
        )


def _wrapped(recording: _Hooks, context: Any, handler: Any) -> Any:
    async def wrapped() -> Any:
        return await recording.wrap_run(context, handler=handler)

    return wrapped


def names(run: _Hooks) -> list[str]:
    return [call.name for call in run.calls]


def test_the_new_messages_of_each_run_are_one_conversation() -> None:
    with _Hooks() as run:
        asyncio.run(Run(message("a"))(run))
        asyncio.run(Run(message("b"), id_="2", history=[message("a")])(run))

    assert names(run) == ["a", "b"]


def test_a_run_that_fails_has_the_messages_up_to_there() -> None:
    failing = Run(message("a"), message("b"), history=[message("old")])
    failing.error = ValueError("bad")
    with _Hooks() as run, pytest.raises(ValueError, match="bad"):
        asyncio.run(failing(run))

    assert names(run) == ["a", "b"]


def test_a_run_within_a_tool_is_that_of_a_subagent() -> None:
    outer, inner = Run(message("ask", "look")), Run(message("search"), id_="2")
    outer.tool = inner
    with _Hooks() as run:
        asyncio.run(outer(run))

    assert [(call.name, call.caller, call.step) for call in run.calls] == [
        ("ask", None, 0),
        ("look", None, 0),
        ("search", "subagent", 1),
    ]


def test_a_run_within_a_tool_of_a_run_that_is_not_recorded_is_a_run_of_its_own() -> None:
    with _Hooks() as outer:
        inner = _Hooks()
        around = Run(message("ask"))
        around.tool = lambda _: Run(message("search"), id_="2")(inner)
        inner.current.set(None)
        with inner:
            asyncio.run(around(outer))

    assert [(call.name, call.caller) for call in inner.calls] == [("search", None)]
