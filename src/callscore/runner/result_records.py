"""Questions, answers and results as records of the history, and back."""

from __future__ import annotations

from time import time
from typing import TYPE_CHECKING, Any

import msgspec

from callscore.core.case import Case
from callscore.core.results import Answer, Failure, failure_kind
from callscore.core.settings import ArgumentRule
from callscore.engines import payloads
from callscore.engines.payloads import (
    PYTHON_KEY,
    function_payload,
    score_payload,
    settings_payload,
    tools_payload,
)
from callscore.errors import InvalidCall
from callscore.evaluations.scorers import SCORERS
from callscore.formats.case_sides import read_expected_side
from callscore.history.encoding import asked_digest, expectation_digest
from callscore.history.records import AnswerRecord, EvaluationRecord, ResultRecord
from callscore.runner.answers import make_failure, with_plain_expected
from callscore.words.plain_data import call_to_dict
from callscore.words.value_text import json_safe

if TYPE_CHECKING:
    from collections.abc import Mapping

    from callscore.core.results import Result
    from callscore.evaluations.evaluation import Evaluation, Question, Scorer

__all__ = [
    "answer_record",
    "case_from_payload",
    "evaluation_record",
    "given_settings",
    "plain_case_payload",
    "result_record",
    "stored_answer",
    "stored_failure",
    "stored_scorer_name",
    "stored_settings",
]


# What a run keeps, as the records of the history: plain data of which all can be scored again.


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
        scorers=tuple([stored_scorer_name(scorer) for scorer in evaluation.scorers]),
        thresholds=evaluation.thresholds,
        tools=tools_payload(evaluation.tools),
    )


def stored_scorer_name(scorer: Scorer) -> str:
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


def result_record(
    run: str, number: int, question: Question, result: Result, *, digest: str
) -> ResultRecord:
    """What is kept of what became of a question.

    Args:
        run: the run.
        number: the number of the evaluation in it.
        question: the question.
        result: its result.
        digest: the digest of the question.
    """
    answer, failure = result.answer, result.failure
    payload = plain_case_payload(question.case)  # as it was asked: scorers may have changed theirs
    about: dict[str, Any] = {
        "run": run,
        "evaluation": number,
        "case": question.case.id,
        "trial": question.trial,
        "status": result.status,
        "payload": payload,
        "expectation": expectation_digest(payload),
        "asked": asked_digest(payload),
        "question": digest,
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
    if failure is not None:
        told = (failure.kind, failure.problem)
        return ResultRecord(**{**about, "attempts": failure.attempts}, failure=told)
    return ResultRecord(
        **about,
        calls=[call_to_dict(call) for call in result.case.actual or ()],
        passed=result.passed,
        values=result.values,
        **score_payload(result.score),
    )


def plain_case_payload(case: Case) -> dict[str, Any]:
    """A case as a case file has it, with what it expects as an answer would have it."""
    return payloads.case_payload(with_plain_expected(case))


def case_from_payload(name: str, payload: Mapping[str, Any]) -> Case:
    """The case that was kept.

    Raises:
        InvalidCall: what it expects cannot be read any more: only Python can say it.
    """
    wanted = payload.get("expected")
    for item in wanted or ():
        if isinstance(item, dict) and PYTHON_KEY in item:
            raise InvalidCall(f"only Python can say what the case expects: {item[PYTHON_KEY]}")
    return Case(
        payload.get("input"),
        id=name,
        expected=None
        if wanted is None
        else read_expected_side(wanted, where=f"case {name}", spelled=True),
        tools=payload.get("tools"),
        tags=tuple(payload.get("tags") or ()),
        metadata=payload.get("metadata"),
    )


# What a run has kept, as the values that it was made of.

_TUPLE_SETTINGS = ("strip_prefix", "normalise_name", "effects")


def given_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings as somebody gave them, as plain data."""
    given: dict[str, Any] = json_safe(
        msgspec.to_builtins(dict(settings), enc_hook=function_payload)
    )
    return {"settings": given} if given else {}


def stored_settings(kept: Mapping[str, Any]) -> dict[str, Any]:
    """What was kept of settings, as the values that they are made of."""
    found = dict(kept)
    rules = found.pop("arguments", None) or ()
    found["arguments"] = tuple([msgspec.convert(rule, ArgumentRule) for rule in rules])
    for name in _TUPLE_SETTINGS:
        if isinstance(found.get(name), list):
            found[name] = tuple(found[name])
    return found


def stored_answer(found: AnswerRecord | ResultRecord) -> Answer | None:
    """The answer; None if there was none."""
    if found.answer is None:
        return None
    return Answer(
        document=found.answer,
        seconds=found.seconds,
        usage=found.usage,
        attempts=found.attempts,
        is_reused=True,
    )


def stored_failure(result: ResultRecord, question: Question) -> Failure:
    """Why there was no answer, as it was told then."""
    kind, problem = result.failure or ("raised", "there is no answer")
    return make_failure(question, failure_kind(kind), problem, attempts=result.attempts)
