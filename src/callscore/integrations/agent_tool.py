"""A tool as an agent is offered it: its name, its words, its schemas, and what runs it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from callscore.core.nearest import meant_by
from callscore.core.plain import plain
from callscore.errors import CallscoreError, InvalidCall
from callscore.formats.describing import describe
from callscore.integrations.input_schemas import check_input_schema, score_input_schema
from callscore.integrations.output_schemas import (
    check_output_schema,
    explain_output_schema,
    score_output_schema,
)
from callscore.integrations.scoring_tool import check_tool_calls, explain_score, score_tool_calls

__all__ = ["TOOLS", "AgentTool", "Answer", "answer", "error_text", "tool_named"]


class AgentTool(Struct, frozen=True):
    """One tool for an agent.

    Attributes:
        name: what calls name it by.
        title: what people read.
        description: what the model is told about it.
        input_schema: makes the JSON Schema of what it is given.
        output_schema: makes the JSON Schema of what it answers.
        run: does the work.
    """

    name: str
    title: str
    description: str
    input_schema: Callable[[], dict[str, Any]]
    output_schema: Callable[[], dict[str, Any]]
    run: Callable[[Any], dict[str, Any]]


class Answer(Struct, frozen=True):
    """What a tool answers.

    Attributes:
        content: the fields of its output schema, or `error` alone.
        is_error: whether it is that.
    """

    content: dict[str, Any]
    is_error: bool = False


TOOLS: dict[str, AgentTool] = {
    tool.name: tool
    for tool in (
        AgentTool(
            "score_tool_calls",
            "Score tool calls",
            "Score the tool calls that an agent made against the calls that were expected: F1 with"
            " precision and recall, and every call as correct, incorrect (right tool, wrong"
            " arguments), missed or extra, with the differences. The calls are paired in the best"
            " way there is. It only compares what it is given.",
            score_input_schema,
            score_output_schema,
            score_tool_calls,
        ),
        AgentTool(
            "explain_score",
            "Explain a score",
            "Explain in three steps, with all numbers, how the score of tool calls comes about:"
            " which calls are paired and why, precision and recall, F1. It takes what"
            " score_tool_calls takes.",
            score_input_schema,
            explain_output_schema,
            explain_score,
        ),
        AgentTool(
            "check_tool_calls",
            "Check tool calls",
            "Check the tool calls that an agent made without knowing what was expected: tools that"
            " do not exist, arguments that are missing, unknown, of the wrong type or out of range,"
            " arguments that are no JSON, repeats, loops and unchanged retries.",
            check_input_schema,
            check_output_schema,
            check_tool_calls,
        ),
    )
}


def tool_named(name: Any) -> AgentTool:
    """The tool of this name.

    Raises:
        InvalidCall: there is none.
    """
    if not isinstance(name, str) or name not in TOOLS:
        hint = meant_by(name, TOOLS) or "."
        raise InvalidCall(f"there is no tool {describe(name)}{hint} There are {', '.join(TOOLS)}.")
    return TOOLS[name]


def answer(tool: AgentTool, arguments: Any) -> Answer:
    """What a tool says to these arguments; what is wrong with them is an answer, too."""
    try:
        return Answer(tool.run(arguments))
    except CallscoreError as error:
        return Answer({"error": error_text(error)}, is_error=True)


def error_text(error: CallscoreError) -> str:
    """What an error says, as text that any JSON encoder accepts."""
    text: str = plain(str(error))
    return text
