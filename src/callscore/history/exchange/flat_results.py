"""Results as rows of a table that others read: numbers and words in columns, the rest as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from callscore.errors import UnreadableInput
from callscore.history.exchange.lines import record_of
from callscore.history.packing import json_bytes
from callscore.history.records import EvaluationRecord, ResultRecord
from callscore.history.tables import COUNTS

if TYPE_CHECKING:
    from callscore.core.results import MetricValue

__all__ = ["COLUMNS", "JSON_COLUMNS", "flat_row", "row_record"]

_USAGE = ("requests", "input_tokens", "output_tokens")
# What stands in a column as it is.
_PLAIN = (
    *("evaluation", "case", "trial", "status", "passed", "f1", "faults", "seconds", "attempts"),
    *("is_reused", "finished_at", "question", "expectation", "asked"),
)
# What stands in a column as JSON.
_FIELDS = ("payload", "answer", "calls", "comparison", "tools")
JSON_COLUMNS = ("tags", "values", *_FIELDS)

# The columns in their order, with what is in each: a word of `str`, `int`, `float`, `bool`.
COLUMNS: dict[str, type] = {
    "run": str,
    "evaluation": int,
    "evaluation_name": str,
    "variant": str,
    "case": str,
    "trial": int,
    "status": str,
    "passed": bool,
    "f1": float,
    **dict.fromkeys(COUNTS, int),
    "faults": int,
    "failure_kind": str,
    "failure": str,
    "seconds": float,
    **dict.fromkeys(_USAGE, int),
    "attempts": int,
    "is_reused": bool,
    "finished_at": float,
    "question": str,
    "expectation": str,
    "asked": str,
    **dict.fromkeys(JSON_COLUMNS, str),
}


def flat_row(record: ResultRecord, evaluation: EvaluationRecord | None) -> dict[str, Any]:
    """A result as a row; what is not known is None."""
    kind, failure = record.failure or (None, None)
    row: dict[str, Any] = dict.fromkeys(COLUMNS)
    row |= {"run": record.run, "failure_kind": kind, "failure": failure}
    row |= {name: getattr(record, name) for name in _PLAIN}
    row |= dict(zip(COUNTS, record.counts, strict=False))
    row |= {name: getattr(record.usage, name) for name in _USAGE}
    row |= {name: _json(getattr(record, name)) for name in _FIELDS}
    row["values"] = _json([_value(value) for value in record.values])
    row["tags"] = _json(record.payload.get("tags") or [])
    if evaluation is not None:
        row |= {"evaluation_name": evaluation.name, "variant": evaluation.variant}
    return row


def _json(value: object) -> str | None:
    return None if value is None else json_bytes(value).decode()


def _value(value: MetricValue) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(value)
    return found


def row_record(row: dict[str, Any], run: str, place: str) -> ResultRecord:
    """The result that a row was made of.

    Args:
        row: the row.
        run: the run that it belongs to.
        place: where it stands.

    Raises:
        UnreadableInput: a column is missing, or something in it is not as it can be.
    """
    missing = [name for name in COLUMNS if name not in row]
    if missing:
        raise UnreadableInput(place, f"the column {missing[0]} is missing.")
    fields = {name: row[name] for name in _PLAIN if row[name] is not None}
    counts = [row[name] for name in COUNTS]
    fields |= {
        "run": run,
        "usage": {name: row[name] for name in _USAGE},
        "values": _read(row, "values", place) or [],
        "counts": [] if None in counts else counts,
        "failure": None if row["failure_kind"] is None else [row["failure_kind"], row["failure"]],
    }
    fields |= {name: _read(row, name, place) for name in _FIELDS}
    result: ResultRecord = record_of(ResultRecord, fields, place)
    return result


def _read(row: dict[str, Any], name: str, place: str) -> Any:
    text = row[name]
    if text is None:
        return None
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, TypeError, ValueError, RecursionError) as error:
        raise UnreadableInput(place, f"{name}: this is not JSON.") from error
