"""Scores a file of cases, as one side of a comparison."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from os import PathLike, fspath
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from msgspec import UNSET
from msgspec.structs import replace

from callscore.comparing.sides import CaseOutcome, EvaluationSide, Side, TrialOutcome
from callscore.core.settings import DEFAULT, Settings
from callscore.core.summary import tool_outcomes
from callscore.engines.collector import ScoreHooks
from callscore.engines.local import score_files, score_joined
from callscore.engines.payloads import FILE_SCORER, case_payload, settings_payload
from callscore.errors import CallscoreError, UnreadableInput
from callscore.history.opening import file_evaluation_name, project_path
from callscore.history.records import (
    asked_digest,
    calls_digest,
    expectation_digest,
    settings_digest,
)
from callscore.sources.remote import is_url, without_credentials
from callscore.words.plain_data import call_to_dict

if TYPE_CHECKING:
    from callscore.core.results import Result

    # Takes a result of a file, and its case with this one trial.
    OnResult = Callable[[CaseOutcome, Result], None]

_STDIN = "-"
_NO_CASES = "the file has no cases."
_NOTHING_EXPECTED = (
    "no case has expected calls, so there is nothing to compare. If the file has only traces, "
    "specify the references: --expected FILE (in Python: expected=...)."
)
_EXPECTS_NOTHING = "no case has expected calls, so there is nothing to compare."
_NO_ANSWERS = (
    "no case has actual calls, so there is nothing to compare. Compare files with actual calls; "
    "pass this file with --expected (in Python: expected=...)."
)
_NO_ANSWER_TO = "no case of {expected} has actual calls in this file. Check that the ids match."
_SUITE = "an evaluation has no answers. Run it, then compare the runs: callscore run {name}"
_EXPORTED = (
    "an exported run is not a file of cases. Import it into the history and compare it there: "
    "callscore import {name}"
)
_URL = (
    "files at URLs are not compared. Save each of them as a run (callscore score URL --save NAME) and "
    "compare the runs, or download the files."
)
_SUITE_NAME = re.compile(r"eval_.*\.(?:ya?ml|toml)", re.IGNORECASE)


def side_of_file(  # noqa: PLR0913  (all are options)
    path: str | PathLike[str],
    settings: Settings = DEFAULT,
    *,
    label: str | None = None,
    expected: str | PathLike[str] | None = None,
    tools: Any = None,
    on_result: OnResult | None = None,
) -> Side:
    """Score a file of cases, as one side of a comparison.

    Records with the same id are trials of one case if they ask and expect the same; otherwise they
    are several cases. The trial of a case with an expectation and without an answer failed.

    Args:
        path: cases with both sides, or with `expected` only traces; `-` is standard input.
        settings: the settings of the scores.
        label: the name of the side; by default the given path.
        expected: the file of references, if it is another.
        tools: replaces the tools of the cases; in any form that `read_tools` takes.
        on_result: called with each result, as soon as it is scored, and the case of this one trial.

    Raises:
        UnreadableInput: the file cannot be read, there is no case in it, or none with both what is
            expected and an answer; or it is an evaluation, or an exported run.
        InvalidCall: the tools' definitions cannot be read.
        ModelFailed: a judge gave no answer.
        MissingExtra: the file needs an optional dependency.
    """
    name = fspath(path)
    for given in (name, *([] if expected is None else [fspath(expected)])):
        if is_url(given):
            raise UnreadableInput(without_credentials(given), _URL)
    outcomes: dict[str, list[CaseOutcome]] = {}  # by id

    def take(result: Result) -> None:
        found = _add_result(outcomes, result)
        if on_result is not None:
            on_result(found, result)

    hooks = ScoreHooks(on_result=take)
    options: dict[str, Any] = {"settings": settings, "show": "none", "tools": tools, "hooks": hooks}
    try:
        if expected is None:
            score_files(name, **options)
        else:
            score_joined(expected, name, **options)
    except UnreadableInput:
        _refuse_exported(name)
        raise
    cases = tuple([case for cases in outcomes.values() for case in cases])
    _require_scores(cases, name, None if expected is None else fspath(expected))
    evaluation = EvaluationSide(
        name=file_evaluation_name(name),
        place=project_path(name),
        cases=cases,
        settings=settings_digest(settings_payload(settings), [FILE_SCORER]),
        options={**settings_payload(settings), "scorers": [FILE_SCORER], "fail_under": {}},
    )
    return Side(label=name if label is None else label, command="score", evaluations=(evaluation,))


def _require_scores(cases: Sequence[CaseOutcome], name: str, expected: str | None) -> None:
    """Refuse a file without anything to compare."""
    found = {trial.status for case in cases for trial in case.trials}
    if "scored" in found:
        return
    _refuse_exported(name)
    if not found:
        raise UnreadableInput(name, _NO_CASES)
    if "error" not in found:
        if expected is not None:
            raise UnreadableInput(expected, _EXPECTS_NOTHING)
        raise UnreadableInput(name, _NOTHING_EXPECTED)
    if expected is not None:
        raise UnreadableInput(name, _NO_ANSWER_TO.format(expected=expected))
    is_suite = _SUITE_NAME.fullmatch(Path(name).name)
    raise UnreadableInput(name, _SUITE.format(name=quote(name)) if is_suite else _NO_ANSWERS)


def _refuse_exported(name: str) -> None:
    """Refuse a file that is an exported run."""
    if name == _STDIN:
        return  # it cannot be read twice
    from callscore.history.exchange.run_files import open_run_file  # imports the whole history

    try:
        with open_run_file(name) as file:
            next(iter(file.records()))
    except (CallscoreError, StopIteration):
        return
    raise UnreadableInput(name, _EXPORTED.format(name=quote(name))) from None


def _add_result(outcomes: dict[str, list[CaseOutcome]], result: Result) -> CaseOutcome:
    """Add a result as a trial of the case with the same id, question and expectation.

    Returns the case with this trial only.
    """
    case, payload = result.case, case_payload(result.case)
    found = CaseOutcome(
        id=case.id,
        trials=(_trial_outcome(result),),
        tags=tuple(case.tags),
        expectation=expectation_digest(payload),
        asked=asked_digest(payload),
        expected=None if case.expected is UNSET else tuple(payload["expected"]),
    )
    same_id = outcomes.setdefault(case.id, [])
    for position, other in enumerate(same_id):
        if (other.asked, other.expectation) == (found.asked, found.expectation):
            same_id[position] = replace(other, trials=other.trials + found.trials)
            return found
    same_id.append(found)
    return found


def _trial_outcome(result: Result) -> TrialOutcome:
    case, score = result.case, result.score
    if result.failure is not None:
        return TrialOutcome(status="error", failure=result.failure.problem)
    calls = calls_digest([call_to_dict(call, exact=True) for call in case.actual or ()])
    if score is None:
        return TrialOutcome(status="not_scored", calls="" if case.actual is None else calls)
    return TrialOutcome(
        passed=score.passed,
        f1=score.f1,
        values=((FILE_SCORER, score.f1),),
        forbidden=len(score.forbidden),
        faults=None if score.faults is None else len(score.faults),
        tools=tool_outcomes(score),
        calls=calls,
    )
