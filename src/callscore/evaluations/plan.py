"""What is going to be asked: of the evaluations that were found, the questions that are selected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from callscore.core.model import Case
from callscore.core.run import Unloaded
from callscore.core.totals import Notes
from callscore.errors import CallscoreError, InvalidEvaluation, UnreadableInput
from callscore.evaluations.case_reading import cases_of
from callscore.evaluations.doubts import doubts_about
from callscore.evaluations.evaluation import Evaluation, Question
from callscore.evaluations.keywords import keyword_filter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from callscore.core.results import Noted

__all__ = ["ALL", "Group", "Plan", "Selection", "Skipped", "plan"]


class Selection(Struct, frozen=True, kw_only=True):
    """Which of the questions to ask.

    Attributes:
        keyword: words that the name of the evaluation, the variant or the id of the case has
            inside, with `and`, `or`, `not` and brackets; empty for all.
        tags: a case needs one of these; none for all.
        limit: how many cases of each evaluation are asked at the most; None for all.
        last_failed: the questions that did not pass before, as (key of the evaluation, variant,
            case); None for all.
    """

    keyword: str = ""
    tags: tuple[str, ...] = ()
    limit: int | None = None
    last_failed: frozenset[tuple[str, str | None, str]] | None = None


ALL = Selection()


class Skipped(Struct, frozen=True):
    """A case that is left out on purpose, and why; the reason may be empty."""

    case: Case
    reason: str = ""


class Group(Struct, frozen=True, kw_only=True):
    """The questions of an evaluation under one of its variants.

    Attributes:
        evaluation: the evaluation.
        variant: the variant; None where there is only one way to run it.
        questions: what is asked, case by case, the trials of each together.
        left_out: the cases that say so, or whose evaluation does.
    """

    evaluation: Evaluation
    variant: str | None = None
    questions: Sequence[Question] = ()
    left_out: tuple[Skipped, ...] = ()

    @property
    def skipped(self) -> Noted:
        """The cases that are left out, counted, with the reasons where there are any."""
        notes = Notes()
        for each in self.left_out:
            notes.add(f"{each.case.id}: {each.reason}" if each.reason else each.case.id)
        return notes.noted()


class Plan(Struct, frozen=True, kw_only=True):
    """What is going to be asked.

    Attributes:
        groups: the questions, by evaluation and variant.
        unloaded: evaluations whose cases cannot be read.
        warnings: what looks like a mistake in what is asked, in sentences.
    """

    groups: tuple[Group, ...] = ()
    unloaded: tuple[Unloaded, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        """How many questions there are."""
        return sum(len(group.questions) for group in self.groups)


# An evaluation and its cases.
_Read = tuple[Evaluation, list[Case]]


def plan(
    evaluations: Iterable[Evaluation], selection: Selection = ALL, *, trials: int | None = None
) -> Plan:
    """Say what is going to be asked, in the order of the evaluations.

    Args:
        evaluations: the evaluations.
        selection: which of the questions to ask.
        trials: how often each case is asked; None for as often as its evaluation says.

    Raises:
        InvalidSettings: the keyword is no expression.
    """
    is_asked_for = _filter(selection)
    unloaded: list[Unloaded] = []
    read = list(_all_read(evaluations, unloaded))
    focus = _Focus(read)
    groups: list[Group] = []
    warnings: list[str] = []
    for evaluation, cases in read:
        found = []
        for variant in evaluation.variants or [None]:
            chosen = [
                case
                for case in cases
                if focus.has(evaluation, case) and is_asked_for(evaluation, variant, case)
            ]
            limited = _limited(evaluation, chosen, selection.limit)
            found.append(_group(evaluation, variant, limited, trials))
        groups += [group for group in found if group.questions or group.left_out]
        if any(group.questions for group in found):
            warnings += doubts_about(evaluation, cases)
    return Plan(groups=tuple(groups), unloaded=tuple(unloaded), warnings=tuple(warnings))


def _limited(evaluation: Evaluation, cases: list[Case], limit: int | None) -> list[Case]:
    """The first of the cases: so many as are asked, and those between them that are left out."""
    if limit is None or evaluation.skip:
        return cases
    asked = [place for place, case in enumerate(cases) if not case.skip]
    return cases if len(asked) <= limit else cases[: asked[limit]]


def _all_read(evaluations: Iterable[Evaluation], unloaded: list[Unloaded]) -> Iterator[_Read]:
    for evaluation in evaluations:
        try:
            yield evaluation, cases_of(evaluation)
        except (UnreadableInput, InvalidEvaluation) as error:
            if not evaluation.skip:  # what is left out may be broken: that may be why it is
                unloaded.append(Unloaded(error.place, error.problem))
        except CallscoreError as error:
            if not evaluation.skip:
                unloaded.append(Unloaded(evaluation.place, str(error)))


class _Focus:
    """What remains where some evaluations, or some cases, are to be run alone."""

    def __init__(self, read: list[_Read]) -> None:
        self._narrowed = {
            id(evaluation) for evaluation, cases in read if any(case.only for case in cases)
        }
        self._is_set = bool(self._narrowed) or any(evaluation.only for evaluation, _ in read)

    def has(self, evaluation: Evaluation, case: Case) -> bool:
        if not self._is_set:
            return True
        return case.only or (evaluation.only and id(evaluation) not in self._narrowed)


def _filter(selection: Selection) -> Callable[[Evaluation, str | None, Case], bool]:
    fits, tags = keyword_filter(selection.keyword), frozenset(selection.tags)
    failed = selection.last_failed

    def is_asked_for(evaluation: Evaluation, variant: str | None, case: Case) -> bool:
        if tags and tags.isdisjoint(case.tags):
            return False
        if failed is not None and (evaluation.key, variant, case.id) not in failed:
            return False
        return fits((evaluation.name, variant or "", case.id))

    return is_asked_for


def _group(
    evaluation: Evaluation, variant: str | None, cases: list[Case], trials: int | None
) -> Group:
    count = evaluation.trials if trials is None else trials
    asked = [case for case in cases if not (evaluation.skip or case.skip)]
    left_out = [case for case in cases if evaluation.skip or case.skip]
    return Group(
        evaluation=evaluation,
        variant=variant,
        questions=[
            Question(evaluation=evaluation, case=case, variant=variant, trial=trial, trials=count)
            for case in asked
            for trial in range(1, count + 1)
        ],
        left_out=tuple([Skipped(case, _reason(evaluation, case)) for case in left_out]),
    )


def _reason(evaluation: Evaluation, case: Case) -> str:
    why = case.skip or evaluation.skip
    return why if isinstance(why, str) else ""
