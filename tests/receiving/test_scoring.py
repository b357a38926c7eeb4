"""Scores of traces as they come: the same numbers as of the file that is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.receiving.made_up import Clock, a_receiver, a_span, a_tool_span, an_entry, lines_of

from callscore.core.call import Tool
from callscore.core.settings import settings_from
from callscore.engines.inputs import InputOptions
from callscore.engines.local import score_joined
from callscore.errors import CallscoreError, UnreadableInput
from callscore.receiving.scoring import (
    Checker,
    Outcome,
    Scorer,
    read_references,
    reason_text,
    result_fields,
)

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.core.results import Result
    from callscore.receiving.closed_traces import ClosedTrace

AGENT: dict[str, Any] = {"gen_ai__operation__name": "invoke_agent"}
REFERENCES: list[dict[str, Any]] = [
    {"id": "paris", "expected": [{"name": "get_weather", "arguments": {"city": "Paris"}}]},
    {"id": "rome", "expected": [{"name": "get_weather", "arguments": {"city": "Rome"}}]},
    {"id": "never", "expected": []},
    {"id": "silent", "expected": []},
]
MATCH = "callscore.case_id"


def a_run(trace: int, case: str | None, city: str) -> list[dict[str, Any]]:
    named: dict[str, Any] = {} if case is None else {"callscore__case_id": case}
    return [
        a_span(trace, 1, **AGENT, **named),
        a_tool_span(trace, 2, 1, "get_weather", f'{{"city": "{city}"}}'),
    ]


RUNS = [
    *a_run(1, "paris", "Paris"),
    *a_run(2, "rome", "Oslo"),
    *a_run(3, "berlin", "Berlin"),
    *a_run(4, None, "Paris"),
    a_span(5, 2, 1, **AGENT, callscore__case_id="paris"),
    a_span(5, 3, 1, **AGENT, callscore__case_id="rome"),
    a_span(6, 1, name="GET /health"),
]


def a_file(tmp_path: Path, *references: dict[str, Any]) -> str:
    path = tmp_path / "references.jsonl"
    path.write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in references))
    return str(path)


def received(
    tmp_path: Path, judge: Scorer | Checker, *spans: dict[str, Any]
) -> dict[str, tuple[ClosedTrace, Outcome]]:
    """What becomes of each trace, by its id."""
    found: dict[str, tuple[ClosedTrace, Outcome]] = {}

    def fields_of(trace: ClosedTrace) -> dict[str, Any]:
        outcome = judge.take(trace)
        found[trace.id] = trace, outcome
        return result_fields(outcome, reason_text(trace, outcome, MATCH))

    receiver = a_receiver(tmp_path / "t.jsonl", Clock(), fields_of=fields_of)
    receiver.accept(an_entry(*spans))
    receiver.finish()
    return found


def test_the_numbers_are_those_of_the_file(tmp_path: Path) -> None:
    path = a_file(tmp_path, *REFERENCES[:3])
    scorer = Scorer(read_references([path], InputOptions()))
    received(tmp_path, scorer, *RUNS)

    live = scorer.results()
    later = score_joined(path, tmp_path / "t.jsonl", show="none", max_shown=0)

    assert live.summary.macro_f1 == later.summary.macro_f1 == 1 / 3
    assert live.not_run == later.not_run
    assert live.without_reference.names == ("berlin",)
    # In the file, those that name no case have the ids of traces, of which no reference has one.
    assert later.without_reference.count == 4


def test_each_trace_says_what_became_of_it(tmp_path: Path) -> None:
    path = a_file(tmp_path, *REFERENCES)
    scorer = Scorer(read_references([path], InputOptions()))

    found = received(tmp_path, scorer, *RUNS, a_span(7, 1, callscore__case_id="silent"))

    outcomes = {name: outcome.unscored for name, (_, outcome) in found.items()}
    reasons = {name: reason_text(*each, MATCH) for name, each in found.items()}
    assert outcomes == {
        "paris": "",
        "rome": "",
        "berlin": "unknown",
        f"{4:032x}": "nameless",
        f"{5:032x}": "ambiguous",
        f"{6:032x}": "nameless",
        "silent": "unreadable",
    }
    assert reasons["paris"] == ""
    assert reasons[f"{5:032x}"] == "its spans have several values of callscore.case_id: paris, rome"
    assert "instrumented" in reasons["silent"]
    results = scorer.results()
    assert results.not_run.names == ("silent", "never")  # it expects no calls, and has not passed
    lines = {line["id"]: line for line in lines_of(tmp_path / "t.jsonl")}
    assert lines["paris"]["result"] == {
        "passed": True,
        "f1": 1.0,
        "precision": 1.0,
        "recall": 1.0,
        "correct": 1,
        "incorrect": 0,
        "missed": 0,
        "extra": 0,
    }
    assert lines["rome"]["result"]["passed"] is False
    assert lines["berlin"]["problem"] == "no reference has this id"
    assert reason_text(*found["berlin"], MATCH, "ru") == "такого id нет среди эталонов"


def test_a_part_that_comes_late_is_not_scored(tmp_path: Path) -> None:
    scorer = Scorer(read_references([a_file(tmp_path, *REFERENCES)], InputOptions()))
    received(tmp_path, scorer, *a_run(1, "paris", "Paris"))

    found = received(tmp_path, scorer, a_span(1, 3, 1, **AGENT, callscore__case_id="paris"))

    ((trace, outcome),) = found.values()
    assert (trace.id, outcome.unscored) == ("paris/part-2", "late")
    assert scorer.results().summary.scored == 1


def test_settings_tools_and_metrics_count(tmp_path: Path) -> None:
    results: list[Result] = []
    scorer = Scorer(
        read_references([a_file(tmp_path, *REFERENCES)], InputOptions()),
        settings=settings_from({}, preset="flexible"),
        tools={
            "get_weather": Tool("get_weather", parameters={"type": "object", "required": ["x"]})
        },
        metrics=["ragas.tool_call_f1"],
        on_result=results.append,
    )

    found = received(tmp_path, scorer, *a_run(1, "paris", "Paris"))

    score = found["paris"][1].score
    assert score is not None
    assert [fault.kind for fault in score.faults or ()] == ["missing_argument"]
    assert [value.name for value in results[0].values] == ["ragas.tool_call_f1"]
    assert scorer.results().metrics[0].mean == 1.0


def test_without_references_traces_are_counted(tmp_path: Path) -> None:
    results: list[Result] = []
    scorer = Scorer({}, on_result=results.append)

    found = received(tmp_path, scorer, *a_run(1, None, "Paris"))

    ((trace, outcome),) = found.values()
    assert outcome.unscored == "received"
    assert reason_text(trace, outcome, MATCH) == ""
    assert [result.status for result in results] == ["not_scored"]


def test_references_that_cannot_be_used_are_refused_at_the_start(tmp_path: Path) -> None:
    wrong: dict[str, list[dict[str, Any]]] = {
        "no references": [],
        "has no id": [{"expected": [{"name": "f"}]}],
        "duplicate reference id 'a'": [{"id": "a", "expected": []}, {"id": "a", "expected": []}],
        "expected": [{"id": "a", "expcted": []}],
    }
    for problem, references in wrong.items():
        with pytest.raises(UnreadableInput, match=problem):
            read_references([a_file(tmp_path, *references)], InputOptions())


def test_a_reference_that_contradicts_the_settings_is_refused_at_the_start(tmp_path: Path) -> None:
    turns = [{"expected": [{"name": "f"}]}, {"expected": [{"in_order": [{"name": "g"}]}]}]
    path = a_file(tmp_path, {"id": "a", "turns": turns}, {"id": "b", "expected": [{"forbid": []}]})

    with pytest.raises(CallscoreError):
        Scorer(read_references([path], InputOptions()))


def test_a_case_that_cannot_be_scored_is_reported_and_the_next_one_is_scored(
    tmp_path: Path,
) -> None:
    call = {"name": "get_weather", "arguments": {"city": {"$judge": "a city"}}}
    path = a_file(tmp_path, {"id": "judged", "expected": [call]}, *REFERENCES)
    scorer = Scorer(read_references([path], InputOptions()))

    found = received(tmp_path, scorer, *a_run(1, "judged", "Oslo"), *a_run(2, "paris", "Paris"))

    assert found["judged"][1].unscored == "unreadable"
    assert "judge" in found["judged"][1].problem
    assert found["paris"][1].score is not None
    assert scorer.results().skipped.count == 1


def test_calls_are_checked_without_references(tmp_path: Path) -> None:
    tools = {"get_weather": Tool("get_weather", parameters={"type": "object", "required": ["x"]})}
    checker = Checker(tools, max_shown=10)

    found = received(tmp_path, checker, *a_run(1, "paris", "Paris"), a_span(2, 1, **AGENT))

    kinds = [[fault.kind for fault in outcome.faults or ()] for _, outcome in found.values()]
    results = checker.results()
    assert kinds == [["missing_argument"], []]
    assert (results.runs, results.faulty_runs, results.faulty_calls) == (2, 1, 1)
    (first, _) = lines_of(tmp_path / "t.jsonl")
    assert first["faults"][0]["kind"] == "missing_argument"


def test_a_trace_that_cannot_be_checked_is_counted(tmp_path: Path) -> None:
    checker = Checker(None, max_shown=10)
    trace = msgspec.structs.replace(
        received(tmp_path, checker, a_span(1, 1, **AGENT))[f"{1:032x}"][0],
        case=None,
        problem="damaged",
    )

    outcome = checker.take(trace)

    assert (outcome.unscored, outcome.problem) == ("unreadable", "damaged")
    assert checker.results().skipped.count == 1
    assert Scorer({}).take(trace).unscored == "unreadable"


def test_a_finding_names_its_trace_once(tmp_path: Path) -> None:
    tools = {"get_weather": Tool("get_weather", parameters={"type": "object", "required": ["x"]})}
    checker = Checker(tools, max_shown=10)

    received(tmp_path, checker, *a_run(1, "paris", "Paris"), *a_run(2, None, "Paris"))

    found = [(finding.place, finding.run) for finding in checker.results().findings]
    assert found == [(f"trace {1:032x}", "paris"), (f"trace {2:032x}", None)]
