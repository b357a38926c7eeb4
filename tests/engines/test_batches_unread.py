"""Rows say what looks like calls in a record and was not read, also if both sides are joined."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from tests.engines.row_cases import json_text

from callscore.core.settings import DEFAULT
from callscore.engines.batches import SIDE_KEYS, joined_rows, row_options, score_batches, side_rows
from callscore.engines.result_rows import case_text, read_case_text
from callscore.engines.row_totals import totals_of_batch
from callscore.errors import UnreadableInput
from callscore.formats.trace import ReadOptions

SPOILED = json_text({"choices": [{"message": {"role": "assistant", "toolcalls": [{"id": "1"}]}}]})
CALLS = json_text([{"name": "f", "arguments": {}}])
SIGN = "'toolcalls' at $.choices[0].message looks like a call. Recognized format: openai_chat."
TABLE = pa.table({"id": ["a", "b"], "expected": [CALLS] * 2, "actual": [SPOILED, CALLS]})


def test_the_row_of_a_case_says_what_was_not_read() -> None:
    rows = score_batches(TABLE).read_all().to_pylist()

    assert [(row["id"], row["status"], row["problem"]) for row in rows] == [
        ("a", "scored", f"actual: {SIGN}"),
        ("b", "scored", None),
    ]


def test_the_totals_of_rows_count_what_was_not_read() -> None:
    batch = score_batches(TABLE).read_all().combine_chunks().to_batches()[0]

    totals = totals_of_batch(batch, DEFAULT)

    assert totals.unread.count == 1
    assert totals.unread.names[0].endswith(f"actual: {SIGN}")
    assert totals.skipped.count == 0


def test_the_row_of_a_case_without_a_reference_says_what_was_not_read() -> None:
    (row,) = score_batches(pa.table({"id": ["a"], "actual": [SPOILED]})).read_all().to_pylist()

    assert (row["status"], row["problem"]) == ("not_scored", f"actual: {SIGN}")


def test_strict_options_refuse_the_row() -> None:
    strict = ReadOptions(strict=True)

    with pytest.raises(UnreadableInput, match=r"looks like a call.* It was not read\."):
        score_batches(TABLE, read_options=strict, skip_bad=False).read_all()
    rows = score_batches(TABLE, read_options=strict).read_all().to_pylist()

    assert [row["status"] for row in rows] == ["unreadable", "scored"]
    assert rows[0]["problem"] == f"actual: {SIGN} It was not read."


def test_both_sides_of_a_join_keep_what_was_not_read() -> None:
    options = row_options()
    expected = pa.table({"id": ["a", "b"], "expected": [CALLS, SPOILED]})
    actual = pa.table({"id": ["a", "b"], "actual": [SPOILED, CALLS]})
    sides = [
        *side_rows(expected.to_batches(), options, "expected"),
        *side_rows(actual.to_batches(), options, "actual"),
    ]
    table = pa.Table.from_batches(sides).sort_by([(key, "ascending") for key in SIDE_KEYS[:2]])

    rows: list[dict[str, Any]] = [
        row for batch in joined_rows(table.to_batches(), options) for row in batch.to_pylist()
    ]

    assert [(row["id"], row["problem"]) for row in rows] == [
        ("a", f"actual: {SIGN}"),
        ("b", f"expected: {SIGN}"),
    ]


def test_a_case_as_text_keeps_what_was_not_read() -> None:
    batches = score_batches(TABLE, cases="all").read_all().to_pylist()

    cases = [read_case_text(row["case"]) for row in batches]

    assert [case.unread for case in cases] == [f"actual: {SIGN}", None]
    assert "unread" not in case_text(cases[1])
