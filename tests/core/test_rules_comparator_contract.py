"""What holds for every comparator there is, whatever it is given."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from callscore import expect
from callscore.core.budget import Budget
from callscore.core.expectation_json import matchers_to_json, parse_matchers
from callscore.core.rendering import display_width, render_value
from callscore.core.rules import (
    ABSENT,
    Comparator,
    Context,
    Matcher,
    check_matcher,
    comparators,
    describe_value,
    rules_by_name,
)
from callscore.core.schemas.validation import schema_problem, validation_errors
from callscore.core.settings import Settings
from callscore.core.value_comparison import compare_value, make_context

REFERENCE = Path(__file__).parents[2] / "docs/reference/matchers.md"

every_comparator = pytest.mark.parametrize(
    "comparator", comparators(), ids=lambda comparator: comparator.name
)
every_rule = pytest.mark.parametrize("name", rules_by_name())
every_example = pytest.mark.parametrize(
    ("comparator", "example"),
    [(comparator, example) for comparator in comparators() for example in comparator.examples],
    ids=lambda item: "" if isinstance(item, Comparator) else str(item[0]),
)
# There are many comparators, and few operands that one of them takes.
a_few = settings(max_examples=25, suppress_health_check=[HealthCheck.filter_too_much])

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=[]), max_size=12)
ATOMS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers().map(lambda number: number * 10**400)
    | st.floats()
    | ANY_TEXT
)
VALUES = st.recursive(
    ATOMS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=8,
)
# What some rule takes, beside what none does.
TYPICAL = st.sampled_from(
    [True, "string", ["null", "object"], "2024-01-15", "15 Jan 2024 10:00 GMT", "a+b?", "Paris"]
) | st.datetimes().map(lambda moment: moment.isoformat())
OPERANDS = st.one_of(TYPICAL, st.integers(), st.floats(-1e300, 1e300), ANY_TEXT, VALUES)
OPTIONS = {
    "rel": st.floats(0, 1),
    "abs": st.floats(0, 1e6),
    "similarity": st.floats(0, 1),
    "at_least": st.floats(0, 1),
    "ignore": st.lists(st.sampled_from(["case", "space", "punctuation", "width"])),
}


def judge(question: str, value: Any) -> bool:
    return isinstance(value, str) and value in question


def context() -> Context:
    """A context of its own for each comparison, as each case has its own budget."""
    return make_context(Settings(judge=judge), Budget(10**12))


def deep(levels: int) -> tuple[Any, Any]:
    """Arrays and objects, each inside another, deeper than any interpreter can follow."""
    array: Any = []
    nested: Any = {}
    for _ in range(levels):
        array, nested = [array], {"a": nested}
    return array, nested


DEEP_ARRAY, DEEP_OBJECT = deep(100_000)
HOSTILE_VALUES = {
    "a deep array": DEEP_ARRAY,
    "a deep object": DEEP_OBJECT,
    "nothing": ABSENT,
    "a long text": "a" * 100_000,
    "a huge number": 10**5000,
    "what looks like a rule": {"$gt": 1},
}
RULED = ("a rule", "rules")  # which accept other values than themselves
HOSTILE_OPERANDS = {
    "a deep array": DEEP_ARRAY,
    "a deep object": DEEP_OBJECT,
    "a long text": "(" * 100_000,
    "a huge number": 10**5000,
    "a rule": Matcher("$any"),
    "rules": [Matcher("$any")],
    "no text": "",
}


def matchers_of(comparator: Comparator) -> st.SearchStrategy[Matcher]:
    """Rules of this kind that make sense, those of the examples among them."""
    spelled = [parse_matchers(example[0], where="example") for example in comparator.examples]
    options = st.fixed_dictionaries(
        {}, optional={name: OPTIONS[name] for name in comparator.options if name in OPTIONS}
    )
    made = st.builds(Matcher, st.just(comparator.keys[0]), OPERANDS, options)
    return st.sampled_from(spelled) | made.filter(lambda matcher: check_matcher(matcher) is None)


@every_comparator
def test_a_comparator_has_a_title_examples_and_the_name_of_its_first_key(
    comparator: Comparator,
) -> None:
    assert comparator.title
    assert comparator.examples
    assert comparator.name == comparator.keys[0].removeprefix("$")


@every_comparator
def test_a_comparator_and_its_options_are_in_the_reference(comparator: Comparator) -> None:
    page = REFERENCE.read_text(encoding="utf-8")
    heading = "\n## " + ", ".join(f"`{key}`" for key in comparator.keys) + "\n"
    section = page.partition(heading)[2].partition("\n## ")[0]

    missing = [option for option in comparator.options if f"`{option}`" not in heading + section]

    assert section
    assert not missing


@every_comparator
def test_the_reference_spells_it_as_a_file_and_as_python_do(comparator: Comparator) -> None:
    page = REFERENCE.read_text(encoding="utf-8")
    section = page.partition(f"\n## `{comparator.keys[0]}`")[2].partition("\n## ")[0]
    (spelled,) = re.findall(r"```json\n(.*?)```", section, re.DOTALL)
    code = re.findall(r"```python\n(.*?)\n", section)[0]

    matcher = parse_matchers(msgspec.json.decode(spelled), where="reference")

    assert matcher.key in comparator.keys
    assert repr(eval(code, {"expect": expect})) == repr(matcher)  # noqa: S307  (our own page)


@every_comparator
def test_its_schema_can_be_used_and_tells_an_editor_what_everything_is(
    comparator: Comparator,
) -> None:
    parts = [comparator.schema["value"], *comparator.schema["options"].values()]
    schema = {"definitions": {"value": {}, "values": {"type": "object"}}, "allOf": parts}

    assert schema_problem(schema) is None
    assert all(part["description"].endswith(".") for part in parts)
    assert set(comparator.schema["options"]) == set(comparator.options)


@every_example
def test_an_example_is_spelled_as_its_schema_says(comparator: Comparator, example: Any) -> None:
    defs = {"definitions": {"value": {}, "values": {"type": "object"}}}
    spelled = example[0]
    key = next(key for key in comparator.keys if key in spelled)

    errors = validation_errors(defs | comparator.schema["value"], spelled[key])
    for option, value in spelled.items():
        if option != key:
            errors += validation_errors(defs | comparator.schema["options"][option], value)

    assert not errors


@every_example
def test_an_example_comes_back_as_it_was_spelled(comparator: Comparator, example: Any) -> None:
    matcher = parse_matchers(example[0], where="example")

    assert matcher.key in comparator.keys
    assert matchers_to_json(matcher) == example[0]


@every_example
def test_an_example_accepts_the_one_and_refuses_the_other(
    comparator: Comparator, example: Any
) -> None:
    matcher = parse_matchers(example[0], where="example")
    accepted, refused = (compare_value(matcher, value, context()) for value in example[1:])

    assert comparator.check(matcher) is None
    assert accepted.matched
    assert not refused.matched


@every_rule
@a_few
@given(data=st.data())
def test_a_rule_for_settings_accepts_the_value_itself(name: str, data: st.DataObject) -> None:
    comparator = rules_by_name()[name]
    options = st.fixed_dictionaries(
        {}, optional={option: OPTIONS[option] for option in comparator.options}
    )
    matcher = Matcher(f"${name}", data.draw(OPERANDS), data.draw(options))
    assume(check_matcher(matcher) is None)

    verdict = compare_value(matcher, matcher.value, context())

    assert verdict == (True, 1.0, None, ())


@every_comparator
@a_few
@given(data=st.data(), actual=VALUES)
def test_whatever_is_given_there_is_an_answer_from_0_to_1_and_a_reason(
    comparator: Comparator, data: st.DataObject, actual: Any
) -> None:
    matcher = data.draw(matchers_of(comparator))

    verdict = compare_value(matcher, actual, context())
    said = [describe_value(matcher)]
    if verdict.note is not None:
        said += [verdict.note.text("en"), verdict.note.text("ru")]

    assert 0 <= verdict.value <= 1
    assert verdict.matched or verdict.value < 1
    assert not verdict.matched or (verdict.note is None and not verdict.parts)
    assert all(part.expected is not part.actual for part in verdict.parts)
    assert all(text and text.isprintable() and display_width(text) <= 400 for text in said)


@every_comparator
@pytest.mark.parametrize("kind", HOSTILE_VALUES)
def test_no_value_is_too_deep_or_too_long_or_missing(comparator: Comparator, kind: str) -> None:
    for spelled, _, _ in comparator.examples:
        matcher = parse_matchers(spelled, where="example")

        verdict = compare_value(matcher, HOSTILE_VALUES[kind], context())

        assert 0 <= verdict.value <= 1


@every_comparator
@a_few
@given(operand=VALUES, options=st.dictionaries(ANY_TEXT | st.sampled_from([*OPTIONS]), VALUES))
def test_a_rule_that_makes_no_sense_is_told_so_and_can_be_described(
    comparator: Comparator, operand: Any, options: dict[str, Any]
) -> None:
    matcher = Matcher(comparator.keys[0], operand, options)

    problem = check_matcher(matcher)

    assert problem is None or (problem.endswith((".", "?")) and problem.isprintable())
    assert describe_value(matcher).isprintable()
    assert display_width(describe_value(matcher)) <= 120


@every_comparator
@pytest.mark.parametrize("kind", HOSTILE_OPERANDS)
def test_no_operand_is_too_deep_or_too_long_to_be_checked_and_compared(
    comparator: Comparator, kind: str
) -> None:
    operand = HOSTILE_OPERANDS[kind]
    matcher = Matcher(comparator.keys[0], operand)

    is_usable = check_matcher(matcher) is None
    verdict = compare_value(matcher, operand, context()) if is_usable else None

    assert display_width(describe_value(matcher)) <= 120
    assert verdict is None or verdict.matched or not comparator.is_rule or kind.endswith(RULED)


@every_comparator
def test_rules_can_stand_inside_exactly_where_it_says_so(comparator: Comparator) -> None:
    inside = [[Matcher("$any")], {"a": Matcher("$any")}]
    accepted = [check_matcher(Matcher(comparator.keys[0], value)) is None for value in inside]

    assert any(accepted) == comparator.nests


@every_comparator
@pytest.mark.parametrize("options", [{"abz": 1}, {"$absent": True}, {"": None}])
def test_an_option_that_it_does_not_have_is_refused(
    comparator: Comparator, options: dict[str, Any]
) -> None:
    spelled = parse_matchers(comparator.examples[0][0], where="example")

    problem = comparator.check(Matcher(spelled.key, spelled.value, options))

    assert problem is not None
    assert "unknown option" in problem


@every_comparator
def test_only_the_rules_about_absence_accept_nothing(comparator: Comparator) -> None:
    for spelled, _, _ in comparator.examples:
        matcher = parse_matchers(spelled, where="example")

        is_accepted = compare_value(matcher, ABSENT, context()).matched

        assert is_accepted == comparator.may_be_absent(matcher)
        assert is_accepted == (comparator.name in {"absent", "optional"})


@given(VALUES)
def test_a_plain_value_is_described_as_json(value: Any) -> None:
    assert describe_value(value) == render_value(value)
