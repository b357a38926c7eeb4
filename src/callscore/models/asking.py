"""What a model is asked: the messages and the body of a request."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from callscore.core.model import Case
from callscore.core.nearest import meant_by
from callscore.core.plain import plain, plain_string
from callscore.errors import InvalidSettings
from callscore.models.templates import filled, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["body_of", "case_of", "messages_of", "require_parameters"]

_OURS = ("model", "messages", "tools")
_PARTS = ("text", "image_url", "input_audio", "file")  # of what a user says
_FIRST = ("system", "developer")
_ROLES = (*_FIRST, "user", "assistant", "tool", "function")


def case_of(given: Any) -> Case:
    """What is asked, as a case: a case is one, anything else is what it asks."""
    return given if isinstance(given, Case) else Case(given)


def messages_of(case: Case, *, system: str | None, prompt: str | None) -> list[dict[str, Any]]:
    """The messages that a case is asked with.

    An input that is a list of messages is taken as such, and a system message that it begins with
    stands in place of `system`. A text, a list of content parts, or a prompt with the case put in is
    what the user says; anything else is said as JSON.

    Raises:
        InvalidSettings: the case asks nothing, has not what the prompt wants of it, or is messages
            that no prompt can hold.
    """
    asked = case.input
    if isinstance(asked, dict) and _are_messages(asked.get("messages")):
        asked = asked["messages"]
    if prompt is not None:
        _require_no_messages(case)
        said = [{"role": "user", "content": plain_string(filled(prompt, case))}]
    elif _are_messages(asked):
        said = plain(asked)
    elif asked is None:
        raise InvalidSettings(f"the case {case.id!r} has no input, so there is nothing to ask")
    elif _are_parts(asked):
        said = [{"role": "user", "content": plain(asked)}]
    else:
        said = [{"role": "user", "content": plain_string(text_of(asked))}]
    if system is None or said[0]["role"] in _FIRST:
        return said
    return [{"role": "system", "content": plain_string(system)}, *said]


def _require_no_messages(case: Case) -> None:
    if _are_messages(case.input) or _are_parts(case.input):
        raise InvalidSettings(
            f"prompt: the input of the case {case.id!r} is a list of messages, or of their parts,"
            " which is sent as it is; leave the prompt out"
        )


def _are_parts(value: Any) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(item, dict) and item.get("type") in _PARTS for item in value)
    )


def _are_messages(value: Any) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(item, dict) and item.get("role") in _ROLES for item in value)
    )


def body_of(
    model: str,
    messages: Sequence[dict[str, Any]],
    tools: Sequence[dict[str, Any]],
    parameters: dict[str, Any],
) -> dict[str, Any]:
    """The body of a request; a parameter that is None is left out."""
    body: dict[str, Any] = {"model": model, "messages": list(messages)}
    if tools:
        body["tools"] = list(tools)
    if parameters.get("stream"):
        body["stream_options"] = {"include_usage": True}
    body.update(parameters)
    return {name: value for name, value in body.items() if value is not None}


def require_parameters(parameters: dict[str, Any]) -> None:
    """Refuse parameters that the SDK does not know, for a server would ignore a slip in silence.

    Raises:
        InvalidSettings: there is one; the message says what is probably meant.
    """
    known = _known_parameters()
    for name in parameters:
        if name not in known:
            meant = meant_by(name, known) or "."
            problem = f"there is no parameter {name!r}{meant}"
            raise InvalidSettings(f"{problem} What only one server knows goes into extra_body.")


@cache
def _known_parameters() -> tuple[str, ...]:
    from inspect import signature

    from openai.resources.chat.completions import AsyncCompletions

    names = signature(AsyncCompletions.create).parameters
    return tuple(name for name in names if name not in ("self", "timeout", *_OURS))
