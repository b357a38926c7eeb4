"""What LangChain and LangSmith note down of tools: what one was given, and what it gave back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from callscore.formats.families.langchain_messages import fields_of
from callscore.formats.families.runs import Answer
from callscore.formats.families.tool_calls import executed_call
from callscore.formats.shape import at, dicts, first, list_of, text_of

if TYPE_CHECKING:
    from callscore.core.model import ToolCall
    from callscore.formats.trace import Wanted

__all__ = ["ToolRun", "answers_in", "run_call"]


class ToolRun(NamedTuple):
    """What is noted down of a tool that was run.

    Attributes:
        name: of the tool.
        inputs: what it was given.
        id: of the call, where it is noted down.
        output: what the tool gave back, as it is or in a tool message; None for nothing.
        failed: whether an error came of it.
    """

    name: Any
    inputs: Any
    id: Any
    output: Any
    failed: bool


def run_call(run: ToolRun, wanted: Wanted) -> ToolCall:
    """The call that a tool carried out, with what came of it."""
    output, id_, failed = run.output, run.id, run.failed
    kind, fields = fields_of(output)
    if kind == "tool":
        output = fields.get("content")
        id_ = fields.get("tool_call_id") if id_ is None else id_
        failed = failed or fields.get("status") == "error"
    given = _input_of(run.inputs)
    return executed_call(run.name, given, id_, result=output, failed=failed, wanted=wanted)


def _input_of(inputs: Any) -> Any:
    """What a tool was given.

    Where the only input is called `input` and is text, it is the text of all arguments: JSON from
    JavaScript, from Python what `str` makes of them. A tool of one text has just that.
    """
    text = inputs.get("input") if isinstance(inputs, dict) and len(inputs) == 1 else inputs
    if not isinstance(text, str):
        return inputs
    return text if text.lstrip().startswith("{") else {"input": text}


def answers_in(inputs: Any) -> list[Answer]:
    """The results among the messages that a model was given."""
    messages = list_of(first(inputs, "messages", "input"))
    if isinstance(at(messages, 0), list):  # one list a prompt
        messages = messages[0]
    answers = []
    for message in dicts(messages):
        kind, fields = fields_of(message)
        if kind == "tool":
            failed = True if fields.get("status") == "error" else None
            answers.append(_answer(fields.get("content"), fields.get("tool_call_id"), failed))
        elif message.get("type") == "function_call_output":
            answers.append(_answer(message.get("output"), message.get("call_id"), None))
        else:
            answers += _answers_in_blocks(fields.get("content"))
    return answers


def _answers_in_blocks(content: Any) -> list[Answer]:
    """Those that are parts of what the user says, as Anthropic has them."""
    return [
        _answer(block.get("content"), block.get("tool_use_id"), block.get("is_error") or None)
        for block in dicts(content)
        if block.get("type") == "tool_result"
    ]


def _answer(value: Any, id_: Any, failed: Any) -> Answer:
    return Answer(value, text_of(id_), failed=True if failed is True else None)
