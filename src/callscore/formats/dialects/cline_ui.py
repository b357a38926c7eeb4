"""Cline and Roo Code interface messages (`ui_messages.json`).

What the user saw of a task: the calls that were run, under the names that the interface has for
them. The API conversation history of the same task has the names and arguments of the model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.call import NOT_CAPTURED
from callscore.formats.shape import at, dicts, integer_of, json_of, text_of
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 373
EXAMPLE = [
    {"ts": 1760534080239, "type": "say", "say": "text", "text": "Fix a.py."},
    {
        "ts": 1760534091505,
        "type": "ask",
        "ask": "tool",
        "text": '{"tool": "readFile", "path": "a.py", "content": "/home/ana/a.py"}',
    },
]
_MAX_SAMPLED = 20
_KINDS = ("say", "ask")
# What the interface adds to a call.
_NOTES = frozenset(
    (
        *("tool", "id", "reason", "isOutsideWorkspace", "isProtected", "diffStats"),
        *("operationIsLocatedInWorkspace", "additionalFileCount", "batchDiffs", "startLineNumbers"),
    )
)
# The calls whose `content` is an argument; elsewhere it is the result, or a full path.
_WRITING = (
    *("newFileCreated", "editedExistingFile", "appliedDiff", "insertContent", "searchAndReplace"),
    *("fileDeleted", "newTask", "switchMode", "finishTask", "updateTodoList", "summarizeTask"),
)
_SHOWS_PATH = "readFile"
_APPROVAL_MARK = "REQ_APP"  # after a command that had to be approved
SIGNS = Signs(keys=("say", "ask"))


def recognizes(document: Any) -> bool:
    """Whether it is a message of the interface, or a list of them."""
    if isinstance(document, list):
        return any(map(_is_message, document[:_MAX_SAMPLED]))
    return _is_message(document)


def _is_message(value: Any) -> bool:
    if not isinstance(value, dict) or integer_of(value.get("ts")) is None:
        return False
    kind = value.get("type")
    return kind in _KINDS and isinstance(value.get(kind), str)


def joins_lines(line: Any) -> bool:
    """Whether a line is one message of the interface."""
    return _is_message(line)


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: all messages that are complete."""
    transcript = Transcript(options)
    output: list[str] = []  # of a command, which comes in pieces
    question = None
    for message in dicts(document if isinstance(document, list) else [document]):
        kind = message.get("say" if message.get("type") == "say" else "ask")
        text = text_of(message.get("text"))
        if message.get("partial") is True or text is None or not isinstance(kind, str):
            continue
        if kind in _PROMPTS or (question is None and kind == "text"):
            transcript.speaker(is_user=True)
        question = text if question is None and kind in ("text", "task") else question
        if kind == "command_output":
            output += [text] if text else []
        elif kind in _CALLS or kind in _RESULTS:
            _take_output(output, transcript)
            _take(kind, text, transcript)
        else:
            transcript.unknown(kind)
    _take_output(output, transcript)
    return [transcript.trace(input=question, view="executed")]


def _take_output(output: list[str], transcript: Transcript) -> None:
    if output:
        transcript.result("\n".join(output), name="execute_command")
        output.clear()


def _take(kind: str, text: str, transcript: Transcript) -> None:
    if kind in _RESULTS:
        transcript.result(text)
        return
    transcript.step()
    _CALLS[kind](text, transcript)


def _take_tool(text: str, transcript: Transcript) -> None:
    fields = json_of(text)
    if not isinstance(fields, dict):
        transcript.call(None, None, error=NOT_CAPTURED)
        return
    name = fields.get("tool")
    content = fields.get("content")
    arguments = {key: value for key, value in fields.items() if key not in _NOTES}
    if name not in _WRITING:
        arguments.pop("content", None)
    transcript.call(name, arguments)
    if name not in _WRITING and name != _SHOWS_PATH and content is not None:
        transcript.result(content)


def _take_command(text: str, transcript: Transcript) -> None:
    transcript.call("execute_command", {"command": text.removesuffix(_APPROVAL_MARK)})


def _take_server_call(text: str, transcript: Transcript) -> None:
    fields = json_of(text)
    if at(fields, "type") == "access_mcp_resource":
        arguments = {key: value for key, value in fields.items() if key != "type"}
        transcript.call("access_mcp_resource", arguments, kind="mcp")
        return
    transcript.call(at(fields, "toolName"), at(fields, "arguments"), kind="mcp")


def _take_browser_launch(text: str, transcript: Transcript) -> None:
    transcript.call("browser_action", {"action": "launch", "url": text})


def _take_browser_action(text: str, transcript: Transcript) -> None:
    transcript.call("browser_action", text)


_CALLS = {
    "tool": _take_tool,
    "command": _take_command,
    "use_mcp_server": _take_server_call,
    "browser_action_launch": _take_browser_launch,
    "browser_action": _take_browser_action,
}
_PROMPTS = ("task", "user_feedback", "user_feedback_diff")
_RESULTS = ("mcp_server_response", "browser_action_result")
