"""ReAct text (`Action:` and `Action Input:`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.families.model_text import read_marked
from callscore.formats.families.react_text import REACT, has_action
from callscore.formats.signs import TEXT_SIGNS

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 165
EXAMPLE = (
    "Thought: I need the weather.\n"
    "Action: get_weather\n"
    'Action Input: {"city": "Paris"}\n'
    "Observation: 18C\n"
    "Thought: I know the answer.\n"
    "Final Answer: 18C"
)
SIGNS = TEXT_SIGNS


def recognizes(document: Any) -> bool:
    """Whether it is text with an action and its input."""
    return isinstance(document, str) and has_action(document)


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: all actions of tools, with the observations after them."""
    return read_marked(document, options, REACT)
