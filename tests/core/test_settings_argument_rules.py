"""How single arguments are compared."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.rules import rules_by_name
from callscore.core.settings import ArgumentRule, read_argument_rules
from callscore.errors import InvalidSettings


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
                " Is 'similarity' meant?"
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
    with pytest.raises(InvalidSettings, match=r"is not one of .*, ignore\. Is 'date' meant\?$"):
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
