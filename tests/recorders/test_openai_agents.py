"""What hooks note, without the Agents SDK; tests/stacks has the real agents."""

from __future__ import annotations

import asyncio
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from callscore.recorders.openai_agents import _Hooks

ASKED = {"role": "user", "content": "Hi"}


class Item:
    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)


def call(name: str = "look", id_: str = "1") -> Any:
    return Item(type="function_call", call_id=id_, name=name, arguments="{}")


def output(id_: str, text: str) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": id_, "output": text}


@pytest.fixture(autouse=True)
def _agents(monkeypatch: pytest.MonkeyPatch) -> None:
    """The few functions of the SDK that are called."""
    agents: Any = ModuleType("agents")
    agents.ItemHelpers = SimpleNamespace(
        tool_call_output_item=lambda made, result: output(made.call_id, str(result))
    )
    agents.handoff = lambda agent: SimpleNamespace(get_transfer_message=lambda _: f"to {agent}")
    monkeypatch.setitem(sys.modules, "agents", agents)


class Driver:
    """Calls the hooks as a run does."""

    def __init__(self, run: _Hooks, context: Any = None) -> None:
        self.run = run
        self.context = SimpleNamespace() if context is None else context

    def ask(self, *items: Any) -> None:
        asyncio.run(self.run.on_llm_start(self.context, "A", None, list(items)))

    def answer(self, *items: Any) -> None:
        asyncio.run(self.run.on_llm_end(self.context, "A", SimpleNamespace(output=list(items))))

    def tool(self, made: Any, result: Any) -> None:
        context = SimpleNamespace(tool_call=made)
        asyncio.run(self.run.on_tool_start(context, "A", "look"))
        asyncio.run(self.run.on_tool_end(context, "A", "look", result))

    def hand_off(self, agent: str) -> None:
        asyncio.run(self.run.on_handoff(self.context, "A", agent))


def test_a_model_that_receives_a_result_decides_what_it_is() -> None:
    with _Hooks() as run:
        driver, made = Driver(run), call()
        driver.ask(ASKED)
        driver.answer(made)
        driver.tool(made, "raw")
        driver.ask(ASKED, made, output("1", "as received"))
        driver.answer(Item(type="message", role="assistant", content=[]))

    assert [(each.name, each.result) for each in run.calls] == [("look", "as received")]


def test_results_that_no_model_received_are_kept() -> None:
    with _Hooks() as run:
        driver, first, second = Driver(run), call(), call(id_="2")
        driver.ask(ASKED)
        driver.answer(first)
        driver.tool(first, "filtered out")
        driver.ask({"role": "user", "content": "a summary"})
        driver.answer(second)
        driver.tool(second, "last")

    assert [(each.result, each.step, each.turn) for each in run.calls] == [
        ("filtered out", 0, None),
        ("last", 1, None),
    ]


def test_the_result_of_a_handoff_is_kept() -> None:
    with _Hooks() as run:
        driver, tool = Driver(run), call("look", "1")
        driver.ask(ASKED)
        driver.answer(tool, call("transfer_to_b", "2"), call("transfer_to_c", "3"))
        driver.tool(tool, "ok")
        driver.hand_off("B")

    assert [each.result for each in run.calls] == ["ok", "to B", None]


def test_an_agent_that_is_a_tool_is_a_subagent() -> None:
    with _Hooks() as run:
        outer = Driver(run)
        outer.ask(ASKED)
        outer.answer(call("ask", "1"))
        inner = Driver(run, SimpleNamespace(tool_call_id="1"))
        inner.ask(ASKED)
        inner.answer(call("ask", "2"))
        innermost = Driver(run, SimpleNamespace(tool_call_id="2"))
        innermost.ask(ASKED)
        innermost.answer(call("look", "3"))
        alone = Driver(run, SimpleNamespace(tool_call_id="unknown"))
        alone.ask(ASKED)
        alone.answer(call("look", "4"))

    assert [(each.id, each.caller) for each in run.calls] == [
        ("1", None),
        ("2", "subagent"),
        ("3", "subagent"),
        ("4", None),
    ]


def test_other_hooks_are_called_as_well_and_may_raise() -> None:
    seen: list[str] = []

    class Other:
        def __getattr__(self, name: str) -> Any:
            async def hook(*_: Any) -> None:
                seen.append(name)
                if name == "on_handoff":
                    raise ValueError("mine")

            return hook

    with _Hooks(Other()) as run:
        driver, made = Driver(run), call()
        asyncio.run(run.on_agent_start(None, "A"))
        driver.ask(ASKED)
        driver.answer(made)
        driver.tool(made, "ok")
        with pytest.raises(ValueError, match="mine"):
            driver.hand_off("B")
        asyncio.run(run.on_agent_end(None, "A", "done"))

    assert len(run.calls) == 1
    assert len(set(seen)) == len(seen) == 7
