"""What is read of the transcripts of Claude Code."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.errors import UnknownFormat
from callscore.formats.dialects import claude_code
from callscore.formats.trace import DEFAULT_READ_OPTIONS, Trace


def block(id_: str, name: str = "Bash") -> dict[str, Any]:
    return {"type": "tool_use", "id": id_, "name": name, "input": {"command": id_}}


def line(kind: str, content: Any, message: str | None = None, **more: Any) -> dict[str, Any]:
    body = {"role": kind, "content": content, "id": message}
    return {"type": kind, "sessionId": "s", "message": body, **more}


def done(id_: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id_, "content": content, **more}


def only(document: Any) -> Trace:
    [trace] = claude_code.read(document, DEFAULT_READ_OPTIONS)
    return trace


def test_the_lines_of_one_message_are_one_step() -> None:
    calls = only(
        [
            line("assistant", [block("a")], "m1"),
            line("assistant", [block("b")], "m1"),
            line("user", [done("a", "x")]),
            line("assistant", [block("c")], "m2"),
            line("assistant", [block("d")]),
            line("assistant", [block("e")]),
        ]
    ).calls

    assert [call.step for call in calls or ()] == [0, 0, 1, 2, 3]


def test_lines_that_are_repeated_count_once() -> None:
    one = line("assistant", [block("a")], "m1")

    assert len(only([one, line("user", [done("a", "x")]), one]).calls or ()) == 1


def test_results_and_failures_are_attached() -> None:
    first, second = (
        only(
            [
                line("assistant", [block("a"), block("b")], "m1"),
                line("user", [done("a", "a.py")]),
                line("user", [done("b", "Exit code 1", is_error=True)]),
            ]
        ).calls
        or ()
    )

    assert (first.result, first.failed) == ("a.py", False)
    assert (second.result, second.failed) == ("Exit code 1", True)


@pytest.mark.parametrize("mark", [{"isSidechain": True}, {"parent_tool_use_id": "a"}])
def test_what_a_subagent_does_is_marked(mark: dict[str, Any]) -> None:
    trace = only(
        [
            line("user", "Find it", **mark),
            line("assistant", [block("a")], **mark),
            line("assistant", [block("b")], isSidechain=False, parent_tool_use_id=None),
            line("user", "And then?"),
        ]
    )

    assert [call.caller for call in trace.calls or ()] == ["subagent", None]
    assert trace.input == "And then?"


def test_the_question_is_what_the_user_said_first() -> None:
    trace = only(
        [
            {"type": "system", "sessionId": "s", "content": "compacted"},
            line("user", "<caveat>", isMeta=True),
            line("user", "This session is being continued", isCompactSummary=True),
            line("user", [done("a", "x"), {"type": "text", "text": "no question"}]),
            line("user", [{"type": "text", "text": "Why?"}]),
            line("user", "Never mind"),
        ]
    )

    assert (trace.id, trace.input) == ("s", "Why?")


def test_every_session_is_a_run_of_its_own() -> None:
    traces = claude_code.read(
        [
            {"type": "summary", "summary": "x", "leafUuid": "u"},
            line("assistant", [block("a")], sessionId="one"),
            line("assistant", [block("a")], sessionId="two"),
            line("user", [done("a", "x")], sessionId="one"),
            {"type": "user", "message": {"role": "user", "content": [done("a", "y")]}},
        ],
        DEFAULT_READ_OPTIONS,
    )

    assert [trace.id for trace in traces] == ["one", "two"]
    assert [len(trace.calls or ()) for trace in traces] == [1, 1]
    assert [call.result for trace in traces for call in trace.calls or ()] == ["x", None]


def test_the_messages_of_the_sdk_are_told_by_what_they_have() -> None:
    head = {"parent_tool_use_id": None}
    trace = only(
        [
            {"subtype": "init", "data": {"session_id": "s"}},
            {"content": "Why?", **head},
            {"content": [{"text": "Hm"}, {"id": "a", "name": "Bash", "input": {}}], "model": "m"},
            {"content": [{"id": "srvtoolu_1", "name": "advisor", "input": {}}], "model": "m"},
            {"content": [{"tool_use_id": "srvtoolu_1", "content": {"error_code": "x"}}]},
            {"content": [{"tool_use_id": "a", "content": "Error", "is_error": None}], **head},
        ]
    )

    first, second = trace.calls or ()
    assert trace.input == "Why?"
    assert (first.kind, first.failed) == (None, True)
    assert (second.kind, second.failed) == ("hosted", True)


@pytest.mark.parametrize(
    "document",
    [
        line("assistant", [block("a")]),
        [{"type": "file-history-snapshot", "messageId": "u"}, line("user", "x")],
        [{"type": "summary", "summary": "x", "leafUuid": "u"}],
        [{"type": "system", "subtype": "init", "session_id": "s"}],
        [{"content": [], "model": "m", "parent_tool_use_id": None}],
    ],
)
def test_it_claims_transcripts(document: Any) -> None:
    assert claude_code.recognizes(document)


@pytest.mark.parametrize(
    "document",
    [
        [],
        [line("user", "x"), 3],
        "assistant",
        {"type": "system", "session_id": "s"},
        {"type": "result", "session_id": "s", "result": "x"},
        {"type": "assistant", "message": {"role": "user", "content": []}},
        {"type": "ai", "content": [block("a")]},
        {"role": "assistant", "content": [block("a")]},
        # Another agent writes the same lines, and its calls in a way of its own.
        [
            {"type": "system", "subtype": "init", "session_id": "s"},
            line("user", "x"),
            {"type": "tool_call", "session_id": "s", "tool_call": {"readToolCall": {"args": {}}}},
        ],
    ],
)
def test_it_leaves_look_alikes_to_others(document: Any) -> None:
    assert not claude_code.recognizes(document)


@pytest.mark.parametrize(
    "other",
    [
        {"type": "progress", "tool_call": {}},
        {"type": "tool_call", "toolName": "Shell"},
        {"type": "tool", "message": {"tool_name": "Read"}},
    ],
)
def test_the_calls_of_another_agent_are_not_passed_over(other: dict[str, Any]) -> None:
    assert not claude_code.recognizes([line("user", "x"), other])
    with pytest.raises(UnknownFormat, match="not in the format of Claude Code"):
        claude_code.read([line("user", "x"), other], DEFAULT_READ_OPTIONS)


def test_the_lines_of_a_transcript_are_one_document() -> None:
    assert claude_code.joins_lines(line("user", "x"))
    assert claude_code.joins_lines({"type": "queue-operation", "operation": "dequeue"})
    assert claude_code.joins_lines({"type": "whatever-comes-next", "sessionId": "s"})
    assert not claude_code.joins_lines({"sessionId": "s"})
    assert not claude_code.joins_lines({"type": "message", "content": []})


def test_a_web_session_has_its_lines_under_a_key() -> None:
    lines = [
        {"type": "user", "message": {"role": "user", "content": "Fix it."}},
        {"type": "assistant", "message": {"role": "assistant", "content": [block("a")]}},
        {"type": "user", "message": {"role": "user", "content": [done("a", "ok")]}},
    ]

    trace = only({"loglines": lines})

    [made] = trace.calls or ()
    assert claude_code.recognizes({"loglines": lines})
    assert (trace.input, made.id, made.result) == ("Fix it.", "a", "ok")


def test_a_web_session_may_be_empty_and_is_nothing_else() -> None:
    assert claude_code.recognizes({"loglines": []})
    assert not claude_code.recognizes({"loglines": [{"type": "assistant", "text": "x"}]})
    assert not claude_code.recognizes({"loglines": "x"})
    assert only({"loglines": "x"}).calls == ()


def test_what_a_subagent_reports_is_a_call_of_it_and_counts_once() -> None:
    inner = line("assistant", [block("b")], "m2")
    answer = line("user", [done("b", "x")])
    reports = [
        {"type": "progress", "sessionId": "s", "data": {"type": "agent_progress", "message": each}}
        for each in (inner, answer)
    ]
    other = {"type": "progress", "sessionId": "s", "data": {"type": "hook_progress"}}

    calls = only(
        [
            line("assistant", [block("a", "Task")], "m1"),
            *reports,
            other,
            {**inner, "isSidechain": True},
        ]
    ).calls

    assert [(call.id, call.caller, call.result) for call in calls or ()] == [
        ("a", None, None),
        ("b", "subagent", "x"),
    ]
