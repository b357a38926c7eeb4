"""One case of a run as JSON, with all that was kept of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import asdict

from callscore.core.export import call_to_dict, score_to_dict, value_to_dict
from callscore.core.plain import encode_json, plain
from callscore.core.run import Answer, KeptScore

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.core.kept_case import KeptCase
    from callscore.core.run import Result
    from callscore.core.wording import Language

__all__ = ["write"]


def write(cases: Sequence[KeptCase], *, lang: Language = "en") -> str:
    """An array with an object an evaluation that has the case; the keys are always English."""
    document = encode_json([_case(case, lang) for case in cases])
    return msgspec.json.format(document, indent=2).decode() + "\n"


def _case(case: KeptCase, lang: Language) -> dict[str, Any]:
    return {
        "run": plain(case.run),
        "evaluation": plain(case.evaluation),
        "place": plain(case.place),
        "id": plain(case.id),
        "tags": plain(case.tags),
        "input": plain(case.input),
        "expected": plain(case.expected),
        "metadata": plain(case.metadata),
        "trials": [_trial(trial, lang) for trial in case.trials],
    }


def _trial(trial: Result, lang: Language) -> dict[str, Any]:
    answer, kept, failure = trial.answer or Answer(), trial.kept or KeptScore(), trial.failure
    return {
        "trial": trial.case.trial,
        "status": trial.status,
        "passed": trial.passed,
        "f1": kept.f1,
        "values": [value_to_dict(found) for found in trial.values],
        "calls": [call_to_dict(call) for call in trial.case.actual or ()],
        "score": None if trial.score is None else score_to_dict(trial.score, lang=lang),
        "comparison": plain(kept.comparison),
        "answer": plain(answer.document),
        "failure": None
        if failure is None
        else {"kind": failure.kind, "problem": plain(failure.problem)},
        "seconds": answer.seconds,
        "usage": asdict(answer.usage),
        "attempts": answer.attempts,
        "is_reused": answer.is_reused,
    }
