"""Runs the functions that a model calls; whatever goes wrong is told to the model, not to us."""

from __future__ import annotations

from inspect import isawaitable, iscoroutinefunction
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from callscore.core.plain import plain, plain_string
from callscore.core.text import clip
from callscore.formats.arguments import read_arguments
from callscore.formats.objects import plain as plain_object
from callscore.models.daemon_threads import in_daemon_thread
from callscore.models.giving_up import begin, give_up
from callscore.models.secrets import scrubbed
from callscore.models.templates import text_of
from callscore.models.tool_arguments import Arguments, fitted

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

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
    """Run it in a task of its own, which is given up where it does not end in time."""
    import asyncio

    task = begin(_outcome_of(function, arguments))
    try:
        await asyncio.wait((task,), timeout=seconds)
    finally:
        is_over = task.done()
        if not is_over:
            give_up(task)
    if not is_over:
        return _failed(f"the tool took longer than {seconds:g} s")
    return _failed("the tool was cancelled") if task.cancelled() else task.result()


def _failed(problem: str) -> Outcome:
    return Outcome(clip(scrubbed(plain_string(f"Error: {problem}")), _LONGEST), failed=True)


def _raised(error: BaseException) -> Outcome:
    kind = type(error).__name__
    try:
        said = str(error)
    except Exception:  # noqa: BLE001  (whatever an error of somebody else does)
        said = "(it cannot even be printed)"
    return _failed(f"{kind}: {said}" if said else kind)


async def _outcome_of(function: Callable[..., Any], arguments: dict[str, Any]) -> Outcome:
    """What the model is told; put into words where it may take its time."""
    try:
        given = fitted(function, arguments)
        if iscoroutinefunction(function):
            return _told(await function(*given.positional, **given.named))
        outcome = await in_daemon_thread(_called, function, given)
        return outcome if isinstance(outcome, Outcome) else _told(await outcome)
    except KeyboardInterrupt:  # of whoever sits at the keyboard
        raise
    except BaseException as error:  # noqa: BLE001  (whatever a tool does wrong)
        return _raised(error)


def _called(function: Callable[..., Any], given: Arguments) -> Outcome | Awaitable[Any]:
    """What a function returns that may block, in words; or what is still to be awaited."""
    try:
        result = function(*given.positional, **given.named)
        return result if isawaitable(result) else _told(result)
    except BaseException as error:  # noqa: BLE001  (whatever a tool does wrong; Ctrl-C is not heard here)
        return _raised(error)


def _told(result: Any) -> Outcome:
    """What a tool returned, as a model is told it; what is no data is told as text."""
    try:
        text = text_of(plain_object(result))
    except Exception:  # noqa: BLE001  (an object of somebody else, which may do anything)
        text = str(plain(result))
    return Outcome(plain_string(text))
