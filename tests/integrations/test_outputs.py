"""What the tools answer: where each call goes, and what is said about it."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.integrations.tools import check_tool_calls, score_tool_calls


def call(tool: str, **args: Any) -> dict[str, Any]:
    return {"tool": tool, "args": args}


def scored(expected: Any, actual: Any, **options: Any) -> dict[str, Any]:
    return score_tool_calls({"expected": expected, "actual": actual, **options})


def test_a_correct_call_has_both_sides_and_nothing_more() -> None:
    answer = scored([call("f", a=1)], [call("f", a=1)])

    assert answer["correctCalls"] == [
        {
            "expected": call("f", a=1),
            "actual": call("f", a=1),
            "status": "correct",
            "argsMatch": True,
        }
    ]
    assert answer["summary"] == (
        "Accuracy Score: 100.0% | Correct: 1/1 | Incorrect: 0 | Missed: 0 | Extra: 0"
    )


def test_an_incorrect_call_names_every_difference() -> None:
    answer = scored([call("f", a=1, b=[1, 2])], [call("f", a="1", b=[1, 3], c=None)])

    (entry,) = answer["incorrectCalls"]
    assert (entry["status"], entry["argsMatch"]) == ("incorrect", False)
    assert entry["differences"][0] == {
        "path": "$.a",
        "kind": "type",
        "expected": 1,
        "actual": "1",
        "reason": 'a: expected the number 1, got the string "1"',
    }
    assert [found["path"] for found in entry["differences"]] == ["$.a", "$.b[1]", "$.c"]
    assert entry["details"] == "; ".join(found["reason"] for found in entry["differences"])


def test_of_many_differences_the_details_tell_ten_and_the_list_has_all() -> None:
    wanted = {f"a{number:02}": number for number in range(12)}

    (entry,) = scored([call("f", **wanted)], [call("f")])["incorrectCalls"]

    assert entry["details"].count("; ") == 10
    assert entry["details"].endswith("; and 2 more")
    assert len(entry["differences"]) == 12


def test_a_call_that_is_near_enough_keeps_its_differences() -> None:
    expected, actual = call("f", a=1, b=2), call("f", a=1, b=3)

    (entry,) = scored([expected], [actual], mode="flexible", argument_match_threshold=0.5)[
        "correctCalls"
    ]

    assert entry["argsMatch"] is True
    assert [found["path"] for found in entry["differences"]] == ["$.b"]


@pytest.mark.parametrize(
    ("expected", "actual", "order", "details"),
    [
        ([call("f")], [call("g")], "any", "f: never called"),
        ([call("f"), call("f")], [call("f")], "any", "f: not called often enough: each call of "),
        (
            [call("f"), call("g")],
            [call("g"), call("f")],
            "in_order",
            "called, but not in this order",
        ),
    ],
)
def test_a_missed_call_is_told_apart_by_why(
    expected: Any, actual: Any, order: str, details: str
) -> None:
    (entry,) = scored(expected, actual, order=order)["missedCalls"]

    assert entry["expected"] in expected
    assert (entry["status"], entry["argsMatch"]) == ("missed", False)
    assert details in entry["details"]


def test_an_extra_call_is_the_call_and_nothing_more() -> None:
    answer = scored([], [call("f", a=1), {"name": "g", "arguments": {}, "id": "call_7"}])

    assert answer["extraCalls"] == [call("f", a=1), {"tool": "g", "args": {}, "id": "call_7"}]


@pytest.mark.parametrize(
    ("expected", "options", "details"),
    [
        ([call("g"), call("f")], {"order": "in_order"}, "expected, but not in this order"),
        ([{"forbid": "f"}, call("g")], {}, "forbidden: must not be called"),
        (
            [{"optional": call("f", a=2)}, call("g")],
            {},
            "differs from the call in the reference: f(a=2)",
        ),
    ],
)
def test_of_an_extra_call_that_was_nearly_expected_more_is_said(
    expected: Any, options: Any, details: str
) -> None:
    answer = scored(expected, [call("f", a=1), call("g")], **options)

    assert answer["extraCalls"] == [{**call("f", a=1), "details": details}]


def test_a_forbidden_call_is_listed_and_costs_everything() -> None:
    answer = scored([call("f"), {"forbid": "delete_*"}], [call("f"), call("delete_all")])

    assert answer["score"] == 0.0
    assert answer["forbiddenCalls"] == [call("delete_all")]
    assert answer["summary"].endswith("| Forbidden: 1")


def test_calls_that_do_not_count_are_listed_with_why() -> None:
    tools = [{"name": "get_seat", "effect": "read"}, {"name": "book", "effect": "write"}]
    calls = [call("get_seat"), call("book", seat=1)]

    answer = scored(calls, calls[1:] + calls[:1], mode="outcome", tools=tools)

    assert answer["totalExpected"] == answer["totalActual"] == 1
    assert answer["ignoredCalls"] == [
        {"side": "expected", "why": "read", "call": call("get_seat")},
        {"side": "actual", "why": "read", "call": call("get_seat")},
    ]


def test_expected_calls_are_spelled_as_they_were_sent() -> None:
    expected = [
        {"tool": "f"},
        {"tool": "g", "args": {"a": {"$gt": 5}, "b": {"$literal": {"$x": 1}}}},
    ]

    answer = scored(expected, [])

    assert [entry["expected"] for entry in answer["missedCalls"]] == expected


def test_arguments_that_cannot_be_read_are_null_with_what_stood_there() -> None:
    answer = scored([call("f", a=1)], [{"tool": "f", "args": '{"a": 1'}])

    (entry,) = answer["incorrectCalls"]
    assert entry["actual"] == {
        "tool": "f",
        "args": None,
        "raw": '{"a": 1',
        "error": "truncated_json",
    }
    assert entry["details"] == "the arguments are not a JSON object: truncated text"


def test_faults_are_there_where_tools_are_and_only_there() -> None:
    tools = [{"name": "f", "parameters": {"type": "object", "required": ["a"]}}]

    with_tools = scored([call("f")], [call("f")], tools=tools)
    without = scored([call("f")], [call("f")])

    assert with_tools["faults"] == [
        {
            "kind": "missing_argument",
            "tool": "f",
            "index": 0,
            "path": "$.a",
            "value": None,
            "required": "a",
            "since": None,
            "reason": "f: a: required, but not given",
        }
    ]
    assert "faults" not in without


def test_a_check_without_tools_finds_what_shows_by_itself() -> None:
    answer = check_tool_calls({"actual": [call("f"), call("f"), {"tool": "g", "args": "no"}]})

    assert [fault["kind"] for fault in answer["faults"]] == ["repeat", "malformed"]
    assert (answer["totalActual"], answer["faultyCalls"]) == (3, 2)
    assert answer["parametersValid"] is None
    assert answer["summary"] == "Calls: 3 | Faulty: 2 | Faults: 2"


@pytest.mark.parametrize(
    ("calls", "kind", "reason"),
    [
        ([call("f"), call("g"), call("f")], "repeat", "f: exact repeat of the call at index 0"),
        (
            [call("number 1"), call("number 1")],
            "repeat",
            "number 1: exact repeat of the call at index 0",
        ),
        (
            [call("h"), *[call("f", a=1), call("g", a=1)] * 3],
            "loop",
            "g: third repetition of a loop that starts at the call at index 1 (f, g)",
        ),
        (
            [{**call("f"), "result": "Error: no", "failed": True}, call("f")],
            "retry_unchanged",
            "f: unchanged repeat of the call at index 0, which failed",
        ),
    ],
)
def test_sentences_about_several_calls_count_as_the_fields_beside_them_do(
    calls: Any, kind: str, reason: str
) -> None:
    faults = check_tool_calls({"actual": calls})["faults"]

    (fault,) = [fault for fault in faults if fault["kind"] == kind][:1]
    assert fault["reason"] == reason
    assert f"index {fault['since']}" in reason


def test_a_check_with_tools_tells_the_share_of_valid_calls() -> None:
    tools = [{"name": "search", "parameters": {"type": "object"}}]

    answer = check_tool_calls({"actual": [call("search"), call("serch")], "tools": tools})

    assert answer["faults"][0]["reason"] == "serch: unknown tool. Did you mean 'search'?"
    assert answer["parametersValid"] == 0.5
    assert answer["summary"] == "Calls: 2 | Faulty: 1 | Faults: 1 | Parameters valid: 50.0%"
