"""Scores a file of cases, as one side of a comparison."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from os import PathLike, fspath
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from msgspec import UNSET
from msgspec.structs import replace

from callscore.comparing.sides import CaseOutcome, EvaluationSide, Side, TrialOutcome
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
    from callscore.core.settings import Settings

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


def side_of_file(
    path: str | PathLike[str],
    settings: Settings,
    *,
    expected: str | PathLike[str] | None = None,
    on_result: OnResult | None = None,
) -> Side:
    """Score a file of cases, as one side of a comparison.

    Records with the same id are trials of one case if they ask and expect the same; otherwise they
    are several cases. The trial of a case with an expectation and without an answer failed.

    Args:
        path: cases with both sides, or with `expected` only traces; `-` is standard input.
        settings: the settings of the scores.
        expected: the file of references, if it is another.
        on_result: called with each result, as soon as it is scored, and the case of this one trial.

    Raises:
        UnreadableInput: the file cannot be read, there is no case in it, or none with both what is
            expected and an answer; or it is an evaluation, or an exported run.
        ModelFailed: a judge gave no answer.
        MissingExtra: the file needs an optional dependency.
    """
    name, references = fspath(path), None if expected is None else fspath(expected)
    for given in (name, references or ""):
        if is_url(given):
            raise UnreadableInput(without_credentials(given), _URL)
    outcomes: dict[str, dict[tuple[str, str], CaseOutcome]] = {}  # by id

    def take(result: Result) -> None:
        found = _outcome(result)
        same_id, asks = outcomes.setdefault(found.id, {}), (found.asked, found.expectation)
        known = same_id.get(asks)
        same_id[asks] = (
            found if known is None else replace(known, trials=known.trials + found.trials)
        )
        if on_result is not None:
            on_result(found, result)

    hooks = ScoreHooks(on_result=take)
    try:
        if references is None:
            score_files(name, settings=settings, show="none", hooks=hooks)
        else:
            score_joined(references, name, settings=settings, show="none", hooks=hooks)
    except UnreadableInput:
        _refuse_exported(name)
        raise
    cases = tuple([case for same_id in outcomes.values() for case in same_id.values()])
    _require_scores({trial.status for case in cases for trial in case.trials}, name, references)
    options = settings_payload(settings)
    evaluation = EvaluationSide(
        name=file_evaluation_name(name),
        place=project_path(name),
        cases=cases,
        settings=settings_digest(options, [FILE_SCORER]),
        options={**options, "scorers": [FILE_SCORER], "fail_under": {}},
    )
    return Side(label=name, command="score", evaluations=(evaluation,))


def _require_scores(found: Collection[str], name: str, expected: str | None) -> None:
    """Refuse a file without anything to compare, given the status of each of its trials."""
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


def _outcome(result: Result) -> CaseOutcome:
    """The outcome of a case, of which this is the only trial."""
    case, score, payload = result.case, result.score, case_payload(result.case)
    calls = calls_digest([call_to_dict(call, exact=True) for call in case.actual or ()])
    if result.failure is not None:
        trial = TrialOutcome(status="error", failure=result.failure.problem)
    elif score is None:
        trial = TrialOutcome(status="not_scored", calls="" if case.actual is None else calls)
    else:
        trial = TrialOutcome(
            passed=score.passed,
            f1=score.f1,
            values=((FILE_SCORER, score.f1),),
            forbidden=len(score.forbidden),
            faults=None if score.faults is None else len(score.faults),
            tools=tool_outcomes(score),
            calls=calls,
        )
    return CaseOutcome(
        id=case.id,
        trials=(trial,),
        tags=tuple(case.tags),
        expectation=expectation_digest(payload),
        asked=asked_digest(payload),
        expected=None if case.expected is UNSET else tuple(payload["expected"]),
    )
