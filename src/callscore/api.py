"""The functions of the public API: score calls, check them, and read calls and tools from traces."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from os import PathLike
from typing import TYPE_CHECKING, Any, Unpack

from callscore.core.rendering import mention
from callscore.core.scoring import score_calls
from callscore.core.settings import DEFAULT, SettingOptions, Settings, settings_from
from callscore.errors import InvalidCall, InvalidSettings, UnknownFormat, UnreadableInput
from callscore.formats.callers import Caller, expected_of, read_callers
from callscore.formats.calls import read_simple_calls, read_simple_sides
from callscore.formats.case_sides import (
    numbered_for,
    options_for,
    read_expected_side,
    read_side,
)
from callscore.formats.trace import Part, ReadOptions, Trace, View, read_options_for
from callscore.formats.unread import warn_unread

if TYPE_CHECKING:
    from callscore.core.call import Tool, ToolCall
    from callscore.core.case import Expected
    from callscore.core.score import Fault, Score
    from callscore.formats.given import Calls, TraceLike

    _Calls = tuple[ToolCall, ...]

_READ_OPTIONS = ReadOptions(on_unread=warn_unread)
_LEFT_OUT = _READ_OPTIONS.leave_out
_FAILURE = _READ_OPTIONS.failure.pattern
_NO_TOOLS: Mapping[str, Tool] = {}
_SETTINGS_TWICE = "'settings' cannot be combined with a preset or single settings. Pass one of them"
_NO_ACTUAL = "actual: expected calls or a trace, got None. Pass [] if no tool was called."


def score(  # noqa: PLR0913  (all are options)
    expected: Calls | None,
    actual: TraceLike,
    *,
    preset: str | None = None,
    settings: Settings | None = None,
    tools: Any = None,
    callers: Iterable[Caller] | None = None,
    expected_state: Any = None,
    actual_state: Any = None,
    **options: Unpack[SettingOptions],
) -> Score:
    """Compare the actual calls with the expected ones.

    Each side is a list of calls, or a trace in any format: a response, a list of messages, spans, a
    transcript; as data, as an SDK object or as text. A call is
    `{"name": ..., "arguments": ...}`, `{"tool", "args"}`, `{"toolName", "input"}`,
    `("name", {...})`, `"name"` or a `ToolCall`. An expected call without arguments matches any
    arguments. `callscore.expect` has matchers and groups.

    Args:
        expected: the expected calls; `[]` or None if no tool should be called. With `expected_state`,
            None says nothing about calls: they are free.
        actual: the actual calls; `[]` if no tool was called.
        preset: settings that belong together: `strict` (the default), `flexible` (a share of the
            arguments must match), `outcome` (only calls that change something count) or `coverage`
            (what is expected must be made, other calls are free). Options override it.
        settings: all settings as one value, instead of a preset and options.
        tools: the tool definitions, in any form that `read_tools` accepts. Arguments are checked
            against their schemas, and they state which tools change something.
        callers: whose calls count, on both sides: those of the `agent`, the `user`, a `subagent`, or
            `code`. By default all but those of the user; theirs count if one of them is expected.
        expected_state: the expected state at the end of the run, with matchers in place of values;
            it is compared with `actual_state` as the arguments of a call are.
        actual_state: the state that was found at the end.
        **options: single settings, named as in `Settings`: `mode`, `order`,
            `argument_match_threshold`, `arguments` and so on.

    Raises:
        InvalidCall: a side cannot be read, or `actual` is None.
        UnknownFormat: the format of a side is not recognized.
        InvalidSettings: a setting or its value is unknown.
    """
    if options or preset is not None:
        if settings is not None:
            raise InvalidSettings(_SETTINGS_TWICE)
        settings = settings_from(options, preset=preset)
    elif settings is None:
        settings = DEFAULT
    elif not isinstance(settings, Settings):
        raise InvalidSettings(f"settings: expected a callscore.Settings, got {mention(settings)}")
    if tools is None and callers is None and expected_state is None and settings.top_k == 1:
        if expected.__class__ is list and actual.__class__ is list:  # what most people pass
            sides = read_simple_sides(expected, actual)
            if sides is not None:
                return score_calls(*sides, settings)
        wanted = _read_expected(expected)
        made = numbered_for(wanted, _read_actual(actual, wanted))
        return score_calls(wanted, made, settings)
    states = {"expected_state": expected_state, "actual_state": actual_state}
    given = None if callers is None else read_callers(callers)
    known = None if tools is None else tools_by_name(tools)
    return _score_read((expected, actual), states, settings, known, given)


def _score_read(
    sides: tuple[Any, Any],
    states: dict[str, Any],
    settings: Settings,
    tools: Mapping[str, Tool] | None,
    callers: tuple[Caller, ...] | None,
) -> Score:
    """The score of calls that are read with tools, by callers, or with a state at the end.

    All answers have that state in common.
    """
    from callscore.formats.case_turns import actual_with_state, expected_with_state

    read_options = ReadOptions(tools=tools or _NO_TOOLS, on_unread=warn_unread, callers=callers)
    expected, actual = sides
    has_state = states["expected_state"] is not None
    wanted = None
    if expected is not None or not has_state:
        wanted = _read_expected(expected, read_options)
    # Python values are literal: rules are made with functions.
    wanted = expected_with_state(wanted, states, spelled=False) or ()
    wanted = wanted if callers is None else expected_of(wanted, callers)
    answers = _read_answers(actual, options_for(wanted, read_options), settings.top_k)
    if has_state:
        answers = [actual_with_state(answer, states) or () for answer in answers]
    calls, *others = [numbered_for(wanted, answer) for answer in answers]
    return score_case(wanted, calls, settings, tools, others=tuple(others))


def _read_expected(value: Any, read_options: ReadOptions = _READ_OPTIONS) -> tuple[Expected, ...]:
    if value.__class__ is list:
        calls = read_simple_calls(value)  # faster, and what most people pass
        if calls is not None:
            return calls
    document = _decoded(value, allow_duplicates=False)
    # Keys that begin with `$` are rules in a text or a file, and literal in Python objects.
    return read_expected_side(
        document, where="expected", read_options=read_options, spelled=document is not value
    )


def _read_actual(value: Any, expected: tuple[Expected, ...] = ()) -> _Calls:
    if value.__class__ is list:
        calls = read_simple_calls(value)
        if calls is not None:
            return calls
    return _read_actual_trace(value, options_for(expected, _READ_OPTIONS))


def _read_actual_trace(value: Any, read_options: ReadOptions) -> _Calls:
    """The calls in a trace; a file is read as by `read_calls`."""
    if value is None:  # often a response that was never assigned
        raise InvalidCall(_NO_ACTUAL)
    if isinstance(value, PathLike):
        from callscore.documents import traces_in
        from callscore.formats.case_sides import actual_calls_in, join_traces

        try:
            traces = list(traces_in(value, read_options))
        except (UnknownFormat, UnreadableInput):  # plain calls, or an error that is reported below
            traces = []
        if traces:
            return actual_calls_in(join_traces(traces, where="actual"), where="actual")
    document = _decoded(value, allow_duplicates=True)
    return read_side(document, side="actual", where="actual", read_options=read_options)


def _decoded(value: Any, *, allow_duplicates: bool) -> Any:
    """The document in a text, bytes or a file; any other value as it is."""
    if isinstance(value, str | bytes | bytearray | PathLike):
        from callscore.documents import load_content

        return load_content(value, allow_duplicates=allow_duplicates)
    return value


def _read_answers(document: Any, read_options: ReadOptions, max_answers: int) -> list[_Calls]:
    """The calls of each of the first answers in a document."""
    from collections.abc import Iterator

    from callscore.formats.reading import read_candidates

    reusable = list(document) if isinstance(document, Iterator) else document  # it is read again
    return read_candidates(
        lambda chosen: _read_actual_trace(reusable, chosen), read_options, max_answers
    )


def tools_by_name(document: Any) -> dict[str, Tool]:
    """The tool definitions by name; see `documents.read_tools_by_name`."""
    from callscore.documents import read_tools_by_name

    return read_tools_by_name(document)


def score_case(
    expected: tuple[Expected, ...],
    actual: _Calls,
    settings: Settings = DEFAULT,
    tools: Mapping[str, Tool] | None = None,
    *,
    others: tuple[_Calls, ...] = (),
) -> Score:
    """Score calls, and check them against the tool definitions if these are known.

    `tools` has the definitions of all offered tools, by name; None if unknown. `others` has the
    calls of further answers. Of the first `top_k` answers the one with the highest F1 counts, then
    the one with the most correct calls, then the first.

    Raises:
        InvalidCall: the expected calls contradict each other.
        InvalidSettings: the settings do not fit the expectation or the tools, or a schema is
            invalid.
    """
    if tools is None and not others:  # as in most cases
        return score_calls(expected, actual, settings)
    answers = (actual, *others[: settings.top_k - 1])
    known = _NO_TOOLS if tools is None else tools
    scores = [score_calls(expected, calls, settings, known) for calls in answers]
    best = 0
    if len(scores) > 1:
        ranks = [(found.f1, len(found.correct)) for found in scores]
        best = ranks.index(max(ranks))
    if tools is None:
        return scores[best]
    return _with_faults(scores[best], answers[best], settings, tools)


def _with_faults(
    score: Score, calls: _Calls, settings: Settings, tools: Mapping[str, Tool]
) -> Score:
    """The score with the faults of all calls, also of those that do not count."""
    from msgspec.structs import replace

    from callscore.checks.tool_schema import schema_faults
    from callscore.core.case import is_state
    from callscore.core.tool_names import changes_names, comparable_name

    calls = tuple([call for call in calls if not is_state(call)])
    if not changes_names(settings):
        return replace(score, faults=schema_faults(calls, tools))
    from callscore.checks.tool_schema import tools_by_call_name

    known = tools_by_call_name([call.name for call in calls], tools, settings)
    faults = [
        replace(fault, tool=comparable_name(fault.tool, settings))  # as the score names it
        for fault in schema_faults(calls, known)
    ]
    return replace(score, faults=tuple(faults))


def check_calls(calls: TraceLike, *, tools: Any = None) -> tuple[Fault, ...]:
    """Check calls without a reference, and return their faults.

    Args:
        calls: the calls, or a trace in any format, as for the actual side of `score`.
        tools: the tool definitions, in any form that `read_tools` accepts (a trace that contains
            them, for example), or a list of names; `[]` if no tool was offered. Without definitions
            only these faults are found: arguments that are not a JSON object, repeats, loops, and
            failed calls that were retried unchanged.

    Raises:
        InvalidCall: the calls or the definitions cannot be read.
        UnknownFormat: their format is not recognized.
        InvalidSettings: a schema is invalid, two definitions of the same tool differ, or an effect
            is unknown.
    """
    from callscore.checks import check

    known = None if tools is None else tools_by_name(tools)
    return check.check_calls(_read_actual(calls), known)


def read_calls(  # noqa: PLR0913  (one argument per choice that a document can offer)
    document: TraceLike,
    *,
    format: str | None = None,  # noqa: A002  (as the command line calls it)
    view: View | None = None,
    candidate: int = 0,
    leave_out: Iterable[Part] = _LEFT_OUT,
    callers: Iterable[Caller] | None = None,
    tools: Any = None,
    failure: str = _FAILURE,
) -> list[ToolCall]:
    """Read the calls in a trace, each once, in the order in which they were made.

    A trace is a response, a list of messages, spans, a transcript, an evaluation sample: as data,
    as JSON or JSON lines, as an SDK object, as the text that a model wrote, or as the path of a
    file. If it contains only expected calls, these are read. If no call can be read from something
    that looks like calls, this is a warning, `UnreadCalls`.

    Args:
        document: the trace.
        format: the name of its format; recognized by default.
        view: the calls that the model `requested`, or those that were `executed`; by default the
            first of the two that the trace has.
        candidate: which of several answers to the same question to read, from 0.
        leave_out: whose calls to leave out: those of the simulated `user`, of a `subagent`, of
            `code` that the model wrote, or of `hosted` tools, which the provider runs.
        callers: whose calls to read: those of the `agent`, the `user`, a `subagent`, or `code`. By
            default what the trace says; if it says nothing, all that are not left out.
        tools: the tool definitions, for text formats that do not state the type of an argument.
        failure: a pattern that matches the text of a failed result, used if the trace has no
            explicit flag.

    Raises:
        InvalidCall: the trace cannot be read.
        UnknownFormat: its format is not recognized.
        UnreadableInput: the file cannot be read.
        InvalidSettings: an option has an unknown value.
    """
    is_default = leave_out is _LEFT_OUT and failure is _FAILURE and candidate.__class__ is int
    is_default = is_default and callers is None
    if is_default and view is None and not candidate and tools is None:
        read_options = _READ_OPTIONS  # as of nearly all documents, and small ones are quickly read
    else:
        read_options = read_options_for(
            view=view,
            candidate=candidate,
            tools=() if tools is None else read_tools(tools),
            failure=failure,
            leave_out=leave_out,
            callers=callers,
            on_unread=warn_unread,
        )
    return [
        call
        for trace in _trace_reader()(document, read_options, format=format)
        for call in trace.any_calls
    ]


@cache  # an import statement takes as long as to recognize a small document
def _trace_reader() -> Callable[..., list[Trace]]:
    from callscore.documents import traces_in  # with everything that reads files

    return traces_in


def read_tools(
    document: Any,
    *,
    format: str | None = None,  # noqa: A002  (as the command line calls it)
) -> list[Tool]:
    """Read the tool definitions in a trace, each once.

    Args:
        document: as for `read_calls`, or a list of definitions.
        format: the name of its format; recognized by default.

    Raises:
        InvalidCall: the document cannot be read.
        UnknownFormat: its format is not recognized.
        UnreadableInput: the file cannot be read.
    """
    from callscore.documents import tools_in

    return tools_in(document, format=format)
