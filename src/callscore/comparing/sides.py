"""What one run brings to a comparison: its evaluations, their cases, and what became of each."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from callscore.core.phrases import Note
from callscore.core.summary import ToolOutcome

__all__ = ["CaseOutcome", "EvaluationSide", "Side", "TrialOutcome"]


class TrialOutcome(Struct, frozen=True, gc=False, kw_only=True):
    """What became of one trial of a case.

    Attributes:
        status: whether there is a score; `error` where there is no answer.
        passed: whether all scorers are content; None where none has a number.
        f1: the score of its calls; None where nothing is scored.
        values: what each scorer says, by its name.
        forbidden: how many forbidden calls were made.
        faults: how many errors the tools' schemas find; None where they were not asked.
        tools: how the calls of each tool went; None where nobody has counted them.
        calls: a digest of the calls that were made; empty where nobody knows them.
        failure: why there is no answer, in a sentence; empty where there is one.
    """

    status: Literal["scored", "error", "not_scored"] = "scored"
    passed: bool | None = None
    f1: float | None = None
    values: tuple[tuple[str, float | None], ...] = ()
    forbidden: int = 0
    faults: int | None = None
    tools: dict[str, ToolOutcome] | None = None
    calls: str = ""
    failure: str = ""


class CaseOutcome(Struct, frozen=True, gc=False, kw_only=True):
    """What became of a case, in all its trials.

    Attributes:
        id: the id of the case.
        trials: what became of each, in order.
        tags: its tags.
        expectation: a digest of what is expected; empty where nothing is.
        asked: a digest of the rest of the case: its input, its tools.
    """

    id: str
    trials: tuple[TrialOutcome, ...]
    tags: tuple[str, ...] = ()
    expectation: str = ""
    asked: str = ""


class EvaluationSide(Struct, frozen=True, kw_only=True):
    """An evaluation of a run, under one variant.

    Attributes:
        name: what it is called.
        place: the file that it stands in, and its name there.
        variant: the variant; None where there is only one way to run it.
        cases: its cases, in order.
        settings: a digest of what decides the scores, the scorers included.
        below: the thresholds that it misses, each a sentence in every language.
    """

    name: str
    place: str = ""
    variant: str | None = None
    cases: tuple[CaseOutcome, ...] = ()
    settings: str = ""
    below: tuple[Note, ...] = ()

    @property
    def label(self) -> str:
        """The name, and the variant where there is one."""
        return self.name if self.variant is None else f"{self.name} [{self.variant}]"


class Side(Struct, frozen=True, kw_only=True):
    """A run, or a file of cases that were scored for this comparison.

    Attributes:
        label: what somebody called it: `main`, `latest~1`, `answers.jsonl`.
        run: the id of the run; empty for a file.
        command: what made it: `run`, `rescore`, `score` ...
        started_at: when, in seconds since 1970; None for a file.
        git_commit: the commit of the project; None outside of a repository.
        git_dirty: whether files had changed since.
        is_finished: whether it came to its end.
        evaluations: what was evaluated, in order.
    """

    label: str
    run: str = ""
    command: str = ""
    started_at: float | None = None
    git_commit: str | None = None
    git_dirty: bool | None = None
    is_finished: bool = True
    evaluations: tuple[EvaluationSide, ...] = ()
