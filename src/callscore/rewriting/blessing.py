"""Which expectations of a stored run become what was observed, and why others do not."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from callscore.core.rendering import clip
from callscore.core.results import Unloaded
from callscore.core.scoring import score_calls
from callscore.engines.inputs import CASES, input_options_for, read_cases
from callscore.engines.payloads import PYTHON_KEY
from callscore.errors import CallscoreError
from callscore.evaluations.discovery import load_file
from callscore.evaluations.locations import display_path, file_of_location
from callscore.evaluations.plan import NameFilter, evaluation_cases, keyword_filter
from callscore.formats.case_sides import read_expected_side
from callscore.history.records import asked_digest, calls_digest, expectation_digest
from callscore.models.secrets import MASK
from callscore.rewriting import reasons
from callscore.rewriting.applying import (
    CorrectExpectation,
    VariantChange,
    find_conflicts,
    find_location_key,
)
from callscore.rewriting.change import CannotRewrite, Change
from callscore.rewriting.observed import (
    Location,
    change_at,
    expectation_at,
    location_key,
    location_of_case,
)
from callscore.sources import BadRecord
from callscore.words.value_text import call_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from callscore.core.call import ToolCall
    from callscore.core.case import Case
    from callscore.core.phrases import Phrase
    from callscore.core.score import Score
    from callscore.evaluations.evaluation import Evaluation
    from callscore.history.records import EvaluationRecord, ResultRecord

__all__ = [
    "Blessed",
    "Blessings",
    "CaseLocator",
    "StoredRun",
    "Unblessed",
    "find_blessings",
    "is_exact",
    "is_right",
    "observed_trial",
]


# Which trial of a case shows what is to be expected, and whether they agree.

if TYPE_CHECKING:
    _CallsOf = Callable[[ResultRecord], Sequence[ToolCall]]
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
    """The trial whose calls become the expectation; None if no change is needed.

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
        raise _trials_disagree(list(by_calls.values()), calls_of)
    first = answered[0]
    return None if is_right(first) else first


def _trials_disagree(groups: list[list[ResultRecord]], calls_of: _CallsOf) -> CannotRewrite:
    told = []
    for trials in groups:
        numbers = ", ".join(str(trial.trial) for trial in trials)
        calls = ", ".join(call_text(call, limit=_MAX_WIDTH) for call in calls_of(trials[0]))
        told.append(f"{numbers}: {clip(calls, _MAX_WIDTH) or '[]'}")
    return CannotRewrite(reasons.TRIALS_DISAGREE, trials="; ".join(told))


# Which expectations of a run become what was observed, and why others do not.

_MAX_WIDTH = 100
# What stands in a history for a half of a character, and for numbers that JSON does not have.
_LONE_SURROGATE = re.compile(r"\\ud[89a-f][0-9a-f]{2}")
_NON_FINITE = frozenset({"NaN", "Infinity", "-Infinity"})


class StoredRun(NamedTuple):
    """What is known of a run.

    Attributes:
        evaluations: what it evaluated.
        results: what became of each question.
        score_of: recomputes the score of a result; None if that is impossible.
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


class _StoredCase(NamedTuple):
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

    def fits(self, fits: NameFilter) -> bool:
        return fits((self.record.name, self.record.variant or "", self.trials[0].case))


def find_blessings(
    run: StoredRun,
    locator: CaseLocator,
    root: Path,
    *,
    keyword: str = "",
    trial: int | None = None,
) -> Blessings:
    """Find out which expectations are to become what was observed.

    Args:
        run: what is known of the run.
        locator: finds its cases again.
        root: files outside of this folder are never written.
        keyword: words that the name of the evaluation, the variant or the id of the case has inside,
            with `and`, `or`, `not` and brackets; empty for all.
        trial: which trial is taken where a case was asked several times; None where all must agree.

    Raises:
        InvalidSettings: the keyword is no such expression.
    """
    fits = keyword_filter(keyword)
    kept = _stored_cases(run)
    chosen = [each for each in kept if each.fits(fits)]
    blessing = _BlessingFinder(run, locator, root, trial)
    for each in chosen:
        blessing.take(each)
    blessing.ask_others(kept)
    return blessing.blessings(len(chosen))


def _stored_cases(run: StoredRun) -> list[_StoredCase]:
    records = {record.number: record for record in run.evaluations}
    found: dict[tuple[int, str], _StoredCase] = {}
    for result in run.results:
        key = result.evaluation, result.case
        if key not in found:
            found[key] = _StoredCase(records[result.evaluation], [])
        found[key].trials.append(replace(result, answer=None))  # which may be long
    return list(found.values())


class _BlessingFinder:
    """What was found out so far."""

    def __init__(self, run: StoredRun, locator: CaseLocator, root: Path, trial: int | None) -> None:
        self._run = run
        self._standings = locator
        self._root = root
        self._trial = trial
        self._blessed: list[tuple[_StoredCase, Blessed]] = []
        self._refused: list[Unblessed] = []
        self._unanswered: list[str] = []
        self._content: list[CorrectExpectation] = []
        self._rivals: list[VariantChange] = []
        self._others: list[str] = []
        self._unexpecting = 0

    def take(self, stored_case: _StoredCase) -> None:
        """Find out about a case."""
        scored = [trial for trial in stored_case.trials if trial.status == "scored"]
        if all(trial.status == "error" for trial in stored_case.trials):
            self._unanswered.append(stored_case.label)
        elif not any(trial.counts for trial in scored):
            self._unexpecting += 1
        elif not all(map(is_exact, scored)):
            self._take_wrong(stored_case)
        elif not all(map(is_right, scored)):
            self._others.append(stored_case.label)

    def _take_wrong(self, stored_case: _StoredCase) -> None:
        try:
            result = observed_trial(stored_case.trials, self._trial, self._run.calls_of)
            if result is not None and is_exact(result):
                self._others.append(stored_case.label)
                return
            blessed = None if result is None else self._change(stored_case, result)
        except CannotRewrite as problem:
            self._refused.append(Unblessed(stored_case.label, str(problem), problem))
            return
        except self._run.untold:
            untold = CannotRewrite(reasons.COMPARISON_UNKNOWN)
            self._refused.append(Unblessed(stored_case.label, str(untold), untold))
            return
        if blessed is not None:
            self._blessed.append((stored_case, blessed))

    def _change(self, stored_case: _StoredCase, result: ResultRecord) -> Blessed | None:
        """What is to be written; None where that stands there by now.

        Raises:
            CannotRewrite: nothing can be.
        """
        standing = self._standings.find(stored_case.record, result, stored_case.label)
        _refuse_python_values(result)
        score = self._run.score_of(result)
        if score is None:
            raise CannotRewrite(reasons.COMPARISON_UNKNOWN)
        if self._asks_else(standing, result):
            raise CannotRewrite(reasons.INPUT_CHANGED)
        if self._has_changed(standing, result):
            if self._is_done(standing, result, score):
                return None
            raise CannotRewrite(reasons.EXPECTATION_CHANGED)
        wanted = read_expected_side(result.payload.get("expected"), where="expected", spelled=True)
        change = change_at(standing.spot, wanted, score, width=_MAX_WIDTH)
        _refuse_faults(score)
        _refuse_placeholders(change)
        return Blessed(replace(change, place=find_location_key(change, self._root)), score)

    def _asks_else(self, located: LocatedCase, result: ResultRecord) -> bool:
        """Whether the question is another one than in the run, as far as that can be told here."""
        if located.case is None:
            return False
        now = asked_digest(self._run.payload_of(located.case))
        return now != asked_digest(result.payload)

    def _has_changed(self, located: LocatedCase, result: ResultRecord) -> bool:
        """Whether a case expects something else than in the run, as far as that can be told here."""
        if located.case is None:
            return False
        now = expectation_digest(self._run.payload_of(located.case))
        return now != expectation_digest(result.payload)

    def _is_done(self, located: LocatedCase, result: ResultRecord, score: Score) -> bool:
        """Whether just what was called is expected by now."""
        expected = None if located.case is None else located.case.expected
        if expected is None:
            return False
        calls = tuple(self._run.calls_of(result))
        try:
            now = score_calls(tuple(expected), calls, score.settings)
        except CallscoreError:
            return False
        return now.is_exact and now.passed

    def ask_others(self, stored_case: Iterable[_StoredCase]) -> None:
        """Ask those who expect the same: other variants and evaluations, chosen or not."""
        wanted = {each.identity for each, _ in self._blessed}
        taken = {id(each.trials) for each, _ in self._blessed}
        for each in stored_case:
            if each.identity in wanted and id(each.trials) not in taken:
                self._ask(each)

    def _ask(self, stored_case: _StoredCase) -> None:
        """Note who is content with what is to be changed, or would have it changed otherwise."""
        scored = [trial for trial in stored_case.trials if trial.status == "scored"]
        right = [trial for trial in scored if is_right(trial)]
        wrong = [trial for trial in scored if trial.counts and not is_exact(trial)]
        try:
            for trial in right[:1]:
                self._note_content(stored_case, trial)
            for trial in wrong:
                blessed = self._change(stored_case, trial)
                if blessed is not None:
                    self._rivals.append(VariantChange(blessed.change, stored_case.record.variant))
        except CannotRewrite:  # it stands elsewhere, or has no wish
            return
        except self._run.untold:
            return

    def _note_content(self, stored_case: _StoredCase, trial: ResultRecord) -> None:
        standing = self._standings.find(stored_case.record, trial, stored_case.label)
        wanted = read_expected_side(trial.payload.get("expected"), where="expected", spelled=True)
        change = expectation_at(standing.spot, wanted)
        change = replace(change, place=find_location_key(change, self._root))
        self._content.append(CorrectExpectation(location_key(change), stored_case.record.variant))

    def blessings(self, cases: int) -> Blessings:
        """Everything that was found out."""
        wishes = [
            VariantChange(blessed.change, kept.record.variant) for kept, blessed in self._blessed
        ]
        own = {id(wish.change) for wish in wishes}
        contests = [
            each
            for each in find_conflicts([*wishes, *self._rivals], self._content)
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


def _refuse_python_values(result: ResultRecord) -> None:
    """Refuse what no file can say: the history holds only what it looks like."""
    for item in result.payload.get("expected") or ():
        if isinstance(item, dict) and PYTHON_KEY in item:
            raise CannotRewrite(reasons.ONLY_PYTHON)


def _refuse_faults(score: Score) -> None:
    """Refuse invalid calls: they must not become an expectation."""
    if score.faults:
        reason = score.faults[0].reason
        raise CannotRewrite(reasons.INVALID_CALL, reason=reason)


def _refuse_placeholders(change: Change) -> None:
    """Refuse what the history holds in place of something that it cannot hold, or must not."""
    for text in _texts([change.items, [[*patch.path, patch.value] for patch in change.patches]]):
        if MASK in text:
            raise CannotRewrite(reasons.SECRET_REMOVED, mark=MASK)
        if text in _NON_FINITE or _LONE_SURROGATE.search(text):
            raise CannotRewrite(reasons.PLACEHOLDER_VALUE, text=text)


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


# Where the cases that a run has kept stand now, and what they expect there.

_NAME_SEPARATOR = "::"  # between the file of an evaluation and its name


class LocatedCase(NamedTuple):
    """Where a case stands.

    Attributes:
        spot: the place.
        case: the case as it is now; None where it is not known by its id, so that only the place tells
            whether it still expects the same.
    """

    spot: Location
    case: Case | None = None


def _file_problem(file: str, reason: Phrase, **values: Any) -> CannotRewrite:
    problem = CannotRewrite(reason, **values)
    return CannotRewrite(reasons.IN_FILE, file=file, problem=problem)


class CaseLocator:
    """Finds the cases of a stored run in today's files; each file is read once, lazily.

    Args:
        root: the folder of the project, from which the places of evaluations are told.
        files: the files that a run of `callscore score` took what is expected from, likewise.
    """

    def __init__(self, root: Path, files: Sequence[str] = ()) -> None:
        self._root = root
        self._files = files
        self._loaded: dict[Path, list[Evaluation] | Unloaded] = {}
        self._scored: dict[Path, dict[str, Case]] = {}
        self._cases: dict[int, dict[str, Case]] = {}  # by the id of the evaluation's value

    def find(self, record: EvaluationRecord, result: ResultRecord, label: str) -> LocatedCase:
        """Where a case stands.

        Args:
            record: the evaluation as it is kept.
            result: what became of the case.
            label: what it is called where people see it.

        Raises:
            CannotRewrite: it no longer exists, or its location is unknown.
        """
        if _NAME_SEPARATOR in record.place:
            evaluation = self._evaluation(record)
            case = self._cases_of(evaluation).get(result.case)
            if case is None:
                file = file_of_location(record.place)
                raise _file_problem(file, reasons.NO_CASE, case=result.case)
            return LocatedCase(location_of_case(label, evaluation, case), case)
        files = [record.place] if record.place else list(self._files)
        if not files:
            raise CannotRewrite(reasons.UNKNOWN_FILE, name=record.name)
        paths = [self._path(file) for file in files]
        asked = result.payload.get("input")
        places = tuple(map(str, paths))
        spot = Location(label, "case", places, case=result.case, input=asked)
        known = (self._cases_in(path).get(result.case) for path in paths)
        return LocatedCase(spot, next((case for case in known if case is not None), None))

    def _cases_in(self, path: Path) -> dict[str, Case]:
        """The cases of a file that was scored, by id; none where it cannot be read so."""
        known = self._scored.get(path)
        if known is None:
            known = self._scored[path] = {}
            with suppress(CallscoreError):
                for found in read_cases(str(path), CASES, input_options_for()):
                    if not isinstance(found, BadRecord):
                        _, case = found
                        known.setdefault(case.id, case)
        return known

    def _path(self, file: str) -> Path:
        """The path of a file of the project; what others have kept may lead anywhere."""
        path = self._root / file
        if not path.resolve().is_relative_to(self._root.resolve()):
            raise _file_problem(file, reasons.OUTSIDE_ROOT, root=self._root)
        if not path.is_file():
            raise _file_problem(file, reasons.NO_FILE)
        return path

    def _evaluation(self, record: EvaluationRecord) -> Evaluation:
        file = file_of_location(record.place)
        if not file:
            raise CannotRewrite(reasons.UNKNOWN_FILE, name=record.name)
        path = self._path(file)
        if path not in self._loaded:
            self._loaded[path] = load_file(path)
        found = self._loaded[path]
        if isinstance(found, Unloaded):
            raise CannotRewrite(f"{found.place}: {found.problem}")
        own = [each for each in found if each.key == record.place]
        if not own:
            raise _file_problem(display_path(path), reasons.NO_EVALUATION, name=record.name)
        return own[0]

    def _cases_of(self, evaluation: Evaluation) -> dict[str, Case]:
        known = self._cases.get(id(evaluation))
        if known is None:  # the evaluation is held by what was loaded
            try:
                known = {case.id: case for case in evaluation_cases(evaluation)}
            except CallscoreError as error:
                raise CannotRewrite(str(error)) from error
            self._cases[id(evaluation)] = known
        return known
