"""ToolBench answers: one view of the calls."""

from __future__ import annotations

from typing import Any

from callscore.formats.dialects.toolbench import read, read_tools, recognizes
from callscore.formats.trace import DEFAULT_READ_OPTIONS


def called(name: str) -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": None,
        "function_call": {"name": name, "arguments": "{}"},
    }


def returned(name: str, content: str) -> dict[str, Any]:
    return {"role": "function", "name": name, "content": content}


def test_the_last_messages_are_the_run() -> None:
    asked = {"role": "user", "content": "q"}
    first = [asked, called("f")]
    last = [*first, returned("f", '{"error": "no key", "response": ""}'), called("g")]
    last += [returned("g", '{"error": "", "response": "1"}'), called("Finish")]
    functions = [{"name": "f", "parameters": {}}]
    document = {
        "tree": {"tree": {}},
        "answer_generation": {"train_messages": [first, last], "query": "q", "function": functions},
    }

    assert recognizes(document)
    (trace,) = read(document, DEFAULT_READ_OPTIONS)

    assert trace.input == "q"
    assert [(call.name, call.failed) for call in trace.calls or ()] == [
        ("f", True),
        ("g", False),
        ("Finish", None),
    ]
    assert [tool.name for tool in read_tools(document)] == ["f"]


def test_an_answer_without_messages_has_no_calls() -> None:
    document: Any = {"answer_generation": {"train_messages": [], "chain": []}}

    (trace,) = read(document, DEFAULT_READ_OPTIONS)

    assert recognizes(document)
    assert trace.calls == ()
    assert not recognizes({"answer_generation": {"query": "q"}})
