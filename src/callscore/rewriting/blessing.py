"""Which expectations of a stored run become what was observed, and why others do not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import UNSET, Struct
from msgspec.structs import replace

from callscore.core.budget import OverBudget
from callscore.core.rendering import clip
from callscore.core.results import Unloaded
from callscore.core.scoring import score_calls
from callscore.engines.inputs import CASES, input_options_for, read_cases
from callscore.errors import CallscoreError
from callscore.evaluations.discovery import load_file
from callscore.evaluations.locations import display_path, file_of_location
from callscore.evaluations.plan import evaluation_cases, keyword_filter
from callscore.formats.case_sides import read_expected_side
from callscore.hiding.finding import OPENING
from callscore.hiding.hider import contains_marker, texts_in
from callscore.history.records import (
    EvaluationRecord,
    ResultRecord,
    asked_digest,
    calls_digest,
    expectation_digest,
)
from callscore.history.saved_scores import PYTHON_KEY
from callscore.rewriting import reasons
from callscore.rewriting.applying import (
    CorrectExpectation,
    VariantChange,
    find_conflicts,
    find_location_key,
)
from callscore.rewriting.change import CannotRewrite, Change, in_file
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
    from pathlib import Path

    from callscore.core.call import ToolCall
    from callscore.core.case import Case
    from callscore.core.phrases import Phrase
    from callscore.core.score import Score
    from callscore.evaluations.evaluation import Evaluation

    _CallsOf = Callable[[ResultRecord], Sequence[ToolCall]]

_NO_COUNTS = (0, 0, 0, 0, 1, 0, 0)
_MAX_WIDTH = 100
# What the history has in place of lone surrogates, and of numbers that JSON does not have.
_LONE_SURROGATE = re.compile(r"\\ud[89a-f][0-9a-f]{2}")
_NON_FINITE = frozenset({"NaN", "Infinity", "-Infinity"})


def is_exact(result: ResultRecord) -> bool:
    """Whether exactly the expected calls were made."""
    correct, _, _, _, expected, actual, forbidden = result.counts or _NO_COUNTS
    return correct == expected == actual and not forbidden


def is_right(result: ResultRecord) -> bool:
    """Whether exactly the expected calls were made, and the case passed: no change is needed."""
    return result.passed is not False and is_exact(result)


def observed_trial(
    trials: Sequence[ResultRecord], wanted: int | None, calls_of: _CallsOf
) -> ResultRecord | None:
    """The trial of a case whose calls become the expectation; None if no change is needed.

    `wanted` is the number of the trial to use; without it, all trials with a score must agree.
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
    texts = []
    for trials in groups:
        numbers = ", ".join(str(trial.trial) for trial in trials)
        calls = ", ".join(call_text(call, limit=_MAX_WIDTH) for call in calls_of(trials[0]))
        texts.append(f"{numbers}: {clip(calls, _MAX_WIDTH) or '[]'}")
    return CannotRewrite(reasons.TRIALS_DISAGREE, trials="; ".join(texts))


class StoredRun(NamedTuple):
    """A run in the history."""

    evaluations: Sequence[EvaluationRecord]
    results: Iterable[ResultRecord]
    score_of: Callable[[ResultRecord], Score | None]  # None if it cannot be read
    payload_of: Callable[[Case], dict[str, Any]]  # a case as the history stores it
    calls_of: Callable[[ResultRecord], Sequence[ToolCall]]
    only: tuple[int, str] | None = None  # the evaluation and the id of the only case to accept

    def is_selected(self, record: EvaluationRecord, case: str) -> bool:
        """Whether a case may be accepted; the others are read for conflicts with it."""
        return self.only is None or (record.number, case) == self.only


class Blessed(NamedTuple):
    """The change of an expectation to what was observed, and the score under the old one."""

    change: Change
    score: Score


class Unblessed(NamedTuple):
    """A case that is not changed: the reason in English and, if known, in every language."""

    label: str
    problem: str
    reason: CannotRewrite | None = None


class Blessings(Struct, frozen=True, kw_only=True):
    """The changes that a run leads to, and why others are not made."""

    changes: tuple[Blessed, ...] = ()
    refused: tuple[Unblessed, ...] = ()
    unanswered: tuple[str, ...] = ()
    others: tuple[str, ...] = ()  # with the expected calls, but another scorer does not pass
    accepted: tuple[str, ...] = ()  # whose proposed alternative was written before
    unexpecting: int = 0  # cases without expected calls
    cases: int = 0  # that were selected


class _StoredCase(NamedTuple):
    """All trials of a case, under one variant."""

    record: EvaluationRecord
    trials: list[ResultRecord]

    @property
    def label(self) -> str:
        """The name that `callscore show` accepts."""
        case, variant = self.trials[0].case, self.record.variant
        name = self.record.name if variant is None else f"{self.record.name} [{variant}]"
        return f"{name}::{case}"

    @property
    def identity(self) -> tuple[str, str]:
        """Equal for cases of other variants and evaluations that may be the same case."""
        return self.trials[0].case, expectation_digest(self.trials[0].payload)

    @property
    def scored(self) -> list[ResultRecord]:
        return [trial for trial in self.trials if trial.status == "scored"]


def find_blessings(
    run: StoredRun,
    locator: CaseLocator,
    root: Path,
    *,
    keyword: str = "",
    trial: int | None = None,
) -> Blessings:
    """Find out which expectations become what was observed.

    Args:
        run: the run.
        locator: finds its cases in the files as they are now.
        root: files outside of this folder are never written.
        keyword: selects cases as `Selection.keyword` does; empty for all.
        trial: the trial to use for cases with several; None if all must agree.

    Raises:
        InvalidSettings: the keyword is not an expression.
    """
    fits = keyword_filter(keyword)
    stored = _stored_cases(run)
    selected = [
        each
        for each in stored
        if fits((each.record.name, each.record.variant or "", each.trials[0].case))
        and run.is_selected(each.record, each.trials[0].case)
    ]
    finder = _BlessingFinder(run, locator, root, trial)
    for each in selected:
        finder.take(each)
    finder.find_competing(stored)
    return finder.blessings(len(selected))


def _stored_cases(run: StoredRun) -> list[_StoredCase]:
    records = {record.number: record for record in run.evaluations}
    found: dict[tuple[int, str], _StoredCase] = {}
    for result in run.results:
        key = result.evaluation, result.case
        if key not in found:
            found[key] = _StoredCase(records[result.evaluation], [])
        found[key].trials.append(replace(result, answer=None))  # it may be long
    return list(found.values())


class _BlessingFinder:
    def __init__(self, run: StoredRun, locator: CaseLocator, root: Path, trial: int | None) -> None:
        self._run = run
        self._locator = locator
        self._root = root
        self._trial = trial
        self._blessed: list[tuple[_StoredCase, Blessed]] = []
        self._refused: list[Unblessed] = []
        self._unanswered: list[str] = []
        self._correct: list[CorrectExpectation] = []
        self._competing: list[VariantChange] = []
        self._others: list[str] = []
        self._unexpecting = 0

    def take(self, stored_case: _StoredCase) -> None:
        """Decide about a case."""
        scored = stored_case.scored
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
        except OverBudget:  # a judgement that is not stored
            unknown = CannotRewrite(reasons.COMPARISON_UNKNOWN)
            self._refused.append(Unblessed(stored_case.label, str(unknown), unknown))
            return
        if blessed is not None:
            self._blessed.append((stored_case, blessed))

    def _change(self, stored_case: _StoredCase, result: ResultRecord) -> Blessed | None:
        """The change for a result; None if it was made already."""
        located = self._locator.find(stored_case.record, result, stored_case.label)
        expected = result.payload.get("expected")
        if any(isinstance(item, dict) and PYTHON_KEY in item for item in expected or ()):
            raise CannotRewrite(reasons.ONLY_PYTHON)
        score = self._run.score_of(result)
        if score is None:
            _refuse_markers(result.calls)
            raise CannotRewrite(
                reasons.HIDDEN_IN_CASE
                if contains_marker(result.payload)
                else reasons.COMPARISON_UNKNOWN
            )
        obstacle = self._obstacle(located, result)
        if obstacle is not None:
            if obstacle is not reasons.INPUT_CHANGED and self._is_done(located, result, score):
                return None
            raise CannotRewrite(obstacle)
        wanted = read_expected_side(expected, where="expected", spelled=True)
        change = change_at(located.location, wanted, score, width=_MAX_WIDTH)
        if score.faults:  # invalid calls must not become an expectation
            raise CannotRewrite(reasons.INVALID_CALL, reason=score.faults[0].reason)
        _refuse_placeholders(change)
        return Blessed(replace(change, place=find_location_key(change, self._root)), score)

    def _obstacle(self, located: LocatedCase, result: ResultRecord) -> Phrase | None:
        """Why the case cannot be found as it was saved; None if it can."""
        sought = located.location
        if contains_marker([sought.case, result.payload]):
            return reasons.HIDDEN_IN_CASE
        if self._has_changed(located, result, asked_digest):
            return reasons.INPUT_CHANGED
        if self._has_changed(located, result, expectation_digest):
            return reasons.EXPECTATION_CHANGED
        return None

    def _has_changed(
        self, located: LocatedCase, result: ResultRecord, digest: Callable[[dict[str, Any]], str]
    ) -> bool:
        """Whether the case has changed since the run, as far as that is known."""
        if located.case is None:
            return False
        return digest(self._run.payload_of(located.case)) != digest(result.payload)

    def _is_done(self, located: LocatedCase, result: ResultRecord, score: Score) -> bool:
        """Whether the case now expects exactly the calls that were made."""
        expected = UNSET if located.case is None else located.case.expected
        if expected is UNSET:
            return False
        calls = tuple(self._run.calls_of(result))
        try:
            now = score_calls(tuple(expected or ()), calls, score.settings)
        except CallscoreError:
            return False
        return now.f1 == 1 and now.passed

    def find_competing(self, stored_cases: Iterable[_StoredCase]) -> None:
        """Find other variants and evaluations, selected or not, with the same expectation."""
        wanted = {each.identity for each, _ in self._blessed}
        taken = {id(each.trials) for each, _ in self._blessed}
        for each in stored_cases:
            if each.identity in wanted and id(each.trials) not in taken:
                # It may be in another file, or need no change.
                with suppress(CannotRewrite, OverBudget):
                    self._take_competing(each)

    def _take_competing(self, stored_case: _StoredCase) -> None:
        """Record for which variant the expectation is correct, or changes differently."""
        variant = stored_case.record.variant
        right = [trial for trial in stored_case.scored if is_right(trial)]
        wrong = [trial for trial in stored_case.scored if trial.counts and not is_exact(trial)]
        for trial in right[:1]:
            located = self._locator.find(stored_case.record, trial, stored_case.label)
            expected = trial.payload.get("expected")
            wanted = read_expected_side(expected, where="expected", spelled=True)
            change = expectation_at(located.location, wanted)
            change = replace(change, place=find_location_key(change, self._root))
            self._correct.append(CorrectExpectation(location_key(change), variant))
        for trial in wrong:
            blessed = self._change(stored_case, trial)
            if blessed is not None:
                self._competing.append(VariantChange(blessed.change, variant))

    def blessings(self, cases: int) -> Blessings:
        """The changes without conflicts, and everything else that was found."""
        requested = [
            VariantChange(blessed.change, stored.record.variant)
            for stored, blessed in self._blessed
        ]
        own = {id(each.change) for each in requested}
        conflicts = [
            each
            for each in find_conflicts([*requested, *self._competing], self._correct)
            if id(each.change) in own
        ]
        lost = {id(each.change) for each in conflicts}
        return Blessings(
            changes=tuple([each for _, each in self._blessed if id(each.change) not in lost]),
            refused=(
                *self._refused,
                *[Unblessed(each.change.label, each.problem, each.reason) for each in conflicts],
            ),
            unanswered=tuple(self._unanswered),
            others=tuple(self._others),
            unexpecting=self._unexpecting,
            cases=cases,
        )


def _refuse_markers(value: Any) -> None:
    """Refuse what the history has in place of hidden values."""
    for text in texts_in(value):
        if OPENING in text:
            mark = OPENING + text.partition(OPENING)[2].partition("]")[0] + "]"
            raise CannotRewrite(reasons.SECRET_REMOVED, mark=mark)


def _refuse_placeholders(change: Change) -> None:
    """Refuse what the history has in place of hidden values and of those that it cannot store."""
    values = [change.items, [[*patch.path, patch.value] for patch in change.patches]]
    _refuse_markers(values)
    for text in texts_in(values):
        if text in _NON_FINITE or _LONE_SURROGATE.search(text):
            raise CannotRewrite(reasons.PLACEHOLDER_VALUE, text=text)


class LocatedCase(NamedTuple):
    """The location of a case, and the case as it is now; None if its id is not found."""

    location: Location
    case: Case | None = None


class CaseLocator:
    """Finds the cases of a stored run in the files as they are now; each file is read once.

    All paths are relative to `root`; `files` has the expectations of a run of `callscore score`.
    """

    def __init__(self, root: Path, files: Sequence[str] = ()) -> None:
        self._root = root
        self._files = files
        self._loaded: dict[Path, list[Evaluation] | Unloaded] = {}
        self._scored: dict[Path, dict[str, Case]] = {}
        self._cases: dict[int, dict[str, Case]] = {}  # by the id of the evaluation's value

    def find(self, record: EvaluationRecord, result: ResultRecord, label: str) -> LocatedCase:
        """The location of the case of a result, with this label; refused if it is unknown."""
        if "::" in record.place:  # between the file of an evaluation and its name
            evaluation = self._evaluation(record)
            case = self._cases_of(evaluation).get(result.case)
            if case is None:
                file = file_of_location(record.place)
                raise in_file(file, reasons.NO_CASE, case=result.case)
            return LocatedCase(location_of_case(label, evaluation, case), case)
        files = [record.place] if record.place else list(self._files)
        if not files:
            raise CannotRewrite(reasons.UNKNOWN_FILE, name=record.name)
        paths = [self._path(file) for file in files]
        asked = result.payload.get("input")
        places = tuple(map(str, paths))
        location = Location(label, "case", places, case=result.case, input=asked)
        known = (self._cases_in(path).get(result.case) for path in paths)
        return LocatedCase(location, next((case for case in known if case is not None), None))

    def _cases_in(self, path: Path) -> dict[str, Case]:
        """The cases of a file that was scored, by id; none if it cannot be read."""
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
        """The path of a file of the project; a stored path may lead out of it."""
        path = self._root / file
        if not path.resolve().is_relative_to(self._root.resolve()):
            raise in_file(file, reasons.OUTSIDE_ROOT, root=self._root)
        if not path.is_file():
            raise in_file(file, reasons.NO_FILE)
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
            raise in_file(display_path(path), reasons.NO_EVALUATION, name=record.name)
        return own[0]

    def _cases_of(self, evaluation: Evaluation) -> dict[str, Case]:
        known = self._cases.get(id(evaluation))
        if known is None:  # `_loaded` keeps the evaluation alive
            try:
                known = {case.id: case for case in evaluation_cases(evaluation)}
            except CallscoreError as error:
                raise CannotRewrite(str(error)) from error
            self._cases[id(evaluation)] = known
        return known
