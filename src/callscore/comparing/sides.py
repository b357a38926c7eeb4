"""One side of a comparison: a run, its evaluations, and the outcome of each case."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from callscore.core.phrases import Note
from callscore.core.summary import ToolOutcome

__all__ = ["CaseOutcome", "EvaluationSide", "Side", "TrialOutcome"]


class TrialOutcome(Struct, frozen=True, gc=False, kw_only=True):
    """The result of one trial of a case.

    Attributes:
        status: whether there is a score; `error` where there is no answer.
        passed: whether all scorers pass; None if none has a number.
        f1: the score of its calls; None if nothing is scored.
        values: the value of each scorer, by its name.
        forbidden: how many forbidden calls were made.
        faults: how many errors the tools' schemas find; None if they were not asked.
        tools: the counts of each tool; None if they were not counted.
        calls: a digest of the calls that were made; empty if unknown.
        failure: why there is no answer, in a sentence; empty if there is one.
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
    """The result of a case, in all its trials.

    Attributes:
        id: the id of the case.
        trials: what became of each, in order.
        tags: its tags.
        expectation: a digest of what is expected; empty if nothing is.
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
        name: its name.
        place: its file, and its name there.
        variant: the variant; None if it has no variants.
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
        label: the name that the user typed: `main`, `latest~1`, `answers.jsonl`.
        run: the id of the run; empty for a file.
        command: the command that made it: `run`, `rescore`, `score` ...
        started_at: seconds since 1970; None for a file.
        git_commit: the commit of the project; None outside of a repository.
        git_dirty: whether files had changed since.
        is_finished: whether it finished.
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
