"""The columns of the table of tools."""

from __future__ import annotations

from callscore.core.summary import Summary, ToolCounts
from callscore.reports import score as wording
from callscore.reports.score import FIXED_TOOL_COLUMNS, tool_columns


def test_the_columns_that_are_always_there_come_first() -> None:
    counts = ToolCounts(correct=1, incorrect=2, missed=3, extra=4)

    tools, columns = tool_columns(Summary(tools={"f": counts, "g": ToolCounts()}))

    assert tools == ["f", "g"]
    assert [column.counts for column in columns] == [[6, 0], [1, 0], [2, 0], [3, 0], [4, 0]]
    assert len(columns) == FIXED_TOOL_COLUMNS


def test_what_there_seldom_is_has_a_column_only_where_there_is_any() -> None:
    summary = Summary(
        tools={"f": ToolCounts(extra=2, forbidden=2), "g": ToolCounts(correct=1)},
        faults={("g", "unknown_argument"): 3, ("g", "wrong_type"): 5},
        checked_cases=1,
    )

    _, columns = tool_columns(summary)

    seldom = [(column.label, column.counts) for column in columns[FIXED_TOOL_COLUMNS:]]
    assert seldom == [(wording.FORBIDDEN, [2, 0]), (wording.UNKNOWN_ARGUMENTS, [0, 3])]


def test_schemas_without_unknown_arguments_need_no_column() -> None:
    summary = Summary(tools={"f": ToolCounts(correct=1)}, checked_cases=1, checked_calls=1)

    assert len(tool_columns(summary)[1]) == FIXED_TOOL_COLUMNS
