"""Recognizes the dialect of a document, and reads its runs or its tool definitions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import structs

from callscore.core.call import Tool, ToolCall
from callscore.core.rendering import mention
from callscore.errors import CallscoreError, InvalidCall, InvalidSettings, UnknownFormat
from callscore.formats.callers import calls_of, expected_of
from callscore.formats.calls import NAMELESS
from callscore.formats.case_fields import is_case
from callscore.formats.definitions import unique_tools
from callscore.formats.dialect import Dialect, dialects, sign_index
from callscore.formats.envelopes import unwrapped
from callscore.formats.shape import describe, first, name_of
from callscore.formats.trace import DEFAULT_READ_OPTIONS, Part, ReadOptions, Trace
from callscore.formats.unknown_kinds import RESULT_FIRST

if TYPE_CHECKING:
    from callscore.core.case import Expected

_MAX_DEPTH = 5
_MAX_NAMED = 3
_MAX_KINDS = 20  # of unknown calls in a document, each of which is searched for its place
_MAX_RECENT = 8  # kinds of documents in one file, such as requests and answers
# These recognize much that others read better, so that they are never tried before them.
_LAST_RESORTS = ("tool_definitions", "generic")


def find_dialect(document: Any, among: frozenset[str] | None = None) -> Dialect | None:
    """The first dialect, in their order, that recognizes a document; `among` limits the choice."""
    return sign_index().find(document, among)


class Recognizer:
    """Finds the dialects of the documents of one file; those found before are tried first.

    Only for documents with the same signs: otherwise a dialect that recognizes much, such as that of
    definitions, would claim what belongs to a dialect before it.
    """

    def __init__(self) -> None:
        self._recent: list[tuple[Dialect, tuple[int, int]]] = []

    @property
    def state(self) -> tuple[tuple[str, tuple[int, int]], ...]:
        """All that later answers depend on."""
        return tuple([(dialect.name, signs) for dialect, signs in self._recent])

    def find(self, document: Any, among: frozenset[str] | None = None) -> Dialect | None:
        """Like `find_dialect`."""
        index = sign_index()
        signs = index.possible(document)
        for dialect, known in self._recent:
            if (
                known == signs
                and (among is None or dialect.name in among)
                and dialect.recognizes(document)
            ):
                return dialect
        found = index.find(document, among, signs)
        if found is not None and among is None and found.name not in _LAST_RESORTS:
            self._recent = [(found, signs), *self._recent[: _MAX_RECENT - 1]]
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
    sign = _sign_text(document)
    known = f"{describe(document)}.{f' {sign}' if sign else ''}{_similar_formats(document)}"
    return f"unknown format: {known} {rest}"


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
    if not read_options.is_searched:
        return _without_left_out(_read(dialect, document, read_options), read_options)
    unknown, collecting = _collecting(read_options)
    traces = _read(dialect, document, collecting)
    if unknown or not _have_calls(traces):
        _note_lost(traces, unknown, dialect, document, read_options)
    return _without_left_out(traces, read_options)


def _read(dialect: Dialect, document: Any, read_options: ReadOptions) -> list[Trace]:
    if read_options.on_format is not None:
        read_options.on_format(dialect.name)
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
        return [_with_record_id(traces[0], document)]
    return traces


_Unknown = list[tuple[str, Any]]


def _collecting(read_options: ReadOptions) -> tuple[_Unknown, ReadOptions]:
    """A list, and options that put the items of unknown kinds into it."""
    unknown: _Unknown = []
    # Faster than `replace`, which checks all options again: this is done for each document.
    collecting: ReadOptions = read_options.__copy__()  # type: ignore[attr-defined]  # every struct has it
    structs.force_setattr(collecting, "on_unknown", unknown.append)
    return unknown, collecting


def _have_calls(traces: list[Trace]) -> bool:
    for trace in traces:  # noqa: SIM110  (faster than `any`, for each document)
        if trace.calls:
            return True
    return False


def _note_lost(
    traces: list[Trace],
    unknown: _Unknown,
    dialect: Dialect,
    document: Any,
    read_options: ReadOptions,
) -> None:
    """Note what looks like calls and was not read: of unknown kinds, or anything if none was read."""
    if not dialect.has_calls:
        return
    is_lost = not _have_calls(traces)  # not even one to leave out
    if is_lost:
        has_expected = any(trace.expected for trace in traces)
        is_lost = not has_expected or any(trace.calls is not None for trace in traces)
        if is_lost and note_unread(document, read_options, dialect, has_expected=has_expected):
            return
    firsts: dict[str, Any] = {}
    for kind, item in unknown:
        if kind != RESULT_FIRST or is_lost:
            firsts.setdefault(kind.strip(), item)
    for kind, item in list(firsts.items())[:_MAX_KINDS]:
        read_options.note_unknown(kind, item, document)
    others = len(firsts) - _MAX_KINDS
    if others > 0:
        read_options.note_unread(f"Items of {others} other kinds look like calls, too.")


def note_unread(
    document: Any,
    read_options: ReadOptions,
    dialect: Dialect | None = None,
    *,
    has_expected: bool = False,
) -> bool:
    """Note what looks like calls in a document from which none were read; whether there is any.

    With `has_expected`, expected calls were read from it, which are not searched again.

    Raises:
        InvalidCall: there is something, and the options are strict.
    """
    text = ""
    if read_options.is_searched:
        text = _sign_text(document, read_options, dialect, has_expected=has_expected)
        if text:
            read_options.note_unread(text)
    return bool(text)


def _sign_text(
    document: Any,
    read_options: ReadOptions = DEFAULT_READ_OPTIONS,
    dialect: Dialect | None = None,
    *,
    has_expected: bool = False,
) -> str:
    """What looks like calls in a document, in sentences; empty if nothing does."""
    sign = _sign_finder()(
        document,
        lambda: _tool_names(document, read_options, dialect),
        _has_calls,
        candidate=read_options.candidate,
        has_expected=has_expected,
    )
    if sign is None:
        return ""
    place = "" if sign.path == "$" else f" at {sign.path}"
    return f"{mention(sign.what)}{place} looks like a call.{_format_hint(sign.value, dialect)}"


@cache  # an import statement takes as long as to search a small document
def _sign_finder() -> Callable[..., Any]:
    from callscore.formats.unread import find_sign

    return find_sign


def _tool_names(document: Any, read_options: ReadOptions, dialect: Dialect | None) -> set[str]:
    tools = [] if dialect is None else dialect.read_tools(document)
    return {*read_options.tools, *[tool.name for tool in tools]}


def _has_calls(text: str) -> bool:
    """Whether a text is in a notation of calls, and has some."""
    dialect = find_dialect(text)
    return dialect is not None and any(
        trace.any_calls for trace in dialect.read(text, DEFAULT_READ_OPTIONS)
    )


def _format_hint(value: Any, known: Dialect | None) -> str:
    """A sentence about the format of a part of a document that looks like calls."""
    found = find_dialect(value)
    if found is None and not isinstance(value, str):
        found = find_dialect([value])
    if found is not None and found is not known:
        return f" Likely format: {found.name}."
    # It may have been taken for a format that it is not in.
    return "" if known is None else f" Recognized format: {known.name}."


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
    unknown, collecting = _collecting(read_options)
    traces = _read(dialect, document, collecting)
    names = {call.name for trace in traces for call in trace.any_calls}
    is_empty = names <= {NAMELESS} and not isinstance(document, str)
    if is_empty and not dialect.recognizes(document) and not dialect.read_tools(document):
        found = find_dialect(document)
        guess = f" It looks like '{found.name}'." if found else _similar_formats(document)
        raise UnknownFormat(f"the document is not in the format '{dialect.name}'.{guess}")
    if read_options.is_searched:
        _note_lost(traces, unknown, dialect, document, read_options)
    return _without_left_out(traces, read_options)


def _without_left_out(traces: list[Trace], read_options: ReadOptions) -> list[Trace]:
    """The runs with the calls that count, by who made them."""
    parts, wished = read_options.leave_out, read_options.callers
    if not parts and wished is None and all(trace.callers is None for trace in traces):
        return traces
    found = []
    for trace in traces:
        callers: tuple[str, ...] | None = trace.callers if wished is None else wished
        if callers is None:
            found.append(_without_parts(trace, parts))
        else:
            others = tuple([part for part in parts if part != "user"])
            found.append(_without_parts(_of_callers(trace, callers), others))
    return found


def _of_callers(trace: Trace, callers: tuple[str, ...]) -> Trace:
    calls, expected = trace.calls, trace.expected
    return structs.replace(
        trace,
        calls=None if calls is None else calls_of(calls, callers),
        expected=None if expected is None else expected_of(expected, callers),
        callers=callers,
    )


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
