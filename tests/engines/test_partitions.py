from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest
from msgspec import structs

from callscore import __version__
from callscore.core.settings import DEFAULT, Settings
from callscore.engines.batches import (
    OFFSET_COLUMN,
    SIDE_KEYS,
    SOURCE_COLUMN,
    row_options,
    score_batches,
    side_schema,
)
from callscore.engines.partitions import (
    PartTotals,
    failing_texts,
    join_part,
    merge_parts,
    results_of_totals,
    score_part,
    side_part,
    sum_part,
)
from callscore.engines.result_rows import read_case_text
from callscore.engines.row_totals import results_of
from callscore.errors import InvalidSettings
from callscore.reports.score_markdown import write_markdown

CALL = {"name": "find", "arguments": '{"key": 1}'}
OTHER = {"name": "find", "arguments": '{"key": 2}'}


def _cases(count: int) -> pa.Table:
    """Of each ten cases, six pass, two fail, one has no answer, and one cannot be read."""
    rows = []
    for number in range(count):
        actual: list[Any] | None = [CALL if number % 10 < 6 else OTHER]
        row = {"id": f"c{number:03}", "expected": [CALL], "actual": actual, "input": "?"}
        if number % 10 == 8:
            row["actual"] = None
        if number % 10 == 9:
            row["expected"] = [{"name": None, "arguments": "{}"}]
        rows.append(row)
    return pa.Table.from_pylist(rows)


def _rows(count: int = 100) -> list[pa.RecordBatch]:
    options = row_options(cases="failing")
    return [
        batch
        for part in _cases(count).to_batches(max_chunksize=7)
        for batch in score_part([part], options, __version__)
    ]


def test_the_results_are_the_same_for_any_split_and_order_of_the_rows() -> None:
    rows = _rows()
    whole = results_of(pa.Table.from_batches(rows))
    found = []
    for seed in range(5):
        shuffled = random.Random(seed).sample(rows, len(rows))
        half = seed + 3
        parts = [
            sum_part(each, DEFAULT, 10, __version__) for each in (shuffled[:half], shuffled[half:])
        ]
        merged = merge_parts(parts, DEFAULT, 10)
        found.append(results_of_totals(merged, DEFAULT, None))

    assert all(each == found[0] for each in found)
    assert all(write_markdown(each) == write_markdown(found[0]) for each in found)
    assert found[0].summary == whole.summary
    assert [case.id for case in found[0].cases] == [case.id for case in whole.cases]
    assert found[0].not_shown == whole.not_shown
    assert found[0].not_run.count == whole.not_run.count == 10


def test_the_cases_that_are_shown_are_those_with_the_smallest_ids() -> None:
    totals = PartTotals(DEFAULT, 3)
    for batch in reversed(_rows()):
        totals.add_rows(batch)

    assert [case for case, *_ in totals.shown] == ["c006", "c007", "c016"]


def test_all_cases_or_none_can_be_shown() -> None:
    every, none = PartTotals(DEFAULT, None), PartTotals(DEFAULT, 0)
    for batch in _rows():
        every.add_rows(batch)
        none.add_rows(batch)

    assert len(every.shown) == 20
    assert none.shown == []


def test_no_rows_have_empty_totals() -> None:
    found = results_of_totals(merge_parts([], DEFAULT, 10), DEFAULT, None)

    assert found.summary.cases == 0
    assert found.cases == ()


def test_rows_without_the_column_case_show_none() -> None:
    rows = score_batches(_cases(20)).read_all().to_batches()

    data = sum_part(rows, DEFAULT, 10, __version__)

    assert merge_parts([data], DEFAULT, 10).shown == []
    assert [failing_texts(batch) for batch in rows] == [[]]


def test_rows_of_another_pass_mark_are_refused() -> None:
    with pytest.raises(InvalidSettings, match="another 'pass_mark'"):
        sum_part(_half_right(), Settings(pass_mark=0.4), 10, __version__)


def _half_right() -> list[pa.RecordBatch]:
    table = pa.Table.from_pylist([{"id": "a", "expected": [CALL, OTHER], "actual": [CALL]}])
    batches: list[pa.RecordBatch] = score_batches(table).read_all().to_batches()
    return batches


def test_failing_cases_are_those_that_failed_or_have_no_answer() -> None:
    texts = [text for batch in _rows(20) for text in failing_texts(batch)]

    cases = [read_case_text(text) for text in texts]
    assert [case.id for case in cases] == ["c006", "c007", "c008", "c016", "c017", "c018"]
    assert [case.actual is None for case in cases] == [False, False, True] * 2


def test_a_row_without_a_file_has_no_offset() -> None:
    """It would be the number of the row in an arbitrary part."""
    options = row_options()
    plain = _cases(2)
    placed = plain.append_column(SOURCE_COLUMN, pa.array(["lake/a.parquet"] * 2)).append_column(
        OFFSET_COLUMN, pa.array([7, 8])
    )

    without = pa.Table.from_batches(score_part(plain.to_batches(), options, __version__))
    with_file = pa.Table.from_batches(score_part(placed.to_batches(), options, __version__))

    assert without["offset"].to_pylist() == [None, None]
    assert with_file["offset"].to_pylist() == [7, 8]


def test_sides_are_joined_as_one_machine_joins_them() -> None:
    options = row_options()
    references = pa.Table.from_pylist(
        [{"id": name, "expected": [CALL]} for name in ("a", "b", "b", "c")]
    )
    traces = pa.Table.from_pylist([{"id": name, "actual": [CALL]} for name in ("d", "b", "a")])

    sides = pa.Table.from_batches(
        [
            *side_part(references.to_batches(), options, __version__, "expected"),
            *side_part(traces.to_batches(), options, __version__, "actual"),
        ],
        side_schema(),
    ).sort_by([(name, "ascending") for name in SIDE_KEYS])
    rows = pa.Table.from_batches(join_part(sides.to_batches(), options, __version__))

    assert sides["offset"].null_count == sides.num_rows
    assert sorted(
        zip(rows["status"].to_pylist(), rows["id"].to_pylist(), strict=True), key=str
    ) == [
        ("no_answer", "c"),
        ("no_reference", "d"),
        ("scored", "a"),
        ("scored", "b"),
        ("unreadable", None),
    ]


def test_a_worker_with_another_version_is_refused() -> None:
    with pytest.raises(InvalidSettings, match=r"a worker has callscore .* the driver has 99\.0"):
        score_part([], row_options(), "99.0")


def test_the_cases_of_rows_are_without_secrets_where_a_command_writes_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SERVICE_API_KEY", "a-very-secret-value-123")
    calls = '[{"name": "log", "arguments": {"key": "a-very-secret-value-123"}}]'
    data = pa.table({"id": ["a"], "expected": [calls], "actual": ["[]"]})
    shown = row_options(cases="failing")
    hidden = structs.replace(shown, hides_secrets=True)

    (plain,) = score_part(data.to_batches(), shown, __version__)
    (marked,) = score_part(data.to_batches(), hidden, __version__)

    assert "a-very-secret" in plain["case"][0].as_py()
    assert "[hidden" in marked["case"][0].as_py()
    assert "a-very-secret" not in str(marked.to_pylist())
    assert plain.drop_columns("case").equals(marked.drop_columns("case"))


def test_a_case_without_an_id_is_named_by_its_place_where_there_is_one() -> None:
    unanswered = pa.Table.from_pylist([{"expected": [CALL], "input": "?"}])
    placed = unanswered.append_column(SOURCE_COLUMN, pa.array(["lake/a.parquet"]))
    placed = placed.append_column(OFFSET_COLUMN, pa.array([7]))
    names: list[str] = []
    for table in (placed, unanswered):
        rows = score_part(table.to_batches(), row_options(), __version__)
        totals = merge_parts([sum_part(rows, DEFAULT, 10, __version__)], DEFAULT, 10)
        names += totals.noted().not_run.names

    assert names[0] == "lake/a.parquet@7"
    assert names[1].startswith("sha-")
