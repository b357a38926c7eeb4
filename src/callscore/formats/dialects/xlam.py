"""xLAM and APIGen training rows (`query`, `tools`, `answers`).

The answers are the calls that a model should make, so they are expected.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.calls import read_calls
from callscore.formats.families.dataset_tools import read_dataset_tools
from callscore.formats.shape import at, json_of, name_of, text_of
from callscore.formats.signs import Signs
from callscore.formats.trace import ReadOptions, Trace

if TYPE_CHECKING:
    from callscore.core.call import Tool

ORDER = 423
EXAMPLE = {
    "id": 0,
    "query": "How warm is it in Paris?",
    "answers": '[{"name": "get_weather", "arguments": {"city": "Paris"}}]',
    "tools": '[{"name": "get_weather", "parameters": {"city": {"type": "str"}}}]',
}
SIGNS = Signs(keys=("answers",), item_keys=())


def recognizes(document: Any) -> bool:
    """Whether it has a query, tools, and answers that are calls."""
    if not isinstance(document, dict) or not isinstance(document.get("query"), str):
        return False
    answers = json_of(document.get("answers"))
    return "tools" in document and isinstance(answers, list) and all(map(_is_call, answers))


def _is_call(item: Any) -> bool:
    return isinstance(item, dict) and isinstance(item.get("name"), str) and "arguments" in item


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One task: the calls that answer the query."""
    del options  # there is nothing to choose
    answers = json_of(at(document, "answers"))
    expected = read_calls(answers, side="expected", where="answers")
    task = name_of(at(document, "id"))
    return [Trace(expected=expected, id=task, input=text_of(at(document, "query")))]


def read_tools(document: Any) -> list[Tool]:
    """The tools that the row offers."""
    return read_dataset_tools(at(document, "tools") or [])
