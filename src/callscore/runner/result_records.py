"""What a run keeps, as the records of the history: plain data of which all can be scored again."""

from __future__ import annotations

from time import time
from typing import TYPE_CHECKING, Any

from callscore.core.export import call_to_dict
from callscore.core.model import Case
from callscore.engines import payloads
from callscore.engines.payloads import IN_PYTHON, settings_payload, tools_payload
from callscore.engines.score_payloads import score_payload
from callscore.errors import InvalidCall
from callscore.evaluations.scorers import SCORERS
from callscore.formats.sides import read_wanted
from callscore.history.digests import asked_digest, expectation_digest
from callscore.history.records import AnswerRecord, EvaluationRecord, ResultRecord
from callscore.runner.expecting import with_plain_expected

if TYPE_CHECKING:
    from collections.abc import Mapping

    from callscore.core.run import Answer, Result
    from callscore.evaluations.evaluation import Evaluation, Question, Scorer

__all__ = [
    "answer_record",
    "case_of_payload",
    "case_payload",
    "evaluation_record",
    "result_record",
    "scorer_name",
]


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


def result_record(
    run: str, number: int, question: Question, result: Result, *, digest: str
) -> ResultRecord:
    """What is kept of what became of a question.

    Args:
        run: the run.
        number: the number of the evaluation in it.
        question: the question.
        result: what became of it.
        digest: the digest of the question.
    """
    answer, failure = result.answer, result.failure
    payload = case_payload(question.case)  # as it was asked: scorers may have changed theirs
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


def case_payload(case: Case) -> dict[str, Any]:
    """A case as a case file has it, with what it expects as an answer would have it."""
    return payloads.case_payload(with_plain_expected(case))


def case_of_payload(name: str, payload: Mapping[str, Any]) -> Case:
    """The case that was kept.

    Raises:
        InvalidCall: what it expects cannot be read any more: only Python can say it.
    """
    wanted = payload.get("expected")
    for item in wanted or ():
        if isinstance(item, dict) and IN_PYTHON in item:
            raise InvalidCall(f"only Python can say what the case expects: {item[IN_PYTHON]}")
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
