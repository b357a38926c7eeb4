"""What may stand in place of an argument's value, as editors are told."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest

from callscore.core.expectation_json import parse_matchers
from callscore.core.rules import Comparator, comparators
from callscore.errors import InvalidCall
from callscore.formats.case_schema import _plain_or_any_of, value_definitions

VALIDATORS = {
    name: jsonschema_rs.Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": definitions})
    for definitions in (value_definitions(),)
    for name in definitions
}
EXAMPLES = [example for comparator in comparators() for example, _, _ in comparator.examples]
OPERANDS: list[Any] = [
    *(
        None,
        True,
        False,
        0,
        -1,
        0.5,
        "",
        "x",
        "2024-01-15",
        [],
        ["x"],
        ["string"],
        [{"$any": True}],
    ),
    *({}, {"a": 1}, {"a": {"$gt": 1}}, {"$any": True}, {"$literal": [1]}, {"$literal": {"$a": 1}}),
]


def accepts(value: Any, name: str = "value") -> bool:
    return VALIDATORS[name].is_valid(value)


def is_read(value: Any) -> bool:
    try:
        parse_matchers(value, where="value")
    except InvalidCall:
        return False
    return True


def _name(comparator: Comparator) -> str:
    return comparator.name


every_comparator = pytest.mark.parametrize("comparator", comparators(), ids=_name)


@pytest.mark.parametrize("example", EXAMPLES, ids=repr)
def test_the_example_of_a_rule_is_valid_wherever_a_value_stands(example: dict[str, Any]) -> None:
    assert accepts(example)
    assert accepts({"a": [example, {"b": example}]})
    assert accepts({"$one_of": [1, example]})
    assert accepts({"a": example}, "values")


@every_comparator
def test_no_operand_is_refused_that_the_reader_takes(comparator: Comparator) -> None:
    for key in comparator.keys:
        for operand in OPERANDS:
            assert accepts({key: operand}) or not is_read({key: operand}), operand


@every_comparator
def test_operands_of_a_wrong_type_are_refused_as_by_the_reader(comparator: Comparator) -> None:
    for key in comparator.keys:
        refused = [operand for operand in OPERANDS if not is_read({key: operand})]
        seen = [operand for operand in refused if not accepts({key: operand})]

        # The reader alone knows which text is a date, and which object is a schema.
        assert len(seen) >= len(refused) - 2
        assert seen or comparator.name == "optional"


@every_comparator
def test_options_are_checked_and_strange_ones_refused(comparator: Comparator) -> None:
    rule = comparator.examples[0][0]
    options = [option for option in comparator.options if option not in comparator.keys]

    assert not accepts({**rule, "tolerance": 1})
    assert not accepts({**rule, "$literal": 1})
    for option in options:
        assert not accepts({**rule, option: {"strange": True}})
        assert not is_read({**rule, option: {"strange": True}})


@pytest.mark.parametrize(
    "value",
    [
        {"$rgx": "x"},
        {"a": [{"b": {"$rgx": "x"}}]},
        {"$gt": 1, "$contains": "x"},
        {"$any": True, "a": 1},
        {"$optional": {"$rgx": "x"}},
        {"$one_of": [{"$rgx": "x"}]},
        {"$subset": {"a": {"$rgx": "x"}}},
        {"$subset": {"$any": True}},
        {"$": 1},
    ],
    ids=repr,
)
def test_a_mistake_is_refused_at_any_depth(value: Any) -> None:
    assert not is_read(value)
    assert not accepts(value)


@pytest.mark.parametrize(
    "value",
    [
        {"$literal": {"$rgx": {"$gt": "x"}}},
        {"a": {"$literal": 1}},
        {"$one_of": {"$literal": [{"$set": 1}]}},
        {"$unordered": {"$literal": []}},
        {"$subset": {"$literal": {"$set": 1}}},
        {"$schema": {"$ref": "#/$defs/x", "$defs": {"x": {"type": "string"}}}},
        {"": 1, "a$": {"": []}},
        {"$gte": 1, "$lt": 2},
    ],
    ids=repr,
)
def test_what_only_looks_like_a_mistake_is_accepted(value: Any) -> None:
    assert is_read(value)
    assert accepts(value)


def test_an_object_of_values_is_no_rule_itself() -> None:
    assert accepts({"a": {"$any": True}}, "values")
    assert accepts({"$literal": {"$set": 1}}, "values")
    assert not accepts({"$subset": {"a": 1}}, "values")
    assert not accepts({"$literal": 1}, "values")
    assert not accepts([], "values")


def test_every_rule_says_on_hover_what_it_means() -> None:
    properties = value_definitions()["value"]["properties"]

    silent = [key for key, about in properties.items() if not about["title"]]
    undescribed = [key for key, about in properties.items() if not about["description"]]

    assert set(properties) == {"$literal", *[key for each in comparators() for key in each.keys]}
    assert not silent
    assert not undescribed


def test_a_rule_of_another_package_may_be_spelled_with_any_character() -> None:
    pattern = _plain_or_any_of(["$a.b", "$c|d"])
    names = jsonschema_rs.Draft202012Validator({"propertyNames": {"pattern": pattern}})

    assert names.is_valid({"$a.b": 1, "$c|d": 2, "": 3, "x$": 4})
    assert not names.is_valid({"$aXb": 1})
    assert not names.is_valid({"$c": 1})
