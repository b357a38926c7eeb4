"""The report for people: headline, totals, tables, and the cases as aligned diffs."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING, NamedTuple

from rich.console import Console
from rich.table import Table
from rich.text import Text

from callscore.core.diff import call_lines, rich_text
from callscore.core.ranking import confused_tools, worst_arguments, worst_tools
from callscore.core.text import clip_middle, escape
from callscore.core.wording import count_of, decimal, percent, rating, say
from callscore.reports import wording

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from callscore.core.results import CaseScore, Results
    from callscore.core.summary import Summary, ToolCounts
    from callscore.core.wording import Language, Phrase

__all__ = ["NAME", "render", "write"]

NAME = "table"

_FILE_WIDTH = 100
_WIDEST = 140
_MOST_TOOLS = 15
_MOST_ARGUMENTS = 10
_MOST_CONFUSIONS = 10
_NAME_WIDTH = 40
_SHORTEST_NAME = 8
_SPACE = "   "

# What stands together, with an empty line before the next such group.
_Section = list["RenderableType"]


class _Ranking(NamedTuple):
    """A table of what went wrong, worst first: columns of names, then columns of numbers."""

    heading: Phrase
    names: tuple[Phrase, ...]
    numbers: tuple[Phrase, ...]
    rows: Sequence[tuple[tuple[str, ...], tuple[Text, ...]]]
    most: int


def write(results: Results, *, lang: Language = "en") -> str:
    """The report as plain text, for a file."""
    console = Console(file=StringIO(), width=_FILE_WIDTH, color_system=None, legacy_windows=False)
    with console.capture() as capture:
        render(results, lang=lang, console=console)
    return "\n".join(line.rstrip() for line in capture.get().splitlines()) + "\n"


def render(results: Results, *, console: Console, lang: Language = "en") -> None:
    """Print the report; what stands in the data is never taken for markup."""
    width = min(console.width, _WIDEST)
    for number, section in enumerate(_sections(results, width, lang)):
        if number:
            console.print()
        for part in section:
            console.print(part, width=width)


def _sections(results: Results, width: int, lang: Language) -> Iterator[_Section]:
    summary = results.summary
    yield _headline(results, lang)
    if summary.cases:
        yield [_rates(summary, lang)]
        yield [_totals(summary, lang)]
    notes: _Section = [
        _note(sentence, names) for sentence, names in wording.note_lines(results, lang)
    ]
    tables = [_ranked(ranking, width, lang) for ranking in _rankings(summary)]
    yield from (section for section in (notes, _trials(summary, lang), *tables) if section)
    for case in results.cases:
        yield _case(case, width, lang)
    if results.not_shown:
        cases = count_of(wording.SCORED_CASES, results.not_shown, lang)
        yield [Text(say(wording.MORE_CASES, lang, cases=cases), "dim")]


def _headline(results: Results, lang: Language) -> _Section:
    summary = results.summary
    f1, interval = summary.macro_f1, summary.macro_f1_interval
    if f1 is None:
        return [Text(say(wording.NOTHING_SCORED, lang), "bold")]
    line = Text().append(say(wording.HEADLINE, lang, score=percent(f1)), "bold").append(_SPACE)
    line.append(rating(f1, lang=lang), f"bold {_colour(f1)}")
    if interval is not None:
        line.append(_SPACE)
        line.append(say(wording.INTERVAL, lang, interval=wording.interval_text(interval)))
    cases = count_of(wording.SCORED_CASES, summary.cases, lang)
    return [line, Text(f"{cases}, {wording.comparison_text(results.settings, lang)}", "dim")]


def _colour(score: float) -> str:
    if score >= 0.7:  # noqa: PLR2004  (from here on the rating is Good)
        return "green"
    return "yellow" if score >= 0.5 else "red"  # noqa: PLR2004  (from here on it is Moderate)


def _rates(summary: Summary, lang: Language) -> Table:
    table = _table([""], ["F1", "precision", "recall"])
    macro = (summary.macro_f1, summary.macro_precision, summary.macro_recall)
    micro = (summary.micro_f1, summary.micro_precision, summary.micro_recall)
    for label, rates in ((wording.MACRO, macro), (wording.MICRO, micro)):
        table.add_row(say(label, lang), *(percent(rate) for rate in rates if rate is not None))
    return table


def _totals(summary: Summary, lang: Language) -> Table:
    table = Table.grid(padding=(0, 3, 0, 0))
    interval = wording.interval_text(summary.exact_interval)
    note = say(wording.INTERVAL, lang, interval=interval)
    passed = wording.count_text(summary.passed, summary.cases, lang)
    exact = wording.count_text(summary.exact, summary.cases, lang)
    table.add_row(say(wording.PASSED, lang), passed)
    table.add_row(say(wording.EXACT, lang), exact + _SPACE + note)
    totals, counts = wording.call_counts(summary, lang)
    table.add_row(say(wording.CALLS, lang), totals)
    table.add_row("", counts)
    return table


def _note(sentence: str, names: str) -> Text:
    line = Text().append("! ", "yellow").append(sentence)
    return line.append(f" ({names})" if names else "", "dim")


def _trials(summary: Summary, lang: Language) -> _Section:
    rates = {"pass@k": summary.pass_at_k(), "pass^k": summary.pass_hat_k()}
    if not rates["pass@k"]:
        return []
    table = _table([""], [f"k={k}" for k in range(1, len(rates["pass@k"]) + 1)])
    for label, values in rates.items():
        table.add_row(label, *map(decimal, values))
    return [Text(say(wording.TRIALS, lang), "bold"), table]


def _rankings(summary: Summary) -> tuple[_Ranking, ...]:
    tools = [((tool,), _tool_counts(counts)) for tool, counts in worst_tools(summary)]
    confusions = [
        ((expected, called), (_count(count),))
        for expected, called, count in confused_tools(summary)
        if expected is not None and called is not None
    ]
    arguments = [
        ((tool, argument), (_count(count),)) for tool, argument, count in worst_arguments(summary)
    ]
    counts = (wording.EXPECTED, wording.CORRECT, wording.INCORRECT, wording.MISSED, wording.EXTRA)
    times = (wording.TIMES,)
    return (
        _Ranking(wording.TOOLS, (wording.TOOL,), counts, tools, _MOST_TOOLS),
        _Ranking(
            wording.CONFUSED_TOOLS,
            (wording.EXPECTED, wording.CALLED),
            times,
            confusions,
            _MOST_CONFUSIONS,
        ),
        _Ranking(
            wording.WRONG_ARGUMENTS,
            (wording.TOOL, wording.ARGUMENT),
            times,
            arguments,
            _MOST_ARGUMENTS,
        ),
    )


def _tool_counts(counts: ToolCounts) -> tuple[Text, ...]:
    return (
        _count(counts.expected),
        _count(counts.correct, "green"),
        _count(counts.incorrect, "yellow"),
        _count(counts.missed, "red"),
        _count(counts.extra, "magenta"),
    )


def _count(count: int, colour: str = "") -> Text:
    return Text(str(count), colour if count else "dim")


def _ranked(ranking: _Ranking, width: int, lang: Language) -> _Section:
    if not ranking.rows:
        return []
    names = [say(label, lang) for label in ranking.names]
    numbers = [say(label, lang) for label in ranking.numbers]
    # On a narrow terminal it is the names that give way, never the numbers.
    free = width + len(_SPACE) - sum(len(label + _SPACE) for label in numbers)
    room = max(free // len(names) - len(_SPACE), _SHORTEST_NAME)
    table = _table(names, numbers)
    for row_names, counts in ranking.rows[: ranking.most]:
        short = (Text(clip_middle(escape(name), min(room, _NAME_WIDTH))) for name in row_names)
        table.add_row(*short, *counts)
    section: _Section = [Text(say(ranking.heading, lang), "bold"), table]
    more = len(ranking.rows) - ranking.most
    if more > 0:
        section.append(Text(say(wording.MORE, lang, count=more), "dim"))
    return section


def _case(case: CaseScore, width: int, lang: Language) -> _Section:
    score = case.score
    line = Text().append(clip_middle(escape(case.label), width // 2), "bold").append(_SPACE)
    line.append(f"{percent(score.f1)} {rating(score.f1, lang=lang)}", _colour(score.f1))
    rates = f"precision {percent(score.precision)}, recall {percent(score.recall)}"
    line.append(_SPACE).append(rates, "dim")
    return [line, rich_text(call_lines(score, width=width, lang=lang))]


def _table(names: list[str], numbers: list[str]) -> Table:
    """A table without lines, its numbers set to the right."""
    table = Table(box=None, pad_edge=False, padding=(0, len(_SPACE), 0, 0), header_style="dim")
    for label in names:
        table.add_column(Text(label), no_wrap=True)
    for label in numbers:
        table.add_column(Text(label), justify="right", no_wrap=True)
    return table
