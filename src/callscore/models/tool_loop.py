"""The tool loop: a model calls, its calls are run, and it is told what came of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from callscore.errors import ModelFailed
from callscore.formats.shape import first, json_of
from callscore.formats.transcript import NAMELESS
from callscore.models.templates import text_of
from callscore.models.tool_running import Outcome, run_call
from callscore.models.usage import usage_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from callscore.models.offering import Offer

__all__ = ["converse"]

_REFUSED = range(400, 500)
_ROLE = {"role": "assistant"}


class _Step(Struct, frozen=True):
    """What one step added.

    Attributes:
        sent: the messages that the model is told next.
        kept: the same as they are kept, with what failed marked as such.
        is_malformed: whether there were arguments among the calls that are no object.
    """

    sent: list[dict[str, Any]]
    kept: list[dict[str, Any]]
    is_malformed: bool = False


async def converse(
    ask: Callable[[list[dict[str, Any]]], Awaitable[dict[str, Any]]],
    messages: list[dict[str, Any]],
    offer: Offer,
    *,
    max_steps: int,
    seconds: float | None,
) -> dict[str, Any]:
    """Ask until the model calls nothing any more, and at most so many times.

    The calls of the last step are not run, for nobody would be told what they gave. A call of a tool
    that is offered but is no function cannot be, and the conversation ends with it.

    Args:
        ask: gives the completion to some messages.
        messages: those that begin the conversation.
        offer: the tools.
        max_steps: how often the model is asked.
        seconds: for how long a function may run.

    Returns:
        A document with the messages that were added, each result with a flag that says whether the
        call failed; the tokens of all steps; and why it ended, if not because the model was done.
    """
    conversation = list(messages)
    record = _Record()
    for number in range(1, max_steps + 1):
        try:
            completion = await ask(conversation)
        except ModelFailed as error:
            if not record.may_end_with(error):
                raise
            record.stopped = str(error)
            break
        message = record.take(completion, number)
        calls = message.get("tool_calls") or []
        if not calls or record.is_lost:
            break
        if number == max_steps:
            record.stopped = "max_steps"
            break
        if not all(_is_runnable(call, offer) for call in calls):
            break
        step = await _run(calls, offer, seconds)
        record.add(step)
        conversation += [message, *step.sent]
    return record.document()


class _Record:
    """What a conversation has come to."""

    def __init__(self) -> None:
        self.stopped: str | None = None
        self._messages: list[dict[str, Any]] = []
        self._last: dict[str, Any] = {}
        self._usage = usage_of(None)
        self._steps = 0
        self._was_malformed = False

    def take(self, completion: dict[str, Any], number: int) -> dict[str, Any]:
        """Add a completion; the message in it, with an id for each call."""
        self._last = completion
        self._steps = number
        self._usage += usage_of(completion)
        message = _message_in(completion, number)
        self._messages.append(message)
        if self.is_lost:
            call = message["tool_calls"][0]
            told = str(completion["error"].get("message"))
            self._messages.append(_result(call, Outcome(told, failed=True)))
        return message

    @property
    def is_lost(self) -> bool:
        """Whether the server threw the model's last call away."""
        return "error" in self._last

    def add(self, step: _Step) -> None:
        """Add what the calls of a completion gave."""
        self._messages += step.kept
        self._was_malformed = step.is_malformed

    def may_end_with(self, error: ModelFailed) -> bool:
        """Whether an error is the model's own: some servers refuse to be told of broken calls."""
        return self._was_malformed and error.status in _REFUSED

    def document(self) -> dict[str, Any]:
        """The conversation in OpenAI's form."""
        choices = self._last.get("choices") or [{}]
        document: dict[str, Any] = {
            "model": self._last.get("model"),
            "messages": self._messages,
            "finish_reason": choices[0].get("finish_reason"),
            "usage": {
                "requests": self._steps,
                "prompt_tokens": self._usage.input_tokens,
                "completion_tokens": self._usage.output_tokens,
                "total_tokens": self._usage.input_tokens + self._usage.output_tokens,
            },
        }
        if self.stopped is not None:
            document["stopped"] = self.stopped
        return document


def _message_in(completion: dict[str, Any], number: int) -> dict[str, Any]:
    """The message of the first answer; calls without an id get one, so that results find them."""
    if "error" in completion:
        return _lost_message(completion["error"], number)
    choices = completion.get("choices") or [{}]
    message = choices[0].get("message")
    if not isinstance(message, dict):
        return {"role": "assistant", "content": ""}
    calls = _calls_in(message.get("tool_calls"), number)
    if not calls:
        return {name: each for name, each in message.items() if name != "tool_calls"} | _ROLE
    return {**message, **_ROLE, "tool_calls": calls}


def _calls_in(given: Any, number: int) -> list[dict[str, Any]]:
    """The calls of a message; what is not as it should be is a call of nobody knows what."""
    items = given if isinstance(given, list) else [given]
    return [_call(item, f"call_{number}_{place}") for place, item in enumerate(items, 1) if item]


def _call(given: Any, id: str) -> dict[str, Any]:  # noqa: A002  (as the field is called)
    if isinstance(given, dict):
        id = given.get("id") or id  # noqa: A001  (likewise)
        if isinstance(given.get("function"), dict) or isinstance(given.get("custom"), dict):
            return {**given, "id": id}
        name, arguments = given.get("name"), first(given, "arguments", "parameters")
    else:
        name, arguments = None, text_of(given)
    function = {"name": name if isinstance(name, str) else NAMELESS, "arguments": arguments}
    return {"id": id, "type": "function", "function": function}


def _lost_message(error: dict[str, Any], number: int) -> dict[str, Any]:
    """The call that the server threw away, as far as it shows it."""
    generated = error.get("failed_generation")
    call = json_of(generated)
    is_call = isinstance(call, dict) and isinstance(call.get("name"), str)
    function = {
        "name": call["name"] if is_call else NAMELESS,
        "arguments": first(call, "arguments", "parameters") if is_call else generated,
    }
    made = {"id": f"call_{number}_1", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [made]}


def _result(call: dict[str, Any], outcome: Outcome) -> dict[str, Any]:
    return {
        "role": "tool",
        "tool_call_id": call["id"],
        "content": outcome.text,
        "is_error": outcome.failed,
    }


def _function_in(call: dict[str, Any]) -> dict[str, Any]:
    function = call.get("function")
    return function if isinstance(function, dict) else {}


def _is_runnable(call: dict[str, Any], offer: Offer) -> bool:
    """Whether there is something to tell the model; not of an offered tool that is no function."""
    name = _function_in(call).get("name")
    return not isinstance(name, str) or name in offer.functions or name not in offer.names


async def _run(calls: list[dict[str, Any]], offer: Offer, seconds: float | None) -> _Step:
    """Run the calls of one message, all at once."""
    import asyncio

    outcomes = await asyncio.gather(*(_outcome_of(call, offer, seconds) for call in calls))
    kept = [_result(call, outcome) for call, outcome in zip(calls, outcomes, strict=True)]
    # The flag is ours: servers may refuse a message with a field that they do not know.
    sent = [{name: each[name] for name in each if name != "is_error"} for each in kept]
    return _Step(sent, kept, any(outcome.is_malformed for outcome in outcomes))


async def _outcome_of(call: dict[str, Any], offer: Offer, seconds: float | None) -> Outcome:
    function = _function_in(call)
    name, arguments = function.get("name"), function.get("arguments")
    if not isinstance(name, str) or name == NAMELESS:
        problem = f"Error: the call names no tool; the tools are {', '.join(offer.functions)}"
        return Outcome(problem, failed=True, is_malformed=True)
    return await run_call(name, arguments, offer.functions, seconds)
