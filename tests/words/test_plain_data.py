"""Plain data."""

from __future__ import annotations

from math import nan
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from tests.core.encoders import accepted_by_all, nested
from tests.reports.runs import ATTACKED, FINE, MIXED, NOTHING, VARIANTS, WEATHER

from callscore.core.call import Tool, ToolCall
from callscore.core.case import Forbidden, Group, Times
from callscore.core.counted_calls import Ignored
from callscore.core.results import (
    CaseScore,
    CaseValues,
    MetricResult,
    MetricValue,
    Noted,
    Results,
    RunResults,
    ScorerResult,
)
from callscore.core.rules import Matcher
from callscore.core.score import Fault, Score
from callscore.core.scoring import score_calls
from callscore.core.settings import Settings
from callscore.core.statistics import wilson
from callscore.core.summary import Summary
from callscore.words.plain_data import (
    call_to_dict,
    case_to_dict,
    results_to_dict,
    run_to_dict,
    score_to_dict,
    tool_to_dict,
)


def example() -> Score:
    """Worked example (a), with the id of a call and a call that cannot be read."""
    expected = (
        ToolCall("searchWeb", {"query": "AI"}, id="call_1"),
        ToolCall("summarize", {"text": "long"}),
    )
    actual = (
        ToolCall("searchWeb", {"query": "AI"}),
        ToolCall("summarize", {"text": "short"}),
        ToolCall("translateText", raw="{oops", error="unexpected end"),
    )
    return score_calls(expected, actual, Settings())


def test_the_worked_example_is_exported_whole() -> None:
    exported = accepted_by_all(example().to_dict())

    assert exported == {
        "score": 0.4,
        "f1": 0.4,
        "precision": 1 / 3,
        "recall": 0.5,
        "total_expected": 2,
        "total_actual": 3,
        "is_exact": False,
        "passed": False,
        "tool_selection": 0.8,
        "argument_accuracy": 0.5,
        "tool_called": 1,
        "parameters_valid": None,
        "rating": "Poor",
        "summary": "Accuracy Score: 40.0% | Correct: 1/2 | Incorrect: 1 | Missed: 0 | Extra: 1",
        "correct": [
            {
                "expected": {"name": "searchWeb", "arguments": {"query": "AI"}, "id": "call_1"},
                "actual": {"name": "searchWeb", "arguments": {"query": "AI"}},
                "expected_index": 0,
                "actual_index": 0,
                "overlap": 1.0,
                "differences": [],
            }
        ],
        "incorrect": [
            {
                "expected": {"name": "summarize", "arguments": {"text": "long"}},
                "actual": {"name": "summarize", "arguments": {"text": "short"}},
                "expected_index": 1,
                "actual_index": 1,
                "overlap": 0.0,
                "differences": [
                    {
                        "path": "$.text",
                        "kind": "value",
                        "expected": "long",
                        "actual": "short",
                        "reason": 'text: expected "long", got "short"',
                    }
                ],
            }
        ],
        "missed": [],
        "extra": [{"name": "translateText", "raw": "{oops", "error": "unexpected end"}],
        "forbidden": [],
        "ignored": [],
        "faults": None,
        "turns": [],
        "turn_mean": None,
        "turn_min": None,
        "first_wrong_turn": None,
        "expectation": None,
        "settings": {
            "mode": "strict",
            "argument_match_threshold": 0.8,
            "order": "any",
            "extra_arguments": "ignore",
            "pass_mark": 1.0,
            "strip_prefix": [],
            "normalize_name": [],
            "count_calls": "all",
            "failed_calls": "count",
            "repeated_calls": "count",
            "arrays": "ordered",
            "nested_objects": "equal",
            "extra_calls": "cost",
            "schema_defaults": "differ",
            "turns": "separate",
            "effects": [],
            "arguments": [],
            "top_k": 1,
            "similarity": None,
            "judge": None,
        },
    }


def test_forbidden_calls_are_exported_and_say_what_the_score_is() -> None:
    calls = (ToolCall("a", {}), ToolCall("delete_all", {"id": 7}))

    expectation = (calls[0], Forbidden("drop_*"), Forbidden("delete_*"))
    score = Score(calls[:1], calls, 1, forbidden=(1,), expectation=expectation)
    exported = accepted_by_all(score_to_dict(score))

    assert (exported["score"], exported["passed"], exported["recall"]) == (0, False, 1)
    call = {"name": "delete_all", "arguments": {"id": 7}}
    assert exported["extra"] == [call]
    assert exported["forbidden"] == [{**call, "index": 1, "pattern": "delete_*"}]
    assert exported["summary"].endswith("| Extra: 1 | Forbidden: 1")


def test_a_pattern_is_named_also_if_it_is_about_what_is_not_compared_of_a_name() -> None:
    settings = Settings(strip_prefix=("mcp__*__",))
    expected = (Forbidden("mcp__a__delete"), Forbidden("mcp__*__drop"))

    score = score_calls(expected, (ToolCall("mcp__x__drop", {}),), settings)

    forbidden = score_to_dict(score)["forbidden"][0]
    assert (forbidden["name"], forbidden["pattern"]) == ("mcp__x__drop", "mcp__*__drop")


def test_calls_that_do_not_count_are_exported_with_their_side_and_the_reason() -> None:
    ignored = (
        Ignored(ToolCall("get", {"a": Matcher("$any")}), "expected", "read"),
        Ignored(ToolCall("get", {"a": {"$any": True}}), "actual", "failed"),
    )

    exported = accepted_by_all(score_to_dict(Score((), (), 0, ignored=ignored)))

    call = {"name": "get", "arguments": {"a": {"$any": True}}}
    assert exported["ignored"] == [
        {"side": "expected", "why": "read", "call": call},
        {"side": "actual", "why": "failed", "call": call},
    ]


def test_faults_are_exported_with_their_sentence() -> None:
    calls = (ToolCall("book", {}),)
    fault = Fault("unknown_tool", "book", 0, required="look")

    exported = accepted_by_all(score_to_dict(Score(calls, calls, 1, faults=(fault,)), lang="ru"))

    assert exported["parameters_valid"] == 0
    assert exported["faults"] == [
        {
            "kind": "unknown_tool",
            "tool": "book",
            "index": 0,
            "path": "$",
            "value": None,
            "required": "look",
            "detail": None,
            "keyword": None,
            "since": None,
            "reason": "book: неизвестный инструмент. Возможно, имелся в виду «look»?",
        }
    ]


def test_what_was_expected_is_exported_as_a_case_file_spells_it() -> None:
    call = ToolCall("f", {"n": Matcher("$gt", 1, {"$lte": 5}), "filter": {"$gt": 5}})
    expectation = (
        Group("one_of", (call, Group("in_order", (call, call)))),
        Times(ToolCall("g"), 0, None),
        Forbidden("delete_*"),
    )

    exported = accepted_by_all(score_to_dict(Score((call,), (), 0, expectation=expectation)))

    spelled = {
        "name": "f",
        "arguments": {"n": {"$gt": 1, "$lte": 5}, "filter": {"$literal": {"$gt": 5}}},
    }
    assert exported["missed"] == [spelled]
    assert exported["expectation"] == [
        {"one_of": [spelled, {"in_order": [spelled, spelled]}]},
        {"name": "g", "times": {"min": 0}},
        {"forbid": "delete_*"},
    ]


def test_what_no_case_file_can_say_is_exported_all_the_same() -> None:
    odd = ToolCall("f", {"a": {"$gt": Matcher("$any")}})
    deep = ToolCall("f", {"a": nested(100_000)})
    group = Group("optional", (odd,))

    exported = accepted_by_all(score_to_dict(Score((odd, deep), (), 0, expectation=(group,))))

    assert exported["missed"][0]["arguments"] == {"a": {"$gt": {"$any": True}}}
    assert exported["missed"][1]["name"] == "f"
    assert exported["expectation"][0].startswith("Group(")


def test_a_rule_that_is_not_met_is_exported_with_its_name_and_how_near_it_came() -> None:
    wanted = ToolCall("f", {"to": Matcher("$text", "New York", {"similarity": 0.9})})
    given = ToolCall("f", {"to": "New Cork"})

    exported = accepted_by_all(score_to_dict(score_calls((wanted,), (given,), Settings())))

    (difference,) = exported["incorrect"][0]["differences"]
    assert difference["kind"] == "matcher"
    assert difference["expected"] == {"$text": "New York", "similarity": 0.9}
    assert difference["actual"] == "New Cork"
    assert (difference["matcher"], difference["closeness"]) == ("$text", 0.875)
    assert difference["reason"].startswith('to: $text "New York", similarity 0.9, got "New Cork"')


class Judge:
    def __call__(self, question: str, value: Any) -> bool:
        return bool(question and value)


def alike(left: str, right: str) -> float:
    return float(left == right)


def test_settings_are_exported_whole_with_functions_by_their_names() -> None:
    settings = Settings(
        similarity=alike,
        judge=Judge(),
        arguments={"*.query": {"text": {"similarity": 0.85}}},  # type: ignore[arg-type]  # a mapping will do
        effects=(("get_*", "read"),),
    )

    exported = accepted_by_all(score_to_dict(Score((), (), 0, settings=settings)))["settings"]

    assert exported["similarity"].endswith("test_plain_data.alike")
    assert exported["judge"].endswith("test_plain_data.Judge")
    assert exported["arguments"] == [
        {"pattern": "*.query", "rule": "text", "options": {"similarity": 0.85}}
    ]
    assert exported["effects"] == [["get_*", "read"]]


def test_a_call_is_exported_with_what_is_known_of_it() -> None:
    call = ToolCall("f", {"a": nan}, id="call_1", positional=True)

    assert call_to_dict(call) == {
        "name": "f",
        "arguments": {"a": "NaN"},
        "id": "call_1",
        "positional": True,
    }
    assert call_to_dict(ToolCall("f", raw="{", error="truncated_json")) == {
        "name": "f",
        "arguments": None,
        "raw": "{",
        "error": "truncated_json",
    }


def test_a_tool_is_exported_with_its_effect_where_that_is_known() -> None:
    tool = {"name": "f", "description": None, "parameters": {"type": "object"}}

    assert tool_to_dict(Tool("f", None, {"type": "object"})) == tool
    assert tool_to_dict(Tool("f", None, {"type": "object"}, "read")) == tool | {"effect": "read"}


def test_sentences_are_exported_in_the_language_asked_for() -> None:
    exported = score_to_dict(example(), lang="ru")

    assert exported["rating"] == "Плохо"
    assert exported["incorrect"][0]["differences"][0]["reason"] == (
        'text: ожидалось "long", получено "short"'
    )


def test_a_call_that_cannot_be_read_exports_why() -> None:
    broken = ToolCall("f", raw="{oops", error="unexpected end")

    exported = score_calls((ToolCall("f", {"a": 1}),), (broken,), Settings()).to_dict()

    assert exported["incorrect"][0]["differences"][0]["reason"] == (
        "the arguments are not a JSON object: unexpected end"
    )


def test_results_are_exported_with_everything_that_was_not_scored() -> None:
    summary = Summary()
    for trial in range(2):
        summary.add(example(), trial_of=f"case {trial}")
        summary.add(example(), trial_of=f"case {trial}")
    results = Results(
        settings=Settings(),
        summary=summary,
        cases=(CaseScore(id="a", trial=1, tags=("x",), score=example()),),
        not_shown=3,
        not_scored=Noted(2, ("b", "c")),
        skipped=Noted(1, ("file:7",)),
        stopped=Noted(1, ("file:9: not JSON",)),
    )

    exported = accepted_by_all(results_to_dict(results))

    assert exported["totals"]["cases"] == 4
    assert exported["totals"]["passed"] == exported["totals"]["exact"] == 0
    assert exported["totals"]["exact_interval"][0] == 0
    assert exported["totals"]["macro"]["f1"] == 0.4
    assert exported["totals"]["macro"]["f1_interval"] is None
    assert exported["totals"]["micro"] == {"f1": 0.4, "precision": 1 / 3, "recall": 0.5}
    assert exported["calls"] == {
        "expected": 8,
        "actual": 12,
        "correct": 4,
        "incorrect": 4,
        "missed": 0,
        "extra": 4,
        "forbidden": 0,
    }
    assert exported["checks"] is None
    assert [row["tool"] for row in exported["tools"]] == ["summarize", "translateText", "searchWeb"]
    assert exported["wrong_arguments"] == [{"tool": "summarize", "argument": "text", "count": 4}]
    assert exported["confusion"] == [{"expected": None, "called": "translateText", "count": 4}]
    assert exported["trials"] == {"cases": 2, "pass_at_k": [0, 0], "pass_hat_k": [0, 0]}
    assert exported["not_scored"] == {"count": 2, "names": ["b", "c"]}
    assert exported["not_run"] == {"count": 0, "names": []}
    assert exported["skipped"] == {"count": 1, "names": ["file:7"]}
    assert exported["stopped"] == {"count": 1, "names": ["file:9: not JSON"]}
    assert exported["not_shown"] == 3
    assert exported["settings"]["mode"] == "strict"
    assert exported["cases"][0]["id"] == "a"
    assert exported["cases"][0]["trial"] == 1
    assert exported["cases"][0]["tags"] == ["x"]
    assert exported["cases"][0]["f1"] == 0.4


def test_forbidden_calls_and_faults_are_exported_for_every_tool() -> None:
    summary = Summary()
    faults = (Fault("unknown_argument", "searchWeb", 0), Fault("malformed", "translateText", 2))
    summary.add(replace(example(), forbidden=(2,), faults=faults))

    exported = accepted_by_all(results_to_dict(Results(settings=Settings(), summary=summary)))

    assert exported["totals"]["with_forbidden_calls"] == 1
    assert exported["calls"]["forbidden"] == 1
    assert {
        row["tool"]: (row["forbidden"], row["unknown_arguments"]) for row in exported["tools"]
    } == {"translateText": (1, 0), "summarize": (0, 0), "searchWeb": (0, 1)}
    assert exported["checks"] == {
        "cases": 1,
        "calls": 3,
        "valid": 1,
        "parameters_valid": 1 / 3,
        "faults": [
            {"tool": "searchWeb", "kind": "unknown_argument", "count": 1},
            {"tool": "translateText", "kind": "malformed", "count": 1},
        ],
    }


def test_cases_in_which_no_call_counts_are_exported() -> None:
    summary = Summary()
    summary.add(example())
    ignored = (Ignored(ToolCall("get", {}), "actual", "read"),)
    summary.add(Score((), (), 0, ignored=ignored))

    exported = results_to_dict(Results(settings=Settings(), summary=summary))

    assert exported["totals"]["without_counted_calls"] == 1


def test_the_interval_of_enough_cases_is_exported_by_its_ends() -> None:
    summary = Summary()
    for _ in range(10):
        summary.add(example())

    exported = accepted_by_all(results_to_dict(Results(settings=Settings(), summary=summary)))

    assert exported["totals"]["macro"]["f1_interval"] == pytest.approx(list(wilson(4, 10)))


def test_results_of_nothing_have_no_macro_numbers_and_no_trials() -> None:
    exported = accepted_by_all(results_to_dict(Results(settings=Settings(), summary=Summary())))

    assert exported["totals"]["macro"]["f1"] is None
    assert exported["totals"]["macro"]["f1_interval"] is None
    assert exported["trials"] is None
    assert exported["cases"] == []


def test_what_other_tools_say_is_exported_for_each_case_and_for_all() -> None:
    score = score_calls((), (), Settings())
    values = (MetricValue("a.b", 0.5), MetricValue("a.c", None, "it has \udc00 no number."))
    case = CaseScore(id="x", score=score, metrics=values)
    summary = Summary()
    summary.add(score)
    metrics = (
        MetricResult("a.b", 0.5, 1, version="2.0"),
        MetricResult("a.c", None, 0, Noted(1, ("why.",))),
    )

    exported = results_to_dict(
        Results(settings=Settings(), summary=summary, cases=(case,), metrics=metrics)
    )

    assert exported["metrics"] == [
        {
            "name": "a.b",
            "version": "2.0",
            "mean": 0.5,
            "scored": 1,
            "not_scorable": {"count": 0, "names": []},
        },
        {
            "name": "a.c",
            "version": None,
            "mean": None,
            "scored": 0,
            "not_scorable": {"count": 1, "names": ["why."]},
        },
    ]
    assert exported["cases"][0]["metrics"] == [
        {"name": "a.b", "value": 0.5, "reason": None},
        {"name": "a.c", "value": None, "reason": "it has \\udc00 no number."},
    ]


# What running agents gave, as plain data.


def first_of(run: RunResults) -> dict[str, Any]:
    found: dict[str, Any] = run_to_dict(run)["evaluations"][0]
    return found


def test_nothing_run_is_an_empty_document() -> None:
    assert run_to_dict(NOTHING) == {
        "id": "",
        "is_interrupted": False,
        "is_stopped": False,
        "seconds": 0.0,
        "totals": {
            "answered": 0,
            "passed": 0,
            "failing": 0,
            "undecided": 0,
            "errors": 0,
            "skipped": 0,
            "unreadable": 0,
            "with_forbidden_calls": 0,
            "reused": 0,
            "usage": {"requests": 0, "input_tokens": 0, "output_tokens": 0},
        },
        "evaluations": [],
        "unloaded": [],
        "judges": [],
        "below": [],
        "warnings": [],
    }


def test_the_totals_add_up_over_the_evaluations() -> None:
    document = run_to_dict(MIXED)

    assert document["totals"] == {
        "answered": 8,
        "passed": 3,
        "failing": 4,
        "undecided": 1,
        "errors": 4,
        "skipped": 1,
        "unreadable": 0,
        "with_forbidden_calls": 0,
        "reused": 2,
        "usage": {"requests": 9, "input_tokens": 12_345, "output_tokens": 678},
    }
    assert document["below"] == ["assistant: accuracy", "assistant: polite"]


def test_what_is_known_of_the_run_itself_is_there() -> None:
    document = run_to_dict(MIXED)

    assert document["id"] == "20261115-184354-k3f9"
    assert document["is_interrupted"] is True
    assert document["judges"] == [{"model": "gpt-4.1-mini", "judged": 12, "asked": 4}]
    assert document["warnings"] == list(MIXED.warnings)
    assert document["unloaded"][0]["place"] == "evals/eval_broken.py:3"
    assert document["unloaded"][0]["problem"].startswith("ModuleNotFoundError")


def test_a_scorer_says_whether_it_is_below_fail_under() -> None:
    scorers = {scorer["name"]: scorer for scorer in first_of(MIXED)["scorers"]}

    assert scorers["accuracy"] == {
        "name": "accuracy",
        "mean": 2 / 3,
        "scored": 5,
        "passed": 2,
        "fail_under": 0.9,
        "is_below": True,
        "not_scorable": {"count": 0, "names": []},
        "broken": {"count": 0, "names": []},
    }
    assert scorers["parameters_valid"]["is_below"] is False
    assert scorers["tool_called"]["fail_under"] is None


def test_errors_are_apart_from_failing_cases() -> None:
    evaluation = first_of(MIXED)

    assert (evaluation["failing"], evaluation["errors"]) == (3, 4)
    assert evaluation["failures"][0] == {
        "id": "convert-5-miles-to-km",
        "trial": None,
        "kind": "timeout",
        "problem": "no answer within 60 seconds",
        "details": "",
        "attempts": 3,
    }


def test_a_case_is_as_in_the_report_of_a_score_with_what_the_scorers_say() -> None:
    (case,) = first_of(MIXED)["cases"]

    alone = case_to_dict(WEATHER)
    assert case["values"] == alone.pop("metrics")
    assert {key: case[key] for key in case.keys() & alone.keys()} == {
        key: alone[key] for key in case.keys() & alone.keys()
    }
    assert alone.keys() - case.keys() == {"settings"}


def test_a_case_passes_where_every_scorer_says_so_and_not_for_its_score_alone() -> None:
    content, strict = MetricValue("polite", 1.0), MetricValue("polite", 0.2)
    each = MIXED.evaluations[0]
    cases = tuple(replace(WEATHER, metrics=(value,)) for value in (content, strict))
    run = RunResults(evaluations=(replace(each, results=replace(each.results, cases=cases)),))

    assert [case["passed"] for case in first_of(run)["cases"]] == [True, False]


def test_a_case_of_which_nothing_is_expected_has_its_calls_and_values() -> None:
    evaluation = run_to_dict(MIXED)["evaluations"][1]

    (case,) = evaluation["unreferenced"]
    assert case == {
        "id": "promise-me-a-refund",
        "trial": None,
        "tags": [],
        "passed": False,
        "values": [{"name": "no_promises", "value": 0.0, "reason": "it says “at once”"}],
        "calls": [
            {"name": "getWeather", "arguments": {"location": "Paris", "unit": "celsius"}},
            {"name": "reply", "arguments": {"text": "Of course, at once!"}},
        ],
    }


def test_no_number_from_any_scorer_is_neither_passed_nor_failed() -> None:
    each = replace(
        MIXED.evaluations[1],
        unreferenced=(CaseValues(id="a", values=(MetricValue("x", None, "no text"),)),),
    )

    assert first_of(RunResults(evaluations=(each,)))["unreferenced"][0]["passed"] is None


def test_a_broken_scorer_is_called_so_and_its_answer_does_not_pass() -> None:
    value = MetricValue("x", None, "it raises KeyError", is_broken=True)
    each = replace(MIXED.evaluations[1], unreferenced=(CaseValues(id="a", values=(value,)),))

    (case,) = first_of(RunResults(evaluations=(each,)))["unreferenced"]

    assert case["passed"] is False
    assert case["values"] == [
        {"name": "x", "value": None, "reason": "it raises KeyError", "broken": True}
    ]


def test_repeated_cases_have_their_trials_and_the_chances() -> None:
    evaluation = run_to_dict(VARIANTS)["evaluations"][1]

    assert evaluation["variant"] == "claude-sonnet-4"
    assert evaluation["trials"] == {
        "cases": [
            {"id": "weather", "trials": 3, "passed": 2, "is_flaky": True},
            {"id": "sum", "trials": 3, "passed": 3, "is_flaky": False},
        ],
        "pass_at_k": pytest.approx([(2 / 3 + 1) / 2, 1.0, 1.0]),
        "pass_hat_k": pytest.approx([(2 / 3 + 1) / 2, (1 / 3 + 1) / 2, 0.5]),
    }


def test_without_repetitions_there_is_nothing_about_trials() -> None:
    assert first_of(FINE)["trials"] is None


def test_the_numbers_of_the_calls_are_those_of_a_score_without_what_is_said_elsewhere() -> None:
    evaluation = first_of(MIXED)

    assert evaluation["results"]["totals"]["cases"] == 1
    assert evaluation["results"]["calls"]["incorrect"] == 1
    assert not {"cases", "metrics", "settings", "trials"} & evaluation["results"].keys()
    assert evaluation["settings"]["mode"] == "strict"
    assert evaluation["not_shown"] == 2


def test_sentences_can_be_had_in_russian() -> None:
    document = run_to_dict(MIXED, lang="ru")

    assert document["evaluations"][0]["cases"][0]["rating"] == "Плохо"


def test_anything_can_be_encoded() -> None:
    strange = "\ud800" + "\x00"
    each = replace(
        MIXED.evaluations[1],
        name=strange,
        scorers=(ScorerResult(name=strange, mean=float("nan")),),
        unreferenced=(CaseValues(id=strange, calls=(ToolCall(strange, {}),)),),
    )

    text = msgspec.json.encode(run_to_dict(RunResults(evaluations=(each,))))

    assert b'"mean":"NaN"' in text
    assert msgspec.json.decode(msgspec.json.encode(ATTACKED.to_dict())) == ATTACKED.to_dict()
