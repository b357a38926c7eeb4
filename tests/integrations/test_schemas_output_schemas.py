"""The schemas of what the tools answer."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.integrations.schemas import (
    check_output_schema,
    explain_output_schema,
    score_output_schema,
)
from callscore.integrations.tools import TOOLS, run_tool

SCHEMAS = {
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
        "threshold": st.floats(0, 1),
        "order": st.sampled_from(["any", "in_order", "exact"]),
        "tools": st.sampled_from([[], ["f"], [{"name": "f", "parameters": {"required": ["a"]}}]]),
    },
)


@pytest.mark.parametrize("schema", SCHEMAS.values(), ids=SCHEMAS)
def test_a_schema_is_one_and_describes_an_object(schema: dict[str, Any]) -> None:
    jsonschema_rs.meta.validate(schema)

    assert schema["type"] == "object"


@given(expected=EXPECTED, actual=st.lists(CALLS, max_size=4), options=OPTIONS)
def test_every_answer_is_json_that_its_schema_accepts(
    expected: Any, actual: Any, options: dict[str, Any]
) -> None:
    inputs = {"expected": expected, "actual": actual, **options}
    checked = {key: value for key, value in inputs.items() if key in ("actual", "tools")}

    for name, schema in SCHEMAS.items():
        found = run_tool(TOOLS[name], checked if name == "check_tool_calls" else inputs)
        sent = msgspec.json.decode(msgspec.json.encode(found.content))
        if found.is_error:  # positions and groups do not go together, and so on
            assert list(sent) == ["error"]
        else:
            jsonschema_rs.validate(schema, sent)


def test_a_field_that_is_not_in_the_schema_would_be_noticed() -> None:
    sent = run_tool(TOOLS["score_tool_calls"], {"expected": [], "actual": []}).content

    assert not jsonschema_rs.is_valid(SCHEMAS["score_tool_calls"], {**sent, "more": 1})
    assert not jsonschema_rs.is_valid(SCHEMAS["score_tool_calls"], {**sent, "score": "1"})
