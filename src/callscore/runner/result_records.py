"""What a run keeps, as the records of the history: plain data of which all can be scored again."""

from __future__ import annotations

from time import time
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from callscore.core.export import call_to_dict, tool_to_dict
from callscore.core.model import Case
from callscore.core.outcome import outcome_of
from callscore.core.plain import plain
from callscore.core.run import Failure
from callscore.core.spelling import spell_expected
from callscore.core.text import repr_text
from callscore.engines.definitions import Definitions
from callscore.errors import CallscoreError, InvalidCall
from callscore.evaluations.evaluation import Answer, Question, Scored
from callscore.evaluations.scorers import SCORERS
from callscore.formats.sides import read_wanted
from callscore.history.records import AnswerRecord, EvaluationRecord, ResultRecord
from callscore.models.judging import Judge
from callscore.runner.expecting import with_plain_expected

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from callscore.core.model import Score
    from callscore.core.run import EvaluationResults
    from callscore.core.settings import Settings
    from callscore.core.tool import Tool
    from callscore.evaluations.evaluation import Evaluation, Scorer

__all__ = [
    "JUDGE",
    "Finished",
    "answer_record",
    "case_of_payload",
    "case_payload",
    "evaluation_record",
    "function_payload",
    "result_record",
    "scorer_name",
    "settings_payload",
    "summary_payload",
    "tools_payload",
]

# What a judge is made of; the key itself is in the environment.
JUDGE = ("model", "base_url", "key_variable")

# Where the expectation stands that no file can spell.
_IN_PYTHON = "python"

# What functions, objects of an SDK and files say of tools, read once.
_definitions = Definitions()


def evaluation_record(
    run: str, number: int, evaluation: Evaluation, variant: str | None
) -> EvaluationRecord:
    """What is kept of an evaluation under one variant."""
    return EvaluationRecord(
        run=run,
        number=number,
        name=evaluation.name,
        variant=variant,
        place=evaluation.key,
        settings=settings_payload(evaluation.settings),
        scorers=tuple([scorer_name(scorer) for scorer in evaluation.scorers]),
        thresholds=evaluation.thresholds,
        tools=tools_payload(evaluation.tools),
    )


def scorer_name(scorer: Scorer) -> str:
    """What a scorer is kept under: its name; a function that is called like one of our own is told from it."""
    own = SCORERS.get(scorer.name)
    return scorer.name if own is None or own is scorer.function else f"{scorer.name}()"


def answer_record(
    run: str, question: Question, digests: tuple[str, str], answer: Answer
) -> AnswerRecord:
    """What is kept of an answer.

    Args:
        run: the run that asked.
        question: the question.
        digests: of the question, and of the text of its task.
        answer: the answer.
    """
    digest, source = digests
    return AnswerRecord(
        question=digest,
        source=source,
        trial=question.trial,
        answer=answer.document,
        seconds=answer.seconds,
        usage=answer.usage,
        attempts=answer.attempts,
        asked_at=time(),
        run=run,
    )


class Finished(Struct, frozen=True):
    """What became of a question.

    Attributes:
        question: the question.
        digest: its digest.
        outcome: its scores, or why there are none.
        answer: the answer, where there is one.
    """

    question: Question
    digest: str
    outcome: Scored | Failure
    answer: Answer | None


def result_record(run: str, number: int, finished: Finished) -> ResultRecord:
    """What is kept of what became of a question.

    Args:
        run: the run.
        number: the number of the evaluation in it.
        finished: the question, and what became of it.
    """
    question, outcome, answer = finished.question, finished.outcome, finished.answer
    about: dict[str, Any] = {
        "run": run,
        "evaluation": number,
        "case": question.case.id,
        "trial": question.trial,
        "payload": case_payload(question.case),
        "question": finished.digest,
        "finished_at": time(),
    }
    if answer is not None:
        about |= {
            "answer": answer.document,
            "seconds": answer.seconds,
            "usage": answer.usage,
            "attempts": answer.attempts,
            "is_reused": answer.is_reused,
        }
    if isinstance(outcome, Failure):
        told = (outcome.kind, outcome.problem)
        return ResultRecord(**{**about, "attempts": outcome.attempts}, status="error", failure=told)
    return ResultRecord(
        **about,
        status="not_scored" if outcome.score is None else "scored",
        calls=[call_to_dict(call) for call in outcome.case.actual or ()],
        f1=None if outcome.score is None else outcome.score.f1,
        counts=() if outcome.score is None else _counts(outcome.score),
        passed=outcome.passed,
        values=outcome.values,
    )


def _counts(score: Score) -> tuple[int, ...]:
    """Correct, incorrect, missed, extra, expected, actual, forbidden."""
    correct, expected, actual, forbidden = outcome_of(score)
    incorrect = len(score.other_incorrect)
    paired = correct + incorrect
    return correct, incorrect, expected - paired, actual - paired, expected, actual, forbidden


def case_payload(case: Case) -> dict[str, Any]:
    """A case as a case file has it, without what is kept beside it."""
    payload: dict[str, Any] = {}
    for field in ("input", "metadata"):
        value = getattr(case, field)
        if value is not None:
            payload[field] = plain(value)
    if case.tools is not None:
        payload["tools"] = _own_tools(case)
    if case.tags:
        payload["tags"] = list(case.tags)
    if case.expected is not None:
        expected = with_plain_expected(case).expected or ()
        payload["expected"] = [_spelled(item) for item in expected]
    return payload


def case_of_payload(name: str, payload: Mapping[str, Any]) -> Case:
    """The case that was kept.

    Raises:
        InvalidCall: what it expects cannot be read any more: only Python can say it.
    """
    wanted = payload.get("expected")
    for item in wanted or ():
        if isinstance(item, dict) and _IN_PYTHON in item:
            raise InvalidCall(f"only Python can say what the case expects: {item[_IN_PYTHON]}")
    return Case(
        payload.get("input"),
        id=name,
        expected=None
        if wanted is None
        else read_wanted(wanted, where=f"case {name}", spelled=True),
        tools=payload.get("tools"),
        tags=tuple(payload.get("tags") or ()),
        metadata=payload.get("metadata"),
    )


def _spelled(item: Any) -> Any:
    try:
        return plain(spell_expected(item))
    except (InvalidCall, RecursionError):  # no file can say it; the run keeps what it looks like
        return {_IN_PYTHON: plain(repr_text(item))}


def _own_tools(case: Case) -> Any:
    """The tools that a case brings: as they are where that is data, else what they say of themselves."""
    tools = plain(case.tools)
    if tools == case.tools:
        return tools
    try:
        return tools_payload(_definitions.of(case.tools, f"case {case.id}"))
    except CallscoreError:  # nothing was scored by them, either
        return tools


def settings_payload(settings: Settings) -> dict[str, Any]:
    """Settings as plain data: of a judge what it is made of, of other functions the names."""
    found: dict[str, Any] = plain(msgspec.to_builtins(settings, enc_hook=function_payload))
    return found


def function_payload(function: Any) -> Any:
    """A function as plain data: of a judge what it is made of, of any other the name."""
    if isinstance(function, Judge):
        return {name: getattr(function, name) for name in JUDGE}
    named = function if hasattr(function, "__qualname__") else type(function)
    return f"{named.__module__}.{named.__qualname__}"


def tools_payload(tools: Mapping[str, Tool] | None) -> list[dict[str, Any]] | None:
    """The definitions of the tools as plain data."""
    return None if tools is None else [tool_to_dict(tool) for tool in tools.values()]


def summary_payload(results: Sequence[EvaluationResults]) -> dict[str, Any]:
    """What evaluations come to, in the counts that a list of runs shows."""
    summed = ("answered", "passed", "undecided", "errors", "reused")
    counts: dict[str, Any] = {name: sum(getattr(each, name) for each in results) for name in summed}
    counts["skipped"] = sum(each.skipped.count for each in results)
    counts["forbidden"] = sum(each.results.summary.forbidden_cases for each in results)
    tokens = [each.usage for each in results]
    counts["requests"] = sum(usage.requests for usage in tokens)
    counts["input_tokens"] = sum(usage.input_tokens for usage in tokens)
    counts["output_tokens"] = sum(usage.output_tokens for usage in tokens)
    if len(results) == 1:
        only = results[0]
        counts["seconds"] = only.seconds
        counts["macro_f1"] = only.results.summary.macro_f1 if only.results.summary.cases else None
        counts["scorers"] = [
            {
                "name": scorer.name,
                "mean": scorer.mean,
                "scored": scorer.scored,
                "passed": scorer.passed,
                "threshold": scorer.threshold,
            }
            for scorer in only.scorers
        ]
    return counts
