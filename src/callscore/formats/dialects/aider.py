"""Aider chat histories (`.aider.chat.history.md`, LLM history).

Aider calls no tools: the model writes its edits as text. So every chat is a run without calls.
"""

from __future__ import annotations

import re
from typing import Any

from callscore.formats.signs import TEXT_SIGNS
from callscore.formats.trace import ReadOptions, Trace

ORDER = 90  # before the formats of texts: an edit of a chat can look like a call
EXAMPLE = """\
# aider chat started at 2025-05-04 17:02:36

> Aider v0.82.2

#### Rename f to g.

a.py
<<<<<<< SEARCH
def f():
=======
def g():
>>>>>>> REPLACE

> Applied edit to a.py
"""
_CHAT = re.compile(r"^# aider chat started at \d{4}-\d\d-\d\d", re.MULTILINE)
_REQUEST = re.compile(r"TO LLM \d{4}-\d\d-\d\dT")
HAS_CALLS = False
SIGNS = TEXT_SIGNS


def recognizes(document: Any) -> bool:
    """Whether a text begins like a chat, or like the history of requests to the model."""
    if not isinstance(document, str):
        return False
    begin = document.lstrip()
    return _CHAT.match(begin) is not None or _REQUEST.match(begin) is not None


def read(document: Any, options: ReadOptions) -> list[Trace]:  # noqa: ARG001  (as all dialects)
    """A run without calls for every chat."""
    chats = len(_CHAT.findall(document)) if isinstance(document, str) else 0
    return [Trace(calls=())] * max(chats, 1)
