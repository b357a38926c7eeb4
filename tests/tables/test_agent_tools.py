"""What the scoring tools answer to an agent: `agent_tools.jsonl`, without lists that are empty."""

from __future__ import annotations

from typing import Any

from tests.tables.rows import check_rows, of_table, same

from callscore.integrations import handle


def _answered(row: dict[str, Any]) -> str:
    answer = handle({"name": row.get("tool", "score_tool_calls"), "arguments": row["input"]})
    got = {name: value for name, value in answer.items() if value != []}
    wanted = row["answer"] if "answer" in row else {"error": row["error"]}
    return "" if same(got, wanted) else f"expected {wanted!r}, got {got!r}"


@of_table("agent_tools")
def test_tools_answer_as_the_table_says(table: str) -> None:
    check_rows(table, _answered)
