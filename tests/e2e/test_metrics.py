"""`callscore metrics`, and `callscore score --metric`, as they are typed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import msgspec
import pytest

from callscore.metrics.registry import metric_providers

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Program

OSLO = {"name": "get_weather", "arguments": {"city": "Oslo"}}
BERGEN = {"name": "get_weather", "arguments": {"city": "Bergen"}}
CASES: tuple[dict[str, Any], ...] = (
    {"id": "right", "expected": [OSLO], "actual": [OSLO]},
    {"id": "wrong", "expected": [OSLO], "actual": [BERGEN]},
    {"id": "silent", "expected": [], "actual": []},
    {"id": "noisy", "expected": [], "actual": [OSLO]},
    {"id": "rules", "expected": [{"name": "f", "arguments": {"a": {"$any": True}}}], "actual": []},
)
TWO = ("--metric", "strands.exact", "--metric", "ragas.tool_call_f1")


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    return write(tmp_path / "cases.jsonl", *CASES)


def write(path: Path, *records: Any) -> Path:
    path.write_bytes(msgspec.json.Encoder().encode_lines(records))
    return path


def decoded(text: str) -> dict[str, Any]:
    return msgspec.json.decode(text, type=dict[str, Any])


def test_other_tools_numbers_stand_beside_our_own(callscore: Program, cases: Path) -> None:
    run = callscore("score", cases, *TWO)

    assert (run.returncode, run.stderr) == (0, "")
    assert "callscore, macro F1   0.400        5          0\n" in run.stdout
    assert "strands.exact         1.000        2          3\n" in run.stdout
    assert "ragas.tool_call_f1    0.250        4          1\n" in run.stdout
    assert "\n  1.000 strands.exact   0.000 ragas.tool_call_f1\n" in run.stdout
    assert "strands.exact: 3 cases not scorable (Strands divides by" in run.stdout


def test_every_report_for_machines_has_the_numbers(callscore: Program, cases: Path) -> None:
    report = decoded(callscore("score", cases, *TWO, "--format", "json").stdout)
    lines = callscore("score", cases, *TWO, "--format", "jsonl").stdout.splitlines()
    junit = ET.fromstring(callscore("score", cases, *TWO, "--format", "junit").stdout)  # noqa: S314  (our own text)

    assert [metric["mean"] for metric in report["metrics"]] == [1.0, 0.25]
    assert report["metrics"][1]["not_scorable"] == {
        "count": 1,
        "names": ["the expectation contains matchers, which other tools do not support."],
    }
    assert [decoded(line)["metrics"] for line in lines] == [
        case["metrics"] for case in report["cases"]
    ]
    assert report["cases"][1]["metrics"][1] == {
        "name": "ragas.tool_call_f1",
        "value": 0.0,
        "reason": None,
    }
    properties = junit.findall(".//testcase[@name='wrong']//property")
    assert [(item.get("name"), item.get("value")) for item in properties] == [
        ("strands.exact", "1.0"),
        ("ragas.tool_call_f1", "0.0"),
    ]


def test_all_metrics_are_listed(callscore: Program) -> None:
    run = callscore("metrics")

    assert (run.returncode, run.stderr) == (0, "")
    assert all(f"\n  {peer.name}." in run.stdout for peer in metric_providers())


def test_pages_about_metrics_are_shown(callscore: Program) -> None:
    run = callscore("metrics", "ragas.tool_call_f1", "strands.exact")

    assert run.stdout.startswith("Ragas 0.4.3\nragas.tool_call_f1\n\n")
    assert "(expected, actual)\n\nStrands Agents Evals 1.7.0\nstrands.exact\n" in run.stdout
    assert callscore("metrics", "ragas.no").returncode == 2


def test_pages_about_tools_and_what_python_can_call_are_shown(callscore: Program) -> None:
    run = callscore("metrics", "ragas", "tau_bench", "bfcl.ast_check")

    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.startswith("Ragas 0.4.3\n  ragas.tool_call_accuracy")
    assert "\n\ntau-bench 59a200c\n\nIt has no metric of a single case" in run.stdout
    assert "it is called from Python only." in run.stdout


def test_the_cases_on_which_the_tools_disagree_are_shown_with_the_reasons(
    callscore: Program, cases: Path
) -> None:
    run = callscore("metrics", "--disagree", cases)

    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.startswith(f"4 cases, {len(metric_providers()) + 1} metrics: all agree on ")
    assert "! 1 case not compared: fewer than two metrics have a number" in run.stdout
    assert "How often each metric is blind to a difference\n" in run.stdout
    assert "wrong   spread 1.000   differences: arguments\n" in run.stdout
    assert '  ~ city: "Oslo"     city: "Bergen"\n' in run.stdout
