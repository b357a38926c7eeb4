"""Records of others: what no column holds, or could harm, is refused."""

from __future__ import annotations

from typing import Any

import pytest
from tests.history.made_up import a_result, a_run, an_answer, an_evaluation

from callscore.core.results import MetricValue, Usage
from callscore.core.settings import Settings
from callscore.engines.payloads import settings_payload
from callscore.history.exchange.json_lines import record_problem


def test_what_we_write_ourselves_is_sound() -> None:
    run = a_run(parent="20261115-184354-b2c4", finished_at=1_794_768_240.0, git_commit="a" * 40)
    result = a_result(
        run.id,
        faults=2,
        tools={"f": (1, 0, 0, 0, 0)},
        expectation="ab" * 16,
        failure=("raised", ""),
    )

    settings = settings_payload(Settings(strip_prefix=("a.",), effects=(("get_*", "read"),)))
    evaluation = an_evaluation(run.id, settings=settings)
    for record in (run, evaluation, result, an_answer(run.id)):
        assert record_problem(record) is None


@pytest.mark.parametrize(
    "name", ["", "../up", "a/b", "a\\b", "-o", ".hidden", "latest", "a" * 65, "a\n", "прогон"]
)
def test_an_id_names_no_other_file_and_no_option(name: str) -> None:
    assert "is not the id of a run" in str(record_problem(a_run(name)))
    assert "parent: " in str(record_problem(a_run(parent=name)))


@pytest.mark.parametrize(
    ("others", "told"),
    [
        ({"totals": {"cases": "many"}}, "totals: "),
        ({"totals": {"scorers": [{"name": "a", "mean": "b"}]}}, "totals: "),
        ({"totals": {"macro_f1_interval": [0.5]}}, "totals: "),
        ({"totals": {"answered": -1}}, "totals: "),
        ({"totals": {"passed_share": 1.5}}, "totals: "),
        ({"totals": {"macro_f1_interval": [0.5, 7.0]}}, "totals: "),
        ({"name": "latest~1"}, "name: "),
        ({"name": "-o"}, "name: "),
        ({"command": "score", "arguments": {"cases": "cases.jsonl"}}, "arguments: "),
        ({"command": "score", "arguments": {"actual": [7]}}, "arguments: "),
        ({"arguments": {"paths": "evals"}}, "arguments: "),
        ({"arguments": {"cases": ["a"]}}, "arguments: "),
        ({"command": "x" * 33}, "command: "),
        ({"git_commit": "x" * 65}, "git_commit: "),
        ({"started_at": -1.0}, "started_at: "),
        ({"started_at": 1e300}, "started_at: "),
        ({"finished_at": float("nan")}, "finished_at: "),
    ],
)
def test_a_run_fits_its_columns(others: dict[str, Any], told: str) -> None:
    assert str(record_problem(a_run(**others))).startswith(told)


@pytest.mark.parametrize(
    ("others", "told"),
    [
        ({"evaluation": -1}, "evaluation: "),
        ({"payload": {"tags": "smoke"}}, "payload: "),
        ({"payload": {"expected": 7}}, "payload: "),
        ({"comparison": {"pairs": [[0, 0]]}}, "comparison: "),
        ({"comparison": {"differences": [{"pair": 0}]}}, "comparison: "),
        ({"f1": 1.5}, "f1: "),
        ({"f1": float("nan")}, "f1: "),
        ({"values": (MetricValue("accuracy", float("inf")),)}, "values: "),
        ({"trial": 2**31}, "trial: "),
        ({"faults": -1}, "faults: "),
        ({"counts": (1, 2, 3)}, "counts: 3 numbers"),
        ({"counts": (-1, 0, 0, 0, 0, 0, 0)}, "counts: -1"),
        ({"tools": {"f": (0, 0, 0, 0, 2**40)}}, "counts: "),
        ({"failure": ("k" * 17, "")}, "failure: "),
        ({"expectation": "not hexadecimal"}, "expectation: "),
        ({"asked": "ABCD" * 8}, "asked: "),
        ({"attempts": 40_000}, "attempts: "),
        ({"seconds": -0.5}, "seconds: "),
        ({"usage": Usage(1, -2, 3)}, "usage: input_tokens"),
        ({"finished_at": 1e12}, "finished_at: "),
    ],
)
def test_a_result_fits_its_columns(others: dict[str, Any], told: str) -> None:
    assert str(record_problem(a_result("run", **others))).startswith(told)


def test_an_evaluation_and_an_answer_fit_theirs() -> None:
    assert str(record_problem(an_evaluation("run", -1))).startswith("number: ")
    assert str(record_problem(an_evaluation("run", summary={"passed": None}))).startswith(
        "summary: "
    )
    odd = an_evaluation("run", settings={"arguments": [7]})
    assert str(record_problem(odd)).startswith("settings: ")
    assert "'nonsense'" in str(record_problem(an_evaluation("run", settings={"nonsense": 1})))
    assert "settings: " in str(record_problem(an_evaluation("run", settings={"mode": "lenient"})))
    endless = an_evaluation("run", thresholds={"accuracy": float("inf")})
    assert str(record_problem(endless)).startswith("thresholds: ")
    assert str(record_problem(an_answer("run", trial=-1))).startswith("trial: ")
    assert str(record_problem(an_answer("run", asked_at=-1.0))).startswith("asked_at: ")
