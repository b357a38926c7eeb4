"""Turns and states of case records: what they become, and what is wrong with others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from msgspec import UNSET

import callscore
from callscore import ToolCall, expect
from callscore.core.case import NO_CALLS, Forbidden, Group, calls_in
from callscore.core.rules import Matcher
from callscore.engines.local import score_joined
from callscore.engines.payloads import case_payload
from callscore.engines.result_rows import case_text, read_case_text
from callscore.errors import InvalidCall, UnreadableInput
from callscore.formats.case_fields import is_case, is_turns
from callscore.formats.case_sides import expected_calls_in, read_expected_side, read_side
from callscore.formats.case_turns import read_state
from callscore.formats.cases import (
    case_record,
    join_case,
    read_case,
    read_reference,
    read_trace,
    reference_from_trace,
)
from callscore.formats.reading import read_document
from callscore.formats.trace import Trace

if TYPE_CHECKING:
    from pathlib import Path

A, B = ToolCall("a"), ToolCall("b", {"n": 1})
TURNS = (Group("turn", (A,)), Group("turn", ()), Group("turn", (B,)))
STATE = ToolCall("end_state", {"x": 1}, kind="state")


def case(**fields: Any) -> Any:
    return read_case({"id": "c", **fields}, place="cases.jsonl:1")


def problem(**fields: Any) -> str:
    with pytest.raises(UnreadableInput) as caught:
        case(**fields)
    return str(caught.value)


# --- turns ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fields",
    [
        {"turns": [["a"], [], [["b", {"n": 1}]]]},
        {"turns": [["a"], None, [{"tool": "b", "args": {"n": 1}}]]},
        {"turns": [{"expected": ["a"]}, {"input": "?"}, {"expected": [["b", {"n": 1}]]}]},
        {"turns": [{"referenceToolCalls": ["a"]}, {"expected": None}, [["b", {"n": 1}]]]},
        {"turns": [{"expectedTool": "a"}, {"expectedTool": None}, [["b", {"n": 1}]]]},
        {"expected": [{"turn": ["a"]}, {"turn": []}, {"turn": [["b", {"n": 1}]]}]},
        {"expected": [{"name": "b", "arguments": {"n": 1}, "turn": 2}, {"name": "a", "turn": 0}]},
    ],
)
def test_expected_turns_can_be_written_in_several_notations(fields: dict[str, Any]) -> None:
    assert case(**fields).expected == TURNS
    assert read_reference({"id": "c", **fields}, place="p").expected == TURNS


def test_the_calls_of_a_turn_are_those_made_in_it() -> None:
    found = case(turns=[{"actual": ["a"]}, {"toolCalls": []}, {"actual": [["b", {"n": 1}], "a"]}])

    assert found.expected is UNSET
    assert [(call.name, call.turn) for call in found.actual] == [("a", 0), ("b", 2), ("a", 2)]


def test_a_turn_may_have_both_sides_and_what_the_user_said() -> None:
    turns = [
        {"input": "first?", "expected": ["a"], "actual": ["a"]},
        {"question": "then?", "expected": [], "actual": []},
        {"expected": [["b", {"n": 1}]], "actual": []},
    ]

    found = case(turns=turns)

    assert (found.expected, found.input) == (TURNS, ["first?", "then?", None])
    assert found.actual == (ToolCall("a", {}, turn=0),)
    assert case(turns=turns, input="all").input == "all"
    assert callscore.score(found.expected, list(found.actual)).first_wrong_turn == 3


def test_expected_turns_beside_the_calls_or_a_trace() -> None:
    messages = [
        {"role": "user", "content": "first?"},
        _asked("a", {}),
        {"role": "user", "content": "then?"},
        _asked("b", {"n": 1}),
    ]

    beside = case(turns=[["a"]], actual=[{"name": "a", "arguments": {}, "turn": 0}])
    traced = read_case(
        {"id": "c", "turns": [["a"], ["b"]], "messages": messages}, place="p", takes_trace=True
    )

    assert beside.actual == (ToolCall("a", {}, turn=0),)
    assert [(call.name, call.turn) for call in traced.actual or ()] == [("a", 0), ("b", 1)]
    reference = reference_from_trace(Trace(calls=traced.actual), place="p")
    assert [(call.name, call.turn) for call in calls_in(reference.expected or ())] == [
        ("a", None),
        ("b", None),
    ]


def _asked(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    call = {"name": name, "arguments": str(arguments).replace("'", '"')}
    tool_calls = [{"id": name, "type": "function", "function": call}]
    return {"role": "assistant", "content": None, "tool_calls": tool_calls}


def test_in_a_file_of_traces_a_list_is_what_was_called() -> None:
    record = {"id": "c", "turns": [["a"], {"calls": ["b"]}, {"expected": ["x"]}]}

    found = read_trace(record, place="p")

    assert found.actual == (ToolCall("a", {}, turn=0), ToolCall("b", {}, turn=1))
    assert found.expected is UNSET


def test_in_a_file_of_references_calls_are_expected() -> None:
    record = {"id": "c", "turns": [{"calls": ["a"], "actual": ["x"]}, [], [["b", {"n": 1}]]]}

    assert read_reference(record, place="p").expected == TURNS


def test_a_reference_and_a_trace_are_joined() -> None:
    reference = read_reference(
        {"id": "c", "turns": [["a"]], "expected_state": {"x": 1}}, place="references"
    )
    trace = read_trace({"id": "c", "turns": [["a"]], "actual_state": {"x": 1}}, place="traces")

    joined = join_case(reference, trace)

    assert callscore.score(list(joined.expected or ()), list(joined.actual or ())).is_exact


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        (
            {"turns": [["a"]], "expected": ["a"]},
            "'turns' and 'expected' are two notations of the same calls. Keep one of them.",
        ),
        (
            {"turns": [{"actual": ["a"]}], "toolCalls": ["a"]},
            "'turns' and 'toolCalls' are two notations of the same calls. Keep one of them.",
        ),
        ({"turns": [["a"], "b"]}, "turns[1]: a turn is a list of calls, or an object with"),
        ({"turns": [["a"], {"expectd": []}]}, "turns[1]: unknown field 'expectd'. Did you mean"),
        ({"turns": [{"expectd": ["a"]}]}, "turns[0]: unknown field 'expectd'. Did you mean"),
        ({"turns": ["a", "b"]}, "turns[0]: a turn is a list of calls, or an object with"),
        ({"turns": ["a", "b"]}, "got 'a'. Write ['a']."),
        (
            {"turns": [{"expected": ["a"], "forbid": "b"}]},
            """write "expected": [{"turn": [...]}, {"forbid": "b"}].""",
        ),
        (
            {"turns": [{"expected": ["a"], "actual": [], "inputs": "?"}]},
            "turns[0]: unknown field 'inputs' of a turn. Did you mean 'input'?",
        ),
        (
            {"turns": [{"expected": ["a"], "comment": "?"}]},
            "unknown field 'comment' of a turn. Choose from: expected, actual, input.",
        ),
        (
            {"turns": [{"expected": ["a"], "expected_state": 1}]},
            "'expected_state' is a field of the whole case.",
        ),
        ({"turns": [["a"], {"calls": []}]}, "'calls' may be either side. Write 'expected' or"),
        (
            {"turns": [{"expected": [], "referenceToolCalls": []}]},
            "turns[0]: 'expected' and 'referenceToolCalls' are the same field.",
        ),
        ({"turns": [[{"forbid": "x"}]]}, '"expected": [{"turn": [...]}, {"forbid": "x"}]'),
        ({"turns": [[{"turn": ["a"]}]]}, "turns[0]: a turn cannot be inside of a turn."),
        ({"turns": [[{"nam": "a"}]]}, "turns[0]"),
        (
            {"turns": [[{"name": "s", "kind": "state", "arguments": {}}]]},
            "the state is that of the whole case. Write it as 'expected_state'.",
        ),
        ({"expected": ["a", {"turn": ["b"]}]}, "a call outside of a 'turn' beside others"),
        ({"expected": [{"turn": "b"}]}, "expected[0].turn: must be a list of calls; got 'b'."),
        ({"expected": [{"in_order": [{"turn": ["b"]}]}]}, "a turn cannot be inside of a group"),
        ({"expected": [{"turn": [], "times": 2}]}, "'times' is not allowed beside 'turn'"),
        (
            {"expected": [{"name": "a", "turn": 0}, "b"]},
            "expected[1]: it has no 'turn', and other calls have one. Give every call a turn",
        ),
        ({"expected": [{"name": "a", "turn": -1}]}, "must be an integer from 0 to 9,999; got -1"),
        ({"expected": [{"name": "a", "turn": 10**9}]}, "must be an integer from 0 to 9,999"),
        ({"expected": [{"name": "a", "turn": "x"}]}, "expected[0].turn: must be an integer"),
        (
            {"expected": [{"in_order": [{"name": "a", "turn": 1}]}]},
            'a call in a group has no turn of its own. Write {"turn": [...]} around the group.',
        ),
        (
            {"expected": [{"turn": [{"name": "a", "times": 2, "turn": 1}]}]},
            "a call in a group has no turn of its own.",
        ),
    ],
)
def test_an_invalid_turn_is_refused_with_what_to_do(fields: dict[str, Any], said: str) -> None:
    assert said in problem(**fields)


def test_other_tools_have_other_things_under_the_same_name() -> None:
    messages = [{"role": "user", "content": "?"}, {"role": "assistant", "toolCalls": []}]

    others: list[Any] = [3, "3", [], {}, messages, [messages], [{"note": 1}], None]
    for other in others:
        assert not is_turns(other)
        found = case(expected=["a"], actual=["a"], turns=other)
        assert (found.expected, len(found.actual)) == ((A,), 1)


def test_a_record_with_turns_or_states_is_a_case() -> None:
    assert is_case({"turns": [["a"]]})
    assert is_case({"expected_state": 1})
    assert is_case({"messages": [], "actual_state": 1})
    assert is_case({"messages": [], "turn": [["a"]]})  # to be refused
    assert not is_case({"turns": 3})
    assert not is_case({"turn": 3, "returns": [["a"]]})


@pytest.mark.parametrize("number", [-1, 2**60, "1", "first", 1.5, True, [0]])
def test_a_strange_turn_of_an_actual_call_is_refused_in_our_own_notation(number: Any) -> None:
    for arguments in ("arguments", "args"):
        made = [{"name": "a", arguments: {}}, {"name": "a", arguments: {}, "turn": number}]
        said = "actual[1].turn: must be an integer from 0; got"
        assert said in problem(actual=made)
        assert said.replace("actual", "turns[0]") in _problem_of_trace(turns=[made])
    (trace,) = read_document([{"name": "a", "arguments": {}, "turn": number}])
    assert [call.turn for call in trace.calls or ()] == [None]


def _problem_of_trace(**fields: Any) -> str:
    with pytest.raises(UnreadableInput) as caught:
        read_trace({"id": "c", **fields}, place="traces.jsonl:1")
    return str(caught.value)


def test_no_turn_is_none() -> None:
    assert [call.turn for call in case(actual=[{"name": "a", "turn": None}]).actual] == [None]


@pytest.mark.parametrize("caller", ["me", "Agent", {"type": "direct"}, 1])
def test_an_unknown_caller_of_an_actual_call_is_refused_in_our_own_notation(caller: Any) -> None:
    said = problem(actual=["a", {"name": "a", "arguments": {}, "caller": caller}])

    assert "actual[1]: unknown caller" in said
    assert "Choose from: agent, user, subagent, code." in said
    assert read_document([{"name": "a", "arguments": {}, "caller": caller}])[0].calls


@pytest.mark.parametrize("side", ["expected", "actual"])
def test_turns_without_their_field_are_not_joined(side: str) -> None:
    turns = [{side: ["a"]}, {side: ["b"]}]
    sides: dict[str, Any] = {"expected": ["a"], "actual": ["a"], side: turns}

    with pytest.raises(InvalidCall, match=rf'{side}: these look like .* Pass {{"turns": \[...\]}}'):
        callscore.score(**sides)
    sides[side] = {"turns": turns}
    assert callscore.score(**sides).f1 < 1


def test_turns_of_a_case_can_be_passed_as_what_is_expected() -> None:
    turns = [{"input": "?", "expected": ["a"], "actual": ["c"]}, [B]]
    made = {"turns": [["a"], [B]]}

    assert callscore.score({"turns": turns}, made).is_exact
    assert callscore.score({"id": "c", "turns": turns}, {"turns": [[B], ["a"]]}).turn_min == 0
    with_state = {"turns": turns, "expected_state": {"x": 1}}
    assert callscore.score(with_state, {**made, "actual_state": {"x": 1}}).state is not None
    with pytest.raises(InvalidCall, match=r"expected.turns: no turn says what is expected in it"):
        callscore.score({"turns": [{"actual": ["a"]}]}, made)


def test_where_a_call_was_made_does_not_say_where_it_is_expected() -> None:
    calls = (ToolCall("a", {}, turn=0), ToolCall("b", turn=1))
    trace = Trace(calls=calls)

    assert read_expected_side(calls, where="expected") == (ToolCall("a", {}), ToolCall("b"))
    assert expected_calls_in(trace, where="expected") == (ToolCall("a", {}), ToolCall("b"))


def test_a_forbidden_call_beside_turns_is_for_all_of_them() -> None:
    assert case(expected=[{"turn": ["a"]}, {"forbid": "x"}]).expected == (
        Group("turn", (A,)),
        Forbidden("x"),
    )
    beside = [{"name": "a", "turn": 1}, {"forbid": "x"}]
    assert case(expected=beside).expected == (
        Group("turn", ()),
        Group("turn", (A,)),
        Forbidden("x"),
    )


# --- states -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("state", "arguments"),
    [
        ({"x": 1}, {"x": 1}),
        ({}, {}),
        ([1, 2], {"value": [1, 2]}),
        ("text", {"value": "text"}),
        (False, {"value": False}),
        (0, {"value": 0}),
    ],
)
def test_a_state_is_taken_as_it_is_or_as_a_value(state: Any, arguments: Any) -> None:
    found = case(expected=["a"], actual=["a"], expected_state=state, actual_state=state)

    wanted = ToolCall("end_state", arguments, kind="state")
    assert found.expected == (A, wanted)
    assert found.actual[-1] == wanted
    assert callscore.score(found.expected, list(found.actual)).is_exact


def test_a_state_may_contain_rules_on_the_expected_side_only() -> None:
    found = case(
        expected_state={"x": {"$gte": 1}, "list": [{"$any": True}]},
        actual_state={"x": {"$gte": 1}},
    )

    (state,) = found.expected
    assert state.arguments == {"x": Matcher("$gte", 1), "list": [Matcher("$any", True)]}
    assert found.actual[-1].arguments == {"x": {"$gte": 1}}
    literal = case(expected_state={"$literal": {"$x": 1}}, actual_state={"$x": 1})
    assert callscore.score(literal.expected, list(literal.actual)).is_exact


def test_without_expected_calls_only_the_state_is_judged() -> None:
    only = case(expected_state={"x": 1}, actual=["a", "b"], actual_state={"x": 1})
    none = case(expected=[], expected_state={"x": 1}, actual=["a"], actual_state={"x": 1})

    assert only.expected == (STATE,)
    assert none.expected == (*NO_CALLS, STATE)
    assert callscore.score(only.expected, list(only.actual)).is_exact
    assert callscore.score(none.expected, list(none.actual)).f1 == 2 / 3


def test_a_state_that_nobody_expects_is_ignored() -> None:
    found = case(expected=["a"], actual=["a"], actual_state={"x": 1})

    assert callscore.score(found.expected, list(found.actual)).is_exact


def test_null_is_no_state() -> None:
    found = case(expected=["a"], actual=["a"], expected_state=None, actual_state=None)

    assert (found.expected, found.actual) == ((A,), (ToolCall("a", {}),))


def test_a_state_without_calls_is_an_answer() -> None:
    assert case(expected=["a"], actual_state=1).actual == (
        ToolCall("end_state", {"value": 1}, kind="state"),
    )
    assert read_trace({"id": "c", "actual_state": {"x": 1}}, place="p").actual == (STATE,)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        (
            {"expected_state": {"$subset": {"x": 1}}},
            "expected_state: '$subset' can replace a value in a state, not the state as a whole.",
        ),
        ({"expected_state": {"x": {"$gtee": 1}}}, "Did you mean '$gte'?"),
        ({"expected_state": {"x": {"$gtee": 1}}}, " expected_state.x: unknown matcher"),
        ({"expected_state": [0, {"y": {"$gtee": 1}}]}, " expected_state[1].y: unknown matcher"),
        (
            {"expected": [{"name": "s", "arguments": {}, "kind": "state"}], "expected_state": {}},
            "'expected' has a state already. Remove it, or 'expected_state'.",
        ),
        (
            {"expected": [{"name": "s", "arguments": {}, "kind": "state"}] * 2},
            "expected: a case has only one state at its end. Remove the others.",
        ),
        (
            {"expected": [{"optional": {"name": "s", "arguments": {}, "kind": "state"}}]},
            "the state is that of the whole case. Put it into the top-level list.",
        ),
    ],
)
def test_an_invalid_expected_state_is_refused_with_the_reason(
    fields: dict[str, Any], said: str
) -> None:
    assert said in problem(**fields)


def test_a_state_that_is_nested_too_deeply_is_malformed_or_refused() -> None:
    deep: Any = 1
    for _ in range(600):
        deep = [deep]

    assert case(expected_state=1, actual_state=deep).actual[-1].error == "nested_too_deeply"
    assert "at most 500 levels" in problem(expected_state=deep)


def test_a_state_of_python_may_have_matchers_and_the_state_is_moved_to_the_end() -> None:
    state = expect.end_state({"x": expect.gte(1)})

    assert callscore.score([state, "a"], {"actual": ["a"], "actual_state": {"x": 2}}).is_exact
    with pytest.raises(InvalidCall, match="can replace a value in a state"):
        expect.end_state(expect.any())
    assert read_state({"$x": 1}, side="expected", where="s", spelled=False).arguments == {"$x": 1}


def test_a_tool_called_like_the_state_is_a_tool() -> None:
    found = case(
        expected=[["end_state", {"x": 1}]],
        actual=[["end_state", {"x": 1}]],
        expected_state={"x": 2},
        actual_state={"x": 3},
    )

    score = callscore.score(found.expected, list(found.actual))

    assert (len(score.correct), len(score.incorrect)) == (1, 1)


# --- answers and files ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "answer",
    [
        {"actual": ["a"], "actual_state": {"x": 1}},
        {"calls": ["a"], "actual_state": {"x": 1}},
        {"messages": [{"role": "user", "content": "?"}, _asked("a", {})], "actual_state": {"x": 1}},
        {"turns": [["a"], []], "actual_state": {"x": 1}},
        {"name": "a", "arguments": {}, "actual_state": {"x": 1}},
    ],
)
def test_an_answer_may_have_its_state_beside_its_calls(answer: dict[str, Any]) -> None:
    score = callscore.score(["a"], answer, expected_state={"x": 1}, actual_state=None)
    beside = callscore.score(["a", expect.end_state({"x": 1})], answer)

    assert beside.is_exact
    assert score.is_exact


def test_a_state_may_be_the_whole_answer() -> None:
    assert read_side({"actual_state": {"x": 1}}, side="actual", where="actual") == (STATE,)
    assert callscore.score(None, [], expected_state=[1], actual_state=[1]).is_exact


def test_a_case_with_turns_and_a_state_is_written_and_read_without_loss() -> None:
    found = case(
        turns=[{"input": "?", "expected": [["b", {"n": {"$gt": 1}}]], "actual": ["b"]}, []],
        expected_state={"x": {"$any": True}},
        actual_state={"x": [1]},
    )

    payload = case_payload(found)

    assert read_expected_side(payload["expected"], where="expected", spelled=True) == found.expected
    assert read_case_text(case_text(found)) == found
    assert read_case(case_record(found), place="p", spelled=False) == found
    assert expect.from_json(expect.to_json(list(found.expected))) == list(found.expected)


def test_the_id_from_the_content_depends_on_turns() -> None:
    def name(**fields: Any) -> str:
        return read_case(fields, place="p").id

    assert name(turns=[["a"], ["b"]]) == name(expected=[{"turn": ["a"]}, {"turn": ["b"]}])
    assert (
        len({name(turns=[["a"], ["b"]]), name(turns=[["a", "b"]]), name(expected=["a", "b"])}) == 3
    )
    assert name(expected=["a"], expected_state=1) != name(expected=["a"], expected_state=2)


FILES = {
    "cases.json": '[{"id": 1, "turns": [["a"], [["b", {"n": 1}]]],'
    ' "actual": [{"name": "a", "arguments": {}, "turn": 0}],'
    ' "expected_state": {"x": 1}, "actual_state": {"x": 1}}]',
    "cases.jsonl": '{"id": 1, "turns": [["a"], [["b", {"n": 1}]]],'
    ' "actual": [{"name": "a", "arguments": {}, "turn": 0}],'
    ' "expected_state": {"x": 1}, "actual_state": {"x": 1}}\n',
    "cases.yaml": """\
- id: 1
  turns:
    - [a]
    - expected:
        - {tool: b, args: {n: 1}}
  actual:
    - {name: a, arguments: {}, turn: 0}
  expected_state: {x: 1}
  actual_state: {x: 1}
""",
    "cases.csv": """\
id,turns,actual,expected_state,actual_state
1,"[[""a""], [[""b"", {""n"": 1}]]]","[{""name"": ""a"", ""arguments"": {}, ""turn"": 0}]",\
"{""x"": 1}","{""x"": 1}"
""",
}


@pytest.mark.parametrize("name", FILES)
def test_turns_and_states_are_read_from_every_kind_of_file(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_text(FILES[name], encoding="utf-8")

    (found,) = callscore.score_files(str(file), show="all").cases

    assert found.required_score.f1 == 0.8
    assert [turn.f1 for turn in found.required_score.turns] == [1.0, 0.0]
    assert found.required_score.state is not None


def test_a_state_may_be_anywhere_in_a_trace(tmp_path: Path) -> None:
    references, traces = tmp_path / "references.jsonl", tmp_path / "traces.jsonl"
    references.write_text('{"id": "c", "expected": ["a"], "expected_state": {"x": 1}}\n')
    traces.write_text(
        '{"id": "c", "messages": [{"role": "user", "content": "?"}, {"role": "assistant",'
        ' "tool_calls": [{"id": "1", "type": "function", "function": {"name": "a",'
        ' "arguments": "{}"}}]}], "final": {"db": {"x": 1}}}\n'
    )
    fields = {"actual_state": "$.final.db"}

    joined = score_joined(str(references), str(traces), show="all", fields=fields)

    (found,) = joined.cases
    assert found.required_score.is_exact
    assert found.required_score.state is not None


def test_a_path_may_lead_to_turns(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text('{"id": "c", "task": {"steps": [["a"], ["b"]]}, "actual": ["a", "b"]}\n')

    found = callscore.score_files(str(file), show="all", fields={"turns": "$.task.steps"})

    assert found.cases[0].required_score.is_exact


def test_a_program_may_write_more_into_the_turns_of_a_trace() -> None:
    turn = {"actual": ["a"], "seconds": 3}

    assert read_trace({"id": "c", "turns": [turn]}, place="p").actual
    assert "Did you mean 'actual'?" in _problem_of_trace(turns=[{"actul": ["a"]}])
