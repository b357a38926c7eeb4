"""Cases as the lines of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.plain import encode_json, plain
from callscore.core.spelling import spell_expected

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from callscore.core.call import ToolCall
    from callscore.core.expectation import Expected

__all__ = ["call_record", "expected_records", "record_line"]

_KEPT = ("result", "failed")


def expected_records(expected: Iterable[Expected]) -> list[Any]:
    """What is expected as a case file has it; keys that begin with `$` are literal there.

    Raises:
        InvalidCall: it is nested too deep.
    """
    return [plain(spell_expected(item)) for item in expected]


def call_record(call: ToolCall) -> dict[str, Any]:
    """A call that was made as a case file has it; arguments that are no JSON stay as they were."""
    arguments = call.raw if call.error is not None else call.arguments
    others = {field: getattr(call, field) for field in _KEPT}
    known = {field: value for field, value in others.items() if value is not None}
    found: dict[str, Any] = plain({"name": call.name, "arguments": arguments, **known})
    return found


def record_line(record: dict[str, Any]) -> str:
    """A case as one line; what it does not say is left out."""
    kept = {field: value for field, value in record.items() if not _is_unsaid(field, value)}
    return encode_json(kept).decode() + "\n"


def _is_unsaid(field: str, value: Any) -> bool:
    empty: Sequence[Any] = ([], {}, "")
    return value is None or (field in ("tags", "metadata", "id") and value in empty)
