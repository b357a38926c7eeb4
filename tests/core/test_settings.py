"""What decides a score."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from callscore.core.rules import rules_by_name
from callscore.core.settings import (
    ALIASES,
    DEFAULT,
    PRESETS,
    ArgumentRule,
    Mode,
    SettingOptions,
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


@pytest.mark.parametrize("mode", ["strict", Mode.STRICT, "flexible", Mode.FLEXIBLE])
def test_a_mode_may_be_given_as_text(mode: Mode | str) -> None:
    settings = cached_settings(mode=mode)

    assert settings.mode == str(mode)
    assert settings == Settings(mode=Mode(mode))


NO_DOT = (
    "arguments: 'b' has no dot. Write '*.b' for this argument of any tool, or 'b.*' for all"
    " arguments of this tool"
)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"mode": "fuzzy"}, "mode: unknown value 'fuzzy'. Choose from: strict, flexible."),
        ({"mode": None}, "mode: unknown value None. Choose from: strict, flexible."),
        (
            {"order": "ordered"},
            "order: unknown value 'ordered'. Choose from: any, in_order, exact, in_turns.",
        ),
        (
            {"extra_arguments": "allow"},
            "extra_arguments: unknown value 'allow'. Choose from: ignore, count.",
        ),
        (
            {"argument_match_threshold": 1.01},
            "argument_match_threshold: expected a number from 0 to 1, got 1.01",
        ),
        (
            {"argument_match_threshold": float("nan")},
            "argument_match_threshold: expected a number from 0 to 1, got nan",
        ),
        ({"pass_mark": -0.1}, "pass_mark: expected a number from 0 to 1, got -0.1"),
        ({"pass_mark": "0.9"}, "pass_mark: expected a number from 0 to 1, got '0.9'"),
        ({"pass_mark": True}, "pass_mark: expected a number from 0 to 1, got True"),
        ({"strip_prefix": "mcp__"}, "strip_prefix: expected a tuple of strings, got 'mcp__'"),
        ({"strip_prefix": ("",)}, "strip_prefix: expected a tuple of strings, got ('',)"),
        ({"normalize_name": ["case"]}, "normalize_name: expected a tuple of strings, got ['case']"),
        (
            {"normalize_name": ("snake",)},
            "normalize_name: unknown value 'snake'. Choose from: namespace, dots, case.",
        ),
        ({"count_calls": "write"}, "count_calls: unknown value 'write'. Did you mean 'writes'?"),
        (
            {"failed_calls": "drop"},
            "failed_calls: unknown value 'drop'. Choose from: count, ignore.",
        ),
        (
            {"repeated_calls": "colapse"},
            "repeated_calls: unknown value 'colapse'. Did you mean 'collapse'?",
        ),
        ({"arrays": []}, "arrays: unknown value []. Choose from: ordered, unordered."),
        (
            {"nested_objects": "any"},
            "nested_objects: unknown value 'any'. Choose from: equal, subset.",
        ),
        (
            {"effects": "read"},
            """effects: expected a mapping such as {"get_*": "read"}, got 'read'""",
        ),
        (
            {"effects": {"get_*": "raed"}},
            "effects: 'get_*': unknown value 'raed'. Did you mean 'read'?",
        ),
        ({"effects": {"": "read"}}, "effects: expected a tool name or a pattern, got ''"),
        (
            {"effects": [("a",)]},
            """effects: expected a mapping such as {"get_*": "read"}, got [('a',)]""",
        ),
        ({"arguments": {"*.a": "ignore", "b": "date"}}, NO_DOT),
        ({"top_k": 0}, "top_k: expected an integer ≥ 1, got 0"),
        ({"top_k": True}, "top_k: expected an integer ≥ 1, got True"),
        ({"top_k": 2.0}, "top_k: expected an integer ≥ 1, got 2.0"),
        ({"similarity": 0.8}, "similarity: expected a function, got 0.8"),
        ({"judge": "gpt"}, "judge: expected a function, got 'gpt'"),
    ],
)
def test_a_wrong_setting_is_refused_with_what_it_can_be(
    wrong: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidSettings) as caught:
        Settings(**wrong)

    assert str(caught.value) == message


@pytest.mark.parametrize("share", [0, 0.5, 1])
def test_the_bounds_of_a_share_are_allowed(share: float) -> None:
    settings = Settings(argument_match_threshold=share, pass_mark=share)

    assert (settings.argument_match_threshold, settings.pass_mark) == (share, share)


def test_settings_are_frozen_and_hashable() -> None:
    with pytest.raises(AttributeError):
        DEFAULT.order = "exact"  # type: ignore[misc]

    assert len({DEFAULT, Settings(), Settings(order="exact")}) == 2


VALUES = {
    "mode": "flexible",
    "argument_match_threshold": 0.5,
    "order": "in_order",
    "extra_arguments": "count",
    "pass_mark": 0.9,
    "strip_prefix": ("mcp__*__",),
    "normalize_name": ("dots", "case"),
}


def test_the_same_values_give_the_same_settings() -> None:
    first = cached_settings(**VALUES)

    assert cached_settings(**VALUES) is first
    assert first == Settings(
        mode=Mode.FLEXIBLE,
        argument_match_threshold=0.5,
        order="in_order",
        extra_arguments="count",
        pass_mark=0.9,
        strip_prefix=("mcp__*__",),
        normalize_name=("dots", "case"),
    )


def test_what_was_given_before_does_not_change_what_is_refused() -> None:
    cached_settings(argument_match_threshold=1)

    with pytest.raises(
        InvalidSettings, match="argument_match_threshold: expected a number from 0 to 1, got True"
    ):
        cached_settings(argument_match_threshold=True)


EFFECTS: tuple[tuple[str, Effect], ...] = (("get_*", "read"), ("*", "write"))
RULES = (ArgumentRule("*.query", "text", {"similarity": 0.85}), ArgumentRule("*.id", "ignore"))


@pytest.mark.parametrize("effects", [dict(EFFECTS), EFFECTS, [list(pair) for pair in EFFECTS]])
def test_effects_are_kept_as_pairs_in_their_order(effects: Any) -> None:
    assert Settings(effects=effects).effects == EFFECTS


def test_rules_for_arguments_are_kept_as_rules() -> None:
    written: Any = {"*.query": {"text": {"similarity": 0.85}}, "*.id": "ignore"}

    assert Settings(arguments=written).arguments == RULES
    assert Settings(arguments=RULES) == Settings(arguments=written)


def alike(left: str, right: str) -> float:
    return float(left == right)


def test_settings_with_everything_in_them_can_be_hashed() -> None:
    first, second = (
        Settings(effects=EFFECTS, arguments=RULES, judge=print, similarity=alike) for _ in range(2)
    )

    assert hash(first) == hash(second)


def test_values_that_cannot_be_looked_up_give_settings_all_the_same() -> None:
    assert cached_settings(effects=dict(EFFECTS)) == Settings(effects=EFFECTS)
    assert cached_settings(arguments=RULES, judge=print) == Settings(arguments=RULES, judge=print)


def test_options_of_rules_that_python_takes_for_equal_are_told_apart() -> None:
    cached_settings(arguments=(ArgumentRule("*.a", "text", {"similarity": 1}),))

    with pytest.raises(InvalidSettings, match="got true"):
        cached_settings(arguments=(ArgumentRule("*.a", "text", {"similarity": True}),))


def test_values_that_are_all_defaults_give_the_default() -> None:
    assert cached_settings(mode="strict", top_k=1) is DEFAULT
    assert settings_from({}) is DEFAULT


@pytest.mark.parametrize("prefixes", ["mcp__*__", ["mcp__*__"], ("mcp__*__",)])
def test_a_single_text_will_do_where_several_may_be_given(prefixes: Any) -> None:
    assert settings_from({"strip_prefix": prefixes}).strip_prefix == ("mcp__*__",)


def test_single_settings_override_a_preset() -> None:
    settings = settings_from({"arrays": "ordered", "order": "exact"}, preset="outcome")

    assert settings == Settings.preset("outcome", arrays="ordered", order="exact")
    assert (settings.count_calls, settings.arrays, settings.order) == ("writes", "ordered", "exact")


@pytest.mark.parametrize("build", [Settings, cached_settings, lambda **given: settings_from(given)])
@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("modee", ". Did you mean 'mode'?"),
        ("ordr", ". Did you mean 'order'?"),
        ("threshold", ". Did you mean 'argument_match_threshold'?"),
        ("colour", f". Choose from: {', '.join(Settings.__struct_fields__)}."),
    ],
)
def test_an_unknown_setting_is_refused_with_the_nearest(build: Any, name: str, hint: str) -> None:
    with pytest.raises(InvalidSettings) as caught:
        build(**{name: 1})

    assert str(caught.value) == f"unknown setting {name!r}{hint}"


def test_settings_take_keywords_only() -> None:
    with pytest.raises(TypeError):
        Settings("strict")  # type: ignore[call-arg]


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


@pytest.mark.parametrize("preset", ["OUTCOME", "Outcome"])
def test_a_preset_is_accepted_in_any_case(preset: str) -> None:
    assert settings_from({}, preset=preset) == Settings.preset("outcome")


def test_a_setting_is_refused_under_both_its_names() -> None:
    with pytest.raises(InvalidSettings, match="are the same setting"):
        resolve_aliases({"argumentMatchThreshold": 0.5, "argument_match_threshold": 0.5})


# How single arguments are compared.


def test_a_mapping_becomes_rules_in_its_order() -> None:
    written = {
        "book_flight.date": "date",
        "*.query": {"text": {"similarity": 0.85}},
        "api.v2.search.*_id": "ignore",
    }

    assert read_argument_rules(written) == (
        ArgumentRule("book_flight.date", "date"),
        ArgumentRule("*.query", "text", {"similarity": 0.85}),
        ArgumentRule("api.v2.search.*_id", "ignore"),
    )


def test_rules_are_taken_as_they_are() -> None:
    rule = ArgumentRule("*.query", "text", {"ignore": ["case"]})

    assert read_argument_rules([rule]) == read_argument_rules((rule,)) == (rule,)


def test_the_options_are_not_those_of_whoever_wrote_them() -> None:
    options = {"similarity": 0.85}
    (rule,) = read_argument_rules({"*.query": {"text": options}})

    options["similarity"] = 2

    assert rule.options == {"similarity": 0.85}


def test_equal_rules_have_the_same_hash() -> None:
    first, second = (ArgumentRule("*.query", "text", {"similarity": 1}) for _ in range(2))

    assert len({first, second}) == 1


@pytest.mark.parametrize("name", sorted(rules_by_name()))
def test_every_comparator_of_two_values_is_a_rule(name: str) -> None:
    assert read_argument_rules({"*.a": name}) == (ArgumentRule("*.a", name),)


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        (
            {"query": "text"},
            (
                "arguments: 'query' has no dot. Write '*.query' for this argument of any tool,"
                " or 'query.*' for all arguments of this tool"
            ),
        ),
        ({".query": "text"}, "arguments: '.query' has no tool before the dot; '*' matches any"),
        (
            {"search.": "text"},
            "arguments: 'search.' has no argument after the dot; '*' matches any",
        ),
        ({"": "text"}, "arguments: expected a pattern such as 'book_flight.date', got ''"),
        ({5: "text"}, "arguments: expected a pattern such as 'book_flight.date', got 5"),
        (
            {"*.a": {"ignore": {"b": 1}}},
            "arguments: '*.a': unknown option 'b' of the rule 'ignore'. It has no options.",
        ),
        (
            {"*.a": {"date": {"b": 1}}},
            "arguments: '*.a': unknown option 'b' of the rule 'date'. It has no options.",
        ),
        (
            {"*.a": {"text": {"similarty": 1}}},
            (
                "arguments: '*.a': unknown option 'similarty' of the rule 'text'."
                " Did you mean 'similarity'?"
            ),
        ),
        (
            {"*.a": {"text": {"similarity": 3}}},
            "arguments: '*.a': 'similarity': expected a number from 0 to 1, got 3.",
        ),
    ],
)
def test_a_rule_that_cannot_be_is_refused(written: Any, problem: str) -> None:
    with pytest.raises(InvalidSettings) as caught:
        read_argument_rules(written)

    assert str(caught.value) == problem


@pytest.mark.parametrize("rule", ["dates", "$date"])
def test_an_unknown_rule_is_refused_with_the_nearest(rule: str) -> None:
    with pytest.raises(InvalidSettings, match=r"unknown rule '\$?dates?'\. Did you mean 'date'\?$"):
        read_argument_rules({"*.a": rule})


@pytest.mark.parametrize(
    "rule", [None, 5, ["date"], {}, {"date": {}, "text": {}}, {"date": 1}, {5: {}}]
)
def test_what_is_no_rule_is_shown_how_to_write_one(rule: Any) -> None:
    with pytest.raises(InvalidSettings, match=r"expected the name of a rule.*similarity"):
        read_argument_rules({"*.a": rule})


@pytest.mark.parametrize("written", ["date", 5, [("*.a", "date")], None])
def test_what_is_no_mapping_is_shown_how_to_write_one(written: Any) -> None:
    with pytest.raises(InvalidSettings, match="expected a mapping such as"):
        read_argument_rules(written)


# Settings under a name.


def test_the_strict_preset_is_the_default() -> None:
    assert settings_from({}, preset="strict") is DEFAULT


def test_the_flexible_preset_is_the_flexible_mode() -> None:
    assert settings_from({}, preset="flexible") == Settings(mode="flexible")


def test_the_outcome_preset_looks_at_what_was_changed() -> None:
    assert settings_from({}, preset="outcome") == Settings(
        mode="strict",
        count_calls="writes",
        failed_calls="ignore",
        arrays="unordered",
        nested_objects="subset",
    )


def test_every_preset_names_the_same_settings_so_that_none_is_left_of_another() -> None:
    named = {frozenset(get_preset(name)) for name in PRESETS}

    assert len(named) == 1


def test_a_preset_that_was_changed_by_its_taker_is_as_before() -> None:
    get_preset("strict")["mode"] = "flexible"

    assert get_preset("strict")["mode"] == "strict"


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("outcomes", "unknown value 'outcomes'. Did you mean 'outcome'?"),
        ("loose", "unknown value 'loose'. Choose from: strict, flexible, outcome, coverage."),
        (None, "unknown value None. Choose from: strict, flexible, outcome, coverage."),
        ([], "unknown value []. Choose from: strict, flexible, outcome, coverage."),
    ],
)
def test_an_unknown_preset_is_refused_with_the_nearest(name: Any, problem: str) -> None:
    with pytest.raises(InvalidSettings) as caught:
        get_preset(name)

    assert str(caught.value) == f"preset: {problem}"


# The settings one by one.


def test_there_is_an_option_for_every_setting() -> None:
    assert tuple(SettingOptions.__annotations__) == (*Settings.__struct_fields__, *ALIASES)
    assert not SettingOptions.__required_keys__


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
