"""Summary."""

from __future__ import annotations

from copy import deepcopy
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from msgspec.structs import replace

from callscore.core.call import ToolCall
from callscore.core.counted_calls import Ignored
from callscore.core.score import Fault, FaultKind, Score
from callscore.core.scoring import score_calls
from callscore.core.settings import DEFAULT, Settings
from callscore.core.statistics import bootstrap_mean, wilson
from callscore.core.summary import Summary
from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

# The score of a case, and its id where it is one of several trials.
Scored = tuple[Score, str | None]

ARGUMENTS = st.dictionaries(st.sampled_from("ab"), st.integers(0, 1))
CALLS = st.lists(st.builds(ToolCall, st.sampled_from("fgh"), ARGUMENTS), max_size=4).map(tuple)
READ = Ignored(ToolCall("get", {}), "expected", "read")
KINDS: list[FaultKind] = ["unknown_argument", "wrong_type", "repeat"]


@st.composite
def scores(draw: st.DrawFn) -> Score:
    """Any score; some of its extra calls were forbidden, and its tools may be known."""
    result = score_calls(draw(CALLS), draw(CALLS), DEFAULT)
    paired = {pair.actual_index for pair in result.correct + result.incorrect}
    extra = [position for position in range(len(result.actual)) if position not in paired]
    forbidden = draw(st.sets(st.sampled_from(extra), max_size=2)) if extra else set()
    faults = st.builds(faulty, st.sampled_from(KINDS), st.just(result), st.integers(0, 3))
    found = draw(st.none() | st.lists(faults, max_size=2)) if result.actual else None
    return replace(
        result,
        ignored=draw(st.sampled_from([(), (READ,)])),
        forbidden=tuple(sorted(forbidden)),
        faults=None if found is None else tuple(found),
    )


def faulty(kind: FaultKind, result: Score, index: int) -> Fault:
    position = index % len(result.actual)
    return Fault(kind, result.actual[position].name, position)


SCORED: st.SearchStrategy[Scored] = st.tuples(scores(), st.sampled_from([None, "x", "y"]))


def score(expected: str, actual: str, settings: Settings = DEFAULT) -> Score:
    """A letter is a tool without arguments, a digit the tool `f` with that argument."""

    def call(character: str) -> ToolCall:
        is_digit = character.isdigit()
        return ToolCall("f", {"n": int(character)}) if is_digit else ToolCall(character, {})

    return score_calls(tuple(map(call, expected)), tuple(map(call, actual)), settings)


def summarize(scored: Iterable[Scored], pass_mark: float = 1.0) -> Summary:
    summary = Summary(pass_mark=pass_mark)
    for result, trial_of in scored:
        summary.add(result, trial_of=trial_of)
    return summary


def numbers(summary: Summary) -> dict[str, Any]:
    """Everything that a summary can be asked."""
    found: dict[str, Any] = {
        name: getattr(summary, name)
        for name, member in vars(Summary).items()
        if isinstance(member, property)
    }
    return found | {"pass@k": summary.pass_at_k(), "pass^k": summary.pass_hat_k()}


@examples(max_examples=60)
@given(st.lists(SCORED, max_size=25), st.randoms(use_true_random=False))
def test_any_split_merged_in_any_order_is_the_whole_to_the_last_bit(
    scored: list[Scored], random: Random
) -> None:
    whole = summarize(scored, pass_mark=0.5)
    shuffled = random.sample(scored, len(scored))
    parts = [shuffled[start::4] for start in range(4)]
    summaries = [summarize(part, pass_mark=0.5) for part in parts]

    left, right = deepcopy(summaries[:2]), summaries[2:]
    left[1].merge(left[0])
    right[0].merge(right[1])
    left[1].merge(right[0])

    assert left[1] == whole
    assert numbers(left[1]) == numbers(whole)


@given(st.lists(SCORED, max_size=8))
def test_the_counts_of_a_summary_are_the_sums_over_its_cases(scored: list[Scored]) -> None:
    summary, scores = summarize(scored), [result for result, _ in scored]

    assert summary.cases == len(scores)
    for name in ("correct", "incorrect", "missed", "extra"):
        total = sum(len(getattr(result, name)) for result in scores)
        assert getattr(summary, name) == total
        assert sum(getattr(counts, name) for counts in summary.tools.values()) == total
    assert summary.total_expected == sum(result.total_expected for result in scores)
    assert summary.total_actual == sum(result.total_actual for result in scores)
    assert summary.exact == sum(result.is_exact for result in scores)
    assert summary.passed == sum(result.passed for result in scores)
    assert summary.forbidden == sum(len(result.forbidden) for result in scores)
    assert summary.forbidden == sum(counts.forbidden for counts in summary.tools.values())
    assert summary.forbidden_cases == sum(bool(result.forbidden) for result in scores)
    empty = [result for result in scores if not result.expected and not result.actual]
    assert summary.uncounted_cases == sum(bool(result.ignored) for result in empty)


@given(st.lists(SCORED, max_size=8))
def test_the_faults_of_a_summary_are_the_sums_over_the_cases_that_were_checked(
    scored: list[Scored],
) -> None:
    summary = summarize(scored)

    checked = [result for result, _ in scored if result.faults is not None]
    shares = [(result.parameters_valid or 0) * len(result.actual) for result in checked]
    assert summary.checked_cases == len(checked)
    assert summary.checked_calls == sum(len(result.actual) for result in checked)
    assert summary.valid_calls == round(sum(shares))
    assert sum(summary.faults.values()) == sum(len(result.faults or ()) for result in checked)


@given(st.lists(SCORED, min_size=1, max_size=8))
def test_macro_is_the_exact_mean_over_cases(scored: list[Scored]) -> None:
    summary = summarize(scored)

    shares = [
        Fraction(2 * len(result.correct), result.total_expected + result.total_actual)
        if result.expected or result.actual
        else Fraction(1)
        for result, _ in scored
        if not result.forbidden
    ]
    shares += [Fraction(0)] * (len(scored) - len(shares))
    assert summary.macro_f1 == float(sum(shares) / len(shares))


def test_a_summary_of_nothing_has_no_mean_and_is_not_nan() -> None:
    summary = Summary()

    assert (summary.cases, summary.exact, summary.passed) == (0, 0, 0)
    assert [summary.macro_f1, summary.macro_precision, summary.macro_recall] == [None] * 3
    assert summary.macro_f1_interval is None
    assert summary.micro_precision == summary.micro_recall == summary.micro_f1 == 1
    assert summary.exact_interval == wilson(0, 0)
    assert summary.pass_at_k() == summary.pass_hat_k() == []


def test_the_interval_of_the_headline_keeps_the_trials_of_a_case_together() -> None:
    good, bad = score("a", "a"), score("a", "b")
    scored = [(result, f"{result.f1}{case}") for case in range(50) for result in (good, bad)]
    trials = summarize([entry for entry in scored for _ in range(4)])
    alone = summarize([(result, None) for result, _ in scored for _ in range(4)])

    assert trials.macro_f1_interval == bootstrap_mean(trials._clusters())
    wide, narrow = trials.macro_f1_interval, alone.macro_f1_interval
    assert wide is not None
    assert narrow is not None
    assert (wide.high - wide.low) / (narrow.high - narrow.low) == pytest.approx(2, rel=0.1)
    assert trials.macro_f1 == alone.macro_f1 == 0.5


def test_summaries_that_pass_from_different_scores_cannot_be_merged() -> None:
    with pytest.raises(InvalidSettings, match="different 'pass_mark'"):
        Summary(pass_mark=0.9).merge(Summary(pass_mark=0.8))
