"""Prompts with places: what is put in, once, and as it is."""

from __future__ import annotations

from typing import Any

import pytest

from callscore import Case, InvalidSettings
from callscore.models.requests import fill_template, prompt_text, require_template

CASE = Case(
    {"text": "weather?", "city": {"name": "Paris"}},
    id="one",
    tags=("a", "b"),
    metadata={"unit": "C", "none": None, "list": [{"x": 5}]},
)


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("Ask: {{input.text}}", "Ask: weather?"),
        ("{{ input.city.name }} in {{metadata.unit}}", "Paris in C"),
        ("{{id}} {{tags}}", 'one ["a","b"]'),
        ("{{input}}", '{"text":"weather?","city":{"name":"Paris"}}'),
        ("no place { input } {}", "no place { input } {}"),
        ("write {{{{input}} for {{input.text}}", "write {{input}} for weather?"),
        ('{"a": {"b": "{{id}}"}}}}', '{"a": {"b": "one"}}}}'),
        ("{{tags.1}} {{metadata.list.0.x}}", "b 5"),
    ],
)
def test_places_are_filled_with_what_the_case_holds(template: str, text: str) -> None:
    require_template(template)

    assert fill_template(template, CASE) == text


def test_a_value_that_looks_like_a_place_stays_as_it_is() -> None:
    assert (
        fill_template("<{{input}}>", Case("{{id}} {0} %s ${x}", id="one")) == "<{{id}} {0} %s ${x}>"
    )


@pytest.mark.parametrize("place", ["question", "", "expected", "input__class__", "case.input"])
def test_what_no_case_has_is_refused_before_anything_is_asked(place: str) -> None:
    with pytest.raises(InvalidSettings, match="a case has no field"):
        require_template(f"{{{{{place}}}}}")


@pytest.mark.parametrize(
    "place",
    ["metadata.town", "input.text.more", "metadata.none", "tags.2", "metadata.list.x", "tags.-1"],
)
def test_what_one_case_has_not_is_said_of_that_case(place: str) -> None:
    with pytest.raises(InvalidSettings, match=f"the case 'one' has no {place}"):
        fill_template(f"{{{{{place}}}}}", CASE)


@pytest.mark.parametrize("template", [5, ["{{input}}"]])
def test_a_template_is_a_text(template: Any) -> None:
    with pytest.raises(InvalidSettings, match="is not a text"):
        require_template(template)


def test_no_template_is_fine() -> None:
    require_template(None)


def test_data_is_told_as_json() -> None:
    assert prompt_text({"a": [1, None]}) == '{"a":[1,null]}'
