"""What looks like calls in a document without calls is found, and nothing else is."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from callscore.errors import InvalidCall, UnreadCalls
from callscore.formats import unread
from callscore.formats.dialect import dialect_named
from callscore.formats.reading import note_unread, read_as, read_document, read_named
from callscore.formats.trace import ReadOptions, noted_at, read_options_for
from callscore.formats.unread import find_sign, is_call_kind, warn_unread


def answer(content: Any, **fields: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"role": "assistant", "content": content, **fields}}]}


CONTENT = "$.choices[0].message.content"
MARKS = {
    "Sure. <tool_call>f": "<tool_call>",
    "Sure. <tool_calls>f": "<tool_calls>",
    "<|tool_call_begin|>f": "<|tool_call_begin|>",
    "<function_call> f": "<function_call>",
    "<functioncall> f": "<functioncall>",
    "<function=f>": "<function=",
    '<invoke name="f">': "<invoke name=",
    "<tool_use> f": "<tool_use>",
    "[TOOL_CALLS] f": "[TOOL_CALLS]",
    "[TOOL_CALL] f": "[TOOL_CALL]",
    "<minimax:tool_call> f": "<minimax:tool_call>",
    "<\uff5cDSML\uff5cfunction_calls> f": "<\uff5cDSML\uff5cfunction_calls>",
    "<tool-call name=f": "<tool-call name=f",
    "Cut off: <tool_call f\nx": "<tool_call f",
    "<|python_tag|>f": "<|python_tag|>",
    "<\uff5ctool\u2581calls\u2581begin\uff5c>": "<\uff5ctool",
    "<|channel|>commentary to=functions.f": "to=functions.",
    "Thought: look\nAction: f\nAction Input: {}": "Action:",
    "Thought: look\nAction 2: f\nAction Input 2: x": "Action 2:",
    'Here: "function_call": {"name": "f"}': '"function_call": {',
    "Here: {'tool_calls': [{'name': 'f'}]}": "'tool_calls': [{",
    'I call {"name": "f", "arguments": {}} now': '{"name": "f", "arguments":',
    'I call {"tool": "f", "tool_input": 1} now': '{"tool": "f", "tool_input":',
}


@pytest.mark.parametrize("text", MARKS)
def test_a_mark_in_text_is_found_with_its_place(text: str) -> None:
    sign = find_sign(answer(text))

    assert sign is not None
    assert (sign.path, sign.what, sign.value) == (CONTENT, MARKS[text], text)


FIELDS: list[tuple[Any, str, str]] = [
    ({"message": {"toolcalls": [{"id": "1"}]}}, "$.message", "toolcalls"),
    ({"a": [{"function_call": {"name": "f"}}]}, "$.a[0]", "function_call"),
    ({"my-step": {"ToolUses": ["f"]}}, "$['my-step']", "ToolUses"),
    ({"function_call": '{"name": "f"}'}, "$", "function_call"),
    ({"tool_name": "f"}, "$", "tool_name"),
    ({"toolCallId": "call_1"}, "$", "toolCallId"),
    ({"output": [{"type": "banana_call"}]}, "$.output[0]", "type: banana_call"),
    ({"part_kind": "tool-call"}, "$", "part_kind: tool-call"),
    ({"$type": "FunctionCallContent"}, "$", "$type: FunctionCallContent"),
    ({"event": "ToolCallRequestEvent"}, "$", "event: ToolCallRequestEvent"),
    ({"finish_reason": "tool_calls"}, "$", "finish_reason: tool_calls"),
    ({"stopReason": "tool_use"}, "$", "stopReason: tool_use"),
    ({"run_type": "tool"}, "$", "run_type: tool"),
    (
        {"attributes": {"openinference.span.kind": "TOOL"}},
        "$.attributes",
        "openinference.span.kind: TOOL",
    ),
    ({"key": "gen_ai.tool.name"}, "$", "key: gen_ai.tool.name"),
    (
        {"attributes": {"mlflow.spanType": '"TOOL"'}},
        "$.attributes",
        'mlflow.spanType: "TOOL"',
    ),
    ({"method": "tools/call"}, "$", "method: tools/call"),
    ({"steps": [{"name": "f", "args": {"x": 1}}]}, "$.steps[0]", "name and args"),
    ({"tool": "f", "tool_input": '{"x": 1}'}, "$", "tool and tool_input"),
    (
        {"calls_v2": [{"function": {"name": "f", "arguments": "{x"}}]},
        "$.calls_v2[0].function",
        "name and arguments",
    ),
    ({"body": '{"tool_calls": [{"id": "1"}]}'}, "$.body", "tool_calls"),
    ({"input": {"tool_calls": [{"id": 1}]}}, "$.input", "tool_calls"),
]


@pytest.mark.parametrize(("document", "path", "what"), FIELDS)
def test_a_field_is_found_with_its_place(document: Any, path: str, what: str) -> None:
    sign = find_sign(document)

    assert sign is not None
    assert (sign.path, sign.what) == (path, what)


DEFINITION = {"name": "f", "description": "Finds.", "parameters": {"type": "object"}}
NO_SIGNS: dict[str, Any] = {
    "definitions": {"tools": [{"name": "f", "arguments": {"x": 1}}]},
    "a definition": DEFINITION,
    "a definition with properties": {"name": "f", "parameters": {"properties": {}}},
    "a definition of a tool without parameters": {
        "name": "f",
        "description": None,
        "parameters": {},
    },
    "a choice of tools": {"tool_choice": {"function_call": {"name": "f"}}},
    "usage": {"usage": {"tool_calls": {"count": 1}}},
    "counts": {"num_tool_calls": ["f"], "tool_call_count": ["f"], "max_tool_calls": ["f"]},
    "options": {"parallel_tool_calls": ["f"], "tool_call_parser": "[hermes]"},
    "the question of a user": {"role": "user", "content": "Say <tool_call>f"},
    "instructions": {"role": "system", "content": "Write <tool_call> to call"},
    "a result": {"role": "tool", "content": "<tool_call>f"},
    "a turn of a human": {"from": "human", "value": "<tool_call>f"},
    "a prompt": {"prompt": "Write <tool_call> to call", "reasoning": "I may <tool_call>"},
    "thoughts": answer("<think>Shall I <tool_call>?</think>No."),
    "thoughts without a beginning": answer("Shall I <tool_call>?</think>No."),
    "thoughts without an end": answer("No.<think>Shall I <tool_call>?"),
    "empty fields": {
        "tool_calls": [],
        "function_call": {"name": "", "arguments": None},
        "toolUses": None,
        "tool_name": "",
        "toolCalls": [None, {}, ""],
    },
    "a text under a key of calls": {"tool_calls": "none were needed"},
    "an input beside the output": {
        "input": {"tool_calls": [{"id": "1"}]},
        "output": {"content": "Hi"},
    },
    "the input of a span": {"llm.input_messages.0.message.tool_calls": [{"id": "1"}]},
    "other kinds": {"type": "message", "kind": "text", "finish_reason": "stop", "run_type": "llm"},
    "numbers and nulls": {"type": 5, "finish_reason": None, "name": 7, "arguments": {"x": None}},
    "an empty name": {"name": "", "args": {"x": 1}},
    "plain words": answer("I take action: I call her, (really) [1] {x} <b>"),
    "an action without input": answer("Action: none"),
    "a fence without a tool": answer("```bash\nls -l\n```"),
    "a scalar": 5,
    "nothing": None,
}


@pytest.mark.parametrize("name", NO_SIGNS)
def test_a_document_without_a_call_has_no_sign_of_one(name: str) -> None:
    assert find_sign(NO_SIGNS[name], lambda: {"f"}) is None


@pytest.mark.parametrize(
    "text",
    [
        "```bash\nsearch --query x\n```",
        "```\n$ search x",
        "Do:\n```python\nimport os\nsearch(x=1)\n```",
        '```json\n{"a": 1}\n```\n```sh\n> search\n```',
    ],
)
def test_fenced_code_that_calls_a_tool_is_found(text: str) -> None:
    sign = find_sign(answer(text), lambda: {"search"})

    assert sign is not None
    assert (sign.path, sign.what) == (CONTENT, "``` with search")


def test_a_place_says_where_the_calls_are_and_not_why_the_model_stopped() -> None:
    document = answer(None, toolcalls=[{"id": "1"}])
    document["choices"][0]["finish_reason"] = "tool_calls"

    sign = find_sign(document)

    assert sign is not None
    assert (sign.path, sign.what) == ("$.choices[0].message", "toolcalls")


def test_the_first_sign_is_the_first_in_the_document() -> None:
    document = {"a": {"toolcalls": ["f"]}, "b": {"toolcalls": ["g"]}, "finish_reason": "tool_calls"}

    sign = find_sign(document)

    assert sign is not None
    assert sign.path == "$.a"


def test_only_the_answer_that_was_read_counts() -> None:
    choices = [{"message": {"content": text}} for text in ("No.", "<tool_call>f")]

    assert find_sign({"choices": choices}) is None
    found = find_sign({"choices": choices}, candidate=1)
    assert found is not None
    assert found.path == "$.choices[1].message.content"


def test_a_text_in_a_notation_of_calls_is_found_unless_it_is_the_whole_document() -> None:
    text = "[f(x=1)]"

    found = find_sign({"text": text}, is_calls=lambda given: given == text)

    assert found is not None
    assert (found.path, found.what) == ("$.text", "text in a notation of calls")
    assert find_sign(text, is_calls=lambda _: True) is None
    assert find_sign({"text": text}, is_calls=lambda _: False) is None


def test_a_long_document_is_searched_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    document = [*[{"a": 1}] * 10, {"toolcalls": ["f"]}]

    assert find_sign(document) is not None
    monkeypatch.setattr(unread, "_MAX_NODES", 10)
    assert find_sign(document) is None


def test_a_long_text_is_searched_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    document = answer("no " * 10 + "<tool_call>")

    assert find_sign(document) is not None
    monkeypatch.setattr(unread, "_MAX_TEXT", 20)
    assert find_sign(document) is None


def test_a_document_that_is_nested_deeply_is_searched() -> None:
    document: Any = {"toolcalls": ["f"]}
    for _ in range(5_000):
        document = [document]

    sign = find_sign(document)

    assert sign is not None
    assert sign.path == "$" + "[0]" * 5_000


@pytest.mark.parametrize(
    "kind",
    ["web_search_call", "tool-call", "toolUse", "FunctionCall", "tool_invocation", "mcp_call"],
)
def test_kinds_of_calls(kind: str) -> None:
    assert is_call_kind(kind)


@pytest.mark.parametrize(
    "kind", ["message", "reasoning", "mcp_call_output", "callback", "", 5, None]
)
def test_other_kinds(kind: object) -> None:
    assert not is_call_kind(kind)


def test_a_warning_says_that_it_was_not_read_and_points_at_the_caller() -> None:
    with pytest.warns(UnreadCalls, match=r"^\$\.a looks like a call\. It was not read\.$") as noted:
        warn_unread("$.a looks like a call.")

    assert noted[0].filename == __file__


# --- what is noted when a document is read --------------------------------------------------------


def noted_in(document: Any, **options: Any) -> list[str]:
    noted: list[str] = []
    read_document(document, read_options_for(on_unread=noted.append, **options))
    return noted


def test_a_note_names_the_place_and_the_likely_format() -> None:
    text = "Thought: x\nAction: f\nAction Input: {"
    calls = {"type": "tool_use", "id": "1", "name": "f", "input": {}}
    document = {"object": "response", "output": [{"type": "message", "extra": [calls]}]}

    (in_text,) = noted_in({"choices": [{"text": text, "message": {"role": "assistant"}}]})
    (in_field,) = noted_in(document)

    assert in_text == "'Action:' at $.choices[0].text looks like a call. Likely format: text_react."
    assert in_field == (
        "'type: tool_use' at $.output[0].extra[0] looks like a call. Likely format: anthropic."
    )


def test_a_note_names_the_recognized_format_if_no_other_is_likely() -> None:
    (note,) = noted_in(answer(None, toolcalls=[{"id": "1"}]))

    assert note == (
        "'toolcalls' at $.choices[0].message looks like a call. Recognized format: openai_chat."
    )


def test_a_document_whose_calls_were_read_gets_no_note() -> None:
    call = {"id": "1", "function": {"name": "f", "arguments": "{}"}}

    assert noted_in(answer("<tool_call>g", tool_calls=[call])) == []


def test_calls_that_are_left_out_were_read() -> None:
    hosted = {"object": "response", "output": [{"type": "web_search_call", "id": "1"}]}
    dialect = dialect_named("openai_responses")
    strict = read_options_for(leave_out="hosted", strict=True)

    assert noted_in(hosted, leave_out="hosted") == []
    for read in (read_as, read_named):
        (trace,) = read(dialect, hosted, strict)
        assert trace.calls == ()


def test_the_tools_of_a_document_may_be_called_in_fenced_code() -> None:
    tools = [{"type": "function", "function": {"name": "search", "parameters": {}}}]
    message = {"role": "assistant", "content": "```bash\nsearch x\n```"}
    document = {"messages": [message], "tools": tools}

    (note,) = noted_in(document)

    assert note.startswith("'``` with search' at $.messages[0].content looks like a call.")
    assert noted_in({"messages": [message]}) == []


EXPECTED = [{"name": "f", "args": {}}]


def test_actual_calls_are_searched_for_beside_expected_calls() -> None:
    messages = [{"type": "ai", "content": "", "toolcalls": [{"name": "f", "args": {}}]}]

    (note,) = noted_in({"user_input": messages, "reference_tool_calls": EXPECTED})

    assert note.startswith("'toolcalls' at $.user_input[0] looks like a call.")


def test_expected_calls_are_not_taken_for_actual_calls() -> None:
    messages = [{"type": "ai", "content": "No."}]
    document = {"user_input": messages, "reference_tool_calls": EXPECTED}

    assert noted_in(document) == []
    assert find_sign(document) is not None
    assert find_sign(document, has_expected=True) is None


def test_a_document_of_expected_calls_is_not_searched() -> None:
    assert noted_in({"id": "a", "expected": ["f"], "notes": {"toolcalls": ["f"]}}) == []


def test_an_unread_call_in_a_case_is_noted_once() -> None:
    notes = noted_in({"id": "a", "expected": ["f"], "actual": answer(None, toolcalls=["f"])})

    assert len(notes) == 1
    assert notes[0].startswith("actual: 'toolcalls' at $.choices[0].message looks like a call.")


def test_strict_options_make_it_an_error() -> None:
    with pytest.raises(InvalidCall, match=r"^'toolcalls' at \$.choices.* It was not read\.$"):
        noted_in(answer(None, toolcalls=["f"]), strict=True)


def test_an_unread_call_is_ignored_without_strict_options_or_a_callback() -> None:
    assert note_unread({"toolcalls": ["f"]}, ReadOptions()) is False  # nobody to tell
    assert noted_at(ReadOptions(), "here") == ReadOptions()


def test_a_note_about_an_unread_call_begins_with_the_given_place() -> None:
    noted: list[str] = []

    noted_at(ReadOptions(on_unread=noted.append), "a.jsonl:3").note_unread("It looks so.")

    assert noted == ["a.jsonl:3: It looks so."]


def test_an_unknown_document_is_refused_with_what_looks_like_calls_in_it() -> None:
    with pytest.raises(InvalidCall, match=r"'toolcalls' at \$\.b\[0\] looks like a call\."):
        read_document({"a": 1, "b": [{"toolcalls": [{"fn": "f"}]}]})


def test_json_in_text_is_searched_like_data() -> None:
    inner = msgspec.json.encode({"toolcalls": [{"id": "1"}]}).decode()

    (note,) = noted_in(answer(inner))

    assert note.startswith(f"'toolcalls' at {CONTENT} looks like a call.")


def test_a_long_kind_of_result_is_no_call() -> None:
    assert not is_call_kind(20_000 * "tooluse" + "result")
