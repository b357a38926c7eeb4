"""What answers cost, in every dialect that says so."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from callscore.core.results import Usage
from callscore.models.usage import add_request, count_requests, usage_of


@pytest.mark.parametrize(
    "document",
    [
        {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 7, "total_tokens": 12}},
        {"candidates": [], "usageMetadata": {"promptTokenCount": 5, "candidatesTokenCount": 7}},
        {"output": {"message": {}}, "usage": {"inputTokens": 5, "outputTokens": 7}},
        {"meta": {"tokens": {"input_tokens": 5, "output_tokens": 7}}},
        {"message": {"role": "assistant"}, "prompt_eval_count": 5, "eval_count": 7},
        {
            "response_metadata": {"token_usage": {"prompt_tokens": 5, "completion_tokens": 7}},
            "type": "ai",
        },
        {
            "usage": {"inputTokens": 4, "outputTokens": 1},
            "totalUsage": {"inputTokens": 5, "outputTokens": 7},
            "steps": [{"usage": {"inputTokens": 1, "outputTokens": 6}}],
        },
        {
            "usage": {
                "prompt_tokens": 5,
                "cache_read_input_tokens": 3,
                "cache_creation_input_tokens": 1,
                "completion_tokens": 7,
            }
        },
        [
            {
                "candidates": [{}],
                "usageMetadata": {"promptTokenCount": 5, "candidatesTokenCount": 2},
            },
            {
                "candidates": [{}],
                "usageMetadata": {"promptTokenCount": 5, "candidatesTokenCount": 7},
            },
        ],
        {
            "usage": {
                "input_tokens": 1,
                "cache_read_input_tokens": 3,
                "cache_creation_input_tokens": 1,
                "output_tokens": 7,
            }
        },
        [
            {
                "object": "chat.completion.chunk",
                "usage": {"prompt_tokens": 5, "completion_tokens": 2},
            },
            {
                "object": "chat.completion.chunk",
                "usage": {"prompt_tokens": 5, "completion_tokens": 7},
            },
        ],
        [
            {
                "type": "message_start",
                "message": {"usage": {"input_tokens": 5, "output_tokens": 1}},
            },
            {"type": "message_delta", "usage": {"output_tokens": 7}},
        ],
    ],
)
def test_tokens_are_found_in_every_dialect(document: Any) -> None:
    assert usage_of(document) == Usage(1, 5, 7)


def test_a_conversation_costs_what_its_messages_cost() -> None:
    messages = [
        "a text",
        {"role": "assistant", "usage_metadata": {"input_tokens": 5, "output_tokens": 7}},
        {"role": "tool", "content": "4"},
        {"role": "assistant", "usage_metadata": {"input_tokens": 9, "output_tokens": 1}},
    ]

    assert usage_of(messages) == Usage(2, 14, 8)
    assert usage_of({"messages": messages}) == Usage(2, 14, 8)


def test_a_conversation_that_says_what_it_cost_is_believed() -> None:
    usage = {"requests": 3, "prompt_tokens": 30, "completion_tokens": 4}

    assert usage_of({"messages": [], "usage": usage}) == Usage(3, 30, 4)


@pytest.mark.parametrize(
    "document",
    [
        None,
        {"usage": None},
        {"usage": {"prompt_tokens": True}},
        {"usage": {"prompt_tokens": -1, "completion_tokens": "many"}},
        {"usage": {"prompt_tokens": float("nan")}},
        {
            "response": {
                "response": {"response": {"response": {"response": {"usage": {"input_tokens": 1}}}}}
            }
        },
    ],
)
def test_where_nothing_is_said_nothing_is_found(document: Any) -> None:
    assert usage_of(document) == Usage()


def test_requests_are_counted_for_who_asks_and_for_the_tasks_within() -> None:
    async def ask() -> None:
        add_request()

    async def main() -> int:
        with count_requests() as asked:
            await asyncio.gather(asyncio.create_task(ask()), ask())
        await ask()
        return asked.requests

    assert asyncio.run(main()) == 2


def test_two_streamed_answers_cost_what_each_says_last() -> None:
    parts = [
        {"candidates": [], "responseId": name, "usageMetadata": {"promptTokenCount": count}}
        for name, count in (("a", 1), ("a", 5), ("b", 7))
    ]

    assert usage_of(parts) == Usage(2, 12, 0)


def test_a_document_nested_too_deeply_has_no_usage() -> None:
    document: Any = {}
    for _ in range(10_000):
        document = {"usage": document}

    assert usage_of(document) == Usage()
