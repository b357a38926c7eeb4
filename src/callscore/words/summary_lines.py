"""Many numbers on a few lines: the rating, one-line summaries, and what to list first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.core.phrases import Language, Phrase, Plural, count_of, say
from callscore.core.rendering import escape
from callscore.words.value_text import decimal, percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callscore.core.results import EvaluationResults, Results, RunResults, ScorerResult
    from callscore.core.score import FaultKind, Score
    from callscore.core.summary import Summary, ToolCounts

__all__ = [
    "confused_tools",
    "forbidden_tools",
    "rating",
    "results_line",
    "run_text",
    "summary_line",
    "worst_arguments",
    "worst_faults",
    "worst_tools",
]

_RATINGS = (
    (0.9, Phrase("Excellent", "Отлично")),
    (0.7, Phrase("Good", "Хорошо")),
    (0.5, Phrase("Moderate", "Средне")),
    (0.0, Phrase("Poor", "Плохо")),
)


def rating(score: float, *, lang: Language = "en") -> str:
    """A score in one word; one between two bands belongs to the lower."""
    return say(next(word for start, word in _RATINGS if score >= start), lang)


SUMMARY_LINE = Phrase(
    "Accuracy Score: {score} | Correct: {correct}/{expected} | Incorrect: {incorrect}"
    " | Missed: {missed} | Extra: {extra}",
    "Оценка точности: {score} | Верно: {correct}/{expected} | Неверно: {incorrect}"
    " | Пропущено: {missed} | Лишних: {extra}",
)


FORBIDDEN_PART = Phrase(" | Forbidden: {forbidden}", " | Запрещено: {forbidden}")


def summary_line(score: Score, *, lang: Language = "en") -> str:
    """The score and the four counts of a case on one line, and how many calls were forbidden."""
    line = say(
        SUMMARY_LINE,
        lang,
        score=percent(score.f1),
        correct=len(score.correct),
        expected=len(score.expected),
        incorrect=len(score.incorrect),
        missed=len(score.missed),
        extra=len(score.extra),
    )
    forbidden = len(score.forbidden)
    return line + say(FORBIDDEN_PART, lang, forbidden=forbidden) if forbidden else line


RESULTS_LINE = Phrase(
    "Macro F1: {score} | Cases: {cases} | Passed: {passed} | Exact: {exact}",
    "Macro F1: {score} | Случаев: {cases} | Пройдено: {passed} | Точно: {exact}",
)


def results_line(results: Results, *, lang: Language = "en") -> str:
    """The headline of many cases on one line."""
    summary = results.summary
    f1 = summary.macro_f1
    return say(
        RESULTS_LINE,
        lang,
        score="-" if f1 is None else percent(f1),
        cases=summary.cases,
        passed=summary.passed,
        exact=summary.exact,
    )


# What a run gave, in a line an evaluation.

_ERRORS = Plural(("error", "errors"), ("ошибка", "ошибки", "ошибок"))
_NOTHING = "nothing was run"
_NO_NUMBER = "-"


def run_text(run: RunResults) -> str:
    """A line an evaluation: how many passed, and the mean of each scorer; then what went wrong."""
    return "\n".join(_lines(run)) or _NOTHING


def _lines(run: RunResults) -> Iterator[str]:
    for evaluation in run.evaluations:
        scorers = ", ".join(map(_scorer, evaluation.scorers))
        yield f"{escape(evaluation.label)}: {_counts(evaluation)}" + (
            f"; {scorers}" if scorers else ""
        )
    for unloaded in run.unloaded:
        yield f"{escape(unloaded.place)}: {escape(unloaded.problem)}"
    if run.is_interrupted:
        yield "interrupted"
    yield from map(escape, run.warnings)


def _counts(evaluation: EvaluationResults) -> str:
    passed = f"{evaluation.passed} of {evaluation.answered - evaluation.undecided} passed"
    return (
        f"{passed}, {count_of(_ERRORS, evaluation.errors, 'en')}" if evaluation.errors else passed
    )


def _scorer(scorer: ScorerResult) -> str:
    mean = _NO_NUMBER if scorer.mean is None else decimal(scorer.mean)
    text = f"{escape(scorer.name)} {mean}"
    if scorer.is_below and scorer.threshold is not None:
        text += f" < {decimal(scorer.threshold)}"
    return text


# What to look at first: tools, confusions and arguments, those that went wrong most often on top.


def worst_tools(summary: Summary) -> list[tuple[str, ToolCounts]]:
    """Every tool with its counts: most incorrect, missed and extra calls first, then by name.

    Tools that must not be called, and were, come before all others.
    """
    return sorted(summary.tools.items(), key=lambda entry: (*_severity(entry[1]), entry[0]))


def _severity(counts: ToolCounts) -> tuple[int, int]:
    return -counts.forbidden, -(counts.incorrect + counts.missed + counts.extra)


def forbidden_tools(summary: Summary) -> list[tuple[str, int]]:
    """Tool, and how often it was called although it must not be: most often first, then by name."""
    return [(tool, counts.forbidden) for tool, counts in worst_tools(summary) if counts.forbidden]


def worst_faults(summary: Summary) -> list[tuple[str, FaultKind, int]]:
    """Tool, failure class, and how often the schemas find it: most often first, then by name."""
    found = [(tool, kind, count) for (tool, kind), count in summary.faults.items()]
    return sorted(found, key=lambda entry: (-entry[2], entry[:2]))


def worst_arguments(summary: Summary) -> list[tuple[str, str, int]]:
    """Tool, argument, and in how many incorrect calls it differs: most often first, then by name."""
    found = [(tool, argument, count) for (tool, argument), count in summary.wrong_arguments.items()]
    return sorted(found, key=lambda entry: (-entry[2], entry[:2]))


def confused_tools(summary: Summary) -> list[tuple[str | None, str | None, int]]:
    """Expected tool, called tool, and how often: most often first, then by name.

    None stands where there was no other call to set against: nothing called, or nothing expected.
    """
    found = [(expected, called, count) for (expected, called), count in summary.confusion.items()]
    return sorted(found, key=lambda entry: (-entry[2], entry[0] or "", entry[1] or ""))
