"""What may be expected, as editors are told: what the reader refuses, and nothing that it reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.core.rules import comparators
from callscore.errors import CallscoreError
from callscore.formats.calls import ARGUMENT_KEYS, CALL_FIELDS, NAME_KEYS
from callscore.formats.case_schema import expected_definitions, value_definitions
from callscore.formats.case_sides import read_expected_side
from callscore.formats.dialect import dialects
from callscore.formats.expectations import FORBID, GROUPS

SAMPLES = Path(__file__).parents[1] / "samples"
DEFINITIONS = {**expected_definitions(), **value_definitions()}
VALIDATOR = jsonschema_rs.Draft7Validator(
    {"$ref": "#/definitions/expected", "definitions": DEFINITIONS}
)
RULES = [example for comparator in comparators() for example, _, _ in comparator.examples]


def accepts(value: Any) -> bool:
    return VALIDATOR.is_valid(value)


def is_read(value: Any) -> bool:
    try:
        read_expected_side(value, where="expected", spelled=True)
    except CallscoreError:
        return False
    return True


scalars = st.none() | st.booleans() | st.integers(-5, 5) | st.sampled_from(["", "x", "y z"])
keys = st.sampled_from(["a", "b", "name", "times", "optional"])


def inside(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return (
        st.lists(values, max_size=2)
        | st.dictionaries(keys, values, max_size=2)
        | st.lists(values, min_size=1, max_size=2).map(lambda items: {"$one_of": items})
        | st.lists(values, max_size=2).map(lambda items: {"$unordered": items})
        | st.dictionaries(keys, values, max_size=2).map(lambda members: {"$subset": members})
        | values.map(lambda value: {"$optional": value})
        | values.map(lambda value: {"$literal": {"$set": value}})
    )


values = st.recursive(scalars | st.sampled_from(RULES), inside, max_leaves=4)
names = st.sampled_from(["search", "in_order", "x.y"])
arguments = st.dictionaries(keys, values, max_size=2)
counts = st.integers(1, 3) | st.sampled_from([{}, {"min": 0}, {"max": 2}, {"min": 1, "max": 3}])
texts = st.sampled_from(["", " ", "null", "{}", '{"a": {"$any": true}}', '"{}"'])
calls = (
    names
    | st.tuples(names, arguments | st.none() | texts).map(list)
    | st.builds(
        lambda name, given, tool, args: {name: tool, given: args},
        st.sampled_from(NAME_KEYS),
        st.sampled_from(ARGUMENT_KEYS),
        names,
        arguments | st.none() | texts,
    )
    | st.builds(lambda name: {"name": name, "id": "c1", "result": 1}, names)
    | st.builds(lambda name, args: {"function": {"name": name, "arguments": args}}, names, texts)
)
repeats = st.builds(
    lambda name, args, times: {"name": name, "arguments": args, "times": times},
    *(names, arguments, counts),
)


def groups(members: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.builds(
        lambda kind, items: {kind: items},
        st.sampled_from([kind for kind in GROUPS if kind not in ("optional", "turn")]),
        st.lists(members, min_size=1, max_size=3),
    )
    return several | members.map(lambda member: {"optional": member})


members = st.recursive(calls | repeats, groups, max_leaves=4)
forbidden = st.builds(lambda pattern: {"forbid": pattern}, st.sampled_from(["delete_*", "x"]))
alone = st.recursive(repeats, groups, max_leaves=3)
turns = st.builds(lambda items: {"turn": items}, st.lists(members, max_size=2))
state = st.just({"name": "end_state", "arguments": {"a": {"$any": True}}, "kind": "state"})
expectations = (
    st.lists(members | forbidden, max_size=3)
    | st.lists(turns | forbidden, max_size=3)
    | st.tuples(turns, state, forbidden).map(list)
    | alone
    | forbidden
    | turns
    | st.none()
)


@given(expectations)
def test_whatever_is_rightly_expected_is_read_and_valid(value: Any) -> None:
    assert is_read(value)
    assert accepts(value)


strange_values = st.recursive(
    values
    | st.sampled_from([{"$rgx": "x"}, {"$any": False}, {"$gt": 1, "a": 1}, {"$approx": "x"}]),
    inside,
    max_leaves=3,
)
strange_calls = st.dictionaries(
    st.sampled_from(["name", "tool", "args", "arguments", "times", "type", "note", "in_ordre"]),
    strange_values | counts | names,
    max_size=4,
)
strange_members = st.recursive(
    calls | repeats | forbidden | strange_calls | strange_values,
    lambda inner: (
        groups(inner) | st.dictionaries(st.sampled_from([*GROUPS, FORBID]), inner, max_size=2)
    ),
    max_leaves=4,
)


@given(strange_members | st.lists(strange_members, max_size=3))
def test_whatever_the_reader_reads_is_valid(value: Any) -> None:
    assert accepts(value) or not is_read(value)


odd_counts: st.SearchStrategy[Any]
odd_counts = counts | st.sampled_from([-1, 0, True, None, "2", [], {"min": -1}, {"max": 0}])
odd_counts |= st.sampled_from([{"mn": 1}, {"min": None}, {"max": None}, {"max": 1.5}])
odd_members = st.recursive(
    calls
    | forbidden
    | st.sampled_from([1, None, True, "", [], ["a"], ["", {}], ["a", 5], ["a", "x"], {}])
    | st.sampled_from([{"forbid": ""}, {"forbid": 1}, {"name": ""}, {"name": None}, {"nam": "a"}])
    | st.sampled_from([{"arguments": {}}, {"name": "a", "argumnts": {}}, {"name": "a", "args": 1}])
    | st.builds(lambda call, times: {"name": call, "times": times}, names, odd_counts),
    lambda inner: (
        groups(inner)
        | st.builds(
            lambda kind, items: {kind: items},
            st.sampled_from([*GROUPS, FORBID, "in_ordre", "oneOf", "$one_of", "forbidden"]),
            st.lists(inner, max_size=2) | inner,
        )
        | st.builds(lambda group, count: {"one_of": [group], "times": count}, inner, counts)
    ),
    max_leaves=5,
)


@given(st.lists(odd_members, max_size=3))
def test_groups_repeats_and_forbidden_calls_are_valid_just_where_they_are_read(value: Any) -> None:
    assert accepts(value) == is_read(value)


MISTAKES: list[Any] = [
    [{"in_ordre": ["a"]}],
    [{"inOrder": ["a"]}],
    [{"optionl": {"in_order": ["a"]}}],
    [{"in_ordre": {"in_order": ["a"]}}],
    ["a", {"turn": ["b"]}],
    [{"in_order": [{"turn": ["b"]}]}],
    [{"turn": "b"}],
    [{"turn": [{"forbid": "b"}]}],
    [{"name": "a", "turn": -1}],
    [{"name": "a", "turn": "first"}],
    ["a", {"any_oder": ["b"]}],
    [{"oneOf": ["a"]}],
    [{"$one_of": ["a"]}],
    [{"optionl": "a"}],
    [{"forbidden": "a"}],
    {"in_ordre": ["a"]},
    [{"in_order": []}],
    [{"in_order": "a"}],
    [{"in_order": ["a"], "any_order": ["b"]}],
    [{"in_order": ["a"], "times": 2}],
    [{"in_order": [{"forbid": "a"}]}],
    [{"optional": {"forbid": "a"}}],
    [{"optional": ["a", "b"]}],
    {"one_of": ["a", {"forbid": "b"}]},
    [{"forbid": ["a", "b"]}],
    [{"forbid": "a", "name": None}],
    [{"forbid": "a", "why": "x"}],
    [{"name": "a", "times": -1}],
    [{"name": "a", "times": 0}],
    [{"name": "a", "times": {"least": 1}}],
    [{"name": "a", "times": {"min": 1.5}}],
    {"name": "a", "times": "twice"},
    [{"name": "a", "arguments": {"q": {"$rgx": "x"}}}],
    [["a", {"q": {"$rgx": "x"}}]],
    [{"one_of": [{"tool": "a", "args": {"q": {"$rgx": "x"}}}]}],
    {"name": "a", "arguments": {"q": {"$rgx": "x"}}},
    [{"name": "a", "arguments": {"$subset": {"q": 1}}}],
    [{"name": "a", "argumets": {"q": 1}}],
    [{"name": "a", "arguments": "q"}],
    [{"name": "a", "arguments": [1]}],
    [{"arguments": {}}],
    [{"nam": "a", "arguments": {}}],
    *([{"name": 5}], [{"name": ""}], [{"name": None}], [{"tool": None, "args": {}}], [{"tool": 5}]),
    [{"function": {"name": 5}}],
    [{"function": {"name": "a", "arguments": [1]}}],
    [{"function": {"name": "a", "arguments": {"q": {"$rgx": "x"}}}}],
    [{"function": {"name": "a"}, "times": -1}],
    [{"name": "a", "error": "not_json"}],
    [{"role": "assistant", "content": "x"}, {"forbid": "a"}],
    *([["a", {}, {}]], [["", {}]], [[5, {}]], [""]),
    *(["a", 5], [None], [[]], [{}], {}, 5, True, "search", ""),
]


@pytest.mark.parametrize("value", MISTAKES, ids=repr)
def test_a_typical_mistake_is_refused_by_both(value: Any) -> None:
    assert not is_read(value)
    assert not accepts(value)


LENIENT: list[Any] = [
    [{"name": "a", "arguments": {}, "note": "why"}],
    [{"name": "a", "arguments": {}, "tool": 5, "input": "x"}],
    [{"name": "a", "arguments": {}, "ordered": 1}],
    [{"name": None, "tool": "a", "args": None}],
    [{"name": "a", "arguments": {}, "times": {"min": 0, "max": None}}],
    [{"name": 5, "function": {"name": "a", "arguments": "{}"}}],
    [{"type": "function", "function": {"name": "a", "arguments": '{"q": 1}'}}, {"forbid": "b"}],
    [{"type": "tool_use", "id": "1", "name": "a", "input": {"q": 1}}],
    {"tool_calls": [{"name": "a", "arguments": {"q": {"$set": 1}}}]},
    {"role": "assistant", "tool_calls": [{"name": "a", "args": {}}]},
    *("null", '["a"]', '[{"name": "a"}]'),
]


@pytest.mark.parametrize("value", LENIENT, ids=repr)
def test_an_unusual_but_readable_expectation_is_valid(value: Any) -> None:
    assert is_read(value)
    assert accepts(value)


def _documents() -> list[Any]:
    """Every sample in every way in which a case can hold it."""
    found: list[Any] = [dialect.example for dialect in dialects()]
    for path in sorted(SAMPLES.rglob("*")):
        if path.suffix not in {".json", ".jsonl", ".txt", ".md"}:
            continue
        if path.name.endswith((".expected.json", ".schemas.json")):
            continue
        if path.parent.name in {"fuzz", "rows"}:  # broken on purpose, and rows of other tests
            continue
        text = path.read_text(encoding="utf-8")
        found.append(text)
        if path.suffix == ".json":
            found.append(msgspec.json.decode(text))
        elif path.suffix == ".jsonl":
            found.append([msgspec.json.decode(line) for line in text.splitlines() if line])
    return found


def test_a_document_of_any_stack_that_is_read_as_expected_is_valid() -> None:
    documents = [document for document in _documents() if is_read(document)]

    refused = [str(document)[:300] for document in documents if not accepts(document)]

    assert len(documents) > 500
    assert not refused


def test_every_field_of_a_call_and_every_group_is_in_it() -> None:
    member = DEFINITIONS["member"]["properties"]

    inner = set(GROUPS) - {"turn"}
    assert set(member) == inner
    assert set(DEFINITIONS["group"]["properties"]) == inner
    assert set(DEFINITIONS["expectation"]["properties"]) == {"turn", FORBID}
    assert set(DEFINITIONS["field_of_call"]["enum"]) == CALL_FIELDS
    assert all(about["title"] and about["description"] for about in member.values())
