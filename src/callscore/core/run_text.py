"""What a run gave, in a line an evaluation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.core.phrase import Plural, count_of
from callscore.core.text import escape
from callscore.core.wording import decimal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callscore.core.run import EvaluationResults, RunResults, ScorerResult

__all__ = ["text_of"]

_ERRORS = Plural(("error", "errors"), ("ошибка", "ошибки", "ошибок"))
_NOTHING = "nothing was run"
_NO_NUMBER = "-"


def text_of(run: RunResults) -> str:
    """A line an evaluation: how many passed, and the mean of each scorer; then what went wrong."""
    return "\n".join(_lines(run)) or _NOTHING


def _lines(run: RunResults) -> Iterator[str]:
    for each in run.evaluations:
        scorers = ", ".join(map(_scorer, each.scorers))
        yield f"{escape(each.label)}: {_counts(each)}" + (f"; {scorers}" if scorers else "")
    for unloaded in run.unloaded:
        yield f"{escape(unloaded.place)}: {escape(unloaded.problem)}"
    if run.is_interrupted:
        yield "interrupted"
    yield from map(escape, run.warnings)


def _counts(each: EvaluationResults) -> str:
    passed = f"{each.passed} of {each.answered - each.undecided} passed"
    return f"{passed}, {count_of(_ERRORS, each.errors, 'en')}" if each.errors else passed


def _scorer(scorer: ScorerResult) -> str:
    mean = _NO_NUMBER if scorer.mean is None else decimal(scorer.mean)
    said = f"{escape(scorer.name)} {mean}"
    if scorer.is_below and scorer.threshold is not None:
        said += f" < {decimal(scorer.threshold)}"
    return said
