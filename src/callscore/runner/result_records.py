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


def evaluation_record(
    run: str, number: int, evaluation: Evaluation, variant: str | None
) -> EvaluationRecord:
    """The record of an evaluation under one variant."""
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
    """The stored name of a scorer; `name()` for a function with the name of a built-in one."""
    own = SCORERS.get(scorer.name)
    return scorer.name if own is None or own is scorer.function else f"{scorer.name}()"


def answer_record(
    run: str, question: Question, digests: tuple[str, str], answer: Answer
) -> AnswerRecord:
    """The record of an answer.

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
    """The record of a result.

    Args:
        run: the run.
        number: the number of the evaluation in it.
        question: the question.
        result: its result.
        digest: the digest of the question.
    """
    answer, failure = result.answer, result.failure
    payload = plain_case_payload(
        question.case
    )  # of the question: scorers may have changed their copy
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
        text = (failure.kind, failure.problem)
        return ResultRecord(**{**about, "attempts": failure.attempts}, failure=text)
    return ResultRecord(
        **about,
        calls=[call_to_dict(call) for call in result.case.actual or ()],
        passed=result.passed,
        values=result.values,
        **score_payload(result.score),
    )


def plain_case_payload(case: Case) -> dict[str, Any]:
    """A case as in a case file, with its expected calls as plain data."""
    return payloads.case_payload(with_plain_expected(case))


def case_from_payload(name: str, payload: Mapping[str, Any]) -> Case:
    """The case of a stored payload.

    Raises:
        InvalidCall: only Python can express what it expects.
    """
    expected = payload.get("expected")
    for item in expected or ():
        if isinstance(item, dict) and PYTHON_KEY in item:
            raise InvalidCall(f"only Python can say what the case expects: {item[PYTHON_KEY]}")
    return Case(
        payload.get("input"),
        id=name,
        expected=None
        if expected is None
        else read_expected_side(expected, where=f"case {name}", spelled=True),
        tools=payload.get("tools"),
        tags=tuple(payload.get("tags") or ()),
        metadata=payload.get("metadata"),
    )


# --- records back to values -------------------------------------------------------------------

_TUPLE_SETTINGS = ("strip_prefix", "normalise_name", "effects")


def given_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The given settings as plain data."""
    given: dict[str, Any] = json_safe(
        msgspec.to_builtins(dict(settings), enc_hook=function_payload)
    )
    return {"settings": given} if given else {}


def stored_settings(kept: Mapping[str, Any]) -> dict[str, Any]:
    """Stored settings as keyword arguments."""
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
    """The stored failure of a question."""
    kind, problem = result.failure or ("raised", "there is no answer")
    return make_failure(question, failure_kind(kind), problem, attempts=result.attempts)
