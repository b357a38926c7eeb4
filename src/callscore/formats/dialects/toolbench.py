"""ToolBench answers.

The file of an answer has the calls three times: in the search tree, which also has the branches that
were given up, in the messages of each step, and in the chain of the answer. The last messages are read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.definitions import read_definitions
from callscore.formats.dialects.openai_chat import take_message
from callscore.formats.shape import at, dicts, json_of, list_of, text_of
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.core.call import Tool
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 424
EXAMPLE = {
    "win": True,
    "answer_generation": {
        "query": "How warm is it in Paris?",
        "function": [{"name": "get_weather", "parameters": {"type": "object"}}],
        "train_messages": [
            [
                {"role": "user", "content": "How warm is it in Paris?"},
                {
                    "role": "assistant",
                    "content": None,
                    "function_call": {"name": "get_weather", "arguments": '{"city": "Paris"}'},
                },
            ]
        ],
    },
}
_ANSWER = "answer_generation"
SIGNS = Signs(keys=(_ANSWER,), item_keys=())


def recognizes(document: Any) -> bool:
    """Whether it has an answer with messages or functions."""
    answer = at(document, _ANSWER)
    return isinstance(answer, dict) and ("train_messages" in answer or "chain" in answer)


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: the messages of the last step, which repeat all before them."""
    answer = at(document, _ANSWER)
    transcript = Transcript(options)
    for message in dicts(at(answer, "train_messages", -1)):
        take_message(_with_outcome(message), transcript)
    return [transcript.trace(input=text_of(at(answer, "query")))]


def _with_outcome(message: dict[str, Any]) -> dict[str, Any]:
    """A message; the result of a function has its error beside its response."""
    if message.get("role") != "function":
        return message
    result = json_of(message.get("content"))
    error = at(result, "error")
    return {**message, "is_error": bool(error)} if isinstance(error, str) else message


def read_tools(document: Any) -> list[Tool]:
    """The functions that the model was offered."""
    return read_definitions(list_of(at(document, _ANSWER, "function")))
