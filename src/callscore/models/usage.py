"""What answers cost: the tokens that a document of any dialect speaks of."""

from __future__ import annotations

from typing import Any

from callscore.core.run import Usage
from callscore.formats.shape import first
from callscore.models.counting import Asked, counted

__all__ = ["Asked", "counted", "usage_of"]

# Where a document says what it cost: all of it before a part of it.
_BLOCKS = (
    *("totalUsage", "total_usage", "usage", "usageMetadata", "usage_metadata", "tokens", "meta"),
    *("billed_units", "token_usage", "response_metadata", "context_wrapper"),
)
_INNER = ("response", "message", "result", "messages", "raw_responses", "steps", "kwargs")
_READ = (
    *("prompt_tokens", "input_tokens", "promptTokenCount", "prompt_token_count", "inputTokens"),
    *("promptTokens", "request_tokens", "prompt_eval_count"),
)
_WRITTEN = (
    *("completion_tokens", "output_tokens", "candidatesTokenCount", "candidates_token_count"),
    *("outputTokens", "completionTokens", "response_tokens", "eval_count"),
)
# Read and written beside the first number, and not in it.
_READ_TOO = (
    *("cache_creation_input_tokens", "cache_read_input_tokens"),
    *("cacheReadInputTokens", "cacheWriteInputTokens"),
    *("toolUsePromptTokenCount", "tool_use_prompt_token_count"),
)
_WRITTEN_TOO = ("thoughtsTokenCount", "thoughts_token_count")
_READ_ALL = "prompt_tokens"  # OpenAI's number, in which all is that was read
_MOST = 10**12  # more than this nobody has counted
_DEEPEST = 4


def usage_of(document: Any) -> Usage:
    """What an answer says that it cost, in whatever dialect; nothing where it says nothing.

    A conversation costs what its messages cost, unless it says so itself. In a stream the numbers
    grow, and the last ones count.
    """
    return _usage_in(document, 0) or Usage()


def _usage_in(document: Any, depth: int) -> Usage | None:
    if depth > _DEEPEST:
        return None
    if isinstance(document, dict):
        return _own_usage(document, depth) or _inner_usage(document, depth)
    return _listed(document, depth) if isinstance(document, list) else None


def _own_usage(document: dict[str, Any], depth: int) -> Usage | None:
    if depth > _DEEPEST:
        return None
    for key in _BLOCKS:
        block = document.get(key)
        if isinstance(block, dict):
            found = _tokens_in(block) or _own_usage(block, depth + 1)
            if found is not None:
                return found
    return _tokens_in(document) if "eval_count" in document else None


def _inner_usage(document: dict[str, Any], depth: int) -> Usage | None:
    for key in _INNER:
        found = _usage_in(document.get(key), depth + 1)
        if found is not None:
            return found
    return None


def _listed(documents: list[Any], depth: int) -> Usage | None:
    found = [(one, usage) for one in documents if (usage := _usage_in(one, depth + 1)) is not None]
    if not found:
        return None
    if not any(map(_is_streamed, documents)):
        return sum((usage for _, usage in found), Usage())
    streams: dict[str, list[Usage]] = {}
    for one, usage in found:
        streams.setdefault(_stream_of(one), []).append(usage)
    return sum(map(_last, streams.values()), Usage())


def _is_streamed(document: Any) -> bool:
    """Whether a document is a part of an answer that came bit by bit."""
    if not isinstance(document, dict):
        return False
    return (
        document.get("object") == "chat.completion.chunk"
        or document.get("type") in ("message_start", "message_delta")
        or "candidates" in document  # Gemini's parts look like its answers
    )


def _stream_of(document: Any) -> str:
    """What tells the answers apart of which a list has parts; only Gemini's say it on every part."""
    answer = first(document, "responseId", "response_id")
    return answer if isinstance(answer, str) else ""


def _last(usages: list[Usage]) -> Usage:
    read = max(usage.input_tokens for usage in usages)
    return Usage(1, read, max(usage.output_tokens for usage in usages))


def _tokens_in(block: dict[str, Any]) -> Usage | None:
    read, written = _first(block, _READ), _first(block, _WRITTEN)
    if read is None and written is None:
        return None
    more = () if _READ_ALL in block else _READ_TOO
    read_too = sum(_count(block.get(key)) or 0 for key in more)
    written_too = sum(_count(block.get(key)) or 0 for key in _WRITTEN_TOO)
    requests = _count(block.get("requests"))
    return Usage(
        1 if requests is None else requests, (read or 0) + read_too, (written or 0) + written_too
    )


def _first(block: dict[str, Any], names: tuple[str, ...]) -> int | None:
    for name in names:
        count = _count(block.get(name))
        if count is not None:
            return count
    return None


def _count(value: Any) -> int | None:
    """A number of tokens; None for what cannot be one."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return int(value) if is_number and 0 <= value <= _MOST else None
