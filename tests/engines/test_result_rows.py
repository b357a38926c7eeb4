"""A row for each case, with all that a summary counts."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import msgspec
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from pyarrow import parquet
from tests.engines.row_cases import RECORDS, TOOLS

from callscore.api import score_case
from callscore.core.call import Tool, ToolCall
from callscore.core.case import Case
from callscore.core.settings import DEFAULT, Settings
from callscore.engines import result_rows
from callscore.engines.result_rows import (
    RowBuilder,
    RowColumns,
    case_text,
    failure_classes,
    read_case_text,
    require_pyarrow,
    row_schema,
)
from callscore.engines.tool_definitions import ToolDefinitions
from callscore.errors import InvalidCall, MissingExtra
from callscore.formats.cases import read_case

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.core.score import Score

HALF = "\ud800"  # of a surrogate pair, as a JSON text may have it


def call(name: str, **arguments: Any) -> ToolCall:
    return ToolCall(name, arguments)


CASE = Case(
    "hello",
    id="a",
    trial=2,
    tags=("slow",),
    expected=(call("f", x=1), call("g", y=1), call("h")),
    actual=(call("f", x=1), call("g", y=2), call("k"), call("k")),
)


def score_of(case: Case, settings: Settings = DEFAULT) -> Score:
    tools = ToolDefinitions().of(case.tools, "case")
    return score_case(tuple(case.expected or ()), case.actual or (), settings, tools)


def rows_of(builder: RowBuilder) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = builder.batch().to_pylist()
    return rows


def row_of(case: Case, columns: RowColumns | None = None) -> dict[str, Any]:
    builder = RowBuilder(columns or RowColumns())
    builder.add_score(case, score_of(case), source="cases.jsonl", offset=7)
    (row,) = rows_of(builder)
    return row


def test_a_row_has_the_counts_of_its_case_and_where_it_is_from() -> None:
    row = row_of(CASE)

    assert row == {
        "id": "a",
        "trial": "2",
        "tags": ["slow"],
        "status": "scored",
        "correct": 1,
        "incorrect": 1,
        "missed": 1,
        "extra": 2,
        "expected": 3,
        "actual": 4,
        "forbidden": 0,
        "precision": 1 / 4,
        "recall": 1 / 3,
        "f1": 2 / 7,
        "passed": False,
        "failures": failure_classes(score_of(CASE)),
        "tools": [
            {"tool": "f", "correct": 1, "incorrect": 0, "missed": 0, "extra": 0, "forbidden": 0},
            {"tool": "g", "correct": 0, "incorrect": 1, "missed": 0, "extra": 0, "forbidden": 0},
            {"tool": "h", "correct": 0, "incorrect": 0, "missed": 1, "extra": 0, "forbidden": 0},
            {"tool": "k", "correct": 0, "incorrect": 0, "missed": 0, "extra": 2, "forbidden": 0},
        ],
        "wrong_arguments": [{"tool": "g", "argument": "y", "calls": 1}],
        "confusion": [
            {"expected": "h", "actual": "k", "calls": 1},
            {"expected": None, "actual": "k", "calls": 1},
        ],
        "faults": [],
        "checked_calls": None,
        "valid_calls": None,
        "is_uncounted": False,
        "turns": None,
        "first_wrong_turn": None,
        "source": "cases.jsonl",
        "offset": 7,
        "problem": None,
    }


def test_nothing_expected_and_nothing_called_is_perfect() -> None:
    row = row_of(Case(id="a", expected=(), actual=()))

    assert (row["precision"], row["recall"], row["f1"], row["passed"]) == (1, 1, 1, True)
    assert row["failures"] == row["tools"] == []


def test_calls_of_known_tools_are_checked() -> None:
    case = Case(id="a", expected=(), actual=(call("search", q=1), call("book")), tools=TOOLS)

    row = row_of(case)

    assert (row["checked_calls"], row["valid_calls"]) == (2, 1)
    assert row["faults"] == [{"tool": "search", "kind": "wrong_type", "calls": 1}]


def test_the_classes_of_a_failure_are_each_named_once_and_the_worst_comes_first() -> None:
    case = read_case(
        {"id": "a", "expected": ["f", {"forbid": "k"}], "actual": ["k", "k"]}, place="case"
    )

    classes = failure_classes(score_of(case))

    assert classes[0] == "forbidden"
    assert len(set(classes)) == len(classes)


def test_a_case_without_an_answer_has_the_score_0_and_no_counts() -> None:
    builder = RowBuilder()

    builder.add_unscored(structs.replace(CASE, actual=None), "no_answer", source="x", offset=3)
    (row,) = rows_of(builder)

    assert (row["status"], row["f1"], row["passed"], row["correct"]) == (
        "no_answer",
        0,
        False,
        None,
    )
    assert (row["failures"], row["tags"], row["trial"]) == (["error"], ["slow"], "2")
    assert (row["source"], row["offset"]) == ("x", 3)


@pytest.mark.parametrize("status", ["not_scored", "no_reference"])
def test_a_case_without_a_reference_has_no_score(status: Any) -> None:
    builder = RowBuilder()

    builder.add_unscored(structs.replace(CASE, expected=None), status)
    (row,) = rows_of(builder)

    assert (row["status"], row["f1"], row["passed"]) == (status, None, None)
    assert row["failures"] == []


def test_a_record_that_cannot_be_read_has_its_problem() -> None:
    builder = RowBuilder(RowColumns(pairs=True, cases="all"))

    builder.add_unreadable("not JSON", source="x", offset=3)
    builder.add_unreadable("over budget", CASE)
    first, second = rows_of(builder)

    assert (first["id"], first["status"], first["problem"]) == (None, "unreadable", "not JSON")
    assert (first["f1"], first["case"], first["pairs"]) == (None, None, None)
    assert (second["id"], second["trial"], second["problem"]) == ("a", "2", "over budget")


def test_half_of_a_surrogate_pair_is_escaped_wherever_it_is() -> None:
    case = Case(
        id=f"i{HALF}",
        trial=f"t{HALF}",
        tags=(f"g{HALF}",),
        expected=(call(f"f{HALF}", x=1), call("g", **{f"a{HALF}": 1})),
        actual=(call("g", **{f"a{HALF}": 2}),),
    )
    builder = RowBuilder(RowColumns(pairs=True, cases="all"))

    builder.add_score(case, score_of(case))
    builder.add_unreadable(f"p{HALF}")
    row, unreadable = rows_of(builder)

    assert (row["id"], row["trial"], row["tags"]) == (r"i\ud800", r"t\ud800", [r"g\ud800"])
    assert {tool["tool"] for tool in row["tools"]} == {r"f\ud800", "g"}
    assert row["wrong_arguments"][0]["argument"] == r"a\ud800"
    assert unreadable["problem"] == r"p\ud800"


def test_the_schema_says_its_version_and_a_batch_without_rows_has_it() -> None:
    builder = RowBuilder(RowColumns(pairs=True, cases="all"))

    batch = builder.batch()

    assert batch.num_rows == 0
    assert batch.schema.equals(row_schema(RowColumns(pairs=True, cases="all")), check_metadata=True)
    assert batch.schema.metadata == {b"callscore.rows": b"2"}
    assert batch.schema.names[-2:] == ["pairs", "case"]


def test_a_batch_has_the_rows_since_the_last_one() -> None:
    builder = RowBuilder()
    builder.add_score(CASE, score_of(CASE))
    builder.batch()

    builder.add_unreadable("not JSON")

    assert len(builder) == 1
    assert [row["status"] for row in rows_of(builder)] == ["unreadable"]


def test_the_pairs_of_a_case_are_as_in_the_json_report() -> None:
    row = row_of(CASE, RowColumns(pairs=True))

    pairs = msgspec.json.decode(row["pairs"])
    assert pairs["id"] == "a"
    assert "g" in row["pairs"]


def test_the_pairs_can_be_written_in_another_way() -> None:
    builder = RowBuilder(RowColumns(pairs=True), pairs_text=lambda case: f"<{case.id}>")

    builder.add_score(CASE, score_of(CASE))

    assert rows_of(builder)[0]["pairs"] == "<a>"
    assert builder.size == 0


PASSING = Case(id="b", expected=(call("f"),), actual=(call("f"),))


@pytest.mark.parametrize(
    ("cases", "kept"),
    [("failing", ["a", None, "u", None]), ("all", ["a", "b", "u", "n"])],
)
def test_a_row_has_the_case_itself_where_it_was_asked_for(
    cases: Any, kept: list[str | None]
) -> None:
    builder = RowBuilder(RowColumns(cases=cases))

    for case in (CASE, PASSING):
        builder.add_score(case, score_of(case))
    builder.add_unscored(Case(id="u", expected=()), "no_answer")
    builder.add_unscored(Case(id="n", actual=()), "not_scored")
    size = builder.size
    rows = rows_of(builder)

    texts = [row["case"] for row in rows]
    assert [text and read_case_text(text).id for text in texts] == kept
    assert size >= len(texts[0])


def test_no_more_cases_are_kept_than_asked_for() -> None:
    builder = RowBuilder(RowColumns(cases="failing"), max_cases=2)

    for _ in range(4):
        builder.add_score(CASE, score_of(CASE))

    assert [row["case"] is None for row in rows_of(builder)] == [False, False, True, True]


def test_what_follows_from_the_counts_is_computed_again_once_there_are_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(result_rows, "_MAX_KNOWN", 2)
    builder = RowBuilder()
    cases = [Case(id="a", expected=(call("f"),) * n, actual=(call("f"),)) for n in range(6)]

    for case in [*cases, *cases]:
        builder.add_score(case, score_of(case))

    rows = rows_of(builder)
    assert [row["expected"] for row in rows] == [*range(6), *range(6)]
    assert [row["f1"] for row in rows[:6]] == [score_of(case).f1 for case in cases]


def test_without_pyarrow_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)

    with pytest.raises(MissingExtra, match=r"Result rows .*'callscore\[parquet\]'"):
        require_pyarrow("Result rows")


# --- cases as text --------------------------------------------------------------------------------


def assert_same(case: Case, again: Case) -> None:
    definitions = ToolDefinitions()

    assert definitions.of(again.tools, "again") == definitions.of(case.tools, "case")
    assert structs.replace(again, tools=None) == structs.replace(case, tools=None)


@given(RECORDS)
def test_every_case_survives_as_text(records: list[dict[str, Any]]) -> None:
    for record in records:
        case = read_case(record, place="case")

        text = case_text(case)

        assert_same(case, read_case_text(text))
        assert case_text(read_case_text(text)) == text


_TEXTS = st.sampled_from(["x", "ü", "\u2028", "\x85", "\0", "\\ud800", '"'])
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_TEXTS, inner, max_size=2),
    max_leaves=4,
)
_CALLS = st.builds(
    ToolCall,
    name=_TEXTS,
    arguments=st.none() | st.dictionaries(_TEXTS, _JSON, max_size=2),
    id=st.none() | _TEXTS,
    step=st.none() | st.integers(0, 5),
    result=_JSON,
    failed=st.none() | st.booleans(),
    raw=st.none() | st.sampled_from(["", '{"a": ', "\udc80"]),
    error=st.none() | st.just("truncated_json"),
    kind=st.none() | st.just("mcp"),
    caller=st.none() | st.just("user"),
    positional=st.booleans(),
    warning=st.none() | st.just("duplicate_keys"),
)


@given(st.lists(_CALLS, max_size=3), st.lists(st.lists(_CALLS, max_size=2), max_size=2), _JSON)
def test_every_call_survives_as_text(
    calls: list[ToolCall], others: list[list[ToolCall]], given: Any
) -> None:
    case = Case(
        given, id="a", actual=tuple(calls), others=tuple(map(tuple, others)), metadata=given
    )

    again = read_case_text(case_text(case))

    raws = [(call.raw or "").isascii() for call in [*calls, *[each for o in others for each in o]]]
    if all(raws):  # what is no text in any encoding is escaped
        assert again == case
    assert [call.name for call in again.actual or ()] == [call.name for call in calls]


@pytest.mark.parametrize("number", [2**63, 2**64, -(2**63) - 1, 10**400, 0.1, 1e308, -0.0], ids=str)
def test_numbers_of_any_size_survive_as_text(number: float) -> None:
    case = Case(id="a", expected=(call("f", n=number),), actual=(call("f", n=number),))

    again = read_case_text(case_text(case))

    assert again == case
    assert score_of(again).passed


def test_surrogates_are_escaped_in_the_text_of_a_case() -> None:
    case = Case(f"q{HALF}", id="a", actual=(call("f", **{f"k{HALF}": f"v{HALF}"}),))

    again = read_case_text(case_text(case))

    assert again.id == "a"
    assert [each.name for each in again.actual or ()] == ["f"]


SCHEMA = TOOLS[0]["parameters"]


@pytest.mark.parametrize(
    "tools",
    [
        TOOLS,
        [{"type": "function", "function": {"name": "search", "parameters": SCHEMA}}],
        [{"name": "search", "input_schema": SCHEMA}],
        {"search": {"parameters": SCHEMA}},
        [Tool("search", parameters={"type": "object", "required": ["q"]}), Tool("book")],
        [],
    ],
    ids=["ours", "openai", "anthropic", "mapping", "trace", "none"],
)
def test_tools_in_any_form_survive_as_text(tools: Any) -> None:
    case = Case(id="a", expected=(), actual=(call("search", q=1), call("delete")), tools=tools)

    again = read_case_text(case_text(case))

    assert_same(case, again)
    assert score_of(again).faults == score_of(case).faults != ()


def test_the_tools_of_a_trace_may_have_unusable_schemas_also_as_text() -> None:
    tools = [Tool("f", parameters={"type": "nonsense"}), Tool("g", parameters={"type": "object"})]
    case = Case(id="a", expected=(call("f"),), actual=(call("f"),), tools=tools)

    again = read_case_text(case_text(case))

    assert score_of(again).faults == score_of(case).faults


@pytest.mark.parametrize("text", ["", "[]", "{", '{"id": 1}', '{"id": "a", "actual": [{}]}'])
def test_another_text_is_no_case(text: str) -> None:
    with pytest.raises(InvalidCall, match="the column 'case' does not have a case"):
        read_case_text(text)


def test_rows_can_be_written_to_parquet_and_read_again(tmp_path: Path) -> None:
    builder = RowBuilder(RowColumns(pairs=True, cases="all"))
    builder.add_score(CASE, score_of(CASE))
    builder.add_unreadable("not JSON")
    table = pa.Table.from_batches([builder.batch()])

    parquet.write_table(table, tmp_path / "rows.parquet")

    found = parquet.read_table(tmp_path / "rows.parquet")
    assert found.equals(table)
    assert found.schema.metadata == table.schema.metadata
