"""The runs of a history, each compared with the one before it: their values, words and JSON form."""

# ruff: noqa: RUF001, RUF002  (Russian letters that look like Latin ones, and en dashes, are meant)

from __future__ import annotations

from time import localtime, time
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import asdict

from callscore.core.phrases import Phrase
from callscore.core.rendering import escape
from callscore.core.statistics import Interval
from callscore.words.value_text import encode_json, json_safe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.core.phrases import Language

__all__ = [
    "BaselineRow",
    "Direction",
    "RunRow",
    "Step",
    "Timeline",
    "commit_text",
    "moment_cell",
    "moment_text",
    "share_interval_text",
    "timelines_of",
    "write_baselines_json",
    "write_json",
]


# Timelines: runs by what they evaluated, each compared with the one before it.

# The answers of an older run, under other settings: not a change of quality.
_RESCORE = "rescore"

Direction = Literal["up", "down", "same"]


class RunRow(Struct, frozen=True, gc=False, kw_only=True):
    """An evaluation of a run in a list of runs.

    Attributes:
        id: the id of the run.
        command: what made it: `run`, `rescore`, `score` ...
        status: whether it came to its end: `running`, `finished`, `interrupted`, or `abandoned`
            where its process was ended.
        started_at: when, in seconds since 1970.
        name: what somebody calls it.
        baselines: the names under which it is a baseline.
        git_commit: the commit of the project; None outside of a repository.
        git_dirty: whether files had changed since.
        is_partial: whether cases were left out on request.
        evaluation: what was evaluated; None where nothing was, or not yet.
        variant: under which variant; None where there is only one way to run it.
        place: the file that the evaluation stands in.
        key: what tells it from others of the same name.
        cases: how many cases have a decision.
        answered: how many answers there are.
        passed: how many of them pass.
        share: the mean over the cases of the share of their trials that pass; None without any.
        interval: the 95 % interval of the share.
        f1: the mean score of the cases; None where no calls are expected.
        errors: how many questions have no answer.
    """

    id: str
    command: str
    status: str = "finished"
    started_at: float
    name: str | None = None
    baselines: tuple[str, ...] = ()
    git_commit: str | None = None
    git_dirty: bool | None = None
    is_partial: bool = False
    evaluation: str | None = None
    variant: str | None = None
    place: str = ""
    key: str = ""
    cases: int = 0
    answered: int = 0
    passed: int = 0
    share: float | None = None
    interval: Interval | None = None
    f1: float | None = None
    errors: int = 0

    @property
    def counts(self) -> bool:
        """Whether others may be held against it: it is whole, its answers are its own, and there is a number."""
        is_whole = self.status == "finished" and not self.is_partial
        return is_whole and self.command != _RESCORE and self.share is not None

    @property
    def label(self) -> str:
        """What was evaluated, with the variant; empty where nothing was."""
        if self.variant is None:
            return self.evaluation or ""
        return f"{self.evaluation} [{self.variant}]"


class Step(Struct, frozen=True, gc=False, kw_only=True):
    """A run, and how it stands to the one before it.

    Attributes:
        row: the run.
        change: how far its share is above that of the run before; None where there is none that it
            can be held against.
        is_outside: whether its share is outside of the interval of the run before.
        has_other_cases: whether it has more cases than the run before, or fewer: then the shares
            of the two say nothing about each other.
    """

    row: RunRow
    change: float | None = None
    is_outside: bool = False
    has_other_cases: bool = False

    @property
    def direction(self) -> Direction | None:
        """Where it went; None where there is nothing to hold it against."""
        if self.change is None:
            return None
        return "same" if self.change == 0 else "up" if self.change > 0 else "down"


class Timeline(Struct, frozen=True, kw_only=True):
    """The runs of one evaluation, under one variant.

    Attributes:
        steps: the runs, the newest first.
    """

    steps: tuple[Step, ...]

    @property
    def label(self) -> str:
        """What was evaluated."""
        return self.steps[0].row.label

    @property
    def place(self) -> str:
        """The file that it stands in."""
        return self.steps[0].row.place

    @property
    def shares(self) -> tuple[float, ...]:
        """The shares of the runs that others may be held against, the oldest first."""
        rows = [step.row for step in reversed(self.steps)]
        return tuple([row.share for row in rows if row.counts and row.share is not None])


def timelines_of(rows: Sequence[RunRow], *, most: int | None = None) -> list[Timeline]:
    """The runs by what they evaluated; what was run last comes first.

    A run is held against the nearest before it that came to its end and left nothing out.

    Args:
        rows: the evaluations of the runs, those of the newest run first.
        most: of how many of the newest runs; others are only what these are held against.
    """
    shown = set(list(dict.fromkeys([row.id for row in rows]))[:most])
    groups: dict[tuple[str, str | None, str | None], list[RunRow]] = {}
    for row in rows:
        groups.setdefault((row.key, row.evaluation, row.variant), []).append(row)
    steps = [
        tuple([step for step in _steps(group) if step.row.id in shown]) for group in groups.values()
    ]
    return [Timeline(steps=of_one) for of_one in steps if of_one]


def _steps(group: Sequence[RunRow]) -> list[Step]:
    steps: list[Step] = []
    before: RunRow | None = None
    for row in reversed(group):
        steps.append(_step(row, before))
        before = row if row.counts else before
    return steps[::-1]


def _step(row: RunRow, before: RunRow | None) -> Step:
    if before is None or not row.counts or row.share is None or before.share is None:
        return Step(row=row)
    if row.cases != before.cases:
        return Step(row=row, has_other_cases=True)
    change = round(row.share - before.share, 9)  # of two shares that are made of other numbers
    low, high = before.interval or (before.share, before.share)
    return Step(row=row, change=change, is_outside=not low <= row.share <= high)


# Phrases, in English and in Russian.

RUN = Phrase("run", "прогон")
WHEN = Phrase("when", "когда")
PASSED = Phrase("passed", "пройдено")
INTERVAL = Phrase("interval", "интервал")
F1 = Phrase("F1", "F1")
CASE_COUNT = Phrase("cases", "случаи")
COMMIT = Phrase("commit", "коммит")
PARTIAL = Phrase("some cases", "часть случаев")
NOTHING_EVALUATED = Phrase("nothing evaluated", "ничего не оценено")
TAGGED = Phrase("cases with the tag {tag}", "случаи с тегом {tag}")
NONE_YET = Phrase(
    "No runs yet. Begin with: callscore run", "Прогонов пока нет. Начните с: callscore run"
)
NONE_YET_TAGGED = Phrase(
    "No run has cases with the tag {tag}.", "Ни в одном прогоне нет случаев с тегом {tag}."
)
NONE_MATCH = Phrase(
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
# The command that made a run, where it was not `callscore run`.
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


def moment_text(seconds: float, lang: Language, *, now: float | None = None) -> str:
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
    return moment_text(seconds, lang, now=now).rjust(_MOMENT_WIDTH)


def share_interval_text(interval: Interval | None) -> str:
    """An interval of shares: `85–96%`."""
    if interval is None:
        return ""
    return f"{round(interval.low * 100)}–{round(interval.high * 100)}%"


def commit_text(commit: str | None, *, is_dirty: bool | None) -> str:
    """The beginning of a commit; with a star where files had changed since."""
    if not commit:
        return ""
    return escape(commit[:_COMMIT_DIGITS]) + ("*" if is_dirty else "")


# JSON.


def write_json(timelines: Sequence[Timeline]) -> str:
    """An array with an object a run, the newest first, each with its evaluations; indented."""
    of_runs: dict[str, list[Step]] = {}
    for timeline in timelines:
        for step in timeline.steps:
            of_runs.setdefault(step.row.id, []).append(step)
    found = sorted(
        of_runs.values(),
        key=lambda steps: (steps[0].row.started_at, steps[0].row.id),
        reverse=True,
    )
    document = encode_json([_run_to_dict(steps) for steps in found])
    return msgspec.json.format(document, indent=2).decode() + "\n"


def _run_to_dict(steps: Sequence[Step]) -> dict[str, Any]:
    row = steps[0].row
    return {
        "id": json_safe(row.id),
        "name": json_safe(row.name),
        "baselines": json_safe(row.baselines),
        "command": json_safe(row.command),
        "status": json_safe(row.status),
        "started_at": row.started_at,
        "git_commit": json_safe(row.git_commit),
        "git_dirty": row.git_dirty,
        "is_partial": row.is_partial,
        "evaluations": [
            _evaluation_to_dict(step) for step in steps if step.row.evaluation is not None
        ],
    }


def _evaluation_to_dict(step: Step) -> dict[str, Any]:
    row: RunRow = step.row
    return {
        "name": json_safe(row.evaluation),
        "variant": json_safe(row.variant),
        "place": json_safe(row.place),
        "cases": row.cases,
        "answered": row.answered,
        "passed": row.passed,
        "share": row.share,
        "interval": None if row.interval is None else list(row.interval),
        "f1": row.f1,
        "errors": row.errors,
        "change": step.change,
        "direction": step.direction,
        "has_other_cases": step.has_other_cases,
    }


class BaselineRow(Struct, frozen=True, gc=False, kw_only=True):
    """A baseline, and the run that it means.

    Attributes:
        name: the baseline.
        run: the id of the run.
        called: what somebody calls the run itself.
        started_at: when the run was, in seconds since 1970.
        set_at: since when it is the baseline, likewise.
        git_commit: the commit of the project; None outside of a repository.
        git_dirty: whether files had changed since.
    """

    name: str
    run: str
    called: str | None = None
    started_at: float
    set_at: float
    git_commit: str | None = None
    git_dirty: bool | None = None


def write_baselines_json(found: Sequence[BaselineRow]) -> str:
    """An array with an object a baseline, in the order of their names."""
    rows: list[dict[str, Any]] = [
        {field: json_safe(value) for field, value in asdict(each).items()} for each in found
    ]
    return msgspec.json.format(encode_json(rows), indent=2).decode() + "\n"
