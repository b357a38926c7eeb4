"""callscore cases (`expected`, `actual`).

Files of cases are read without a dialect. This one is for a case, or a list of cases, in a place
for traces.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import UNSET

from callscore.formats.case_fields import TURNS_FIELD
from callscore.formats.cases import NO_ID, has_own_id, read_case
from callscore.formats.definitions import read_definitions
from callscore.formats.shape import as_list, dicts
from callscore.formats.signs import Signs
from callscore.formats.trace import ReadOptions, Trace

if TYPE_CHECKING:
    from callscore.core.call import Tool

ORDER = 470
EXAMPLE = {
    "id": "weather",
    "expected": [{"name": "get_weather", "arguments": {"city": "Paris"}}],
    "actual": [{"name": "get_weather", "arguments": {"city": "paris"}}],
}
_SIDES = ("expected", "actual")
SIGNS = Signs(keys=(*_SIDES, TURNS_FIELD))


def recognizes(document: Any) -> bool:
    """Whether it is a case, or a list of cases and nothing else."""
    if isinstance(document, list):
        return bool(document) and all(map(_is_case, document))
    return _is_case(document)


def _is_case(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if "expected" not in value and "actual" not in value:
        return _has_turns(value.get(TURNS_FIELD))
    others = [value[side] for side in _SIDES if not _is_calls(value.get(side))]
    return not others or (all(side in value for side in _SIDES) and all(map(_is_trace, others)))


def _has_turns(turns: Any) -> bool:
    """Whether each turn says what is expected or was called in it; other tools have messages there."""
    return (
        isinstance(turns, list)
        and bool(turns)
        and all(
            isinstance(turn, dict) and any(_is_calls(turn.get(side, "")) for side in _SIDES)
            for turn in turns
        )
    )


def _is_calls(value: Any) -> bool:
    return value is None or isinstance(value, list)


def _is_trace(value: Any) -> bool:
    """Whether a side is a document of its own, such as the response of a model."""
    from callscore.formats.reading import find_dialect  # it imports every dialect

    return isinstance(value, dict) and find_dialect(value) is not None


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run per case."""
    traces = []
    for position, record in enumerate(dicts(as_list(document))):
        place = f"cases[{position}]"
        case = read_case(record, place=place, read_options=options, needs_id=False)
        trace = Trace(
            calls=case.actual,
            expected=None if case.expected is UNSET else tuple(case.expected or ()),
            id=case.id if case.id != NO_ID and has_own_id(case) else None,
            trial=case.trial,
            input=case.input,
            callers=case.callers,
        )
        traces.append(trace)
    return traces


def read_tools(document: Any) -> list[Tool]:
    """The tools that the cases define."""
    records = dicts(as_list(document))
    return [tool for record in records for tool in read_definitions(record.get("tools"))]
