"""Tables of values: which are accepted for an expected value, and the reasons against the others.

The value is the only argument `x` of a call. `absent` says that it is not given; `settings`, `judge`
and `similarity` how it is compared. The last two are answers of functions that always say the same.
`{"$float": "nan"}` is a number that JSON cannot spell.
"""

from __future__ import annotations

from typing import Any

from tests.tables.outcomes import difference_line, reasons_in_russian
from tests.tables.rows import check_rows, of_table

from callscore import expect, score


@of_table("rules", "equality", "schemas", "python_values")
def test_every_value_is_compared_as_its_row_says(table: str) -> None:
    check_rows(table, _difference)


def _difference(row: dict[str, Any]) -> str:
    given = {} if "absent" in row else {"x": _python(row["value"])}
    if "python" in row:  # then a key that begins with `$` is no rule
        expected: list[Any] = [expect.call("f", x=_python(row["rule"]))]
    else:
        expected = expect.from_json([["f", {"x": row["rule"]}]])
    options = {name: _always(row[name]) for name in ("judge", "similarity") if name in row}
    found = score(expected, [("f", given)], **options, **row.get("settings", {}))
    (pair,) = found.correct + found.incorrect
    reasons = [difference_line(each) for each in pair.differences]
    if reasons != row["reasons"]:
        return f"expected {row['reasons']}, got {reasons}"
    if pair.is_correct is not row.get("is_correct", not reasons):
        return f"is_correct: got {pair.is_correct}"
    in_russian = reasons_in_russian(found) if "reasons_ru" in row else None
    return "" if in_russian == row.get("reasons_ru") else f"in Russian: got {in_russian}"


def _always(answer: Any) -> Any:
    """A function that has always the same answer; a list stands for a pair."""
    return lambda *_: tuple(answer) if isinstance(answer, list) else answer


def _python(value: Any) -> Any:
    if isinstance(value, list):
        return [_python(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"$float"}:
        return float(value["$float"])
    return {key: _python(member) for key, member in value.items()}
