"""The Berkeley Function Calling Leaderboard."""

from __future__ import annotations

from typing import Any

import pytest

from callscore import expect, score
from callscore.core.call import TRUNCATED, Tool, ToolCall
from callscore.core.case import Group
from callscore.errors import InvalidCall
from callscore.formats.dialects.bfcl import joins_lines, read, read_tools, recognizes
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions, Trace


def trace_of(document: Any, options: ReadOptions = DEFAULT_READ_OPTIONS) -> Trace:
    assert recognizes(document)
    (trace,) = read(document, options)
    return trace


def test_a_result_has_the_id_of_its_task_and_no_expected_calls() -> None:
    trace = trace_of({"id": "simple_python_0", "result": [{"f": '{"a": 1}'}]})

    assert trace == Trace(calls=(ToolCall("f", {"a": 1}, step=0),), id="simple_python_0")


def test_every_answer_of_the_model_is_a_step() -> None:
    functions = trace_of(
        {"id": "x_1", "result": [[[{"f": "{}"}, {"g": "{}"}], "done"], [[{"h": "{}"}]]]}
    )
    text = trace_of({"id": "multi_turn_base_1", "result": [["[f(), g()]", "done"], ["[h()]"]]})

    for trace in (functions, text):
        assert [(call.name, call.step) for call in trace.calls or ()] == [
            ("f", 0),
            ("g", 0),
            ("h", 1),
        ]


@pytest.mark.parametrize("result", ["I cannot help.", "", [], None, ["Sorry."], [[["Sorry."]]]])
def test_an_answer_without_a_call_calls_nothing(result: Any) -> None:
    assert trace_of({"id": "irrelevance_3", "result": result}).calls == ()


def test_an_answer_in_python_needs_no_brackets_and_may_be_fenced() -> None:
    for result in ("f(a=1)", "`[f(a=1)]`", "```\n[f(a=1)]\n```"):
        trace = trace_of({"id": "simple_python_1", "result": result})

        assert trace.calls == (ToolCall("f", {"a": 1}, step=0),)


def test_an_answer_in_python_that_cannot_be_parsed_is_malformed() -> None:
    trace = trace_of({"id": "simple_python_1", "result": "[f(a=1), g(b='x"})

    assert trace.calls == (
        ToolCall("f", {"a": 1}, step=0),
        ToolCall("g", step=0, raw="(b='x", error=TRUNCATED),
    )


def test_a_model_that_could_not_be_asked_was_not_run() -> None:
    document = {"id": "simple_java_0", "result": "Error during inference: 429", "traceback": "…"}

    assert trace_of(document).calls is None


def test_positions_are_named_by_the_tools_where_they_are_known() -> None:
    tools = {"sort": Tool("sort", parameters={"properties": {"file": {}}})}
    truth = {"id": "multi_turn_base_0", "ground_truth": [["sort('a')"], []]}

    trace = trace_of(truth, ReadOptions(tools=tools))

    assert trace == Trace(
        expected=(
            Group("turn", (ToolCall("sort", {"file": "a"}, step=0),)),
            Group("turn", ()),
        ),
        id="multi_turn_base_0",
    )


def test_the_ground_truth_of_several_turns_is_what_is_expected() -> None:
    trace = trace_of({"id": "mine", "ground_truth": [["f(a=1)", 5], ["g()"]]})

    assert trace.calls is None
    assert trace.expected == (
        Group("turn", (ToolCall("f", {"a": 1}, step=0),)),
        Group("turn", (ToolCall("g", {}, step=1),)),
    )


def test_the_ground_truth_of_one_turn_is_a_list_of_calls() -> None:
    trace = trace_of({"id": "memory_0", "ground_truth": [["f(a=1)", "g()"]]})

    assert trace.expected == (ToolCall("f", {"a": 1}, step=0), ToolCall("g", {}, step=0))


@pytest.mark.parametrize(
    "steps",
    [
        [["[f(a=1)]", "[g()]"], [], ["No.", "[f(a=2)]"]],
        [[[{"f": '{"a": 1}'}], [{"g": "{}"}]], [], [[{"f": '{"a": 2}'}]]],
    ],
)
def test_the_steps_of_several_turns_are_made_in_them(steps: Any) -> None:
    trace = trace_of({"id": "multi_turn_base_0", "result": steps})

    assert trace.calls is not None
    assert [(call.name, call.arguments, call.step, call.turn) for call in trace.calls] == [
        ("f", {"a": 1}, 0, 0),
        ("g", {}, 1, 0),
        ("f", {"a": 2}, 2, 2),
    ]


def test_a_task_of_several_turns_is_scored_turn_by_turn() -> None:
    truth = {"id": "multi_turn_base_0", "ground_truth": [["f(a=1)"], ["g()"]]}
    made = {"id": "multi_turn_base_0", "result": [["[f(a=1), g()]"], []]}

    scored = score(trace_of(truth).expected, trace_of(made).calls)

    assert [(turn.correct, turn.expected) for turn in scored.turns] == [(1, 1), (0, 1)]


def test_possible_answers_are_calls_with_rules() -> None:
    answers = [
        {"f": {"a": [1], "b": ["x", "y"], "c": [2, ""], "d": ["", 3, 4], "e": [""]}},
        {"g": {}},
    ]

    trace = trace_of({"id": "parallel_0", "ground_truth": answers})

    assert trace.calls is None
    assert trace.expected == (
        ToolCall(
            "f",
            {
                "a": 1,
                "b": expect.one_of("x", "y"),
                "c": expect.optional(2),
                "d": expect.optional(expect.one_of(3, 4)),
                "e": expect.optional(""),
            },
            step=0,
        ),
        ToolCall("g", {}, step=0),
    )


def test_the_members_of_a_possible_object_have_possible_answers_of_their_own() -> None:
    answers = [{"f": {"a": [{"b": [1, 2], "c": ["", "x"], "d": 3}], "l": [[{"b": [1]}, 4]]}}]

    trace = trace_of({"id": "live_simple_1-0-0", "ground_truth": answers})

    (call,) = trace.expected or ()
    assert call == ToolCall(
        "f",
        {
            "a": {"b": expect.one_of(1, 2), "c": expect.optional("x"), "d": 3},
            "l": [{"b": 1}, 4],
        },
        step=0,
    )


def test_what_is_nested_deeper_in_a_possible_object_is_as_it_is() -> None:
    answers = [{"f": {"a": [{"b": [{"c": [1, 2]}, ["x", "y"]]}]}}]

    (call,) = trace_of({"id": "live_simple_1-0-0", "ground_truth": answers}).any_calls

    assert call.arguments == {"a": {"b": expect.one_of({"c": [1, 2]}, ["x", "y"])}}


def test_nothing_is_accepted_where_no_value_is_possible() -> None:
    trace = trace_of({"id": "simple_0", "ground_truth": [{"f": {"a": [1], "b": []}}]})

    scores = [
        score(trace.expected, [{"name": "f", "arguments": arguments}]).f1
        for arguments in ({"a": 1}, {"a": 1, "b": []}, {"a": 1, "b": ""})
    ]

    assert scores == [0.0, 0.0, 0.0]


def test_the_calls_of_executable_tasks_are_expected_together() -> None:
    trace = trace_of({"id": "exec_parallel_0", "ground_truth": ["f(n=10, p=0.3)", "f(n=15)"]})

    assert trace.expected == (
        ToolCall("f", {"n": 10, "p": 0.3}, step=0),
        ToolCall("f", {"n": 15}, step=0),
    )


@pytest.mark.parametrize(
    ("answers", "names"),
    [
        ({"f_1": {"a": [1]}, "f_2": {"a": [2]}}, ["f", "f"]),
        ({"m.f 1": {"a": [1]}, "m.f 2": {"a": [2]}, "g": {"b": [3]}}, ["m.f", "m.f", "g"]),
        ({"f 1": {"a": [1]}}, ["f"]),
        ({"f_1": {"a": [1]}}, ["f_1"]),
        ({"top_10": {"a": [1]}, "g": {"a": [2]}}, ["top_10", "g"]),
        ({"f_2": {"a": [1]}, "f_3": {"a": [2]}}, ["f_2", "f_3"]),
    ],
)
def test_several_calls_of_a_tool_are_numbered_in_the_first_version(
    answers: Any, names: list[str]
) -> None:
    with_id = trace_of({"id": "parallel_function_0", "ground_truth": answers})
    without = trace_of(answers)

    for trace in (with_id, without):
        assert [call.name for call in trace.any_calls] == names
    assert with_id.id == "parallel_function_0"
    assert without.id is None


def test_the_place_of_an_answer_of_the_first_version_is_its_id() -> None:
    lines = [{"f": {"a": [1, ""]}}, {"now": {}}, {"g": {"b": [{"c": [2]}]}}]

    assert all(map(joins_lines, (lines[0], lines[2])))
    assert recognizes(lines)
    assert read(lines, DEFAULT_READ_OPTIONS) == [
        Trace(expected=(ToolCall("f", {"a": expect.optional(1)}, step=0),), id="0"),
        Trace(expected=(ToolCall("now", {}, step=0),), id="1"),
        Trace(expected=(ToolCall("g", {"b": {"c": 2}}, step=0),), id="2"),
    ]


def test_lines_with_and_without_ids_may_be_mixed() -> None:
    lines = [{"f": {"a": [1]}}, {"id": "exec_simple_0", "ground_truth": ["g(b=2)"]}]

    assert recognizes(lines)
    assert read(lines, DEFAULT_READ_OPTIONS) == [
        Trace(expected=(ToolCall("f", {"a": 1}, step=0),), id="0"),
        Trace(expected=(ToolCall("g", {"b": 2}, step=0),), id="exec_simple_0"),
    ]
    assert read([5, *lines][:1], DEFAULT_READ_OPTIONS) == []


def test_a_result_of_the_first_version_is_numbered() -> None:
    document = {"idx": 3, "result": "[f(a=1)]", "latency": 0.5}

    assert trace_of(document) == Trace(calls=(ToolCall("f", {"a": 1}, step=0),), id="3")


def test_a_call_is_scored_by_possible_answers() -> None:
    (trace,) = read(
        {"id": "simple_0", "ground_truth": [{"f": {"a": [1, 2], "b": ["x", ""]}}]},
        DEFAULT_READ_OPTIONS,
    )

    scores = [
        score(trace.expected, [{"name": "f", "arguments": arguments}]).f1
        for arguments in ({"a": 2}, {"a": 1, "b": "x"}, {"a": 3}, {"a": 1, "b": "y"})
    ]

    assert scores == [1.0, 1.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("truth", "problem"),
    [
        (["Michael"], "is an answer in words, not calls"),
        (["f(a=1)", "Michael"], "is an answer in words, not calls"),
        ({"f": {"a": [1]}, "deck": [[], ""]}, "without a list of possible values"),
        ([{"f": {"a": 1}}], "without a list of possible values"),
        ([{"f": {}, "g": {}}], "without a list of possible values"),
        ([{"f": 1}], "without a list of possible values"),
    ],
)
def test_ground_truth_that_is_no_calls_is_refused_with_a_sentence(truth: Any, problem: str) -> None:
    document = {"id": "memory_0-customer-0", "ground_truth": truth}
    assert recognizes(document)

    with pytest.raises(InvalidCall, match=f"the ground truth of 'memory_0-customer-0' .*{problem}"):
        read(document, DEFAULT_READ_OPTIONS)


def test_a_test_entry_defines_tools_and_asks_something() -> None:
    question = [[{"role": "user", "content": "x"}]]
    parameters = {
        "type": "dict",
        "properties": {
            "a": {"type": "float"},
            "b": {"type": "list", "items": {"type": "String"}},
            "c": {"type": "any", "description": "whatever"},
            "d": 5,
            "e": {"enum": ["x"]},
        },
    }
    entry = {
        "id": "mine",
        "question": question,
        "function": [{"name": "f", "parameters": parameters}],
    }

    assert trace_of(entry) == Trace(id="mine", input=question)
    assert read_tools(entry) == [
        Tool(
            "f",
            parameters={
                "type": "object",
                "properties": {
                    "a": {"type": "number"},
                    "b": {"type": "array", "items": {"type": "string"}},
                    "c": {"description": "whatever"},
                    "d": 5,
                    "e": {"enum": ["x"]},
                },
            },
        )
    ]


def test_a_question_of_the_first_version_defines_tools() -> None:
    function = {"name": "f", "parameters": {"type": "dict", "properties": {"a": {"type": "any"}}}}

    for functions in (function, [function]):
        entry = {"question": "x", "function": functions}
        assert trace_of(entry) == Trace(input="x")
        assert [tool.name for tool in read_tools(entry)] == ["f"]


def test_a_question_of_several_turns_may_name_classes_of_tools() -> None:
    entry = {"id": "multi_turn_base_0", "question": [[]], "involved_classes": ["GorillaFileSystem"]}

    assert trace_of(entry) == Trace(id="multi_turn_base_0", input=[[]])
    assert read_tools(entry) == []


@pytest.mark.parametrize(
    "function",
    [
        {"name": "f", "parameters": {"type": "dict"}},
        '[{"name": "f", "parameters": "{\\"type\\": \\"dict\\"}"}]',
    ],
)
def test_functions_may_be_one_or_text(function: Any) -> None:
    assert read_tools({"function": function}) == [Tool("f", parameters={"type": "object"})]


@pytest.mark.parametrize("document", [None, [], {"function": 5}, {"function": [{"name": "f"}]}])
def test_tools_are_read_from_anything(document: Any) -> None:
    assert all(tool.parameters is None for tool in read_tools(document))


def test_a_question_without_functions_is_one_of_its_file() -> None:
    question = [[{"role": "user", "content": "Hello"}]]

    assert recognizes({"id": "live_irrelevance_120-9-0", "question": question, "function": []})
    assert not recognizes({"id": "a", "question": question, "function": []})


@pytest.mark.parametrize(
    ("document", "names"),
    [
        ({"id": 0, "result": "[f(a=1)]"}, ["f"]),
        ({"id": 1, "result": "I cannot do that."}, []),
        ({"idx": 2, "latency": 1.5, "result": {"finishReason": "SAFETY"}}, []),
    ],
)
def test_results_of_the_first_version_are_read(document: Any, names: list[str]) -> None:
    assert recognizes(document)

    (trace,) = read(document, DEFAULT_READ_OPTIONS)

    assert [call.name for call in trace.calls or ()] == names
    assert trace.id == str(next(iter(document.values())))


@pytest.mark.parametrize(
    "document",
    [
        {"id": "a", "result": "text"},
        {"id": "a", "result": {"tools": []}},
        {"id": 1, "result": {"tools": []}},
        {"id": 1, "result": "text", "error": None},
        {"id": "a", "result": []},
        {"id": "a", "result": [[[[["f"]]]]]},
        {"id": "a", "result": [{"f": "{}", "g": "{}"}]},
        {"id": "a", "result": [{"f": {}}]},
        {"id": "a", "ground_truth": ["x"]},
        {"id": "a", "ground_truth": []},
        {"id": "a", "question": "x", "function": []},
        {"jsonrpc": "2.0", "id": "1", "result": {"content": []}},
        {"idx": 1, "result": "[f(a=1)]"},
        {"question": "x", "function": {"name": "f"}},
        {"agent": {"messages": [{"type": "ai", "content": "x"}]}},
        {"f": {"a": []}},
        {"f": {"a": 1}},
        {"f": {}},
        {"no tool": {"a": [1]}},
        {"headers": {"accept": ["text/html"]}},
        [{"f": {"a": [1]}}, {"f": {"a": 1}}],
        [{"f": {}}],
        {},
        [],
    ],
)
def test_look_alikes_are_not_claimed(document: Any) -> None:
    assert not recognizes(document)


@pytest.mark.parametrize("document", [None, "x", [1], {"id": 5, "result": [5, [5, [[[[5]]]]]]}])
def test_what_is_something_else_has_no_calls(document: Any) -> None:
    assert all(not trace.calls for trace in read(document, DEFAULT_READ_OPTIONS))
