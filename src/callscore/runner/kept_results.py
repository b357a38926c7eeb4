"""What a run has kept, as the values that it was made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from callscore.core.argument_rules import ArgumentRule
from callscore.core.plain import plain
from callscore.core.run import Answer, Failure, failure_kind
from callscore.engines.payloads import function_payload
from callscore.runner.failures import failure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from callscore.evaluations.evaluation import Question
    from callscore.history.records import AnswerRecord, ResultRecord

__all__ = ["kept_answer", "kept_failure", "kept_settings", "told_settings"]

_LISTS = ("strip_prefix", "normalise_name", "effects")


def told_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings as somebody gave them, as plain data."""
    given: dict[str, Any] = plain(msgspec.to_builtins(dict(settings), enc_hook=function_payload))
    return {"settings": given} if given else {}


def kept_settings(kept: Mapping[str, Any]) -> dict[str, Any]:
    """What was kept of settings, as the values that they are made of."""
    found = dict(kept)
    rules = found.pop("arguments", None) or ()
    found["arguments"] = tuple([msgspec.convert(rule, ArgumentRule) for rule in rules])
    for name in _LISTS:
        if isinstance(found.get(name), list):
            found[name] = tuple(found[name])
    return found


def kept_answer(found: AnswerRecord | ResultRecord) -> Answer | None:
    """The answer; None where there was none."""
    if found.answer is None:
        return None
    return Answer(
        document=found.answer,
        seconds=found.seconds,
        usage=found.usage,
        attempts=found.attempts,
        is_reused=True,
    )


def kept_failure(result: ResultRecord, question: Question) -> Failure:
    """Why there was no answer, as it was told then."""
    kind, problem = result.failure or ("raised", "there is no answer")
    return failure(question, failure_kind(kind), problem, attempts=result.attempts)
