"""`callscore init`: what it writes runs as it is, and nothing was written over."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jsonschema_rs
import msgspec
import pytest
from ruamel.yaml import YAML

from callscore import read_calls, score
from callscore.evaluations.discovery import discover
from callscore.evaluations.plan import make_plan

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Program

SUITE = ["answers.jsonl", "eval_assistant.yaml", "suite.schema.json", "tools.json"]


@pytest.mark.parametrize(
    ("options", "files"),
    [([], SUITE), (["--python"], ["answers.jsonl", "eval_assistant.py"])],
)
def test_init_writes_an_evaluation_whose_cases_all_pass(
    callscore: Program, tmp_path: Path, options: list[str], files: list[str]
) -> None:
    ran = callscore("init", *options)

    evaluations, unloaded = discover([tmp_path / "evals"])
    questions = make_plan(evaluations).groups[0].questions
    scores = [
        score(
            list(each.case.expected or ()),
            each.evaluation.task(each.case),
            tools=each.evaluation.tools,
        )
        for each in questions
    ]
    assert (ran.returncode, ran.stderr, unloaded) == (0, "", [])
    assert sorted(path.name for path in (tmp_path / "evals").glob("*.*")) == files
    assert [each.case.id for each in questions] == ["weather", "calculator", "greeting"]
    assert [(each.f1, each.tool_called, each.parameters_valid) for each in scores] == [
        (1, 1, 1)
    ] * 3
    assert evaluations[0].fail_under == {
        "tool_called": 1.0,
        "parameters_valid": 1.0,
        "accuracy": 1.0,
    }


def test_the_suite_is_valid_under_the_schema_beside_it(callscore: Program, tmp_path: Path) -> None:
    callscore("init", "a/b")
    text = (tmp_path / "a/b/eval_assistant.yaml").read_text()
    schema = msgspec.json.decode((tmp_path / "a/b/suite.schema.json").read_bytes())

    assert text.startswith("# yaml-language-server: $schema=suite.schema.json\n")
    assert jsonschema_rs.is_valid(schema, YAML(typ="safe").load(text))


def test_the_answers_are_such_as_a_model_gives(callscore: Program, tmp_path: Path) -> None:
    callscore("init")
    lines = (tmp_path / "evals/answers.jsonl").read_bytes().splitlines()

    calls = [read_calls(msgspec.json.decode(line)["answer"]) for line in lines]

    assert [[call.name for call in each] for each in calls] == [["getWeather"], ["calculator"], []]
