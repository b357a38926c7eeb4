"""Which expectations of a run become what was observed, and why others do not."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from callscore.core.scoring import score_calls
from callscore.engines.payloads import IN_PYTHON
from callscore.errors import CallscoreError
from callscore.evaluations.keywords import Fits, keyword_filter
from callscore.formats.sides import read_wanted
from callscore.history.digests import asked_digest, expectation_digest
from callscore.models.secrets import HIDDEN
from callscore.rewriting import reasons
from callscore.rewriting.applying import place_of
from callscore.rewriting.change import CannotRewrite, Change
from callscore.rewriting.contests import Content, Wish, contested
from callscore.rewriting.spots import change_at, expectation_at, key_of
from callscore.rewriting.trials import is_exact, is_right, observed_trial

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from callscore.core.call import ToolCall
    from callscore.core.model import Case, Score
    from callscore.history.records import EvaluationRecord, ResultRecord
    from callscore.rewriting.standing import Standing, Standings

__all__ = ["Blessed", "Blessings", "KeptRun", "Unblessed", "blessings"]

_WIDTH = 100
# What stands in a history for a half of a character, and for numbers that JSON does not have.
_HALF = re.compile(r"\\ud[89a-f][0-9a-f]{2}")
_NUMBERS = frozenset({"NaN", "Infinity", "-Infinity"})


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
        problem: why, in an English sentence.
        reason: the same in every language, where it is known so.
    """

    label: str
    problem: str
    reason: CannotRewrite | None = None


class Blessings(Struct, frozen=True, kw_only=True):
    """What a run would have written.

    Attributes:
        changes: what is to be written.
        refused: what is not, and why.
        unanswered: the cases that were not answered, of which nothing can be said.
        others: the cases whose calls are as expected, and with which another scorer is not content.
        unexpecting: how many cases say nothing of the calls that are expected.
        cases: how many cases were looked at.
    """

    changes: tuple[Blessed, ...] = ()
    refused: tuple[Unblessed, ...] = ()
    unanswered: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    unexpecting: int = 0
    cases: int = 0


class _Kept(NamedTuple):
    """All trials of a case, under one variant."""

    record: EvaluationRecord
    trials: list[ResultRecord]

    @property
    def label(self) -> str:
        """As `callscore show` takes it."""
        case, variant = self.trials[0].case, self.record.variant
        name = self.record.name if variant is None else f"{self.record.name} [{variant}]"
        return f"{name}::{case}"

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
        self._rivals: list[Wish] = []
        self._others: list[str] = []
        self._unexpecting = 0

    def take(self, kept: _Kept) -> None:
        """Find out about a case."""
        scored = [trial for trial in kept.trials if trial.status == "scored"]
        if all(trial.status == "error" for trial in kept.trials):
            self._unanswered.append(kept.label)
        elif not any(trial.counts for trial in scored):
            self._unexpecting += 1
        elif not all(map(is_exact, scored)):
            self._take_wrong(kept)
        elif not all(map(is_right, scored)):
            self._others.append(kept.label)

    def _take_wrong(self, kept: _Kept) -> None:
        try:
            result = observed_trial(kept.trials, self._trial, self._run.calls_of)
            if result is not None and is_exact(result):
                self._others.append(kept.label)
                return
            blessed = None if result is None else self._change(kept, result)
        except CannotRewrite as problem:
            self._refused.append(Unblessed(kept.label, str(problem), problem))
            return
        except self._run.untold:
            untold = CannotRewrite(reasons.UNTOLD)
            self._refused.append(Unblessed(kept.label, str(untold), untold))
            return
        if blessed is not None:
            self._blessed.append((kept, blessed))

    def _change(self, kept: _Kept, result: ResultRecord) -> Blessed | None:
        """What is to be written; None where that stands there by now.

        Raises:
            CannotRewrite: nothing can be.
        """
        standing = self._standings.find(kept.record, result, kept.label)
        _refuse_python(result)
        score = self._run.score_of(result)
        if score is None:
            raise CannotRewrite(reasons.UNTOLD)
        if self._asks_else(standing, result):
            raise CannotRewrite(reasons.ASKS_ELSE)
        if self._has_changed(standing, result):
            if self._is_done(standing, result, score):
                return None
            raise CannotRewrite(reasons.CHANGED)
        wanted = read_wanted(result.payload.get("expected"), where="expected", spelled=True)
        change = change_at(standing.spot, wanted, score, width=_WIDTH)
        _refuse_faults(score)
        _refuse_stand_ins(change)
        return Blessed(replace(change, place=place_of(change, self._root)), score)

    def _asks_else(self, standing: Standing, result: ResultRecord) -> bool:
        """Whether the question is another one than in the run, as far as that can be told here."""
        if standing.case is None:
            return False
        now = asked_digest(self._run.payload_of(standing.case))
        return now != asked_digest(result.payload)

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
        """Ask those who expect the same: other variants and evaluations, chosen or not."""
        wanted = {each.identity for each, _ in self._blessed}
        taken = {id(each.trials) for each, _ in self._blessed}
        for each in kept:
            if each.identity in wanted and id(each.trials) not in taken:
                self._ask(each)

    def _ask(self, kept: _Kept) -> None:
        """Note who is content with what is to be changed, or would have it changed otherwise."""
        scored = [trial for trial in kept.trials if trial.status == "scored"]
        right = [trial for trial in scored if is_right(trial)]
        wrong = [trial for trial in scored if trial.counts and not is_exact(trial)]
        try:
            for trial in right[:1]:
                self._note_content(kept, trial)
            for trial in wrong:
                blessed = self._change(kept, trial)
                if blessed is not None:
                    self._rivals.append(Wish(blessed.change, kept.record.variant))
        except CannotRewrite:  # it stands elsewhere, or has no wish
            return
        except self._run.untold:
            return

    def _note_content(self, kept: _Kept, trial: ResultRecord) -> None:
        standing = self._standings.find(kept.record, trial, kept.label)
        wanted = read_wanted(trial.payload.get("expected"), where="expected", spelled=True)
        change = expectation_at(standing.spot, wanted)
        change = replace(change, place=place_of(change, self._root))
        self._content.append(Content(key_of(change), kept.record.variant))

    def blessings(self, cases: int) -> Blessings:
        """Everything that was found out."""
        wishes = [Wish(blessed.change, kept.record.variant) for kept, blessed in self._blessed]
        own = {id(wish.change) for wish in wishes}
        contests = [
            each
            for each in contested([*wishes, *self._rivals], self._content)
            if id(each.change) in own
        ]
        lost = {id(each.change) for each in contests}
        return Blessings(
            changes=tuple([each for _, each in self._blessed if id(each.change) not in lost]),
            refused=(
                *self._refused,
                *[Unblessed(each.change.label, each.problem, each.reason) for each in contests],
            ),
            unanswered=tuple(self._unanswered),
            others=tuple(self._others),
            unexpecting=self._unexpecting,
            cases=cases,
        )


def _refuse_python(result: ResultRecord) -> None:
    """Refuse what no file can say: the history holds only what it looks like."""
    for item in result.payload.get("expected") or ():
        if isinstance(item, dict) and IN_PYTHON in item:
            raise CannotRewrite(reasons.ONLY_PYTHON)


def _refuse_faults(score: Score) -> None:
    """Refuse calls that could never work: nobody should be expected to make them."""
    if score.faults:
        reason = score.faults[0].reason
        raise CannotRewrite(reasons.FAULTY, reason=reason)


def _refuse_stand_ins(change: Change) -> None:
    """Refuse what the history holds in place of something that it cannot hold, or must not."""
    for text in _texts([change.items, [[*patch.path, patch.value] for patch in change.patches]]):
        if HIDDEN in text:
            raise CannotRewrite(reasons.A_SECRET, mark=HIDDEN)
        if text in _NUMBERS or _HALF.search(text):
            raise CannotRewrite(reasons.STAND_IN, text=text)


def _texts(value: Any) -> Iterator[str]:
    """Every text in plain data, keys included."""
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            pending += [*item, *item.values()]
        elif isinstance(item, list | tuple):
            pending += item
