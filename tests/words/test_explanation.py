"""Explanation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import pytest

from callscore import score
from callscore.core.call import ToolCall
from callscore.core.case import Forbidden, Group, Times
from callscore.core.counted_calls import Ignored
from callscore.core.rules import Matcher
from callscore.core.score import Score
from callscore.core.scoring import score_calls
from callscore.core.settings import Mode, Settings
from callscore.words.explanation import (
    expectation_lines,
    explain,
    ignored_items,
    ignored_notes,
    short_name,
)
from callscore.words.unpaired import order_matters

if TYPE_CHECKING:
    from callscore.core.case import Expected

FLEXIBLE = Settings(mode=Mode.FLEXIBLE)


def call(name: str, **arguments: Any) -> ToolCall:
    return ToolCall(name, arguments)


def scored(
    expected: list[ToolCall], actual: list[ToolCall], settings: Settings | None = None
) -> Score:
    return score_calls(tuple(expected), tuple(actual), settings or Settings())


def example() -> Score:
    """Worked example (a): one call right, one with another text, one that nobody expected."""
    return scored(
        [call("searchWeb", query="AI"), call("summarize", text="long")],
        [call("searchWeb", query="AI"), call("summarize", text="short"), call("translateText")],
    )


def test_the_worked_example_is_explained_in_three_steps() -> None:
    assert (
        example().explain()
        == """\
Step 1. Pair each expected call with an actual call of the same tool.
  2 expected calls, 3 actual calls. Strict mode: a pair is correct if all arguments are equal.
  The order of the calls does not matter.
  - expected 1 searchWeb with actual 1: correct, the arguments are equal
  - expected 2 summarize with actual 2: incorrect, the arguments differ
      text: expected "long", got "short"
  - actual 3 translateText: extra, no expected call to pair with
  Correct 1, incorrect 1, missed 0, extra 1.

Step 2. Precision and recall.
  Precision = correct / actual calls = 1 / 3 = 0.333
  Recall = correct / expected calls = 1 / 2 = 0.500

Step 3. F1, the harmonic mean of precision and recall.
  F1 = 2 × precision × recall / (precision + recall), or in calls:
  F1 = 2 × correct / (expected calls + actual calls) = 2 × 1 / (2 + 3) = 0.400

Score: 0.400 (40.0%), Poor: many tool calls are incorrect, missing or extra."""
    )


def test_the_worked_example_is_explained_in_russian() -> None:
    assert (
        example().explain(lang="ru")
        == """\
Шаг 1. Сопоставить каждый ожидаемый вызов с фактическим вызовом того же инструмента.
  2 ожидаемых вызова, 3 фактических вызова. Режим strict: пара верна, если совпадают все аргументы.
  Порядок вызовов не важен.
  - ожидаемый 1 searchWeb и фактический 1: верно, аргументы совпадают
  - ожидаемый 2 summarize и фактический 2: неверно, аргументы различаются
      text: ожидалось "long", получено "short"
  - фактический 3 translateText: лишний, нет ожидаемого вызова для пары
  Верно 1, неверно 1, пропущено 0, лишних 1.

Шаг 2. Precision и recall.
  Precision = верные / фактические вызовы = 1 / 3 = 0.333
  Recall = верные / ожидаемые вызовы = 1 / 2 = 0.500

Шаг 3. F1, гармоническое среднее precision и recall.
  F1 = 2 × precision × recall / (precision + recall), или через число вызовов:
  F1 = 2 × верные / (ожидаемые вызовы + фактические вызовы) = 2 × 1 / (2 + 3) = 0.400

Оценка: 0.400 (40.0%), Плохо: многие вызовы инструментов некорректны, отсутствуют или лишние."""
    )


def test_a_missed_call_is_named() -> None:
    text = explain(scored([call("a"), call("b")], [call("b")]))

    assert "- expected 1 a: missed, no actual call to pair with" in text
    assert "- expected 2 b with actual 1: correct, the arguments are equal" in text


@pytest.mark.parametrize(
    ("given", "verdict"),
    [
        ({"a": 1, "b": 2, "c": 3, "d": 4}, "correct, 4 of 5 arguments = 0.800, at least 0.8"),
        ({"a": 1, "b": 2, "c": 3}, "incorrect, 3 of 5 arguments = 0.600, below 0.8"),
    ],
)
def test_a_flexible_pair_is_explained_by_its_overlap(given: dict[str, int], verdict: str) -> None:
    text = explain(scored([call("f", a=1, b=2, c=3, d=4, e=5)], [call("f", **given)], FLEXIBLE))

    assert f"- expected 1 f with actual 1: {verdict}\n" in text
    assert (
        "Flexible mode: a pair is correct if the share of matching arguments is at least 0.8"
        in text
    )
    assert "e: expected, but not given" in text


def test_extra_arguments_enlarge_the_overlap_where_they_count() -> None:
    settings = Settings(mode=Mode.FLEXIBLE, extra_arguments="count")

    text = explain(scored([call("f", a=1)], [call("f", a=1, b=2)], settings))

    assert "incorrect, 1 of 2 arguments = 0.500, below 0.8" in text


def test_arguments_where_none_were_expected_are_explained_by_the_convention() -> None:
    text = explain(scored([call("f")], [call("f", a=1)], FLEXIBLE))

    assert "incorrect, arguments given where none were expected count as 0.500, below 0.8" in text


def test_an_overlap_just_below_the_threshold_is_not_rounded_up_to_it() -> None:
    wanted = {f"a{number}": number for number in range(1000)}
    settings = Settings(mode=Mode.FLEXIBLE, argument_match_threshold=0.8)
    given = {key: value for key, value in wanted.items() if value < 799}

    text = explain(scored([ToolCall("f", wanted)], [ToolCall("f", given)], settings))

    assert "799 of 1000 arguments = 0.799, below 0.8" in text


def test_a_call_that_accepts_any_arguments_says_so() -> None:
    text = explain(scored([ToolCall("f")], [call("f", a=1)]))

    assert "correct, any arguments are accepted" in text


def test_arguments_that_could_not_be_read_say_why() -> None:
    broken = ToolCall("f", raw="{oops", error="unexpected end")

    text = explain(scored([call("f", a=1)], [broken]))

    assert "incorrect, the arguments cannot be read\n" in text
    assert "the arguments are not a JSON object: unexpected end" in text


def test_many_differences_are_cut_and_counted() -> None:
    text = explain(scored([call("f", a=[0] * 25)], [call("f", a=[1] * 25)]))

    assert "a[19]: expected 0, got 1\n      … 5 more differences" in text


@pytest.mark.parametrize(
    ("order", "rule"),
    [("in_order", "must be made in the expected order"), ("exact", "paired by position")],
)
def test_the_order_is_explained(order: Any, rule: str) -> None:
    assert rule in explain(scored([call("a")], [call("a")], Settings(order=order)))


@pytest.mark.parametrize("order", ["in_order", "exact"])
def test_in_an_order_a_call_may_find_no_partner_although_there_is_one(order: Any) -> None:
    text = explain(scored([call("a"), call("b")], [call("b"), call("a")], Settings(order=order)))

    assert "b: missed, no actual call to pair with in this order" in text
    assert "b: extra, no expected call to pair with in this order" in text


def test_nothing_expected_and_nothing_called_is_right_by_convention() -> None:
    text = explain(scored([], []))

    assert "- no calls to pair" in text
    assert "Precision = 1.000 by convention" in text
    assert "Recall = 1.000 by convention" in text
    assert "F1 = 1.000 by convention" in text
    assert text.endswith("Perfect match: all tool calls match expected calls perfectly.")


def test_a_call_where_none_was_expected_has_full_recall_and_no_precision() -> None:
    text = explain(scored([], [call("a")]))

    assert "Precision = correct / actual calls = 0 / 1 = 0.000" in text
    assert "Recall = 1.000 by convention" in text
    assert "= 2 × 0 / (0 + 1) = 0.000" in text


def test_control_characters_in_a_name_are_spelled_out() -> None:
    assert "\\u001b[31mname" in explain(scored([call("\x1b[31mname")], []))


def test_a_forbidden_call_is_named_and_says_why_the_score_is_0() -> None:
    expectation = (call("a"), Forbidden("delete_*"))
    score = Score(
        (call("a"),),
        (call("a"), call("delete_all"), call("b")),
        1,
        forbidden=(1,),
        expectation=expectation,
    )

    text, russian = explain(score), explain(score, lang="ru")

    assert "Forbidden: delete_*." in text
    assert "- actual 2 delete_all: forbidden, and also counted as extra" in text
    assert "- actual 3 b: extra, no expected call to pair with" in text
    assert "= 2 × 1 / (1 + 3) = 0.500\n  A forbidden call was made, so the score is 0." in text
    assert text.endswith("Poor: many tool calls are incorrect, missing or extra.")
    assert "- фактический 2 delete_all: запрещён, учитывается и как лишний" in russian
    assert "Выполнен запрещённый вызов, поэтому оценка 0." in russian


def test_calls_that_do_not_count_are_named_first() -> None:
    ignored = (Ignored(call("get_user"), "actual", "read"),)
    score = Score((call("a"),), (call("a"),), 1, ignored=ignored)

    lines = explain(score).split("\n")

    assert lines[1:4] == [
        "  Calls that do not count under these settings:",
        "  - actual get_user: the tool only reads",
        "  1 expected call, 1 actual call. Strict mode: a pair is correct if all arguments are equal.",
    ]


def test_groups_are_settled_before_the_calls_are_paired() -> None:
    expectation = (Group("one_of", (call("a"), Group("in_order", (call("b"), call("c"))))),)
    score = Score(
        (call("b"), call("c")), (call("c"), call("b")), 0, ((1, 0),), expectation=expectation
    )

    text = explain(score)

    assert "resolved first: 2 of the 3 calls in the reference count.\n" in text
    assert "Calls in an `in_order` group must be made in that order.\n" in text
    assert "- expected 1 b: missed, no actual call to pair with in this order" in text


def test_only_calls_that_the_order_keeps_apart_are_said_to_be_so() -> None:
    chain = Group("in_order", (call("login"), call("pay")))
    expected = (chain, call("other"))

    text = explain(score_calls(expected, (call("pay"), call("login"), call("x")), Settings()))

    assert text.count("in this order") == 2
    assert "other: missed, no actual call to pair with" in text
    assert "x: extra, no expected call to pair with" in text


def test_an_optional_call_with_other_arguments_says_what_would_have_been_allowed() -> None:
    expected = (call("book"), Group("optional", (call("weather", city="Oslo"),)))
    score = score_calls(expected, (call("book"), call("weather", city="Rome")), Settings())

    text, russian = explain(score), explain(score, lang="ru")

    assert "  Not counted: weather.\n" in text
    assert (
        '- actual 2 weather(city="Rome"): extra,'
        ' differs from the call in the reference: weather(city="Oslo")\n'
    ) in text
    assert '- фактический 2 weather(city="Rome"): лишний, отличается' in russian


def test_a_value_that_meets_a_rule_is_as_expected_and_not_the_same() -> None:
    wanted = call("f", a=Matcher("$type", "number"))

    text = explain(Score((wanted,), (call("f", a=1),), 0, ((0, 0),)))

    assert "must satisfy the rule instead." in text
    assert "correct, the arguments match" in text
    assert "rule for a value" not in explain(example())


def test_rules_of_the_settings_are_rules_too() -> None:
    settings = Settings(arrays="unordered")

    text = explain(
        Score((call("f", a=[1, 2]),), (call("f", a=[2, 1]),), 0, ((0, 0),), (), settings)
    )

    assert "must satisfy the rule instead." in text
    assert "correct, the arguments match" in text


# Which calls count, in words.

A, B, C = (ToolCall(name, {}) for name in "abc")
Why = Literal["read", "failed", "repeated"]


def ignored(side: Literal["expected", "actual"], *whys: Why, name: str = "get") -> list[Ignored]:
    return [Ignored(ToolCall(name, {}), side, why) for why in whys]


def without(*calls: Ignored) -> Score:
    return Score((), (), 0, ignored=calls)


def written(*expectation: Expected, counting: int = 1, order: Any = "any") -> Score:
    return Score((A,) * counting, (), 0, settings=Settings(order=order), expectation=expectation)


def test_where_every_call_counts_nothing_is_said() -> None:
    assert ignored_notes(without(), "en") == []
    assert list(ignored_items(without(), "en")) == []


def test_calls_that_do_not_count_are_counted_by_side_and_reason() -> None:
    calls = [
        *ignored("actual", "repeated", "read", "read", "failed", "read", "read", "read"),
        *ignored("expected", "read"),
    ]

    assert ignored_notes(without(*calls), "en") == [
        "… 1 expected call not counted: 1 read",
        "… 7 actual calls not counted: 5 reads, 1 failed, 1 repeated",
    ]
    assert ignored_notes(without(*calls), "ru") == [
        "… не учтено: 1 ожидаемый вызов (1 чтение)",
        "… не учтено: 7 фактических вызовов (5 чтений, 1 неудачный, 1 повтор)",
    ]


def test_calls_that_do_not_count_are_listed_once_for_each_tool_and_reason() -> None:
    calls = [
        *ignored("expected", "read"),
        *ignored("actual", "read", "read", "failed"),
        *ignored("actual", "repeated", name="bo\nok"),
    ]

    assert list(ignored_items(without(*calls), "en")) == [
        "Calls that do not count under these settings:",
        "- expected get: the tool only reads",
        "- actual get (2 times): the tool only reads",
        "- actual get: the result was an error",
        "- actual bo\\nok: exact repeat of an earlier call",
    ]
    assert list(ignored_items(without(*calls), "ru"))[2] == (
        "- фактический get (2 раза): инструмент только читает"
    )


def test_a_long_list_of_such_calls_is_cut_and_says_how_much_is_left() -> None:
    calls = [call for number in range(25) for call in ignored("actual", "read", name=f"t{number}")]

    lines = list(ignored_items(without(*calls), "en"))

    assert len(lines) == 22
    assert lines[-1] == "  … 5 more"


def test_a_list_of_plain_calls_needs_no_words() -> None:
    assert expectation_lines(Score((A,), (), 0), "en") == []
    assert expectation_lines(written(A), "en") == []


@pytest.mark.parametrize(
    "choice",
    [Group("one_of", (A, Group("in_order", (B, C)))), Group("optional", (A,)), Times(A, 1, 3)],
)
def test_where_there_is_a_choice_it_is_said_how_many_calls_count(choice: Expected) -> None:
    line, *_ = expectation_lines(written(choice, B, counting=2), "en")

    calls = 4 if isinstance(choice, Group) and choice.kind == "one_of" else 2
    assert line == (
        "Alternatives, optional calls and repeats are resolved first: "
        f"2 of the {calls} calls in the reference count."
    )


def test_the_calls_that_were_written_and_do_not_count_are_named() -> None:
    other = ToolCall("a", {"n": 1})
    score = written(A, *[Group("optional", (call,)) for call in (B, C, C, other)])

    _, line = expectation_lines(score, "en")
    _, russian = expectation_lines(score, "ru")

    assert line == "Not counted: b, c (2 times), a(n=1)."
    assert russian == "Не учитываются: b, c (2 раза), a(n=1)."


def test_a_long_list_of_what_does_not_count_is_cut() -> None:
    score = written(A, *[Group("optional", (ToolCall(f"t{n}", {}),)) for n in range(25)])

    _, line = expectation_lines(score, "en")

    assert line.endswith(", t19, … 5 more.")


def test_where_all_that_was_written_counts_nothing_more_is_said() -> None:
    assert len(expectation_lines(written(Group("optional", (A,))), "en")) == 1


def test_a_group_that_does_not_follow_the_order_of_the_list_is_mentioned() -> None:
    ordered, free = Group("in_order", (A, B)), Group("any_order", (A, B))
    ordered_line = "Calls in an `in_order` group must be made in that order."
    free_line = "Calls in an `any_order` group may be made in any order."

    assert expectation_lines(written(ordered), "en") == [ordered_line]
    assert expectation_lines(written(Group("any_order", (ordered, C))), "en") == [ordered_line]
    assert expectation_lines(written(free), "en") == []
    assert expectation_lines(written(free, order="in_order"), "en") == [free_line]
    assert expectation_lines(written(ordered, order="in_order"), "en") == []


def test_what_must_not_be_called_is_named() -> None:
    score = written(A, Forbidden("delete_*"), Forbidden("\x1b[31m"))

    assert expectation_lines(score, "en") == ["Forbidden: delete_*, \\u001b[31m."]
    assert expectation_lines(score, "ru") == ["Запрещено вызывать: delete_*, \\u001b[31m."]


def test_order_matters_where_the_settings_or_a_group_anywhere_say_so() -> None:
    ordered = Group("in_order", (A, B))

    assert not order_matters(Score((A,), (), 0))
    assert not order_matters(written(Group("any_order", (A, B))))
    assert order_matters(written(Group("one_of", (A, ordered))))
    assert order_matters(written(A, order="exact"))


def test_groups_nested_ten_thousand_deep_are_counted() -> None:
    group = Group("optional", (A,))
    for _ in range(10_000):
        group = Group("optional", (group,))

    assert "of the 1 calls" in expectation_lines(written(group), "en")[0]


def test_a_long_name_is_cut() -> None:
    assert short_name("x" * 500) == "x" * 79 + "…"


def test_an_explanation_is_wrapped_between_words_below_the_start_of_its_lines() -> None:
    text = explain(scored([A], [A]), width=40)

    assert max(map(len, text.split("\n"))) <= 40
    assert "  - expected 1 a with actual 1: correct,\n    the arguments are equal\n" in text
    assert " ".join(text.split()) == " ".join(explain(scored([A], [A])).split())


def test_a_case_without_calls_that_count_has_no_rating() -> None:
    score = Score((), (), 0, ignored=(Ignored(A, "actual", "read"),))

    assert explain(score).endswith(
        "Score: 1.000 (100.0%), no rating: no call counts under these settings."
    )


def test_calls_without_a_partner_are_explained_with_their_arguments() -> None:
    text = explain(scored([call("f", a=1), call("f", a=2)], [call("g", b=3), call("h")]))

    assert "- expected 1 f(a=1): missed" in text
    assert "- expected 2 f(a=2): missed" in text
    assert "- actual 1 g(b=3): extra" in text
    assert "- actual 2 h: extra" in text


def test_names_of_arguments_that_look_the_same_are_explained() -> None:
    text = explain(scored([call("f", city=1)], [ToolCall("f", {"c\u0456ty": 1})]))

    assert "city: expected, but not given (looks the same, differs at character 2:" in text


def test_long_values_have_lines_of_their_own() -> None:
    url = "https://shop.example.com/api/v2/orders/{}/refund?currency=EUR&notify=true"
    score = scored([call("f", url=url.format(17))], [call("f", url=url.format(71))])

    lines = explain(score, width=60).split("\n")

    start = lines.index("      url:")
    assert lines[start + 1 : start + 5] == [
        '        expected "https://shop.example.com/api/v2/orders/17/',
        '        refund?currency=EUR&notify=true"',
        '        got "https://shop.example.com/api/v2/orders/71/',
        '        refund?currency=EUR&notify=true"',
    ]


def test_of_calls_with_wrong_arguments_that_are_free_the_others_count() -> None:
    expected = [("book", {"id": 1}), ("pay", {"id": 1})]
    half = score(expected, [("book", {"id": 2}), ("pay", {"id": 1})], extra_calls="free")

    text = explain(half)

    assert "2 expected calls, 2 actual calls." in text
    assert (
        "  Actual calls that count: 1 of 2, without those with wrong arguments.\n"
        "  Precision = correct / actual calls that count = 1 / 1 = 1.000\n"
    ) in text
    assert "(expected calls + actual calls that count) = 2 × 1 / (2 + 1) = 0.667" in text
    assert "Учтено фактических вызовов: 1 из 2" in explain(half, lang="ru")


def test_a_convention_is_not_said_to_be_about_calls_that_were_not_made() -> None:
    wrong = explain(score([("book", {"id": 1})], [("book", {"id": 2})], extra_calls="free"))
    free = explain(score([], ["look"], extra_calls="free"))
    none = explain(score(["look"], [], extra_calls="free"))

    assert "Precision = 1.000 by convention, because no actual call counts." in wrong
    assert "Precision = 1.000 by convention, because no actual call counts." in free
    assert "F1 = 1.000 by convention, because no call counts on either side." in free
    assert "Precision = 1.000 by convention, because there are no actual calls." in none


def test_where_reads_are_free_calls_with_wrong_arguments_count() -> None:
    text = explain(score([("book", {"id": 1})], [("book", {"id": 2})], extra_calls="reads_free"))

    assert "Precision = correct / actual calls = 0 / 1 = 0.000" in text
    assert "that count" not in text
