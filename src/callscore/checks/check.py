"""All checks of one run together, and the totals of checking many runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from msgspec import Struct

from callscore.checks.repetition import loop_faults, repeat_faults, retry_faults
from callscore.checks.tool_schema import malformed_calls, schema_faults
from callscore.core.call import ToolCall
from callscore.core.results import Noted
from callscore.core.score import Fault, FaultKind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from callscore.core.call import Tool

__all__ = ["FAULT_KINDS", "CheckResults", "Finding", "ToolFaults", "check_calls"]


# All checks together.


def check_calls(
    calls: Sequence[ToolCall], tools: Mapping[str, Tool] | None = None
) -> tuple[Fault, ...]:
    """All faults of the calls of one run, in the order of the calls.

    Args:
        calls: the calls that were made.
        tools: the tools that were offered, by name; None if unknown, and then they are not checked
            about that.

    Raises:
        InvalidSettings: the schema of a tool that is called cannot be used.
    """
    by_schema = malformed_calls(calls) if tools is None else schema_faults(calls, tools)
    found = list(by_schema)
    for check in (repeat_faults, loop_faults, retry_faults):
        found += check(calls)
    return tuple(sorted(found, key=lambda fault: fault.index))


# What checking many runs gave: counts for each tool, and the first findings.

FAULT_KINDS: tuple[FaultKind, ...] = get_args(FaultKind)


class Finding(Struct, frozen=True, gc=False):
    """One fault, and where it is.

    Attributes:
        place: where the run stands: `traces.jsonl:3`.
        run: the id of the run, and its trial, where it has them.
        call: the call that is at fault.
        fault: what is wrong with it.
    """

    place: str
    run: str | None
    call: ToolCall
    fault: Fault


class ToolFaults(Struct, frozen=True, gc=False):
    """How often a tool was called, and how many faults of each class these calls have."""

    calls: int
    faults: dict[FaultKind, int]

    @property
    def total(self) -> int:
        """How many faults there are."""
        return sum(self.faults.values())


class CheckResults(Struct, frozen=True, gc=False, kw_only=True):
    """What checking many runs gave.

    Attributes:
        files: how many files were read.
        runs: how many runs there are in them.
        calls: how many calls they made.
        faulty_calls: how many of these have a fault, of whatever class.
        checked_calls: how many calls could be checked against a schema, or are wrong without one.
        unchecked_calls: how many could not, although it is known which tools were offered.
        invalid_calls: how many of those have a fault that makes their parameters invalid.
        tools: the counts for each tool, the one with most faults first.
        findings: the first faults, in the order of the input.
        not_shown: how many more there are.
        without_tools: runs whose offered tools are unknown.
        without_calls: records that do not say what was called.
        unusable: tools of traces whose schemas cannot be used, and why; their arguments were not
            checked.
        skipped: what could not be read and was skipped, as asked.
    """

    files: int = 0
    runs: int = 0
    calls: int = 0
    faulty_calls: int = 0
    checked_calls: int = 0
    unchecked_calls: int = 0
    invalid_calls: int = 0
    tools: dict[str, ToolFaults] = {}
    findings: tuple[Finding, ...] = ()
    not_shown: int = 0
    without_tools: Noted = Noted()
    without_calls: Noted = Noted()
    unusable: Noted = Noted()
    skipped: Noted = Noted()

    @property
    def parameters_valid(self) -> float | None:
        """The share of the calls whose parameters are valid; None where none could be checked."""
        if not self.checked_calls:
            return None
        return (self.checked_calls - self.invalid_calls) / self.checked_calls

    @property
    def totals(self) -> dict[FaultKind, int]:
        """How many faults there are of each class that occurs."""
        counts = {
            kind: sum(tool.faults.get(kind, 0) for tool in self.tools.values())
            for kind in FAULT_KINDS
        }
        return {kind: count for kind, count in counts.items() if count}
