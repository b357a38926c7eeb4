"""Which trial of a case shows what is to be expected, and whether they agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.core.call_text import call_text
from callscore.core.text import clip
from callscore.history.digests import calls_digest
from callscore.rewriting import reasons
from callscore.rewriting.change import CannotRewrite

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from callscore.core.call import ToolCall
    from callscore.history.records import ResultRecord

    _CallsOf = Callable[[ResultRecord], Sequence[ToolCall]]

__all__ = ["is_exact", "is_right", "observed_trial"]

_WIDTH = 100
_NO_COUNTS = (0, 0, 0, 0, 1, 0, 0)


def is_exact(result: ResultRecord) -> bool:
    """Whether just what is expected was called."""
    correct, _, _, _, expected, actual, forbidden = result.counts or _NO_COUNTS
    return correct == expected == actual and not forbidden


def is_right(result: ResultRecord) -> bool:
    """Whether nothing is to be changed for it: just what is expected was called, and it passed."""
    return result.passed is not False and is_exact(result)


def observed_trial(
    trials: Sequence[ResultRecord], wanted: int | None, calls_of: _CallsOf
) -> ResultRecord | None:
    """The result whose calls are to be expected; None where nothing is to be changed.

    Args:
        trials: what became of all trials of a case.
        wanted: the number of the one that counts; None where all that have a score must agree.
        calls_of: the calls of a result.

    Raises:
        CannotRewrite: the trials disagree, or the one that counts has no score.
    """
    answered = [trial for trial in trials if trial.status == "scored"]
    if all(map(is_right, answered)):
        return None
    if wanted is not None:
        answered = [trial for trial in answered if trial.trial == wanted]
        if not answered:
            raise CannotRewrite(reasons.NO_TRIAL, trial=wanted)
    by_calls: dict[str, list[ResultRecord]] = {}
    for trial in answered:
        by_calls.setdefault(calls_digest(trial.calls), []).append(trial)
    if len(by_calls) > 1:
        raise _disagreement(list(by_calls.values()), calls_of)
    first = answered[0]
    return None if is_right(first) else first


def _disagreement(groups: list[list[ResultRecord]], calls_of: _CallsOf) -> CannotRewrite:
    told = []
    for trials in groups:
        numbers = ", ".join(str(trial.trial) for trial in trials)
        calls = ", ".join(call_text(call, limit=_WIDTH) for call in calls_of(trials[0]))
        told.append(f"{numbers}: {clip(calls, _WIDTH) or '[]'}")
    return CannotRewrite(reasons.DISAGREE, trials="; ".join(told))
