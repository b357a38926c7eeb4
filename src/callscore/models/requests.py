"""Requests to a model: prompt templates, messages, the body, and the SDK client.

Templates have placeholders for the fields of a case: `Question: {{input}}`. Four braces, `{{{{`,
stand for two literal ones. There is one client for each event loop and server, closed with the
loop, and one for threads.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from callscore.core.case import Case
from callscore.core.rendering import clip
from callscore.core.suggestions import did_you_mean
from callscore.errors import InvalidSettings, MissingExtra
from callscore.models.secrets import hide_secrets
from callscore.words.value_text import encode_json, json_safe, json_safe_string

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

    import httpx2
    from openai import AsyncOpenAI, OpenAI

_CASE_FIELDS = ("input", "id", "tags", "metadata")
_PLACEHOLDER = re.compile(r"\{\{\{\{|\{\{\s*([^{}]*?)\s*\}\}")


def require_template(template: Any) -> None:
    """Refuse a template that is not text, or that has a placeholder for an unknown field."""
    if template is None:
        return
    if not isinstance(template, str):
        raise InvalidSettings(f"prompt: expected a string, got {template!r}")
    for place in _PLACEHOLDER.finditer(template):
        if place[1] is not None and place[1].split(".")[0] not in _CASE_FIELDS:
            known = ", ".join(f"{{{{{field}}}}}" for field in _CASE_FIELDS)
            problem = f"prompt: unknown field {place[1]!r} in a placeholder. Choose from: {known},"
            hint = (
                "or a value in them, such as {{metadata.city}}. Write {{{{ for two literal braces."
            )
            raise InvalidSettings(f"{problem} {hint}")


def fill_template(template: str, case: Case) -> str:
    """Fill the placeholders of a template; values are inserted verbatim, once.

    A value that looks like a placeholder is not filled. A number in a path is an index in a list.

    Raises:
        InvalidSettings: the case has no such value.
    """
    return _PLACEHOLDER.sub(
        lambda found: "{{" if found[1] is None else prompt_text(_value_at(found[1], case)),
        template,
    )


def _value_at(path: str, case: Case) -> Any:
    first, *keys = path.split(".")
    value = getattr(case, first)
    for key in keys:
        is_index = isinstance(value, list | tuple) and key.isascii() and key.isdigit()
        if isinstance(value, dict):
            value = value.get(key)
        else:
            value = value[int(key)] if is_index and int(key) < len(value) else None
    if value is None:
        raise InvalidSettings(f"prompt: the case {case.id!r} has no value '{path}'")
    return value


def prompt_text(value: Any) -> str:
    """A value as a model receives it: text verbatim, anything else as JSON."""
    return value if isinstance(value, str) else encode_json(value).decode()


_CONTENT_PART_TYPES = ("text", "image_url", "input_audio", "file")  # of a user message
_SYSTEM_ROLES = ("system", "developer")
_ROLES = (*_SYSTEM_ROLES, "user", "assistant", "tool", "function")


def as_case(given: Any) -> Case:
    """The value as a case: a `Case` is returned as it is, anything else becomes the input."""
    return given if isinstance(given, Case) else Case(given)


def messages_for(case: Case, *, system: str | None, prompt: str | None) -> list[dict[str, Any]]:
    """The messages that ask the model about a case.

    An input that is a list of messages is sent unchanged, and a system message at its beginning
    replaces `system`. A text, a list of content parts, or the filled prompt is the user message;
    anything else is sent as JSON.

    Raises:
        InvalidSettings: the case has no input or not the values of the prompt, or its input is
            messages and there is a prompt.
    """
    asked = case.input
    if isinstance(asked, dict) and _are_messages(asked.get("messages")):
        asked = asked["messages"]
    if prompt is not None:
        if _are_messages(case.input) or _are_parts(case.input):
            raise InvalidSettings(
                f"prompt: the input of the case {case.id!r} is a list of messages or of content"
                " parts, which is sent unchanged. Remove the prompt."
            )
        messages = [{"role": "user", "content": json_safe_string(fill_template(prompt, case))}]
    elif _are_messages(asked):
        messages = json_safe(asked)
    elif asked is None:
        raise InvalidSettings(f"the case {case.id!r} has no input")
    elif _are_parts(asked):
        messages = [{"role": "user", "content": json_safe(asked)}]
    else:
        messages = [{"role": "user", "content": json_safe_string(prompt_text(asked))}]
    if system is None or messages[0]["role"] in _SYSTEM_ROLES:
        return messages
    return [{"role": "system", "content": json_safe_string(system)}, *messages]


def _are_parts(value: Any) -> bool:
    return _are_objects_with(value, "type", _CONTENT_PART_TYPES)


def _are_messages(value: Any) -> bool:
    return _are_objects_with(value, "role", _ROLES)


def _are_objects_with(value: Any, key: str, allowed: tuple[str, ...]) -> bool:
    if not isinstance(value, list) or not value:
        return False
    return all(isinstance(item, dict) and item.get(key) in allowed for item in value)


def request_body(
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


def require_known_parameters(parameters: dict[str, Any]) -> None:
    """Refuse parameters that the SDK does not know: a server would silently ignore a typo."""
    known = _known_parameters()
    for name in parameters:
        if name not in known:
            meant = did_you_mean(name, known) or "."
            problem = f"unknown parameter {name!r}{meant}"
            raise InvalidSettings(f"{problem} Pass parameters of a single server in extra_body.")


@cache
def _known_parameters() -> tuple[str, ...]:
    from inspect import signature

    from openai.resources.chat.completions import AsyncCompletions

    names = signature(AsyncCompletions.create).parameters
    reserved = ("self", "timeout", "model", "messages", "tools")
    return tuple(name for name in names if name not in reserved)


COMPLETIONS_PATH = "/chat/completions"
_FEATURE = "Calling a model"
_EXTRA = "openai"
_MAX_ERROR_LENGTH = 200  # characters of what the SDK says
_Client = TypeVar("_Client")
# A redirect could send the cases, and headers with keys, to a server that was not named.
REQUEST_OPTIONS = {"follow_redirects": False}
_EXTRA_OPTIONS = {"extra_headers": "headers", "extra_query": "params", "extra_body": "extra_json"}


class _LoopClients:
    """The clients of one event loop."""

    def __init__(self) -> None:
        self.by_server: dict[tuple[str | None, str], AsyncOpenAI] = {}
        self.keeper: AsyncGenerator[None] | None = None


_clients_by_loop: dict[AbstractEventLoop, _LoopClients] = {}


def require_sdk() -> None:
    """Raise `MissingExtra` if the SDK is not installed."""
    from importlib.util import find_spec

    if find_spec("openai") is None:
        raise MissingExtra(_FEATURE, _EXTRA)


def response_type() -> type[httpx2.Response]:
    """The response type that makes the SDK return the raw response instead of parsing it."""
    from httpx2 import Response

    return Response


async def client_for(base_url: str | None, key: str) -> AsyncOpenAI:
    """The client of this event loop for a server; it is closed with the loop.

    Raises:
        MissingExtra: the SDK is not installed.
        InvalidSettings: the SDK cannot use a variable of the environment.
    """
    import asyncio

    loop = asyncio.get_running_loop()
    clients = _clients_by_loop.get(loop)
    if clients is None:
        clients = await _register(loop)
    client = clients.by_server.get((base_url, key))
    if client is None:
        client = clients.by_server[base_url, key] = _new_client(base_url, key)
    return client


async def _register(loop: AbstractEventLoop) -> _LoopClients:
    for other in [other for other in _clients_by_loop if other.is_closed()]:
        del _clients_by_loop[other]  # it was closed without its generators
    clients = _clients_by_loop[loop] = _LoopClients()
    clients.keeper = _close_with_loop(loop, clients)
    await anext(clients.keeper)
    return clients


async def _close_with_loop(loop: AbstractEventLoop, clients: _LoopClients) -> AsyncGenerator[None]:
    """An asynchronous generator that closes the clients when the loop is closed."""
    try:
        yield
    finally:
        _clients_by_loop.pop(loop, None)
        for client in clients.by_server.values():
            await client.close()


def _new_client(base_url: str | None, key: str) -> AsyncOpenAI:
    try:
        from openai import AsyncOpenAI
    except ImportError as error:
        raise MissingExtra(_FEATURE, _EXTRA) from error
    from urllib.request import getproxies

    if getproxies():
        # Invalid proxies are detected with a blocking client: an asynchronous one that is half
        # initialised logs an error in the event loop because it cannot be closed.
        thread_client(base_url, key).close()
    # Retries and timeouts are made by `limits`; the SDK would repeat them.
    return _create(AsyncOpenAI, base_url, key)


def thread_client(base_url: str | None, key: str) -> OpenAI:
    """A blocking client, which many threads can use at once; it raises the same errors."""
    try:
        from openai import OpenAI
    except ImportError as error:
        raise MissingExtra(_FEATURE, _EXTRA) from error
    return _create(OpenAI, base_url, key)


def _create(kind: Callable[..., _Client], base_url: str | None, key: str) -> _Client:
    try:
        return kind(base_url=base_url, api_key=key, max_retries=0, timeout=None)
    except Exception as error:  # noqa: BLE001  (of an invalid proxy in the environment, say)
        problem = clip(" ".join(hide_secrets(str(error), (key,)).split()), _MAX_ERROR_LENGTH)
    raise InvalidSettings(
        f"cannot create the client: {problem or 'the SDK failed'}. Check the environment variables"
        " HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and OPENAI_*."
    )


def split_options(parameters: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters for the model, and separately the options of the request."""
    for_model = {key: value for key, value in parameters.items() if key not in _EXTRA_OPTIONS}
    options = {new: parameters[key] for key, new in _EXTRA_OPTIONS.items() if key in parameters}
    return for_model, options
