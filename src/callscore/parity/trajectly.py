"""Trajectly: whether a run refines a baseline, by the names of the tools that are called."""

from __future__ import annotations

from collections.abc import Collection

from msgspec import Struct

from callscore.parity.parameters import Calls, names_of

__all__ = ["METRICS", "TITLE", "VERSION", "Refinement", "passes", "refinement"]

TITLE = "Trajectly"
VERSION = "0.4.2"

_MISSING = "REFINEMENT_BASELINE_CALL_MISSING"
_EXTRA = "REFINEMENT_EXTRA_TOOL_CALL"
_EXTRA_EFFECT = "REFINEMENT_EXTRA_SIDE_EFFECT_CALL"
_NEW_NAME = "REFINEMENT_NEW_TOOL_NAME_FORBIDDEN"


class Refinement(Struct, frozen=True, gc=False):
    """The result of Trajectly for a run.

    Attributes:
        passes: whether it found nothing wrong.
        vacuous: whether the baseline is empty, and nothing was checked.
        codes: the errors, in its own words: a missing call first, then each extra call.
    """

    passes: bool
    vacuous: bool
    codes: tuple[str, ...]


def refinement(
    expected: Calls,
    actual: Calls,
    *,
    allow_new_tool_names: bool = False,
    allow_extra_tools: Collection[str] = (),
    side_effect_tools: Collection[str] = (),
) -> Refinement:
    """Whether the baseline can be found in the run as a subsequence, and which other calls are in the run.

    Args:
        expected: the calls of the baseline.
        actual: the calls of the run.
        allow_new_tool_names: whether an extra call may be one of a tool that is not in the baseline.
        allow_extra_tools: tools that may be called more often than in the baseline.
        side_effect_tools: the tools whose extra calls are wrong even where the tool may be called
            more often. (Those of the policy's `allow_extra_side_effect_tools` are left out here.)

    Defects:
        Only names are compared. An empty baseline passes whatever is called. Only the first
        missing call is reported, and everything from there on is extra, even calls that the
        baseline has too. A new name is reported twice: as an extra call, and as a new name; to
        allow new names still leaves the extra call. Which copy of a repeated call is the extra
        one is decided from the left.
    """
    wanted, given = names_of(expected), names_of(actual)
    if not wanted:
        return Refinement(passes=True, vacuous=True, codes=())
    codes: list[str] = []
    found, total = 0, len(wanted)
    for name in given:
        if found < total and name == wanted[found]:
            found += 1
            continue
        if name not in allow_extra_tools:
            codes.append(_EXTRA)
        if name in side_effect_tools:
            codes.append(_EXTRA_EFFECT)
        if not (allow_new_tool_names or name in wanted or name in allow_extra_tools):
            codes.append(_NEW_NAME)
    if found < total:
        codes.insert(0, _MISSING)
    return Refinement(passes=not codes, vacuous=False, codes=tuple(codes))


def passes(expected: Calls, actual: Calls) -> bool:
    """Whether `refinement` finds nothing wrong: the names are those of the baseline, in this order.

    Args:
        expected: the calls of the baseline.
        actual: the calls of the run.

    Defects:
        Only names are compared. An empty baseline passes whatever is called. To allow new names, as
        the policy of Trajectly can, never changes the verdict, only the reasons for it: an extra
        call is wrong in any case.
    """
    return refinement(expected, actual).passes


METRICS = (passes,)
