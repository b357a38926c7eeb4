"""Records of every kind, as hypothesis draws them, for the tests of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pyarrow as pa
from hypothesis import strategies as st

from callscore.core.settings import DEFAULT, Mode, Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.core.summary import Summary

__all__ = [
    "RECORDS",
    "SETTINGS",
    "TOOLS",
    "json_text",
    "numbers",
    "row_table",
]

# Few tools, arguments and values: calls are often the same, or nearly.
_NAMES = st.sampled_from(["search", "search", "book", "поиск"])
_VALUES = st.sampled_from([0, 1, 1.0, True, "1", "Zürich", None, [1], {"x": 1}, 10**30, -(2**63)])
_ARGUMENTS = st.dictionaries(st.sampled_from(["a", "b", "q"]), _VALUES, max_size=3)
_PLAIN = st.fixed_dictionaries({"name": _NAMES, "arguments": _ARGUMENTS})
_BROKEN = st.fixed_dictionaries({"name": _NAMES, "arguments": st.just('{"a": ')})
_RULES = st.fixed_dictionaries(
    {
        "name": _NAMES,
        "arguments": st.dictionaries(
            st.sampled_from(["a", "b"]),
            st.sampled_from([{"$regex": "^Z"}, {"$optional": 1}, {"$one_of": [0, 1]}]),
            min_size=1,
        ),
    }
)
_EXPECTED_CALL = st.one_of(_PLAIN, _PLAIN, _NAMES, _RULES)
_GROUPS = st.one_of(
    st.builds(lambda calls: {"any_order": calls}, st.lists(_EXPECTED_CALL, min_size=1, max_size=2)),
    st.builds(lambda calls: {"one_of": calls}, st.lists(_EXPECTED_CALL, min_size=1, max_size=2)),
    st.builds(lambda call: {"optional": call}, _EXPECTED_CALL),
    st.builds(lambda call: {"in_order": [call, call]}, _EXPECTED_CALL),
    st.just({"forbid": "del*"}),
)
_TURNS = st.lists(
    st.builds(lambda calls: {"turn": calls}, st.lists(_EXPECTED_CALL, max_size=2)),
    min_size=1,
    max_size=3,
)
_RESULTS = st.fixed_dictionaries(
    {"name": _NAMES, "arguments": _ARGUMENTS, "result": st.sampled_from(["ok", 3, None])}
)
_FORBIDDEN = st.just({"name": "delete", "arguments": {}})
_ACTUAL_CALL = st.one_of(_PLAIN, _PLAIN, _PLAIN, _BROKEN, _FORBIDDEN, _RESULTS)
_IN_TURN = st.builds(lambda call, turn: {**call, "turn": turn}, _ACTUAL_CALL, st.integers(0, 3))

# Beside the two sides: what an agent did, what it was asked, and text.
_MESSAGES = st.sampled_from(
    [
        [{"role": "user", "content": "hi"}],
        [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "Hello."}],
        [{"role": "assistant", "tool_calls": [{"function": {"name": "book", "arguments": "{}"}}]}],
        [{"name": "search", "arguments": {"a": 1}}],
        "It is sunny.",
    ]
)

TOOLS = [
    {
        "name": "search",
        "effect": "read",
        "parameters": {
            "type": "object",
            "properties": {"q": {"type": "string"}},
            "required": ["q"],
        },
    },
    {"name": "book", "effect": "write", "parameters": {"type": "object", "properties": {"a": {}}}},
]


@st.composite
def _records(draw: st.DrawFn) -> dict[str, Any]:
    """A case of a case file, with any of its fields, or without."""
    has_groups, has_turns = draw(st.integers(0, 3)) == 0, draw(st.integers(0, 3)) == 0
    expected = st.lists(_EXPECTED_CALL | _GROUPS if has_groups else _EXPECTED_CALL, max_size=3)
    made = _IN_TURN if has_turns and draw(st.booleans()) else _ACTUAL_CALL
    fields: dict[str, st.SearchStrategy[Any]] = {
        "id": st.sampled_from(["a", "b", "ü", "c 1", "d"]),
        "expected": _TURNS if has_turns else expected,
        "actual": st.lists(made, max_size=3),
    }
    rare: dict[str, st.SearchStrategy[Any]] = {
        "trial": st.sampled_from([1, 2, "x"]),
        "tags": st.lists(st.sampled_from(["slow", "ü"]), max_size=2),
        "tools": st.just(TOOLS),
        "input": st.sampled_from(["hello", {"a": [1]}]),
        "messages": _MESSAGES,
        "output": _MESSAGES,
    }
    found = {name: draw(field) for name, field in fields.items() if draw(st.integers(0, 9))}
    found |= {name: draw(field) for name, field in rare.items() if not draw(st.integers(0, 2))}
    return (
        found if {"expected", "actual"} & found.keys() else {**found, "expected": [], "actual": []}
    )


RECORDS = st.lists(_records(), max_size=14)

SETTINGS = st.sampled_from(
    [
        DEFAULT,
        DEFAULT,
        Settings(mode=Mode.FLEXIBLE, argument_match_threshold=0.5),
        Settings(order="in_order"),
        Settings(pass_mark=0.5),
        Settings(count_calls="writes"),
        Settings.preset("outcome"),
        Settings.preset("coverage"),
        Settings(turns="cumulative", extra_calls="reads_free"),
    ]
)


def json_text(value: Any) -> str:
    """A value as JSON text."""
    return msgspec.json.encode(value).decode()


def row_table(records: Sequence[dict[str, Any]]) -> Any:
    """Records as a table whose cells are JSON text."""
    sides = ["expected", "actual", "messages", "output"]
    names = ["id", "trial", "tags", "tools", "input", *sides]
    columns = {name: [_cell(record.get(name)) for record in records] for name in names}
    return pa.table({name: pa.array(column, pa.string()) for name, column in columns.items()})


def _cell(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json_text(value)


def numbers(summary: Summary) -> dict[str, Any]:
    """All that a summary has and computes, with the intervals."""
    computed = [name for name, value in vars(type(summary)).items() if isinstance(value, property)]
    found = {name: getattr(summary, name) for name in computed}
    for name in summary.__struct_fields__:
        found[name] = getattr(summary, name)
    found["pass_at_k"], found["pass_hat_k"] = summary.pass_at_k(), summary.pass_hat_k()
    return found
