"""What other tools say, beside callscore's own score: the rows of a table, and the lines of a case."""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones, and en dashes, are meant)

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from callscore.core.settings import DEFAULT
from callscore.core.text import clip, display_width, escape
from callscore.core.wording import Phrase, count_of, decimal, say
from callscore.reports.wording import CASES, MORE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from callscore.core.results import MetricResult, MetricValue, Noted, Results
    from callscore.core.wording import Language

__all__ = [
    "MEAN",
    "METRIC",
    "METRICS",
    "NOT_SCORABLE",
    "NO_NUMBER",
    "SCORED",
    "MetricRow",
    "metric_cells",
    "metric_rows",
    "number_text",
    "reason_lines",
    "settings_line",
]

METRICS = Phrase("Other tools' numbers", "Оценки других инструментов")
METRIC = Phrase("metric", "метрика")
MEAN = Phrase("mean", "среднее")
SCORED = Phrase("cases scored", "случаев оценено")
NOT_SCORABLE = Phrase("not scorable", "без оценки")
_OWN = Phrase("callscore, macro F1", "callscore, macro F1")
_OWN_WITH = Phrase(
    "callscore, macro F1, settings as above", "callscore, macro F1, настройки как выше"
)
_WHY = Phrase("{metrics}: {cases} not scorable", "{metrics}: без оценки {cases}")
_ALL_CALLS = Phrase(
    "The settings are those of the first row alone: the others are given all calls as they were"
    " read.",
    "Настройки относятся только к первой строке: остальные получают все вызовы как есть.",
)
_FIRST_ANSWER = Phrase(
    "The settings are those of the first row alone: the others are given all calls of the first"
    " answer, as they were read.",
    "Настройки относятся только к первой строке: остальные получают все вызовы первого ответа"
    " как есть.",
)

NO_NUMBER = "–"
_SURE_DIGITS = 9  # of a number that may be a sum of shares, 0.9999999999999999 for 1
_NAMES_SHOWN = 4
_REASONS_SHOWN = 2
_REASON_WIDTH = 160
_SPACE = "   "


class MetricRow(NamedTuple):
    """One row of the table.

    Attributes:
        name: of the metric.
        mean: over the cases that it scored, as text.
        scored: how many cases these are.
        not_scorable: how many the others are.
    """

    name: str
    mean: str
    scored: int
    not_scorable: int


def number_text(value: float | None) -> str:
    """A number of any tool with three decimals; 1.000 and 0.000 are said only of those."""
    return NO_NUMBER if value is None else decimal(round(value, _SURE_DIGITS))


def metric_rows(results: Results, lang: Language) -> list[MetricRow]:
    """One row a metric, and before them callscore's own mean; nothing where no metric was asked."""
    if not results.metrics:
        return []
    summary = results.summary
    # `callscore.f1` may stand there, too, and is the score under the default settings.
    name = say(_OWN if results.settings == DEFAULT else _OWN_WITH, lang)
    own = MetricRow(name, number_text(summary.macro_f1), summary.cases, 0)
    others = [
        MetricRow(metric.name, number_text(metric.mean), metric.scored, metric.not_scorable.count)
        for metric in results.metrics
    ]
    return [own, *others]


def reason_lines(
    metrics: Sequence[MetricResult], lang: Language, *, write: Callable[[str], str] = escape
) -> list[tuple[str, str]]:
    """The metrics that have no number for some cases: for how many, and the first reasons.

    Args:
        metrics: what the metrics say of all cases.
        lang: the language.
        write: makes the names of metrics safe to show.
    """
    alike: dict[Noted, list[str]] = {}  # several tools mostly refuse the same cases
    for metric in metrics:
        if metric.not_scorable.count:
            alike.setdefault(metric.not_scorable, []).append(write(metric.name))
    return [
        (_refusal(names, why.count, lang), _reasons(why.names, lang))
        for why, names in alike.items()
    ]


def _refusal(names: list[str], count: int, lang: Language) -> str:
    more = len(names) - _NAMES_SHOWN
    ending = [say(MORE, lang, count=more)] if more > 0 else []
    shown = ", ".join([*names[:_NAMES_SHOWN], *ending])
    return say(_WHY, lang, metrics=shown, cases=count_of(CASES, count, lang))


def _reasons(reasons: Sequence[str], lang: Language) -> str:
    """The first reasons; that they are sentences is lost on a list."""
    shown = [clip(escape(reason).removesuffix("."), _REASON_WIDTH) for reason in reasons]
    more = len(shown) - _REASONS_SHOWN
    ending = [say(MORE, lang, count=more)] if more > 0 else []
    return "; ".join([*shown[:_REASONS_SHOWN], *ending])


def settings_line(results: Results, lang: Language) -> str | None:
    """That the settings are callscore's alone; None where they are as by default."""
    if not results.metrics or results.settings == DEFAULT:
        return None
    return say(_FIRST_ANSWER if results.settings.top_k > 1 else _ALL_CALLS, lang)


def metric_cells(values: Sequence[MetricValue], width: int) -> list[list[tuple[str, str]]]:
    """The numbers of one case in lines of cells, a number and a name, aligned from case to case.

    Names are never cut, since people copy them: one that has no room is on a line of its own.
    """
    numbers = [number_text(found.value) for found in values]
    most = max(map(len, map(number_text, [0.0, *[found.value for found in values]])))
    names = [escape(found.name) for found in values]
    cells = [(number.rjust(most), name) for number, name in zip(numbers, names, strict=True)]
    used = sum(display_width(name) + most + 1 for name in names) + len(_SPACE) * (len(names) - 1)
    if used <= width:
        return [cells]
    widest = max(map(display_width, names))
    in_a_line = max((width + len(_SPACE)) // (widest + most + 1 + len(_SPACE)), 1)
    lines = [cells[start : start + in_a_line] for start in range(0, len(cells), in_a_line)]
    return [[*[_padded(cell, widest) for cell in line[:-1]], line[-1]] for line in lines]


def _padded(cell: tuple[str, str], width: int) -> tuple[str, str]:
    number, name = cell
    return number, name + " " * (width - display_width(name))
