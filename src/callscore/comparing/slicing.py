"""Where two runs differ: the cases of each tag, and the calls of each tool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from callscore.comparing.comparison import Slice
from callscore.comparing.differing import judged, measured
from callscore.comparing.holm import corrected
from callscore.comparing.measures import F1
from callscore.comparing.smallest_effect import fewest_flips

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.comparing.differing import Measured
    from callscore.comparing.matching import Matched
    from callscore.comparing.sides import CaseOutcome
    from callscore.core.tool_outcomes import ToolOutcome

    Counted = list[dict[str, ToolOutcome] | None]

__all__ = ["slices_of"]

Kind = Literal["tool", "tag"]
Numbers = tuple[float, float]


def slices_of(
    cases: Sequence[Matched], numbers: Sequence[Numbers | None], measure: str
) -> tuple[Slice, ...]:
    """The difference over the cases of each tag, and in the calls of each tool, by their names.

    All are tested together: their p-values are corrected after Holm. A slice of fewer cases than
    the test needs has no p-value.

    Args:
        cases: the cases that both runs have.
        numbers: the numbers of each by the measure; None where it has none.
        measure: what the cases of a tag are compared by; the calls of a tool are by their F1.
    """
    found: list[tuple[Kind, str, Measured]] = []
    for tag, pairs in sorted(_by_tag(cases, numbers).items()):
        found.append(("tag", tag, measured(measure, pairs)))
    for tool, pairs in sorted(_by_tool(cases).items()):
        found.append(("tool", tool, measured(F1, pairs)))
    tested = [place for place, (*_, each) in enumerate(found) if _is_testable(each)]
    after_holm = corrected([found[place][2].difference.p_value or 0.0 for place in tested])
    p_values = dict(zip(tested, after_holm, strict=True))
    return tuple(
        Slice(
            kind=kind,
            name=name,
            difference=judged(each, p_values.get(place), tests=max(1, len(tested))),
        )
        for place, (kind, name, each) in enumerate(found)
    )


def _is_testable(each: Measured) -> bool:
    return each.difference.cases >= fewest_flips()


def _by_tag(
    cases: Sequence[Matched], numbers: Sequence[Numbers | None]
) -> dict[str, list[Numbers]]:
    found: dict[str, list[Numbers]] = {}
    for pair, number in zip(cases, numbers, strict=True):
        if number is not None:
            for tag in {*pair.before.tags, *pair.after.tags}:
                found.setdefault(tag, []).append(number)
    return found


def _by_tool(cases: Sequence[Matched]) -> dict[str, list[Numbers]]:
    found: dict[str, list[Numbers]] = {}
    for pair in cases:
        first, second = _counted(pair.before), _counted(pair.after)
        if not first or not second:
            continue
        for tool in {name for counts in (*first, *second) if counts for name in counts}:
            numbers = _numbers_of(tool, first, second)
            if numbers is not None:
                found.setdefault(tool, []).append(numbers)
    return found


_NOTHING: ToolOutcome = (0, 0, 0, 0, 0)


def _numbers_of(tool: str, first: Counted, second: Counted) -> Numbers | None:
    """The mean F1 of the calls of a tool before and after; None where one of them says nothing."""
    if len(first) == len(second) == 1 and first[0] is not None and second[0] is not None:
        return _f1(first[0].get(tool, _NOTHING)), _f1(second[0].get(tool, _NOTHING))
    trials = min(len(first), len(second))
    first, second = first[:trials], second[:trials]  # as for every other number
    is_expected = any(
        counts is not None and sum(counts.get(tool, _NOTHING)[:3]) for counts in (*first, *second)
    )
    before = _mean_f1(first, tool, is_expected=is_expected)
    after = _mean_f1(second, tool, is_expected=is_expected)
    return None if before is None or after is None else (before, after)


def _counted(case: CaseOutcome) -> Counted:
    """The counts of each trial; None for one without an answer. Those nobody counted are left out."""
    return [
        trial.tools for trial in case.trials if trial.tools is not None or trial.status == "error"
    ]


def _mean_f1(trials: Counted, tool: str, *, is_expected: bool) -> float | None:
    """The mean F1 of the calls of a tool; it is 1 where none is expected and none was made.

    A trial without an answer made no call: that is wrong where one is expected, and else says
    nothing.
    """
    values = [
        0.0 if counts is None else _f1(counts.get(tool, _NOTHING))
        for counts in trials
        if counts is not None or is_expected
    ]
    return sum(values) / len(values) if values else None


def _f1(counts: ToolOutcome) -> float:
    correct, incorrect, missed, extra, _ = counts
    whole = 2 * (correct + incorrect) + missed + extra
    return 2 * correct / whole if whole else 1.0
