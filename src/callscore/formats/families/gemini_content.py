"""Gemini's contents: the calls in them, whole or in pieces, and the responses to those calls.

The same parts are in requests, answers, Live messages and the events of the ADK. Keys are in camel
case on the wire; SDKs write them in snake case, with all other fields null.
"""

from __future__ import annotations

import re
from copy import deepcopy
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from callscore.core.call import TRUNCATED, Malformed, Tool, excerpt
from callscore.formats.definitions import read_definitions
from callscore.formats.shape import at, dicts, first, text_of
from callscore.formats.transcript import Transcript
from callscore.formats.unknown_kinds import is_unknown_call

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions

_ROLES = ("user", "model", "function", "tool", "system", None)
_CALLS = ("functionCall", "function_call")
_RESPONSES = ("functionResponse", "function_response")
# Of the tools that Google runs: code, which has no name, and all others.
_CODE = ("executableCode", "executable_code")
_CODE_RESULTS = ("codeExecutionResult", "code_execution_result")
_HOSTED_CALLS = ("toolCall", "tool_call")
_HOSTED_RESPONSES = ("toolResponse", "tool_response")
_HOSTED_KEYS = frozenset((*_CODE, *_CODE_RESULTS, *_HOSTED_CALLS, *_HOSTED_RESPONSES))
_TOOL_KEYS = frozenset((*_CALLS, *_RESPONSES)) | _HOSTED_KEYS
_CODE_TOOL = "code_execution"
_CODE_OUTCOMES = ("OUTCOME_OK", "OUTCOME_UNSPECIFIED")
_PARTIAL_KEYS = frozenset(("partialArgs", "partial_args", "willContinue", "will_continue"))
_DATA = ("inlineData", "inline_data", "fileData", "file_data")
_PARTS = frozenset(("text", *_CALLS, *_RESPONSES, *_DATA)) | _HOSTED_KEYS
# What a part may have that is no call: none of it has one inside.
_NO_CALLS = frozenset(
    (
        *("text", "thought", "thoughtSignature", "thought_signature", *_DATA),
        *("videoMetadata", "video_metadata", "mediaResolution", "media_resolution"),
        *("partMetadata", "part_metadata"),
    )
)
_KNOWN_KEYS = _NO_CALLS | _TOOL_KEYS
_OTHER_PARTS = frozenset(("type", "kind", "part_kind"))  # the keys of parts in other formats

# Why the server ended an answer early: the model attempted a call, which was lost.
_MALFORMED_REASON = "MALFORMED_FUNCTION_CALL"
_REFUSED_REASONS = ("UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS")
_FAILURE_KEYS = frozenset(("isError", "is_error", "status", "error"))
_UNREADABLE_MESSAGE = "Malformed function call"

_PATH_STEP = re.compile(r"""\.?([^.\[\]]+)|\[(\d{1,9})\]|\['([^']*)'\]|\["([^"]*)"\]""")
_MAX_DEPTH = 100


def is_content(item: Any) -> bool:
    """Whether an item is a content: a role, and parts that have no type."""
    if not isinstance(item, dict) or item.get("role") not in _ROLES:
        return False
    parts = item.get("parts")
    if not isinstance(parts, list) or not (parts or item.get("role") == "model"):
        return False
    return all(
        isinstance(part, dict)
        and _OTHER_PARTS.isdisjoint(part)
        and (not _PARTS.isdisjoint(part) or any(map(is_unknown_call, part)))
        for part in parts
    )


def text_in_content(content: Any) -> str | None:
    """The text of a content, without the thoughts."""
    texts = [
        part["text"]
        for part in dicts(at(content, "parts"))
        if isinstance(part.get("text"), str) and part.get("thought") is not True
    ]
    return "\n".join(texts) if texts else None


def read_declarations(tools: Any) -> list[Tool]:
    """The tools in a list of function declarations, or in a single entry of one."""
    return read_definitions([tools] if isinstance(tools, dict) else tools)


class ContentReader:
    """Reads contents into a transcript."""

    def __init__(self, options: ReadOptions) -> None:
        self.transcript = Transcript(options)
        self._failure = options.failure
        self._piecemeal: _PartialCall | None = None

    def begin(self) -> None:
        """Begin a new message: the calls that follow belong together."""
        self.transcript.close_step()

    def take(self, content: Any, caller: str | None = None) -> None:
        """Add the calls and the responses in a content."""
        parts = dicts(content.get("parts") if isinstance(content, dict) else None)
        if caller is None:
            self._note_speaker(content, parts)
        for part in parts:
            if _NO_CALLS.issuperset(part):
                continue
            call = first(part, *_CALLS)
            if call is not None:
                self.take_call(call, caller)
                continue
            response = first(part, *_RESPONSES)
            if response is not None:
                self.take_response(response)
            else:
                self.take_hosted(part, caller)

    def _note_speaker(self, content: Any, parts: list[dict[str, Any]]) -> None:
        """Note who wrote a content; one of the user with responses in it is the program's."""
        role = at(content, "role")
        if role != "user" or not any(first(part, *_RESPONSES) for part in parts):
            self.transcript.role(role)

    def take_hosted(self, part: dict[str, Any], caller: str | None) -> None:
        """Add a call of a tool that Google runs, or its result; other parts may be of a new kind."""
        code, outcome = first(part, *_CODE), first(part, *_CODE_RESULTS)
        call, response = first(part, *_HOSTED_CALLS), first(part, *_HOSTED_RESPONSES)
        if isinstance(code, dict):
            arguments = {
                key: code[key] for key in ("code", "language") if code.get(key) is not None
            }
            self._add_hosted(_CODE_TOOL, arguments, code.get("id"), caller)
        elif isinstance(outcome, dict):
            reason = outcome.get("outcome")
            failed = reason not in _CODE_OUTCOMES if isinstance(reason, str) else None
            id_ = outcome.get("id")
            name = None if id_ else _CODE_TOOL
            self.transcript.result(outcome.get("output"), id_, name=name, failed=failed)
        elif isinstance(call, dict):
            name = first(call, "toolType", "tool_type")
            self._add_hosted(name, call.get("args"), call.get("id"), caller)
        elif isinstance(response, dict):
            self.take_response({**response, "name": first(response, "toolType", "tool_type")})
        else:
            self.transcript.unknown_keys(part, _KNOWN_KEYS)

    def _add_hosted(self, name: Any, arguments: Any, id_: Any, caller: str | None) -> None:
        self.transcript.open_step()
        self.transcript.call(name, arguments, id_, kind="hosted", caller=caller)

    def take_call(self, call: Any, caller: str | None = None) -> None:
        """Add one call; pieces of a call are kept until the last one."""
        if not isinstance(call, dict):
            return
        if self._piecemeal is None and _PARTIAL_KEYS.isdisjoint(call):
            self._take_whole(call, caller)
            return
        open_call = self._piecemeal
        goes_on = first(call, "willContinue", "will_continue") is True
        pieces = dicts(first(call, "partialArgs", "partial_args"))
        if open_call is not None and not open_call.goes_on_with(call, pieces):
            self._write(open_call)
            open_call = None
        if open_call is None:
            if not (goes_on or pieces):
                self._take_whole(call, caller)
                return
            open_call = self._piecemeal = _PartialCall(call, caller)
        open_call.add(pieces)
        if not goes_on:
            self._write(open_call)

    def _take_whole(self, call: dict[str, Any], caller: str | None) -> None:
        if all(value is None for value in call.values()):  # an empty field, and no call
            return
        self.transcript.open_step()
        self.transcript.call(call.get("name"), call.get("args"), call.get("id"), caller=caller)

    def take_response(self, response: Any) -> None:
        """Add the result of a call, found by its id, or by the name of the tool."""
        if not isinstance(response, dict):
            return
        value, id_ = response.get("response"), response.get("id")
        name = None if id_ else response.get("name")
        self.transcript.result(value, id_, name=name, failed=self._has_failed(value))

    def _has_failed(self, value: Any) -> bool | None:
        """Whether a response is an error, by the keys that the API and the ADK have in common."""
        if not isinstance(value, dict):
            return None
        if not _FAILURE_KEYS.isdisjoint(value):
            is_error = first(value, "isError", "is_error") is True
            if is_error or value.get("status") == "error" or value.get("error"):
                return True
        output = first(value, "result", "output", "return_value", "content")
        if isinstance(output, str):
            return self._failure.search(output) is not None
        return None if output is None else False

    def take_loss(self, reason: Any, message: Any) -> None:
        """Add the call that the server could not read, or did not allow, if there is one.

        In some encodings the reason is a number. Then the message decides; it may quote the call.
        """
        if reason is None and message is None:
            return
        text = text_of(message)
        if not isinstance(reason, str) and (text or "").startswith(_UNREADABLE_MESSAGE):
            reason = _MALFORMED_REASON
        is_refused = reason in _REFUSED_REASONS and not self.transcript.is_open
        if reason == _MALFORMED_REASON or is_refused:
            self.transcript.open_step()
            lost = None if text is None else Malformed(excerpt(text), reason)
            self.transcript.call(None, lost, error=reason)

    def finish(self) -> Transcript:
        """The transcript; a call whose last piece is missing was cut off."""
        if self._piecemeal is not None:
            self._write(self._piecemeal, error=TRUNCATED)
        return self.transcript

    def _write(self, call: _PartialCall, error: str | None = None) -> None:
        self._piecemeal = None
        self.transcript.open_step()
        fields = call.name, call.arguments(), call.id
        self.transcript.call(*fields, caller=call.caller, error=error)


class _PartialCall:
    """A call whose arguments come in pieces, each with the path of its value."""

    def __init__(self, call: dict[str, Any], caller: str | None) -> None:
        self.name = call.get("name")
        self.id = call.get("id")
        self.caller = caller
        value = call.get("args")
        # A copy, because the pieces are put into it, and the document must not change.
        self._arguments: dict[str, Any] = deepcopy(value) if isinstance(value, dict) else {}
        self._texts: dict[str, list[str]] = {}
        self._misplaced: list[Any] = []

    def goes_on_with(self, call: dict[str, Any], pieces: list[dict[str, Any]]) -> bool:
        """Whether a part belongs to this call; later pieces may repeat its name."""
        if not pieces and call.get("args"):
            return False
        return call.get("name") in (None, "", self.name) and call.get("id") in (None, "", self.id)

    def add(self, pieces: list[dict[str, Any]]) -> None:
        """Put the values of pieces at their paths; a piece may have no value yet."""
        for piece in pieces:
            path = first(piece, "jsonPath", "json_path")
            text = first(piece, "stringValue", "string_value")
            if isinstance(text, str):
                if isinstance(path, str) and path in self._texts:
                    self._texts[path].append(text)
                else:
                    self._put(piece, path, text)
                    self._texts[str(path)] = [text]
                continue
            value = first(piece, "numberValue", "number_value", "boolValue", "bool_value")
            if value is not None or first(piece, "nullValue", "null_value") is not None:
                self._put(piece, path, value)

    def _put(self, piece: dict[str, Any], path: Any, value: Any) -> None:
        if not _set_at_path(self._arguments, _steps_of(path), value):
            self._misplaced.append(piece)

    def arguments(self) -> dict[str, Any] | list[Any]:
        """All pieces together: an object, unless some have no valid path."""
        for path, texts in self._texts.items():
            _set_at_path(self._arguments, _steps_of(path), "".join(texts))
        return [self._arguments, *self._misplaced] if self._misplaced else self._arguments


def _steps_of(path: Any) -> list[str | int]:
    """The keys and indices in a path such as `$.stops[0].city`; empty if it is not such a path."""
    steps: list[str | int] = []
    rest = path.removeprefix("$") if isinstance(path, str) else ""
    position = 0
    while position < len(rest):
        found = _PATH_STEP.match(rest, position)
        if found is None or len(steps) == _MAX_DEPTH:
            return []
        key, index, quoted, double_quoted = found.groups()
        steps.append(int(index) if index is not None else key or quoted or double_quoted or "")
        position = found.end()
    return steps


def _set_at_path(arguments: dict[str, Any], steps: list[str | int], value: Any) -> bool:
    """Set the value at a path; False if the arguments cannot have such a path."""
    inner: Any = arguments
    for step, following in pairwise(steps):
        if not _can_step_into(inner, step):
            return False
        empty: Any = [] if isinstance(following, int) else {}
        if isinstance(inner, dict):
            inner = inner.setdefault(step, empty)
            continue
        if step == len(inner):
            inner.append(empty)
        inner = inner[step]
    if not steps or not _can_step_into(inner, steps[-1]):
        return False
    if isinstance(inner, list) and steps[-1] == len(inner):
        inner.append(value)
    else:
        inner[steps[-1]] = value
    return True


def _can_step_into(inner: Any, step: str | int) -> bool:
    """Whether a step leads into an object, or to an item of a list or right after its last."""
    if isinstance(step, str):
        return isinstance(inner, dict)
    return isinstance(inner, list) and step <= len(inner)
