"""What one pytest item reports to the process that sums up, which may be another one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from callscore.core.case import Case
from callscore.core.rendering import safe_repr
from callscore.core.results import Answer, Failure, JudgeCounts, MetricValue, Result
from callscore.core.settings import DEFAULT, Settings
from callscore.rewriting.change import Change
from callscore.words.value_text import encode_json

if TYPE_CHECKING:
    from callscore.evaluations.evaluation import Question

__all__ = [
    "EvaluationKey",
    "ItemRecord",
    "decode_record",
    "encode_record",
    "evaluation_key",
    "has_changes",
    "record_in",
    "settings_from_key",
]


# The settings that are plain data.
_NOT_PLAIN = frozenset({"arguments", "similarity", "judge"})


class EvaluationKey(Struct, frozen=True, kw_only=True):
    """Whose answer it is.

    Attributes:
        name: the evaluation.
        place: the file that it stands in.
        variant: the variant; None where there is none.
        settings: those that are not as by default.
        thresholds: what the mean of each scorer must reach; every scorer is named.
    """

    name: str
    place: str
    variant: str | None
    settings: dict[str, Any]
    thresholds: dict[str, float | None]


class ItemRecord(Struct, frozen=True, kw_only=True):
    """What a test tells: what became of a question, where it is one, and what is to be rewritten.

    Attributes:
        about: whose question it is; None for a test that is no question.
        case: the id of the case.
        trial: which repetition it is; None where there is only one.
        answer: what the answer cost, without the document.
        values: what the scorers say.
        passed: whether they are all content; None where none has a number.
        failure: why there is no answer; None where there is one.
        skipped: why it was not asked; None where it was.
        judges: what models were asked as judges of it.
        changes: expectations to rewrite.
        confirmed: the locations whose expectations hold.
    """

    about: EvaluationKey | None = None
    case: str = ""
    trial: int | None = None
    answer: Answer = Answer()
    values: tuple[MetricValue, ...] = ()
    passed: bool | None = None
    failure: Failure | None = None
    skipped: str | None = None
    judges: tuple[JudgeCounts, ...] = ()
    changes: tuple[Change, ...] = ()
    confirmed: tuple[str, ...] = ()

    @property
    def result(self) -> Result:
        """What became of the question, as far as it is known."""
        return Result(
            case=Case(id=self.case, trial=self.trial),
            status="not_scored" if self.failure is None else "error",
            answer=self.answer,
            values=self.values,
            passed=self.passed,
            failure=self.failure,
        )


def evaluation_key(question: Question) -> EvaluationKey:
    """Whose question it is, as plain data."""
    evaluation = question.evaluation
    settings = {
        name: getattr(evaluation.settings, name)
        for name in Settings.__struct_fields__
        if name not in _NOT_PLAIN and getattr(evaluation.settings, name) != getattr(DEFAULT, name)
    }
    return EvaluationKey(
        name=evaluation.name,
        place=evaluation.place,
        variant=question.variant,
        settings=settings,
        thresholds={each.name: evaluation.thresholds.get(each.name) for each in evaluation.scorers},
    )


def settings_from_key(whose: EvaluationKey) -> Settings:
    """The settings, as far as plain data can say them."""
    lists = {
        name: tuple(value) for name, value in whose.settings.items() if isinstance(value, list)
    }
    return Settings(**{**whose.settings, **lists})


def encode_record(record: ItemRecord) -> str:
    """As text, which travels between processes; what is no data becomes its description."""
    try:
        return msgspec.json.encode(record, enc_hook=safe_repr).decode()
    except UnicodeEncodeError:  # a half of a character, in what somebody else has written
        return encode_json(msgspec.to_builtins(record, enc_hook=safe_repr)).decode()


def decode_record(text: str) -> ItemRecord:
    """The record in a text."""
    return msgspec.json.decode(text, type=ItemRecord)


_ATTRIBUTE = "callscore"  # of a report


def record_in(report: Any) -> str | None:
    """What a report takes along; None where it has nothing."""
    text: str | None = getattr(report, _ATTRIBUTE, None)
    return text


def has_changes(report: Any) -> bool:
    """Whether a test passes only because what it expects is going to be rewritten."""
    text = record_in(report)
    return (
        report.when == "call"
        and report.passed
        and text is not None
        and bool(decode_record(text).changes)
    )
