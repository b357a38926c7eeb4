"""goose sessions (exports, session files, `--output-format json` and `stream-json`).

A call and its result are blocks in the messages. A question whether a call may run repeats the
call, and is not one. A message is printed in several events, with the same id.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.call import NOT_CAPTURED
from callscore.formats.shape import at, dicts, first, integer_of, list_of, name_of, text_in
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 369
_EXAMPLE_CALL = {"name": "developer__shell", "arguments": {"command": "ls"}}
EXAMPLE = {
    "id": "20251211_27",
    "working_dir": "/home/ana/shop",
    "conversation": [
        {
            "role": "assistant",
            "created": 1765495266,
            "content": [
                {
                    "type": "toolRequest",
                    "id": "toolu_1",
                    "toolCall": {"status": "success", "value": _EXAMPLE_CALL},
                }
            ],
        }
    ],
}
_MAX_SAMPLED = 20
_ROLES = ("user", "assistant")
_REQUESTS = ("toolRequest", "frontendToolRequest")
_RESPONSE = "toolResponse"
_BLOCKS = (*_REQUESTS, _RESPONSE, "toolConfirmationRequest", "actionRequired")
_EVENTS = ("notification", "error", "complete")  # besides messages
_CONTAINERS = ("conversation", "messages")
SIGNS = Signs(
    keys=("conversation", "working_dir", "role", "message"),
    item_keys=("conversation", "working_dir", "created", "message", "content"),
    message_keys=("created", "content"),
    value_types=(dict,),
    reads_plain_chat=False,
)


def recognizes(document: Any) -> bool:
    """Whether it is a session, a message, a line of either, or a list of these."""
    if isinstance(document, dict):
        lists = [document[key] for key in _CONTAINERS if isinstance(document.get(key), list)]
        if lists:
            return any(map(_is_message, lists[0][:_MAX_SAMPLED])) or _is_session(document)
        return _is_known(document) or _is_recording(document)
    return isinstance(document, list) and any(map(_is_known, document[:_MAX_SAMPLED]))


def _is_recording(document: dict[str, Any]) -> bool:
    """Whether it has what a model was given and answered, under the hash of what it was given."""
    records = list(document.values())[:_MAX_SAMPLED]
    return bool(records) and all(
        isinstance(at(record, "input", "messages"), list)
        and _is_message(at(record, "output", "message"))
        for record in records
    )


def _is_session(document: dict[str, Any]) -> bool:
    """Whether it is about a session, in an export or in the first line of a file."""
    return isinstance(document.get("working_dir"), str) and "message_count" in document


def _is_known(value: Any) -> bool:
    return isinstance(value, dict) and (
        _is_session(value) or _is_message(value) or _is_message(_printed(value))
    )


def _printed(value: Any) -> Any:
    """The message that an event prints; None for any other event."""
    return value.get("message") if value.get("type") == "message" else None


def _is_message(value: Any) -> bool:
    """Whether it is a message with a time in seconds, or with a block that only goose has."""
    if not isinstance(value, dict) or value.get("role") not in _ROLES:
        return False
    content = value.get("content")
    if not isinstance(content, list):
        return False
    kinds = [block.get("type") for block in dicts(content)]
    if any(kind in _BLOCKS for kind in kinds):
        return True
    is_typed = all(isinstance(kind, str) for kind in kinds) and len(kinds) == len(content)
    return is_typed and integer_of(value.get("created")) is not None


def joins_lines(line: Any) -> bool:
    """Whether a line is about a session, or is a message or an event of one."""
    return isinstance(line, dict) and (
        (_is_known(line) and not isinstance(line.get("conversation"), list))
        or (line.get("type") in _EVENTS and "role" not in line)
    )


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: all messages."""
    transcript = Transcript(options, once=True)
    question = last = None
    messages = _messages_in(document)
    for message in messages:
        content, role, name = message.get("content"), message.get("role"), message.get("id")
        if role == "assistant" and (name is None or name != last):
            transcript.step()  # otherwise it is another part of the same message
        elif question is None and role == "user":
            question = text_in(content)
        if role != "user" or not any(map(_is_about_tool, dicts(content))):
            transcript.role(role)
        last = name
        for block in dicts(content):
            _take_block(block, transcript)
    is_session = isinstance(document, dict) and "working_dir" in document
    name = name_of(at(document, "id")) if is_session else None
    return [transcript.trace(id=name, input=question)]


def _messages_in(document: Any) -> list[dict[str, Any]]:
    if isinstance(document, dict):
        lists = [document[key] for key in _CONTAINERS if isinstance(document.get(key), list)]
        if not lists and _is_recording(document):
            return _recorded_in(document)
        document = lists[0] if lists else [document]
    lines = dicts(document)
    return dicts([_printed(line) if line.get("type") == "message" else line for line in lines])


def _recorded_in(document: dict[str, Any]) -> list[dict[str, Any]]:
    """The messages of a recording, each once; the shortest conversation was the first."""
    records = sorted(dicts([*document.values()]), key=lambda record: len(_given_to(record)))
    found: list[dict[str, Any]] = []
    for record in records:
        for message in dicts([*_given_to(record), at(record, "output", "message")]):
            if all(message.get("content") != before.get("content") for before in found):
                found.append(message)
    return found


def _given_to(record: dict[str, Any]) -> list[Any]:
    return list_of(at(record, "input", "messages"))


def _is_about_tool(block: dict[str, Any]) -> bool:
    """Whether the program wrote a block in the name of the user: a result, or a question about it."""
    return str(block.get("type")).startswith(("tool", "actionRequired"))


def _take_block(block: dict[str, Any], transcript: Transcript) -> None:
    kind, call_id = block.get("type"), block.get("id")
    if kind in _REQUESTS:
        call = block.get("toolCall")
        value = at(call, "value")
        if isinstance(value, dict):
            transcript.call(value.get("name"), value.get("arguments"), call_id)
        else:  # goose could not parse what the model wrote, and does not keep it
            transcript.call(None, None, call_id, error=NOT_CAPTURED)
            transcript.result(at(call, "error"), call_id, failed=True)
    elif kind == _RESPONSE:
        outcome = block.get("toolResult")
        if at(outcome, "status") == "error":
            transcript.result(at(outcome, "error"), call_id, failed=True)
            return
        value = at(outcome, "value")
        content = first(value, "content", "structuredContent")
        failed = at(value, "isError")
        transcript.result(value if content is None else content, call_id, failed=failed)
    else:
        transcript.unknown(kind, block)
