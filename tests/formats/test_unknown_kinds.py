"""Items that look like calls, of kinds that their format does not know, beside calls that it reads."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import msgspec
import pytest

from callscore.documents import read_documents
from callscore.errors import InvalidCall
from callscore.formats.dialect import dialect_named
from callscore.formats.reading import find_dialect, read_as, read_document
from callscore.formats.trace import ReadOptions
from callscore.formats.unknown_kinds import is_unknown_call, place_of

SAMPLES = Path(__file__).parents[1] / "samples"
ANSWERS = (".expected.json", ".schemas.json")
NAMES = sorted(
    path.relative_to(SAMPLES / "formats").as_posix()
    for path in (SAMPLES / "formats").rglob("*.json")
    if not path.name.endswith(ANSWERS)
)
RECORDED = [
    entry["file"] for entry in msgspec.json.decode((SAMPLES / "recorded/INDEX.json").read_bytes())
]

# --- one document for each format that tells kinds of items apart ------------------------------

CITY = {"city": "Paris"}
NEW: dict[str, Any] = {"type": "teleport_call", "id": "new_1", "target": "Mars"}
NEW_BLOCK = {"type": "quantum_tool_use", "id": "new_1", "target": "Mars"}
CHAT_CALL = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "get_weather", "arguments": '{"city": "Paris"}'},
}
GIZMO = {"id": "call_2", "type": "gizmo", "gizmo": {"target": "Mars"}}
ITEM = {
    "type": "function_call",
    "call_id": "call_1",
    "name": "get_weather",
    "arguments": '{"city": "Paris"}',
}
BLOCK = {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": CITY}
TOOL_USE = {"toolUse": {"toolUseId": "1", "name": "get_weather", "input": CITY}}
FUNCTION_CALL = {"functionCall": {"name": "get_weather", "args": CITY}}
NEW_PART = {"teleportCall": {"target": "Mars"}}


def chat_chunk(call: dict[str, Any], index: int) -> dict[str, Any]:
    delta = {"tool_calls": [{"index": index, **call}]}
    return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta}]}


def bedrock_start(place: int, block: dict[str, Any]) -> dict[str, Any]:
    return {"contentBlockStart": {"contentBlockIndex": place, "start": block}}


def codex_item(item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "response_item", "payload": item}


def codex_event(item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "item.completed", "item": item}


def agents_span(data: dict[str, Any]) -> dict[str, Any]:
    return {"object": "trace.span", "trace_id": "1", "span_data": data}


def otel_span(parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    messages = msgspec.json.encode([{"role": "assistant", "parts": parts}]).decode()
    attributes = {"gen_ai.operation.name": "chat", "gen_ai.output.messages": messages}
    return [
        {"name": "chat", "context": {"trace_id": "1", "span_id": "2"}, "attributes": attributes}
    ]


# The format, the document, the unknown kind, and where it is; None in a text within the document.
DOCUMENTS: dict[str, tuple[str, Any, str, str | None]] = {
    "responses": (
        "openai_responses",
        {"object": "response", "output": [ITEM, NEW]},
        "teleport_call",
        "$.output[1]",
    ),
    "responses stream": (
        "openai_responses",
        [
            {"type": "response.output_item.done", "output_index": 0, "item": ITEM},
            {"type": "response.output_item.done", "output_index": 1, "item": NEW},
        ],
        "teleport_call",
        "$[1].item",
    ),
    "responses, another name": (
        "openai_responses",
        [ITEM, {"type": "teleport", "name": "go", "arguments": "{}"}],
        "teleport",
        "$[1]",
    ),
    "agents items": (
        "openai_agents",
        [
            {"type": "tool_call_item", "raw_item": ITEM},
            {"type": "tool_call_item", "raw_item": NEW},
        ],
        "teleport_call",
        "$[1].raw_item",
    ),
    "agents trace": (
        "openai_agents_trace",
        [
            agents_span({"type": "function", "name": "get_weather", "input": "{}"}),
            agents_span(NEW),
        ],
        "teleport_call",
        "$[1].span_data",
    ),
    "chat response": (
        "openai_chat",
        {
            "choices": [
                {"message": {"role": "assistant", "tool_calls": [CHAT_CALL, GIZMO]}},
            ]
        },
        "gizmo",
        "$.choices[0].message.tool_calls[1]",
    ),
    "chat conversation": (
        "openai_chat",
        [
            {"role": "user", "content": "How is the weather?"},
            {"role": "assistant", "content": None, "tool_calls": [CHAT_CALL, GIZMO]},
        ],
        "gizmo",
        "$[1].tool_calls[1]",
    ),
    "chat content": (
        "openai_chat",
        [{"role": "assistant", "content": [NEW], "tool_calls": [CHAT_CALL]}],
        "teleport_call",
        "$[0].content[0]",
    ),
    "chat stream": (
        "openai_stream",
        [chat_chunk(CHAT_CALL, 0), chat_chunk(GIZMO, 1)],
        "gizmo",
        None,
    ),
    "assistants": (
        "openai_assistants",
        {
            "object": "thread.run.step",
            "step_details": {"type": "tool_calls", "tool_calls": [CHAT_CALL, GIZMO]},
        },
        "gizmo",
        "$.step_details.tool_calls[1]",
    ),
    "anthropic": (
        "anthropic",
        {"type": "message", "role": "assistant", "content": [BLOCK, NEW_BLOCK]},
        "quantum_tool_use",
        "$.content[1]",
    ),
    "anthropic stream": (
        "anthropic_stream",
        [
            {"type": "content_block_start", "index": 0, "content_block": BLOCK},
            {"type": "content_block_start", "index": 1, "content_block": NEW_BLOCK},
        ],
        "quantum_tool_use",
        "$[1].content_block",
    ),
    "managed agents": (
        "anthropic_managed_agents",
        [
            {
                "type": "agent.custom_tool_use",
                "id": "1",
                "name": "get_weather",
                "input": CITY,
                "processed_at": "2026-07-06T16:26:35Z",
            },
            {"type": "agent.quantum_tool_use", "id": "2", "processed_at": "2026-07-06T16:26:36Z"},
        ],
        "agent.quantum_tool_use",
        "$[1]",
    ),
    "claude code": (
        "claude_code",
        [
            {
                "type": "assistant",
                "sessionId": "1",
                "message": {"role": "assistant", "content": [BLOCK, NEW_BLOCK]},
            }
        ],
        "quantum_tool_use",
        "$[0].message.content[1]",
    ),
    "codex rollout": (
        "codex",
        [codex_item(ITEM), codex_item(NEW)],
        "teleport_call",
        "$[1].payload",
    ),
    "codex events": (
        "codex",
        [
            codex_event({"type": "command_execution", "id": "1", "command": "ls"}),
            codex_event({"type": "teleport_execution", "id": "2"}),
        ],
        "teleport_execution",
        "$[1].item",
    ),
    "codex messages": (
        "codex",
        [
            {"msg": {"type": "exec_command_begin", "call_id": "1", "command": ["ls"]}},
            {"msg": {"type": "quantum_tool_call_begin", "call_id": "2"}},
        ],
        "quantum_tool_call",
        "$[1].msg",
    ),
    "cline": (
        "cline",
        [
            {"role": "user", "content": [{"type": "text", "text": "<task>\nGo.\n</task>"}]},
            {"role": "assistant", "content": [BLOCK, NEW_BLOCK]},
        ],
        "quantum_tool_use",
        "$[1].content[1]",
    ),
    "cline interface": (
        "cline_ui",
        [
            {"ts": 1, "type": "say", "say": "command", "text": "ls"},
            {"ts": 2, "type": "say", "say": "quantum_tool_use", "text": "{}"},
        ],
        "quantum_tool_use",
        None,
    ),
    "gemini": (
        "gemini",
        {"candidates": [{"content": {"role": "model", "parts": [FUNCTION_CALL, NEW_PART]}}]},
        "teleportCall",
        "$.candidates[0].content.parts[1].teleportCall",
    ),
    "gemini conversation": (
        "gemini",
        {"contents": [{"role": "model", "parts": [FUNCTION_CALL, NEW_PART]}]},
        "teleportCall",
        "$.contents[0].parts[1].teleportCall",
    ),
    "gemini live": (
        "gemini_live",
        [
            {"toolCall": {"functionCalls": [{"name": "get_weather", "args": CITY, "id": "1"}]}},
            {"serverContent": {"modelTurn": {"parts": [NEW_PART]}}},
        ],
        "teleportCall",
        "$[1].serverContent.modelTurn.parts[0].teleportCall",
    ),
    "gemini interactions": (
        "gemini_interactions",
        {
            "object": "interaction",
            "steps": [
                {"type": "function_call", "id": "1", "name": "get_weather", "arguments": CITY},
                NEW,
            ],
        },
        "teleport_call",
        "$.steps[1]",
    ),
    "gemini cli": (
        "gemini_cli",
        [
            {"type": "tool_use", "tool_name": "get_weather", "tool_id": "1", "parameters": CITY},
            {"type": "quantum_tool_use", "tool_id": "2", "timestamp": "2026-01-01"},
        ],
        "quantum_tool_use",
        "$[1]",
    ),
    "adk events": (
        "adk_events",
        [
            {
                "author": "agent",
                "invocationId": "1",
                "content": {"role": "model", "parts": [FUNCTION_CALL, NEW_PART]},
            }
        ],
        "teleportCall",
        "$[0].content.parts[1].teleportCall",
    ),
    "vercel messages": (
        "vercel_messages",
        [
            {
                "role": "assistant",
                "content": [
                    {
                        "type": "tool-call",
                        "toolCallId": "1",
                        "toolName": "get_weather",
                        "input": CITY,
                    },
                    {"type": "teleport-call", "toolCallId": "2"},
                ],
            }
        ],
        "teleport-call",
        "$[0].content[1]",
    ),
    "langchain": (
        "langchain",
        {
            "type": "ai",
            "content": [NEW],
            "tool_calls": [{"name": "get_weather", "args": CITY, "id": "1", "type": "tool_call"}],
            "invalid_tool_calls": [],
        },
        "teleport_call",
        "$.content[0]",
    ),
    "langchain, wrapped": (
        "langchain",
        {
            "type": "ai",
            "content": [{"type": "non_standard", "value": NEW}],
            "tool_calls": [{"name": "get_weather", "args": CITY, "id": "1", "type": "tool_call"}],
            "invalid_tool_calls": [],
        },
        "teleport_call",
        "$.content[0].value",
    ),
    "otel": (
        "otel_genai",
        otel_span(
            [{"type": "tool_call", "id": "1", "name": "get_weather", "arguments": CITY}, NEW]
        ),
        "teleport_call",
        None,
    ),
    "pydantic ai": (
        "pydantic_ai",
        [
            {
                "kind": "response",
                "parts": [
                    {"part_kind": "tool-call", "tool_name": "get_weather", "args": CITY},
                    {"part_kind": "teleport-call", "target": "Mars"},
                ],
            }
        ],
        "teleport-call",
        "$[0].parts[1]",
    ),
    "pydantic ai events": (
        "pydantic_ai",
        [
            {
                "event_kind": "function_tool_call",
                "part": {"part_kind": "tool-call", "tool_name": "get_weather", "args": CITY},
            },
            {"event_kind": "quantum_tool_call", "part": {"target": "Mars"}},
        ],
        "quantum_tool_call",
        "$[1].part",
    ),
    "bedrock": (
        "bedrock",
        {
            "output": {
                "message": {
                    "role": "assistant",
                    "content": [TOOL_USE, {"quantumToolUse": {"target": "Mars"}}],
                }
            },
            "stopReason": "tool_use",
        },
        "quantumToolUse",
        "$.output.message.content[1].quantumToolUse",
    ),
    "bedrock stream": (
        "bedrock",
        [
            bedrock_start(0, {"toolUse": {"toolUseId": "1", "name": "get_weather"}}),
            bedrock_start(1, {"quantumToolUse": {"target": "Mars"}}),
        ],
        "quantumToolUse",
        None,
    ),
    "strands": (
        "strands",
        [{"role": "assistant", "content": [TOOL_USE, {"quantumToolUse": {"target": "Mars"}}]}],
        "quantumToolUse",
        "$[0].content[1].quantumToolUse",
    ),
    "bedrock agents": (
        "bedrock_agents",
        [
            {
                "trace": {
                    "orchestrationTrace": {
                        "invocationInput": {
                            "traceId": "1",
                            "actionGroupInvocationInput": {"function": "get_weather"},
                            "teleportInvocationInput": {"target": "Mars"},
                        }
                    }
                }
            }
        ],
        "teleportInvocationInput",
        "$[0].trace.orchestrationTrace.invocationInput.teleportInvocationInput",
    ),
    "mistral": (
        "mistral",
        {
            "object": "conversation.response",
            "outputs": [
                {
                    "type": "function.call",
                    "tool_call_id": "1",
                    "name": "get_weather",
                    "arguments": "{}",
                },
                {"type": "teleport.execution", "id": "2"},
            ],
        },
        "teleport.execution",
        "$.outputs[1]",
    ),
    "cohere": (
        "cohere",
        {
            "message": {
                "role": "assistant",
                "tool_plan": "I look.",
                "tool_calls": [CHAT_CALL, GIZMO],
            }
        },
        "gizmo",
        "$.message.tool_calls[1]",
    ),
    "cohere, version 1": (
        "cohere",
        {
            "text": "",
            "generation_id": "1",
            "tool_calls": [{"name": "get_weather", "parameters": CITY}, GIZMO],
        },
        "gizmo",
        "$.tool_calls[1]",
    ),
    "azure evaluation": (
        "azure_evaluation",
        [
            {
                "role": "assistant",
                "content": [
                    {
                        "type": "tool_call",
                        "tool_call_id": "1",
                        "name": "get_weather",
                        "arguments": CITY,
                    },
                    NEW,
                ],
            }
        ],
        "teleport_call",
        "$[0].content[1]",
    ),
    "inspect": (
        "inspect_log",
        [
            {
                "role": "assistant",
                "content": [NEW],
                "tool_calls": [
                    {"id": "1", "type": "function", "function": "get_weather", "arguments": CITY}
                ],
            }
        ],
        "teleport_call",
        "$[0].content[0]",
    ),
    "goose": (
        "goose",
        [
            {
                "role": "assistant",
                "created": 1,
                "content": [
                    {
                        "type": "toolRequest",
                        "id": "1",
                        "toolCall": {"value": {"name": "get_weather", "arguments": CITY}},
                    },
                    {"type": "quantumToolRequest", "id": "2"},
                ],
            }
        ],
        "quantumToolRequest",
        "$[0].content[1]",
    ),
    "opencode": (
        "opencode",
        {
            "info": {"id": "1"},
            "messages": [
                {
                    "info": {"id": "2", "role": "assistant"},
                    "parts": [
                        {
                            "type": "tool",
                            "tool": "get_weather",
                            "state": {"status": "completed", "input": CITY},
                        },
                        NEW,
                    ],
                }
            ],
        },
        "teleport_call",
        None,
    ),
    "openhands": (
        "openhands_sdk",
        [
            {"kind": "ActionEvent", "source": "agent", "tool_name": "get_weather", "action": {}},
            {"kind": "QuantumToolCallEvent", "source": "agent"},
        ],
        "QuantumToolCallEvent",
        "$[1]",
    ),
    "autogen": (
        "autogen",
        [
            {
                "type": "ToolCallRequestEvent",
                "source": "agent",
                "content": [{"id": "1", "name": "get_weather", "arguments": "{}"}],
            },
            {"type": "QuantumToolCallEvent", "source": "agent", "content": []},
        ],
        "QuantumToolCallEvent",
        "$[1]",
    ),
    "haystack": (
        "haystack",
        [
            {
                "_role": "assistant",
                "_content": [
                    {"tool_call": {"tool_name": "get_weather", "arguments": CITY, "id": "1"}},
                    {"teleport_call": {"target": "Mars"}},
                ],
            }
        ],
        "teleport_call",
        "$[0]._content[1].teleport_call",
    ),
    "semantic kernel": (
        "semantic_kernel",
        [
            {
                "Role": {"Label": "assistant"},
                "Items": [
                    {
                        "$type": "FunctionCallContent",
                        "Id": "1",
                        "FunctionName": "get_weather",
                        "Arguments": CITY,
                    },
                    {"$type": "QuantumToolCallContent", "Id": "2"},
                ],
            }
        ],
        "QuantumToolCallContent",
        "$[0].Items[1]",
    ),
    "llamaindex": (
        "llamaindex",
        [
            {
                "role": "assistant",
                "additional_kwargs": {},
                "blocks": [
                    {
                        "block_type": "tool_call",
                        "tool_call_id": "1",
                        "tool_name": "get_weather",
                        "tool_kwargs": CITY,
                    },
                    {"block_type": "teleport_call", "target": "Mars"},
                ],
            }
        ],
        "teleport_call",
        "$[0].blocks[1]",
    ),
    "agno": (
        "agno",
        [
            {
                "event": "ToolCallStarted",
                "run_id": "1",
                "agent_id": "a",
                "tool": {"tool_name": "get_weather", "tool_args": CITY},
            },
            {"event": "QuantumToolCall", "run_id": "1", "agent_id": "a", "tool": {}},
        ],
        "QuantumToolCall",
        None,
    ),
    "crewai": (
        "crewai",
        [
            {"type": "tool_usage_started", "tool_name": "get_weather", "tool_args": CITY},
            {"type": "quantum_tool_use"},
        ],
        "quantum_tool_use",
        None,
    ),
    "sharegpt": (
        "sharegpt",
        {
            "conversations": [
                {"from": "human", "value": "How is the weather?"},
                {"from": "function_call", "value": '{"name": "get_weather", "arguments": {}}'},
                {"from": "teleport_call", "value": "Mars"},
            ]
        },
        "teleport_call",
        None,
    ),
}
every_format = pytest.mark.parametrize(
    ("name", "document", "kind", "place"), DOCUMENTS.values(), ids=DOCUMENTS.keys()
)


@every_format
def test_a_call_of_an_unknown_kind_is_named_beside_the_one_that_is_read(
    name: str, document: Any, kind: str, place: str | None
) -> None:
    found, notes = find_dialect(document), list[str]()
    assert found is not None
    assert found.name == name

    traces = read_as(found, document, ReadOptions(on_unread=notes.append))

    calls = [call.name for trace in traces for call in trace.any_calls]
    assert [called for called in calls if called] == [calls[0]]
    where = "" if place is None else f" at {place}"
    assert notes == [f"'{kind}'{where} looks like a call of an unknown kind."]


@every_format
def test_a_call_of_an_unknown_kind_is_an_error_if_the_options_are_strict(
    name: str, document: Any, kind: str, place: str | None
) -> None:
    where = "" if place is None else f" at {place}"
    with pytest.raises(InvalidCall) as caught:
        read_as(dialect_named(name), document, ReadOptions(strict=True))

    problem = f"'{kind}'{where} looks like a call of an unknown kind. It was not read."
    assert str(caught.value) == problem


def test_a_kind_is_named_once() -> None:
    notes: list[str] = []

    read_document([ITEM, NEW, NEW, copy.deepcopy(NEW)], ReadOptions(on_unread=notes.append))

    assert notes == ["'teleport_call' at $[1] looks like a call of an unknown kind."]


def test_a_document_whose_only_call_is_of_an_unknown_kind_is_named_once() -> None:
    notes: list[str] = []

    read_document({"object": "response", "output": [NEW]}, ReadOptions(on_unread=notes.append))

    (note,) = notes
    assert note.startswith("'type: teleport_call' at $.output[0] looks like a call.")


def test_a_dialect_that_is_read_directly_says_so_at_once() -> None:
    notes: list[str] = []

    dialect_named("openai_responses").read([ITEM, NEW], ReadOptions(on_unread=notes.append))

    assert notes == ["'teleport_call' looks like a call of an unknown kind."]


@pytest.mark.parametrize(
    "kind",
    [
        *("teleport_call", "tool-call", "QuantumToolCall", "toolUse", "remote.execution"),
        *("fooCall", "call", "mcp_tool_request", "ToolCallRequestEvent_call_item", "tool_use_v2"),
    ],
)
def test_a_kind_that_ends_like_a_call_is_one(kind: str) -> None:
    assert is_unknown_call(kind)


@pytest.mark.parametrize(
    "kind",
    [
        *("function_call_output", "tool_result", "tool-call-delta", "mcp_approval_request"),
        *("toolConfirmationRequest", "tool_use_summary", "llm_call", "model_call"),
        *("tool_call_response", "llm_call_started", "text", "message", "", None, 3, [], {}),
    ],
)
def test_a_kind_of_results_pieces_and_permissions_is_none(kind: Any) -> None:
    assert not is_unknown_call(kind, {"name": "f", "arguments": {}} if kind else None)


def test_a_word_that_only_ends_like_a_call_is_none() -> None:
    assert not is_unknown_call("recall")


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ({"name": "f", "arguments": {}}, True),
        ({"toolName": "f", "input": '{"a": 1}'}, True),
        ({"name": "f", "arguments": "free text"}, False),
        ({"name": "", "arguments": {}}, False),
        ({"name": "f"}, False),
        ([], False),
    ],
)
def test_an_item_with_a_name_and_arguments_is_a_call_of_any_kind(
    item: Any, *, expected: bool
) -> None:
    assert is_unknown_call("teleport", item) is expected


def test_the_place_of_an_item_is_that_of_the_same_object() -> None:
    item = {"a": 1}

    assert place_of(item, {"x y": [{"a": 1}, item]}) == "$['x y'][1]"
    assert place_of(item, {"x": [{"a": 1}]}) is None


# --- no false alarms ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_nothing_in_a_sample_looks_like_an_unread_call(name: str) -> None:
    document = msgspec.json.decode((SAMPLES / "formats" / name).read_bytes())
    notes: list[str] = []

    read_document(document, ReadOptions(on_unread=notes.append))

    assert notes == []


@pytest.mark.parametrize("file", RECORDED)
def test_nothing_in_a_recorded_file_looks_like_an_unread_call(file: str) -> None:
    notes: list[str] = []

    for document in read_documents(SAMPLES / "recorded" / file):
        read_as(document.dialect, document.value, ReadOptions(on_unread=notes.append))

    assert notes == []


def test_of_many_kinds_the_first_are_named_and_the_others_counted() -> None:
    items = [{"type": f"x{number}_call"} for number in range(5_000)]
    call = {"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}"}
    notes: list[str] = []
    read_document(
        {"object": "response", "output": [call, *items]}, ReadOptions(on_unread=notes.append)
    )
    assert len(notes) == 21
    assert notes[0].startswith("'x0_call' at $.output[1]")
    assert notes[-1] == "Items of 4980 other kinds look like calls, too."
