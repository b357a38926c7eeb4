"""The option that names a judge: the model that answers the questions of `$judge`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import replace

from callscore.cli.config import config_for
from callscore.cli.options import settings_from
from callscore.core.phrase import Phrase, Plural, count_of, say
from callscore.core.text import escape
from callscore.errors import CallscoreError, InvalidSettings

if TYPE_CHECKING:
    from callscore.cli.options import AnyCommand
    from callscore.core.model import Case
    from callscore.core.phrase import Language
    from callscore.core.settings import Settings
    from callscore.errors import ModelFailed
    from callscore.models.judging import Judge

__all__ = ["Unjudged", "judge_from", "judge_option", "judged_lines", "judged_settings_from"]


_JUDGED = Phrase("{model} judged {values}; asked {times}", "{model}: {values}; {times}")
_VALUES = Plural(("value", "values"), ("значение оценено", "значения оценены", "значений оценено"))
_TIMES = Plural(("time", "times"), ("вопрос задан", "вопроса задано", "вопросов задано"))
_NOT_JUDGED = Phrase(
    "{cases} not judged, and not in the report", "{cases} без оценки судьи, в отчёте их нет"
)
_CASES = Plural(("case", "cases"), ("случай", "случая", "случаев"))
_MOST_NAMED = 10
_MOST_IN_A_ROW = 5  # after so many, nobody believes that the next question will be answered
_NOT_KEPT = Phrase(
    "the answers of the judge are not kept: {problem}", "ответы судьи не сохранены: {problem}"
)


def judge_option(command: AnyCommand) -> AnyCommand:
    """Add the option that names the model that answers `$judge`."""
    return click.option(
        "--judge",
        metavar="MODEL",
        help="The model that answers `$judge`, asked once about each value; the history keeps the"
        " answers. OPENAI_BASE_URL says where it is, and OPENAI_API_KEY holds its key.  [default:"
        " that of the project's settings]",
    )(command)


def judge_from(options: dict[str, Any]) -> Judge | None:
    """Take the judge out of the options of a command, or of the project; None where none is named.

    It remembers in the history that `--store` names, or in that of the project, which is opened when
    the first question is asked. To be called before the settings are taken, which are told where the
    project has them.

    Raises:
        InvalidSettings: the judge that a file names is not as it can be.
        MissingExtra: the SDK is not installed.
        MissingKey: there is no key in the environment.
    """
    named = options.pop("judge", None)
    config = config_for(options.get("config"), is_wanted=not options.get("no_config", False))
    given = dict(config.judge) if named is None else {"name": named}
    if not given:
        return None
    from callscore.history.late_store import LateStore
    from callscore.models.judging import judge

    try:
        found = judge(given.pop("name"), **given)
    except CallscoreError as error:
        place = "" if named is not None else f"{config.place}: "
        raise InvalidSettings(f"{place}{error}") from error
    if named is not None:  # a project may name one that these cases do not need
        found.require()
    history = LateStore(options.get("store") or None)
    found.remember_in(history)
    context = click.get_current_context(silent=True)
    if context is not None:
        context.call_on_close(found.close)
        context.call_on_close(history.close)
    return found


def judged_settings_from(options: dict[str, Any]) -> tuple[Settings, Judge | None]:
    """The settings of a command with the judge among them, and the judge.

    Raises:
        InvalidSettings: as `settings_from` and `judge_from`.
        MissingExtra: as `judge_from`.
        MissingKey: likewise.
    """
    judge = judge_from(options)
    settings = settings_from(options)
    return settings if judge is None else replace(settings, judge=judge), judge


def judged_lines(judge: Judge | None, lang: Language) -> list[str]:
    """What a judge was asked; nothing where nobody was."""
    if judge is None:
        return []
    counts = judge.counts()
    lines: list[str] = []
    if counts.judged:
        values = count_of(_VALUES, counts.judged, lang)
        times = count_of(_TIMES, counts.asked, lang)
        lines.append(say(_JUDGED, lang, model=escape(counts.model), values=values, times=times))
    if judge.problem is not None:
        lines.append(say(_NOT_KEPT, lang, problem=escape(judge.problem)))
    return lines


class Unjudged:
    """The cases about which the judge gave no answer; they are left out of the report, and named."""

    def __init__(self, judge: Judge | None) -> None:
        self._judge = judge
        self._named: list[str] = []
        self._count = 0
        self._in_a_row = 0
        self._judged = 0

    def __bool__(self) -> bool:
        """Whether there are any."""
        return self._count > 0

    def take(self, place: str, case: Case, error: ModelFailed) -> None:
        """Note one of them.

        Raises:
            ModelFailed: there were too many in a row, with no answer in between.
        """
        judged = 0 if self._judge is None else self._judge.counts().judged
        self._in_a_row = self._in_a_row + 1 if judged == self._judged else 1
        self._judged = judged
        self._count += 1
        if len(self._named) < _MOST_NAMED:
            self._named.append(f"{place}: {case.id}: {error}" if case.id else f"{place}: {error}")
        if self._in_a_row == _MOST_IN_A_ROW:
            raise error

    def lines(self, lang: Language) -> list[str]:
        """How many there are, and the first of them; nothing where there are none."""
        if not self._count:
            return []
        cases = count_of(_CASES, self._count, lang)
        return [say(_NOT_JUDGED, lang, cases=cases), *map(escape, self._named)]
