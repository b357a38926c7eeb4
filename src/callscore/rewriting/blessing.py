"""Which expectations of a run become what was observed, and why others do not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from callscore.core.scoring import score_calls
from callscore.engines.payloads import IN_PYTHON
from callscore.errors import CallscoreError
from callscore.evaluations.keywords import Fits, keyword_filter
from callscore.formats.sides import read_wanted
from callscore.history.digests import expectation_digest
from callscore.models.secrets import HIDDEN
from callscore.rewriting.applying import place_of
from callscore.rewriting.change import CannotRewrite, Change
from callscore.rewriting.contests import Content, Wish, contested
from callscore.rewriting.spots import change_at, expectation_at, key_of
from callscore.rewriting.trials import is_exact, is_right, observed_trial

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from callscore.core.call import ToolCall
    from callscore.core.expectation import Expected
    from callscore.core.model import Case, Score
    from callscore.history.records import EvaluationRecord, ResultRecord
    from callscore.rewriting.standing import Standing, Standings

__all__ = ["Blessed", "Blessings", "KeptRun", "Unblessed", "blessings"]

_WIDTH = 100

_CHANGED = "what it expects has changed since the run. Run it again, then bless that."
_ONLY_PYTHON = "only Python can say what it expects. Change it there."
_UNTOLD = "how its calls compare with what is expected can be told no more. Run it again."
_ANOTHER = "its calls are as expected; it is another scorer that is not content."
_A_SECRET = f"a secret was taken out of its calls ({HIDDEN} is kept). Write it by hand."


class KeptRun(NamedTuple):
    """What is known of a run.

    Attributes:
        evaluations: what it evaluated.
        results: what became of each question.
        score_of: makes the score of a result anew; None where nobody can tell it.
        payload_of: a case as the history keeps it.
        calls_of: the calls of a result.
        untold: what is raised where something would have to be asked that was never asked.
    """

    evaluations: Sequence[EvaluationRecord]
    results: Iterable[ResultRecord]
    score_of: Callable[[ResultRecord], Score | None]
    payload_of: Callable[[Case], dict[str, Any]]
    calls_of: Callable[[ResultRecord], Sequence[ToolCall]]
    untold: tuple[type[Exception], ...] = ()


class Blessed(NamedTuple):
    """An expectation that is to become what was observed.

    Attributes:
        change: what is to be written.
        score: how the calls that were made compare with what is expected now.
    """

    change: Change
    score: Score


class Unblessed(NamedTuple):
    """A case that stays as it is.

    Attributes:
        label: what it is called where people see it.
        problem: why, in a sentence.
    """

    label: str
    problem: str


class Blessings(Struct, frozen=True, kw_only=True):
    """What a run would have written.

    Attributes:
        changes: what is to be written.
        refused: what is not, and why.
        unanswered: the cases that were not answered, of which nothing can be said.
        cases: how many cases were looked at.
    """

    changes: tuple[Blessed, ...] = ()
    refused: tuple[Unblessed, ...] = ()
    unanswered: tuple[str, ...] = ()
    cases: int = 0


class _Kept(NamedTuple):
    """All trials of a case, under one variant."""

    record: EvaluationRecord
    trials: list[ResultRecord]

    @property
    def label(self) -> str:
        case, variant = self.trials[0].case, self.record.variant
        return f"{self.record.name}[{case if variant is None else f'{variant}-{case}'}]"

    @property
    def identity(self) -> tuple[str, str]:
        """By what a case that other variants and evaluations have, too, is suspected to be the same."""
        return self.trials[0].case, expectation_digest(self.trials[0].payload)

    def fits(self, fits: Fits) -> bool:
        return fits((self.record.name, self.record.variant or "", self.trials[0].case))


def blessings(
    run: KeptRun, standings: Standings, root: Path, *, keyword: str = "", trial: int | None = None
) -> Blessings:
    """Find out which expectations are to become what was observed.

    Args:
        run: what is known of the run.
        standings: finds its cases again.
        root: files outside of this folder are never written.
        keyword: words that the name of the evaluation, the variant or the id of the case has inside,
            with `and`, `or`, `not` and brackets; empty for all.
        trial: which trial is taken where a case was asked several times; None where all must agree.

    Raises:
        InvalidSettings: the keyword is no such expression.
    """
    fits = keyword_filter(keyword)
    kept = _grouped(run)
    chosen = [each for each in kept if each.fits(fits)]
    blessing = _Blessing(run, standings, root, trial)
    for each in chosen:
        blessing.take(each)
    blessing.ask_others(kept)
    return blessing.blessings(len(chosen))


def _grouped(run: KeptRun) -> list[_Kept]:
    records = {record.number: record for record in run.evaluations}
    found: dict[tuple[int, str], _Kept] = {}
    for result in run.results:
        key = result.evaluation, result.case
        if key not in found:
            found[key] = _Kept(records[result.evaluation], [])
        found[key].trials.append(replace(result, answer=None))  # which may be long
    return list(found.values())


class _Blessing:
    """What was found out so far."""

    def __init__(self, run: KeptRun, standings: Standings, root: Path, trial: int | None) -> None:
        self._run = run
        self._standings = standings
        self._root = root
        self._trial = trial
        self._blessed: list[tuple[_Kept, Blessed]] = []
        self._refused: list[Unblessed] = []
        self._unanswered: list[str] = []
        self._content: list[Content] = []

    def take(self, kept: _Kept) -> None:
        """Find out about a case."""
        if all(trial.status == "error" for trial in kept.trials):
            self._unanswered.append(kept.label)
            return
        try:
            result = observed_trial(kept.trials, self._trial, self._run.calls_of)
            blessed = None if result is None else self._change(kept, result)
        except CannotRewrite as problem:
            self._refused.append(Unblessed(kept.label, str(problem)))
            return
        except self._run.untold:
            self._refused.append(Unblessed(kept.label, _UNTOLD))
            return
        if blessed is not None:
            self._blessed.append((kept, blessed))

    def _change(self, kept: _Kept, result: ResultRecord) -> Blessed | None:
        """What is to be written; None where that stands there by now.

        Raises:
            CannotRewrite: nothing can be.
        """
        if is_exact(result):
            raise CannotRewrite(_ANOTHER)
        standing = self._standings.find(kept.record, result, kept.label)
        _refuse_python(result)
        score = self._run.score_of(result)
        if score is None:
            raise CannotRewrite(_UNTOLD)
        if self._has_changed(standing, result):
            if self._is_done(standing, result, score):
                return None
            raise CannotRewrite(_CHANGED)
        wanted = _written(result, score)
        change = change_at(standing.spot, wanted, score, width=_WIDTH)
        _refuse_faults(score)
        if _holds_hidden([item for item in change.items if isinstance(item, dict)]):
            raise CannotRewrite(_A_SECRET)
        return Blessed(replace(change, place=place_of(change, self._root)), score)

    def _has_changed(self, standing: Standing, result: ResultRecord) -> bool:
        """Whether a case expects something else than in the run, as far as that can be told here."""
        if standing.case is None:
            return False
        now = expectation_digest(self._run.payload_of(standing.case))
        return now != expectation_digest(result.payload)

    def _is_done(self, standing: Standing, result: ResultRecord, score: Score) -> bool:
        """Whether just what was called is expected by now."""
        expected = None if standing.case is None else standing.case.expected
        if expected is None:
            return False
        calls = tuple(self._run.calls_of(result))
        try:
            now = score_calls(tuple(expected), calls, score.settings)
        except CallscoreError:
            return False
        return now.is_exact and now.passed

    def ask_others(self, kept: Iterable[_Kept]) -> None:
        """Note who is content with what is to be changed: another variant, or another evaluation."""
        wanted = {each.identity for each, _ in self._blessed}
        taken = {id(each.trials) for each, _ in self._blessed}
        for each in kept:
            if each.identity in wanted and id(each.trials) not in taken:
                self._note_content(each)

    def _note_content(self, kept: _Kept) -> None:
        right = [trial for trial in kept.trials if trial.status == "scored" and is_right(trial)]
        if not right:
            return
        try:
            standing = self._standings.find(kept.record, right[0], kept.label)
        except CannotRewrite:  # it stands elsewhere, or nowhere
            return
        wanted = read_wanted(right[0].payload.get("expected"), where="expected", spelled=True)
        change = expectation_at(standing.spot, wanted)
        change = replace(change, place=place_of(change, self._root))
        self._content.append(Content(key_of(change), kept.record.variant))

    def blessings(self, cases: int) -> Blessings:
        """Everything that was found out."""
        wishes = [Wish(blessed.change, kept.record.variant) for kept, blessed in self._blessed]
        contests = contested(wishes, self._content)
        lost = {id(each.change) for each in contests}
        return Blessings(
            changes=tuple([each for _, each in self._blessed if id(each.change) not in lost]),
            refused=(
                *self._refused,
                *[Unblessed(each.change.label, each.problem) for each in contests],
            ),
            unanswered=tuple(self._unanswered),
            cases=cases,
        )


def _refuse_python(result: ResultRecord) -> None:
    """Refuse what no file can say: the history holds only what it looks like."""
    for item in result.payload.get("expected") or ():
        if isinstance(item, dict) and IN_PYTHON in item:
            raise CannotRewrite(_ONLY_PYTHON)


def _refuse_faults(score: Score) -> None:
    """Refuse calls that could never work: nobody should be expected to make them."""
    if score.faults:
        reason = score.faults[0].reason
        raise CannotRewrite(f"a call does not fit the definitions of the tools: {reason}.")


def _holds_hidden(value: Any) -> bool:
    """Whether the mark of a secret stands somewhere in plain data."""
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            if HIDDEN in item:
                return True
        elif isinstance(item, dict):
            pending += [*item, *item.values()]
        elif isinstance(item, list):
            pending += item
    return False


def _written(result: ResultRecord, score: Score) -> tuple[Expected, ...]:
    """What is expected as it is written, by the very values that the score is made of, if it can be."""
    wanted = read_wanted(result.payload.get("expected"), where="expected", spelled=True)
    known = score.expectation
    return known if known is not None and len(known) == len(wanted) else tuple(wanted)
