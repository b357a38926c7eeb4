"""Arrow data of any shape is scored row by row, as a case file is."""

from __future__ import annotations

import sys
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engines.row_cases import RECORDS, json_text, numbers, row_table

from callscore import (
    InvalidCall,
    InvalidSettings,
    MissingExtra,
    ReadOptions,
    Settings,
    UnreadableInput,
    score_cases,
)
from callscore.engines import results_of, row_schema, score_batches, summary_of

CALL: dict[str, Any] = {"name": "f", "arguments": {"x": 1}}
CALLS = json_text([CALL])


def rows_of(table: Any, settings: Settings | None = None, **options: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = (
        score_batches(table, settings or Settings(), **options).read_all().to_pylist()
    )
    return rows


def row_of(**columns: Any) -> dict[str, Any]:
    """The row of a table with one row, given by its columns."""
    (row,) = rows_of(pa.table(columns))
    return row


STRUCT = pa.struct([("name", pa.string()), ("arguments", pa.struct([("x", pa.int64())]))])
MAP = pa.struct([("name", pa.string()), ("arguments", pa.map_(pa.string(), pa.int64()))])
COLUMNS = {
    "text": pa.array([CALLS]),
    "large text": pa.array([CALLS], pa.large_string()),
    "text view": pa.array([CALLS], pa.string_view()),
    "dictionary of texts": pa.array([CALLS]).dictionary_encode(),
    "structs": pa.array([[CALL]], pa.list_(STRUCT)),
    "large list of structs": pa.array([[CALL]], pa.large_list(STRUCT)),
    "maps": pa.array([[{"name": "f", "arguments": [("x", 1)]}]], pa.list_(MAP)),
    "arguments as text": pa.array([[{"name": "f", "arguments": '{"x": 1}'}]]),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_calls_can_be_text_or_nested_data(name: str) -> None:
    row = row_of(id=["a"], expected=COLUMNS[name], actual=COLUMNS[name])

    same = row_of(id=["a"], expected=[CALLS], actual=COLUMNS[name])

    assert (row["status"], row["correct"], row["f1"]) == ("scored", 1, 1)
    assert same == row


def test_turns_states_and_callers_are_columns() -> None:
    turns = [{"expected": [CALL], "actual": [CALL]}, {"expected": [CALL], "actual": []}]

    for column in (turns, json_text(turns)):
        row = row_of(turns=[column], expected_state=['{"n": 1}'], actual_state=['{"n": 1}'])
        assert (row["correct"], row["expected"], row["turns"]) == (2, 3, 2)
    left_out = row_of(expected=["[]"], actual=[CALLS], callers=["subagent"])
    assert (left_out["actual"], left_out["f1"]) == (0, 1.0)


def test_a_member_of_a_struct_that_is_null_is_absent() -> None:
    calls = [[{"name": "f", "arguments": {"x": 1}}], [{"name": "f", "arguments": {"y": 2}}]]
    table = pa.table({"id": ["a", "b"], "expected": calls, "actual": calls})

    texts = pa.table({"id": ["a", "b"], "expected": [*map(json_text, calls)], "actual": calls})

    assert [row["passed"] for row in rows_of(texts)] == [True, True]
    assert rows_of(texts) == rows_of(table)


@pytest.mark.parametrize("column", ["trace", "messages"])
def test_a_column_with_a_usual_name_holds_the_calls_that_were_made(column: str) -> None:
    messages = [
        {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}
    ]

    row = row_of(id=["a"], expected=['["f"]'], **{column: [json_text(messages)]})

    assert (row["status"], row["correct"]) == ("scored", 1)


def test_of_two_columns_with_usual_names_none_is_taken() -> None:
    row = row_of(id=["a"], expected=[CALLS], output=[CALLS], messages=[CALLS])

    assert row["status"] == "no_answer"


def test_where_the_column_actual_is_null_the_trace_is_taken() -> None:
    row = row_of(id=["a"], expected=[CALLS], actual=pa.array([None], pa.string()), trace=[CALLS])

    assert (row["status"], row["correct"]) == ("scored", 1)


def test_fields_can_be_anywhere_in_a_row() -> None:
    table = pa.table(
        {
            "meta": [{"task": "a", "run": 3}],
            "gold": [CALLS],
            "log": [json_text({"calls": [CALL]})],
        }
    )
    fields = {
        "id": "$.meta.task",
        "trial": "$.meta.run",
        "expected": "$.gold",
        "actual": "$.log.calls",
    }

    (row,) = rows_of(table, fields=fields)

    assert (row["id"], row["trial"], row["correct"]) == ("a", "3", 1)


def test_null_columns_and_columns_of_other_names_are_left_out() -> None:
    row = row_of(
        id=["a"],
        expected=[CALLS],
        actual=[CALLS],
        tags=pa.nulls(1),
        tools=pa.nulls(1, pa.string()),
        embedding=[[0.1, 0.2]],
        when=pa.array([0], pa.timestamp("us")),
    )

    assert (row["status"], row["correct"], row["tags"]) == ("scored", 1, [])


def test_without_the_column_of_a_side_nothing_is_scored() -> None:
    assert row_of(id=["a"], expected=[CALLS])["status"] == "no_answer"
    assert row_of(id=["a"], actual=[CALLS])["status"] == "not_scored"
    assert row_of(question=["hello"])["status"] == "unreadable"


def test_two_columns_with_one_name_are_refused() -> None:
    cells = [pa.array(["a"]), pa.array(["b"]), pa.array([CALLS])]
    table = pa.Table.from_arrays(cells, ["id", "id", "expected"])

    with pytest.raises(InvalidSettings, match="more than one column 'id'"):
        rows_of(table)


def test_no_rows_and_batches_without_rows_give_no_rows() -> None:
    table = row_table([{"id": "a", "expected": [], "actual": []}])
    schema = table.schema
    nothing = schema.empty_table().to_batches()
    batch = pa.RecordBatch.from_pylist([], schema=schema)

    empty = score_batches(schema.empty_table()).read_all()
    mixed = pa.RecordBatchReader.from_batches(schema, [batch, *table.to_batches(), batch, *nothing])

    assert empty.num_rows == 0
    assert empty.schema.equals(row_schema(), check_metadata=True)
    assert [row["offset"] for row in rows_of(mixed)] == [0]


class Exporter:
    """Data of another library, which gives out Arrow data and nothing else."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)


def test_anything_that_exports_arrow_data_is_read() -> None:
    table = row_table([{"id": "a", "expected": [CALL], "actual": [CALL]}])

    assert rows_of(Exporter(table)) == rows_of(table)
    assert rows_of(table.to_batches()[0]) == rows_of(table)


def test_input_that_is_not_arrow_data_is_refused_at_once() -> None:
    with pytest.raises(InvalidSettings, match="expected Arrow data"):
        score_batches([{"id": "a"}])


BAD = {"id": "a", "expected": 5, "actual": []}
GOOD = {"id": "b", "expected": [CALL], "actual": [CALL]}


def test_an_unreadable_row_is_a_row_or_an_error() -> None:
    table = row_table([GOOD, BAD])

    (_, row) = rows_of(table)

    assert (row["status"], row["offset"]) == ("unreadable", 1)
    assert row["problem"].startswith("expected")
    with pytest.raises(UnreadableInput, match=r"^data@1: expected") as raised:
        rows_of(table, skip_bad=False)
    assert raised.value.is_one_record


def test_a_case_that_does_not_fit_the_settings_is_an_error_with_its_place() -> None:
    table = row_table([GOOD, {**GOOD, "expected": [{"any_order": ["f", "g"]}]}])

    with pytest.raises(InvalidSettings, match=r"^data@1: "):
        rows_of(table, Settings(order="exact"))


def test_invalid_options_are_refused_before_anything_is_read() -> None:
    table = row_table([])

    with pytest.raises(InvalidSettings, match="Choose from: none, failing, all"):
        score_batches(table, cases="some")  # type: ignore[arg-type]  # the point of the test
    with pytest.raises(InvalidSettings, match="judge"):
        score_batches(table, Settings(judge=lambda *_: True))
    with pytest.raises(InvalidSettings, match="unknown"):
        score_batches(table, fields={"exepcted": "$.x"})
    with pytest.raises(InvalidSettings):
        score_batches(table, format="nonsense")
    with pytest.raises(InvalidCall):
        score_batches(table, tools=[{"what": "is this"}])


def test_without_pyarrow_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)

    with pytest.raises(MissingExtra, match=r"Scoring Arrow data .*'callscore\[parquet\]'"):
        score_batches([])


def test_several_answers_are_read_where_the_best_counts() -> None:
    choices = [
        {"message": {"role": "assistant", "tool_calls": [{"function": {"name": name}}]}}
        for name in ("g", "f")
    ]
    table = pa.table(
        {"id": ["a"], "expected": ['["f"]'], "trace": [json_text({"choices": choices})]}
    )

    one, two = rows_of(table)[0], rows_of(table, Settings(top_k=2))[0]

    assert (one["correct"], two["correct"]) == (0, 1)


# --- nested data ----------------------------------------------------------------------------------

_NESTED = st.lists(
    st.fixed_dictionaries(
        {
            "name": st.sampled_from(["f", "g"]),
            "arguments": st.fixed_dictionaries(
                {}, optional={"x": st.integers(0, 3), "y": st.sampled_from(["1", "2"])}
            ),
        }
    ),
    max_size=3,
)
_ARGUMENTS = pa.struct([("x", pa.int64()), ("y", pa.string())])
_CALL = pa.struct([("name", pa.string()), ("arguments", _ARGUMENTS)])


@given(st.lists(st.tuples(_NESTED, _NESTED), max_size=6))
def test_nested_calls_score_as_the_same_calls_in_a_file(sides: list[tuple[Any, Any]]) -> None:
    records: list[dict[str, Any]] = [
        {"id": f"case {number}", "expected": expected, "actual": actual}
        for number, (expected, actual) in enumerate(sides)
    ]
    kind = pa.list_(_CALL)
    table = pa.table(
        {
            "id": pa.array([record["id"] for record in records], pa.string()),
            "expected": pa.array([record["expected"] for record in records], kind),
            "actual": pa.array([record["actual"] for record in records], kind),
        }
    )

    found = summary_of(score_batches(table))

    assert numbers(found) == numbers(score_cases(records).summary)


@given(RECORDS)
def test_results_do_not_depend_on_the_large_columns(records: list[dict[str, Any]]) -> None:
    table = row_table(records)

    without = results_of(score_batches(table))
    with_all = results_of(score_batches(table, pairs=True, cases="all"))

    assert with_all.summary == without.summary
    assert without.cases == ()


SPOILED = json_text({"choices": [{"message": {"role": "assistant", "toolcalls": [{"id": "1"}]}}]})
SIGN = "'toolcalls' at $.choices[0].message looks like a call. Recognized format: openai_chat."


def test_the_row_of_a_case_says_what_was_not_read() -> None:
    table = pa.table({"id": ["a", "b"], "expected": [CALLS] * 2, "actual": [SPOILED, CALLS]})

    rows = score_batches(table).read_all()

    assert rows["problem"].to_pylist() == [f"actual: {SIGN}", None]
    assert (results_of(rows).unread.count, results_of(rows).skipped.count) == (1, 0)
    strict = rows_of(table, read_options=ReadOptions(strict=True))
    assert [row["status"] for row in strict] == ["unreadable", "scored"]
