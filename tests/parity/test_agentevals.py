"""agentevals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.parity.configurations.agentevals import measure_for, overrides_of
from tests.parity.nesting import nested

from callscore import InvalidSettings, NotScorable, ToolCall
from callscore.parity.agentevals import trajectory_match

if TYPE_CHECKING:
    from collections.abc import Callable

NAN = float("nan")


def f(**arguments: Any) -> dict[str, Any]:
    return {"name": "f", "arguments": arguments}


def g(**arguments: Any) -> dict[str, Any]:
    return {"name": "g", "arguments": arguments}


def verdict(  # noqa: PLR0913  (the tool's own options, in fewer letters)
    expected: Any,
    actual: Any,
    *,
    mode: Any = "strict",
    arguments: Any = "exact",
    overrides: Any = None,
    one_message: bool = True,
) -> bool:
    return trajectory_match(
        expected,
        actual,
        trajectory_match_mode=mode,
        tool_args_match_mode=arguments,
        tool_args_match_overrides=overrides,
        one_message=one_message,
    )


def test_the_default_is_the_same_calls_with_the_same_arguments() -> None:
    assert trajectory_match([f(a=1)], [f(a=1.0)]) is True
    assert trajectory_match([f(a=1)], [f(a=2)]) is False
    assert trajectory_match([f(a=1)], [g(a=1)]) is False
    assert trajectory_match([], []) is True


@pytest.mark.parametrize(
    ("mode", "with_extra", "with_missing"),
    [
        ("strict", False, False),
        ("unordered", False, False),
        ("subset", False, True),
        ("superset", True, False),
    ],
)
def test_what_may_be_extra_or_missing(mode: Any, with_extra: bool, with_missing: bool) -> None:
    assert verdict([f()], [f(), g()], mode=mode) is with_extra
    assert verdict([f(), g()], [f()], mode=mode) is with_missing
    assert verdict([], [f()], mode=mode) is with_extra
    assert verdict([f()], [], mode=mode) is with_missing
    assert verdict([f(), g()], [g(), f()], mode=mode) is True


@pytest.mark.parametrize(
    ("arguments", "with_extra", "with_missing", "with_other"),
    [
        ("exact", False, False, False),
        ("ignore", True, True, True),
        ("subset", False, True, False),
        ("superset", True, False, False),
    ],
)
def test_which_arguments_match(
    arguments: Any, with_extra: bool, with_missing: bool, with_other: bool
) -> None:
    def matches(actual: dict[str, Any]) -> bool:
        return verdict([f(a=1)], [actual], mode="superset", arguments=arguments)

    assert matches(f(a=1, b=2)) is with_extra
    assert matches(f()) is with_missing
    assert matches(f(a=2)) is with_other
    assert matches(f(a=1)) is True


def test_mode_subset_swaps_the_sides_of_the_arguments_too() -> None:
    expected, extra = [f(a=1)], [f(a=1, b=2)]

    assert verdict(expected, extra, mode="subset", arguments="subset") is True
    assert verdict(expected, extra, mode="subset", arguments="superset") is False


def test_mode_unordered_asks_for_both_directions_of_the_arguments() -> None:
    expected, extra = [f(a=1)], [f(a=1, b=2)]

    assert verdict(expected, extra, mode="unordered", arguments="subset") is False
    assert verdict(expected, extra, mode="unordered", arguments="superset") is False


def test_the_first_that_fits_is_taken_though_another_needs_it() -> None:
    expected, actual = [f(), f(a=1)], [f(a=1), f()]

    assert verdict(expected, actual, mode="superset", arguments="superset") is False
    assert verdict(expected, actual[::-1], mode="superset", arguments="superset") is True


def test_a_call_is_taken_once() -> None:
    assert verdict([f(), f()], [f()], mode="superset") is False
    assert verdict([f(a=1), f(a=1)], [f(a=1)], mode="superset", arguments="ignore") is False


def test_order_matters_between_messages_only() -> None:
    expected, actual = [f(), g()], [g(), f()]

    assert verdict(expected, actual) is True
    assert verdict(expected, actual, one_message=False) is False
    assert verdict(expected, expected, one_message=False) is True


def test_steps_are_messages() -> None:
    packed = [ToolCall("f", {}, step=1), ToolCall("g", {}, step=1)]
    apart = [ToolCall("f", {}, step=1), ToolCall("g", {}, step=3)]

    assert verdict(packed, packed[::-1], one_message=False) is True
    assert verdict(apart, packed) is False
    assert verdict([f(), g()], apart) is False
    assert verdict([f(), g()], apart, one_message=False) is True
    assert verdict([f(), g()], packed, one_message=False) is False


def test_messages_need_the_same_number_of_calls() -> None:
    expected = [ToolCall("f", {}, step=1), ToolCall("f", {}, step=2), ToolCall("f", {}, step=2)]
    actual = [ToolCall("f", {}, step=1), ToolCall("f", {}, step=1), ToolCall("f", {}, step=2)]

    assert verdict(expected, actual) is False
    assert verdict(expected, actual, mode="unordered") is True


def test_an_override_is_for_one_tool() -> None:
    expected, actual = [f(a=1), g(a=1)], [f(a=2), g(a=1)]

    assert verdict(expected, actual, overrides={"f": "ignore"}) is True
    assert verdict(expected, actual, overrides={"g": "ignore"}) is False
    loose = {"f": "exact", "g": "exact"}
    assert verdict(expected, actual, arguments="ignore", overrides=loose) is False


def test_paths_look_into_objects_alone() -> None:
    overrides: dict[str, Any] = {"f": ["a.b", "c"]}

    def matches(expected: dict[str, Any], actual: dict[str, Any]) -> bool:
        return verdict([expected], [actual], overrides=overrides)

    assert matches(f(a={"b": 1, "x": 1}, c=2), f(a={"b": 1}, c=2, d=3)) is True
    assert matches(f(a={"b": 1}), f(a={"b": 2})) is False
    assert matches(f(c=1), f(c=2)) is False
    assert matches(f(a=[1]), f(a="other")) is True


def test_a_path_that_neither_has_is_the_same_on_both_and_a_missing_one_is_null() -> None:
    overrides: dict[str, Any] = {"f": ["nowhere"]}

    assert verdict([f(a=1)], [f(a=2)], overrides=overrides) is True
    assert verdict([f(nowhere=None)], [f()], overrides=overrides) is True
    assert verdict([f(nowhere=0)], [f()], overrides=overrides) is False


@pytest.mark.parametrize("nothing", [[], "", None, ()], ids=repr)
def test_an_empty_override_is_none(nothing: Any) -> None:
    assert verdict([f(a=1)], [f(a=2)], overrides={"f": nothing}) is False


def test_a_word_that_is_no_mode_accepts_everything() -> None:
    typo: Any = {"f": "exakt"}

    assert verdict([f(a=1)], [f(a=2)], overrides=typo) is True


def test_a_function_is_given_the_actual_arguments_first_but_last_in_mode_subset() -> None:
    def grows(given: dict[str, Any], wanted: dict[str, Any]) -> bool:
        return bool(given["a"] > wanted["a"])

    overrides: dict[str, Callable[[dict[str, Any], dict[str, Any]], bool]] = {"f": grows}
    verdicts = {
        mode: verdict([f(a=1)], [f(a=2)], mode=mode, overrides=overrides)
        for mode in ("strict", "superset", "subset", "unordered")
    }
    assert verdicts == {"strict": True, "superset": True, "subset": False, "unordered": False}


def test_nan_is_itself_inside_of_a_value_alone() -> None:
    one, other = [f(a=NAN)], [f(a=float("nan"))]

    assert verdict(one, other) is True
    assert verdict(one, other, arguments="superset") is False
    assert verdict(one, one, arguments="superset") is False
    inside = [f(a=[{"b": float("nan")}])]
    assert verdict([f(a=[{"b": NAN}])], inside, arguments="superset") is True
    assert verdict(one, one, overrides={"f": ["a"]}) is False


@pytest.mark.parametrize(
    ("value", "same"), [((1, "a"), [1, "a"]), ({"a": [0.5, None]}, {"a": [0.5, None]})], ids=repr
)
def test_values_are_compared_as_json_has_them(value: Any, same: Any) -> None:
    assert verdict([f(a=value)], [f(a=same)]) is True


@pytest.mark.parametrize("arguments", ["exact", "superset"])
def test_what_is_nested_too_deep_is_not_scored(arguments: Any) -> None:
    with pytest.raises(NotScorable, match="deep"):
        verdict([f(a=nested())], [f(a=nested())], arguments=arguments)


@pytest.mark.parametrize("value", [10**4300, {1, 2}], ids=["long", "set"])
def test_what_json_cannot_have_is_not_scored(value: Any) -> None:
    with pytest.raises(NotScorable, match="JSON"):
        verdict([f(a=[value])], [f(a=[value])])


def test_a_long_integer_that_python_still_reads_is_itself() -> None:
    assert verdict([f(a=10**4300 - 1)], [f(a=10**4300 - 1)]) is True


def test_a_call_without_arguments_is_not_scored() -> None:
    with pytest.raises(NotScorable, match="without arguments"):
        verdict([f()], [ToolCall("f")])


@pytest.mark.parametrize(
    "options", [{"mode": "any"}, {"arguments": "same"}, {"overrides": {"f": ("a",)}}], ids=repr
)
def test_options_that_are_none_are_refused(options: Any) -> None:
    with pytest.raises(InvalidSettings):
        verdict([f()], [f()], **options)


def test_the_name_of_a_configuration_says_all_overrides() -> None:
    text = "get_weather:[city],book:[opt.a,id],search:ignore,web:[],x/y z:subset"

    assert overrides_of(text) == {
        "get_weather": ["city"],
        "book": ["opt.a", "id"],
        "search": "ignore",
        "web": [],
        "x/y z": "subset",
    }


def test_the_name_of_a_configuration_says_how_calls_are_packed() -> None:
    one, each = (
        measure_for("strict/exact/one_message"),
        measure_for("strict/exact/message_per_call"),
    )

    assert one is not None
    assert each is not None
    assert (one([f(), g()], [g(), f()]), each([f(), g()], [g(), f()])) == (True, False)
    assert measure_for("loose/exact") is None
