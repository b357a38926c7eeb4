"""The parts of a comparison as every report shows them: the cases that flipped, and the slices."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from callscore.comparing.comparison import name_of
from callscore.core.text import escape
from callscore.core.wording import Phrase, say
from callscore.reports.compare_wording import reason_text, share

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from callscore.comparing.comparison import CaseChange, ChangeKind, Comparison, Slice
    from callscore.core.wording import Language

__all__ = [
    "MARKS",
    "ChangeRow",
    "by_kind",
    "case_names",
    "change_rows",
    "has_several",
    "moved_slices",
    "slice_name",
]

# What stands before the name of a case that went otherwise.
MARKS: dict[ChangeKind, str] = {"broken": "-", "fixed": "+", "changed": "~"}
_OTHER_CALLS = Phrase("other calls", "другие вызовы")
_EXPECTED_ELSE = Phrase("expects something else", "другой эталон")
_KINDS = {
    "tool": Phrase("tool {name}", "инструмент {name}"),
    "tag": Phrase("tag {name}", "тег {name}"),
}
_KIND_ORDER = ("tool", "tag")


class ChangeRow(NamedTuple):
    """A case that went otherwise, in the words of a table.

    Attributes:
        case: what it is called, as it is: its id, with its evaluation where there are several.
        trials: how many passed before and after; empty where each was asked once.
        f1: the mean F1 before and after; empty where it is the same.
        remarks: what else is to be known, safe to show.
    """

    case: str
    trials: str
    f1: str
    remarks: str


def change_rows(
    changes: Sequence[CaseChange], lang: Language, *, has_evaluation: bool = False
) -> list[ChangeRow]:
    """The rows of cases that went otherwise.

    Args:
        changes: the cases.
        lang: the language.
        has_evaluation: whether to say which evaluation each is of.
    """
    return [
        ChangeRow(
            name_of(change.evaluation, change.case) if has_evaluation else change.case,
            _trials(change),
            _f1(change),
            _remarks(change, lang),
        )
        for change in changes
    ]


def _trials(change: CaseChange) -> str:
    if max(change.before[1], change.after[1]) <= 1:
        return ""
    (passed, tried), (passes, tries) = change.before, change.after
    return f"{passed}/{tried} → {passes}/{tries}"


def _f1(change: CaseChange) -> str:
    before, after = change.f1
    return "" if before == after else f"{share(before)} → {share(after)}"


def _remarks(change: CaseChange, lang: Language) -> str:
    words = [reason_text(reason, lang) for reason in change.reasons]
    if change.before == change.after and not _f1(change):
        words.append(say(_OTHER_CALLS, lang))
    if change.is_expectation_changed:
        words.append(say(_EXPECTED_ELSE, lang))
    return ", ".join(words)


def has_several(comparison: Comparison) -> bool:
    """Whether several evaluations were compared, so that cases are named with theirs."""
    return len(comparison.evaluations) > 1


def case_names(names: Iterable[str], comparison: Comparison) -> list[str]:
    """Names of cases as they are shown: without the evaluation, where only one was compared."""
    only = comparison.evaluations[0] if len(comparison.evaluations) == 1 else None
    return [name if only is None else name.removeprefix(name_of(only, "")) for name in names]


def moved_slices(comparison: Comparison) -> list[Slice]:
    """The slices in which anything went otherwise, the surest first."""
    moved = [
        part
        for part in (*comparison.tools, *comparison.tags)
        if part.difference.up or part.difference.down
    ]
    return sorted(moved, key=_how_sure)


def by_kind(slices: Sequence[Slice]) -> list[list[Slice]]:
    """Tools, and then tags: they are compared by numbers that are not the same."""
    groups = [[part for part in slices if part.kind == kind] for kind in _KIND_ORDER]
    return [group for group in groups if group]


def _how_sure(part: Slice) -> tuple[float, float]:
    p_value, change = part.difference.p_value, part.difference.change
    return (2.0 if p_value is None else p_value), -abs(change or 0.0)


def slice_name(part: Slice, lang: Language, *, write: Callable[[str], str] = escape) -> str:
    """What the cases of a slice have in common."""
    return say(_KINDS[part.kind], lang, name=write(part.name))
