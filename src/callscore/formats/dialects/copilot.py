"""GitHub Copilot Chat in VS Code (exports of the chat debug view, `.chatreplay.json`).

Every prompt has the log of what it led to: requests to models, and calls with their results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.definitions import read_definitions
from callscore.formats.shape import as_list, at, dicts, first, text_of
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.core.call import Tool
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 347
EXAMPLE = {
    "exportedAt": "2026-01-31T16:05:45.798Z",
    "totalPrompts": 1,
    "prompts": [
        {
            "prompt": "create a file",
            "logs": [
                {
                    "id": "toolu_1",
                    "kind": "toolCall",
                    "tool": "create_file",
                    "args": '{"filePath": "hello.txt"}',
                }
            ],
        }
    ],
}
_MAX_SAMPLED = 20
_CALL, _REQUEST = "toolCall", "request"
_ID_SUFFIX = "__vscode"  # after the id of the model, to make it unique
SIGNS = Signs(keys=("prompts", "logs"))


def recognizes(document: Any) -> bool:
    """Whether it is an export, or one prompt of it."""
    prompts = _prompts_in(document)[:_MAX_SAMPLED]
    return bool(prompts) and all(map(_is_prompt, prompts))


def _prompts_in(document: Any) -> list[Any]:
    held = at(document, "prompts") if isinstance(document, dict) else document
    return held if isinstance(held, list) else as_list(document)


def _is_prompt(value: Any) -> bool:
    logs = at(value, "logs")
    return (
        isinstance(logs, list)
        and isinstance(at(value, "prompt"), str)
        and all(isinstance(at(entry, "kind"), str) for entry in logs[:_MAX_SAMPLED])
    )


def _entries(prompt: dict[str, Any]) -> list[dict[str, Any]]:
    return dicts(prompt.get("logs"))


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """A run for every prompt."""
    return [_read_prompt(prompt, options) for prompt in dicts(_prompts_in(document))]


def _read_prompt(prompt: dict[str, Any], options: ReadOptions) -> Trace:
    transcript = Transcript(options, once=True)
    for entry in _entries(prompt):
        kind = entry.get("kind")
        if kind == _REQUEST:
            transcript.close_step()
        elif kind == _CALL:
            id_ = text_of(entry.get("id"))
            id_ = None if id_ is None else id_.partition(_ID_SUFFIX)[0]
            transcript.open_step()
            transcript.call(first(entry, "tool", "name"), entry.get("args"), id_)
            response = entry.get("response")
            if response is not None:
                joined = "\n".join(response) if _is_texts(response) else response
                transcript.result(joined, id_)
        else:
            transcript.unknown(kind)
    return transcript.trace(input=text_of(prompt.get("prompt")))


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def read_tools(document: Any) -> list[Tool]:
    """The tools that the models were offered."""
    return [
        tool
        for prompt in dicts(_prompts_in(document))
        for entry in _entries(prompt)
        for tool in read_definitions(at(entry, "metadata", "tools"))
    ]
