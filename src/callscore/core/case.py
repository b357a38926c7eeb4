"""A case: what is asked, and what is expected (calls, groups of calls, repeats, forbidden calls)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, ClassVar, Literal

from msgspec import UNSET, Struct, UnsetType, structs

from callscore.core.call import ToolCall

GroupKind = Literal["in_order", "any_order", "one_of", "optional", "turn"]


class Group(Struct, frozen=True, gc=False):
    """Calls, or groups of calls, that belong together.

    Attributes:
        kind: `in_order` (each after the one before), `any_order` (they may interleave), `one_of`
            (alternatives), `optional` (one member, which may be made), `turn` (what is expected after
            one message of the user; only in the outermost list, and possibly empty).
    """

    kind: GroupKind
    members: tuple[Expected, ...]
    # A group has no tool name, so that it never equals a call.
    name: ClassVar[None] = None
    caller: ClassVar[None] = None


class Times(Struct, frozen=True, gc=False):
    """A call that may be made several times.

    Attributes:
        least: the smallest number of calls.
        most: the largest number of calls; None for no limit.
    """

    call: ToolCall
    least: int = 1
    most: int | None = 1
    name: ClassVar[None] = None
    kind: ClassVar[None] = None
    caller: ClassVar[None] = None


class Forbidden(Struct, frozen=True, gc=False):
    """Calls that must not be made.

    Attributes:
        pattern: the names of the tools, with `*` for anything: `delete_*`.
    """

    pattern: str
    name: ClassVar[None] = None
    kind: ClassVar[None] = None
    caller: ClassVar[None] = None


Expected = ToolCall | Group | Times | Forbidden


# The state at the end of a run is compared as the arguments of a call with this name and kind.
END_STATE = "end_state"
STATE_KIND = "state"


# Beside a state, this says that no calls are expected; nothing says that only the state matters.
NO_CALLS: tuple[Expected, ...] = (Group("turn", ()),)


def is_state(item: Expected) -> bool:
    """Whether an item is the state at the end, and not a call."""
    return isinstance(item, ToolCall) and item.kind == STATE_KIND


def has_turns(expected: Sequence[Expected]) -> bool:
    """Whether an expectation says what is expected in each turn; `NO_CALLS` beside a state does not."""
    calls = [item for item in expected if not isinstance(item, Forbidden)]
    if calls[:1] == [*NO_CALLS] and any(map(is_state, calls[1:2])):
        return False
    return bool(count_turns(calls))


def count_turns(expected: Iterable[Expected]) -> int:
    """How many turns an expectation has; 0 if it does not say what is expected in each."""
    return sum(isinstance(item, Group) and item.kind == "turn" for item in expected)


def calls_in(expected: Iterable[Expected]) -> Iterator[ToolCall]:
    """Every call in an expectation, groups included, in the order as written."""
    pending = [iter(expected)]
    while pending:
        item = next(pending[-1], None)
        if item is None:
            pending.pop()
        elif isinstance(item, Group):
            pending.append(iter(item.members))
        elif not isinstance(item, Forbidden):
            yield item.call if isinstance(item, Times) else item


def with_calls(item: Expected, change: Callable[[ToolCall], ToolCall]) -> Expected:
    """The same expectation with every call in it changed."""
    if isinstance(item, ToolCall):
        return change(item)
    if isinstance(item, Times):
        return structs.replace(item, call=change(item.call))
    if isinstance(item, Group):
        members = tuple([with_calls(member, change) for member in item.members])
        return structs.replace(item, members=members)
    return item


class Origin(Struct, frozen=True, gc=False, omit_defaults=True):
    """Where an answer was recorded: what a score of it is linked to in a trace backend.

    Attributes:
        trace_id: the id of the trace, as its backend spells it; 32 hexadecimal digits in OpenTelemetry.
        span_id: the id of the span of the whole run; 16 hexadecimal digits in OpenTelemetry.
        response_id: the id that the provider gave to the last response of the model.
        project_id: the id of the project of the trace, which LangSmith needs to find it.
    """

    trace_id: str | None = None
    span_id: str | None = None
    response_id: str | None = None
    project_id: str | None = None


class _CaseInput(Struct, frozen=True, gc=False, omit_defaults=True, repr_omit_defaults=True):
    """The one field of a case that needs no name: `Case("What is the weather?", expected=[...])`."""

    input: Any = None


class Case(_CaseInput, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """One case: an input, the expected calls and the actual ones.

    Attributes:
        input: the input of the agent; the only positional argument.
        id: the name of the case; (`id`, `trial`) is unique. By default it is derived from the input
            and the expected calls.
        expected: the expected calls; `[]` or None if no tool should be called. Without it, the case is
            not scored.
        actual: the actual calls; None if the case was not run.
        trial: the number of the trial, if a case is run several times.
        tools: the tool definitions, as given.
        tags: labels to select and group cases by.
        metadata: any other data.
        others: the calls of further answers to the same input; see `top_k`.
        unread: what looks like calls in the record and was not read, in a sentence.
        only: run only this case, and others that are marked so.
        skip: do not run this case; True, or the reason.
        callers: whose calls count, on both sides: `agent`, `user`, `subagent`, `code`; None if the
            case does not say.
        origin: where the actual calls were recorded, if their trace says it.
    """

    id: str = ""
    expected: Sequence[Any] | UnsetType | None = UNSET
    actual: tuple[ToolCall, ...] | None = None
    trial: int | str | None = None
    tools: Any = None
    tags: Sequence[str] = ()
    metadata: Any = None
    others: tuple[tuple[ToolCall, ...], ...] = ()
    unread: str | None = None
    only: bool = False
    skip: bool | str = False
    callers: tuple[str, ...] | None = None
    origin: Origin | None = None


_ORIGIN_FIELDS = ("trace_id", "span_id", "response_id", "project_id")


def origin_of(case: Case) -> Origin | None:
    """Where the actual calls of a case were recorded: by their trace, or else by the metadata."""
    if case.origin is not None:
        return case.origin
    return origin_in(case.metadata)


def origin_in(record: Any) -> Origin | None:
    """The ids in the fields of an object that have the names of those of an origin; None without any."""
    if not isinstance(record, dict):
        return None
    given = [record.get(field) for field in _ORIGIN_FIELDS]
    found = [value if isinstance(value, str) and value else None for value in given]
    return Origin(*found) if any(found[:3]) else None
