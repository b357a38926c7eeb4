"""A file of cases as one side of a comparison."""

from __future__ import annotations

import gzip
import io
from typing import TYPE_CHECKING

import pytest

from callscore.comparing.comparison import compare_sides
from callscore.comparing.sides import TrialOutcome
from callscore.core.settings import Settings, settings_from
from callscore.engines.comparing_runs import is_case_file
from callscore.engines.file_sides import side_of_file
from callscore.engines.payloads import settings_payload
from callscore.errors import UnreadableInput
from callscore.history.exchange.json_lines import encode_line
from callscore.history.exchange.run_files import write_parquet_run
from callscore.history.records import RunRecord, settings_digest

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.comparing.sides import CaseOutcome

CASES = """\
{"id": "right", "input": "hi", "tags": ["smoke"], "expected": ["f"], "actual": ["f"]}
{"id": "half", "expected": ["f", "g"], "actual": ["f", "h"]}
{"id": "unanswered", "expected": ["f"]}
{"id": "open", "actual": ["f"]}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def cases_in(text: str, folder: Path, settings: Settings | None = None) -> list[CaseOutcome]:
    (folder / "cases.jsonl").write_text(text, encoding="utf-8")
    (evaluation,) = side_of_file("cases.jsonl", settings or Settings()).evaluations
    return list(evaluation.cases)


def test_every_case_of_a_file_is_there_in_order(folder: Path) -> None:
    right, half, unanswered, undecided = cases_in(CASES, folder)

    assert [right.id, half.id, unanswered.id, undecided.id] == [
        "right",
        "half",
        "unanswered",
        "open",
    ]
    assert right.tags == ("smoke",)
    (trial,) = half.trials
    assert (trial.status, trial.passed, trial.f1) == ("scored", False, 0.5)
    assert trial.values == (("accuracy", 0.5),)
    assert trial.tools == {"f": (1, 0, 0, 0, 0), "g": (0, 0, 1, 0, 0), "h": (0, 0, 0, 1, 0)}
    assert (trial.forbidden, trial.faults) == (0, None)


def test_a_case_without_an_answer_is_one_that_failed(folder: Path) -> None:
    *_, unanswered, _ = cases_in(CASES, folder)

    failed = TrialOutcome(status="error", failure="the file has no answer for this case")
    assert unanswered.trials == (failed,)
    assert unanswered.expectation


def test_a_case_that_expects_nothing_is_undecided(folder: Path) -> None:
    *_, undecided = cases_in(CASES, folder)

    (trial,) = undecided.trials
    assert (trial.status, trial.passed, trial.f1) == ("not_scored", None, None)
    assert trial.calls
    assert undecided.expectation == ""


def test_records_of_one_id_are_trials_of_one_case(folder: Path) -> None:
    (case,) = cases_in(
        '{"id": "a", "trial": 1, "expected": ["f"], "actual": ["f"]}\n'
        '{"id": "a", "trial": 2, "expected": ["f"], "actual": []}\n'
        '{"id": "a", "trial": 3, "expected": ["f"]}\n',
        folder,
    )

    assert [trial.passed for trial in case.trials] == [True, False, None]


def test_what_is_expected_asked_and_called_is_told_apart(folder: Path) -> None:
    one, same, other = cases_in(
        '{"id": "1", "input": "x", "expected": ["f"], "actual": [{"name": "f", "arguments": {}, "id": "c1"}]}\n'
        '{"id": "2", "input": "x", "expected": ["f"], "actual": [{"name": "f", "arguments": {}, "id": "c2"}]}\n'
        '{"id": "3", "input": "y", "expected": ["g"], "actual": [{"name": "f", "arguments": {"a": 1}}]}\n',
        folder,
    )

    assert (one.expectation, one.asked) == (same.expectation, same.asked)
    assert one.trials[0].calls == same.trials[0].calls
    assert one.expectation != other.expectation
    assert one.asked != other.asked
    assert one.trials[0].calls != other.trials[0].calls


def test_settings_decide_and_are_told(folder: Path) -> None:
    lenient = settings_from({"pass_mark": 0.5})
    _, half, *_ = cases_in(CASES, folder, lenient)
    side = side_of_file("cases.jsonl", lenient)

    assert half.trials[0].passed
    assert side.evaluations[0].settings == settings_digest(settings_payload(lenient), ["accuracy"])
    assert side.evaluations[0].settings != side_of_file("cases.jsonl").evaluations[0].settings


def test_schemas_and_forbidden_calls_are_counted(folder: Path) -> None:
    (folder / "cases.jsonl").write_text(
        '{"id": "a", "expected": [{"forbid": "g"}], "actual": ["g", {"name": "f", "arguments": {}}]}'
    )
    tools = [{"name": "f", "parameters": {"type": "object", "required": ["n"]}}, {"name": "g"}]

    (evaluation,) = side_of_file("cases.jsonl", tools=tools).evaluations

    (trial,) = evaluation.cases[0].trials
    assert (trial.passed, trial.forbidden, trial.faults) == (False, 1, 1)


def test_a_side_is_called_like_its_file(folder: Path) -> None:
    (folder / "runs").mkdir()
    file = folder / "runs" / "answers.jsonl.gz"
    file.write_bytes(gzip.compress(CASES.encode()))

    side = side_of_file("runs/answers.jsonl.gz")
    named = side_of_file(file, label="mine")

    assert (side.label, side.run, side.command, side.started_at) == (
        "runs/answers.jsonl.gz",
        "",
        "score",
        None,
    )
    assert named.label == "mine"
    for each in (side, named):
        assert (each.evaluations[0].name, each.evaluations[0].place) == (
            "answers",
            "runs/answers.jsonl.gz",
        )


def test_answers_may_be_held_against_another_file(folder: Path) -> None:
    (folder / "references.jsonl").write_text(
        '{"id": "a", "expected": ["f"]}\n{"id": "b", "expected": ["g"]}\n'
    )
    (folder / "traces.jsonl").write_text('{"id": "a", "actual": ["f"]}\n')

    (evaluation,) = side_of_file("traces.jsonl", expected="references.jsonl").evaluations

    found = {case.id: case.trials[0] for case in evaluation.cases}
    assert found["a"].passed
    assert found["b"].status == "error"
    assert evaluation.place == "traces.jsonl"


def test_references_that_expect_nothing_cannot_be_compared(folder: Path) -> None:
    (folder / "references.jsonl").write_text('{"id": "a", "input": "hi"}\n')
    (folder / "traces.jsonl").write_text('{"id": "b", "actual": ["f"]}\n')

    with pytest.raises(UnreadableInput, match=r"references\.jsonl: no case has exp"):
        side_of_file("traces.jsonl", expected="references.jsonl")


def test_records_of_one_id_that_ask_or_expect_something_else_stay_apart(folder: Path) -> None:
    cases = cases_in(
        '{"id": "a", "input": "x", "expected": ["f"], "actual": ["f"]}\n'
        '{"id": "b", "input": "x", "expected": ["f"], "actual": ["f"]}\n'
        '{"id": "a", "input": "y", "expected": ["f"], "actual": ["f"]}\n'
        '{"id": "a", "input": "x", "expected": ["g"], "actual": ["f"]}\n'
        '{"id": "a", "input": "x", "expected": ["f"], "actual": []}\n',
        folder,
    )

    assert [(case.id, len(case.trials)) for case in cases] == [
        ("a", 2),
        ("a", 1),
        ("a", 1),
        ("b", 1),
    ]
    side = side_of_file("cases.jsonl")
    assert [note.text("en") for note in compare_sides(side, side).notes] == [
        "duplicate case ids, each counted as one case: 4"
    ]


def refusal(name: str, expected: str | None = None) -> str:
    with pytest.raises(UnreadableInput) as caught:
        side_of_file(name, expected=expected)
    return str(caught.value)


def test_traces_alone_are_refused_with_the_option_that_helps(folder: Path) -> None:
    (folder / "traces.jsonl").write_text('{"id": "a", "actual": ["f"]}\n')

    assert refusal("traces.jsonl") == (
        "traces.jsonl: no case has expected calls, so there is nothing to compare. If "
        "the file has only traces, specify the references: --expected FILE (in Python: expected=...)."
    )


def test_standard_input_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    traces = io.TextIOWrapper(io.BytesIO(b'{"id": "a", "actual": ["f"]}\n'))
    monkeypatch.setattr("sys.stdin", traces)

    assert "no case has expected calls" in refusal("-")


def test_references_alone_are_refused(folder: Path) -> None:
    (folder / "references.jsonl").write_text('{"id": "a", "expected": ["f"]}\n')
    (folder / "traces.jsonl").write_text('{"id": "b", "actual": ["f"]}\n')

    assert "no case has actual calls" in refusal("references.jsonl")
    assert refusal("traces.jsonl", "references.jsonl") == (
        "traces.jsonl: no case of references.jsonl has actual calls in this file. Check that the ids match."
    )


def test_an_evaluation_is_to_be_run(folder: Path) -> None:
    (folder / "eval_w.yaml").write_text(
        "task: my.py:ask\ncases:\n  - {id: a, input: hi, expected: [f]}\n"
    )

    assert refusal("eval_w.yaml") == (
        "eval_w.yaml: an evaluation has no answers. Run it, then compare the runs: "
        "callscore run eval_w.yaml"
    )


@pytest.mark.parametrize("name", ["run.jsonl", "run.jsonl.gz", "run.parquet"])
def test_an_exported_run_is_to_be_imported(folder: Path, name: str) -> None:
    run = RunRecord(id="20261115-184354-k3f9", command="run", started_at=1.0)
    if name.endswith("parquet"):
        with (folder / name).open("wb") as file:
            write_parquet_run(file, run, [], [])
    else:
        (folder / name).write_bytes(
            gzip.compress(encode_line(run)) if name.endswith("gz") else encode_line(run)
        )

    assert refusal(name).endswith(f"callscore import {name}")


def test_a_file_without_a_case_cannot_be_compared(folder: Path) -> None:
    (folder / "empty.jsonl").write_text("")

    with pytest.raises(UnreadableInput, match=r"empty\.jsonl: the file has no cases"):
        side_of_file("empty.jsonl")
    with pytest.raises(UnreadableInput, match=r"missing\.jsonl"):
        side_of_file("missing.jsonl")


@pytest.mark.parametrize(
    ("reference", "is_file"),
    [
        ("-", True),
        ("cases.jsonl", True),
        ("not/there.yaml", True),
        ("answers.json.gz", True),
        ("./main", True),
        ("main", False),
        ("latest~1", False),
        ("origin/main", False),
        ("20261115-184354-k3f9", False),
        ("a/\0b", False),
        (f"a/{'b' * 5000}", False),
    ],
)
def test_a_file_is_told_from_a_run(folder: Path, reference: str, is_file: bool) -> None:
    (folder / "main").write_text(CASES)

    assert is_case_file(reference) is is_file
