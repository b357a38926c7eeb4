"""The clients of the SDK: one an event loop and server, closed with the loop; one for threads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from callscore.core.text import clip
from callscore.errors import InvalidSettings, MissingExtra
from callscore.models.secrets import scrubbed

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections.abc import AsyncGenerator, Callable

    import httpx2
    from openai import AsyncOpenAI, OpenAI

__all__ = ["PATH", "client_for", "options_of", "require_sdk", "response_type", "thread_client"]

PATH = "/chat/completions"
_FEATURE = "Asking a model"
_EXTRA = "openai"
_LONGEST = 200  # characters of what the SDK says
_Client = TypeVar("_Client")
_OPTIONS = {"extra_headers": "headers", "extra_query": "params", "extra_body": "extra_json"}


class _Clients:
    """The clients of one event loop."""

    def __init__(self) -> None:
        self.by_server: dict[tuple[str | None, str], AsyncOpenAI] = {}
        self.keeper: AsyncGenerator[None] | None = None


_clients: dict[AbstractEventLoop, _Clients] = {}


def require_sdk() -> None:
    """Refuse to go on without the SDK.

    Raises:
        MissingExtra: it is not installed.
    """
    from importlib.util import find_spec

    if find_spec("openai") is None:
        raise MissingExtra(_FEATURE, _EXTRA)


def response_type() -> type[httpx2.Response]:
    """What the SDK is asked for, so that it hands over what the server wrote and reads nothing."""
    from httpx2 import Response

    return Response


async def client_for(base_url: str | None, key: str) -> AsyncOpenAI:
    """The client of this event loop for a server; it is closed when the loop comes to its end.

    Raises:
        MissingExtra: the SDK is not installed.
        InvalidSettings: the environment has something in it that the SDK cannot use.
    """
    import asyncio

    loop = asyncio.get_running_loop()
    clients = _clients.get(loop)
    if clients is None:
        clients = await _begin(loop)
    client = clients.by_server.get((base_url, key))
    if client is None:
        client = clients.by_server[base_url, key] = _new(base_url, key)
    return client


async def _begin(loop: AbstractEventLoop) -> _Clients:
    for other in [other for other in _clients if other.is_closed()]:
        del _clients[other]  # it was closed without the generators in it
    clients = _clients[loop] = _Clients()
    clients.keeper = _keep(loop, clients)
    await anext(clients.keeper)
    return clients


async def _keep(loop: AbstractEventLoop, clients: _Clients) -> AsyncGenerator[None]:
    """Wait to be closed with the loop, as all asynchronous generators are, and close the clients."""
    try:
        yield
    finally:
        _clients.pop(loop, None)
        for client in clients.by_server.values():
            await client.close()


def _new(base_url: str | None, key: str) -> AsyncOpenAI:
    try:
        from openai import AsyncOpenAI
    except ImportError as error:
        raise MissingExtra(_FEATURE, _EXTRA) from error
    from urllib.request import getproxies

    if getproxies():
        # One that is wrong is found out with a client that blocks: an asynchronous one that is half
        # made complains in the event loop that it cannot be closed.
        thread_client(base_url, key, None).close()
    # How often and for how long is our concern: the SDK would do it a second time.
    return _made(AsyncOpenAI, base_url=base_url, api_key=key, max_retries=0, timeout=None)


def thread_client(base_url: str | None, key: str, timeout: float | None) -> OpenAI:
    """A client for code that blocks; many threads can use it at once.

    Raises:
        MissingExtra: the SDK is not installed.
        InvalidSettings: the environment has something in it that the SDK cannot use.
    """
    try:
        from openai import OpenAI
    except ImportError as error:
        raise MissingExtra(_FEATURE, _EXTRA) from error

    return _made(OpenAI, base_url=base_url, api_key=key, max_retries=0, timeout=timeout)


def _made(kind: Callable[..., _Client], **given: Any) -> _Client:
    try:
        return kind(**given)
    except Exception as error:  # noqa: BLE001  (of a proxy, say, that the environment names)
        problem = clip(" ".join(scrubbed(str(error), (given["api_key"],)).split()), _LONGEST)
    raise InvalidSettings(
        f"the model cannot be asked: {problem or 'the SDK cannot be used'}; look at the variables"
        " HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and OPENAI_* of the environment"
    )


def options_of(parameters: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters for the model, and apart from them what concerns the request as such."""
    options = {_OPTIONS[name]: value for name, value in parameters.items() if name in _OPTIONS}
    if not options:
        return parameters, {}
    return {name: value for name, value in parameters.items() if name not in _OPTIONS}, options
