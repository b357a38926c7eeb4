"""Glaive: calls in tags, with arguments between single quotes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.formats.dialects.glaive import read, read_tools, recognizes
from callscore.formats.trace import DEFAULT_READ_OPTIONS

if TYPE_CHECKING:
    from callscore.core.call import ToolCall


def calls_of(document: Any) -> tuple[ToolCall, ...]:
    assert recognizes(document)
    (trace,) = read(document, DEFAULT_READ_OPTIONS)
    return trace.calls or ()


@pytest.mark.parametrize(
    ("body", "arguments"),
    [
        ("""{"name": "f", "arguments": '{"x": 1}'}""", {"x": 1}),
        ("""{"name": "f", "arguments": '{\n  "x": "User's }"\n}'}""", {"x": "User's }"}),
        (r"""{"name": "f", "arguments": '{"x": "it\'s"}'}""", {"x": "it's"}),
        ("""{"name": "f", "arguments": {"x": 1}}""", {"x": 1}),
        ("""{"name": "f", "arguments": '{}'}""", {}),
        ("""{"name": "f"}""", {}),
        ("""{"arguments": {"x": 1}, "name": "f"}""", {"x": 1}),
    ],
)
@pytest.mark.parametrize("end", ["", " <|endoftext|>", "</functioncall>", "\n\n\nUSER: thanks"])
def test_a_call_is_in_a_tag(body: str, arguments: Any, end: str) -> None:
    (call,) = calls_of(f"<functioncall> {body}{end}")

    assert (call.name, call.arguments, call.error) == ("f", arguments, None)


def test_a_call_that_breaks_off_is_kept() -> None:
    (call,) = calls_of("""<functioncall> {"name": "f", "arguments": '{"x": """)

    assert (call.name, call.arguments) == ("f", None)
    assert call.error is not None


def test_the_responses_of_functions_are_results() -> None:
    chat = (
        'USER: w\n\n\nASSISTANT: <functioncall> {"name": "f", "arguments": \'{}\'} <|endoftext|>'
        '\n\n\nFUNCTION RESPONSE: {"a": 1}\n\n\nASSISTANT: It is 1. <|endoftext|>\n\n\nUSER: more\n\n\n'
        'ASSISTANT: <functioncall> {"name": "g"} <|endoftext|>\n\n\nFUNCTION RESPONSE: Error: no\n\n\n'
    )

    calls = calls_of({"system": "SYSTEM: s", "chat": chat})

    assert [(call.name, call.step, call.result, call.failed) for call in calls] == [
        ("f", 0, '{"a": 1}', False),
        ("g", 1, "Error: no", True),
    ]


def test_a_conversation_without_calls_has_none() -> None:
    assert (
        calls_of({"system": "SYSTEM: s", "chat": "USER: hi\n\n\nASSISTANT: hi <|endoftext|>"}) == ()
    )


@pytest.mark.parametrize("document", [{"chat": "hi"}, {"chat": 1}, {"system": "s"}, "functioncall"])
def test_look_alikes_are_not_claimed(document: Any) -> None:
    assert not recognizes(document)


def test_functions_are_defined_in_the_system_message() -> None:
    system = 'SYSTEM: Use them if required -\n{"name": "f", "description": "d"}\n{"name": "g", "description": ""}\n'

    assert [tool.name for tool in read_tools({"system": system, "chat": "USER: hi"})] == ["f", "g"]
    assert read_tools("<functioncall> {}") == []
