"""`score`, as people call it."""

from __future__ import annotations

from io import StringIO
from itertools import combinations, product
from pathlib import Path
from typing import Any

import msgspec
import pytest
from rich.console import Console

from callscore import (
    Case,
    InvalidCall,
    InvalidSettings,
    Mode,
    Settings,
    Tool,
    ToolCall,
    check_calls,
    evaluate,
    evaluation,
    expect,
    read_calls,
    read_tools,
    score,
    score_cases,
    score_files,
)
from callscore.core.settings import DEFAULT
from callscore.testing import assert_calls

F = ToolCall("f", {"a": 1})


@pytest.mark.parametrize(
    "call",
    [
        {"name": "f", "arguments": {"a": 1}},
        {"tool": "f", "args": {"a": 1}},
        {"toolName": "f", "input": {"a": 1}},
        ("f", {"a": 1}),
        F,
        {"name": "f", "arguments": '{"a": 1}'},
    ],
)
def test_a_call_may_be_spelled_in_many_ways(call: Any) -> None:
    assert score([call], [F]).is_exact
    assert score([F], [call]).is_exact


def test_an_expected_name_alone_accepts_any_arguments() -> None:
    assert score(["f"], [F]).f1 == 1.0
    assert score([F], ["f"]).f1 == 0.0


def test_no_expected_calls_may_be_written_as_none() -> None:
    assert score(None, []).f1 == 1.0
    assert score(None, [F]).f1 == 0.0


def test_the_worked_example_of_the_published_tool() -> None:
    result = score(
        expected=[
            {"tool": "searchWeb", "args": {"query": "AI news"}},
            {"tool": "summarize", "args": {"text": "long article..."}},
        ],
        actual=[
            {"tool": "searchWeb", "args": {"query": "AI news"}},
            {"tool": "summarize", "args": {"text": "different text"}},
            {"tool": "translateText", "args": {"text": "hello", "to": "es"}},
        ],
    )

    assert (result.score, result.precision, result.recall) == (0.4, 1 / 3, 0.5)
    assert result.summary == (
        "Accuracy Score: 40.0% | Correct: 1/2 | Incorrect: 1 | Missed: 0 | Extra: 1"
    )


def test_options_and_settings_mean_the_same() -> None:
    expected, actual = [("f", {"a": 1, "b": 2})], [("f", {"a": 1})]
    settings = Settings(mode=Mode.FLEXIBLE, argument_match_threshold=0.5)

    by_options = score(expected, actual, mode="flexible", argument_match_threshold=0.5)

    assert by_options.f1 == score(expected, actual, settings=settings).f1 == 1.0
    assert by_options.settings == settings


@pytest.mark.parametrize("options", [{"mode": "strict"}, {"preset": "strict"}])
def test_settings_do_not_mix_with_single_options_or_a_preset(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidSettings, match="cannot be combined"):
        score([], [], settings=Settings(), **options)


def test_without_options_the_default_is_in_force() -> None:
    assert score([], []).settings is DEFAULT


def test_without_tools_nothing_is_known_of_faults() -> None:
    assert score([], [("book", {})]).faults is None


def test_a_file_is_read_for_a_score_as_it_is_read_for_its_calls() -> None:
    folder = Path(__file__).parent / "samples" / "recorded" / "anthropic_managed_agents"
    files = sorted(folder.glob("*.jsonl"))

    assert files
    for path in files:
        assert list(score([], path).actual) == read_calls(path)


def test_a_file_of_calls_in_our_own_words_is_read(tmp_path: Path) -> None:
    path = tmp_path / "calls.json"
    path.write_text('[["f", {"a": 1}], "g"]')

    assert score([("f", {"a": 1}), "g"], path).passed


def test_calls_cases_and_scores_are_frozen() -> None:
    for value, name in ((F, "name"), (Case(id="1"), "id"), (score([F], [F]), "correct")):
        with pytest.raises(AttributeError):
            setattr(value, name, None)


def test_a_score_is_printed_in_colour_by_rich() -> None:
    console = Console(width=80, file=StringIO(), record=True)

    console.print(score([F], [("f", {"a": 2})]))

    assert "a: 2" in console.export_text()


def test_the_calls_passed_to_score_are_not_changed() -> None:
    expected = [{"name": "f", "arguments": {"b": [1, {"c": 2}]}}]
    actual = [{"name": "f", "arguments": '{"b": [1]}'}]

    score(expected, actual, mode="flexible", arrays="unordered", repeated_calls="collapse")

    assert expected == [{"name": "f", "arguments": {"b": [1, {"c": 2}]}}]
    assert actual == [{"name": "f", "arguments": '{"b": [1]}'}]


def test_the_same_object_may_be_called_several_times() -> None:
    call, other = ToolCall("a", {}, turn=0), ToolCall("b", {}, turn=0)

    found = score([expect.turn("a", "b", "a")], [call, other, call])

    assert (found.f1, found.actual) == (1.0, (call, other, call))


def test_keys_with_a_dollar_are_rules_in_text_and_literal_in_python() -> None:
    expected = [{"name": "f", "arguments": {"a": {"$any": True}}}]

    assert score(msgspec.json.encode(expected), [("f", {"a": 1})]).passed
    assert not score(expected, [("f", {"a": 1})]).passed
    assert score(expected, [("f", {"a": {"$any": True}})]).passed


@pytest.mark.parametrize(
    "tools",
    [
        ["f"],
        ("f",),
        [Tool("f")],
        (Tool("f", effect="read"),),
        read_tools([{"name": "f", "parameters": {"type": "object"}}]),
    ],
)
def test_names_and_values_tell_which_tools_there_are(tools: Any) -> None:
    (fault,) = check_calls(["g", "f"], tools=tools)

    assert (fault.kind, fault.tool) == ("unknown_tool", "g")
    assert score([], ["g", "f"], tools=tools).faults == (fault,)


def test_tasks_of_the_leaderboard_may_define_a_tool_in_different_ways(tmp_path: Path) -> None:
    def task(kind: str) -> dict[str, Any]:
        schema = {"type": "dict", "properties": {"a": {"type": kind}}, "required": ["a"]}
        function = [{"name": "f", "parameters": schema}]
        return {"id": f"simple_{kind}", "question": [[]], "function": function}

    tasks = [task("integer"), task("string")]
    file = tmp_path / "BFCL_v4_simple_python.json"
    file.write_bytes(b"\n".join(map(msgspec.json.encode, tasks)))

    for tools in (file, tasks):
        found = [
            check_calls([{"name": "f", "arguments": {"a": value}}], tools=tools)
            for value in (1, "x", None)
        ]
        assert [len(problems) for problems in found] == [0, 0, 1]


# --- whose calls count, in every way in -----------------------------------------------------------

PLAIN = {"name": "main", "arguments": {}}
ONE_CALL: dict[str, Any] = {
    "objects": [PLAIN],
    "another notation": [{"tool": "main", "args": {}}],
    "a tuple": (PLAIN,),
    "one object": PLAIN,
    "pairs": [("main", {})],
    "names": ["main"],
    "tool calls": [ToolCall("main", {})],
    "tool calls of the agent": [ToolCall("main", {}, caller="agent")],
    "text": '[{"name": "main", "arguments": {}}]',
    "turns": {"turns": [{"actual": [PLAIN]}]},
    "messages": [
        {
            "role": "assistant",
            "tool_calls": [
                {"id": "1", "type": "function", "function": {"name": "main", "arguments": "{}"}}
            ],
        }
    ],
}


@pytest.mark.parametrize("actual", ONE_CALL.values(), ids=ONE_CALL)
def test_a_call_of_the_agent_does_not_count_if_only_those_of_others_do(
    actual: Any, tmp_path: Path
) -> None:
    others: Any = ("subagent",)
    case = {"id": "a", "input": "hi", "expected": [], "actual": actual, "callers": ["subagent"]}
    agent = evaluation(name="e", cases=[{**case, "actual": None}])(lambda _: actual)
    (tmp_path / "c.json").write_bytes(msgspec.json.encode([{**case, "callers": None}]))

    assert score([], actual, callers=others).f1 == 1.0
    assert score([], actual).f1 == 0.0
    assert assert_calls([], actual, callers=others).f1 == 1.0
    assert score_cases([case]).summary.macro_f1 == 1.0
    assert score_files(tmp_path / "c.json", callers=others).summary.macro_f1 == 1.0
    assert evaluate(agent).evaluations[0].results.summary.macro_f1 == 1.0


SOME_CALLS = [
    ("a", None, None),
    ("b", "user", None),
    ("a", "subagent", None),
    ("b", "agent", 0),
    ("a", "code", 1),
]


@pytest.mark.parametrize("callers", [None, ("agent",), ("user",), ("subagent", "code")])
@pytest.mark.parametrize("state", [{}, {"expected_state": {"n": 1}, "actual_state": {"n": 1}}])
def test_plain_calls_have_one_score_in_every_way_in(callers: Any, state: dict[str, Any]) -> None:
    given = {} if callers is None else {"callers": callers}
    for expected, actual in product(combinations(SOME_CALLS, 2), combinations(SOME_CALLS, 3)):
        wanted: Any = [{"name": name, "arguments": {}, "caller": who} for name, who, _ in expected]
        fields: list[dict[str, Any]] = [
            dict(zip(("name", "caller", "turn"), call, strict=True)) for call in actual
        ]
        calls = [ToolCall(arguments={}, **call) for call in fields]
        case = {"id": "a", "expected": wanted, "actual": fields, **state, **given}

        want = score_cases([case], show="all").cases[0].required_score.to_dict()

        assert score(wanted, fields, **state, **given).to_dict() == want
        assert score(wanted, calls, **state, **given).to_dict() == want
        assert score(wanted, str(msgspec.json.encode(fields), "utf-8"), **state, **given) == (
            score(wanted, calls, **state, **given)
        )


@pytest.mark.parametrize(
    ("field", "problem"),
    [
        ({"caller": "robot"}, r"\[0\]: unknown caller 'robot'\. Choose from: agent, user"),
        ({"turn": -1}, r"\[0\]\.turn: must be an integer from 0"),
    ],
)
def test_a_tool_call_with_an_unknown_caller_or_turn_is_refused_like_an_object(
    field: dict[str, Any], problem: str
) -> None:
    for call in (ToolCall("f", {}, **field), {"name": "f", "arguments": {}, **field}):
        with pytest.raises(InvalidCall, match=f"^expected{problem}"):
            score([call], [])
        with pytest.raises(InvalidCall, match=f"^actual{problem}"):
            score([], [call])


def test_calls_in_one_turn_have_none_unless_turns_are_expected() -> None:
    calls = [ToolCall("a", {}, turn=0)]

    assert score(["a"], calls).actual[0].turn is None
    assert score([expect.turn("a")], calls).actual[0].turn == 0


# --- what says that no call is expected, and what says nothing ------------------------------------

MADE = (F,)
NO_CALL_EXPECTED: dict[str, Any] = {
    "a case": Case("hi", expected=None, actual=MADE),
    "an empty list": Case("hi", expected=[], actual=MADE),
    "an object": {"input": "hi", "expected": None, "actual": MADE},
    "no tool": {"input": "hi", "expectedTool": None, "actual": MADE},
    "no reference calls": {"input": "hi", "referenceToolCalls": None, "actual": MADE},
}
NOTHING_SAID: dict[str, Any] = {
    "a case": Case("hi", actual=MADE),
    "an object": {"input": "hi", "actual": MADE},
    "turns": {"turns": [{"input": "hi", "actual": MADE}]},
}


@pytest.mark.parametrize("case", NO_CALL_EXPECTED.values(), ids=NO_CALL_EXPECTED)
def test_none_expects_no_call(case: Any) -> None:
    agent = evaluation(name="e", cases=[case])(lambda _: [F])
    ran = evaluate(agent).evaluations[0].results

    for results in (score_cases([case]), ran):
        assert (results.not_scored.count, results.summary.macro_f1) == (0, 0.0)
    assert score(None, MADE).f1 == 0.0


@pytest.mark.parametrize("case", NOTHING_SAID.values(), ids=NOTHING_SAID)
def test_a_case_that_does_not_say_what_is_expected_is_not_scored_and_says_so(case: Any) -> None:
    agent = evaluation(name="e", cases=[case, Case("ho", expected=[F])])(lambda _: [F])
    results, run = score_cases([case]), evaluate(agent)

    assert (results.not_scored.count, results.summary.cases) == (1, 0)
    assert str(results).endswith("Exact: 0 | Not scored: 1 (no expected calls given)")
    assert run.evaluations[0].results.not_scored.count == 1
    assert str(run) == "e: 1 of 1 passed, 1 not scored (no expected calls given); accuracy 1.000"


def test_a_run_says_nothing_of_expected_calls_that_no_scorer_needs() -> None:
    agent = evaluation(name="e", cases=[Case("hi")], scorers=[_is_polite])(lambda _: [F])

    assert str(evaluate(agent)) == "e: 1 of 1 passed; _is_polite 1.000"


def _is_polite(calls: Any) -> bool:
    return bool(calls)


def test_the_repr_of_a_case_has_what_was_given() -> None:
    assert repr(Case("hi")) == "Case(input='hi')"
    assert repr(Case("hi", expected=None)) == "Case(input='hi', expected=None)"
