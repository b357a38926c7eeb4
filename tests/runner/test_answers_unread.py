"""An answer that looks like calls and was not read is scored, and says so."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.runner.agents import RIGHT, WEATHER, a_question

from callscore.core.results import Answer, Result
from callscore.runner.answers import score_answer

SPOILED = {"choices": [{"message": {"role": "assistant", "toolcalls": [{"id": "1"}]}}]}

SIGN = "'toolcalls' at $.choices[0].message looks like a call."


def result_of(document: Any, **options: Any) -> Result:
    question = a_question(lambda _: None, **options)
    return asyncio.run(score_answer(question, Answer(document=document)))


@pytest.mark.parametrize(
    ("document", "unread"),
    [
        ("I do it. <tool_call f x=1>", "answer: '<tool_call f x=1>' looks like a call."),
        (
            SPOILED,
            f"{SIGN} Recognized format: openai_chat.",
        ),
    ],
)
def test_what_looks_like_calls_is_noted(document: Any, unread: str) -> None:
    result = result_of(document)

    assert (result.status, result.case.actual, result.case.unread) == ("scored", (), unread)


@pytest.mark.parametrize("document", [RIGHT, [], "I did <b>nothing</b> [1].", "No {calls}."])
def test_nothing_is_noted_for_calls_that_were_read_and_for_words(document: Any) -> None:
    result = result_of(document)

    assert (result.status, result.case.unread) == ("scored", None)


def test_the_tools_of_an_evaluation_may_be_called_in_fenced_code() -> None:
    result = result_of("So:\n```bash\nget_weather Paris\n```", tools=[WEATHER])

    assert result.case.unread == "answer: '``` with get_weather' looks like a call."


def test_the_first_answers_are_all_searched() -> None:
    words, mark = [
        {"message": {"role": "assistant", "content": text}} for text in ("No.", "<tool_call f")
    ]

    result = result_of({"choices": [words, mark]}, top_k=2)

    assert result.case.unread is not None
    assert "at $.choices[1].message.content looks like a call." in result.case.unread
