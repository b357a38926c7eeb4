"""The tool loop: the model's calls are run, and it receives their results."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from inspect import Parameter, isawaitable, iscoroutinefunction, signature, unwrap
from pathlib import PurePath
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin

import msgspec
from msgspec import Struct

from callscore.core.rendering import clip
from callscore.errors import ModelFailed
from callscore.formats.annotations import hints_of
from callscore.formats.calls import NAMELESS, read_arguments
from callscore.formats.shape import first, json_of
from callscore.formats.shape import to_plain_data as plain_object
from callscore.models.limits import abandon_task, create_abandonable_task, run_in_daemon_thread
from callscore.models.requests import prompt_text
from callscore.models.secrets import hide_secrets
from callscore.models.usage import usage_of
from callscore.words.value_text import json_safe, json_safe_string

if TYPE_CHECKING:
    from callscore.models.chat_task import ToolOffer

# --- arguments --------------------------------------------------------------------------------

_PLAIN_TYPES = (str, int, float, bool, list, dict, None, type(None), Any)
_PLAIN_GENERICS = (list, dict, Union, UnionType)


class BoundArguments(Struct, frozen=True):
    """The arguments of a function: the positional-only ones, and the rest."""

    positional: tuple[Any, ...]
    named: dict[str, Any]


class _UnknownClass(Exception):
    """An annotation contains a class that cannot be built from JSON data."""


def convert_arguments(function: Callable[..., Any], arguments: dict[str, Any]) -> BoundArguments:
    """Convert the arguments of a call to the annotated types of the function.

    A date is made from text, a set from a list, an object from its fields. Values of JSON types, and
    those of unknown classes, are not converted.

    Raises:
        ValueError: an argument cannot be converted.
    """
    try:
        parameters = signature(function).parameters
    except (TypeError, ValueError):  # some functions written in C have no signature
        return BoundArguments(tuple(arguments.values()), {})
    inner: Any = function
    while isinstance(inner, partial):
        inner = inner.func
    hints = hints_of(unwrap(inner))
    made = {}
    for name, value in arguments.items():
        parameter = parameters.get(name)
        if value is None and parameter is not None and parameter.default is None:
            continue  # `city: str = None` accepts None, against its annotation
        made[name] = _convert_argument(hints[name], value, name) if name in hints else value
    positional: list[Any] = []
    for name, parameter in parameters.items():
        if parameter.kind is not Parameter.POSITIONAL_ONLY or name not in made:
            break
        positional.append(made.pop(name))
    return BoundArguments(tuple(positional), made)


def _convert_argument(kind: Any, value: Any, name: str) -> Any:
    kinds = (kind, *get_args(kind))
    if isinstance(value, str) and bytes in kinds and str not in kinds:
        return value.encode()  # the schema for the model says text, not base64
    try:
        return _convert(kind, value)
    except msgspec.ValidationError as error:
        if _is_plain(kind):  # Python does not check annotations
            return value
        raise ValueError(f"{name}: {error}") from error
    except (TypeError, _UnknownClass):  # a union of types that msgspec cannot distinguish
        return value


def _convert(kind: Any, value: Any) -> Any:
    try:
        return msgspec.convert(value, kind, dec_hook=_convert_object)
    except msgspec.ValidationError:  # the text of a number, say
        return msgspec.convert(value, kind, dec_hook=_convert_object, strict=False)


def _convert_object(kind: Any, value: Any) -> Any:
    if hasattr(kind, "model_validate"):
        return kind.model_validate(value)  # a model of pydantic
    if isinstance(kind, type) and issubclass(kind, PurePath) and isinstance(value, str):
        return kind(value)
    raise _UnknownClass


def _is_plain(kind: Any) -> bool:
    """Whether an annotation has only JSON types."""
    origin = get_origin(kind)
    if origin is Annotated:
        return _is_plain(get_args(kind)[0])
    if origin in _PLAIN_GENERICS:
        return all(map(_is_plain, get_args(kind)))
    return origin is Literal or any(kind is one for one in _PLAIN_TYPES)


# --- functions; their errors are returned to the model ----------------------------------------

_MAX_ERROR_LENGTH = 1000  # characters


class ToolOutcome(Struct, frozen=True):
    """The result of a call as text, and whether it failed, or its arguments were not an object."""

    text: str
    failed: bool = False
    is_malformed: bool = False


async def run_call(
    name: str,
    arguments: Any,
    functions: dict[str, Callable[..., Any]],
    seconds: float | None,
) -> ToolOutcome:
    """Run the function that a model called, async or not, with a timeout in seconds."""
    function = functions.get(name)
    if function is None:
        return _failure(f"unknown tool {name!r}. Choose from: {', '.join(functions)}.")
    read = read_arguments(arguments)
    if read.value is None:
        problem = f"Error: the arguments are not a JSON object ({read.error})"
        return ToolOutcome(problem, failed=True, is_malformed=True)
    return await _run_function(function, read.value, seconds)


async def _run_function(
    function: Callable[..., Any], arguments: dict[str, Any], seconds: float | None
) -> ToolOutcome:
    """Run a function in a task of its own, which is abandoned if it does not end in time."""
    import asyncio

    task = create_abandonable_task(_function_outcome(function, arguments))
    try:
        await asyncio.wait((task,), timeout=seconds)
    finally:
        is_over = task.done()
        if not is_over:
            abandon_task(task)
    if not is_over:
        return _failure(f"the tool did not finish within {seconds:g} s")
    return _failure("the tool was cancelled") if task.cancelled() else task.result()


def _failure(problem: str) -> ToolOutcome:
    return ToolOutcome(
        clip(hide_secrets(json_safe_string(f"Error: {problem}")), _MAX_ERROR_LENGTH), failed=True
    )


def _failure_from_error(error: BaseException) -> ToolOutcome:
    kind = type(error).__name__
    try:
        message = str(error)
    except Exception:  # noqa: BLE001  (a foreign exception may raise when printed)
        message = "(the message cannot be printed)"
    return _failure(f"{kind}: {message}" if message else kind)


async def _function_outcome(function: Callable[..., Any], arguments: dict[str, Any]) -> ToolOutcome:
    """Call a function; one that blocks is called, and its result converted, in a thread."""
    try:
        given = convert_arguments(function, arguments)
        if iscoroutinefunction(function):
            return _result_text(await function(*given.positional, **given.named))
        outcome = await run_in_daemon_thread(_call_function, function, given)
        return outcome if isinstance(outcome, ToolOutcome) else _result_text(await outcome)
    except KeyboardInterrupt:  # Ctrl-C of the user
        raise
    except BaseException as error:  # noqa: BLE001  (a tool may raise anything)
        return _failure_from_error(error)


def _call_function(
    function: Callable[..., Any], given: BoundArguments
) -> ToolOutcome | Awaitable[Any]:
    """The outcome of a function; or the awaitable that it returns."""
    try:
        result = function(*given.positional, **given.named)
        return result if isawaitable(result) else _result_text(result)
    except BaseException as error:  # noqa: BLE001  (a tool may raise anything; Ctrl-C does not reach threads)
        return _failure_from_error(error)


def _result_text(result: Any) -> ToolOutcome:
    """The result of a tool for the model; objects that are not data become text."""
    try:
        text = prompt_text(plain_object(result))
    except Exception:  # noqa: BLE001  (a foreign object may raise anything)
        text = str(json_safe(result))
    return ToolOutcome(json_safe_string(text))


# --- the loop ---------------------------------------------------------------------------------

_CLIENT_ERRORS = range(400, 500)
_ASSISTANT_ROLE = {"role": "assistant"}


async def run_conversation(
    ask: Callable[[list[dict[str, Any]]], Awaitable[dict[str, Any]]],
    messages: list[dict[str, Any]],
    offer: ToolOffer,
    *,
    max_steps: int,
    seconds: float | None,
) -> dict[str, Any]:
    """Ask the model until it makes no more calls, at most `max_steps` times.

    The calls of the last step are not run, as their results would not be used. The conversation
    ends with a call of a tool that is offered but is not a function.

    Args:
        ask: returns the completion of messages.
        messages: the beginning of the conversation.
        offer: the tools.
        max_steps: the maximum number of requests.
        seconds: the timeout of a function.

    Returns:
        A document with the new messages, each result with a flag for failed calls; the tokens of
        all steps; and why it ended, unless the model was done.
    """
    conversation = _Conversation(messages)
    for number in range(1, max_steps + 1):
        try:
            completion = await ask(conversation.sent)
        except ModelFailed as error:
            if not conversation.may_end_with(error):
                raise
            conversation.stopped = str(error)
            break
        message = conversation.take(completion, number)
        calls = message.get("tool_calls") or []
        if not calls or conversation.is_lost:
            break
        if number == max_steps:
            conversation.stopped = "max_steps"
            break
        if not all(_is_runnable(call, offer) for call in calls):
            break
        await conversation.run(message, offer, seconds)
    return conversation.document()


class _Conversation:
    """The messages for the model, and the new ones as they are kept, with a flag for failed calls."""

    def __init__(self, messages: list[dict[str, Any]]) -> None:
        self.sent = list(messages)
        self.stopped: str | None = None
        self._messages: list[dict[str, Any]] = []
        self._last: dict[str, Any] = {}
        self._usage = usage_of(None)
        self._steps = 0
        self._was_malformed = False

    def take(self, completion: dict[str, Any], number: int) -> dict[str, Any]:
        """Add a completion; returns its message, with an id for each call."""
        self._last = completion
        self._steps = number
        self._usage += usage_of(completion)
        message = _message_in(completion, number)
        self._messages.append(message)
        if self.is_lost:
            call = message["tool_calls"][0]
            problem = str(completion["error"].get("message"))
            self._messages.append(_tool_message(call, ToolOutcome(problem, failed=True)))
        return message

    @property
    def is_lost(self) -> bool:
        """Whether the server rejected the model's last call."""
        return "error" in self._last

    async def run(self, message: dict[str, Any], tools: ToolOffer, seconds: float | None) -> None:
        """Run the calls of a message, all at once, and add their results."""
        import asyncio

        calls = message["tool_calls"]
        outcomes = await asyncio.gather(*(_call_outcome(call, tools, seconds) for call in calls))
        results = [_tool_message(*pair) for pair in zip(calls, outcomes, strict=True)]
        self._messages += results
        self._was_malformed = any(outcome.is_malformed for outcome in outcomes)
        # Servers may reject a message with the flag, which they do not know.
        plain = [{name: each[name] for name in each if name != "is_error"} for each in results]
        self.sent += [message, *plain]

    def may_end_with(self, error: ModelFailed) -> bool:
        """Whether the model caused the error: some servers reject malformed calls."""
        return self._was_malformed and error.status in _CLIENT_ERRORS

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
    """The message of the first choice; calls without an id get one, which results refer to."""
    if "error" in completion:
        return _lost_message(completion["error"], number)
    choices = completion.get("choices") or [{}]
    message = choices[0].get("message")
    if not isinstance(message, dict):
        return {"role": "assistant", "content": ""}
    given = message.get("tool_calls")
    items = given if isinstance(given, list) else [given]
    calls = [_call(each, f"call_{number}_{index}") for index, each in enumerate(items, 1) if each]
    if not calls:
        return {
            name: each for name, each in message.items() if name != "tool_calls"
        } | _ASSISTANT_ROLE
    return {**message, **_ASSISTANT_ROLE, "tool_calls": calls}


def _call(given: Any, id: str) -> dict[str, Any]:  # noqa: A002  (as the field is called)
    """A call; a malformed one becomes a call without a name."""
    if isinstance(given, dict):
        id = given.get("id") or id  # noqa: A001  (likewise)
        if isinstance(given.get("function"), dict) or isinstance(given.get("custom"), dict):
            return {**given, "id": id}
        name, arguments = given.get("name"), first(given, "arguments", "parameters")
    else:
        name, arguments = None, prompt_text(given)
    function = {"name": name if isinstance(name, str) else NAMELESS, "arguments": arguments}
    return {"id": id, "type": "function", "function": function}


def _lost_message(error: dict[str, Any], number: int) -> dict[str, Any]:
    """The message with the call that the server rejected, as far as its error shows it."""
    generated = error.get("failed_generation")
    call = json_of(generated)
    is_call = isinstance(call, dict) and isinstance(call.get("name"), str)
    function = {
        "name": call["name"] if is_call else NAMELESS,
        "arguments": first(call, "arguments", "parameters") if is_call else generated,
    }
    made = {"id": f"call_{number}_1", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [made]}


def _tool_message(call: dict[str, Any], outcome: ToolOutcome) -> dict[str, Any]:
    return {
        "role": "tool",
        "tool_call_id": call["id"],
        "content": outcome.text,
        "is_error": outcome.failed,
    }


def _function_in(call: dict[str, Any]) -> dict[str, Any]:
    function = call.get("function")
    return function if isinstance(function, dict) else {}


def _is_runnable(call: dict[str, Any], tools: ToolOffer) -> bool:
    """Whether a call has a result: all but those of offered tools that are not functions."""
    name = _function_in(call).get("name")
    return not isinstance(name, str) or name in tools.functions or name not in tools.names


async def _call_outcome(
    call: dict[str, Any], tools: ToolOffer, seconds: float | None
) -> ToolOutcome:
    function = _function_in(call)
    name, arguments = function.get("name"), function.get("arguments")
    if not isinstance(name, str) or not name:
        problem = f"Error: the call has no tool name. Choose from: {', '.join(tools.functions)}."
        return ToolOutcome(problem, failed=True, is_malformed=True)
    return await run_call(name, arguments, tools.functions, seconds)
