"""Rows add up to what one machine counts, however they are split and in whatever order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from tests.engines.row_cases import RECORDS, SETTINGS, TOOLS, numbers, row_table

from callscore.core.case import Case
from callscore.core.results import Noted
from callscore.core.settings import DEFAULT, Settings
from callscore.core.summary import Summary
from callscore.engines.batches import score_batches
from callscore.engines.local import score_cases
from callscore.engines.row_totals import (
    RowTotals,
    batches_of,
    failing_cases,
    place_text,
    require_settings,
    result_of_case,
    results_of,
    summary_of,
    totals_of_batch,
)
from callscore.engines.tool_definitions import ToolDefinitions
from callscore.errors import InvalidSettings, UnreadableInput

if TYPE_CHECKING:
    from random import Random

Records = list[dict[str, Any]]


def empty(settings: Settings = DEFAULT) -> RowTotals:
    return RowTotals(Summary(pass_mark=settings.pass_mark))


@given(RECORDS, SETTINGS, st.integers(1, 5), st.randoms(use_true_random=False))
def test_any_split_merged_in_any_order_has_the_summary_of_one_machine(
    records: Records, settings: Settings, size: int, random: Random
) -> None:
    whole = score_cases(records, settings=settings).summary
    rows = score_batches(row_table(records), settings).read_all()

    parts = [totals_of_batch(batch, settings) for batch in rows.to_batches(max_chunksize=size)]
    random.shuffle(parts)
    while len(parts) > 1:
        first = parts.pop(random.randrange(len(parts)))
        other = parts.pop(random.randrange(len(parts)))
        first = RowTotals.decode(first.encode())
        first.merge(other)
        parts.append(first)

    found = parts[0] if parts else empty(settings)
    assert numbers(found.summary) == numbers(whole)
    assert found.rows == len(records)


@given(RECORDS, SETTINGS, st.integers(1, 5))
def test_any_split_of_the_data_gives_the_same_rows(
    records: Records, settings: Settings, size: int
) -> None:
    table = row_table(records)

    whole = score_batches(table, settings, cases="all", pairs=True).read_all()
    split = pa.Table.from_batches(table.to_batches(max_chunksize=size), table.schema)

    assert score_batches(split, settings, cases="all", pairs=True).read_all().equals(whole)


@given(RECORDS, SETTINGS, st.none() | st.integers(0, 3))
def test_results_show_and_note_the_same_cases_as_those_of_one_machine(
    records: Records, settings: Settings, max_shown: int | None
) -> None:
    records = [{"id": f"case {number}", **record} for number, record in enumerate(records)]
    whole = score_cases(records, settings=settings, max_shown=max_shown)

    found = results_of(
        score_batches(row_table(records), settings, cases="failing"), settings, max_shown=max_shown
    )

    assert [case.id for case in found.cases] == [case.id for case in whole.cases]
    assert [case.score for case in found.cases] == [case.score for case in whole.cases]
    assert found.not_shown == whole.not_shown
    for note in ("not_scored", "not_run", "without_reference", "skipped"):
        assert getattr(found, note) == getattr(whole, note), note


@given(RECORDS, SETTINGS)
def test_totals_travel_as_json(records: Records, settings: Settings) -> None:
    batch = score_batches(row_table(records), settings).read_all().combine_chunks().to_batches()
    totals = totals_of_batch(batch[0], settings) if batch else empty(settings)

    again = RowTotals.decode(totals.encode())

    assert again == totals
    assert numbers(again.summary) == numbers(totals.summary)


def rows_of(*records: dict[str, Any], **options: Any) -> Any:
    return score_batches(row_table(records), **options).read_all()


CORRECT: dict[str, Any] = {"id": "a", "expected": ["f"], "actual": ["f"]}
WRONG: dict[str, Any] = {"id": "b", "expected": ["f"], "actual": ["g"]}


def test_what_is_not_scored_is_counted_and_the_first_are_named() -> None:
    unanswered = [{"id": f"n{number}", "expected": ["f"]} for number in range(22)]
    others: Records = [{"actual": ["f"]}, {"id": "c", "expected": 5, "actual": []}]

    results = results_of(rows_of(*unanswered, *others))

    assert results.not_run == Noted(22, tuple([f"n{number}" for number in range(20)]))
    assert results.not_scored == Noted(1, ("data@22",))
    assert results.skipped.count == 1
    assert results.skipped.names[0].startswith("data@23: ")
    assert results.summary.unanswered == 22


def test_the_only_case_is_the_title_of_the_results() -> None:
    alone = results_of(rows_of(WRONG, cases="failing"))
    not_kept = results_of(rows_of(WRONG))

    assert (alone.title, alone.only and alone.only.id) == ("b", "b")
    assert (not_kept.title, not_kept.only, not_kept.not_shown) == ("", None, 1)


def test_trials_are_kept_together() -> None:
    trials = [{**WRONG, "trial": 1}, {**WRONG, "trial": 2, "actual": ["f"]}, {**CORRECT}]

    summary = summary_of(rows_of(*trials, {"id": "b", "expected": ["f"], "trial": 3}))

    assert summary.distinct_cases == 2
    assert summary.trials == {"b": {(0, 1, 1, 0): 1, (1, 1, 1, 0): 1, (0, 0, 0, -1): 1}}


def test_the_tools_of_the_scoring_check_the_cases_that_are_shown() -> None:
    record = {"id": "a", "expected": ["search"], "actual": ["search", "delete"]}

    found = results_of(rows_of(record, cases="failing", tools=TOOLS), tools=TOOLS)

    whole = score_cases([record], tools=TOOLS)
    assert found.cases[0].score.faults == whole.cases[0].score.faults != ()


def test_rows_of_another_pass_mark_are_refused() -> None:
    rows = rows_of({"id": "a", "expected": ["f"], "actual": ["f", "g"]})

    with pytest.raises(InvalidSettings, match="scored with another 'pass_mark'"):
        summary_of(rows, Settings(pass_mark=0.5))


def test_other_tables_are_refused() -> None:
    with pytest.raises(InvalidSettings, match="the column 'id' is missing"):
        summary_of(pa.table({"x": [1]}))
    with pytest.raises(InvalidSettings, match="the column 'tools' is missing"):
        results_of(rows_of(CORRECT).drop_columns(["tools"]))


def test_rows_of_another_version_are_refused() -> None:
    rows = rows_of(CORRECT).replace_schema_metadata({b"callscore.rows": b"3"})

    with pytest.raises(InvalidSettings, match="version 3, this version of callscore reads 2"):
        summary_of(rows)


def test_rows_of_engines_that_drop_metadata_are_read() -> None:
    rows = rows_of(CORRECT, WRONG).replace_schema_metadata(None)

    assert summary_of(rows).cases == 2


def test_no_rows_have_an_empty_summary() -> None:
    assert summary_of(rows_of()) == Summary()
    assert results_of(rows_of()).cases == ()


def test_what_is_not_arrow_data_is_refused() -> None:
    with pytest.raises(InvalidSettings, match=r"expected Arrow data.*got list"):
        batches_of([CORRECT])


def test_an_error_in_a_stream_of_rows_is_raised_as_it_is() -> None:
    rows = score_batches(row_table([{"id": "a", "expected": 5, "actual": []}]), skip_bad=False)

    with pytest.raises(UnreadableInput, match=r"^data@0: expected"):
        summary_of(rows)


def test_failing_cases_are_those_that_were_scored_and_did_not_pass() -> None:
    (batch,) = rows_of(
        CORRECT, WRONG, {"id": "u", "expected": ["f"]}, {**WRONG, "id": "c"}, cases="all"
    ).to_batches()

    found = failing_cases(batch, None)

    assert len(found) == 2
    assert failing_cases(batch, 1) == found[:1]
    assert failing_cases(batch, 0) == []
    assert failing_cases(batch.drop_columns(["case"]), 1) == []


def test_a_place_is_a_file_and_the_bytes_before() -> None:
    assert place_text("x.jsonl", 7) == "x.jsonl@7"
    assert place_text("x.jsonl", None) == "x.jsonl"
    assert place_text(None, 0) == "data@0"


def test_a_case_of_a_row_is_scored_again_to_be_saved() -> None:
    definitions = ToolDefinitions()
    case = Case(id="a", expected=(), actual=())

    scored = result_of_case(case, DEFAULT, definitions)
    unanswered = result_of_case(structs.replace(case, actual=None), DEFAULT, definitions)
    unscored = result_of_case(structs.replace(case, expected=None), DEFAULT, definitions)

    assert scored.passed
    assert unanswered.status == "error"
    assert unanswered.failure is not None
    assert unanswered.failure.kind == "missing"
    assert unscored.status == "not_scored"


def test_a_judge_cannot_be_used_by_workers() -> None:
    require_settings(DEFAULT)

    with pytest.raises(InvalidSettings, match="a judge cannot be used here"):
        require_settings(Settings(judge=lambda *_: True))


def test_turns_are_counted_as_on_one_machine_and_survive_the_way() -> None:
    turns = [{"turn": ["a"]}, {"turn": ["b"]}]
    made = [{"name": "a", "arguments": {}, "turn": 0}, {"name": "a", "arguments": {}, "turn": 1}]
    records: Records = [
        {"id": "wrong", "expected": turns, "actual": made},
        {"id": "none", "expected": turns, "actual": []},
        {"id": "joined", "expected": turns, "actual": ["a", "b"]},
        {"id": "plain", "expected": ["a"], "actual": ["a"]},
    ]
    rows = score_batches(row_table(records)).read_all()
    summary = score_cases(records).summary

    assert rows["turns"].to_pylist() == [2, 2, 0, None]
    assert rows["first_wrong_turn"].to_pylist() == [2, 1, None, None]
    assert summary_of(rows) == summary
    assert (summary.turn_cases, summary.joined_turn_cases) == (2, 1)
    assert summary.wrong_turns == {1: 1, 2: 1}
    assert RowTotals.decode(RowTotals(summary).encode()).summary == summary
