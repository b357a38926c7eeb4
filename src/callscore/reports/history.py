"""The runs of a history, each compared with the one before it: values, phrases and JSON form."""

from __future__ import annotations

from collections.abc import Sequence
from time import localtime, time
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import asdict

from callscore.core.phrases import Language, Phrase, Plural
from callscore.core.rendering import escape
from callscore.core.statistics import Interval
from callscore.core.totals import SavedCases
from callscore.words.value_text import json_document, json_safe, percent, safe_document

Direction = Literal["up", "down", "same"]


class RunRow(Struct, frozen=True, gc=False, kw_only=True):
    """An evaluation of a run in a list of runs.

    Attributes:
        id: the id of the run.
        command: the command that stored it: `run`, `rescore`, `score` ...
        status: `running`, `finished`, `interrupted`, or `abandoned` if its process was killed.
        started_at: in seconds since 1970.
        name: the name that the user gave the run.
        baselines: its names as a baseline.
        git_commit: the commit of the project; None outside of a repository.
        is_partial: whether cases were left out on request.
        saved_cases: which of its cases are saved.
        unreadable: how many records of scored files could not be read.
        evaluation: the name of the evaluation; None if there is none yet.
        key: distinguishes the evaluation from others of the same name.
        cases: how many cases it has, decided or not.
        trials: how many trials they had.
        answered: how many answers there are.
        passed: how many answers pass.
        share: the mean over the cases of the share of their trials that pass; None without any.
        interval: the 95 % interval of the share.
        f1: the mean score of the answers; None if no calls are expected.
        errors: how many trials have no answer.
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
    unreadable: int = 0
    saved_cases: SavedCases = "all"
    evaluation: str | None = None
    variant: str | None = None
    place: str = ""
    key: str = ""
    cases: int = 0
    trials: int = 0
    answered: int = 0
    passed: int = 0
    share: float | None = None
    interval: Interval | None = None
    f1: float | None = None
    errors: int = 0

    @property
    def counts(self) -> bool:
        """Whether other runs are compared with it: it is complete, and has its own answers."""
        is_whole = self.status == "finished" and not self.is_partial
        # A rescored run has the answers of an older one, under other settings.
        return is_whole and self.command != "rescore" and self.share is not None

    @property
    def label(self) -> str:
        """The evaluation with its variant; empty if there is none."""
        if self.variant is None:
            return self.evaluation or ""
        return f"{self.evaluation} [{self.variant}]"


class Step(Struct, frozen=True, gc=False, kw_only=True):
    """A run compared with the one before it.

    Attributes:
        row: the run.
        change: how far its share is above that of the run before; None if they cannot be compared.
        is_outside: whether its share is outside of the interval of the run before.
        has_other_cases: whether the number of cases differs, so that shares cannot be compared.
    """

    row: RunRow
    change: float | None = None
    is_outside: bool = False
    has_other_cases: bool = False

    @property
    def direction(self) -> Direction | None:
        """The direction of the change; None if there is nothing to compare with."""
        if self.change is None:
            return None
        return "same" if self.change == 0 else "up" if self.change > 0 else "down"


class Timeline(Struct, frozen=True, kw_only=True):
    """The runs of one variant of an evaluation, the newest first."""

    steps: tuple[Step, ...]

    @property
    def label(self) -> str:
        """The evaluation with its variant."""
        return self.steps[0].row.label

    @property
    def place(self) -> str:
        """The file of the evaluation."""
        return self.steps[0].row.place

    @property
    def shares(self) -> tuple[float, ...]:
        """The shares of the complete runs, the oldest first."""
        rows = [step.row for step in reversed(self.steps)]
        return tuple([row.share for row in rows if row.counts and row.share is not None])


def timelines_of(rows: Sequence[RunRow], *, max_shown: int | None = None) -> list[Timeline]:
    """The runs by evaluation, the one that was run last first.

    The rows of the newest run come first. A run is compared with the nearest complete run before it;
    only the newest `max_shown` runs are returned.
    """
    shown = set(list(dict.fromkeys([row.id for row in rows]))[:max_shown])
    groups: dict[tuple[str, str | None, str | None], list[RunRow]] = {}
    for row in rows:
        groups.setdefault((row.key, row.evaluation, row.variant), []).append(row)
    timelines = []
    for group in groups.values():
        steps: list[Step] = []
        before: RunRow | None = None
        for row in reversed(group):
            if row.id in shown:
                steps.append(_step(row, before))
            before = row if row.counts else before
        if steps:
            timelines.append(Timeline(steps=tuple(reversed(steps))))
    return timelines


def _step(row: RunRow, before: RunRow | None) -> Step:
    if before is None or not row.counts or row.share is None or before.share is None:
        return Step(row=row)
    if row.cases != before.cases:
        return Step(row=row, has_other_cases=True)
    change = round(row.share - before.share, 9)  # without the rounding errors of the shares
    low, high = before.interval or (before.share, before.share)
    return Step(row=row, change=change, is_outside=not low <= row.share <= high)


RUN = Phrase("run", "прогон")
WHEN = Phrase("when", "когда")
PASSED = Phrase("passed", "пройдено")
INTERVAL = Phrase("interval", "интервал")
F1 = Phrase("F1", "F1")
CASE_COUNT = Phrase("cases", "случаи")
TRIAL_COUNT = Phrase("trials", "попытки")
COMMIT = Phrase("commit", "коммит")
PARTIAL = Phrase("some cases", "часть случаев")
# Which cases are saved, if not all are.
SAVED_CASES: dict[SavedCases, Phrase] = {
    "failing": Phrase("failing cases saved", "сохранены непройденные случаи"),
    "none": Phrase("totals saved", "сохранены итоги"),
}
NOTHING_EVALUATED = Phrase("no evaluations", "нет проверок")
TAGGED = Phrase("cases with the tag {tag}", "случаи с тегом {tag}")
NONE_YET = Phrase(
    "No runs yet. Start with: callscore run", "Прогонов пока нет. Запустить: callscore run"
)
NONE_YET_TAGGED = Phrase(
    "No run has cases with the tag {tag}.", "Ни в одном прогоне нет случаев с тегом {tag}."
)
UNKNOWN_TAGS = Phrase(
    "not listed: {runs}, of which not every case is saved with its tags. To save every case:"
    " --save-cases all",
    "не показано: {runs}, случаи и теги которых сохранены не все. Сохранить все: --save-cases all",
)
RUN_COUNT = Plural(("run", "runs"), ("прогон", "прогона", "прогонов"))
NONE_MATCH = Phrase(
    "No run has an evaluation that matches {words!r}.",
    "Ни в одном прогоне нет проверки, подходящей под {words!r}.",
)
OTHER_CASES = Phrase(
    "≠ The number of cases differs from the run before. callscore compare compares the cases that"
    " both runs have.",
    "≠ Число случаев другое, чем в предыдущем прогоне. callscore compare сравнит общие случаи.",
)
MORE_RUNS = Phrase(
    "Older runs are not shown; --max-shown shows more.",
    "Более старые прогоны не показаны; --max-shown покажет больше.",
)
STATUSES = {
    "running": Phrase("running", "идёт"),
    "interrupted": Phrase("interrupted", "прерван"),
    "abandoned": Phrase("did not finish", "не завершён"),
}
# The command that stored a run, if it was not `callscore run`.
COMMANDS = {
    "rescore": Phrase("rescored", "оценён заново"),
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
    """A time in seconds since 1970 as local time: `15 Nov 18:43`; in another year, with the year."""
    try:
        then, today = localtime(seconds), localtime(time() if now is None else now)
    except (OverflowError, ValueError, OSError):  # written by another program
        return "–"
    day = f"{then.tm_mday} {_MONTHS[lang][then.tm_mon - 1]}"
    if then.tm_year != today.tm_year:
        return f"{day} {then.tm_year}"
    return f"{day} {then.tm_hour:02}:{then.tm_min:02}"


def moment_cell(seconds: float, lang: Language, *, now: float | None = None) -> str:
    """The same in a fixed width, for a table."""
    return moment_text(seconds, lang, now=now).rjust(_MOMENT_WIDTH)


def share_interval_text(interval: Interval | None) -> str:
    """An interval of shares: `85–96%`."""
    if interval is None:
        return ""
    return f"{percent(interval.low, places=0)[:-1]}–{percent(interval.high, places=0)}"


def commit_text(commit: str | None, *, is_dirty: bool | None) -> str:
    """The beginning of a commit; with a star if there were uncommitted changes."""
    if not commit:
        return ""
    return escape(commit[:_COMMIT_DIGITS]) + ("*" if is_dirty else "")


_RUN_FIELDS = (
    *("id", "name", "baselines", "command", "status", "started_at"),
    *("git_commit", "git_dirty", "is_partial", "unreadable", "saved_cases"),
)
_EVALUATION_FIELDS = (
    *(
        "variant",
        "place",
        "cases",
        "trials",
        "answered",
        "passed",
        "share",
        "interval",
        "f1",
        "errors",
    ),
)


def write_json(timelines: Sequence[Timeline]) -> str:
    """An array with one object per run, the newest first, each with its evaluations."""
    of_runs: dict[str, list[Step]] = {}
    for timeline in timelines:
        for step in timeline.steps:
            of_runs.setdefault(step.row.id, []).append(step)
    found = sorted(
        of_runs.values(), key=lambda steps: (steps[0].row.started_at, steps[0].row.id), reverse=True
    )
    return safe_document(
        [
            {
                **{field: json_safe(getattr(steps[0].row, field)) for field in _RUN_FIELDS},
                "evaluations": [
                    _evaluation_to_dict(step) for step in steps if step.row.evaluation is not None
                ],
            }
            for steps in found
        ]
    )


def _evaluation_to_dict(step: Step) -> dict[str, Any]:
    return {
        "name": json_safe(step.row.evaluation),
        **{field: json_safe(getattr(step.row, field)) for field in _EVALUATION_FIELDS},
        "change": step.change,
        "direction": step.direction,
        "has_other_cases": step.has_other_cases,
    }


class BaselineRow(Struct, frozen=True, gc=False, kw_only=True):
    """A baseline and its run, which is `called` by the name that the user gave it."""

    name: str
    run: str
    called: str | None = None
    started_at: float
    set_at: float
    git_commit: str | None = None
    git_dirty: bool | None = None


def write_baselines_json(found: Sequence[BaselineRow]) -> str:
    """An array with one object per baseline, in the order of their names."""
    return json_document([asdict(each) for each in found])
