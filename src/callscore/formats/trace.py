"""What a dialect returns, the calls of one run, and the options for it."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, get_args

from msgspec import Struct, structs

from callscore.core.call import Tool, ToolCall
from callscore.core.case import Expected, Group, Origin, calls_in, has_turns
from callscore.core.rendering import mention
from callscore.errors import InvalidCall, InvalidSettings
from callscore.formats.callers import Caller, read_callers
from callscore.formats.unknown_kinds import RESULT_ALONE, place_of

View = Literal["requested", "executed"]
Part = Literal["user", "subagent", "code", "hosted"]
IdSource = Literal["filename"]


class Trace(Struct, frozen=True, gc=False, kw_only=True, repr_omit_defaults=True):
    """One run of an agent, or one task for it, as a document has it.

    Attributes:
        calls: what was called; None if the document only says what is expected.
        expected: what should have been called; None if the document does not say.
        id: the name of the task, if another document can have the same.
        trial: which repetition of the task this is.
        input: what the agent was asked.
        view: whether the calls are those that the model requested or those that were run.
        callers: whose calls count, of both sides, if the document says that: `agent`, `user`,
            `subagent`, `code`. None for all but those of the user.
        origin: the ids of the trace, the span and the response, if the document says them.
    """

    calls: tuple[ToolCall, ...] | None = None
    expected: tuple[Expected, ...] | None = None
    id: str | None = None
    trial: int | str | None = None
    input: Any = None
    view: View = "requested"
    callers: tuple[str, ...] | None = None
    origin: Origin | None = None

    @property
    def says_anything(self) -> bool:
        """Whether there is an answer or an expectation at all: a request may have failed."""
        return self.calls is not None or self.expected is not None

    @property
    def any_calls(self) -> tuple[ToolCall, ...]:
        """What was called, or what is expected if the document says only that."""
        if self.calls is not None:
            return self.calls
        return tuple(calls_in(self.expected or ()))


def join_exchanges(traces: list[Trace]) -> Trace:
    """One run of several documents in sequence, such as the exchanges of a conversation.

    A document that asks something else than those before it begins a turn of the user. One that does
    not say what was asked has another answer to the same question.
    """
    if len(traces) <= 1:
        return traces[0] if traces else Trace()
    calls: list[ToolCall] = []
    questions: list[str] = []
    turn = step = 0
    for trace in traces:
        if isinstance(trace.input, str) and trace.input not in questions[-1:]:
            turn += bool(questions)
            questions.append(trace.input)
        own = [_moved(call, step, turn) for call in trace.calls or ()]
        step = 1 + max([step - 1, *[call.step for call in own if call.step is not None]])
        turn = max([turn, *[call.turn for call in own if call.turn is not None]])
        calls += own
    if not turn and all(call.turn is None for trace in traces for call in trace.calls or ()):
        calls = [structs.replace(call, turn=None) for call in calls]
    return Trace(
        calls=None if all(trace.calls is None for trace in traces) else tuple(calls),
        expected=_joined_expectation([t.expected for t in traces if t.expected is not None]),
        input=questions if len(questions) > 1 else traces[0].input,
        view=traces[0].view,
        callers=traces[0].callers,
        # A score is about the conversation, which ends in the last of them.
        origin=next((t.origin for t in reversed(traces) if t.origin is not None), None),
    )


def _moved(call: ToolCall, steps: int, turns: int) -> ToolCall:
    """A call after this number of messages and of turns."""
    step = None if call.step is None else call.step + steps
    return structs.replace(call, step=step, turn=(call.turn or 0) + turns)


def _joined_expectation(parts: list[tuple[Expected, ...]]) -> tuple[Expected, ...] | None:
    """What is expected in one part after the other; if one of them has turns, all have."""
    if any(map(has_turns, parts)):
        parts = [part if has_turns(part) else (Group("turn", part),) for part in parts]
    return tuple([item for part in parts for item in part]) if parts else None


def _require_choice(option: str, value: object, choices: Any) -> None:
    if value not in get_args(choices):
        known = ", ".join(get_args(choices))
        raise InvalidSettings(f"{option}: unknown value {mention(value)}. Choose from: {known}.")


class ReadOptions(Struct, frozen=True, kw_only=True):
    """What to take from a document that offers a choice.

    Attributes:
        view: the calls that were requested or those that were run; None for the first of the two
            that the document has.
        candidate: which of several answers to the same question, from 0.
        tools: the tool definitions, by name, for texts that do not show the types of arguments.
        failure: pattern of the text of a failed result, used if there is no explicit flag.
        leave_out: whose calls to leave out: `user`, `subagent` and `code` are callers, `hosted` is
            a kind of tool. Where `callers` or the document says whose calls count, `user` is ignored.
        callers: whose calls count: `agent`, `user`, `subagent`, `code`. None for what the document
            says; if it says nothing, all that are not left out.
        id_from: `filename` to join runs on the names of their files, without suffixes. A case that
            names itself, and a run whose id is at a path of the user, keep their ids.
        inner: finds the dialect of a nested document; caches it for a whole file.
        on_answers: called with the number of answers to each question. If it is set, the first
            answer is taken of a question with fewer answers than `candidate`; otherwise none.
        strict: whether it is an error that something looks like calls and was not read.
        on_unread: called with a sentence about it instead of an error. If neither is set, nothing is
            searched for.
        on_origin: called with where the actual calls were recorded, if their document says it.
        on_format: called with the name of the format of each document that is read.
        on_unknown: called with the kind of an item that looks like a call of an unknown kind, and the
            item, instead of a sentence at once. Then the caller says where in the document it is.
        numbers_turns: whether calls have a turn also if the user asked only once, so that they can be
            compared with what is expected in several turns.
        keeps_user: whether plain calls of the user are kept although they are to be left out, for a
            reference that says whether they count.
    """

    view: View | None = None
    candidate: int = 0
    tools: Mapping[str, Tool] = {}
    failure: re.Pattern[str] = re.compile("^Error")
    leave_out: tuple[Part, ...] = ("user",)
    callers: tuple[Caller, ...] | None = None
    id_from: IdSource | None = None
    inner: Callable[..., Any] | None = None
    on_answers: Callable[[int], None] | None = None
    strict: bool = False
    on_unread: Callable[[str], None] | None = None
    on_origin: Callable[[Origin], None] | None = None
    on_format: Callable[[str], None] | None = None
    on_unknown: Callable[[tuple[str, Any]], None] | None = None
    numbers_turns: bool = False
    keeps_user: bool = False

    def choose(self, numbers: Iterable[int]) -> int:
        """The number of the answer to take, of several to the same question.

        Every dialect that can have several answers calls this; otherwise the best of them is unknown.
        """
        if self.on_answers is None:
            return self.candidate
        known = sorted({0, *(number for number in numbers if number > 0)})
        self.on_answers(len(known))
        return known[self.candidate] if self.candidate < len(known) else 0

    @property
    def is_searched(self) -> bool:
        """Whether a document without calls is searched for something that looks like calls."""
        return self.strict or self.on_unread is not None

    def note_unread(self, text: str) -> None:
        """Note what looks like calls and was not read.

        Raises:
            InvalidCall: with `strict`.
        """
        if self.strict:
            raise InvalidCall(f"{text} It was not read.")
        if self.on_unread is not None:
            self.on_unread(text)

    def note_unknown(self, kind: str, item: Any = None, document: Any = None) -> None:
        """Note an item of a kind that the format does not know, and that looks like a call.

        Raises:
            InvalidCall: with `strict`, unless these items are collected.
        """
        if self.on_unknown is not None:
            self.on_unknown((kind, item))
            return
        if kind == RESULT_ALONE:
            self.note_unread("There is a result whose call is missing.")
            return
        place = None if item is None or document is None else place_of(item, document)
        where = "" if place in (None, "$") else f" at {place}"
        self.note_unread(f"{mention(kind)}{where} looks like a call of an unknown kind.")

    def __post_init__(self) -> None:
        if not isinstance(self.leave_out, tuple):
            raise InvalidSettings(
                f"leave_out: expected a tuple of texts, got {mention(self.leave_out)}"
            )
        for part in self.leave_out:
            _require_choice("leave_out", part, Part)
        if self.callers is not None and self.callers != read_callers(self.callers):
            raise InvalidSettings(
                f"callers: expected a tuple of texts, got {mention(self.callers)}"
            )
        if self.view is not None:
            _require_choice("view", self.view, View)
        if self.id_from is not None:
            _require_choice("id_from", self.id_from, IdSource)
        candidate: Any = self.candidate
        if candidate.__class__ is not int or candidate < 0:
            raise InvalidSettings(f"candidate: expected an integer ≥ 0, got {mention(candidate)}")


def noted_at(read_options: ReadOptions, place: str) -> ReadOptions:
    """The same options, with a place before each sentence about what was not read."""
    note = read_options.on_unread
    if note is None:
        return read_options
    return structs.replace(read_options, on_unread=lambda text: note(f"{place}: {text}"))


DEFAULT_READ_OPTIONS = ReadOptions()
_DEFAULTS = (
    None,
    0,
    (),
    DEFAULT_READ_OPTIONS.failure.pattern,
    DEFAULT_READ_OPTIONS.leave_out,
    None,
    None,
    False,
)
_DEFAULT_TYPES = tuple(map(type, _DEFAULTS))


def read_options_for(  # noqa: PLR0913  (all are options)
    *,
    view: str | None = None,
    candidate: Any = 0,
    tools: Iterable[Tool] = (),
    failure: str = DEFAULT_READ_OPTIONS.failure.pattern,
    leave_out: Any = DEFAULT_READ_OPTIONS.leave_out,
    callers: Any = None,
    id_from: Any = None,
    strict: bool = False,
    on_unread: Callable[[str], None] | None = None,
) -> ReadOptions:
    """The options that a user gives; an error if one of the values is invalid."""
    given = (view, candidate, tools, failure, leave_out, callers, id_from, strict)
    if tuple([value.__class__ for value in given]) == _DEFAULT_TYPES and given == _DEFAULTS:
        if on_unread is None:
            return DEFAULT_READ_OPTIONS
        return ReadOptions(on_unread=on_unread)
    if leave_out is None or isinstance(leave_out, str):
        leave_out = () if leave_out is None else (leave_out,)
    return ReadOptions(
        view=view,  # type: ignore[arg-type]  # it is checked there
        candidate=candidate,
        tools={tool.name: tool for tool in tools},
        failure=_compiled(failure),
        leave_out=tuple(leave_out) if isinstance(leave_out, Iterable) else leave_out,
        callers=None if callers is None else read_callers(callers),
        id_from=id_from,
        strict=strict,
        on_unread=on_unread,
    )


def _compiled(failure: Any) -> re.Pattern[str]:
    if not isinstance(failure, str | re.Pattern):
        raise InvalidSettings(f"failure: expected a regular expression, got {mention(failure)}")
    try:
        with warnings.catch_warnings(action="ignore"):  # about sets that may mean more one day
            return re.compile(failure)
    except (re.error, OverflowError, RecursionError) as error:
        raise InvalidSettings(
            f"failure: {mention(failure)} is not a regular expression ({error})"
        ) from error
