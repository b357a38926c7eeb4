"""One case of a run with all that was kept of it: what was asked, expected, answered, and scored."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from callscore.core.call import ToolCall
from callscore.core.model import Score
from callscore.core.results import MetricValue
from callscore.core.run import FailureKind, Usage

__all__ = ["KeptCase", "KeptTrial"]


class KeptTrial(Struct, frozen=True, kw_only=True):
    """What became of one trial of a case.

    Attributes:
        number: which repetition it is, from 1 on.
        status: whether there is a score; `error` where there is no answer.
        passed: whether all scorers are content; None where none has a number.
        f1: the score of the calls; None where nothing is scored.
        score: how it comes about; None where there is none, or nobody can tell any more.
        comparison: what was kept of the pairs and the differences, as plain data.
        calls: the calls that were made.
        values: what each scorer says.
        failure: why there is no answer: a kind, and a sentence.
        answer: the answer as plain data; None where there is none.
        seconds: how long it took.
        usage: what it cost.
        attempts: how often it was tried.
        is_reused: whether the answer was there before.
    """

    number: int = 1
    status: Literal["scored", "error", "not_scored"] = "scored"
    passed: bool | None = None
    f1: float | None = None
    score: Score | None = None
    comparison: dict[str, Any] | None = None
    calls: tuple[ToolCall, ...] = ()
    values: tuple[MetricValue, ...] = ()
    failure: tuple[FailureKind, str] | None = None
    answer: Any = None
    seconds: float = 0.0
    usage: Usage = Usage()
    attempts: int = 1
    is_reused: bool = False


class KeptCase(Struct, frozen=True, kw_only=True):
    """A case of a run.

    Attributes:
        run: the run.
        evaluation: what the evaluation is called, with its variant.
        place: the file that it stands in.
        id: the id of the case.
        tags: its tags.
        input: what was asked.
        expected: what was expected, as a case file spells it; None where nothing was.
        metadata: what else was kept with it.
        at_least: the number from which a scorer is content.
        trials: what became of each trial, in order.
    """

    run: str
    evaluation: str
    place: str = ""
    id: str
    tags: tuple[str, ...] = ()
    input: Any = None
    expected: list[Any] | None = None
    metadata: Any = None
    at_least: float = 1.0
    trials: tuple[KeptTrial, ...] = ()
