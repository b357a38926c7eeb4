"""Items that look like calls in a document of a known format, of a kind that the format does not know.

Formats get new kinds of calls. Beside calls that were read, one of a new kind must not disappear.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

# In place of a kind: a result whose call is missing, and one before the first call, which may be
# that of an earlier conversation.
RESULT_ALONE = ""
RESULT_FIRST = " "

# The last words of the names of calls. Those of their results and their pieces end otherwise.
_CALLS = re.compile(
    r"(?:"
    r"(?i:(?:^|[\W_])(?:call|invocation|execution)"
    r"|(?:tool|function)[\W_]?(?:call|use|request|invocation|execution))"
    r"|[a-z0-9](?:Call|ToolUse|ToolRequest|Invocation|Execution)"
    r")s?(?i:[\W_]?(?:item|part|block|content|message|event|v?\d+))?$"
)
# Also those that ask for permission, and those of models.
_OTHERS = re.compile(
    r"output|result|response|return|delta|chunk|error|approval|confirmation|definition|listing"
    r"|progress|update|partial|summary|(?:^|[\W_])(?:llm|model|chat)[\W_]?call",
    re.IGNORECASE,
)
_NAMES = frozenset(
    ("name", "tool", "tool_name", "toolName", "function_name", "functionName", "toolCallName")
)
_ARGUMENTS = frozenset(
    (
        *("arguments", "args", "input", "tool_input", "toolInput", "tool_args", "toolArgs"),
        *("parameters", "kwargs", "tool_kwargs"),
    )
)
_TEXTS = frozenset(("text", "thinking", "reasoning", "message", "output_text", "image"))
_MAX_NODES = 100_000


def is_unknown_call(kind: object, item: object = None) -> bool:
    """Whether an item of an unknown kind looks like a call: by its kind, or by what it has.

    Results have other kinds, and an item with the name of a tool and its arguments is a call.
    """
    if kind.__class__ is not str or kind in _TEXTS:  # nearly all items
        return False
    is_call = _is_call(kind)
    return is_call is True or (is_call is None and isinstance(item, dict) and _has_call(item))


@lru_cache(maxsize=1_024)
def _is_call(kind: object) -> bool | None:
    """Whether a kind is one of calls; None if its name does not say."""
    if _OTHERS.search(str(kind)):
        return False
    return True if _CALLS.search(str(kind)) else None


def _has_call(item: dict[str, Any]) -> bool:
    if _NAMES.isdisjoint(item) or _ARGUMENTS.isdisjoint(item):
        return False
    arguments = [item[key] for key in _ARGUMENTS & item.keys()]
    return any(isinstance(item[key], str) and item[key] for key in _NAMES & item.keys()) and any(
        isinstance(value, dict) or (isinstance(value, str) and value.lstrip().startswith("{"))
        for value in arguments
    )


def place_of(item: Any, document: Any) -> str | None:
    """Where an item is in a document: `$.output[1]`; None if only a part of a text is that item."""
    pending: list[tuple[Any, tuple[Any, ...]]] = [(document, ())]
    for _ in range(_MAX_NODES):
        if not pending:
            break
        value, path = pending.pop()
        if value is item:
            return "$" + "".join(map(_step, path))
        if isinstance(value, dict):
            pending += [(held, (*path, key)) for key, held in reversed(value.items())]
        elif isinstance(value, list):
            pending += [(held, (*path, number)) for number, held in enumerate(value)][::-1]
    return None


def _step(key: Any) -> str:
    return f".{key}" if isinstance(key, str) and key.isidentifier() else f"[{key!r}]"
