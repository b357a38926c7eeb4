"""What is read of the chats of Aider."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.formats.dialects import aider
from callscore.formats.reading import find_dialect
from callscore.formats.trace import DEFAULT_READ_OPTIONS

CHAT = "\n# aider chat started at 2025-05-04 17:02:36\n\n#### Rename f.\n"


def test_every_chat_is_a_run_without_calls() -> None:
    traces = aider.read(CHAT + CHAT, DEFAULT_READ_OPTIONS)

    assert [trace.calls for trace in traces] == [(), ()]


def test_the_history_of_requests_is_a_run_without_calls() -> None:
    text = "TO LLM 2025-01-31T11:21:36\n-------\nUSER Rename f.\n"

    assert aider.recognizes(text)
    assert [trace.calls for trace in aider.read(text, DEFAULT_READ_OPTIONS)] == [()]


def test_an_edit_of_a_chat_that_looks_like_a_call_is_none() -> None:
    text = f'{CHAT}\n```json\n[{{"name": "f", "arguments": {{}}}}]\n```\n'

    found = find_dialect(text)

    assert found is not None
    assert found.name == "aider"


@pytest.mark.parametrize("document", ["# aider", f"I quote:\n{CHAT}", "TO LLM", [CHAT], None])
def test_look_alikes_are_left_to_others(document: Any) -> None:
    assert not aider.recognizes(document)
    assert [trace.calls for trace in aider.read(document, DEFAULT_READ_OPTIONS)] == [()]
