"""What is said of a list of runs, in English and in Russian."""

# ruff: noqa: RUF001, RUF002  (Russian letters that look like Latin ones, and en dashes, are meant)

from __future__ import annotations

from time import localtime, time
from typing import TYPE_CHECKING

from callscore.core.text import escape
from callscore.core.wording import Phrase

if TYPE_CHECKING:
    from callscore.core.statistics import Interval
    from callscore.core.wording import Language

__all__ = [
    "BASELINE_MARK",
    "CASES",
    "COMMANDS",
    "COMMIT",
    "F1",
    "INTERVAL",
    "MORE_RUNS",
    "NONE_FIT",
    "NONE_YET",
    "NONE_YET_TAGGED",
    "OTHER_CASES",
    "PART",
    "PASSED",
    "RUN",
    "STATUSES",
    "TAGGED",
    "UNNAMED",
    "WHEN",
    "commit_text",
    "interval_text",
    "moment",
    "moment_cell",
]

RUN = Phrase("run", "прогон")
WHEN = Phrase("when", "когда")
PASSED = Phrase("passed", "пройдено")
INTERVAL = Phrase("interval", "интервал")
F1 = Phrase("F1", "F1")
CASES = Phrase("cases", "случаи")
COMMIT = Phrase("commit", "коммит")
PART = Phrase("some cases", "часть случаев")
UNNAMED = Phrase("nothing evaluated", "ничего не оценено")
TAGGED = Phrase("cases with the tag {tag}", "случаи с тегом {tag}")
NONE_YET = Phrase(
    "No runs yet. Begin with: callscore run", "Прогонов пока нет. Начните с: callscore run"
)
NONE_YET_TAGGED = Phrase(
    "No run has cases with the tag {tag}.", "Ни в одном прогоне нет случаев с тегом {tag}."
)
NONE_FIT = Phrase(
    "No run has an evaluation that {words!r} fits.",
    "Ни в одном прогоне нет оценки, подходящей под {words!r}.",
)
OTHER_CASES = Phrase(
    "≠ has more cases than the run before it, or fewer; callscore compare holds those that both have"
    " against each other.",
    "≠ случаев больше или меньше, чем в прогоне до него; callscore compare сравнит те, что есть в обоих.",
)
MORE_RUNS = Phrase(
    "Older runs are not shown; --limit shows more.",
    "Более старые прогоны не показаны; --limit покажет больше.",
)
STATUSES = {
    "running": Phrase("running", "идёт"),
    "interrupted": Phrase("interrupted", "прерван"),
    "abandoned": Phrase("did not end", "не завершён"),
}
# What made a run, where it was not `callscore run`.
COMMANDS = {
    "rescore": Phrase("rescored", "переоценён"),
    "score": Phrase("from files", "по файлам"),
    "evaluate": Phrase("from Python", "из Python"),
}
BASELINE_MARK = "◆ "
_MONTHS = {
    "en": ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
    "ru": ("янв", "фев", "мар", "апр", "мая", "июн", "июл", "авг", "сен", "окт", "ноя", "дек"),
}
_COMMIT_DIGITS = 7
_MOMENT_WIDTH = len("31 Dec 23:59")


def moment(seconds: float, lang: Language, *, now: float | None = None) -> str:
    """When something was, in the time of this place: `15 Nov 18:43`; with the year where it is another.

    Args:
        seconds: since 1970.
        lang: the language.
        now: likewise; by default the time now.
    """
    try:
        then, today = localtime(seconds), localtime(time() if now is None else now)
    except (OverflowError, ValueError, OSError):  # somebody has written nonsense there
        return "–"
    day = f"{then.tm_mday} {_MONTHS[lang][then.tm_mon - 1]}"
    if then.tm_year != today.tm_year:
        return f"{day} {then.tm_year}"
    return f"{day} {then.tm_hour:02}:{then.tm_min:02}"


def moment_cell(seconds: float, lang: Language, *, now: float | None = None) -> str:
    """The same for a table: always as wide as the longest such text is."""
    return moment(seconds, lang, now=now).rjust(_MOMENT_WIDTH)


def interval_text(interval: Interval | None) -> str:
    """An interval of shares: `85–96%`."""
    if interval is None:
        return ""
    return f"{round(interval.low * 100)}–{round(interval.high * 100)}%"


def commit_text(commit: str | None, *, is_dirty: bool | None) -> str:
    """The beginning of a commit; with a star where files had changed since."""
    if not commit:
        return ""
    return escape(commit[:_COMMIT_DIGITS]) + ("*" if is_dirty else "")
