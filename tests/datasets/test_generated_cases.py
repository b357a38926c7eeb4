"""Cases that `generate` makes from tools: valid, different, repeatable, and what their tags say."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema  # type: ignore[import-untyped]  # it has no types
import msgspec
from hypothesis import given
from hypothesis import strategies as st
from tests.commands import run

from callscore import CallscoreError, check_calls, read_calls, read_tools, score

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SCHEMAS = list(map(msgspec.json.decode, (HERE / "schemas.jsonl").read_bytes().splitlines()))


def generated(tools: Any, folder: Path, *options: object, n: int) -> list[dict[str, Any]]:
    """The cases that are made for tools; none if they give none."""
    definitions, cases = folder / "tools.json", folder / "cases.jsonl"
    definitions.write_bytes(msgspec.json.encode(tools))
    cases.unlink(missing_ok=True)
    run("generate", "--tools", definitions, "-n", n, *options, "-o", cases)
    lines = cases.read_bytes().splitlines() if cases.exists() else []
    return [msgspec.json.decode(line) for line in lines]


def tool_of(schema: Any, name: str = "f") -> dict[str, Any]:
    """A tool that must be given something that a schema accepts."""
    inner = dict(schema) if isinstance(schema, dict) else schema
    outer = {"type": "object", "properties": {"x": inner}, "required": ["x"]}
    if isinstance(inner, dict):  # what `#` points to stays at the top
        top = ("$defs", "definitions", "$schema")
        outer |= {key: inner.pop(key) for key in top if key in inner}
    return {"name": name, "parameters": outer}


def require_valid(tool: dict[str, Any], arguments: Any) -> None:
    assert not check_calls([{"name": tool["name"], "arguments": arguments}], tools=[tool])
    schema = tool["parameters"]
    kind = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    kind(schema, format_checker=kind.FORMAT_CHECKER).validate(arguments)


def test_arguments_are_made_for_every_keyword_that_two_validators_accept(tmp_path: Path) -> None:
    tools = [
        {"name": f"t{number}", "parameters": schema}
        if "#/properties" in str(schema)  # it refers to itself
        else tool_of(schema, f"t{number}")
        for number, schema in enumerate(SCHEMAS)
    ]
    by_name = {tool["name"]: tool for tool in tools}

    cases = generated(tools, tmp_path, "--kind", "single", n=3 * len(tools))

    made = [call for case in cases for call in case["expected"]]
    for call in made:
        require_valid(by_name[call["name"]], call["arguments"])
    assert {call["name"] for call in made} == set(by_name)


def test_arguments_are_made_for_the_tools_of_all_samples(tmp_path: Path) -> None:
    files = sorted((ROOT / "tests/samples/formats/tool_definitions").glob("*.json"))
    tried = 0
    for file in [*files, ROOT / "examples/assistant/tools.json"]:
        cases = tmp_path / f"{file.name}.jsonl"
        if run("generate", "--tools", file, "-n", 10, "-o", cases) == 0:
            tried += 1
            tools = read_tools(file)
            for case in map(msgspec.json.decode, cases.read_bytes().splitlines()):
                if "near_miss" not in case["tags"]:
                    assert not check_calls(case["actual"], tools=tools), file.name

    assert tried > 10


TEXT = {"type": "string"}
TOOLS = [
    {
        "name": "search",
        "description": "Search the web.",
        "parameters": {
            "type": "object",
            "properties": {
                "query": TEXT,
                "limit": {"type": "integer", "minimum": 1, "maximum": 9},
            },
            "required": ["query"],
        },
    },
    {
        "name": "mail",
        "description": "Send a mail.",
        "parameters": {
            "type": "object",
            "properties": {"to": {"type": "string", "format": "email"}, "text": TEXT},
            "required": ["to", "text"],
        },
    },
    {"name": "ping", "description": "Ping.", "parameters": {"type": "object", "properties": {}}},
]


def test_a_case_passes_unless_it_is_a_near_miss_and_ids_and_questions_are_unique(
    tmp_path: Path,
) -> None:
    cases = generated(TOOLS, tmp_path, n=150)

    for case in cases:
        found = score(case["expected"], case["actual"], tools=TOOLS)
        kind = case["tags"][0]
        if kind == "near_miss":
            assert not found.passed or found.faults or "wrong_order" in case["tags"]
        else:
            assert found.passed
            assert not found.faults
            assert bool(case["expected"]) is (kind != "negative")
    assert {case["tags"][0] for case in cases} == {"single", "several", "negative", "near_miss"}
    assert len({case["id"] for case in cases}) == len({case["input"] for case in cases}) == 150


def test_cases_are_spread_over_the_tools_and_more_of_them_begin_with_the_same(
    tmp_path: Path,
) -> None:
    few = generated(TOOLS, tmp_path, "--kind", "single", n=12)
    many = generated(TOOLS, tmp_path, "--kind", "single", n=30)

    called = Counter(case["expected"][0]["name"] for case in few)
    assert called["search"] >= 4
    assert called["mail"] >= 4
    assert many[:12] == few


NAMES = st.sampled_from(["city", "a", "b", "count", "x y", "Ω"])
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-50, 50)
    | st.floats(-100, 100).map(lambda number: round(number, 3))
    | st.text("abcXYZ019 -é", max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def schemas_for(draw: st.DrawFn, value: Any, depth: int = 0) -> Any:
    """Schemas that accept a value."""
    how = draw(st.sampled_from(["plain"] * 4 + ["enum", "anyOf", "allOf", "not", "if"]))
    if depth > 2 or how == "plain":
        return draw(plain_schemas_for(value, depth))
    same = schemas_for(value, depth + 1)
    other = schemas_for(draw(VALUES), depth + 1)
    ways: dict[str, Callable[[], Any]] = {
        "enum": lambda: {"enum": [*draw(st.lists(VALUES, max_size=2)), value]},
        "anyOf": lambda: {"anyOf": [draw(other), draw(same)]},
        "allOf": lambda: {"allOf": [draw(same), draw(same)]},
        "not": lambda: {"not": {"const": "zz"}, "allOf": [draw(same)]},
        "if": lambda: {"if": {"const": value}, "then": draw(same), "else": draw(other)},
    }
    return ways[how]()


@st.composite
def plain_schemas_for(draw: st.DrawFn, value: Any, depth: int) -> Any:
    def perhaps(**keywords: Any) -> dict[str, Any]:
        return keywords if draw(st.booleans()) else {}

    if isinstance(value, int | float) and not isinstance(value, bool):
        low, high = draw(st.integers(0, 5)), draw(st.integers(0, 5))
        return {"type": "number", **perhaps(minimum=value - low), **perhaps(maximum=value + high)}
    if isinstance(value, str):
        return {"type": "string", **perhaps(minLength=len(value)), **perhaps(maxLength=len(value))}
    if isinstance(value, list | dict):
        return draw(container_schemas_for(value, depth))
    return {"enum": [value]}


@st.composite
def container_schemas_for(draw: st.DrawFn, value: Any, depth: int) -> Any:
    def perhaps(**keywords: Any) -> dict[str, Any]:
        return keywords if draw(st.booleans()) else {}

    inner = value if isinstance(value, list) else list(value.values())
    schemas = [draw(schemas_for(item, depth + 1)) for item in inner]
    either: Any = {"anyOf": schemas} if schemas else {}
    if isinstance(value, list):
        return {"type": "array", **perhaps(minItems=len(value)), **perhaps(items=either)}
    named = dict(zip(value, schemas, strict=True))
    return {
        "type": "object",
        **perhaps(properties=named),
        **perhaps(required=list(value)),
        **perhaps(additionalProperties=either),
        **perhaps(maxProperties=len(value)),
    }


@given(st.data(), VALUES, st.integers(0, 5))
def test_whatever_is_made_is_valid(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, value: Any, seed: int
) -> None:
    tool = tool_of(data.draw(schemas_for(value)))
    options = ("--kind", "single", "--seed", seed)

    for case in generated([tool], tmp_path_factory.mktemp("tools"), *options, n=3):
        require_valid(tool, case["expected"][0]["arguments"])


# --- captured traces ------------------------------------------------------------------------------


def test_every_real_trace_passes_the_case_that_it_becomes(tmp_path: Path) -> None:
    exact, wrong = 0, []
    for path in sorted((ROOT / "tests/samples/recorded").glob("*/*.json*")):
        captured = tmp_path / f"{path.name}.captured.jsonl"
        run("capture", path, "-o", captured)
        lines = captured.read_bytes().splitlines() if captured.exists() else []
        if len(lines) != 1 or b'"review"' in lines[0] or ".expected." in path.name:
            continue  # several traces, calls that cannot be read, or no trace at all
        try:
            calls = read_calls(path)
        except CallscoreError:
            continue
        exact += 1
        if not score(msgspec.json.decode(lines[0])["expected"], calls).is_exact:
            wrong.append(path.name)
    assert wrong == []
    assert exact > 20
