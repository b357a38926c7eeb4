"""What a model is asked: the messages and the body of a request."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from callscore.core.model import Case
from callscore.core.nearest import meant_by
from callscore.errors import InvalidSettings
from callscore.models.templates import filled, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["body_of", "case_of", "messages_of", "require_parameters"]

_OURS = ("model", "messages", "tools")
_ROLES = ("system", "developer", "user", "assistant", "tool", "function")


def case_of(given: Any) -> Case:
    """What is asked, as a case: a case is one, anything else is what it asks."""
    return given if isinstance(given, Case) else Case(given)


def messages_of(case: Case, *, system: str | None, prompt: str | None) -> list[dict[str, Any]]:
    """The messages that a case is asked with.

    An input that is a list of messages is taken as such; a text, or a prompt with the case put in,
    is what the user says; anything else is said as JSON.

    Raises:
        InvalidSettings: the case asks nothing, or has not what the prompt wants of it.
    """
    asked = case.input
    if isinstance(asked, dict) and _are_messages(asked.get("messages")):
        asked = asked["messages"]
    messages: list[dict[str, Any]] = []
    if system is not None:
        messages.append({"role": "system", "content": system})
    if prompt is not None:
        messages.append({"role": "user", "content": filled(prompt, case)})
    elif _are_messages(asked):
        messages += asked
    elif asked is None:
        raise InvalidSettings(f"the case {case.id!r} has no input, so there is nothing to ask")
    else:
        messages.append({"role": "user", "content": text_of(asked)})
    return messages


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
