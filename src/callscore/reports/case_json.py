"""One case of a run as JSON, with all that was kept of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import asdict

from callscore.core.export import call_to_dict, score_to_dict, value_to_dict
from callscore.core.plain import encode_json, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.core.kept_case import KeptCase, KeptTrial
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


def _trial(trial: KeptTrial, lang: Language) -> dict[str, Any]:
    kind, problem = trial.failure or (None, None)
    return {
        "trial": trial.number,
        "status": trial.status,
        "passed": trial.passed,
        "f1": trial.f1,
        "values": [value_to_dict(found) for found in trial.values],
        "calls": [call_to_dict(call) for call in trial.calls],
        "score": None if trial.score is None else score_to_dict(trial.score, lang=lang),
        "comparison": plain(trial.comparison),
        "answer": plain(trial.answer),
        "failure": None if kind is None else {"kind": kind, "problem": plain(problem)},
        "seconds": trial.seconds,
        "usage": asdict(trial.usage),
        "attempts": trial.attempts,
        "is_reused": trial.is_reused,
    }
