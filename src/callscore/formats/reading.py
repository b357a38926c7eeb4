"""Recognizes the dialect of a document, and reads its runs or its tool definitions."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import structs

from callscore.core.call import ToolCall
from callscore.core.rendering import mention
from callscore.errors import CallscoreError, InvalidCall, InvalidSettings, UnknownFormat
from callscore.formats.calls import NAMELESS
from callscore.formats.case_fields import is_case
from callscore.formats.definitions import unique_tools
from callscore.formats.dialect import dialects, sign_index
from callscore.formats.envelopes import unwrapped
from callscore.formats.shape import describe, first, name_of
from callscore.formats.trace import DEFAULT_READ_OPTIONS, Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from callscore.core.call import Tool
    from callscore.core.case import Expected
    from callscore.formats.dialect import Dialect
    from callscore.formats.trace import Part, ReadOptions

__all__ = [
    "Recognizer",
    "carried_documents",
    "find_dialect",
    "inner_finder",
    "note_unread",
    "read_as",
    "read_candidates",
    "read_definitions_in",
    "read_document",
    "read_named",
    "require_one_selection",
    "trace_hint",
    "unknown_format_text",
    "with_cached_dialects",
]


_MAX_DEPTH = 5
_MAX_NAMED = 3
_MAX_RECENT = 4  # kinds of documents in one file, such as requests and answers
# These recognize much that others read better, so that they are never tried before them.
_LAST_RESORTS = ("tool_definitions", "generic")


def find_dialect(document: Any, among: frozenset[str] | None = None) -> Dialect | None:
    """The first dialect, in their order, that recognizes a document; `among` limits the choice."""
    return sign_index().find(document, among)


class Recognizer:
    """Finds the dialects of the documents of one file; those found before are tried first."""

    def __init__(self) -> None:
        self._recent: list[Dialect] = []

    @property
    def state(self) -> tuple[str, ...]:
        """All that later answers depend on."""
        return tuple([dialect.name for dialect in self._recent])

    def find(self, document: Any, among: frozenset[str] | None = None) -> Dialect | None:
        """Like `find_dialect`."""
        for dialect in self._recent:
            if (among is None or dialect.name in among) and dialect.recognizes(document):
                return dialect
        found = find_dialect(document, among)
        if found is not None and found.name not in _LAST_RESORTS:
            self._recent = [found, *self._recent[: _MAX_RECENT - 1]]
        return found

    def recognize(self, document: Any) -> Dialect:
        """Like `find`, but an error that names the nearest dialects if there is none."""
        found = self.find(document)
        if found is None:
            raise UnknownFormat(unknown_format_text(document))
        return found


def inner_finder(read_options: ReadOptions) -> Callable[..., Dialect | None]:
    """The function that finds the dialects of nested documents: answers in a recording, say."""
    return read_options.inner or Recognizer().find


def with_cached_dialects(read_options: ReadOptions) -> ReadOptions:
    """The same options, with a cache of the dialects of nested documents, for one file."""
    return structs.replace(read_options, inner=Recognizer().find)


def unknown_format_text(document: Any) -> str:
    """The message for a document of unknown format, with the most similar formats."""
    rest = "'callscore formats' lists all formats; --input-format selects one."
    return f"unknown format: {describe(document)}.{_similar_formats(document)} {rest}"


def trace_hint(document: Any) -> str:
    """What to do about something unreadable that may be a trace of unknown format."""
    return f"If it is a trace, pass its format with --input-format.{_similar_formats(document)}"


def _similar_formats(document: Any) -> str:
    """A sentence that names the formats most similar to a document; empty if there are none."""
    keys = _keys(document)
    by_similarity = sorted(
        (-len(keys & others) / len(keys | others), order, name)
        for others, order, name in _keys_of_examples()
        if keys & others
    )
    near = ", ".join(name for _, _, name in by_similarity[:_MAX_NAMED])
    return f" Most similar: {near}." if near else ""


@cache
def _keys_of_examples() -> list[tuple[set[str], int, str]]:
    return [(_keys(dialect.example), dialect.order, dialect.name) for dialect in dialects()]


def _keys(value: Any, depth: int = 0) -> set[str]:
    found: set[str] = set()
    if depth > _MAX_DEPTH:
        return found
    if isinstance(value, dict):
        found = {str(key) for key in list(value)[:100]}
        inner = list(value.values())[:100]
    else:
        inner = value[:3] if isinstance(value, list) else []
    for item in inner:
        found |= _keys(item, depth + 1)
    return found


# --- the runs, or the tool definitions, of a document in any dialect ---------------------------

_Call = TypeVar("_Call", bound="Expected")


def read_document(document: Any, read_options: ReadOptions = DEFAULT_READ_OPTIONS) -> list[Trace]:
    """The runs in a document; a list that no dialect recognizes is a list of documents.

    Raises:
        UnknownFormat: no dialect recognizes it.
        InvalidCall: it cannot be read.
    """
    found = find_dialect(document)
    if found is not None:
        return read_as(found, document, read_options)
    carried = carried_documents(document)
    traces: list[Trace] = []
    if carried:
        for item in carried if find_dialect(carried) is None else [carried]:
            traces += read_document(item, read_options)
        return traces
    for dialect, item in _listed_with_dialects(document):
        traces += read_as(dialect, item, read_options)
    return traces


def carried_documents(document: Any, recognizer: Recognizer | None = None) -> list[Any]:
    """The documents in an envelope, such as a page of results; none if it is something else."""
    find = (recognizer or Recognizer()).find
    return unwrapped(document, lambda value: is_case(value) or find(value) is not None)


def _listed_with_dialects(document: Any) -> Iterator[tuple[Dialect, Any]]:
    """The documents in a list that no dialect recognizes, each with its dialect."""
    if not isinstance(document, list):
        raise UnknownFormat(unknown_format_text(document))
    recognizer = Recognizer()
    for item in document:
        yield recognizer.recognize(item), item


def read_as(
    dialect: Dialect, document: Any, read_options: ReadOptions = DEFAULT_READ_OPTIONS
) -> list[Trace]:
    """The runs in a document of a known dialect, without the calls to leave out."""
    traces = _read(dialect, document, read_options)
    _search_if_empty(traces, dialect, document, read_options)
    return traces


def _read(dialect: Dialect, document: Any, read_options: ReadOptions) -> list[Trace]:
    try:
        traces = dialect.read(document, read_options)
    except CallscoreError:
        raise
    except RecursionError as error:
        raise InvalidCall("the document is nested too deeply to be read.") from error
    except Exception as error:  # in a dialect of another package
        problem = (
            f"the document cannot be read as '{dialect.name}' ({type(error).__name__}: {error})."
        )
        raise InvalidCall(problem) from error
    if len(traces) == 1 and traces[0].id is None:
        traces = [_with_record_id(traces[0], document)]
    parts = read_options.leave_out
    return [_without_parts(trace, parts) for trace in traces] if parts else traces


def _search_if_empty(
    traces: list[Trace], dialect: Dialect, document: Any, read_options: ReadOptions
) -> None:
    """If no call was read, note what looks like one."""
    if read_options.is_searched and not any(trace.calls or trace.expected for trace in traces):
        note_unread(document, read_options, dialect)


def note_unread(document: Any, read_options: ReadOptions, dialect: Dialect | None = None) -> None:
    """Note what looks like calls in a document from which none were read.

    Raises:
        InvalidCall: there is something, and the options are strict.
    """
    if not read_options.is_searched:
        return
    from callscore.formats.unread import find_sign

    tools = set(read_options.tools)
    if dialect is not None:
        tools.update([tool.name for tool in dialect.read_tools(document)])
    sign = find_sign(document, tools, _has_calls, candidate=read_options.candidate)
    if sign is not None:
        place = "" if sign.path == "$" else f" at {sign.path}"
        likely = _likely_format(sign.value, dialect)
        hint = f" Likely format: {likely}." if likely else ""
        read_options.note_unread(f"{mention(sign.what)}{place} looks like a call.{hint}")


def _has_calls(text: str) -> bool:
    """Whether a text is in a notation of calls, and has some."""
    dialect = find_dialect(text)
    return dialect is not None and any(
        trace.any_calls for trace in dialect.read(text, DEFAULT_READ_OPTIONS)
    )


def _likely_format(value: Any, known: Dialect | None) -> str:
    """The format of a part of a document that looks like calls; empty if that says nothing new."""
    found = find_dialect(value)
    if found is None and not isinstance(value, str):
        found = find_dialect([value])
    return "" if found is None or found is known else found.name


def _with_record_id(trace: Trace, document: Any) -> Trace:
    """The run with the id and the trial of the record around its messages."""
    if not isinstance(document, dict) or not isinstance(document.get("messages"), list):
        return trace
    name = name_of(first(document, "id", "task_id"))
    if name is None:
        return trace
    trial = document.get("trial")
    is_trial = trace.trial is None and isinstance(trial, str | int)
    return structs.replace(trace, id=name, trial=trial if is_trial else trace.trial)


def read_named(
    dialect: Dialect, document: Any, read_options: ReadOptions = DEFAULT_READ_OPTIONS
) -> list[Trace]:
    """Like `read_as`, for a dialect that the user names.

    Raises:
        UnknownFormat: the document is of another format, or nothing is found in it.
    """
    traces = _read(dialect, document, read_options)
    names = {call.name for trace in traces for call in trace.any_calls}
    is_empty = names <= {NAMELESS} and not isinstance(document, str)
    if is_empty and not dialect.recognizes(document) and not dialect.read_tools(document):
        found = find_dialect(document)
        guess = f" It looks like '{found.name}'." if found else _similar_formats(document)
        raise UnknownFormat(f"the document is not in the format '{dialect.name}'.{guess}")
    _search_if_empty(traces, dialect, document, read_options)
    return traces


def _without_parts(trace: Trace, parts: tuple[Part, ...]) -> Trace:
    if not _has_any(trace.calls, parts) and not _has_any(trace.expected, parts):
        return trace
    calls = _without_calls_of(trace.calls, parts)
    return structs.replace(trace, calls=calls, expected=_without_calls_of(trace.expected, parts))


def _has_any(calls: tuple[Expected, ...] | None, parts: tuple[Part, ...]) -> bool:
    for call in calls or ():
        if not isinstance(call, ToolCall):
            continue  # a group in a case
        # Most calls, those of ordinary tools by the agent itself, have neither.
        if (call.caller or call.kind) and (call.caller in parts or call.kind in parts):
            return True
    return False


def _without_calls_of(
    calls: tuple[_Call, ...] | None, parts: tuple[Part, ...]
) -> tuple[_Call, ...] | None:
    return calls and tuple([call for call in calls if not _has_any((call,), parts)])


def read_definitions_in(document: Any, *, dialect: Dialect | None = None) -> list[Tool]:
    """The definitions of the tools in a document, without repetitions."""
    dialect = dialect or find_dialect(document)
    if dialect is not None:
        return unique_tools(dialect.read_tools(document))
    documents = _listed_with_dialects(document)
    return unique_tools(tool for found, item in documents for tool in found.read_tools(item))


# --- the first answers of a document that has several to the same question ---------------------

_Read = TypeVar("_Read")


def require_one_selection(read_options: ReadOptions, max_count: int) -> None:
    """Refuse `top_k` together with `candidate`."""
    if max_count > 1 and read_options.candidate:
        raise InvalidSettings("'top_k' and 'candidate' exclude each other. Keep one of them")


def read_candidates(
    read: Callable[[ReadOptions], _Read], read_options: ReadOptions, max_count: int
) -> list[_Read]:
    """The results of reading a document for each of its first answers.

    If a run has several questions, and one has fewer answers than another, its first answer is used
    in place of those that are missing.
    """
    require_one_selection(read_options, max_count)
    if max_count == 1:
        return [read(read_options)]
    counts = [1]
    asking = structs.replace(read_options, on_answers=counts.append)
    found = [read(asking)]
    further = range(1, min(max_count, max(counts)))
    return found + [read(structs.replace(asking, candidate=number)) for number in further]
