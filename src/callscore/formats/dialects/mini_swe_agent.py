"""mini-swe-agent trajectories (`.traj.json` files, messages).

The model calls the tool `bash`, or writes one command in a fenced block, which is read as a call of
`bash`. A message with more than one block was refused by the agent, and has no call. The answers of
the API, which are kept beside the messages, repeat the calls.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from callscore.formats.dialects.openai_chat import EXAMPLE_CALL, take_message
from callscore.formats.families.response_items import take_items
from callscore.formats.shape import at, dicts, integer_of, name_of, text_in
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 363
EXAMPLE = {
    "info": {"mini_version": "2.3.0", "exit_status": "Submitted"},
    "messages": [
        {"role": "user", "content": "Fix it."},
        {"role": "assistant", "content": "", "tool_calls": [EXAMPLE_CALL]},
    ],
    "trajectory_format": "mini-swe-agent-1.1",
}
_MAX_SAMPLED = 20
_FORMAT = "mini-swe-agent"
_TOOL = "bash"
_ROLES = ("system", "user", "assistant", "tool", "exit")
_FENCE = "```mswea_bash_command"
# The patterns of the agent itself; the first versions had another name for the language.
# Blank lines are taken at once: each of them tried as part of the command takes quadratic time.
_BODY = r"(?:[^\S\n]*+\n)++(?:(?<=\n\n)```|(.*?)\n```)"
_COMMAND = re.compile(rf"```mswea_bash_command{_BODY}", re.DOTALL)
_FIRST_COMMAND = re.compile(rf"```bash{_BODY}", re.DOTALL)
_RETURN_CODE = re.compile(r"<returncode>\s*(-?\d{1,9})\s*</returncode>")
_HEAD_LENGTH = 2_000  # characters: the output of the command follows its return code
SIGNS = Signs(keys=("trajectory_format", "info"), item_keys=("role",))


def recognizes(document: Any) -> bool:
    """Whether it is a trajectory, or messages with commands in their text and return codes."""
    if isinstance(document, list):
        return _has_commands(document[:_MAX_SAMPLED])
    if not isinstance(document, dict) or not isinstance(document.get("messages"), list):
        return False
    name = document.get("trajectory_format")
    return (isinstance(name, str) and name.startswith(_FORMAT)) or isinstance(
        at(document, "info", "mini_version"), str
    )


def _has_commands(messages: list[Any]) -> bool:
    """Whether these are messages with a fenced command, and the return code of one."""
    if not all(isinstance(message, dict) and "role" in message for message in messages):
        return False
    has_command = any(
        _FENCE in text or "```bash" in text
        for message in _by(messages, "assistant")
        if isinstance(text := message.get("content"), str) and not message.get("tool_calls")
    )
    return has_command and any(
        _return_code(message) is not None for message in _by(messages, "user")
    )


def _by(messages: list[Any], role: str) -> list[dict[str, Any]]:
    return [message for message in dicts(messages) if message.get("role") == role]


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: all messages."""
    messages = dicts(document if isinstance(document, list) else at(document, "messages"))
    texts = [text_in(message.get("content")) or "" for message in _by(messages, "assistant")]
    command = _COMMAND if any(_FENCE in text for text in texts) else _FIRST_COMMAND
    transcript = Transcript(options)
    if any(not _is_known(message) for message in messages):
        options.note_unread("A message has no known 'role', or no 'content'.")
    for message in messages:
        _take(message, transcript, command)
    asked = [text_in(message.get("content")) for message in _by(messages, "user")]
    name = name_of(at(document, "instance_id"))
    return [transcript.trace(id=name, input=asked[0] if asked else None)]


def _is_known(message: dict[str, Any]) -> bool:
    if message.get("role") in _ROLES:
        return "content" in message
    return "output" in message or message.get("type") is not None


def _take(message: dict[str, Any], transcript: Transcript, command: re.Pattern[str]) -> None:
    if isinstance(message.get("output"), list):  # an answer of the Responses API
        take_items(message["output"], transcript)
    elif message.get("role") == "assistant":
        _take_answer(message, transcript, command)
    elif message.get("type") == "function_call_output":
        transcript.result(message.get("output"), message.get("call_id"), failed=_failed(message))
    elif message.get("role") == "tool":
        content, call_id = message.get("content"), message.get("tool_call_id")
        transcript.result(content, call_id, failed=_failed(message))
    elif message.get("role") == "user" and _return_code(message) is not None:
        transcript.result(message.get("content"), failed=_failed(message))


def _take_answer(message: dict[str, Any], transcript: Transcript, command: re.Pattern[str]) -> None:
    if message.get("tool_calls"):
        take_message(message, transcript)
        return
    actions = at(message, "extra", "actions")
    if not isinstance(actions, list):
        found = command.findall(text_in(message.get("content")) or "")
        actions = [{"command": text.strip()} for text in found] if len(found) == 1 else []
    transcript.step()
    for action in dicts(actions):
        arguments = {"command": action.get("command")}
        transcript.call(_TOOL, arguments, action.get("tool_call_id"))


def _return_code(message: dict[str, Any]) -> int | None:
    """The return code beside a message, or else in its text."""
    recorded = integer_of(at(message, "extra", "returncode"))
    if recorded is not None:
        return recorded
    stated = _RETURN_CODE.search(text_in(message.get("content")) or "", 0, _HEAD_LENGTH)
    return int(stated[1]) if stated else None


def _failed(message: dict[str, Any]) -> bool | None:
    if at(message, "extra", "exception_info"):
        return True
    code = _return_code(message)
    return None if code is None else code != 0
