"""Cline and Roo Code tasks (API conversation history, CLI sessions, Markdown exports).

Also of their forks. The model calls tools, or writes the call as tags in its text: the name of the
tool around the names of its parameters. A result then is a text that begins with the name of the
tool. `use_mcp_tool` is read as a call of the tool that it names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from callscore.core.call import NOT_CAPTURED, TRUNCATED, Malformed, excerpt
from callscore.formats.shape import at, dicts, first, text_in, text_of
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 95  # before the formats of texts, whose marks can be in an export
_EXAMPLE_TEXT = "<read_file>\n<path>a.py</path>\n</read_file>"
EXAMPLE = [
    {"role": "user", "content": [{"type": "text", "text": "<task>\nFix a.py.\n</task>"}]},
    {"role": "assistant", "content": [{"type": "text", "text": _EXAMPLE_TEXT}]},
]
_MAX_SAMPLED = 20
_ROLES = ("user", "assistant")
_MCP_TOOL, _MCP_PREFIX = "use_mcp_tool", "mcp--"
_TOOLS = frozenset(
    (
        *("access_mcp_resource", "apply_diff", "ask_followup_question", "attempt_completion"),
        *("browser_action", "codebase_search", "condense", "execute_command"),
        *("fetch_instructions", "generate_image", "insert_content", "list_code_definition_names"),
        *("list_files", "load_mcp_documentation", "new_rule", "new_task", "plan_mode_respond"),
        *("read_file", "replace_in_file", "report_bug", "run_slash_command", "search_and_replace"),
        *("search_files", "switch_mode", "update_todo_list", _MCP_TOOL, "web_fetch"),
        *("web_search", "write_to_file"),
    )
)
# Its value may contain the tag itself, so it ends at the last one.
_FREE_PARAMETER = "content"
_TASK = ("<task>", "<user_message>")
_DETAILS = "<environment_details>"
_TAG = re.compile(r"<([A-Za-z_]\w*)>")
_END_TAG = re.compile(r"</([A-Za-z_]\w*)>")
_FIRST_PARAMETER = re.compile(r"\s*<[A-Za-z_]\w*>")
_RESULT = re.compile(r"\[(?P<name>[A-Za-z_][\w-]*)(?: for '.{0,20000}?')?\] Result:", re.DOTALL)
_REFUSAL = re.compile(r"Tool \[(?P<name>[A-Za-z_][\w-]*)[^\]]*\] was not executed")
_FAILURES = ("The tool execution failed", "The user denied this operation")
# In an export, whose turns are separated by a line.
_TURN = re.compile(r"(?:\A\s*|\n---\r?\n\s*)\*\*(User|Assistant):\*\*[ \t]*\r?\n")
_EXPORTED = re.compile(
    r"^\[(?:Tool Use: (?P<name>[^\]\n]+)|Tool(?P<failed> \(Error\))?)\][ \t]*\n?", re.MULTILINE
)
_EXPORTED_RESULT = re.compile(r"\n(?=\[[A-Za-z_][\w-]*(?: for '|\] Result:))")
_FIELD = re.compile(r"([A-Z_]\w*): (.*)")
SIGNS = Signs(item_keys=("role",), message_keys=("role",), is_text=True)


def recognizes(document: Any) -> bool:
    """Whether it is the history of a task, a session of the CLI, or an export."""
    if isinstance(document, str):
        return _is_export(document)
    if isinstance(document, dict):
        messages = document.get("messages")
        return isinstance(messages, list) and (
            _is_session(document) or _is_history(messages[:_MAX_SAMPLED])
        )
    return isinstance(document, list) and _is_history(document[:_MAX_SAMPLED])


def _is_session(document: dict[str, Any]) -> bool:
    """Whether it is a session of the CLI or the SDK."""
    return (
        isinstance(document.get("sessionId"), str)
        and "version" in document
        and isinstance(document.get("agent"), str)
        and all(map(_is_message, document["messages"][:_MAX_SAMPLED]))
    )


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and value.get("role") in _ROLES and "tool_calls" not in value


def _is_history(messages: list[Any]) -> bool:
    """Whether these are messages, and one has the marks that the program puts around its text."""
    return any(map(_is_marked, messages)) and all(
        _is_message(message) or at(message, "type") == "reasoning" for message in messages
    )


def _is_marked(message: Any) -> bool:
    if at(message, "role") != "user":
        return False
    for text in _texts_in(message):
        if ("<" in text or "]" in text) and (  # few texts have either
            text.lstrip().startswith((*_TASK, _DETAILS))
            or _RESULT.match(text)
            or f"\n{_DETAILS}" in text
        ):
            return True
    return False


def _texts_in(message: dict[str, Any]) -> list[str]:
    content = message.get("content")
    if isinstance(content, str):
        return [content]
    return [block["text"] for block in dicts(content) if isinstance(block.get("text"), str)]


def _is_export(text: str) -> bool:
    return (
        _TURN.match(text) is not None
        and "**Assistant:**" in text
        and any(mark in text for mark in (*_TASK, _DETAILS, "] Result:", "[Tool Use: "))
    )


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: all messages."""
    if isinstance(document, str):
        messages = _exported_messages(document.replace("\r\n", "\n"))
    else:
        messages = dicts(document if isinstance(document, list) else at(document, "messages"))
    transcript = Transcript(options, once=True)
    tools = _TOOLS | set(_answered_tools(messages))
    question = None
    for message in messages:
        if message.get("role") == "assistant":
            transcript.step()
            transcript.speaker(is_user=False)
            _take_answer(message, transcript, tools)
        elif message.get("role") == "user":
            question = question or text_in(message.get("content"))
            if _is_prompt(message):
                transcript.speaker(is_user=True)
            _take_results(message, transcript)
    name = text_of(first(document, "sessionId", "taskId"))
    return [transcript.trace(id=name, input=question)]


def _answered_tools(messages: list[dict[str, Any]]) -> Iterator[str]:
    """The names of the tools that have results: forks have tools of their own."""
    for message in messages:
        if message.get("role") == "user":
            for text in _texts_in(message):
                found = _RESULT.match(text)
                if found is not None:
                    yield found["name"]


# --- calls -------------------------------------------------------------------------------------


def _take_answer(message: dict[str, Any], transcript: Transcript, tools: frozenset[str]) -> None:
    blocks = []
    for block in dicts(message.get("content")):
        if block.get("type") == "tool_use":
            blocks.append(block)
        elif block.get("type") == "text" and "text" not in block:
            transcript.options.note_unread("A block of text has no 'text'.")
        else:
            transcript.unknown(block.get("type"), block)
    for block in blocks:
        _take_call(_Call(block.get("name"), block.get("input"), block.get("id")), transcript)
    for text in () if blocks else _texts_in(message):
        for call in _calls_in(text, tools):
            _take_call(call, transcript)


class _Call(NamedTuple):
    name: Any
    arguments: Any
    id: Any = None


def _take_call(call: _Call, transcript: Transcript) -> None:
    name, arguments, call_id = call
    if name == _MCP_TOOL and isinstance(at(arguments, "tool_name"), str):
        inner = at(arguments, "arguments")
        transcript.call(arguments["tool_name"], inner, call_id, kind="mcp")
        return
    is_mcp = isinstance(name, str) and name.startswith(_MCP_PREFIX)
    error = NOT_CAPTURED if arguments is None else None
    transcript.call(name, arguments, call_id, kind="mcp" if is_mcp else None, error=error)


def _calls_in(text: str, tools: frozenset[str]) -> Iterator[_Call]:
    """The calls that are written as tags; the last one may be cut off."""
    position = 0
    unclosed: set[str] = set()  # searched once: there may be very many tags
    while tag := _TAG.search(text, position):
        name, position = tag[1], tag.end()
        if name not in tools:
            continue
        end = -1 if name in unclosed else text.find(f"</{name}>", position)
        if end < 0:
            unclosed.add(name)
        if end >= 0:
            yield _Call(name, _parameters_in(text[position:end]))
            position = end
        elif _FIRST_PARAMETER.match(text, position):
            yield _Call(name, Malformed(excerpt(text[position:].strip()), TRUNCATED))
            return


def _parameters_in(body: str) -> dict[str, str]:
    found: dict[str, str] = {}
    position = 0
    last_ends = {tag[1]: tag.start() for tag in _END_TAG.finditer(body)}
    while tag := _TAG.search(body, position):
        name, position = tag[1], tag.end()
        end = last_ends.get(name, -1)
        if end < position:
            continue
        if name != _FREE_PARAMETER:
            end = body.find(f"</{name}>", position)
        found[name] = body[position:end].strip()
        position = end
    return found


# --- results -----------------------------------------------------------------------------------


def _is_prompt(message: dict[str, Any]) -> bool:
    """Whether the user wrote a message, and not the program: a result, or a note in brackets."""
    if any(block.get("type") == "tool_result" for block in dicts(message.get("content"))):
        return False
    texts = [text.lstrip() for text in _texts_in(message)]
    return bool(texts) and not any(text.startswith("[") or _REFUSAL.match(text) for text in texts)


def _take_results(message: dict[str, Any], transcript: Transcript) -> None:
    """Add the results in a message of the user: blocks of their own, or texts with a heading."""
    heading: str | None = None  # of a result whose text is the next block
    content = message.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else dicts(content)
    for block in blocks:
        text = text_of(block.get("text"))
        if block.get("type") == "tool_result":
            _take_block(block, transcript)
        elif text is None:
            continue
        elif heading is not None:
            _take_text(text, heading, transcript)
            heading = None
        elif found := _RESULT.match(text):
            if text[found.end() :].strip():
                _take_text(text[found.end() :].lstrip(), found["name"], transcript)
            else:
                heading = found["name"]
        elif refused := _REFUSAL.match(text):
            transcript.result(text, name=_name_of(refused["name"]), failed=True)


def _take_block(block: dict[str, Any], transcript: Transcript) -> None:
    value = block.get("content")
    flag = block.get("is_error")
    failed = flag if isinstance(flag, bool) else _failed(text_in(value) or "")
    transcript.result(value, block.get("tool_use_id"), failed=failed)


def _take_text(text: str, name: str, transcript: Transcript) -> None:
    value = text.partition(f"\n{_DETAILS}")[0]
    transcript.result(value, name=_name_of(name), failed=_failed(value))


def _name_of(tool: str) -> str | None:
    """The name of the call that a result is for; None for the tool that calls others."""
    return None if tool == _MCP_TOOL else tool


def _failed(text: str) -> bool | None:
    head = text.lstrip()
    heading = _RESULT.match(head)
    head = head[heading.end() :].lstrip() if heading else head
    return True if head.startswith(_FAILURES) or _REFUSAL.match(head) else None


# --- exports -----------------------------------------------------------------------------------


def _exported_messages(text: str) -> list[dict[str, Any]]:
    """The turns of an export, as messages."""
    return [
        {"role": turn[1].lower(), "content": _exported_blocks(body, turn[1].lower())}
        for turn, body in _after_each(_TURN, text)
    ]


def _after_each(mark: re.Pattern[str], text: str) -> list[tuple[re.Match[str], str]]:
    """Every mark in a text, and what follows it up to the next one."""
    marks = list(mark.finditer(text))
    ends = [found.start() for found in marks[1:]] + [len(text)] * bool(marks)
    pairs = zip(marks, ends, strict=True)
    return [(found, text[found.end() : end].strip("\n")) for found, end in pairs]


def _exported_blocks(text: str, role: str) -> list[dict[str, Any]]:
    """The blocks of a turn: its text, and the calls and results that are written out."""
    marks = _after_each(_EXPORTED, text)
    before = text[: marks[0][0].start()] if marks else text
    texts = _EXPORTED_RESULT.split(before) if role == "user" else [before]
    blocks: list[dict[str, Any]] = [{"type": "text", "text": part} for part in texts]
    for mark, body in marks:
        if mark["name"]:
            blocks.append(_exported_call(mark["name"], body))
        else:
            is_error = True if mark["failed"] else None
            blocks.append({"type": "tool_result", "content": body, "is_error": is_error})
    return blocks


def _exported_call(name: str, body: str) -> dict[str, Any]:
    """A call whose arguments are written as lines, with a capital letter in front.

    An argument of several lines cannot be told from several arguments: nothing is read of these.
    """
    fields = [_FIELD.fullmatch(line) for line in body.splitlines()]
    known = [field for field in fields if field is not None]
    arguments = {field[1][0].lower() + field[1][1:]: field[2] for field in known}
    is_complete = len(known) == len(fields)
    return {"type": "tool_use", "name": name, "input": arguments if is_complete else None}
