"""Calls that a model wrote into the text of a chat message, because nothing parsed them.

Only calls between marks are read, and only from an answer that has no other calls. A list of calls or
a block of JSON in the middle of an answer may as well be what the user asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.reading import inner_finder
from callscore.formats.shape import text_in

if TYPE_CHECKING:
    from callscore.formats.transcript import Transcript

# The formats with marks, and for each of them a part of every text with a call.
_FORMATS = frozenset(
    (
        *("text_react", "text_hermes", "text_qwen_coder", "text_glm", "text_kimi"),
        *("text_deepseek", "text_mistral", "glaive"),
    )
)
_MARKS = (
    *(
        "Action",
        "action_input",
        "<tool_call>",
        "<TOOLCALL>",
        "<function=",
        "<functioncall>",
        "DSML",
    ),
    *("<|tool_call", "tool▁call", "[TOOL_CALLS]"),
)
_OBSERVATION = "Observation:"


def take_written_calls(content: Any, transcript: Transcript, *, has_results: bool = True) -> None:
    """Add the calls in the text of an answer, if all of them name their tool.

    In a single answer of a model, what looks like a result was written by the model: then it
    has no results.
    """
    text = text_in(content)
    if text is None or not any(mark in text for mark in _MARKS):
        return
    options = transcript.options
    dialect = inner_finder(options)(text, _FORMATS)
    if dialect is None:
        return
    calls = [call for trace in dialect.read(text, options) for call in trace.calls or ()]
    if not all(call.name for call in calls):
        return
    step = None
    for call in calls:
        if step is None or call.step != step:
            transcript.step()
        step = call.step
        transcript.add(call, has_result=has_results)


def is_observation(content: Any) -> bool:
    """Whether a message of the user is the result that the program gave to the model."""
    text = text_in(content)
    return text is not None and text.lstrip().startswith(_OBSERVATION)


def take_observation(content: Any, transcript: Transcript) -> None:
    """Add the result that the program gave to the model as a message of the user."""
    text = text_in(content)
    if text is not None and text.lstrip().startswith(_OBSERVATION):
        transcript.result(text.lstrip().removeprefix(_OBSERVATION).strip())
