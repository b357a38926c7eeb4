"""A file of cases as one side of a comparison: it is scored, and what became of each case is noted."""

from __future__ import annotations

from os import PathLike, fspath, sep
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from callscore.comparing.sides import CaseOutcome, EvaluationSide, Side, TrialOutcome
from callscore.core.export import call_to_dict
from callscore.core.settings import DEFAULT
from callscore.core.tool_outcomes import tool_outcomes
from callscore.engines.collector import Hooks
from callscore.engines.local import score_files, score_joined
from callscore.engines.payloads import case_payload, settings_payload
from callscore.errors import UnreadableInput
from callscore.history.digests import (
    asked_digest,
    calls_digest,
    expectation_digest,
    settings_digest,
)
from callscore.history.places import name_of_file, place_of_file
from callscore.sources.kinds import kind_by_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from callscore.core.model import Case, Score
    from callscore.core.settings import Settings
    from callscore.core.tool import Tool

__all__ = ["SCORER", "is_case_file", "side_of_file"]

_STDIN = "-"
# A file is scored as an evaluation is that says nothing about its scorers.
SCORER = "accuracy"

_NOT_RUN = "the file holds no answer to it"
_NOTHING = "there is no case to compare in it."


def is_case_file(reference: str) -> bool:
    """Whether a word means a file of cases, rather than a run.

    A name of a kind that cases are written in does, whether the file is there or not; so does any
    other path with a folder in it, if there is such a file. `main` is a run, `./main` may be a file.
    """
    if reference == _STDIN or kind_by_name(reference) is not None:
        return True
    has_folder = "/" in reference or sep in reference
    return has_folder and _is_file(reference)


def _is_file(path: str) -> bool:
    try:
        return Path(path).is_file()
    except OSError:  # a name that is too long, or a folder that we may not look into
        return False


def side_of_file(
    path: str | PathLike[str],
    settings: Settings = DEFAULT,
    *,
    label: str | None = None,
    expected: str | PathLike[str] | None = None,
    tools: Any = None,
) -> Side:
    """Score a file of cases, as one side of a comparison.

    Cases of the same id are trials of one case. A case that says what is expected, and to which the
    file holds no answer, is one whose trial failed.

    Args:
        path: the file: cases with both sides, or with `expected` traces alone; `-` is standard input.
        settings: what decides the scores.
        label: what the side is called; by default the path as it is given.
        expected: the file of references, where it is another.
        tools: the tools' definitions, in any form that `read_tools` takes, in place of those that the
            cases bring themselves.

    Raises:
        UnreadableInput: the file cannot be read, or there is no case in it.
        InvalidCall: the tools' definitions cannot be read.
        ModelFailed: a judge gave no answer.
        MissingExtra: the file needs an optional dependency.
    """
    name = fspath(path)
    gathered = _Gathered()
    hooks = Hooks(on_score=gathered.take, on_unscored=gathered.leave)
    options: dict[str, Any] = {"settings": settings, "show": "none", "tools": tools, "hooks": hooks}
    if expected is None:
        score_files(name, **options)
    else:
        score_joined(expected, name, **options)
    cases = gathered.cases()
    if not cases:
        raise UnreadableInput(name, _NOTHING)
    evaluation = EvaluationSide(
        name=name_of_file(name),
        place=place_of_file(name),
        cases=cases,
        settings=settings_digest(settings_payload(settings), [SCORER]),
    )
    return Side(label=name if label is None else label, command="score", evaluations=(evaluation,))


class _Gathered:
    """What became of the cases of a file, in the order in which they first come."""

    def __init__(self) -> None:
        self._cases: dict[str, CaseOutcome] = {}
        self._trials: dict[str, list[TrialOutcome]] = {}

    def take(self, case: Case, score: Score, _: Mapping[str, Tool] | None) -> None:
        """Note a case that has a score."""
        self._add(case, _scored(case, score))

    def leave(self, case: Case) -> None:
        """Note a case that has none."""
        if case.expected is None:
            self._add(case, TrialOutcome(status="not_scored", calls=_calls(case)))
        else:
            self._add(case, TrialOutcome(status="error", failure=_NOT_RUN))

    def _add(self, case: Case, outcome: TrialOutcome) -> None:
        if case.id not in self._cases:
            self._cases[case.id] = _known_by(case)
        self._trials.setdefault(case.id, []).append(outcome)

    def cases(self) -> tuple[CaseOutcome, ...]:
        """The cases, each with all its trials."""
        trials = self._trials
        return tuple(
            [replace(case, trials=tuple(trials[name])) for name, case in self._cases.items()]
        )


def _known_by(case: Case) -> CaseOutcome:
    """A case by all but what became of it."""
    payload = case_payload(case)
    return CaseOutcome(
        id=case.id,
        trials=(),
        tags=tuple(case.tags),
        expectation=expectation_digest(payload),
        asked=asked_digest(payload),
    )


def _scored(case: Case, score: Score) -> TrialOutcome:
    return TrialOutcome(
        passed=score.passed,
        f1=score.f1,
        values=((SCORER, score.f1),),
        forbidden=len(score.forbidden),
        faults=None if score.faults is None else len(score.faults),
        tools=tool_outcomes(score),
        calls=_calls(case),
    )


def _calls(case: Case) -> str:
    if case.actual is None:
        return ""
    return calls_digest([call_to_dict(call) for call in case.actual])
