"""The tables of a run: the scorers of an evaluation, its variants side by side, and its trials."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rich.text import Text

from callscore.core.pass_rates import rates_over
from callscore.core.text import clip_middle, display_width, escape
from callscore.core.wording import say
from callscore.reports import run_wording as wording
from callscore.reports.metric_table import NO_NUMBER, number_text
from callscore.reports.number_table import NumberRow, number_table
from callscore.reports.trial_table import MOST_COLUMNS, rate_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.core.run import EvaluationResults, ScorerResult
    from callscore.core.wording import Language

__all__ = [
    "Cell",
    "scorer_table",
    "threshold_text",
    "trial_rows",
    "trial_table",
    "variant_columns",
    "variant_table",
]

Cell = tuple[str, str]  # a text, and the style that it is shown in

_SPACE = 3
_SHORTEST_NAME = 8
_RATE_WIDTH = len("0.123")


def threshold_text(scorer: ScorerResult) -> str:
    """What the mean must reach, and whether it does: `≥ 0.900`, or `< 0.900` where it is below."""
    if scorer.threshold is None:
        return ""
    return f"{'<' if scorer.is_below else '≥'} {number_text(scorer.threshold)}"


def scorer_table(each: EvaluationResults, width: int, lang: Language) -> Text:
    """One row a scorer: the mean, how many answers are good enough, and the threshold."""
    phrases = [wording.MEAN, wording.PASSED]
    has_threshold = any(scorer.threshold is not None for scorer in each.scorers)
    if has_threshold:
        phrases.append(wording.THRESHOLD)
    rows = [
        NumberRow(Text(escape(scorer.name)), _scorer_cells(scorer)[: len(phrases)])
        for scorer in each.scorers
    ]
    headers = [say(phrase, lang) for phrase in phrases]
    return number_table(say(wording.SCORER, lang), headers, rows, width)


def _scorer_cells(scorer: ScorerResult) -> list[Text]:
    return [
        Text(*_mean(scorer)),
        Text(*_share(scorer.passed, scorer.scored)),
        Text(threshold_text(scorer), "red" if scorer.is_below else "dim"),
    ]


def _mean(scorer: ScorerResult) -> Cell:
    style = "bold red" if scorer.is_below else ("dim" if scorer.mean is None else "")
    return number_text(scorer.mean), style


def _share(part: int, whole: int) -> Cell:
    if not whole:
        return NO_NUMBER, "dim"
    return f"{part}/{whole}", "green" if part == whole else "yellow" if part else "red"


def variant_table(group: Sequence[EvaluationResults], width: int, lang: Language) -> Text | None:
    """One row a variant, one column a scorer; None where there is no room for so many."""
    label = say(wording.VARIANT, lang)
    names = [Text(escape(each.variant or "")) for each in group]
    columns = variant_columns(group, lang)
    scorers = len(group[0].scorers)
    headers = [header for header, _ in columns]
    # What else is known gives way first; then the names of scorers are broken.
    shorter = [headers[:end] for end in range(len(headers), scorers, -1)]
    fitting = [some for some in (*shorter, _broken(shorter[-1])) if _fits(some, columns, width)]
    if not fitting:
        return None
    shown = fitting[0]
    rows = [
        NumberRow(name, [Text(*cells[row]) for _, cells in columns[: len(shown)]])
        for row, name in enumerate(names)
    ]
    wanted = [number_text(scorer.threshold) for scorer in group[0].scorers]
    if any(scorer.threshold is not None for scorer in group[0].scorers):
        cells = [Text(text if text != NO_NUMBER else "", "dim") for text in wanted]
        rest = [Text() for _ in shown[scorers:]]
        rows.append(NumberRow(Text(say(wording.THRESHOLD, lang), "dim"), [*cells, *rest]))
    return number_table(label, shown, rows, width)


def variant_columns(
    group: Sequence[EvaluationResults], lang: Language
) -> list[tuple[str, list[Cell]]]:
    """What stands above each column, and a cell for each variant.

    The means of the scorers, how many answers passed, and as far as they are known the errors, the
    median time and the tokens.
    """
    scorers = [
        (escape(scorer.name), [_mean(each.scorers[place]) for each in group])
        for place, scorer in enumerate(group[0].scorers)
    ]
    passed = [_share(each.passed, each.answered - each.undecided) for each in group]
    columns = [*scorers, (say(wording.PASSED, lang), passed)]
    if any(each.errors for each in group):
        errors = [(str(each.errors), "red" if each.errors else "dim") for each in group]
        columns.append((say(wording.ERRORS, lang), errors))
    if any(each.seconds is not None for each in group):
        times = [
            (NO_NUMBER if each.seconds is None else wording.duration(each.seconds, lang), "dim")
            for each in group
        ]
        columns.append((say(wording.MEDIAN, lang), times))
    tokens = [each.usage.input_tokens + each.usage.output_tokens for each in group]
    if any(tokens):
        cells = [(wording.number(count, lang), "dim") for count in tokens]
        columns.append((say(wording.TOKENS, lang), cells))
    return columns


def _broken(headers: Sequence[str]) -> list[str]:
    """The headers with the parts of long names on lines of their own."""
    return ["\n".join(re.findall(r"[^_.\s]+[_.]*|[_.]+", header)) or header for header in headers]


def _fits(headers: Sequence[str], columns: Sequence[tuple[str, list[Cell]]], width: int) -> bool:
    taken = _SHORTEST_NAME
    for header, (_, cells) in zip(headers, columns, strict=False):
        lines = [display_width(line) for line in header.split("\n")]
        taken += _SPACE + max([*lines, *[display_width(text) for text, _ in cells]])
    return taken <= width


def trial_rows(
    group: Sequence[EvaluationResults], width: int
) -> tuple[list[str], list[tuple[str, ...]]]:
    """What stands above the columns, and the rows: a variant, pass@k or pass^k, and the rates.

    Both are empty where no case was tried several times.
    """
    rates = [rates_over(each.trials) for each in group]
    # Errors may leave one variant fewer trials than the others.
    fewest = min((len(found.at_k) for found in rates if found.at_k), default=0)
    room = width - _SPACE - len("pass@k")
    # A long name gives way, so that there is room for the first and the last rate at least.
    longest = max(room - 2 * (_SPACE + _RATE_WIDTH), 1)
    names = [clip_middle(escape(each.variant or ""), longest) for each in group]
    room -= max(map(display_width, names))
    most = min(room // (_SPACE + _RATE_WIDTH), MOST_COLUMNS)
    labels: list[str] = []
    rows: list[tuple[str, ...]] = []
    for name, found in zip(names, rates, strict=True):
        shown, cells = rate_table(found.at_k[:fewest], found.hat_k[:fewest], most=most)
        labels = labels or shown
        rows += [(name, *row) for row in cells]
    return labels, rows


def trial_table(group: Sequence[EvaluationResults], width: int) -> Text | None:
    """The rates of repeated trials, each variant named once; None where nothing was repeated."""
    labels, rows = trial_rows(group, width)
    if not rows:
        return None
    widest = max(display_width(name) for name, *_ in rows)
    start = widest + _SPACE if widest else 0
    lines: list[NumberRow] = []
    for place, (name, kind, *rates) in enumerate(rows):
        first = "" if place % 2 else name  # pass@k, and below it pass^k
        padding = " " * (start - display_width(first))
        lines.append(NumberRow(Text(first + padding + kind), [Text(rate) for rate in rates]))
    return number_table("", labels, lines, width)
