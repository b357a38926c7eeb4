"""What is wrong with a call by itself, whatever was expected."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterable, Sized

    from callscore.core.pair import Ignored

__all__ = [
    "SCHEMA_FAULTS",
    "Fault",
    "FaultKind",
    "calls_of",
    "faulty_calls",
    "parameters_valid",
]

FaultKind = Literal[
    "unknown_tool",
    "missing_argument",
    "unknown_argument",
    "wrong_type",
    "invalid_value",
    "malformed",
    "repeat",
    "loop",
    "retry_unchanged",
]

# What makes the parameters of a call invalid; the others are about several calls.
SCHEMA_FAULTS: frozenset[FaultKind] = frozenset(
    {
        "unknown_tool",
        "missing_argument",
        "unknown_argument",
        "wrong_type",
        "invalid_value",
        "malformed",
    }
)


class Fault(Struct, frozen=True, gc=False, repr_omit_defaults=True):
    """One thing that is wrong with one call.

    Attributes:
        kind: which class of failure it is.
        tool: the tool that was called.
        index: the position of the call among all calls that were made, from 0, those among them
            that do not count in a score.
        path: where in the arguments, as a JSON path; `$` for all of them.
        value: what was given there.
        wanted: what the schema asks for there, as plain data: a type, a list, a bound.
        detail: what else is to be said, in the words of the schema or of the trace.
        keyword: the keyword of the schema that is not fulfilled: `minimum`.
        since: the position of the call that is repeated, or with which a loop begins.
    """

    kind: FaultKind
    tool: str
    index: int
    path: str = "$"
    value: Any = None
    wanted: Any = None
    detail: str | None = None
    keyword: str | None = None
    since: int | None = None

    @property
    def reason(self) -> str:
        """The fault in one English sentence."""
        from callscore.core.fault_text import fault_sentence

        return fault_sentence(self)


def faulty_calls(faults: Iterable[Fault]) -> int:
    """How many calls have a fault that makes their parameters invalid."""
    return len({fault.index for fault in faults if fault.kind in SCHEMA_FAULTS})


def calls_of(
    side: Literal["expected", "actual"], counted: Sized, ignored: Iterable[Ignored]
) -> int:
    """How many calls a side has in all: a fault is one whether the call counts in a score or not."""
    return len(counted) + sum(item.side == side for item in ignored)


def parameters_valid(faults: Iterable[Fault], *, calls: int, expected: int) -> float:
    """The share of the calls whose parameters are valid.

    Args:
        faults: what is wrong with the calls.
        calls: how many were made; with none, the share is 1 if none was expected, and else 0.
        expected: how many were expected.
    """
    if not calls:
        return 0.0 if expected else 1.0
    return (calls - faulty_calls(faults)) / calls
