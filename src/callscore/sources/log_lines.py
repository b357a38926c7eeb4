"""Log files: lines with a JSON value behind a time, a level and other text, and messages of MCP.

Nothing in a line says where its prefix ends, so that a value is searched for. What is not a value is
text for people, and ignored.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from json import JSONDecodeError, JSONDecoder  # noqa: TID251  (it tells where a value ends)
from typing import Any

from msgspec import Struct

from callscore.sources.lenient_json import NotJSON
from callscore.sources.record import Array, BadRecord
from callscore.sources.text_document import decode_json

_MAX_TRIED = 200  # brackets of a line
_MAX_PASSES = 10  # over a line: brackets in brackets are decoded with what is in them
_FREE_PASSES = 10_000  # characters of a short line
_MIN_LINES = 2  # all of the same kind
_MAX_TAIL = 80  # characters after the value, such as ` { metadata: undefined }`
_MAX_REPR = 1 << 20
_COLOR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
# A line of a container's log: the time, the stream, and whether it goes on in the next line.
_CRI = re.compile(r"\d{4}-\d\d-\d\dT\S+ (?P<stream>stdout|stderr) (?P<part>[PF]) ")
_LEVEL = r"(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL)"
# The beginning of a line that a program has logged: no sentence and no YAML begins like this.
_LOG_BEGINNING = (
    r"\W{0,3}(?:"
    r"\d{4}-\d\d-\d\d[T _]"
    r"|\d{4}/\d\d/\d\d[ T]"
    r"|\d\d:\d\d:\d\d"
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d"
    r"|<\d{1,3}>"
    rf"|{_LEVEL}\b"
    r"|[\w.-]+ +\| "
    r")"
)
_LOG_PREFIX = re.compile(_LOG_BEGINNING, re.IGNORECASE)
_LOG_PREFIX_ANYWHERE = re.compile(f"^{_LOG_BEGINNING}.*{{", re.IGNORECASE | re.MULTILINE)
# The prefix of a value in YAML: an item of a list, or the value of a key.
_YAML_PREFIX = re.compile(r"""\s*+(?:- +)*+(?:["']?[\w .$-]+["']?:\s+)?(?:[&!]\S+ +)*""")
_YAML_BEGINNING = re.compile(r"\s*(?:---|%YAML|- |[\w-]+:[^\S\n]*\n)")
_BRACKETED = re.compile(r"\[[\w.:+ /-]+\]\s*[^\s,\]]")
_VALUE = re.compile(r"[{\[]")
_BYTES = re.compile(r"""\bb('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""")
_REPR = re.compile(r"\bJSONRPC(?:Request|Response|Error|Notification)\(")
_CALL = "tools/call"
_CUT_CALL = re.compile(r""""method"\s*:\s*"tools/call\"""")
_decode_at = JSONDecoder(parse_int=str, parse_float=str).raw_decode

# Logs that say that a tool was called, but not with what.
_REDACTED = re.compile(r'Message from client: method="tools/call"')
_NOTHING_LOGGED = {
    _REDACTED: (
        "this log of Claude Desktop has neither the names nor the arguments of calls: newer versions"
        " leave them out. Pass the transcripts of the agent, or the log of an MCP proxy."
    ),
    re.compile(r"(?:Handling CallTool action for|Successfully called) tool '"): (
        "this log of Cursor has the names of the called tools, but not their arguments. Pass the log"
        " of an MCP proxy."
    ),
    re.compile(r"\[Local\u2192Remote\] tools/call"): (
        "this log of mcp-remote has no arguments of calls. Run it with --debug, and pass its debug log."
    ),
    re.compile(r"Processing request of type\s+CallToolRequest"): (
        "this log of an MCP server has neither the names nor the arguments of calls. Set its level to"
        " DEBUG, or pass the log of an MCP proxy."
    ),
    re.compile(r"method: 'tools/call'"): (
        "the messages in this log are not JSON. Pass a log with one JSON message per line."
    ),
}


class _Entry(Struct, frozen=True, gc=False):
    """A value in a line, and the text before it."""

    line: int
    prefix: str
    value: Any


def looks_like_log_line(line: str) -> bool:
    """Whether a line begins as one of a log does, and not as JSON."""
    text = _COLOR.sub("", line).strip()
    return (_BRACKETED if text.startswith("[") else _LOG_PREFIX).match(text) is not None


_CALL_MARKS = (
    *('"arguments"', '"tool_calls"', '"toolCalls"', '"function_call"', '"functionCall"'),
    *('"tool_use"', '"toolUse"', '"tool_input"'),
)
_CUT_RECORD = "the record is cut off, so that its calls cannot be read."


def may_be_log(text: str) -> bool:
    """Whether a text may be one that `read_log` reads, at a low cost."""
    return "{" in text and (_CALL in text or _LOG_PREFIX_ANYWHERE.search(text) is not None)


def read_log(data: bytes, name: str, *, is_named_log: bool, is_prose: bool = False) -> list[Any]:
    """What a log has: a list of records or of messages, or what is wrong; empty if it is not a log.

    Args:
        data: the whole file.
        name: its name in places.
        is_named_log: whether its name says that it is a log, so that it is nothing else.
        is_prose: whether it may be the text of a model, which may contain JSON, too.
    """
    text = data.decode("utf-8", "replace")
    if not is_named_log and _YAML_BEGINNING.match(text):
        return []
    lines = list(_logical_lines(text))
    found: list[Any] = _read_messages(lines, name) if _CALL in text else []
    if not is_prose:
        found = (
            found
            or [
                BadRecord(name, problem)
                for pattern, problem in _NOTHING_LOGGED.items()
                if pattern.search(text)
            ][:1]
        )
    return found or _read_values(lines, name, is_named_log=is_named_log, is_prose=is_prose)


def _read_values(
    lines: list[tuple[int, str]], name: str, *, is_named_log: bool, is_prose: bool
) -> list[Any]:
    """The values of the lines, if they are those of a log; and lines whose calls are cut off."""
    entries: list[_Entry] = []
    bad: list[BadRecord] = []
    for number, line in lines:
        values = _values_in_line(line)
        entries += [_Entry(number, prefix, value) for prefix, value in values]
        if not values and '{"' in line and any(mark in line for mark in _CALL_MARKS):
            bad.append(BadRecord(f"{name}:{number}", _CUT_RECORD))
    is_log = is_named_log and not is_prose and any(entry.prefix.strip() for entry in entries)
    size = sum(bool(line.strip()) for _, line in lines)
    if not is_log and not _is_log(entries, size, is_prose=is_prose):
        return []
    places = tuple([f"{name}:{entry.line}" for entry in entries])
    return [Array(name, [entry.value for entry in entries], places, is_log=True), *bad]


def _is_log(entries: list[_Entry], size: int, *, is_prose: bool) -> bool:
    """Whether the texts before the values are those of a log of this number of lines."""
    prefixes = [entry.prefix for entry in entries if entry.prefix.strip()]
    if any(_LOG_PREFIX.match(prefix) for prefix in prefixes):
        return True
    # Any other text, if it is in front of each value; a key of YAML would be given twice.
    if is_prose or len(prefixes) < size or size < _MIN_LINES:
        return False
    is_repeated = len(set(prefixes)) < len(prefixes)
    return not any(map(_YAML_PREFIX.fullmatch, prefixes)) or (
        is_repeated and not prefixes[0].lstrip().startswith("-")
    )


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines without colors; the parts of long lines in a container's log are joined."""
    begun: dict[str, tuple[int, list[str]]] = {}
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        plain = _COLOR.sub("", line) if "\x1b" in line else line
        piece = _CRI.match(plain)
        if piece is None:
            yield number, plain
            continue
        stream = piece["stream"]
        is_first = stream not in begun
        first, parts = begun.setdefault(stream, (number, []))
        parts.append(plain[0 if is_first else piece.end() :].rstrip("\r"))
        if piece["part"] == "F":
            del begun[stream]
            yield first, "".join(parts)
    for first, parts in begun.values():
        yield first, "".join(parts)


def _values_in_line(line: str) -> list[tuple[str, Any]]:
    """The JSON objects in a line, and lists of them, each with the text before it."""
    found: list[tuple[str, Any]] = []
    position = 0
    values = _Values(line)
    while start := values.search(position):
        end = values.end_of(start.start())
        if end is None:
            if line.startswith(('{"', '[{"'), start.start()):
                return found  # what is in a value that was cut off is no record
            position = start.end()
            continue
        value = _decoded(line[start.start() : end])
        is_last = len(line) - end <= _MAX_TAIL or _VALUE.search(line, end)
        if _is_record(value) and is_last:
            found.append((line[: start.start()], value))
        position = end
    return found


def _is_record(value: Any) -> bool:
    items = value if isinstance(value, list) else [value]
    return bool(items) and all(isinstance(item, dict) and item for item in items)


class _Values:
    """Searches a line for values; a line that has too many brackets in brackets is given up."""

    def __init__(self, line: str) -> None:
        self._line = line
        self._tries = _MAX_TRIED
        self._characters = _FREE_PASSES + _MAX_PASSES * len(line)

    def search(self, position: int) -> re.Match[str] | None:
        """The next bracket."""
        self._tries -= 1
        is_tried = self._tries >= 0 and self._characters > 0
        return _VALUE.search(self._line, position) if is_tried else None

    def end_of(self, start: int) -> int | None:
        """The end of the value that begins with a bracket; None if it does not end."""
        end, reached = None, len(self._line)
        try:
            end = reached = _decode_at(self._line, start)[1]
        except JSONDecodeError as error:
            reached = error.pos
        except (ValueError, RecursionError):
            pass
        self._characters -= reached - start
        return end


def _decoded(text: str) -> Any:
    try:
        return decode_json(text.encode("utf-8", "surrogatepass"), unit="line")
    except NotJSON:
        return None


# --- messages of MCP ----------------------------------------------------------------------------


def _read_messages(lines: list[tuple[int, str]], name: str) -> list[Any]:
    """The messages of a log, each with the text before it; empty if no tool is called in it."""
    entries: list[_Entry] = []
    bad: list[BadRecord] = []
    is_redacted = False
    for number, line in lines:
        found = [
            _Entry(number, prefix, message)
            for prefix, value in _messages_in(line)
            for message in (value if isinstance(value, list) else [value])
        ]
        if not found and _CUT_CALL.search(line):
            problem = "the message is cut off, so that the call cannot be read."
            bad.append(BadRecord(f"{name}:{number}", problem))
        if not is_redacted and _REDACTED.search(line):
            is_redacted = True
            bad.append(BadRecord(f"{name}:{number}", _NOTHING_LOGGED[_REDACTED]))
        entries += found
    if not bad and not any(entry.value.get("method") == _CALL for entry in entries):
        return []
    places = tuple([f"{name}:{entry.line}" for entry in entries])
    values = [{"prefix": entry.prefix, "message": entry.value} for entry in entries]
    return [*([Array(name, values, places)] if values else []), *bad]


def _messages_in(line: str) -> Iterator[tuple[str, Any]]:
    """The messages in a line: as JSON, in bytes of Python, or as Python shows its objects."""
    shown = _REPR.search(line)
    if shown is not None:
        message = _from_repr(line[shown.start() : shown.start() + _MAX_REPR])
        if message is not None:
            yield line[: shown.start()], message
        return
    inner = _BYTES.search(line) if "b'" in line or 'b"' in line else None
    if inner is not None and "\\" in inner[1] and len(inner[1]) < _MAX_REPR:
        line = line[: inner.start()] + _text_of_bytes(inner[0])
    position = 0
    values = _Values(line)
    while start := values.search(position):
        end = values.end_of(start.start())
        value = None if end is None else _decoded(line[start.start() : end])
        if end is None or not _is_message(value):
            position = start.end()
            continue
        yield line[: start.start()], value
        position = end


def _is_message(value: Any) -> bool:
    messages = value if isinstance(value, list) else [value]
    return bool(messages) and all(
        isinstance(each, dict)
        and (
            isinstance(each.get("jsonrpc"), str)
            or (each.get("method") == _CALL and "params" in each)
        )
        for each in messages
    )


def _text_of_bytes(literal: str) -> str:
    try:
        data = ast.literal_eval(literal)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return ""
    return str(data, "utf-8", "replace")


def _from_repr(text: str) -> dict[str, Any] | None:
    """The message that the text of a Python object shows; None if it is cut off."""
    end = _end_of_call(text)
    try:
        node = ast.parse(text[:end], mode="eval").body
        value = _plain(node)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _plain(node: ast.expr) -> Any:
    """A literal, or an object as a dict of its fields."""
    if isinstance(node, ast.Call):
        return {field.arg: _plain(field.value) for field in node.keywords if field.arg}
    return ast.literal_eval(node)


# A quote that is not closed goes to the end: otherwise each one after it would be tried, too.
_QUOTED = re.compile(r"""'(?:[^'\\]|\\.)*+(?:'|\\?\Z)|"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[()]""")


def _end_of_call(text: str) -> int:
    """The end of the parenthesis that a text opens."""
    depth = 0
    for found in _QUOTED.finditer(text):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if found[0] == ")" and not depth:
            return found.end()
    return len(text)
