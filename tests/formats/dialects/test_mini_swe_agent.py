"""What is read of the trajectories of mini-swe-agent."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.formats.dialects import mini_swe_agent
from callscore.formats.trace import DEFAULT_READ_OPTIONS, Trace

CALL = {"id": "a", "type": "function", "function": {"name": "bash", "arguments": "{}"}}


def says(content: str, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, **more}


def fence(command: str, language: str = "bash") -> str:
    return f"I run it.\n```{language}\n{command}\n```"


def printed(code: int, output: str = "") -> dict[str, Any]:
    text = f"<returncode>{code}</returncode>\n<output>\n{output}</output>"
    return {"role": "user", "content": text}


def only(*messages: dict[str, Any], **more: Any) -> Trace:
    document = {"trajectory_format": "mini-swe-agent-1", "messages": [*messages], **more}
    [trace] = mini_swe_agent.read(document, DEFAULT_READ_OPTIONS)
    return trace


def test_a_return_code_says_whether_a_command_failed() -> None:
    calls = only(says(fence("ls")), printed(0), says(fence("cat x")), printed(2)).calls or ()

    assert [(call.arguments, call.step, call.failed) for call in calls] == [
        ({"command": "ls"}, 0, False),
        ({"command": "cat x"}, 1, True),
    ]


def test_a_message_with_two_blocks_or_none_was_refused() -> None:
    trace = only(says(fence("ls") + fence("pwd")), says("Done."), says(fence("ls", "sh")))

    assert trace.calls == ()


def test_newer_blocks_have_their_own_language() -> None:
    both = fence("ls") + "\n" + fence("pwd", "mswea_bash_command")

    trace = only(says(both), printed(0), says(fence("ignored")))

    assert [call.arguments for call in trace.calls or ()] == [{"command": "pwd"}]


def test_recorded_actions_count_and_not_the_text_beside_them() -> None:
    extra = {"actions": [{"command": "ls", "tool_call_id": "a"}, "x"]}
    answer = {"role": "user", "content": "<output>a.py</output>", "extra": {"returncode": 1}}

    trace = only(says(fence("pwd"), extra=extra), answer)

    [call] = trace.calls or ()
    assert (call.arguments, call.id, call.failed) == ({"command": "ls"}, "a", True)


def test_the_same_call_is_recorded_three_times() -> None:
    response = {"choices": [{"message": {"tool_calls": [CALL]}}]}
    extra = {"actions": [{"command": "ls", "tool_call_id": "a"}], "response": response}
    failed = {"raw_output": "", "returncode": 0, "exception_info": "Timeout"}

    trace = only(
        says("", tool_calls=[CALL], extra=extra),
        {"role": "tool", "tool_call_id": "a", "content": "x", "extra": failed},
    )

    [call] = trace.calls or ()
    assert (call.id, call.result, call.failed) == ("a", "x", True)


def test_a_refused_answer_was_never_run() -> None:
    refused = {"choices": [{"message": {"tool_calls": [CALL]}}]}
    extra = {"interrupt_type": "FormatError", "response": refused}

    assert only({"role": "user", "content": "Wrong.", "extra": extra}).calls == ()


def test_items_of_the_responses_api_are_calls() -> None:
    item = {"type": "function_call", "call_id": "a", "name": "bash", "arguments": '{"command": 1}'}
    answer = {"type": "function_call_output", "call_id": "a", "output": "x"}

    trace = only({"object": "response", "output": [item]}, answer)

    [call] = trace.calls or ()
    assert (call.arguments, call.result, call.failed) == ({"command": 1}, "x", False)


def test_a_run_has_the_name_of_its_instance_and_a_question() -> None:
    trace = only({"role": "user", "content": "Fix it."}, instance_id="shop-1")

    assert (trace.id, trace.input) == ("shop-1", "Fix it.")


def test_messages_alone_need_a_command_and_its_return_code() -> None:
    assert mini_swe_agent.recognizes([says(fence("ls")), printed(0)])
    assert not mini_swe_agent.recognizes([says(fence("ls"))])
    assert not mini_swe_agent.recognizes([says("x"), printed(0)])
    assert not mini_swe_agent.recognizes([says(fence("ls"), tool_calls=[CALL]), printed(0)])
    assert not mini_swe_agent.recognizes([says(fence("ls")), printed(0), "x"])


@pytest.mark.parametrize(
    "document",
    [
        {"info": {"mini_version": "1.0"}, "messages": []},
        {"trajectory_format": "mini-swe-agent-1.1", "messages": []},
    ],
)
def test_trajectories_are_claimed(document: Any) -> None:
    assert mini_swe_agent.recognizes(document)


@pytest.mark.parametrize(
    "document",
    [
        {"info": {"mini_version": "1.0"}},
        {"trajectory_format": "other", "messages": []},
        {"info": {"id": "ses_1"}, "messages": []},
    ],
)
def test_look_alikes_are_left_to_others(document: Any) -> None:
    assert not mini_swe_agent.recognizes(document)


def test_a_block_of_blank_lines_that_does_not_end_has_no_command() -> None:
    assert only(says("```bash" + 20_000 * "\n")).calls == ()
