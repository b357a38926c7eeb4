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
from callscore.core.case import Group
from callscore.core.counted_calls import Ignored
from callscore.core.results import CaseTrials
from callscore.core.score import Fault, FaultKind, Score
from callscore.core.scoring import score_calls
from callscore.core.settings import DEFAULT, Settings
from callscore.core.statistics import bootstrap_mean, wilson
from callscore.core.summary import PassRates, Summary, ToolCounts, add_counts, pass_rates
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


def test_micro_pools_the_calls_and_macro_means_over_the_cases() -> None:
    summary = summarize([(score("abc", "ab"), None), (score("a", "b"), None)])

    assert (summary.micro_precision, summary.micro_recall) == (2 / 3, 2 / 4)
    assert summary.micro_f1 == 4 / 7
    assert (summary.macro_precision, summary.macro_recall) == (1 / 2, 1 / 3)
    assert summary.macro_f1 == 0.4


def test_a_case_that_expects_nothing_is_a_case_like_any_other() -> None:
    summary = summarize([(score("", ""), None), (score("", "a"), None), (score("a", ""), None)])

    assert (summary.macro_precision, summary.macro_recall) == (2 / 3, 2 / 3)
    assert summary.macro_f1 == 1 / 3
    assert summary.exact == 1


def test_a_summary_of_nothing_has_no_mean_and_is_not_nan() -> None:
    summary = Summary()

    assert (summary.cases, summary.exact, summary.passed) == (0, 0, 0)
    assert [summary.macro_f1, summary.macro_precision, summary.macro_recall] == [None] * 3
    assert summary.macro_f1_interval is None
    assert summary.micro_precision == summary.micro_recall == summary.micro_f1 == 1
    assert summary.exact_interval == wilson(0, 0)
    assert summary.pass_at_k() == summary.pass_hat_k() == []


def test_tools_are_counted_each_for_itself() -> None:
    summary = summarize([(score("1ab", "2ac"), None)])

    assert summary.tools == {
        "f": ToolCounts(incorrect=1),
        "a": ToolCounts(correct=1),
        "b": ToolCounts(missed=1),
        "c": ToolCounts(extra=1),
    }
    assert [summary.tools[name].expected for name in "fabc"] == [1, 1, 1, 0]


def test_missed_and_extra_calls_are_set_against_each_other_in_order() -> None:
    summary = summarize([(score("abc", "xy"), None), (score("a", "xyz"), None)])

    assert summary.confusion == {
        ("a", "x"): 2,
        ("b", "y"): 1,
        ("c", None): 1,
        (None, "y"): 1,
        (None, "z"): 1,
    }


def test_wrong_arguments_are_those_of_incorrect_pairs() -> None:
    result = score_calls(
        (ToolCall("f", {"a": 1, "b": 1, "c": 1}), ToolCall("g", {"a": 1})),
        (ToolCall("f", {"a": 1, "b": 2, "d": 1}), ToolCall("g", raw="{", error="unexpected end")),
        DEFAULT,
    )

    summary = summarize([(result, None), (score("1", "1"), None)])

    assert summary.wrong_arguments == {("f", "b"): 1, ("f", "c"): 1, ("f", "d"): 1}
    assert summary.incorrect == 2


def test_a_case_passes_from_what_was_asked_for() -> None:
    scored: list[Scored] = [(score("abc", "ab"), None), (score("a", "a"), None)]

    assert summarize(scored).passed == 1
    assert summarize(scored, pass_mark=0.8).passed == 2


def test_a_case_with_a_forbidden_call_counts_as_0_and_its_calls_as_they_are() -> None:
    result = replace(score("a", "ab"), forbidden=(1,))

    summary = summarize([(result, None), (score("a", "a"), None)], pass_mark=0.0)

    assert (summary.macro_f1, summary.passed) == (0.5, 1)
    assert (summary.macro_precision, summary.macro_recall) == (0.75, 1)
    assert (summary.micro_precision, summary.micro_f1) == (2 / 3, 0.8)
    assert (summary.forbidden, summary.forbidden_cases) == (1, 1)
    assert summary.tools["b"] == ToolCounts(extra=1, forbidden=1)


def test_a_trial_with_a_forbidden_call_does_not_pass_and_weighs_nothing() -> None:
    good, bad = score("a", "a"), replace(score("a", "ab"), forbidden=(1,))

    summary = summarize([(good, "x"), (bad, "x"), (bad, None)], pass_mark=0.5)

    assert summary.pass_hat_k() == [0.5, 0.0]
    assert sorted(summary._clusters()) == [(0.0, 1, 1), (1.0, 2, 1)]


def test_faults_are_counted_by_tool_and_class_and_calls_by_whether_they_are_valid() -> None:
    faults = (
        Fault("unknown_argument", "a", 0),
        Fault("unknown_argument", "a", 0),
        Fault("wrong_type", "b", 1),
        Fault("repeat", "c", 2),
    )
    checked = replace(score("abc", "abc"), faults=faults)

    summary = summarize([(checked, None), (score("a", "a"), None)])

    assert summary.faults == {
        ("a", "unknown_argument"): 2,
        ("b", "wrong_type"): 1,
        ("c", "repeat"): 1,
    }
    assert (summary.checked_cases, summary.checked_calls, summary.valid_calls) == (1, 3, 1)
    assert summary.parameters_valid == 1 / 3
    assert [summary.unknown_arguments(tool) for tool in "ab"] == [2, 0]


def test_without_schemas_nothing_is_said_about_parameters() -> None:
    summary = summarize([(score("a", "a"), None)])

    assert summary.parameters_valid is None
    assert summary.unknown_arguments("a") is None
    assert summarize([(replace(score("a", ""), faults=()), None)]).parameters_valid is None


def test_the_exact_share_has_a_wilson_interval() -> None:
    summary = summarize([(score("a", "a"), None), (score("a", "b"), None), (score("", ""), None)])

    assert summary.exact_interval == wilson(2, 3)


def test_the_trials_of_a_case_are_one_observation_of_the_exact_share() -> None:
    good, bad = score("a", "a"), score("a", "b")
    trials = [(good, "x")] * 3 + [(bad, "x")] + [(good, "y")] * 4

    assert summarize(trials).exact_interval == wilson(7 / 4, 2)
    assert summarize([*trials, (good, None)]).exact_interval == wilson(8 / 3, 3)
    assert summarize([(good, "x")] * 4).exact_interval == wilson(1, 1)


@pytest.mark.parametrize(("cases", "has_interval"), [(1, False), (9, False), (10, True)])
def test_fewer_than_ten_cases_are_too_few_for_a_bootstrap(cases: int, has_interval: bool) -> None:
    good, bad = score("a", "a"), score("a", "b")
    alone = summarize([((good, bad)[case % 2], None) for case in range(cases)])
    trials = summarize([(good, f"case {case}") for case in range(cases) for _ in range(10)])

    assert (alone.macro_f1_interval is not None) == has_interval
    assert (trials.macro_f1_interval is not None) == has_interval


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


def test_cases_with_and_without_trials_go_into_one_interval() -> None:
    good, bad = score("a", "a"), score("a", "b")

    summary = summarize([(good, "x"), (bad, "x"), (good, None), (bad, None)])

    assert sorted(summary._clusters()) == [(0.0, 1, 1), (1.0, 1, 1), (1.0, 2, 1)]


def test_chances_over_trials_are_meaned_over_the_cases() -> None:
    good, bad = score("a", "a"), score("a", "b")
    scored = [(good, "x")] * 4 + [(bad, "x")] + [(bad, "y")] * 5 + [(good, None)]

    summary = summarize(scored)

    assert summary.pass_hat_k() == pytest.approx([0.4, 0.3, 0.2, 0.1, 0.0])
    assert summary.pass_at_k() == pytest.approx([0.4, 0.5, 0.5, 0.5, 0.5])


def test_k_goes_up_to_the_fewest_trials_that_a_case_has() -> None:
    good = score("a", "a")

    summary = summarize([(good, "x"), (good, "x"), (good, "x"), (good, "y"), (good, "y")])

    assert summary.pass_at_k() == summary.pass_hat_k() == [1, 1]


def test_summaries_that_pass_from_different_scores_cannot_be_merged() -> None:
    with pytest.raises(InvalidSettings, match="different 'pass_mark'"):
        Summary(pass_mark=0.9).merge(Summary(pass_mark=0.8))


def test_merging_leaves_the_other_summary_as_it_was() -> None:
    one, other = summarize([(score("1a", "2b"), "x")]), summarize([(score("1a", "2b"), "x")])
    before = deepcopy(other)

    one.merge(other)
    one.merge(other)

    assert other == before
    assert one.cases == 3


def test_counts_add_to_counts() -> None:
    counts = {"a": 1}

    add_counts(counts, {"a": 2, "b": 3})

    assert counts == {"a": 3, "b": 3}


# How often agents succeed when they may try several times.


def test_the_chances_are_meaned_over_the_cases() -> None:
    rates = pass_rates([CaseTrials("always", 3, 3), CaseTrials("now and then", 3, 1)])

    assert rates.at_k == pytest.approx([(1 + 1 / 3) / 2, (1 + 2 / 3) / 2, 1.0])
    assert rates.hat_k == pytest.approx([(1 + 1 / 3) / 2, 0.5, 0.5])


def test_a_case_with_fewer_trials_bounds_how_far_the_chances_go() -> None:
    rates = pass_rates([CaseTrials("three", 3, 3), CaseTrials("one was an error", 2, 2)])

    assert rates == PassRates([1.0, 1.0], [1.0, 1.0])


def test_a_case_without_a_scored_trial_says_nothing() -> None:
    rates = pass_rates([CaseTrials("all errors", 0, 0), CaseTrials("fine", 1, 1)])

    assert rates == PassRates([1.0], [1.0])


def test_without_trials_there_are_no_chances() -> None:
    assert pass_rates([]) == PassRates([], [])
    assert pass_rates([CaseTrials("all errors", 0, 0)]) == PassRates([], [])


def test_a_case_without_an_answer_is_0_in_the_means_and_did_not_pass() -> None:
    summary = Summary(pass_mark=0.0)
    summary.add(score_calls((), (), DEFAULT))
    summary.add_unanswered()

    assert (summary.cases, summary.scored, summary.unanswered) == (2, 1, 1)
    assert (summary.passed, summary.exact) == (1, 1)
    assert (summary.macro_f1, summary.macro_precision, summary.macro_recall) == (0.5, 0.5, 0.5)
    assert (summary.forbidden, summary.forbidden_cases, summary.micro_f1) == (0, 0, 1.0)


def test_without_any_answer_there_is_no_mean() -> None:
    summary = Summary()
    summary.add_unanswered()

    assert (summary.macro_f1, summary.passed, summary.exact) == (None, 0, 0)


def test_a_trial_without_an_answer_belongs_to_its_case() -> None:
    summary = Summary()
    summary.add(score_calls((), (), DEFAULT), trial_of="a")
    summary.add_unanswered(trial_of="a")

    assert (summary.distinct_cases, summary.cases) == (1, 2)
    assert summary.pass_hat_k() == [0.5, 0.0]


def test_cases_with_turns_are_counted_by_the_first_that_went_wrong() -> None:
    expected = (Group("turn", (ToolCall("a", {}),)), Group("turn", (ToolCall("b", {}),)))
    right = (ToolCall("a", {}, turn=0), ToolCall("b", {}, turn=1))
    first, second, whole = Summary(), Summary(), Summary()
    for actual in (right, right[:1], right[1:], (ToolCall("a", {}),), ()):
        scored = score_calls(expected, actual, DEFAULT)
        (first if actual in (right, ()) else second).add(scored)
        whole.add(scored)
    first.merge(second)

    assert (whole.turn_cases, whole.joined_turn_cases) == (4, 1)
    assert whole.wrong_turns == {1: 2, 2: 1}
    assert first == whole
