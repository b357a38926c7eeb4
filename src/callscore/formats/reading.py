"""A document in any dialect becomes runs, or the definitions of tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import structs

from callscore.core.call import ToolCall
from callscore.errors import CallscoreError, InvalidCall, UnknownFormat
from callscore.formats.definitions import unique_tools
from callscore.formats.recognition import Recogniser, find_dialect, recognise, refusal
from callscore.formats.shape import first, name_of
from callscore.formats.trace import DEFAULT, Trace
from callscore.formats.transcript import NAMELESS

if TYPE_CHECKING:
    from callscore.core.expectation import Expected
    from callscore.core.tool import Tool
    from callscore.formats.dialect import Dialect
    from callscore.formats.trace import Part, Wanted

__all__ = ["read_as", "read_definitions_in", "read_document", "read_named"]

_Call = TypeVar("_Call", bound="Expected")


def read_document(document: Any, wanted: Wanted = DEFAULT) -> list[Trace]:
    """The runs in a document; a list that no dialect knows as a whole is a list of documents.

    Args:
        document: a JSON value, or text that a model wrote.
        wanted: what to take where there is a choice.

    Raises:
        UnknownFormat: no dialect recognises it.
        InvalidCall: it cannot be read.
    """
    found = find_dialect(document)
    if found is not None:
        return read_as(found, document, wanted)
    if not isinstance(document, list):
        recognise(document)
    recogniser = Recogniser()
    traces: list[Trace] = []
    for item in document:
        traces += read_as(recogniser.recognise(item), item, wanted)
    return traces


def read_as(dialect: Dialect, document: Any, wanted: Wanted = DEFAULT) -> list[Trace]:
    """The runs in a document of a known dialect, without the calls that are not wanted.

    Raises:
        InvalidCall: it cannot be read.
    """
    try:
        traces = dialect.read(document, wanted)
    except CallscoreError:
        raise
    except RecursionError as error:
        raise InvalidCall("the document is nested too deeply to be read.") from error
    except Exception as error:  # of a dialect that another package brings
        problem = f"the format {dialect.name} broke on it ({type(error).__name__}: {error})."
        raise InvalidCall(problem) from error
    if len(traces) == 1 and traces[0].id is None:
        traces = [_named(traces[0], document)]
    parts = wanted.leave_out
    return [_without(trace, parts) for trace in traces] if parts else traces


def _named(trace: Trace, document: Any) -> Trace:
    """The run with the id, and the trial, of the record that keeps its messages."""
    if not isinstance(document, dict) or not isinstance(document.get("messages"), list):
        return trace
    name = name_of(first(document, "id", "task_id"))
    if name is None:
        return trace
    trial = document.get("trial")
    is_trial = trace.trial is None and isinstance(trial, str | int)
    return structs.replace(trace, id=name, trial=trial if is_trial else trace.trial)


def read_named(dialect: Dialect, document: Any, wanted: Wanted = DEFAULT) -> list[Trace]:
    """As `read_as`, where it is the user who says what the document is written in.

    Raises:
        UnknownFormat: it is not written in that; or at least, there is nothing to be found in it.
    """
    traces = read_as(dialect, document, wanted)
    names = {call.name for trace in traces for call in trace.any_calls}
    is_empty = names <= {NAMELESS} and not isinstance(document, str)
    if is_empty and not dialect.recognises(document) and not dialect.read_tools(document):
        found = find_dialect(document)
        guess = f"It looks like {found.name}." if found else refusal(document)
        raise UnknownFormat(f"this is not {dialect.name}. {guess}")
    return traces


def _without(trace: Trace, parts: tuple[Part, ...]) -> Trace:
    if _has_any(trace.calls, parts) or _has_any(trace.expected, parts):
        calls, expected = _selected(trace.calls, parts), _selected(trace.expected, parts)
        return structs.replace(trace, calls=calls, expected=expected)
    return trace


def _has_any(calls: tuple[Expected, ...] | None, parts: tuple[Part, ...]) -> bool:
    for call in calls or ():
        if not isinstance(call, ToolCall):
            continue  # only a case of our own has groups, and those say themselves whose they are
        # Mostly a call is the agent's own, of a tool like any other.
        if (call.caller or call.kind) and (call.caller in parts or call.kind in parts):
            return True
    return False


def _selected(calls: tuple[_Call, ...] | None, parts: tuple[Part, ...]) -> tuple[_Call, ...] | None:
    return calls and tuple([call for call in calls if not _has_any((call,), parts)])


def read_definitions_in(document: Any, *, dialect: Dialect | None = None) -> list[Tool]:
    """The definitions of the tools in a document, each once.

    Args:
        document: as for `read_document`.
        dialect: what it is written in, where that is known.

    Raises:
        UnknownFormat: no dialect recognises it.
    """
    found = dialect or find_dialect(document)
    if found is not None:
        return unique_tools(found.read_tools(document))
    if not isinstance(document, list):
        recognise(document)
    recogniser = Recogniser()
    return unique_tools(
        tool for item in document for tool in recogniser.recognise(item).read_tools(item)
    )
