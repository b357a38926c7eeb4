"""One case as data for a page: aligned calls, reasons, and what the list and the filters need."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from callscore import expect, score
from callscore.core.call import ToolCall
from callscore.core.case import Case
from callscore.core.results import Answer, CaseScore, Failure, MetricValue, Result, SavedScore
from callscore.reports.html.case_view import (
    Problem,
    encode_view,
    index_row,
    problems_of,
    rows_of,
    view_of_case,
    view_of_result,
)


def view_data(case: CaseScore, lang: Any = "en") -> dict[str, Any]:
    found: dict[str, Any] = msgspec.json.decode(encode_view(view_of_case(case, lang)))
    return found


def result_data(result: Result) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.json.decode(encode_view(view_of_result(result)))
    return found


BOOKING = score(
    [
        ("search", {"query": "AI"}),
        ("book", {"to": "Oslo", "date": "2026-01-02", "seats": 2}),
        ("pay", {}),
    ],
    [
        ("search", {"query": "AI"}),
        ("think", {"text": "hm"}),
        ("book", {"to": "Oslo", "date": "2026-01-03", "bag": True}),
    ],
)


def test_calls_are_in_expected_order_with_extra_calls_where_they_happened() -> None:
    rows = [(row.mark, row.expected_index, row.actual_index) for row in rows_of(BOOKING, "en")]

    unset = msgspec.UNSET
    assert rows == [("=", 0, 0), ("+", unset, 1), ("~", 1, 2), ("-", 2, unset)]


def test_every_lost_point_has_a_reason() -> None:
    view = view_data(CaseScore(id="trip", score=BOOKING))

    _, extra, pair, missed = view["rows"]
    assert extra["notes"] == ["no expected call to pair with"]
    assert missed["notes"] == ["no actual call to pair with"]
    assert [(each["argument"], each["kind"]) for each in pair["differences"]] == [
        ("date", "value"),
        ("seats", "missing"),
        ("bag", "unexpected"),
    ]
    assert pair["differences"][0]["reason"] == 'date: expected "2026-01-02", got "2026-01-03"'


def test_a_missing_argument_has_no_actual_value_and_null_is_a_value() -> None:
    found = score([("f", {"a": None, "b": 1})], [("f", {"a": 2})])

    [row] = view_data(CaseScore(id="", score=found))["rows"]

    first, second = row["differences"]
    assert first["expected"] is None
    assert first["actual"] == 2
    assert "actual" not in second


def test_a_view_has_the_three_steps_the_numbers_and_the_counts() -> None:
    view = view_data(CaseScore(id="trip", score=BOOKING, tags=("travel",), input="Book a flight"))

    assert view["explanation"] == BOOKING.explain()
    assert view["summary"] == "1 correct, 1 incorrect, 1 missed, 1 extra"
    assert (view["status"], view["score"], view["rating"]) == ("failed", BOOKING.f1, "Poor")
    assert (view["tags"], view["input"], view["trial"]) == (["travel"], "Book a flight", None)


def test_sentences_are_in_the_language_of_the_report() -> None:
    view = view_data(CaseScore(id="trip", score=BOOKING), "ru")

    assert view["rating"] == "Плохо"
    assert view["rows"][1]["notes"] == ["нет ожидаемого вызова для пары"]


def test_an_actual_call_like_the_expected_one_is_not_repeated() -> None:
    found = score([("f", {"a": 1}), ("g", {"a": 1})], [("f", {"a": 1}), ("g", {"a": 1.0})])

    first, second = view_data(CaseScore(id="", score=found))["rows"]

    assert "actual" not in first
    assert second["actual"]["arguments"] == {"a": 1.0}


def test_the_result_of_a_correct_call_is_shown() -> None:
    call = ToolCall("f", {"a": 1}, result={"ok": True})

    [row] = view_data(CaseScore(id="", score=score([("f", {"a": 1})], [call])))["rows"]

    assert row["actual"]["result"] == {"ok": True}


def test_a_forbidden_call_says_which_pattern_forbids_it() -> None:
    found = score([expect.forbid("delete_*")], [("delete_file", {})])

    view = view_data(CaseScore(id="", score=found))

    assert view["rows"][0]["mark"] == "!"
    assert view["rows"][0]["notes"] == ["forbidden by delete_*: the score of the case is 0"]


def test_calls_that_do_not_count_are_listed_with_the_reason() -> None:
    found = score([("pay", {})], [("get_user", {}), ("pay", {})], preset="outcome")

    view = view_data(CaseScore(id="", score=found))

    assert [(each["side"], each["why"]) for each in view["ignored"]] == [("actual", "read")]
    assert view["notes"]


def test_matchers_and_groups_are_as_a_case_file_has_them() -> None:
    found = score([expect.any_order(expect.call("f", a=expect.contains("x")))], [("f", {"a": "y"})])

    view = view_data(CaseScore(id="", score=found))

    assert view["expectation"] == [
        {"any_order": [{"name": "f", "arguments": {"a": {"$contains": "x"}}}]}
    ]
    [difference] = view["rows"][0]["differences"]
    assert (difference["kind"], difference["expected"]) == ("matcher", {"$contains": "x"})


def test_values_that_json_does_not_have_are_text() -> None:
    deep: Any = 1
    for _ in range(300):
        deep = [deep]
    call = ToolCall("f\ud800", {"deep": deep, "nan": float("nan"), "big": 10**5000})
    found = score([("f\ud800", {"deep": 2})], [call])

    view = view_data(CaseScore(id="half \udc00", score=found, input={"half": "\ud800"}))

    assert view["rows"][0]["mark"] == "~"


def test_the_problems_of_a_case_name_the_class_the_tool_and_the_argument() -> None:
    problems = list(problems_of(BOOKING, "en"))

    assert problems == [
        Problem("wrong_tool", "pay", called="think"),
        Problem("value", "book", "date"),
        Problem("missing", "book", "seats"),
        Problem("unexpected", "book", "bag"),
    ]


def test_calls_in_the_wrong_order_are_a_class_of_their_own() -> None:
    found = score([("a", {}), ("b", {})], [("b", {}), ("a", {})], order="in_order")

    assert [problem.kind for problem in problems_of(found, "en")] == ["order"]


@pytest.mark.parametrize(("extra_calls", "called"), [("cost", "f"), ("free", None)])
def test_a_call_that_cannot_be_paired_says_why_also_if_it_is_free(
    extra_calls: Any, called: str | None
) -> None:
    first, second = ToolCall("f", {}, turn=0), ToolCall("f", {}, turn=1)
    turn = score([expect.turn(first), expect.turn()], [second], extra_calls=extra_calls)
    caller = score([ToolCall("f", {}, caller="user")], [first], extra_calls=extra_calls)

    assert list(problems_of(turn, "en")) == [Problem("turn", "f", called=called)]
    assert list(problems_of(caller, "en")) == [Problem("caller", "f", called=called)]
    missed = view_data(CaseScore(id="", score=caller))["rows"][0]
    assert missed["notes"] == ["made by the agent, expected of the user"]


def test_a_forbidden_call_is_not_an_extra_one_too() -> None:
    found = score([("f", {}), expect.forbid("g")], [("f", {}), ("g", {})])

    assert list(problems_of(found, "en")) == [Problem("forbidden", "g")]


def test_an_exact_case_has_no_problem() -> None:
    assert list(problems_of(score([("f", {})], [("f", {})]), "en")) == []


def test_the_index_has_the_tools_and_the_beginning_of_the_input() -> None:
    case = CaseScore(
        id="trip", score=BOOKING, input=[{"role": "user", "content": "Book\na flight"}]
    )

    row = index_row(view_of_case(case), case.score, "en")

    assert row.tools == ("search", "book", "pay", "think")
    assert row.about == "Book a flight"
    assert (row.status, row.score) == ("failed", BOOKING.f1)


def test_a_result_has_the_answer_the_values_and_the_cost() -> None:
    result = Result(
        case=Case("Hi", id="a", trial=2, metadata={"k": 1}),
        answer=Answer(document={"role": "assistant", "content": "Hello"}, seconds=1.5),
        score=BOOKING,
        values=(MetricValue("accuracy", 0.5, "half"),),
        passed=False,
    )

    view = result_data(result)

    assert (view["answer"], view["seconds"], view["metadata"]) == ("Hello", 1.5, {"k": 1})
    assert view["values"] == [{"name": "accuracy", "value": 0.5, "reason": "half"}]
    assert view["status"] == "failed"


def test_the_text_of_an_answer_is_the_last_message_of_the_assistant() -> None:
    chat = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
    no_text: list[Any] = [{"role": "assistant", "content": None, "tool_calls": []}]
    answers = [
        result_data(Result(case=Case(id="a"), answer=Answer(document=document)))["answer"]
        for document in (chat, no_text, {"output_text": "Yes"}, "plain")
    ]

    assert answers == ["Hello", no_text, "Yes", "plain"]


def test_an_error_says_what_happened_and_is_its_own_problem() -> None:
    failure = Failure(case="a", kind="timeout", problem="took 60 s", details="line 1")
    view = view_of_result(Result(case=Case(id="a"), status="error", failure=failure))

    row = index_row(view, None, "en")

    assert view.status == "error"
    assert view.failure == {
        "kind": "timeout",
        "title": "error: timeout",
        "problem": "took 60 s",
        "details": "line 1",
        "attempts": 1,
    }
    assert row.problems == (Problem("error", detail="timeout", title="error: timeout"),)


def test_a_stored_comparison_is_shown_if_the_score_cannot_be_computed_again() -> None:
    comparison = {
        "pairs": [[0, 0, True], [1, 1, False]],
        "missed": [2],
        "extra": [2],
        "forbidden": [],
        "differences": [
            {"pair": 1, "path": "$.a.b", "kind": "value", "expected": 1, "actual": 2, "reason": "r"}
        ],
        "faults": [],
    }
    case = Case(
        id="a",
        expected=[{"name": "f"}, {"name": "g"}, {"python": "anything()"}],
        actual=(ToolCall("f"), ToolCall("g", {"a": {"b": 2}}), ToolCall("h")),
    )
    result = Result(case=case, passed=False, saved=SavedScore(f1=0.4, comparison=comparison))

    view = view_of_result(result)
    data = result_data(result)

    assert [row["mark"] for row in data["rows"]] == ["=", "~", "-", "+"]
    assert data["rows"][2]["expected"] == {"name": "anything()"}
    assert data["rows"][1]["differences"][0]["argument"] == "a"
    assert index_row(view, None, "en").problems == (
        Problem("value", "g", "a"),
        Problem("missed", "anything()"),
        Problem("extra", "h"),
    )


def test_calls_without_an_expectation_are_listed_and_are_no_problem() -> None:
    result = Result(case=Case(id="a", actual=(ToolCall("f"),)), status="not_scored")

    view = view_of_result(result)

    assert [row.mark for row in view.rows] == ["+"]
    assert view.status == "unscored"
    assert index_row(view, None, "en").problems == ()


def test_a_comparison_of_another_version_shows_the_calls_alone() -> None:
    saved = SavedScore(f1=0.5, comparison={"pairs": "?"})
    result = Result(case=Case(id="a", actual=(ToolCall("f"),)), saved=saved)

    assert [row.mark for row in view_of_result(result).rows] == ["+"]


def test_schema_faults_are_notes_and_problems() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    tool = {"name": "f", "parameters": schema}
    found = score([("f", {"a": 1})], [("f", {"a": "x"})], tools=[tool])

    view = view_of_case(CaseScore(id="", score=found))
    kinds = {(each.kind, each.argument) for each in problems_of(found, "en")}

    assert view.notes
    assert ("schema", "a") in kinds


CHAT = score(
    [
        expect.turn(("a", {})),
        expect.turn(("b", {"n": 1}), ("c", {})),
        expect.turn(),
        ToolCall("end_state", {"paid": True}, kind="state"),
    ],
    [
        ToolCall("a", {}, turn=0),
        ToolCall("c", {}, turn=0),
        ToolCall("b", {"n": 2}, turn=1),
        ToolCall("end_state", {"paid": True}, kind="state"),
    ],
)


def test_a_case_with_turns_has_rows_by_turn_and_the_first_that_went_wrong() -> None:
    view = view_data(CaseScore(id="chat", score=CHAT))

    assert [(row["mark"], row.get("turn")) for row in view["rows"]] == [
        ("=", 1),
        ("+", 1),
        ("~", 2),
        ("-", 2),
        ("=", None),
    ]
    assert view["turns"] == [
        {"number": 1, "passed": False, "word": "66.7%"},
        {"number": 2, "passed": False, "word": "0.0%"},
        {"number": 3, "passed": True, "word": "no calls"},
    ]
    assert (view["first_wrong_turn"], view["state"]) == (1, "as expected")
    assert view["rows"][1]["notes"] == ["expected in another turn"]
    assert view["rows"][3]["notes"] == ["called, but in another turn"]


def test_the_index_has_the_first_wrong_turn_and_a_class_of_its_own() -> None:
    view = view_of_case(CaseScore(id="chat", score=CHAT))

    assert index_row(view, CHAT, "en").turn == 1
    assert Problem("turn", "c", called="c") in [*problems_of(CHAT, "en")]
    plain = view_of_case(CaseScore(id="trip", score=BOOKING))
    assert index_row(plain, BOOKING, "en").turn is None
    assert {"turns", "first_wrong_turn", "state"}.isdisjoint(
        view_data(CaseScore(id="trip", score=BOOKING))
    )


def test_turns_that_were_compared_as_one_are_noted() -> None:
    joined = score([expect.turn("a"), expect.turn("b")], ["a", "b"])

    assert view_data(CaseScore(id="chat", score=joined))["notes"] == [
        "The trace does not say where a turn begins: the turns were compared as one."
    ]
