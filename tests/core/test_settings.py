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
    Mode,
    SettingOptions,
    Settings,
    cached_settings,
    get_preset,
    read_argument_rules,
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


MANY_WORDS = (
    "arguments: 'b' does not say of which tool: that argument of any tool is '*.b', all of that"
    " tool's are 'b.*'"
)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"mode": "fuzzy"}, "mode: 'fuzzy' is not one of strict, flexible"),
        ({"mode": None}, "mode: None is not one of strict, flexible"),
        ({"order": "ordered"}, "order: 'ordered' is not one of any, in_order, exact"),
        ({"extra_arguments": "allow"}, "extra_arguments: 'allow' is not one of ignore, count"),
        (
            {"argument_match_threshold": 1.01},
            "argument_match_threshold: 1.01 is not a number from 0 to 1",
        ),
        (
            {"argument_match_threshold": float("nan")},
            "argument_match_threshold: nan is not a number from 0 to 1",
        ),
        ({"pass_mark": -0.1}, "pass_mark: -0.1 is not a number from 0 to 1"),
        ({"pass_mark": "0.9"}, "pass_mark: '0.9' is not a number from 0 to 1"),
        ({"pass_mark": True}, "pass_mark: True is not a number from 0 to 1"),
        ({"strip_prefix": "mcp__"}, "strip_prefix: 'mcp__' is not a tuple of texts"),
        ({"strip_prefix": ("",)}, "strip_prefix: ('',) is not a tuple of texts"),
        ({"normalize_name": ["case"]}, "normalize_name: ['case'] is not a tuple of texts"),
        (
            {"normalize_name": ("snake",)},
            "normalize_name: 'snake' is not one of namespace, dots, case",
        ),
        (
            {"count_calls": "write"},
            "count_calls: 'write' is not one of all, writes. Did you mean 'writes'?",
        ),
        ({"failed_calls": "drop"}, "failed_calls: 'drop' is not one of count, ignore"),
        (
            {"repeated_calls": "colapse"},
            "repeated_calls: 'colapse' is not one of count, collapse. Did you mean 'collapse'?",
        ),
        ({"arrays": []}, "arrays: [] is not one of ordered, unordered"),
        ({"nested_objects": "any"}, "nested_objects: 'any' is not one of equal, subset"),
        ({"effects": "read"}, """effects: 'read' is not a mapping such as {"get_*": "read"}"""),
        (
            {"effects": {"get_*": "raed"}},
            "effects: 'get_*': 'raed' is not one of read, write. Did you mean 'read'?",
        ),
        ({"effects": {"": "read"}}, "effects: '' is not a pattern of tools' names"),
        ({"effects": [("a",)]}, """effects: [('a',)] is not a mapping such as {"get_*": "read"}"""),
        ({"arguments": {"*.a": "ignore", "b": "date"}}, MANY_WORDS),
        ({"top_k": 0}, "top_k: 0 is not an integer from 1 on"),
        ({"top_k": True}, "top_k: True is not an integer from 1 on"),
        ({"top_k": 2.0}, "top_k: 2.0 is not an integer from 1 on"),
        ({"similarity": 0.8}, "similarity: 0.8 cannot be called"),
        ({"judge": "gpt"}, "judge: 'gpt' cannot be called"),
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

    with pytest.raises(InvalidSettings, match="argument_match_threshold: True is not a number"):
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

    with pytest.raises(InvalidSettings, match="not true"):
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


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("ordr", ". Did you mean 'order'?"),
        ("threshold", ". Did you mean 'argument_match_threshold'?"),
        ("colour", ""),
    ],
)
def test_an_unknown_setting_is_refused_with_the_nearest(name: str, hint: str) -> None:
    with pytest.raises(InvalidSettings) as caught:
        settings_from({name: 1})

    assert str(caught.value) == f"there is no setting {name!r}{hint}"


def test_a_setting_that_only_the_struct_knows_is_a_type_error_as_everywhere() -> None:
    with pytest.raises(TypeError):
        cached_settings(colour="red")


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
                "arguments: 'query' does not say of which tool: that argument of any tool is"
                " '*.query', all of that tool's are 'query.*'"
            ),
        ),
        ({".query": "text"}, "arguments: '.query' names no tool; '*' is any"),
        ({"search.": "text"}, "arguments: 'search.' names no argument; '*' is any"),
        ({"": "text"}, "arguments: '' is not like 'book_flight.date'"),
        ({5: "text"}, "arguments: 5 is not like 'book_flight.date'"),
        ({"*.a": {"ignore": {"b": 1}}}, "arguments: '*.a': ignore takes no options; got 'b'"),
        ({"*.a": {"date": {"b": 1}}}, "arguments: '*.a': date takes no options; got 'b'"),
        (
            {"*.a": {"text": {"similarty": 1}}},
            (
                "arguments: '*.a': text takes ignore, similarity; got 'similarty'."
                " Did you mean 'similarity'?"
            ),
        ),
        (
            {"*.a": {"text": {"similarity": 3}}},
            "arguments: '*.a': `similarity`: a number from 0 to 1 is wanted, not 3.",
        ),
    ],
)
def test_a_rule_that_cannot_be_is_refused(written: Any, problem: str) -> None:
    with pytest.raises(InvalidSettings) as caught:
        read_argument_rules(written)

    assert str(caught.value) == problem


@pytest.mark.parametrize("rule", ["dates", "$date"])
def test_an_unknown_rule_is_refused_with_the_nearest(rule: str) -> None:
    with pytest.raises(InvalidSettings, match=r"is not one of .*, ignore\. Did you mean 'date'\?$"):
        read_argument_rules({"*.a": rule})


@pytest.mark.parametrize(
    "rule", [None, 5, ["date"], {}, {"date": {}, "text": {}}, {"date": 1}, {5: {}}]
)
def test_what_is_no_rule_is_shown_how_to_write_one(rule: Any) -> None:
    with pytest.raises(InvalidSettings, match=r"which is no rule.*similarity"):
        read_argument_rules({"*.a": rule})


@pytest.mark.parametrize("written", ["date", 5, [("*.a", "date")], None])
def test_what_is_no_mapping_is_shown_how_to_write_one(written: Any) -> None:
    with pytest.raises(InvalidSettings, match="is not a mapping such as"):
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
        ("outcomes", "'outcomes' is not one of strict, flexible, outcome. Did you mean 'outcome'?"),
        ("loose", "'loose' is not one of strict, flexible, outcome"),
        (None, "None is not one of strict, flexible, outcome"),
        ([], "[] is not one of strict, flexible, outcome"),
    ],
)
def test_an_unknown_preset_is_refused_with_the_nearest(name: Any, problem: str) -> None:
    with pytest.raises(InvalidSettings) as caught:
        get_preset(name)

    assert str(caught.value) == f"preset: {problem}"


# The settings one by one.


def test_there_is_an_option_for_every_setting() -> None:
    assert tuple(SettingOptions.__annotations__) == Settings.__struct_fields__
    assert not SettingOptions.__required_keys__
