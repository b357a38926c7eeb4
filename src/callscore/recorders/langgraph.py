"""Records the calls of LangGraph and LangChain agents, by callbacks.

LangChain adds the recording to every run that starts inside the `with`, and hands it on to models,
tools and agents within them. In another thread, pass it: `config={"callbacks": [run]}`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextvars import ContextVar
from functools import cache
from types import new_class
from typing import TYPE_CHECKING, Any, cast

from msgspec import Struct

from callscore.errors import MissingExtra
from callscore.recorders.recording import Recording

if TYPE_CHECKING:
    from langchain_core.callbacks import BaseCallbackHandler

    class LangGraphRecording(Recording, BaseCallbackHandler):  # type: ignore[misc]
        """A recording that a run may also take as a callback."""


__all__ = ["record"]

_NO_RUN = (
    "Run the agent inside 'with record() as run:', and if it runs in a thread or a loop that began before, pass"
    " config={'callbacks': [run]}. Only chat models and tools of LangChain report their calls:"
    " otherwise pass the messages instead of the recording."
)
_current: ContextVar[Any] = ContextVar("callscore_langgraph_recording", default=None)
_Ids = dict[str, Any]  # `run_id` and `parent_run_id`, as every callback has them


def record() -> LangGraphRecording:
    """A recording of the runs inside its `with`, which need no change.

    Raises:
        MissingExtra: langchain-core is not installed.
    """
    recording: LangGraphRecording = _recording_class()()
    return recording


class _Step(Struct, eq=False):
    """A chain, a model or a tool that was run."""

    parent: str | None
    kind: str = "chain"
    name: str | None = None
    call: str | None = None
    metadata: Any = None
    input: Any = None
    output: Any = None
    error: str | None = None
    is_left: bool = False  # whether it stopped to be run again, such as for an approval
    results: tuple[Any, ...] = ()  # the tool messages in the output of a chain


class _Log:
    """The steps by their ids, in the order in which they began."""

    def __init__(self) -> None:
        self._steps: dict[str, _Step] = {}

    def has(self, run_id: Any) -> bool:
        return str(run_id) in self._steps

    def begin(self, ids: _Ids, fields: dict[str, Any]) -> None:
        parent = ids.get("parent_run_id")
        step = _Step(parent=None if parent is None else str(parent), **fields)
        self._steps.setdefault(str(ids["run_id"]), step)

    def end(self, ids: _Ids, change: Callable[[_Step], None]) -> None:
        step = self._steps.get(str(ids["run_id"]))
        if step is not None:  # otherwise it began before the recording
            change(step)

    def close(self) -> None:
        """Nothing has to be taken: what has not ended has no result."""

    def runs(self) -> list[dict[str, Any]]:
        """The events that `astream_events` would have given."""
        document = [event for run_id in self._steps for event in self._events(run_id)]
        return [{"document": [*document, *self._made_up_events()]}]

    def _events(self, run_id: str) -> Iterator[dict[str, Any]]:
        step = self._steps[run_id]
        if step.kind == "chain" or step.is_left:
            return
        around = [parent for parent, _ in self._above(step)]
        about = {"run_id": run_id, "name": step.name or "", "parent_ids": around[::-1]}
        started = {"input": step.input, "tool_call_id": step.call}
        yield {
            "event": f"on_{step.kind}_start",
            "data": started,
            "metadata": _namespace_in(step.metadata),
            **about,
        }
        ended = self._outcome(step)
        if ended is not None:
            yield {"event": f"on_{step.kind}_end", "data": ended, **about}

    def _outcome(self, step: _Step) -> dict[str, Any] | None:
        """What a model or a tool returned; None if it has not ended."""
        if step.kind == "tool" and step.call is not None:
            # The model gets the message that a node makes of an error, or of several attempts.
            for _, above in self._above(step):
                for message in above.results:
                    if message.tool_call_id == step.call:
                        return {"output": message}
        if step.error is not None:
            return {"error": step.error}
        return None if step.output is None else {"output": step.output}

    def _made_up_events(self) -> Iterator[dict[str, Any]]:
        """Results without a tool: of unknown tools, rejected calls, and structured answers."""
        steps = self._steps.values()
        waiting = {call.get("id") for step in steps for call in _calls_in(step.output)}
        waiting -= {step.call for step in steps if step.kind == "tool"}
        for message in [message for step in steps for message in step.results]:
            if message.tool_call_id in waiting:
                waiting.discard(message.tool_call_id)
                about = {"run_id": f"result of {message.tool_call_id}", "name": message.name or ""}
                yield {"event": "on_tool_end", "data": {"output": message}, **about}

    def _above(self, step: _Step) -> Iterator[tuple[str, _Step]]:
        parent = step.parent
        while parent is not None and parent in self._steps:
            yield parent, self._steps[parent]
            parent = self._steps[parent].parent


class _Callbacks(Recording):
    """The callbacks; LangChain's handler is added to it as a base when a recording is made."""

    current = _current
    no_run = _NO_RUN
    run_inline = True  # in the order of events, and not in other threads
    raise_error = False

    def __init__(self) -> None:
        super().__init__(_Log())

    def __deepcopy__(self, memo: Any) -> _Callbacks:
        return self  # a copy of a configuration has the same callbacks

    def on_chain_start(self, serialized: Any, inputs: Any, **ids: Any) -> None:  # noqa: ARG002
        self._begin("on_chain_start", ids, is_run=False)

    def on_chain_end(self, outputs: Any, **ids: Any) -> None:
        self._end("on_chain_end", ids, lambda step: _set_results(step, outputs))

    def on_chat_model_start(self, serialized: Any, messages: Any, **ids: Any) -> None:  # noqa: ARG002
        self._begin(
            "on_chat_model_start",
            ids,
            lambda: {
                "kind": "chat_model",
                "metadata": ids.get("metadata"),
                "input": _received(messages),
            },
        )

    def on_llm_start(self, serialized: Any, prompts: Any, **ids: Any) -> None:  # noqa: ARG002
        self._begin("on_llm_start", ids)  # of a model that writes text: its tools report the calls

    def on_llm_end(self, response: Any, **ids: Any) -> None:
        self._end("on_llm_end", ids, lambda step: setattr(step, "output", _answer_in(response)))

    def on_tool_start(self, serialized: Any, input_str: Any, **ids: Any) -> None:
        inputs = ids.get("inputs")
        self._begin(
            "on_tool_start",
            ids,
            lambda: {
                "kind": "tool",
                "name": (serialized or {}).get("name") or ids.get("name"),
                "call": ids.get("tool_call_id"),
                "input": input_str if inputs is None else inputs,
            },
        )

    def on_tool_end(self, output: Any, **ids: Any) -> None:
        self._end("on_tool_end", ids, lambda step: setattr(step, "output", output))

    def on_tool_error(self, error: BaseException, **ids: Any) -> None:
        self._end("on_tool_error", ids, lambda step: _set_error(step, error))

    def _begin(
        self,
        event: str,
        ids: _Ids,
        fields: Callable[[], dict[str, Any]] = dict,
        *,
        is_run: bool = True,
    ) -> None:
        self._note(event, lambda log: log.begin(ids, fields()), is_run=is_run)

    def _end(self, event: str, ids: _Ids, change: Callable[[_Step], None]) -> None:
        self._note(event, lambda log: log.end(ids, change), is_run=False)


class _Elsewhere:
    """The callbacks of a thread without a recording: they note that recordings miss its calls.

    A recording that was passed to the run is called before.
    """

    run_inline = True

    def on_chat_model_start(self, *_: Any, run_id: Any, **__: Any) -> None:
        _Callbacks.note_elsewhere(lambda log: log.has(run_id))

    on_llm_start = on_tool_start = on_chat_model_start


class _Current:
    """What LangChain adds to every run: the recording of the context, or what notes that there is none."""

    def __init__(self, elsewhere: Any) -> None:
        self._elsewhere = elsewhere

    def get(self) -> Any:
        recording = _current.get()
        return self._elsewhere if recording is None and Recording.all_open else recording


def _received(prompts: Any) -> dict[str, Any]:
    """What is read of the messages that a model received: who wrote them, and the last results.

    The others were recorded before, and every model receives all of them again.
    """
    messages = list(prompts[0]) if prompts else []
    answers = [place for place, message in enumerate(messages) if message.type == "ai"]
    last = answers[-1] if answers else -1
    return {
        "messages": [
            message
            if message.type == "human" or (place > last and message.type == "tool")
            else {"type": "system" if message.type == "tool" else message.type, "content": ""}
            for place, message in enumerate(messages)
        ]
    }


def _answer_in(response: Any) -> Any:
    """The message that a model generated; all of them, if there are several answers."""
    generations = response.generations[0] if response.generations else []
    if len(generations) == 1:
        return getattr(generations[0], "message", None)
    return response


def _set_results(step: _Step, outputs: Any) -> None:
    """Keep the tool messages in what a node of a graph returned: a state, or several updates."""
    step.results = tuple(
        [
            message
            for update in (outputs if isinstance(outputs, list | tuple) else [outputs])
            for message in _messages_in(update)
            if _is_tool_message(message)
        ]
    )


def _messages_in(update: Any) -> list[Any]:
    if hasattr(update, "goto") and hasattr(update, "update"):  # a Command
        update = update.update
    if isinstance(update, dict):
        update = update.get("messages")
    return list(update) if isinstance(update, list | tuple) else [update]


def _calls_in(message: Any) -> list[dict[str, Any]]:
    return getattr(message, "tool_calls", None) or []


def _is_tool_message(value: Any) -> bool:
    return getattr(value, "type", None) == "tool" and hasattr(value, "tool_call_id")


def _set_error(step: _Step, error: BaseException) -> None:
    # An interrupt is no failure: the tool is run again when the graph is resumed.
    step.is_left = any(kind.__name__ == "GraphBubbleUp" for kind in type(error).__mro__)
    step.error = f"{type(error).__name__}: {error}"


def _namespace_in(metadata: Any) -> dict[str, Any]:
    """Where in the graph a model was called; other metadata is of the user."""
    keys = ("langgraph_checkpoint_ns", "checkpoint_ns")
    return {key: metadata[key] for key in keys if isinstance(metadata, dict) and key in metadata}


@cache  # a hook stays registered for as long as the process runs; outside of a `with` it does nothing
def _recording_class() -> Any:
    try:
        from langchain_core.callbacks import BaseCallbackHandler
        from langchain_core.tracers.context import register_configure_hook
    except ImportError as error:
        raise MissingExtra("Recording LangGraph agents", package="langchain-core") from error
    elsewhere = new_class("CallsElsewhere", (_Elsewhere, BaseCallbackHandler))()
    register_configure_hook(cast("Any", _Current(elsewhere)), inheritable=True)
    return new_class("LangGraphRecording", (_Callbacks, BaseCallbackHandler))
