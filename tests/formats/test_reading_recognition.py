"""Which dialect a document is written in."""

from __future__ import annotations

import pytest

from callscore.errors import UnknownFormat
from callscore.formats.dialect import dialects
from callscore.formats.reading import Recogniser, find_dialect, recognise, unknown_format_text

CHAT = {"choices": [{"message": {"role": "assistant", "content": "x"}}]}
GEMINI = {"candidates": [{"content": {"role": "model", "parts": [{"text": "x"}]}}]}


def test_the_first_that_recognises_a_document_wins() -> None:
    claiming = [dialect for dialect in dialects() if dialect.recognises(CHAT)]

    assert find_dialect(CHAT) is claiming[0]
    assert recognise(CHAT).name == "openai_chat"


def test_a_file_is_looked_up_once_and_then_checked() -> None:
    recogniser = Recogniser()

    first = recogniser.recognise(CHAT)
    assert recogniser.recognise(CHAT) is first
    assert recogniser.recognise(GEMINI).name == "gemini"
    assert recogniser.find({"colour": 1}) is None
    assert recogniser.recognise(CHAT) is first
    with pytest.raises(UnknownFormat):
        recogniser.recognise({"colour": 1})


def test_only_some_dialects_can_be_asked() -> None:
    recogniser = Recogniser()
    others = frozenset(("gemini", "anthropic"))

    assert find_dialect(CHAT, others) is None
    assert recogniser.recognise(CHAT).name == "openai_chat"
    assert recogniser.find(CHAT, others) is None
    found = recogniser.find(GEMINI, others)
    assert found is not None
    assert recogniser.find(GEMINI, others) is found


def test_an_unknown_document_is_told_what_it_looks_like() -> None:
    with pytest.raises(UnknownFormat) as caught:
        recognise({"choices": [], "message": {"tool_calls": 5}, "finish_reason": "x"})

    assert "no format recognises an object with the keys 'choices', 'message'" in str(caught.value)
    assert "The nearest are " in str(caught.value)
    assert "openai_chat" in str(caught.value)


def test_what_looks_like_nothing_is_refused_without_a_guess() -> None:
    assert (
        unknown_format_text(5)
        == "no format recognises 5. `callscore formats` shows an example of each."
    )


def test_deep_documents_are_looked_at_from_above() -> None:
    deep: dict[str, object] = {}
    for _ in range(100_000):
        deep = {"choices": deep}

    assert "openai" in unknown_format_text(deep)
