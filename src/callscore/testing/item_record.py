"""The record of a pytest item, which is sent to the process that sums up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from callscore.core.case import Case
from callscore.core.rendering import safe_repr
from callscore.core.results import Answer, Failure, JudgeCounts, MetricValue, Result, Status
from callscore.core.settings import DEFAULT, Settings
from callscore.rewriting.change import Change
from callscore.words.value_text import encode_json

if TYPE_CHECKING:
    from callscore.evaluations.evaluation import Question

__all__ = [
    "REPORT_ATTRIBUTE",
    "EvaluationKey",
    "ItemRecord",
    "decode_record",
    "encode_record",
    "evaluation_key",
    "has_changes",
    "record_in",
    "settings_from_key",
]


# The attribute of a pytest report that has the record.
REPORT_ATTRIBUTE = "callscore"
# The settings that are not plain data.
_NOT_PLAIN = frozenset({"arguments", "similarity", "judge"})


class EvaluationKey(Struct, frozen=True, kw_only=True):
    """An evaluation and its variant, as plain data."""

    name: str
    place: str
    variant: str | None
    settings: dict[str, Any]  # those that differ from the defaults
    fail_under: dict[str, float | None]  # of every scorer


class ItemRecord(Struct, frozen=True, kw_only=True):
    """The result of a question, if the test is one, and the expectations to rewrite."""

    about: EvaluationKey | None = None  # None for other tests
    case: str = ""
    trial: int | None = None  # None if there is only one
    answer: Answer = Answer()  # without its document
    values: tuple[MetricValue, ...] = ()
    status: Status = "error"
    passed: bool | None = None  # whether all scorers pass; None if none has a number
    failure: Failure | None = None  # why there is no answer
    skipped: str | None = None  # why it was not asked
    judges: tuple[JudgeCounts, ...] = ()
    changes: tuple[Change, ...] = ()
    confirmed: tuple[str, ...] = ()  # the locations of correct expectations

    @property
    def result(self) -> Result:
        """The result of the question, as far as it is known."""
        return Result(
            case=Case(id=self.case, trial=self.trial),
            status=self.status,
            answer=self.answer,
            values=self.values,
            passed=self.passed,
            failure=self.failure,
        )


def evaluation_key(question: Question) -> EvaluationKey:
    """The evaluation of a question, as plain data."""
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
        fail_under={each.name: evaluation.fail_under.get(each.name) for each in evaluation.scorers},
    )


def settings_from_key(key: EvaluationKey) -> Settings:
    """The settings, as far as they are plain data."""
    lists = {name: tuple(value) for name, value in key.settings.items() if isinstance(value, list)}
    return Settings(**{**key.settings, **lists})


def encode_record(record: ItemRecord) -> str:
    """Encode a record as text; objects that are not data become their repr."""
    try:
        return msgspec.json.encode(record, enc_hook=safe_repr).decode()
    except UnicodeEncodeError:  # a lone surrogate in foreign text
        return encode_json(msgspec.to_builtins(record, enc_hook=safe_repr)).decode()


def decode_record(text: str) -> ItemRecord:
    """The record in a text."""
    return msgspec.json.decode(text, type=ItemRecord)


def record_in(report: Any) -> str | None:
    """The encoded record of a report; None if it has none."""
    text: str | None = getattr(report, REPORT_ATTRIBUTE, None)
    return text


def has_changes(report: Any) -> bool:
    """Whether a test passes only because its expectation will be rewritten."""
    text = record_in(report)
    return (
        report.when == "call"
        and report.passed
        and text is not None
        and bool(decode_record(text).changes)
    )
