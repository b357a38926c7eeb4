"""What a task returns, as the plain data that is kept and scored."""

from __future__ import annotations

from collections.abc import AsyncIterable, Iterator
from pathlib import PurePath
from typing import Any

import msgspec

from callscore.core.call import ToolCall
from callscore.core.export import call_to_dict
from callscore.core.malformed import Malformed
from callscore.core.plain import plain
from callscore.core.text import clip, escape, repr_text
from callscore.errors import InvalidCall
from callscore.formats import objects

__all__ = ["UnreadableAnswer", "document_of", "gathered"]

_LONGEST = 120  # columns of what somebody else returned
_HINT = "Return the response, the messages or the calls; `[]` where nothing was called."
# Models of SDKs that hold nothing but data, and give it out at once.
_PLAIN_MODELS = ("openai.types.chat.", "openai.types.responses.", "anthropic.types.")
_KNOWN = (str, int, float, Malformed, type(None))


class UnreadableAnswer(Exception):
    """What a task returned is no data; the message says why in a sentence."""


async def gathered(returned: Any) -> Any:
    """What was returned, and of an asynchronous stream everything that comes."""
    if isinstance(returned, AsyncIterable) and not hasattr(returned, "model_dump"):
        return [item async for item in returned]
    return returned


def document_of(returned: Any) -> Any:
    """What a task returned as plain data; an iterator is taken to its end.

    Raises:
        UnreadableAnswer: it is nothing, or nothing that can become data.
    """
    if returned is None:
        raise UnreadableAnswer(f"the task returned nothing. {_HINT}")
    try:
        document = _taken_apart(returned)
    except (InvalidCall, RecursionError) as error:
        raise UnreadableAnswer(f"the task returned what cannot be read: {error}") from error
    try:
        # Nearly always it is JSON by now, and this is ten times as quick as looking at each part.
        return msgspec.json.decode(msgspec.json.encode(document, enc_hook=_path_text))
    except (TypeError, ValueError, OverflowError, RecursionError):
        return _made_plain(document)


def _taken_apart(returned: Any) -> Any:
    if type(returned).__module__.startswith(_PLAIN_MODELS):
        return returned.model_dump(mode="json", by_alias=True, warnings=False)
    return objects.plain(_with_calls(returned))


def _path_text(value: object) -> str:
    """A path as text; the only thing that JSON does not know, and everybody else does."""
    if isinstance(value, PurePath):
        return str(value)
    raise TypeError


def _made_plain(document: Any) -> Any:
    """What JSON does not know in a document as text, as far as that is something."""
    stranger = _stranger_in(document)
    if stranger is not None:
        shown = clip(escape(repr_text(stranger)), _LONGEST)
        raise UnreadableAnswer(f"the task returned {shown}, which is no data. {_HINT}")
    return plain(document)


def _with_calls(returned: Any) -> Any:
    """Calls of our own making as a file has them, and bytes as text; anything else as it is."""
    if isinstance(returned, ToolCall):
        return [call_to_dict(returned)]
    if isinstance(returned, bytes | bytearray):
        return returned.decode("utf-8", "backslashreplace")
    if isinstance(returned, Iterator):
        returned = list(returned)
    if isinstance(returned, list | tuple):
        return [call_to_dict(item) if isinstance(item, ToolCall) else item for item in returned]
    return returned


def _stranger_in(document: Any) -> object | None:
    """What is no data in a document, if anything is; no depth can exhaust the walk."""
    pending = [document]
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            pending += item.values()
        elif isinstance(item, list):
            pending += item
        elif not isinstance(item, _KNOWN):
            found: object = item
            return found
    return None
