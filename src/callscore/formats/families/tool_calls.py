"""The call that the span of a tool stands for, with what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.model import ToolCall
from callscore.formats.arguments import read_arguments
from callscore.formats.families.tool_inputs import ToolInput, read_tool_input
from callscore.formats.shape import name_of, text_in
from callscore.formats.transcript import NAMELESS

if TYPE_CHECKING:
    from callscore.formats.arguments import Arguments
    from callscore.formats.families.spans import Span
    from callscore.formats.trace import Wanted

__all__ = ["exception_in", "executed_call", "requested_call"]

_AS_IT_IS = ToolInput(None)


def requested_call(
    name: Any,
    given: Any,
    id: Any,  # noqa: A002  (as the field is called)
) -> ToolCall:
    """A call that a model asked for in its only message, as an entry in its span has it.

    Args:
        name: of the tool.
        given: the arguments: an object, its JSON text, or whatever stands there.
        id: of the call.
    """
    arguments = read_arguments(given)
    return ToolCall(
        name if isinstance(name, str) and name else NAMELESS,
        arguments.value,
        name_of(id),
        0,
        None,
        None,
        arguments.raw,
        arguments.error,
        None,
        None,
        False,  # noqa: FBT003  (a field of a call)
        arguments.warning,
    )


def executed_call(  # noqa: PLR0913  (as many things are known of a call)
    name: Any,
    given: Any,
    id: Any,  # noqa: A002  (as the field is called)
    *,
    result: Any,
    failed: bool,
    wanted: Wanted,
    names: Any = None,
) -> ToolCall:
    """The call that a tool carried out.

    Args:
        name: of the tool.
        given: what the span has as its input.
        id: of the call.
        result: what the span has as its output; None where it has none.
        failed: whether the span says that the call has failed.
        wanted: what was asked for.
        names: an object with the names of the tool's parameters as keys.
    """
    read, arguments = _read(given, names)
    is_captured = read.error is None
    return ToolCall(
        name if isinstance(name, str) and name else NAMELESS,
        arguments.value if is_captured else None,
        name_of(id),
        None,
        result,
        True if failed else _is_failure(result, wanted),
        arguments.raw,
        arguments.error if is_captured else read.error,
        None,
        read.caller,
        read.positional,
        arguments.warning if read.warning is None else read.warning,
    )


def _read(given: Any, names: Any) -> tuple[ToolInput, Arguments]:
    """What a tool was given, and the arguments in it."""
    if given.__class__ is str and given[:2] == '{"' and "kwargs" not in given:
        # As most are: JSON with nothing around it, which need not be decoded once to see that.
        arguments = read_arguments(given)
        if arguments.error is None:
            return _AS_IT_IS, arguments
    read = read_tool_input(given, names)
    return read, read_arguments(read.arguments)


def _is_failure(result: Any, wanted: Wanted) -> bool | None:
    """Whether a result reads like an error; None where there is nothing to be read."""
    text = result if isinstance(result, str) else text_in(result)
    return None if text is None else wanted.failure.search(text) is not None


def exception_in(span: Span) -> Any:
    """What a span says was wrong: the message of an exception; None where it does not say."""
    for event in span.events:
        if event.name == "exception":
            return event.attributes.get("exception.message")
    return None
