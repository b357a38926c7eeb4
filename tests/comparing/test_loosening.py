"""Looser, stricter or only different: expectations and settings of two runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from callscore.comparing.loosening import (
    expectation_direction,
    setting_changes,
)
from callscore.core.call import ToolCall
from callscore.core.scoring import score_calls
from callscore.core.settings import DEFAULT, Settings
from callscore.formats.case_sides import read_expected_side

if TYPE_CHECKING:
    from callscore.comparing.changes import Direction


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


F, G, H = call("f", a="x"), call("g"), call("h")


def of(value: Any) -> list[Any]:
    """One call whose argument is expected like this."""
    return [call("f", a=value)]


# The first asks for more than the second.
PAIRS: list[tuple[list[Any] | None, list[Any] | None]] = [
    ([F, G], [F]),
    ([F], []),
    ([F], None),
    ([F], [{"optional": F}]),
    ([F], [{"one_of": [F, G]}]),
    ([{"one_of": [F, G]}], [{"one_of": [F, G, H]}]),
    ([F, G], [{"any_order": [F, G]}]),
    ([{"in_order": [F, G]}], [F, G]),
    ([{"in_order": [F, G]}], [{"any_order": [F, G]}]),
    ([{"turn": [F]}, {"turn": [G]}], [F, G]),
    ([{"turn": [F]}, {"turn": [G]}], [{"turn": [F]}, {"turn": []}]),
    ([F, {"forbid": "rm"}], [F]),
    ([F], [F, {"optional": G}]),
    ([F], [{**F, "times": {"min": 0, "max": 3}}]),
    ([{**F, "times": {"min": 1, "max": 2}}], [{**F, "times": {"min": 1}}]),
    ([call("f", a="x", b=1)], [F]),
    ([F], [{"name": "f"}]),
    (of("x"), of({"$any": True})),
    (of("x"), of({"$regex": "x|y"})),
    (of("x"), of({"$contains": "x"})),
    (of("x"), of({"$one_of": ["x", "y"]})),
    (of("x"), of({"$type": "string"})),
    (of("x"), of({"$optional": "x"})),
    (of([1, 2]), of({"$unordered": [1, 2]})),
    (of({"b": 1}), of({"$subset": {}})),
    (of({"b": {"c": 1}}), of({"b": {"c": {"$any": True}}})),
    (of({"b": [{"$regex": "x"}]}), of({"b": [{"$any": True}]})),
    (of({"$regex": "x"}), of({"$any": True})),
    (of({"$one_of": ["x"]}), of({"$one_of": ["x", "y"]})),
    (of({"$approx": 1, "abs": 0.1}), of({"$approx": 1, "abs": 0.2})),
    (of({"$text": "a b", "similarity": 0.9}), of({"$text": "a b", "similarity": 0.1})),
    (of({"$lt": 1}), of({"$lt": 2})),
    (of({"$gte": 1, "$lt": 2}), of({"$gte": 1})),
]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (of("x"), of("y")),
        (of("x"), of({"$regex": "y"})),
        (of("x"), of({"$judge": "polite"})),
        (of({"$regex": "x"}), of({"$regex": "y"})),
        (of({"$regex": "x"}), of({"$contains": "x"})),
        (of({"$regex": "x"}), of("y")),
        (of({"b": {"$any": True}}), of({"c": {"$any": True}})),
        (of([{"$any": True}]), of({"b": {"$any": True}})),
        ([F], [G]),
        ([{"turn": [F]}, {"turn": [G]}], [{"turn": [F, G]}]),
        ([F, G], [G, F]),
        ([{"one_of": [F, G]}], [{"one_of": [F, H]}]),
        ([call("f", a=1)], [{"one_of": [call("f", a=2), G]}]),
        ([{"python": "1"}], [{"python": "2"}]),
        ([{"python": "1"}], [F]),
        ([F], [{**F, "times": "often"}]),
        ([{"name": "f", "raw": "1"}], [{"name": "f", "raw": "2"}]),
        ([F] * 201, [F] * 202),
    ],
)
def test_a_change_that_is_not_certainly_looser_or_stricter_is_different(
    before: list[Any], after: list[Any]
) -> None:
    assert expectation_direction(before, after) == "different"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([F, G], [F, {"forbid": "never"}]),
        ([F, G, H], [F, call("new")]),
        ([call("f", a="x", b=1)], [call("f", a={"$any": True}, b=2)]),
        ([F], [{"optional": F}, G]),
        ([F, {"forbid": "rm"}], [F, G]),
    ],
)
def test_an_addition_does_not_make_up_for_what_is_looser(
    before: list[Any], after: list[Any]
) -> None:
    assert expectation_direction(before, after) == "looser"


def test_nested_too_deeply_is_different() -> None:
    before: Any = {"$regex": "x"}
    after: Any = {"$any": True}
    for _ in range(200):
        before, after = {"b": before}, {"b": after}

    assert expectation_direction(of(before), of(after)) == "different"


def test_a_looser_rule_accepts_the_exact_call_that_was_expected() -> None:
    """Where the strict side is one plain call, the loose side accepts it."""
    tried = 0
    for strict, loose in PAIRS:
        match strict:
            case [{"name": name, "arguments": dict(arguments), **others}] if (
                loose and not others and "$" not in str(arguments) and "b" not in arguments
            ):
                expected = read_expected_side(loose, where="x", spelled=True)
                actual = (ToolCall(name, arguments),)
                assert score_calls(tuple(expected), actual, DEFAULT).f1 == 1.0
                tried += 1
    assert tried > 10


SETTINGS: list[tuple[str, Any, Any, Direction]] = [
    ("mode", "strict", "flexible", "looser"),
    ("order", "exact", "any", "looser"),
    ("order", "any", "in_order", "stricter"),
    ("extra_arguments", "count", "ignore", "looser"),
    ("count_calls", "all", "writes", "looser"),
    ("failed_calls", "count", "ignore", "different"),
    ("failed_calls", "ignore", "count", "different"),
    ("repeated_calls", "count", "collapse", "looser"),
    ("arrays", "ordered", "unordered", "looser"),
    ("nested_objects", "equal", "subset", "looser"),
    ("pass_mark", 1.0, 0.5, "looser"),
    ("pass_mark", 0.5, 1.0, "stricter"),
    ("argument_match_threshold", 0.8, 0.2, "looser"),
    ("top_k", 1, 3, "looser"),
    ("strip_prefix", [], ["a_*"], "looser"),
    ("normalize_name", ["case"], [], "different"),
    ("arguments", [], [{"pattern": "*.q", "rule": "ignore"}], "looser"),
    ("arguments", [{"pattern": "*.q"}], [{"pattern": "*.r"}], "different"),
    ("scorers", ["accuracy", "mine"], ["accuracy"], "looser"),
    ("scorers", ["accuracy"], ["accuracy", "mine"], "stricter"),
    ("order", "in_order", "in_turns", "looser"),
    ("order", "any", "in_turns", "stricter"),
    ("extra_calls", "cost", "reads_free", "looser"),
    ("extra_calls", "free", "reads_free", "stricter"),
    ("schema_defaults", "differ", "equal", "looser"),
    ("turns", "separate", "cumulative", "looser"),
    ("judge", None, {"model": "m"}, "different"),
    ("effects", [], [["get_*", "read"]], "different"),
    ("order", None, "any", "different"),
]


@pytest.mark.parametrize(("name", "before", "after", "direction"), SETTINGS)
def test_a_setting_is_looser_or_stricter_only_if_that_is_certain(
    name: str, before: Any, after: Any, direction: Direction
) -> None:
    [change] = setting_changes("suite", {name: before}, {name: after})

    assert change.direction == direction


def test_every_setting_has_a_direction_or_is_known_to_have_none() -> None:
    named = {name for name, *_ in SETTINGS} | {"similarity"}

    assert set(DEFAULT.__struct_fields__) <= named


_VALUES = st.sampled_from([1, [1, 2], [2, 1], {"a": 1}, {"a": 1, "b": 2}])
_CALLS = st.builds(
    ToolCall,
    name=st.sampled_from(["get_a", "set_b", "Set_B", "set_c"]),
    arguments=st.dictionaries(st.sampled_from("xy"), _VALUES, max_size=2),
    failed=st.sampled_from([None, None, True]),
)
_CHOICES: dict[str, list[Any]] = {
    "mode": ["strict", "flexible"],
    "argument_match_threshold": [0.5, 0.8],
    "order": ["any", "in_order", "in_turns", "exact"],
    "extra_arguments": ["ignore", "count"],
    "pass_mark": [1.0, 0.7, 0.5],
    "normalize_name": [(), ("case",)],
    "count_calls": ["all", "writes"],
    "failed_calls": ["count", "ignore"],
    "repeated_calls": ["count", "collapse"],
    "arrays": ["ordered", "unordered"],
    "nested_objects": ["equal", "subset"],
    "extra_calls": ["cost", "reads_free", "free"],
    "effects": [(), (("set_b", "read"),), (("*", "read"),)],
}
_SETTINGS = st.fixed_dictionaries(
    {"pass_mark": st.sampled_from(_CHOICES["pass_mark"])},
    optional={
        name: st.sampled_from(values) for name, values in _CHOICES.items() if name != "pass_mark"
    },
)


@examples(max_examples=3000)
@given(
    expected=st.lists(_CALLS, max_size=3),
    more=st.lists(_CALLS, max_size=2),
    settings=_SETTINGS,
    name=st.sampled_from(sorted(_CHOICES)),
    drawn=st.data(),
)
def test_a_case_that_failed_does_not_pass_by_a_stricter_setting(
    expected: list[ToolCall],
    more: list[ToolCall],
    settings: dict[str, Any],
    name: str,
    drawn: st.DataObject,
) -> None:
    made = drawn.draw(st.permutations([*expected, *more]))[: drawn.draw(st.integers(1, 5))]
    plain = [ToolCall(each.name, each.arguments) for each in expected]
    values = drawn.draw(st.permutations(_CHOICES[name]))[:2]
    before, after = ({**settings, name: value} for value in values)
    [change] = setting_changes("suite", before, after)

    passed = []
    for each in (before, after):
        score = score_calls(tuple(plain), tuple(made), Settings(**each))
        passed.append(score.f1 >= each["pass_mark"])

    assert change.direction != "stricter" or passed != [False, True]
