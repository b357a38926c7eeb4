"""Runs the functions that a model calls; whatever goes wrong is told to the model, not to us."""

from __future__ import annotations

from dataclasses import is_dataclass
from enum import Enum
from inspect import isawaitable, iscoroutinefunction, unwrap
from typing import TYPE_CHECKING, Any, get_args

import msgspec
from msgspec import Struct

from callscore.core.plain import plain
from callscore.core.text import clip
from callscore.formats.annotations import hints_of
from callscore.formats.arguments import read_arguments
from callscore.formats.objects import plain as plain_object
from callscore.models.daemon_threads import in_daemon_thread
from callscore.models.templates import text_of

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Outcome", "run_call"]

_LONGEST = 1000  # characters of what an error says


class Outcome(Struct, frozen=True):
    """What came of a call.

    Attributes:
        text: what the model is told.
        failed: whether it went wrong.
        is_malformed: whether the arguments were no object at all.
    """

    text: str
    failed: bool = False
    is_malformed: bool = False


async def run_call(
    name: str,
    arguments: Any,
    functions: dict[str, Callable[..., Any]],
    seconds: float | None,
) -> Outcome:
    """Run the function that a model called; it may be asynchronous or not.

    Args:
        name: of the tool.
        arguments: as the model wrote them.
        functions: by the names of their tools.
        seconds: for how long it may run; None for ever.
    """
    function = functions.get(name)
    if function is None:
        return _failed(f"there is no tool {name!r}; the tools are {', '.join(functions)}")
    read = read_arguments(arguments)
    if read.value is None:
        problem = f"Error: the arguments are not a JSON object ({read.error})"
        return Outcome(problem, failed=True, is_malformed=True)
    return await _run(function, read.value, seconds)


async def _run(
    function: Callable[..., Any], arguments: dict[str, Any], seconds: float | None
) -> Outcome:
    import asyncio

    try:
        async with asyncio.timeout(seconds):
            return Outcome(await _result_of(function, _fitted(function, arguments)))
    except TimeoutError as error:
        return _failed(str(error) or f"the tool took longer than {seconds:g} s")
    except (Exception, SystemExit) as error:  # noqa: BLE001  (whatever a tool does wrong)
        return _failed(f"{type(error).__name__}: {error}")


def _failed(problem: str) -> Outcome:
    return Outcome(clip(f"Error: {problem}", _LONGEST), failed=True)


async def _result_of(function: Callable[..., Any], arguments: dict[str, Any]) -> str:
    """What the model is told; put into words where it may take its time."""
    if iscoroutinefunction(function):
        return _told(await function(**arguments))

    def run() -> Any:
        result = function(**arguments)
        return result if isawaitable(result) else _told(result)

    told = await in_daemon_thread(run)
    return _told(await told) if isawaitable(told) else str(told)


def _fitted(function: Callable[..., Any], arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments as the function wants them: an object as the class that it is annotated with."""
    hints = hints_of(unwrap(getattr(function, "func", function)))
    return {
        name: _as(hints[name], value) if name in hints else value
        for name, value in arguments.items()
    }


def _as(kind: Any, value: Any) -> Any:
    if not _is_made(kind):
        return value
    try:
        return msgspec.convert(value, kind, dec_hook=_made)
    except TypeError:  # kinds that cannot be told apart, in one annotation
        return value


def _is_made(kind: Any) -> bool:
    """Whether an annotation names a class whose objects are made of data."""
    if isinstance(kind, type):
        is_ours = is_dataclass(kind) or issubclass(kind, Enum | Struct)
        return is_ours or hasattr(kind, "model_validate")
    return any(map(_is_made, get_args(kind)))


def _made(kind: Any, value: Any) -> Any:
    if not hasattr(kind, "model_validate"):
        raise TypeError(kind)
    return kind.model_validate(value)  # a model of pydantic


def _told(result: Any) -> str:
    """What a tool returned, as a model is told it; what is no data is told as text."""
    try:
        return text_of(plain_object(result))
    except Exception:  # noqa: BLE001  (an object of somebody else, which may do anything)
        return str(plain(result))
