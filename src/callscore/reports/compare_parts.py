"""The parts of a comparison as every report shows them: the cases that flipped, and the slices."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from callscore.core.text import escape
from callscore.core.wording import Phrase, say
from callscore.reports.compare_wording import reason_text, share

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from callscore.comparing.comparison import CaseChange, ChangeKind, Comparison, Slice
    from callscore.core.wording import Language

__all__ = ["MARKS", "ChangeRow", "change_rows", "has_several", "moved_slices", "slice_name"]

# What stands before the name of a case that went otherwise.
MARKS: dict[ChangeKind, str] = {"broken": "-", "fixed": "+", "changed": "~"}
_OTHER_CALLS = Phrase("other calls", "другие вызовы")
_EXPECTED_ELSE = Phrase("expects something else", "другой эталон")
_KINDS = {
    "tool": Phrase("tool {name}", "инструмент {name}"),
    "tag": Phrase("tag {name}", "тег {name}"),
}


class ChangeRow(NamedTuple):
    """A case that went otherwise, in the words of a table.

    Attributes:
        case: its id, as it is.
        evaluation: what its evaluation is called, as it is.
        trials: how many passed before and after; empty where each was asked once.
        f1: the mean F1 before and after; empty where it is the same.
        remarks: what else is to be known, safe to show.
    """

    case: str
    evaluation: str
    trials: str
    f1: str
    remarks: str


def change_rows(changes: Sequence[CaseChange], lang: Language) -> list[ChangeRow]:
    """The rows of cases that went otherwise."""
    return [
        ChangeRow(
            change.case, change.evaluation, _trials(change), _f1(change), _remarks(change, lang)
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
    """Whether the cases that went otherwise are of several evaluations, which are then named."""
    return len({change.evaluation for change in comparison.changes}) > 1


def moved_slices(comparison: Comparison) -> list[Slice]:
    """The slices in which anything went otherwise, the surest first."""
    moved = [
        part
        for part in (*comparison.tools, *comparison.tags)
        if part.difference.up or part.difference.down
    ]
    return sorted(moved, key=_how_sure)


def _how_sure(part: Slice) -> tuple[float, float]:
    p_value, change = part.difference.p_value, part.difference.change
    return (2.0 if p_value is None else p_value), -abs(change or 0.0)


def slice_name(part: Slice, lang: Language, *, write: Callable[[str], str] = escape) -> str:
    """What the cases of a slice have in common."""
    return say(_KINDS[part.kind], lang, name=write(part.name))
