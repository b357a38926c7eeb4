"""The assertion inside promptfoo: `promptfoo eval` shows the score of `callscore.score`."""

from __future__ import annotations

import os
import subprocess
import sys
from shutil import which
from typing import TYPE_CHECKING, Any

import msgspec
from tests.stacks.sample_runs import FLEXIBLE, SAMPLES

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = which("promptfoo") or ""
# What promptfoo itself documents for staying off the network.
OFFLINE = {
    "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
    "PROMPTFOO_DISABLE_SHARING": "1",
    "PROMPTFOO_DISABLE_TELEMETRY": "1",
    "PROMPTFOO_DISABLE_UPDATE": "1",
    "PROMPTFOO_PYTHON": sys.executable,
}
PROVIDER = """
from tests.stacks.sample_runs import SAMPLES

ANSWERS = {sample.name: {"output": sample.messages} for sample in SAMPLES}
ANSWERS["words"] = {"output": "It is sunny."}
ANSWERS["agent"] = {
    "output": "It is sunny.",
    "metadata": {"toolCalls": [{"name": call["name"], "input": call["arguments"]} for call in SAMPLES[0].actual]},
}


def call_api(prompt, options, context):
    return ANSWERS[prompt]
"""
FILES = {
    "agent.py": PROVIDER,
    "calls.py": "from callscore.adapters.promptfoo import get_assert\n",
    "flexible.py": (
        "from callscore.adapters.promptfoo import tool_calls\n"
        'get_assert = tool_calls(name="flexible", preset="flexible", argument_match_threshold=0.5)\n'
    ),
}


def evaluated(folder: Path, tests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The row of each test in what promptfoo writes."""
    for name, content in FILES.items():
        (folder / name).write_text(content)
    config = {"prompts": ["{{question}}"], "providers": ["file://agent.py"], "tests": tests}
    (folder / "promptfooconfig.json").write_bytes(msgspec.json.encode(config))
    options = ["--no-cache", "--no-write", "--no-table", "--no-progress-bar"]
    ran = subprocess.run(
        [PROGRAM, "eval", "-c", "promptfooconfig.json", "-o", "out.json", *options],
        cwd=folder,
        env={
            **os.environ,
            **OFFLINE,
            "PROMPTFOO_CONFIG_DIR": str(folder / ".promptfoo"),
            "PYTHONPATH": os.pathsep.join(sys.path),
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (folder / "out.json").is_file(), ran.stdout + ran.stderr
    rows = msgspec.json.decode((folder / "out.json").read_bytes())["results"]["results"]
    return sorted(rows, key=lambda row: int(row["testIdx"]))


def as_test(question: str, *asserted: dict[str, Any], **variables: Any) -> dict[str, Any]:
    checks = [{"type": "python", "value": "file://calls.py", **each} for each in asserted]
    return {"vars": {"question": question, **variables}, "assert": checks}


def results_of(row: dict[str, Any]) -> list[dict[str, Any]]:
    return list(row["gradingResult"]["componentResults"])


def test_an_evaluation_shows_the_score_of_score(tmp_path: Path) -> None:
    tests = [
        as_test(
            sample.name,
            {"config": {"expected": sample.expected}},
            {"config": {"expected": sample.expected}, "value": "file://flexible.py"},
        )
        for sample in SAMPLES
    ]

    rows = evaluated(tmp_path, tests)

    for row, sample in zip(rows, SAMPLES, strict=True):
        alone = [sample.score(), sample.score(**FLEXIBLE)]
        found = results_of(row)
        assert [each["score"] for each in found] == [score.f1 for score in alone], sample.name
        assert [each["pass"] for each in found] == [score.passed for score in alone], sample.name
        assert row["namedScores"]["tool_calls_recall"] == alone[0].recall
        assert row["namedScores"]["flexible"] == alone[1].f1
    assert "- get_weather" in results_of(rows[3])[0]["reason"]


def test_where_the_expected_calls_and_the_actual_ones_are(tmp_path: Path) -> None:
    rule = [{"name": "save", "arguments": {"path": {"$regex": "[.]txt$"}}}, "get_weather"]
    text = msgspec.json.encode(rule).decode()
    tests = [
        as_test("correct", {"config": {"expected": rule}}),
        as_test("correct", {}, expected_calls=text),
        as_test("correct", {"config": {"expected_key": "gold"}}, gold=text, expected="[]"),
        as_test("argument", {"config": {"expected": SAMPLES[2].expected, **FLEXIBLE}}),
        as_test("agent", {"config": {"expected": SAMPLES[0].expected}}),
        as_test("words", {"config": {"expected": [], "text_is_no_call": True}}),
        as_test("words", {"config": {"expected": rule, "text_is_no_call": True}}),
    ]

    scores = [results_of(row)[0]["score"] for row in evaluated(tmp_path, tests)]

    assert scores == [1, 1, 1, 1, 1, 1, 0]


def test_promptfoo_shows_an_error_as_the_reason(tmp_path: Path) -> None:
    rows = evaluated(
        tmp_path,
        [
            as_test("correct", {}),
            as_test("words", {"config": {"expected": []}}),
            as_test("correct", {"config": {"expected": [], "preset": "flexbile"}}),
        ],
    )

    found = [results_of(row)[0] for row in rows]
    assert [(row["pass"], row["score"]) for row in found] == [(False, 0)] * 3
    assert "no reference" in found[0]["reason"]
    assert "text_is_no_call" in found[1]["reason"]
    assert "Did you mean 'flexible'?" in found[2]["reason"]
