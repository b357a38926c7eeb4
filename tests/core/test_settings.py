"""What decides a score."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from callscore.core.rules import rules_by_name
from callscore.core.settings import (
    DEFAULT,
    PRESETS,
    ArgumentRule,
    Settings,
    cached_settings,
    get_preset,
    ineffective_settings,
    read_argument_rules,
    resolve_aliases,
    settings_from,
)
from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from callscore.core.call import Effect


def test_the_defaults_are_the_strict_comparison() -> None:
    assert Settings() == DEFAULT
    assert msgspec.to_builtins(DEFAULT) == {
        "mode": "strict",
        "argument_match_threshold": 0.8,
        "order": "any",
        "extra_arguments": "ignore",
        "pass_mark": 1.0,
        "strip_prefix": (),
        "normalize_name": (),
        "count_calls": "all",
        "failed_calls": "count",
        "repeated_calls": "count",
        "arrays": "ordered",
        "nested_objects": "equal",
        "extra_calls": "cost",
        "schema_defaults": "differ",
        "turns": "separate",
        "effects": (),
        "arguments": (),
        "top_k": 1,
        "similarity": None,
        "judge": None,
    }


def test_settings_are_frozen_and_hashable() -> None:
    with pytest.raises(AttributeError):
        DEFAULT.order = "exact"  # type: ignore[misc]

    assert len({DEFAULT, Settings(), Settings(order="exact")}) == 2


EFFECTS: tuple[tuple[str, Effect], ...] = (("get_*", "read"), ("*", "write"))
RULES = (ArgumentRule("*.query", "text", {"similarity": 0.85}), ArgumentRule("*.id", "ignore"))


def alike(left: str, right: str) -> float:
    return float(left == right)


def test_settings_with_everything_in_them_can_be_hashed() -> None:
    first, second = (
        Settings(effects=EFFECTS, arguments=RULES, judge=print, similarity=alike) for _ in range(2)
    )

    assert hash(first) == hash(second)


def test_options_of_rules_that_python_takes_for_equal_are_told_apart() -> None:
    cached_settings(arguments=(ArgumentRule("*.a", "text", {"similarity": 1}),))

    with pytest.raises(InvalidSettings, match="got true"):
        cached_settings(arguments=(ArgumentRule("*.a", "text", {"similarity": True}),))


@pytest.mark.parametrize("build", [Settings, cached_settings, lambda **given: settings_from(given)])
@pytest.mark.parametrize(
    ("given", "same"),
    [
        ({"mode": "STRICT"}, {}),
        ({"mode": "FLEXIBLE"}, {"mode": "flexible"}),
        ({"mode": "Flexible", "order": "IN_ORDER"}, {"mode": "flexible", "order": "in_order"}),
        ({"extra_arguments": "COUNT"}, {"extra_arguments": "count"}),
        ({"normalize_name": ("Case", "DOTS")}, {"normalize_name": ("case", "dots")}),
        ({"count_calls": "Writes"}, {"count_calls": "writes"}),
        ({"failed_calls": "IGNORE"}, {"failed_calls": "ignore"}),
        ({"repeated_calls": "COLLAPSE"}, {"repeated_calls": "collapse"}),
        ({"arrays": "UNORDERED"}, {"arrays": "unordered"}),
        ({"nested_objects": "SUBSET"}, {"nested_objects": "subset"}),
        ({"effects": {"get_*": "READ"}}, {"effects": {"get_*": "read"}}),
        ({"argumentMatchThreshold": 0.5}, {"argument_match_threshold": 0.5}),
    ],
)
def test_words_are_accepted_in_any_case_and_settings_under_their_aliases(
    build: Any, given: dict[str, Any], same: dict[str, Any]
) -> None:
    assert build(**given) == Settings(**same)


def test_a_setting_is_refused_under_both_its_names() -> None:
    with pytest.raises(InvalidSettings, match="are the same setting"):
        resolve_aliases({"argumentMatchThreshold": 0.5, "argument_match_threshold": 0.5})


# How single arguments are compared.


def test_the_options_are_not_those_of_whoever_wrote_them() -> None:
    options = {"similarity": 0.85}
    (rule,) = read_argument_rules({"*.query": {"text": options}})

    options["similarity"] = 2

    assert rule.options == {"similarity": 0.85}


@pytest.mark.parametrize("name", sorted(rules_by_name()))
def test_every_comparator_of_two_values_is_a_rule(name: str) -> None:
    assert read_argument_rules({"*.a": name}) == (ArgumentRule("*.a", name),)


# Settings under a name.


def test_every_preset_names_the_same_settings_so_that_none_is_left_of_another() -> None:
    named = {frozenset(get_preset(name)) for name in PRESETS}

    assert len(named) == 1


def test_a_preset_that_was_changed_by_its_taker_is_as_before() -> None:
    get_preset("strict")["mode"] = "flexible"

    assert get_preset("strict")["mode"] == "strict"


# The settings one by one.


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        (
            Settings(),
            {
                "argument_match_threshold": "mode flexible",
                "extra_arguments": "mode flexible",
                "effects": "count_calls writes",
            },
        ),
        (Settings(mode="flexible"), {"effects": "count_calls writes"}),
        (Settings(mode="flexible", count_calls="writes"), {}),
    ],
)
def test_settings_without_effect_are_found(settings: Settings, found: dict[str, str]) -> None:
    assert ineffective_settings(Settings.__struct_fields__, settings) == found
    assert ineffective_settings(["order"], settings) == {}
