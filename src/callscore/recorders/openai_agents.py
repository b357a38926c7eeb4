"""Records the calls of the OpenAI Agents SDK, by hooks of a run.

An agent that is a tool of another one is recorded if the hooks are passed to it, too
(`as_tool(..., hooks=run)`); its calls are those of a sub-agent.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextvars import ContextVar
from functools import cache
from types import new_class
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from callscore.errors import MissingExtra
from callscore.recorders.recording import Recording

if TYPE_CHECKING:
    from agents import RunHooks

    class OpenAIAgentsRecording(Recording, RunHooks):  # type: ignore[misc]
        """A recording that a run takes as its hooks."""


__all__ = ["record"]

_NO_RUN = "Pass the recording to the run: Runner.run_sync(agent, ..., hooks=run)."
_current: ContextVar[Any] = ContextVar("callscore_openai_agents_recording", default=None)


def record(*, hooks: Any = None) -> OpenAIAgentsRecording:
    """A recording of the runs inside its `with` that get it as `hooks`.

    Args:
        hooks: other `RunHooks` for the same run, which takes only one; they are called as well.

    Raises:
        MissingExtra: the OpenAI Agents SDK is not installed.
    """
    recording: OpenAIAgentsRecording = _recording_class()(hooks)
    return recording


class _Run(Struct, eq=False):
    """A run of an agent and of those it hands off to.

    Attributes:
        context: the object that the hooks of a run receive.
        within: the call of the tool that this agent is.
        items: what was asked, the answers of models, and the results that they received.
        results: what tools returned, by the ids of their calls, until a model receives it.
    """

    context: Any
    within: str | None
    items: list[Any] = field(default_factory=list)
    results: dict[str, Any] = field(default_factory=dict)

    def waits_for(self, call: str | None) -> bool:
        """Whether a model of this run made a call that has no result yet."""
        found = [item for item in self.items if _get(item, "call_id") == call]
        return bool(found) and not _is_result(found[-1])

    def has_call(self, call: str | None) -> bool:
        return call is not None and any(_get(item, "call_id") == call for item in self.items)

    @property
    def all_items(self) -> list[Any]:
        """The items, with the results that no model has received."""
        return [*self.items, *self.results.values()]


class _Log:
    """The runs, by the objects that their hooks receive."""

    def __init__(self) -> None:
        self._by_context: dict[int, _Run] = {}

    def _run_of(self, context: Any) -> _Run:
        within = getattr(context, "tool_call_id", None)
        return self._by_context.setdefault(id(context), _Run(context, within))

    def ask(self, context: Any, input_items: Any) -> None:
        """Take what a model receives after its last answer: the question, or results."""
        run = self._run_of(context)
        new = _after_last_answer(input_items)
        if any(_is_answer(item) for item in run.items):
            # A handoff may have rewritten what was said before.
            new = [item for item in new if _is_result(item)]
        run.items += new
        for item in new:
            run.results.pop(_get(item, "call_id"), None)
        run.items += run.results.values()
        run.results.clear()

    def answer(self, context: Any, response: Any) -> None:
        self._run_of(context).items += response.output

    def keep_result(self, context: Any, result: Any) -> None:
        """Keep what a function returned, for a run that ends before a model receives it."""
        from agents import ItemHelpers

        call = getattr(context, "tool_call", None)
        if call is None:  # not of a function: the model receives its result
            return
        for run in reversed(self._by_context.values()):
            if run.waits_for(call.call_id):
                run.results[call.call_id] = ItemHelpers.tool_call_output_item(call, result)
                break

    def hand_off(self, context: Any, to_agent: Any) -> None:
        """Keep the result of a handoff, which may be filtered out of what the next agent receives.

        Tools run before it: of the calls without a result, the first is the handoff.
        """
        from agents import ItemHelpers, handoff

        run = self._run_of(context)
        waiting = [item for item in run.items if _is_call(item) and run.waits_for(item.call_id)]
        for call in waiting:
            if call.call_id not in run.results:
                said = handoff(to_agent).get_transfer_message(to_agent)
                run.results[call.call_id] = ItemHelpers.tool_call_output_item(call, said)
                break

    def runs(self) -> list[dict[str, Any]]:
        """The outermost runs as one conversation, and each run within a tool."""
        every = list(self._by_context.values())
        around = [_run_around(run, every) for run in every]
        outer = [run for run, other in zip(every, around, strict=True) if other is None]
        places = {id(run): 0 for run in outer}
        runs: list[dict[str, Any]] = [
            {"document": [item for run in outer for item in run.all_items]}
        ]
        for run, other in zip(every, around, strict=True):
            if other is not None:
                within = {"run": places[id(other)], "call": run.within}
                places[id(run)] = len(runs)
                runs.append({"document": run.all_items, "within": within})
        return runs

    def close(self) -> None:
        """Let go of what belongs to the user; what has not ended has no result."""
        for run in self._by_context.values():
            run.context = None


class _Hooks(Recording):
    """The hooks; the class of the SDK is added to it as a base when a recording is made."""

    current = _current
    no_run = _NO_RUN

    def __init__(self, hooks: Any = None) -> None:
        super().__init__(_Log())
        self._hooks = hooks

    async def on_agent_start(self, context: Any, agent: Any) -> None:
        self._note("on_agent_start", lambda _: None)
        if self._hooks is not None:
            await self._hooks.on_agent_start(context, agent)

    async def on_agent_end(self, context: Any, agent: Any, output: Any) -> None:
        if self._hooks is not None:
            await self._hooks.on_agent_end(context, agent, output)

    async def on_llm_start(
        self, context: Any, agent: Any, system_prompt: Any, input_items: Any
    ) -> None:
        self._note("on_llm_start", lambda log: log.ask(context, input_items))
        if self._hooks is not None:
            await self._hooks.on_llm_start(context, agent, system_prompt, input_items)

    async def on_llm_end(self, context: Any, agent: Any, response: Any) -> None:
        self._note("on_llm_end", lambda log: log.answer(context, response))
        if self._hooks is not None:
            await self._hooks.on_llm_end(context, agent, response)

    async def on_tool_start(self, context: Any, agent: Any, tool: Any) -> None:
        if self._hooks is not None:
            await self._hooks.on_tool_start(context, agent, tool)

    async def on_tool_end(self, context: Any, agent: Any, tool: Any, result: Any) -> None:
        self._note("on_tool_end", lambda log: log.keep_result(context, result))
        if self._hooks is not None:
            await self._hooks.on_tool_end(context, agent, tool, result)

    async def on_handoff(self, context: Any, from_agent: Any, to_agent: Any) -> None:
        self._note("on_handoff", lambda log: log.hand_off(context, to_agent))
        if self._hooks is not None:
            await self._hooks.on_handoff(context, from_agent, to_agent)


def _run_around(run: _Run, every: list[_Run]) -> _Run | None:
    """The run that made the call of the tool which this run is within; it began before."""
    before = every[: every.index(run)]
    return next((other for other in before[::-1] if other.has_call(run.within)), None)


def _after_last_answer(items: Iterable[Any]) -> list[Any]:
    new: list[Any] = []
    for item in items:
        if _is_answer(item):
            new.clear()
        else:
            new.append(item)
    return new


def _is_answer(item: Any) -> bool:
    """Whether a model wrote an item: a message, its reasoning, or a call."""
    kind, role = _get(item, "type"), _get(item, "role")
    return role == "assistant" or (role is None and not _is_result(item) and kind is not None)


def _is_result(item: Any) -> bool:
    return str(_get(item, "type")).endswith(("_output", "_response"))


def _is_call(item: Any) -> bool:
    return _get(item, "type") == "function_call" and not isinstance(item, dict)


def _get(item: Any, key: str) -> Any:
    """A field of an item, which is an object or a dictionary."""
    return item.get(key) if isinstance(item, dict) else getattr(item, key, None)


@cache
def _recording_class() -> Any:
    try:
        from agents import RunHooks
    except ImportError as error:
        raise MissingExtra("Recording OpenAI agents", package="openai-agents") from error
    return new_class("OpenAIAgentsRecording", (_Hooks, RunHooks))
