"""Every command says what looks like calls and was not read, and refuses it with --strict-input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import msgspec
import pyarrow.parquet as pq
import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Program

SPOILED = {"choices": [{"message": {"role": "assistant", "toolcalls": [{"id": "1"}]}}]}
FUNCTION = {"name": "f", "arguments": "{}"}
READABLE = {
    "choices": [
        {"message": {"role": "assistant", "tool_calls": [{"id": "1", "function": FUNCTION}]}}
    ]
}
SIGN = "'toolcalls' at $.choices[0].message looks like a call. Recognized format: openai_chat."
NOTE = "1 record with something that looks like calls and was not read"


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> None:
    """`cases.jsonl` and `traces.jsonl`, with something that was not read in their first line."""
    contents: dict[str, list[dict[str, Any]]] = {
        "cases": [
            {"id": "a", "expected": ["f"], "actual": SPOILED},
            {"id": "b", "expected": ["f"], "actual": READABLE},
        ],
        "traces": [SPOILED, READABLE],
        "readable": [{"id": "b", "expected": ["f"], "actual": READABLE}],
    }
    for name, records in contents.items():
        text = msgspec.json.Encoder().encode_lines(records)
        (tmp_path / f"{name}.jsonl").write_bytes(text)


COMMANDS = {
    "score": ("score", "cases.jsonl"),
    "check": ("check", "traces.jsonl"),
    "extract": ("extract", "traces.jsonl"),
}


def plain(text: str) -> str:
    """A text without line breaks, which depend on the width."""
    return " ".join(text.split())


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_says_what_was_not_read_and_where(callscore: Program, name: str) -> None:
    ran = callscore(*COMMANDS[name])

    assert ran.returncode == 0
    said = plain(ran.stdout + ran.stderr)
    assert SIGN.removesuffix(".") in said
    assert ".jsonl:1: " in said
    assert "was not read" in said


@pytest.mark.parametrize("output_format", ["html", "json", "junit"])
def test_every_report_says_it_in_itself_or_beside_it(
    callscore: Program, tmp_path: Path, output_format: str
) -> None:
    ran = callscore("score", "cases.jsonl", "--format", output_format, "-o", "report")

    report = (tmp_path / "report").read_text()
    assert ran.returncode == 0
    assert NOTE in plain(ran.stderr if output_format == "json" else report)
    if output_format == "json":
        assert msgspec.json.decode(report)["unread"] == {
            "count": 1,
            "names": [f"cases.jsonl:1: actual: {SIGN}"],
        }


def test_rows_have_it_as_their_problem(callscore: Program, tmp_path: Path) -> None:
    ran = callscore("score", "cases.jsonl", "--results", "rows.parquet")

    rows: list[dict[str, Any]] = pq.read_table(tmp_path / "rows.parquet").to_pylist()
    assert [(row["id"], row["status"], row["problem"]) for row in rows] == [
        ("a", "scored", f"actual: {SIGN}"),
        ("b", "scored", None),
    ]
    assert NOTE in plain(ran.stdout)


EVALUATION = """\
import callscore

ANSWERS = {
    "mark": "I will do it. <tool_call f x=1>",
    "field": {"choices": [{"message": {"role": "assistant", "toolcalls": [{"id": "1"}]}}]},
    "words": "I do nothing in <b>this</b> case [1].",
}


@callscore.evaluation(cases=[{"id": name, "input": name, "expected": ["f"]} for name in ANSWERS])
def agent(case):
    return ANSWERS[case.input]
"""


def test_a_run_says_which_answers_were_not_read(callscore: Program, tmp_path: Path) -> None:
    (tmp_path / "eval_agent.py").write_text(EVALUATION)

    ran = callscore("run", "eval_agent.py")
    written = callscore("run", "eval_agent.py", "--format", "junit")

    said = plain(ran.stdout)
    assert "2 cases with something in the answer that looks like calls and was not read" in said
    assert "mark: answer: '<tool_call f x=1>' looks like a call" in said
    assert f"field: {SIGN.removesuffix('.')}" in said
    assert "words: " not in said
    error = ET.fromstring(written.stdout).find("testsuite/system-err")  # noqa: S314  (our own text)
    assert error is not None
    assert f"field: {SIGN}" in (error.text or "").splitlines()
