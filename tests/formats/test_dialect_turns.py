"""In which turn of the user a call was made, in every dialect that has the messages of a user."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.formats.conversations import (
    ASK,
    CALL,
    MESSAGES,
    MODELS,
    ONE_TURN,
    RESULT,
    SAY,
    TEXTS,
    TWO_TURNS,
    Event,
    ag_ui,
    agno,
    autogen,
    chat,
    claude_code,
    document_of,
    genai_span,
    haystack,
    item,
    requests,
    rollout,
    span,
    tau2,
    with_parts,
)

from callscore.core.case import Group
from callscore.formats.reading import find_dialect, read_document
from callscore.formats.trace import ReadOptions

SAMPLES = Path(__file__).parents[1] / "samples"
ANSWERS = (".expected.json", ".schemas.json")


def turns_in(document: Any) -> list[int | None]:
    (trace,) = read_document(document, ReadOptions(leave_out=()))
    assert trace.calls is not None
    return [call.turn for call in trace.calls]


every_name = pytest.mark.parametrize("name", [*MESSAGES, *TEXTS, *MODELS])


@every_name
def test_a_conversation_is_cut_at_the_messages_of_the_user(name: str) -> None:
    document = document_of(name, TWO_TURNS)

    found = find_dialect(document)
    assert found is not None
    assert found.name == name.partition("/")[0]
    assert turns_in(document) == [0, 0, 1]


@every_name
def test_calls_after_one_message_have_no_turn(name: str) -> None:
    assert turns_in(document_of(name, ONE_TURN)) == [None, None]


@every_name
def test_a_question_that_follows_the_last_call_is_a_turn_without_calls(name: str) -> None:
    events = [*ONE_TURN, (ASK, "Thank you."), (SAY, "Bye.")]

    assert turns_in(document_of(name, events)) == [0, 0]


def test_calls_of_the_user_are_made_in_the_turn_that_they_answer() -> None:
    """The user does as told, and then says so."""
    call = {"id": "u1", "name": "toggle", "arguments": {}, "requestor": "user"}
    document = [
        *[tau2(event) for event in TWO_TURNS[:3]],
        tau2((SAY, "Toggle it.")),
        {"role": "user", "content": None, "tool_calls": [call]},
        {"role": "tool", "id": "u1", "content": "ok", "requestor": "user", "error": False},
        tau2((ASK, "Done.")),
        tau2((CALL, "c1")),
    ]

    assert turns_in({"id": "s", "task_id": "1", "messages": document}) == [0, 1]


def test_the_messages_of_a_snapshot_are_heard_once() -> None:
    messages = [ag_ui(event) for event in TWO_TURNS]
    document = [
        {"type": "RUN_STARTED", "threadId": "t", "runId": "r1"},
        {"type": "MESSAGES_SNAPSHOT", "messages": messages[:8]},
        {"type": "MESSAGES_SNAPSHOT", "messages": messages[:8]},
        {"type": "RUN_FINISHED", "threadId": "t", "runId": "r1"},
    ]

    assert turns_in(document) == [None, None]


def test_a_run_of_ag_ui_says_what_it_was_asked() -> None:
    messages = [ag_ui(event) for event in TWO_TURNS]
    document = []
    for run, (asked, call) in enumerate([(messages[:3], "c1"), (messages[:9], "c3")]):
        given = {"threadId": "t", "runId": f"r{run}", "messages": asked}
        named = {"toolCallId": call, "toolCallName": "f"}
        document += [
            {"type": "RUN_STARTED", "threadId": "t", "runId": f"r{run}", "input": given},
            {"type": "TOOL_CALL_START", **named},
            {"type": "TOOL_CALL_ARGS", "toolCallId": call, "delta": "{}"},
            {"type": "TOOL_CALL_END", "toolCallId": call},
        ]

    assert turns_in(document) == [0, 1]


def test_components_of_a_pipeline_repeat_what_was_asked() -> None:
    messages = [haystack(event) for event in ONE_TURN]
    document = {"llm": {"messages": messages[:4]}, "agent": {"messages": messages}}

    assert turns_in(document) == [None, None]


def test_agents_of_a_team_repeat_what_was_asked() -> None:
    events: list[Event] = [(ASK, "q"), (CALL, "c1"), (RESULT, "c1"), (SAY, "a")]
    kinds = {CALL: "AssistantMessage", RESULT: "FunctionExecutionResultMessage"}

    def state(call: str) -> dict[str, Any]:
        own = [(kind, call if value == "c1" else value) for kind, value in events]
        messages = [{**autogen(event), "type": kinds.get(event[0], "UserMessage")} for event in own]
        inner = {"type": "AssistantAgentState", "llm_context": {"messages": messages}}
        return {"type": "ChatAgentContainerState", "agent_state": inner}

    document = {"type": "TeamState", "agent_states": {"a": state("c1"), "b": state("c2")}}

    assert turns_in(document) == [None, None]


def test_prompts_for_sub_agents_are_no_turns() -> None:
    lines = [claude_code(event) for event in ONE_TURN]
    inner = {**claude_code((ASK, "Look into it.")), "isSidechain": True}

    assert turns_in([*lines[:5], inner, *lines[5:]]) == [None, None]


def test_what_a_program_writes_for_the_user_is_no_turn() -> None:
    lines = [claude_code(event) for event in ONE_TURN]
    added: list[dict[str, Any]] = [
        {**claude_code((ASK, "<system-reminder>")), "isMeta": True, "uuid": "u7"},
        {**claude_code((ASK, "<local-command-stdout>ok</local-command-stdout>")), "uuid": "u8"},
        lines[0],
    ]

    assert turns_in([*lines[:5], *added, *lines[5:]]) == [None, None]


def test_what_codex_adds_to_a_session_is_no_turn() -> None:
    lines = [rollout(event) for event in ONE_TURN]
    added = rollout((ASK, "<environment_context>\n</environment_context>"))

    assert turns_in([*lines[:4], added, *lines[4:]]) == [None, None]


def test_the_history_of_earlier_runs_is_no_turn() -> None:
    history = [{**agno(event), "from_history": True} for event in TWO_TURNS[:8]]
    own = [agno(event) for event in TWO_TURNS[8:]]

    assert turns_in({"run_id": "r", "agent_id": "a", "messages": [*history, *own]}) == [None]


def test_models_within_a_tool_are_asked_by_the_agent() -> None:
    """A sub-agent has a conversation of its own, which is longer than that of the user."""
    (first, second, last) = requests(ONE_TURN)
    inner = genai_span([chat(event) for event in TWO_TURNS[:9]], chat((CALL, "c9")), 3)
    tool = span({"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "ask"}, 2)
    inner["parent_id"] = "s2"
    document = [genai_span(*first, 1), tool, inner, genai_span(*second, 4), genai_span(*last, 5)]

    assert turns_in(document) == [None, None, None]


def test_the_traces_of_one_conversation_are_one_run() -> None:
    asked = requests(TWO_TURNS)
    spans = []
    for place, (received, answer) in enumerate(asked):
        found = genai_span(received, answer, place)
        found["attributes"]["gen_ai.conversation.id"] = "conv_1"
        is_first = place < len(asked) - 2
        found["context"]["trace_id"] = "t1" if is_first else "t2"
        spans.append(found)

    assert turns_in(spans) == [0, 0, 1]


def test_traces_of_different_conversations_are_different_runs() -> None:
    spans = []
    for place, (received, answer) in enumerate(requests(ONE_TURN)[:2]):
        found = genai_span(received, answer, place)
        found["attributes"]["gen_ai.conversation.id"] = f"conv_{place}"
        found["context"]["trace_id"] = f"t{place}"
        spans.append(found)

    assert [len(trace.calls or ()) for trace in read_document(spans)] == [1, 1]


def test_an_agent_that_is_invoked_again_answers_the_next_message() -> None:
    spans = []
    for number, (question, call) in enumerate([("How is Paris?", "c1"), ("And Lyon?", "c2")]):
        asked = [chat((ASK, question))]
        agent = span(
            {
                "gen_ai.operation.name": "invoke_agent",
                "gen_ai.conversation.id": "conv_1",
                "gen_ai.input.messages": [with_parts(message) for message in asked],
            },
            10 * number,
        )
        model = genai_span(asked, chat((CALL, call)), 10 * number + 1)
        model["parent_id"] = agent["context"]["span_id"]
        spans += [agent, model]

    assert turns_in(spans) == [0, 1]


def test_events_of_a_span_have_what_the_user_said() -> None:
    spans = []
    for number, (received, answer) in enumerate(requests(TWO_TURNS)):
        found = span({"gen_ai.operation.name": "chat"}, number)
        said = [(f"gen_ai.{each['role']}.message", each) for each in received]
        choice = ("gen_ai.choice", {"index": 0, "message": answer})
        found["events"] = [
            {
                "name": name,
                "attributes": {
                    key: value if isinstance(value, str) else msgspec.json.encode(value).decode()
                    for key, value in held.items()
                },
            }
            for name, held in (*said, choice)
        ]
        spans.append(found)

    assert turns_in(spans) == [0, 0, 1]


def test_a_run_of_a_thread_answers_what_the_user_added() -> None:
    steps = [
        {
            "id": f"step_{number}",
            "object": "thread.run.step",
            "created_at": number,
            "run_id": run,
            "step_details": {"type": "tool_calls", "tool_calls": chat((CALL, run))["tool_calls"]},
        }
        for number, run in enumerate(("run_1", "run_2"))
    ]

    assert turns_in({"object": "list", "data": steps}) == [0, 1]
    assert turns_in({"object": "list", "data": steps[:1]}) == [None]


def test_a_response_that_continues_another_is_a_turn_if_the_user_asks() -> None:
    asked: list[Any] = ["How is Paris?", [item((RESULT, "c1"))], "And Lyon?"]
    answers = [item((CALL, "c1")), item((SAY, "18.")), item((CALL, "c2"))]
    document = []
    for place, (given, answer) in enumerate(zip(asked, answers, strict=True)):
        body = {"input": given, "previous_response_id": f"resp_{place - 1}" if place else None}
        response = {"id": f"resp_{place}", "object": "response", "output": [answer]}
        document.append(
            {
                "request": {"method": "POST", "url": "https://x/v1/responses", "body": body},
                "response": {"status": {"code": 200}, "body": response},
            }
        )

    assert turns_in(document) == [0, 1]


def sample_paths() -> list[Path]:
    found = [*SAMPLES.glob("formats/*/*.json"), *SAMPLES.glob("recorded/*/*.json")]
    return sorted(path for path in found if not path.name.endswith(ANSWERS))


def test_the_turns_of_every_sample_never_go_back() -> None:
    cut = set()
    for path in sample_paths():
        document = msgspec.json.decode(path.read_bytes())
        for trace in read_document(document, ReadOptions(leave_out=())):
            turns = [call.turn for call in trace.calls or ()]
            known = [turn for turn in turns if turn is not None]
            assert known in ([], turns), path
            assert known == sorted(known), path
            assert all(turn >= 0 for turn in known), path
            cut |= {path.parent.name} if known else set()
    assert {"adk_events", "bfcl", "tau_bench", "openai_responses"} <= cut


@pytest.mark.parametrize("name", ["formats/adk_evalset", "recorded/adk_evalset"])
def test_what_samples_expect_in_turns_is_in_groups(name: str) -> None:
    groups = 0
    for path in SAMPLES.glob(f"{name}/*.json"):
        if path.name.endswith(ANSWERS):
            continue
        for trace in read_document(msgspec.json.decode(path.read_bytes())):
            found = [isinstance(part, Group) for part in trace.expected or ()]
            assert all(found) or not any(found), path
            groups += sum(found)
    assert groups
