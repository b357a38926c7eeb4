"""Arrow data of any shape is scored row by row, as a case file is."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engines.row_cases import RECORDS, TOOLS, json_text, numbers, row_table

from callscore.core.budget import Budget, OverBudget
from callscore.core.results import Noted
from callscore.core.settings import DEFAULT, Settings
from callscore.core.summary import Summary
from callscore.engines import batches
from callscore.engines.batches import (
    SIDE_KEYS,
    RowOptions,
    joined_rows,
    row_options,
    score_batches,
    side_rows,
)
from callscore.engines.local import score_cases, score_files, score_joined
from callscore.engines.result_rows import read_case_text, row_schema
from callscore.engines.row_totals import RowTotals, results_of, summary_of, totals_of_batch
from callscore.errors import InvalidCall, InvalidSettings, MissingExtra, UnreadableInput
from callscore.formats.case_fields import TRACE_FIELDS

SAMPLES = Path(__file__).parents[1] / "samples/formats"
CALL: dict[str, Any] = {"name": "f", "arguments": {"x": 1}}
CALLS = json_text([CALL])


def rows_of(table: Any, settings: Settings = DEFAULT, **options: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = score_batches(table, settings, **options).read_all().to_pylist()
    return rows


def row_of(**columns: Any) -> dict[str, Any]:
    """The row of a table with one row, given by its columns."""
    (row,) = rows_of(pa.table(columns), cases="all")
    return row


def calls_of(row: dict[str, Any]) -> list[tuple[str, Any]]:
    """The calls that were made, as they were read."""
    case = read_case_text(row["case"])
    return [(call.name, call.arguments) for call in case.actual or ()]


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

    assert (row["status"], row["correct"], row["f1"]) == ("scored", 1, 1)
    assert calls_of(row) == [("f", {"x": 1})]


def test_a_member_of_a_struct_that_is_null_is_absent() -> None:
    calls = [[{"name": "f", "arguments": {"x": 1}}], [{"name": "f", "arguments": {"y": 2}}]]
    table = pa.table({"id": ["a", "b"], "expected": calls, "actual": calls})

    rows = rows_of(table, cases="all")

    assert [calls_of(row) for row in rows] == [[("f", {"x": 1})], [("f", {"y": 2})]]
    assert all(row["passed"] for row in rows)


def test_a_column_can_hold_a_trace_of_any_known_format() -> None:
    differing = []
    for path in sorted(SAMPLES.glob("*/*.json")):
        if path.name.count(".") > 1 or path.parent.name in {"callscore_case", "tool_definitions"}:
            continue
        text = path.read_text()
        record = {"id": "a", "expected": [], "actual": msgspec.json.decode(text)}
        whole: Any
        try:
            whole = score_cases([record], show="all").cases[0].score.actual
        except UnreadableInput:
            whole = "unreadable"

        row = row_of(id=["a"], expected=["[]"], trace=[text])

        is_read = row["status"] == "scored"
        found: Any = read_case_text(row["case"]).actual if is_read else row["status"]
        if found != whole:
            differing.append(path.name)
    assert not differing


@pytest.mark.parametrize("column", TRACE_FIELDS)
def test_a_column_with_a_usual_name_holds_the_calls_that_were_made(column: str) -> None:
    messages = [
        {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}
    ]

    row = row_of(id=["a"], expected=['["f"]'], **{column: [json_text(messages)]})

    assert (row["status"], row["correct"]) == ("scored", 1)


def test_of_two_columns_with_usual_names_none_is_taken() -> None:
    row = row_of(id=["a"], expected=[CALLS], output=[CALLS], messages=[CALLS])

    assert row["status"] == "no_answer"


def test_a_column_named_actual_comes_before_all_others() -> None:
    row = row_of(id=["a"], expected=[CALLS], actual=["[]"], trace=[CALLS])

    assert (row["actual"], row["missed"]) == (0, 1)


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


def test_with_paths_of_the_sides_no_column_is_taken_by_its_name() -> None:
    table = pa.table({"id": ["a"], "expected": [CALLS], "trace": [CALLS], "mine": ["[]"]})

    (row,) = rows_of(table, fields={"actual": "$.mine"})

    assert (row["actual"], row["missed"]) == (0, 1)


def test_the_format_of_the_traces_can_be_given() -> None:
    trace = json_text([{"role": "assistant", "tool_calls": [{"function": {"name": "f"}}]}])
    table = pa.table({"id": ["a"], "expected": ['["f"]'], "trace": [trace]})

    (right,), (wrong,) = rows_of(table, format="openai_chat"), rows_of(table, format="gemini")

    assert (right["status"], right["correct"]) == ("scored", 1)
    assert wrong["problem"].startswith("trace: the document is not in the format 'gemini'")


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


def test_what_is_not_arrow_data_is_refused_at_once() -> None:
    with pytest.raises(InvalidSettings, match="expected Arrow data"):
        score_batches([{"id": "a"}])


def test_rows_come_in_batches_of_some_thousands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "_ROWS_AT_ONCE", 4)
    monkeypatch.setattr(batches, "_ROWS_PER_BATCH", 10)
    record = {"id": "a", "expected": [CALL], "actual": []}

    found = [*score_batches(row_table([record] * 25), cases="failing")]

    assert [batch.num_rows for batch in found] == [12, 12, 1]
    assert [row["offset"] for batch in found for row in batch.to_pylist()] == [*range(25)]


def test_large_rows_come_in_smaller_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "_ROWS_AT_ONCE", 1)
    monkeypatch.setattr(batches, "_BYTES_PER_BATCH", 50)
    record = {"id": "a", "expected": [CALL], "actual": []}

    found = [*score_batches(row_table([record] * 3), cases="failing")]

    assert [batch.num_rows for batch in found] == [1, 1, 1]


def test_engines_give_the_place_of_a_row_and_lines_as_they_are() -> None:
    lines = [json_text({"id": "a", "expected": [CALL], "actual": [CALL]}), "{", " ", "[1]"]
    table = pa.table(
        {
            batches.LINE_COLUMN: lines,
            batches.SOURCE_COLUMN: ["x.jsonl"] * 4,
            batches.OFFSET_COLUMN: [0, 80, 82, 84],
        }
    )

    rows = rows_of(table)

    assert [row["status"] for row in rows] == ["scored", *["unreadable"] * 3]
    assert [(row["source"], row["offset"]) for row in rows] == [
        ("x.jsonl", offset) for offset in (0, 80, 82, 84)
    ]
    assert rows[2]["problem"] == "the line is blank."


def test_a_row_can_hold_several_cases_or_none() -> None:
    cases = [{"id": name, "expected": [CALL], "actual": [CALL]} for name in "ab"]
    table = pa.table({batches.LINE_COLUMN: [json_text(cases), json_text([])]})

    rows = rows_of(table)

    assert [(row["id"], row["offset"]) for row in rows] == [("a", 0), ("b", 0), (None, 1)]
    assert rows[-1]["status"] == "unreadable"


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


def test_tools_that_cannot_be_read_make_their_row_unreadable() -> None:
    table = row_table([{**GOOD, "tools": [{"name": "f", "parameters": {"type": "nonsense"}}]}])

    (row,) = rows_of(table)

    assert (row["status"], row["id"]) == ("unreadable", "b")
    assert row["problem"].startswith("'tools'")


def test_a_case_over_its_budget_makes_its_row_unreadable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Budget, "spend", over_budget)
    group = {"any_order": [{"one_of": [CALL, "g"]}, {"optional": "h"}]}

    rows = rows_of(row_table([{**GOOD, "expected": [group]}]))

    assert [row["status"] for row in rows] == ["unreadable"]
    assert rows[0]["problem"].startswith("case 'b': ")


def over_budget(*_: Any) -> None:
    raise OverBudget


def test_a_case_that_does_not_fit_the_settings_is_an_error_with_its_place() -> None:
    table = row_table([GOOD, {**GOOD, "expected": [{"any_order": ["f", "g"]}]}])

    with pytest.raises(InvalidSettings, match=r"^data@1: "):
        rows_of(table, Settings(order="exact"))


def test_pairs_are_as_in_the_report_and_hidden_where_that_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    secret = "s3cr3t-value-of-a-key"  # noqa: S105  (it is none)
    monkeypatch.setenv("OPENAI_API_KEY", secret)
    table = row_table(
        [{"id": "a", "expected": [CALL], "actual": [{**CALL, "arguments": {"x": secret}}]}]
    )
    shown = row_options(pairs=True)

    (row,) = rows_of(table, pairs=True)
    (hidden,) = batches.score_rows(
        table.to_batches(), RowOptions(columns=shown.columns, hides_secrets=True)
    )

    assert secret in row["pairs"]
    assert secret not in hidden.to_pylist()[0]["pairs"]


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


# --- two data sets, joined on the id --------------------------------------------------------------


def joined(
    expected: list[dict[str, Any]],
    actual: list[dict[str, Any]],
    options: RowOptions,
    parts: int = 1,
) -> RowTotals:
    """What an engine does: rows of both sides, put together by their id and sorted."""
    sides = [
        *side_rows(row_table(expected).to_batches(), options, "expected"),
        *side_rows(row_table(actual).to_batches(), options, "actual"),
    ]
    table = pa.Table.from_batches(sides, batches.side_schema())
    totals = RowTotals(Summary())
    for part in range(parts):
        rows = [row for row in table.to_pylist() if hash(row["id"]) % parts == part]
        found = pa.Table.from_pylist(rows, batches.side_schema())
        found = found.sort_by([(key, "ascending") for key in SIDE_KEYS])
        for batch in joined_rows(found.to_batches(max_chunksize=3), options):
            totals.merge(totals_of_batch(batch))
    return totals


def test_the_first_reference_of_a_file_counts_if_only_its_order_is_known() -> None:
    lines = ['{"id": "a", "expected": ["f"]}', '{"id": "a", "expected": []}']
    table = pa.table(
        {
            batches.LINE_COLUMN: lines,
            batches.SOURCE_COLUMN: ["references.jsonl"] * 2,
            batches.ORDER_COLUMN: [7, 8_589_934_592],
        }
    )
    traces = row_table([{"id": "a", "actual": ["f"]}])
    sides = pa.Table.from_batches(
        [
            *side_rows(table.to_batches(), RowOptions(), "expected"),
            *side_rows(traces.to_batches(), RowOptions(), "actual"),
        ]
    ).sort_by([(key, "ascending") for key in SIDE_KEYS])

    rows = pa.Table.from_batches(joined_rows(sides.to_batches(), RowOptions())).to_pylist()

    assert [(row["status"], row["correct"]) for row in rows] == [
        ("unreadable", None),
        ("scored", 1),
    ]
    assert batches.ORDER_COLUMN not in rows[0]


_SIDE = st.lists(
    st.fixed_dictionaries(
        {"calls": st.lists(st.sampled_from(["f", "g"]), max_size=2)},
        optional={"id": st.sampled_from("abcde"), "trial": st.sampled_from([1, 2])},
    ),
    max_size=8,
)


@given(_SIDE, _SIDE, st.integers(1, 4))
def test_joined_rows_add_up_to_the_results_of_two_joined_files(
    tmp_path_factory: pytest.TempPathFactory, references: Any, traces: Any, parts: int
) -> None:
    # With two references at least, a trace without an id cannot be joined.
    expected = [{"id": name, "expected": ["f"]} for name in "xy"]
    expected += [{"id": each.get("id", "z"), "expected": each["calls"]} for each in references]
    actual = [
        {"actual": each["calls"], **{key: each[key] for key in ("id", "trial") if key in each}}
        for each in traces
    ]
    folder = tmp_path_factory.mktemp("joined")
    for name, records in (("expected", expected), ("actual", actual)):
        (folder / f"{name}.jsonl").write_bytes(msgspec.json.Encoder().encode_lines(records))
    whole = score_joined(
        folder / "expected.jsonl", folder / "actual.jsonl", skip_bad=True, max_shown=0
    )

    found = joined(expected, actual, RowOptions(), parts)

    assert numbers(found.summary) == numbers(whole.summary)
    assert found.not_run.count == whole.not_run.count
    assert found.without_reference.count == whole.without_reference.count
    assert found.skipped.count == whole.skipped.count


def test_of_two_references_with_one_id_the_first_counts() -> None:
    expected = [{"id": "a", "expected": ["f"]}, {"id": "a", "expected": ["g"]}]

    totals = joined(expected, [{"id": "a", "actual": ["f"]}], RowOptions())

    assert totals.summary.exact == 1
    problem = "duplicate reference id 'a', first used at data@0. Keep one of them."
    assert totals.skipped == Noted(1, (f"data@1: {problem}",))


def test_a_side_without_an_id_is_a_row_or_an_error() -> None:
    expected: list[dict[str, Any]] = [{"id": "a", "expected": ["f"]}, {"expected": ["f"]}]

    totals = joined(expected, [], RowOptions())

    assert (totals.skipped.count, totals.not_run) == (1, Noted(1, ("a",)))
    with pytest.raises(UnreadableInput, match=r"^data@1: the record has no id"):
        joined(expected, [], RowOptions(skips_bad=False))


def test_sides_that_are_joined_keep_tools_trials_and_tags() -> None:
    expected = [{"id": "a", "expected": ["search"], "tags": ["slow"]}]
    actual = [{"id": "a", "actual": ["search"], "trial": 2, "tools": TOOLS}]

    totals = joined(expected, actual, RowOptions())

    assert totals.summary.trials == {"a": {(1, 1, 1, 0): 1}}
    assert totals.summary.checked_calls == 1


def test_half_of_a_surrogate_pair_in_an_id_does_not_end_a_join() -> None:
    table = pa.table({batches.LINE_COLUMN: ['{"id": "x\\ud800", "expected": ["f"]}']})

    (batch,) = side_rows(table.to_batches(), RowOptions(), "expected")

    (row,) = batch.to_pylist()
    assert (row["id"], row["side"]) == (None, batches.UNREADABLE)
    assert "half of a surrogate pair" in row["record"]


def test_the_rows_of_sides_come_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "_ROWS_AT_ONCE", 2)
    monkeypatch.setattr(batches, "_ROWS_PER_BATCH", 2)
    table = row_table([{"id": name, "expected": ["f"]} for name in "abcde"])

    found = [*side_rows(table.to_batches(), RowOptions(), "expected")]

    assert [batch.num_rows for batch in found] == [2, 2, 1]


@given(RECORDS)
def test_results_do_not_depend_on_the_large_columns(records: list[dict[str, Any]]) -> None:
    table = row_table(records)

    without = results_of(score_batches(table))
    with_all = results_of(score_batches(table, pairs=True, cases="all"))

    assert with_all.summary == without.summary
    assert without.cases == ()


def test_a_line_is_read_like_one_of_a_file(tmp_path: Path) -> None:
    lines = [
        b'{"id": "a", "expected": [], "actual": []}\r',
        b'{"id": "b", "expected": [], "expected": ["f"], "actual": []}',
        b'{"id": "\xff", "expected": [], "actual": []}',
        b'{"id": "c", "expected": [], "actual": [',
        b'"text"',
    ]
    path = tmp_path / "cases.jsonl"
    path.write_bytes(b"\n".join(lines))

    rows = score_batches(pa.table({batches.LINE_COLUMN: pa.array(lines, pa.binary())})).read_all()

    in_file = score_files(path, skip_bad=True).skipped.names
    problems = [problem for problem in rows["problem"].to_pylist() if problem]
    assert rows["id"].to_pylist() == ["a", None, None, None, None]
    assert [
        name.rpartition(problem)[1] for name, problem in zip(in_file, problems, strict=True)
    ] == problems
