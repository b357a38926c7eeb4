"""The schemas of what the tools are given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jsonschema_rs
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.core.rules import comparators
from callscore.formats.expectations import GROUPS
from callscore.integrations.schemas import (
    check_input_schema,
    check_output_schema,
    explain_output_schema,
    score_input_schema,
    score_output_schema,
)
from callscore.integrations.tools import TOOLS, run_tool

if TYPE_CHECKING:
    from collections.abc import Iterator

SCHEMAS = [score_input_schema(), check_input_schema()]
every_schema = pytest.mark.parametrize("schema", SCHEMAS, ids=["score", "check"])


def schemas_in(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield schema
    for member in [*schema.get("properties", {}).values(), schema.get("items")]:
        if member is not None:
            yield from schemas_in(member)


@every_schema
def test_only_words_that_every_provider_takes_are_used(schema: dict[str, Any]) -> None:
    known = {"type", "description", "enum", "properties", "required", "items", "minimum", "maximum"}

    words = {key for item in schemas_in(schema) for key in item}

    assert words == (known if schema is SCHEMAS[0] else known - {"enum", "minimum", "maximum"}) | {
        "additionalProperties"
    }


@pytest.mark.parametrize(
    "arguments",
    [
        {"expected": []},
        {"expected": "f", "actual": []},
        {"expected": [], "actual": [], "mode": "other"},
        {"expected": [], "actual": [], "argument_match_threshold": 2},
        {"expected": [], "actual": [], "more": 1},
    ],
)
def test_arguments_that_the_input_schema_forbids_are_an_error(arguments: dict[str, Any]) -> None:
    assert not jsonschema_rs.is_valid(SCHEMAS[0], arguments)
    assert run_tool(TOOLS["score_tool_calls"], arguments).is_error


def test_the_rules_and_groups_that_models_are_told_about_exist() -> None:
    items = score_input_schema()["properties"]["expected"]["items"]["properties"]
    keys = {key for comparator in comparators() for key in comparator.keys} | {"$literal"}

    told = {word for word in items["args"]["description"].split('"') if word.startswith("$")}

    assert told <= keys
    assert set(GROUPS) <= items.keys()


# The schemas of what the tools answer.

OUTPUT_SCHEMAS = {
    "score_tool_calls": score_output_schema(),
    "explain_score": explain_output_schema(),
    "check_tool_calls": check_output_schema(),
}
NAMES = st.sampled_from(["f", "g", "delete", "?"])
# Whatever Python lets a program hand over: no JSON text could say half of it.
ATOMS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(exclude_categories=()), max_size=5)
)
VALUES = st.recursive(
    ATOMS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)
CALLS = st.builds(
    lambda name, args, others: {"tool": name, "args": args} | others,
    NAMES,
    st.dictionaries(st.sampled_from(["a", "b"]), VALUES) | ATOMS,
    st.sampled_from([{}, {"id": "call_1"}, {"result": "Error: no", "failed": True}]),
)
EXPECTED = st.lists(
    st.builds(
        lambda name, args: {"tool": name, **args},
        NAMES,
        st.sampled_from([{}, {"args": {}}, {"args": {"a": 1}}, {"args": {"a": {"$any": True}}}]),
    )
    | st.sampled_from([{"forbid": "delete"}, {"one_of": ["f", "g"]}, {"optional": "g"}]),
    max_size=4,
)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "mode": st.sampled_from(["strict", "flexible", "outcome"]),
        "argument_match_threshold": st.floats(0, 1),
        "order": st.sampled_from(["any", "in_order", "exact"]),
        "tools": st.sampled_from([[], ["f"], [{"name": "f", "parameters": {"required": ["a"]}}]]),
    },
)


@given(expected=EXPECTED, actual=st.lists(CALLS, max_size=4), options=OPTIONS)
def test_every_answer_is_json_that_its_schema_accepts(
    expected: Any, actual: Any, options: dict[str, Any]
) -> None:
    inputs = {"expected": expected, "actual": actual, **options}
    checked = {key: value for key, value in inputs.items() if key in ("actual", "tools")}

    for name, schema in OUTPUT_SCHEMAS.items():
        found = run_tool(TOOLS[name], checked if name == "check_tool_calls" else inputs)
        sent = msgspec.json.decode(msgspec.json.encode(found.content))
        if found.is_error:  # positions and groups do not go together, and so on
            assert list(sent) == ["error"]
        else:
            jsonschema_rs.validate(schema, sent)
