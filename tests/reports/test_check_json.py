"""What checking calls gave, as JSON."""

from __future__ import annotations

import msgspec

from callscore.checks.check import CheckResults, Finding, ToolFaults
from callscore.core.call import ToolCall
from callscore.core.results import Noted
from callscore.core.score import Fault
from callscore.reports.check import jsonl_line, write_json

FINDING = Finding(
    "a.jsonl:1",
    "trip #0",
    ToolCall("f", {"a": float("nan")}),
    Fault("wrong_type", "f", 0, "$.a", float("nan"), "string", keyword="type"),
)
FOUND = {
    "kind": "wrong_type",
    "tool": "f",
    "message": "f: a: must be of the type string, got NaN",
    "place": "a.jsonl:1",
    "run": "trip #0",
    "index": 0,
    "path": "$.a",
    "value": "NaN",
    "wanted": "string",
    "keyword": "type",
    "since": None,
    "call": {"name": "f", "arguments": {"a": "NaN"}},
}


def test_the_document_has_every_number_and_finding() -> None:
    results = CheckResults(
        files=1,
        runs=2,
        calls=4,
        faulty_calls=1,
        checked_calls=4,
        unchecked_calls=1,
        invalid_calls=1,
        tools={"f": ToolFaults(3, {"wrong_type": 1})},
        findings=(FINDING,),
        not_shown=2,
        without_tools=Noted(1, ("x",)),
    )

    assert msgspec.json.decode(write_json(results)) == {
        "files": 1,
        "runs": 2,
        "calls": 4,
        "faulty_calls": 1,
        "checked_calls": 4,
        "unchecked_calls": 1,
        "invalid_calls": 1,
        "parameters_valid": 0.75,
        "faults": {"wrong_type": 1},
        "tools": {"f": {"calls": 3, "faults": {"wrong_type": 1}}},
        "findings": [FOUND],
        "not_shown": 2,
        "without_tools": {"count": 1, "names": ["x"]},
        "unusable": {"count": 0, "names": []},
        "without_calls": {"count": 0, "names": []},
        "skipped": {"count": 0, "names": []},
    }


def test_a_finding_is_one_line() -> None:
    line = jsonl_line(FINDING, lang="ru")

    assert line.endswith("}\n")
    assert msgspec.json.decode(line) == {
        **FOUND,
        "message": "f: a: нужен тип string, получено NaN",
    }
