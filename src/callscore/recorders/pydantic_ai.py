"""Records the calls of Pydantic AI agents, as a capability of a run.

An agent that a tool runs is recorded if the capability is passed to that run, too; its calls are
those of a sub-agent.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from functools import cache
from types import new_class
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from callscore.errors import MissingExtra
from callscore.recorders.recording import Recording

if TYPE_CHECKING:
    from pydantic_ai.capabilities import AbstractCapability

    class PydanticAIRecording(Recording, AbstractCapability[Any]):  # type: ignore[misc]
        """A recording that a run takes as a capability."""


__all__ = ["record"]

_NO_RUN = "Pass the recording to the run: agent.run_sync(..., capabilities=[run])."
_current: ContextVar[Any] = ContextVar("callscore_pydantic_ai_recording", default=None)
# The run and the call whose tool is being executed.
_tool: ContextVar[tuple[str, str] | None] = ContextVar("callscore_pydantic_ai_tool", default=None)


def record() -> PydanticAIRecording:
    """A recording of the runs inside its `with` that get it as a capability.

    Raises:
        MissingExtra: Pydantic AI is not installed.
    """
    recording: PydanticAIRecording = _recording_class()()
    return recording


class _Run(Struct, eq=False):
    """A run of an agent.

    Attributes:
        id: unique, unless the user chooses it.
        within: the run and the call of the tool that runs the agent.
        messages: the history, which grows; those of this run follow the `before` first ones.
    """

    id: str
    within: tuple[str, str] | None
    messages: Any
    before: int
    is_ended: bool = False

    @property
    def new_messages(self) -> list[Any]:
        return list(self.messages[self.before :])


class _Log:
    """The runs, in the order in which they began."""

    def __init__(self) -> None:
        self._recorded: list[_Run] = []

    def begin(self, ctx: Any) -> None:
        if (
            self._running(ctx.run_id) is None
        ):  # otherwise another recording has noted it in this one
            messages = ctx.messages
            self._recorded.append(_Run(ctx.run_id, _tool.get(), messages, before=len(messages)))

    def update(self, ctx: Any) -> None:
        """Take the history, which the run replaces when it begins."""
        run = self._running(ctx.run_id)
        if run is not None:
            run.messages = ctx.messages

    def end(self, ctx: Any, result: Any) -> None:
        """Take the messages of the result; those of a run that failed are in the history."""
        run = self._running(ctx.run_id)
        if run is None:
            return
        run.is_ended = True
        if result is not None:
            run.messages, run.before = result.new_messages(), 0

    def _running(self, id_: str) -> _Run | None:
        waiting = [run for run in self._recorded if run.id == id_ and not run.is_ended]
        return waiting[0] if waiting else None

    def runs(self) -> list[dict[str, Any]]:
        """The outermost runs as one conversation, and each run within a tool."""
        outer: list[Any] = []
        runs: list[dict[str, Any]] = [{"document": outer}]
        places: dict[str, int] = {}
        for run in self._recorded:
            around, call = run.within or ("", "")
            if around not in places:
                places[run.id] = 0
                outer += run.new_messages
                continue
            within = {"run": places[around], "call": call}
            places[run.id] = len(runs)
            runs.append({"document": run.new_messages, "within": within})
        return runs

    def close(self) -> None:
        """Take the messages so far: the history of a run grows."""
        for run in self._recorded:
            run.messages, run.before = run.new_messages, 0


class _Hooks(Recording):
    """The hooks; Pydantic AI's capability is added to it as a base when a recording is made."""

    current = _current
    no_run = _NO_RUN

    def __init__(self) -> None:
        super().__init__(_Log())

    def __eq__(self, other: object) -> bool:
        return self is other  # capabilities with the same settings would be equal

    __hash__ = object.__hash__

    async def wrap_run(self, ctx: Any, *, handler: Callable[[], Awaitable[Any]]) -> Any:
        self._note("wrap_run", lambda log: log.begin(ctx))
        result = None
        try:
            result = await handler()
        finally:
            self._note("wrap_run", lambda log: log.end(ctx, result), is_run=False)
        return result

    async def before_model_request(self, ctx: Any, request_context: Any) -> Any:
        self._note("before_model_request", lambda log: log.update(ctx))
        return request_context

    async def after_model_request(self, ctx: Any, *, request_context: Any, response: Any) -> Any:  # noqa: ARG002
        self._note("after_model_request", lambda log: log.update(ctx))
        return response

    async def wrap_tool_execute(
        self,
        ctx: Any,
        *,
        call: Any,
        tool_def: Any,  # noqa: ARG002
        args: Any,
        handler: Callable[[Any], Awaitable[Any]],
    ) -> Any:
        token = _tool.set((getattr(ctx, "run_id", ""), getattr(call, "tool_call_id", "")))
        try:
            return await handler(args)
        finally:
            _tool.reset(token)


@cache
def _recording_class() -> Any:
    try:
        from pydantic_ai.capabilities import AbstractCapability
    except ImportError as error:
        raise MissingExtra("Recording Pydantic AI agents", package="pydantic-ai") from error
    return new_class("PydanticAIRecording", (_Hooks, AbstractCapability))
