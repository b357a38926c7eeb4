"""The totals of many cases: integers that add, so that any split merges to the same summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import zip_longest
from math import fsum
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVar

from msgspec import Meta, Struct, convert, field, to_builtins
from msgspec.structs import astuple, replace

from callscore.core.score import (
    UNANSWERED,
    Fault,
    FaultKind,
    Outcome,
    Score,
    count_faulty_calls,
    f1_of,
    has_accepted_differences,
    has_no_counted_calls,
    is_passing,
    outcome_f1,
    outcome_of,
    total_calls,
    turn_count,
)
from callscore.core.statistics import (
    Cluster,
    Interval,
    bootstrap_mean,
    chances_of_success,
    wilson,
)
from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from callscore.core.fast_strict import StrictCounter
    from callscore.core.results import CaseTrials

Key = TypeVar("Key")
_MIN_CASES = 10
# So many ids of cases with several trials, one of which failed, are saved.
_MOST_NAMED = 1_000
_Count = Annotated[int, Meta(ge=0, le=2**53)]
# The numbers of `ToolCounts` for one tool in a case, without the last two if both are 0, as in most.
ToolOutcome = Annotated[tuple[_Count, ...], Meta(min_length=5, max_length=7)]
# An outcome, and how many cases have it. The forbidden calls of a missing answer are -1.
_Forbidden = Annotated[int, Meta(ge=-1, le=2**53)]
_Outcome = tuple[_Count, _Count, _Count, _Forbidden]
_Times = tuple[_Count, _Count, _Count, _Forbidden, _Count]


class ToolCounts(Struct, array_like=True):
    """How the calls of one tool went; those that were forbidden are extra, too.

    Attributes:
        free: how many of the incorrect ones cost no more than the call that was not made.
        assumed: in how many cases they cost something because the tool counts as a write without
            evidence.
    """

    correct: _Count = 0
    incorrect: _Count = 0
    missed: _Count = 0
    extra: _Count = 0
    forbidden: _Count = 0
    free: _Count = 0
    assumed: _Count = 0

    @property
    def expected(self) -> int:
        """How many calls of the tool were expected."""
        return self.correct + self.incorrect + self.missed

    @property
    def outcome(self) -> ToolOutcome:
        """The same numbers, as they are saved."""
        numbers = astuple(self)
        return numbers if self.free or self.assumed else numbers[:_USUAL]

    def add(self, numbers: ToolOutcome, times: int = 1) -> None:
        """Add the numbers of the same tool, `times` times."""
        for count, number in zip(self.__struct_fields__, numbers, strict=False):
            if number:
                setattr(self, count, getattr(self, count) + number * times)


class Summary(Struct, omit_defaults=True):
    """The counts of many cases; `add` and `merge` change it, everything else only reads it.

    Attributes:
        pass_mark: the score from which a case passes.
        outcomes: the number of cases with each outcome; `UNANSWERED` for those without an answer.
        tools: how the calls of each tool went.
        wrong_arguments: (tool, argument) -> in how many incorrect calls it differs.
        confusion: (expected tool, called tool) -> how often one was called in place of the other.
            Within a case, missed and extra calls are matched in order; None for the rest.
        trials: id -> outcomes, of the cases that say which trial they are.
        other_trials: the outcomes of a case with trials -> how many further cases, of which the ids
            are not kept, have the same.
        faults: (tool, kind) -> how often the tools' schemas find this fault in its calls.
        checked_cases: the cases whose tools' schemas are known.
        checked_calls: the actual calls of these cases.
        valid_calls: those of them that their schemas accept.
        uncounted_cases: the cases in which there are calls, but none that counts.
        differing_cases: the cases in which no call is wrong, missing or extra, but an argument differs.
        turn_cases: the cases whose turns were scored.
        joined_turn_cases: the cases with turns that were compared as one, because the trace does not
            say where a turn begins.
        wrong_turns: number of a turn, from 1 -> the cases in which it is the first that did not pass.
    """

    pass_mark: float = 1.0
    outcomes: dict[_Outcome, _Count] = field(default_factory=dict)
    tools: dict[str, ToolCounts] = field(default_factory=dict)
    wrong_arguments: dict[tuple[str, str], _Count] = field(default_factory=dict)
    confusion: dict[tuple[str | None, str | None], _Count] = field(default_factory=dict)
    trials: dict[str, dict[_Outcome, _Count]] = field(default_factory=dict)
    other_trials: dict[tuple[_Times, ...], _Count] = field(default_factory=dict)
    faults: dict[tuple[str, FaultKind], _Count] = field(default_factory=dict)
    checked_cases: _Count = 0
    checked_calls: _Count = 0
    valid_calls: _Count = 0
    uncounted_cases: _Count = 0
    differing_cases: _Count = 0
    turn_cases: _Count = 0
    joined_turn_cases: _Count = 0
    wrong_turns: dict[int, _Count] = field(default_factory=dict)

    def add(self, score: Score, *, trial_of: str | None = None) -> None:
        """Count one case; `trial_of` is its id if it is one of several trials."""
        outcome = correct, expected, actual, _ = outcome_of(score)
        self.outcomes[outcome] = self.outcomes.get(outcome, 0) + 1
        if trial_of is not None:
            self.add_trial(trial_of, outcome)
        known, tool = self.tools.get, self.tool
        calls = score.expected
        for call in calls[: score.equal_start]:
            (known(call.name) or tool(call.name)).correct += 1
        for row, _ in score.other_correct:
            (known(calls[row].name) or tool(calls[row].name)).correct += 1
        if not correct == expected == actual == len(score.actual):
            self._add_mistakes(score)
        self.uncounted_cases += has_no_counted_calls(score)
        self.differing_cases += has_accepted_differences(score)
        self.add_turns(turn_count(score), score.first_wrong_turn)
        if score.faults is not None:
            self._add_faults(score.faults, total_calls("actual", score.actual, score.ignored))

    def _add_mistakes(self, score: Score) -> None:
        """Count wrong, missed and extra calls, and which of these are forbidden, or free, or writes."""
        for pair in score.incorrect:
            name = pair.expected.name
            self.tool(name).incorrect += 1
            self.tool(name).free += pair.actual_index in score.free
            for argument in pair.differing_arguments:
                _add_count(self.wrong_arguments, (name, argument))
        missed, extra = score.unpaired
        for names in zip_longest([call.name for call in missed], [call.name for call in extra]):
            self.add_unpaired(names)
        for position in score.forbidden:
            self.tool(score.actual[position].name).forbidden += 1
        for name in score.assumed_writes:
            self.tool(name).assumed += 1

    def add_unpaired(self, names: tuple[str | None, str | None], times: int = 1) -> None:
        """Count the tools of a missed call and of the extra call at its position, or one of the two."""
        _add_count(self.confusion, names, times)
        missed, extra = names
        if missed is not None:
            self.tool(missed).missed += times
        if extra is not None:
            self.tool(extra).extra += times

    def add_counts(
        self, outcome: Outcome, tools: Mapping[str, ToolOutcome], times: int = 1
    ) -> None:
        """Count cases with the same outcome and the same numbers of each tool, if these are known."""
        _add_count(self.outcomes, outcome, times)
        for name, numbers in tools.items():
            self.tool(name).add(numbers, times)

    def add_unanswered(self, *, trial_of: str | None = None) -> None:
        """Count a case without an answer: its score is 0, and it did not pass."""
        _add_count(self.outcomes, UNANSWERED)
        if trial_of is not None:
            self.add_trial(trial_of, UNANSWERED)

    def add_trial(self, case: str, outcome: Outcome) -> None:
        """Record that an outcome, which `add_counts` counts, is of a trial of this case."""
        _add_count(self.trials.setdefault(case, {}), outcome)

    def add_turns(self, turns: int | None, first_wrong: int | None, times: int = 1) -> None:
        """Count the turns of a case, as `turn_count` and `Score.first_wrong_turn` have them."""
        if turns is None:
            return
        if turns:
            self.turn_cases += times
        else:
            self.joined_turn_cases += times
        if first_wrong is not None:
            _add_count(self.wrong_turns, first_wrong, times)

    def _add_faults(self, faults: Sequence[Fault], calls: int) -> None:
        self.checked_cases += 1
        self.checked_calls += calls
        self.valid_calls += calls - count_faulty_calls(faults)
        for fault in faults:
            _add_count(self.faults, (fault.tool, fault.kind))

    def tool(self, name: str) -> ToolCounts:
        """The counts of one tool; new ones begin at zero."""
        counts = self.tools.get(name)
        if counts is None:
            counts = self.tools[name] = ToolCounts()
        return counts

    @property
    def tool_outcomes(self) -> dict[str, ToolOutcome]:
        """The numbers of each tool, as they are saved."""
        return {name: counts.outcome for name, counts in self.tools.items()}

    @property
    def assumed_writes(self) -> tuple[str, ...]:
        """The tools that count as writes without evidence where it costs something, the most often first."""
        found = [(tool, counts.assumed) for tool, counts in self.tools.items() if counts.assumed]
        return tuple([tool for tool, _ in sorted(found, key=lambda item: -item[1])])

    def unknown_arguments(self, tool: str) -> int | None:
        """How many arguments of its calls the tool does not know; None if nothing was checked."""
        return self.faults.get((tool, "unknown_argument"), 0) if self.checked_cases else None

    def merge(self, other: Summary) -> None:
        """Add the counts of another summary."""
        if self.pass_mark != other.pass_mark:
            raise InvalidSettings("summaries with different 'pass_mark' cannot be merged")
        for name in _COUNTED:
            add_counts(getattr(self, name), getattr(other, name))
        for name in _NUMBERS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for case, outcomes in other.trials.items():
            add_counts(self.trials.setdefault(case, {}), outcomes)
        for name, counts in other.tools.items():
            self.tool(name).add(astuple(counts))

    def in_key_order(self) -> Summary:
        """The same counts, with all keys in their order: equal summaries then look the same."""
        names = ("tools", "trials", *_COUNTED)
        return replace(self, **{name: _sorted(getattr(self, name)) for name in names})

    def with_few_names(self) -> Summary:
        """The same counts with the ids of the first repeated cases that failed, instead of all.

        With many cases, this is a few kilobytes as plain data.
        """
        named: dict[str, dict[Outcome, int]] = {}
        others = Counter(self.other_trials)
        for case, outcomes in self.trials.items():
            trials = _total(outcomes)
            is_failing = trials > 1 and self.passed_among(outcomes) < trials
            if is_failing and len(named) < _MOST_NAMED:
                named[case] = outcomes
            else:
                others[tuple(_times(outcomes))] += 1
        return replace(self, trials=named, other_trials=dict(others))

    def to_dict(self) -> dict[str, Any]:
        """The counts as plain data, without what is 0 or empty; keys that are not text in lists of pairs."""
        found: dict[str, Any] = to_builtins(self)
        return found | {name: _pairs(found[name]) for name in _LISTED if name in found}

    @staticmethod
    def from_dict(data: Any) -> Summary:
        """The counts that `to_dict` wrote.

        Raises:
            msgspec.ValidationError: they are something else.
        """
        found = convert(data, dict[str, Any])
        counts = {name: _counts(found[name]) for name in _LISTED if name in found}
        return convert(found | counts, Summary)

    @property
    def cases(self) -> int:
        """The number of cases, with those that have no answer."""
        return sum(self.outcomes.values())

    @property
    def unanswered(self) -> int:
        """The cases without an answer. They are 0 in the macro means; their calls are not counted."""
        return self.outcomes.get(UNANSWERED, 0)

    @property
    def scored(self) -> int:
        """The number of scored cases."""
        return self.cases - self.unanswered

    @property
    def distinct_cases(self) -> int:
        """How many cases were scored, with the trials of a case counted once."""
        trials = sum(_total(outcomes) * times for outcomes, times in self.trial_kinds())
        return self.cases - trials + self.trial_cases

    @property
    def trial_cases(self) -> int:
        """How many cases say which trial they are, with the trials of a case counted once."""
        return len(self.trials) + sum(self.other_trials.values())

    @property
    def has_repeated_trials(self) -> bool:
        """Whether a case has more than one trial."""
        return any(_total(outcomes) > 1 for outcomes, _ in self.trial_kinds())

    @property
    def correct(self) -> int:
        """Correct pairs, over all cases."""
        return sum(correct * times for (correct, *_), times in self.outcomes.items())

    @property
    def total_expected(self) -> int:
        """Expected calls, over all cases."""
        return sum(expected * times for (_, expected, *_), times in self.outcomes.items())

    @property
    def total_actual(self) -> int:
        """Actual calls that can cost precision, over all cases."""
        return sum(actual * times for (_, _, actual, _), times in self.outcomes.items())

    @property
    def free(self) -> int:
        """Incorrect calls that are free, over all cases: they are not in `total_actual`."""
        return sum(counts.free for counts in self.tools.values())

    @property
    def incorrect(self) -> int:
        """Pairs of the right tool with the wrong arguments, over all cases."""
        return sum(counts.incorrect for counts in self.tools.values())

    @property
    def missed(self) -> int:
        """Expected calls that were never made, over all cases."""
        return self.total_expected - self.correct - self.incorrect

    @property
    def extra(self) -> int:
        """Actual calls that were not expected, over all cases."""
        return sum(counts.extra for counts in self.tools.values())

    @property
    def forbidden(self) -> int:
        """Actual calls that must not have been made, over all cases; they are extra, too."""
        return sum(forbidden * times for *_, forbidden, times in self._answered())

    @property
    def forbidden_cases(self) -> int:
        """Cases in which a forbidden call was made."""
        return sum(times for *_, forbidden, times in self._answered() if forbidden)

    @property
    def parameters_valid(self) -> float | None:
        """The share of calls that their tools' schemas accept; None if none was checked."""
        return self.valid_calls / self.checked_calls if self.checked_calls else None

    @property
    def micro_precision(self) -> float:
        """Precision with the calls of all cases pooled."""
        return self.correct / self.total_actual if self.total_actual else 1.0

    @property
    def micro_recall(self) -> float:
        """Recall with the calls of all cases pooled."""
        return self.correct / self.total_expected if self.total_expected else 1.0

    @property
    def micro_f1(self) -> float:
        """F1 with the calls of all cases pooled; a forbidden call is one that is extra."""
        return f1_of(self.correct, self.total_expected, self.total_actual)

    @property
    def macro_precision(self) -> float | None:
        """The mean precision of the cases; None if there are none."""
        return self._mean(lambda correct, _, actual, __: (correct, actual))

    @property
    def macro_recall(self) -> float | None:
        """The mean recall of the cases; None if there are none."""
        return self._mean(lambda correct, expected, *_: (correct, expected))

    @property
    def macro_f1(self) -> float | None:
        """The mean score of the cases, the headline; None if there are none.

        The score of a case is its F1, or 0 if a forbidden call was made.
        """
        return self._mean(
            lambda correct, expected, actual, forbidden: (
                0 if forbidden else 2 * correct,
                expected + actual,
            )
        )

    @property
    def macro_f1_interval(self) -> Interval | None:
        """The 95 % bootstrap interval of the macro F1, with the trials of a case kept together.

        None for fewer than ten cases: such an interval would be unreliable.
        """
        clusters = self._clusters()
        if sum(cluster.times for cluster in clusters) < _MIN_CASES:
            return None
        return bootstrap_mean(clusters)

    @property
    def exact(self) -> int:
        """Cases in which every expected call was made with equal arguments, and no other."""
        correct_cases = sum(
            times
            for correct, expected, actual, _, times in self._answered()
            if correct == expected == actual
        )
        return correct_cases - self.differing_cases

    @property
    def exact_interval(self) -> Interval:
        """The 95 % Wilson interval of the share of exact cases.

        The trials of a case count as one observation, since they may be correlated.
        """
        observed = self.distinct_cases
        return wilson(self.exact * observed / self.cases, observed) if observed else wilson(0, 0)

    @property
    def passed(self) -> int:
        """Cases whose score is at least `pass_mark`, and in which nothing forbidden was called."""
        return self.passed_among(self.outcomes)

    def pass_at_k(self) -> list[float]:
        """For k = 1, 2, ...: the probability that one of k trials passes, as a mean over the cases.

        Up to the smallest number of trials that a case has; empty if no case has trials.
        """
        return _mean_chances(self._trial_counts()).at_k

    def pass_hat_k(self) -> list[float]:
        """For k = 1, 2, ...: the probability that all of k trials pass (pass^k), as `pass_at_k`."""
        return _mean_chances(self._trial_counts()).hat_k

    def _mean(self, ratio: Callable[[int, int, int, int], tuple[int, int]]) -> float | None:
        """The mean of a rate of the cases, exact until the last step; a rate of 0 / 0 is 1.

        A case without an answer is 0. None if no case has an answer.
        """
        if not self.scored:
            return None
        from fractions import Fraction

        total = Fraction(0)
        for *outcome, times in self._answered():
            part, whole = ratio(*outcome)
            total += Fraction(part, whole) * times if whole else times
        return float(total / self.cases)

    def _answered(self) -> list[tuple[int, int, int, int, int]]:
        """The outcomes of the scored cases, each with the number of cases that have it."""
        found = self.outcomes.items()
        return [(*outcome, times) for outcome, times in found if outcome != UNANSWERED]

    def passed_among(self, outcomes: Mapping[Outcome, int]) -> int:
        """How many cases with these outcomes passed."""
        pass_mark = self.pass_mark
        return sum(times for outcome, times in outcomes.items() if is_passing(outcome, pass_mark))

    def trial_kinds(self) -> Iterator[tuple[Mapping[Outcome, int], int]]:
        """The outcomes of the cases with trials, and how many cases have these."""
        for outcomes in self.trials.values():
            yield outcomes, 1
        for kind, times in self.other_trials.items():
            yield {(a, b, c, d): each for a, b, c, d, each in kind}, times

    def case_kinds(self) -> Iterator[tuple[Mapping[Outcome, int], int]]:
        """The outcomes of each case, of which most have one, and how many cases have the same."""
        alone = Counter(self.outcomes)
        for outcomes, times in self.trial_kinds():
            alone.subtract({outcome: each * times for outcome, each in outcomes.items()})
            yield outcomes, times
        for outcome, times in alone.items():
            if times > 0:
                yield {outcome: 1}, times

    def _trial_counts(self) -> list[tuple[int, int]]:
        return [
            (_total(outcomes), self.passed_among(outcomes))
            for outcomes, times in self.trial_kinds()
            for _ in range(times)
        ]

    def _clusters(self) -> list[Cluster]:
        """Each case with all its trials is one cluster; equal clusters are counted together."""
        kinds: dict[tuple[float, int], int] = {}
        for outcomes, times in self.case_kinds():
            total = fsum(outcome_f1(outcome) * each for outcome, each in outcomes.items())
            _add_count(kinds, (total, _total(outcomes)), times)
        return [Cluster(total, size, times) for (total, size), times in kinds.items()]


# The fields with one number, and those with a number for each key.
_NUMBERS = (
    *("checked_cases", "checked_calls", "valid_calls", "uncounted_cases"),
    *("differing_cases", "turn_cases", "joined_turn_cases"),
)
_COUNTED = ("outcomes", "wrong_arguments", "confusion", "faults", "wrong_turns", "other_trials")


_LISTED = (*_COUNTED, "trials")
# A key of these, as JSON has it.
_Key = str | int | list[str | int | list[int] | None]


def _pairs(counts: dict[Any, Any]) -> list[Any]:
    return [
        (key, _pairs(value) if isinstance(value, dict) else value) for key, value in counts.items()
    ]


def _counts(pairs: Any) -> dict[Any, Any]:
    return {
        _key(key): _counts(value) if isinstance(value, list | tuple) else value
        for key, value in convert(pairs, list[tuple[_Key, Any]])
    }


def _key(key: Any) -> Any:
    return tuple(map(_key, key)) if isinstance(key, list) else key


def _times(outcomes: Mapping[Outcome, int]) -> list[_Times]:
    return sorted((*outcome, times) for outcome, times in outcomes.items())


def _sorted(counts: dict[Any, Any]) -> dict[Any, Any]:
    def key(item: tuple[Any, Any]) -> Any:
        name = item[0]
        # Of two tools, one may be missing.
        return [(each is not None, each) for each in name] if isinstance(name, tuple) else name

    return dict(sorted(counts.items(), key=key))


def _total(outcomes: Mapping[Outcome, int]) -> int:
    return sum(outcomes.values())


def _add_count(counts: dict[Key, int], key: Key, by: int = 1) -> None:
    counts[key] = counts.get(key, 0) + by


def add_counts(counts: dict[Key, int], others: Mapping[Key, int]) -> None:
    """Add `others` to `counts`."""
    for key, times in others.items():
        _add_count(counts, key, times)


_USUAL = 5
_ONE_CORRECT: ToolOutcome = (1, 0, 0, 0, 0)


def tool_outcomes(score: Score) -> dict[str, ToolOutcome]:
    """The outcome of each tool, by name; a pair counts under the expected name."""
    size = score.equal_start + len(score.other_correct)
    if size == len(score.expected) == len(score.actual):
        once = dict.fromkeys([call.name for call in score.expected], _ONE_CORRECT)
        if len(once) == size:  # as in most cases: each tool is called once
            return once
    counted = Summary()
    counted.add(score)
    return counted.tool_outcomes


class PassRates(NamedTuple):
    """The mean chances for k = 1, 2, ... that one of k trials passes (pass@k), or all (pass^k)."""

    at_k: list[float]
    hat_k: list[float]


def pass_rates(trials: Sequence[CaseTrials]) -> PassRates:
    """pass@k and pass^k, up to the smallest number of trials that a case has.

    Cases without a scored trial are left out; without any other case both are empty.
    """
    scored = [(case.trials, case.passed) for case in trials if case.trials]
    return _mean_chances(scored)


def _mean_chances(cases: list[tuple[int, int]]) -> PassRates:
    """For k = 1, 2, ...: the mean chances over cases, each given as (trials, passed)."""
    fewest = min((trials for trials, _ in cases), default=0)
    chances = {each: chances_of_success(*each, fewest) for each in set(cases)}
    means = [
        [fsum(chances[each][which][k] for each in cases) / len(cases) for k in range(fewest)]
        for which in (0, 1)
    ]
    return PassRates(*means)


def add_strict_counts(summary: Summary, counter: StrictCounter) -> None:
    """Add what was counted from JSON text."""
    add_counts(summary.outcomes, counter.outcomes)
    add_counts(summary.wrong_arguments, counter.wrong_arguments)
    # An expected call that is neither incorrect nor missed is correct.
    for name, times in counter.expected.items():
        summary.tool(name).correct += times
    for name, times in counter.incorrect.items():
        summary.tool(name).incorrect += times
        summary.tool(name).correct -= times
    for names, times in counter.unpaired.items():
        summary.add_unpaired(names, times)
        if names[0] is not None:
            summary.tool(names[0]).correct -= times
