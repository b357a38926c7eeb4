"""What answers cost: the number of requests, the time spent waiting, and the tokens used."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from callscore.core.results import Usage
from callscore.formats.shape import first


class RequestCount:
    """The number of requests, with retries, and the seconds that they waited for the rate limit."""

    def __init__(self) -> None:
        self.requests = 0
        self.waited = 0.0


_current_count: ContextVar[RequestCount | None] = ContextVar("_counting", default=None)


@contextmanager
def count_requests() -> Iterator[RequestCount]:
    """Count the requests made in the block and in tasks started in it."""
    count = RequestCount()
    token = _current_count.set(count)
    try:
        yield count
    finally:
        _current_count.reset(token)


def add_request() -> None:
    """Count one request, if requests are being counted."""
    count = _current_count.get()
    if count is not None:
        count.requests += 1


def add_waiting_time(seconds: float) -> None:
    """Add the time that a request waited for the rate limit."""
    count = _current_count.get()
    if count is not None:
        count.waited += seconds


# Totals come before parts.
_USAGE_KEYS = (
    *("totalUsage", "total_usage", "usage", "usageMetadata", "usage_metadata", "tokens", "meta"),
    *("billed_units", "token_usage", "response_metadata", "context_wrapper"),
)
_NESTED_KEYS = ("response", "message", "result", "messages", "raw_responses", "steps", "kwargs")
_INPUT_KEYS = (
    *("prompt_tokens", "input_tokens", "promptTokenCount", "prompt_token_count", "inputTokens"),
    *("promptTokens", "request_tokens", "prompt_eval_count"),
)
_OUTPUT_KEYS = (
    *("completion_tokens", "output_tokens", "candidatesTokenCount", "candidates_token_count"),
    *("outputTokens", "completionTokens", "response_tokens", "eval_count"),
)
# Not included in the first number.
_EXTRA_INPUT_KEYS = (
    *("cache_creation_input_tokens", "cache_read_input_tokens"),
    *("cacheReadInputTokens", "cacheWriteInputTokens"),
    *("toolUsePromptTokenCount", "tool_use_prompt_token_count"),
)
_EXTRA_OUTPUT_KEYS = ("thoughtsTokenCount", "thoughts_token_count")
_MAX_TOKENS = 10**12  # larger numbers are not token counts
_MAX_DEPTH = 4


def usage_of(document: Any) -> Usage:
    """The token usage in an answer of any dialect; empty if there is none.

    Without a total, the usage of the messages is added up. In a stream the numbers grow, and the
    last ones count.
    """
    return _usage_in(document, 0) or Usage()


def _usage_in(document: Any, depth: int) -> Usage | None:
    if depth > _MAX_DEPTH:
        return None
    if isinstance(document, list):
        return _usage_in_list(document, depth)
    if not isinstance(document, dict):
        return None
    found = _own_usage(document, depth)
    for key in () if found else _NESTED_KEYS:
        found = _usage_in(document.get(key), depth + 1)
        if found is not None:
            break
    return found


def _own_usage(document: dict[str, Any], depth: int) -> Usage | None:
    if depth > _MAX_DEPTH:
        return None
    for key in _USAGE_KEYS:
        block = document.get(key)
        if isinstance(block, dict):
            found = _tokens_in(block) or _own_usage(block, depth + 1)
            if found is not None:
                return found
    return _tokens_in(document) if "eval_count" in document else None


def _usage_in_list(documents: list[Any], depth: int) -> Usage | None:
    found = [(one, usage) for one in documents if (usage := _usage_in(one, depth + 1)) is not None]
    if not found:
        return None
    if not any(map(_is_streamed, documents)):
        return sum((usage for _, usage in found), Usage())
    streams: dict[Any, Usage] = {}
    for one, usage in found:
        # The id of the answer; only Gemini has it in every part.
        answer = first(one, "responseId", "response_id")
        key = answer if isinstance(answer, str) else ""
        known = streams.get(key, usage)
        streams[key] = Usage(
            1,
            max(known.input_tokens, usage.input_tokens),
            max(known.output_tokens, usage.output_tokens),
        )
    return sum(streams.values(), Usage())


def _is_streamed(document: Any) -> bool:
    """Whether a document is a part of a streamed answer."""
    return isinstance(document, dict) and (
        document.get("object") == "chat.completion.chunk"
        or document.get("type") in ("message_start", "message_delta")
        or "candidates" in document  # Gemini's parts look like its answers
    )


def _tokens_in(block: dict[str, Any]) -> Usage | None:
    tokens_in, tokens_out = _first_count(block, _INPUT_KEYS), _first_count(block, _OUTPUT_KEYS)
    if tokens_in is None and tokens_out is None:
        return None
    more = () if "prompt_tokens" in block else _EXTRA_INPUT_KEYS  # OpenAI's includes everything
    extra_in = sum(_count(block.get(key)) or 0 for key in more)
    extra_out = sum(_count(block.get(key)) or 0 for key in _EXTRA_OUTPUT_KEYS)
    requests = _count(block.get("requests"))
    return Usage(
        1 if requests is None else requests,
        (tokens_in or 0) + extra_in,
        (tokens_out or 0) + extra_out,
    )


def _first_count(block: dict[str, Any], names: tuple[str, ...]) -> int | None:
    counts = (_count(block.get(name)) for name in names)
    return next((count for count in counts if count is not None), None)


def _count(value: Any) -> int | None:
    """A number of tokens; None if it cannot be one."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return int(value) if is_number and 0 <= value <= _MAX_TOKENS else None
