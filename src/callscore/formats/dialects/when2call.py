"""When2Call test rows (`question`, `correct_answer`, `answers`, `tools`).

If a call is the correct answer, it is expected; otherwise no call is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.calls import read_calls
from callscore.formats.families.dataset_tools import read_dataset_tools
from callscore.formats.shape import as_list, at, json_of, name_of, text_of
from callscore.formats.signs import Signs
from callscore.formats.trace import ReadOptions, Trace

if TYPE_CHECKING:
    from callscore.core.call import Tool

ORDER = 421
_CALL = "tool_call"
EXAMPLE = {
    "uuid": "0c1d",
    "question": "How warm is it in Paris?",
    "correct_answer": _CALL,
    "answers": {
        "direct": "It is 18 degrees.",
        _CALL: '{"name": "get_weather", "arguments": {"city": "Paris"}}',
    },
    "tools": ['{"name": "get_weather", "parameters": {"type": "dict", "properties": {}}}'],
}
SIGNS = Signs(keys=("correct_answer",), item_keys=())


def recognizes(document: Any) -> bool:
    """Whether it has answers of several kinds, one of which is a call, and names the correct one."""
    answers = at(document, "answers")
    if not isinstance(answers, dict) or not isinstance(document.get("question"), str):
        return False
    return _CALL in answers and isinstance(document.get("correct_answer"), str)


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One task: the call that is the correct answer, or none."""
    del options  # there is nothing to choose
    is_call = at(document, "correct_answer") == _CALL
    calls = as_list(json_of(at(document, "answers", _CALL))) if is_call else []
    return [
        Trace(
            expected=read_calls(calls, side="expected", where=f"answers.{_CALL}"),
            id=name_of(at(document, "uuid")),
            input=text_of(at(document, "question")),
        )
    ]


def read_tools(document: Any) -> list[Tool]:
    """The tools that the row offers."""
    return read_dataset_tools(at(document, "tools") or [])
