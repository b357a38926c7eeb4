"""`callscore.evaluation`: what it makes, and what it refuses, with the place."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from callscore import Case, InvalidEvaluation, Settings, evaluation, expect
from callscore.evaluations.fingerprints import code_digest
from callscore.evaluations.plan import evaluation_cases
from callscore.models import chat

TOOLS = [{"name": "getWeather", "parameters": {"type": "object"}}]


def getWeather(location: str) -> str:  # noqa: N802  (as models know it)
    """Say what the weather is like."""
    return location


def calculator(operation: str, a: float, b: float) -> float:
    """Do a sum."""
    return a * b if operation == "multiply" else a + b


def ask(case: Case) -> Any:
    return case.input


def refusal(**given: Any) -> str:
    task = given.pop("task", ask)
    with pytest.raises(InvalidEvaluation) as caught:
        evaluation(**{"cases": ["Hi"], **given})(task)
    place, problem = caught.value.place, caught.value.problem
    assert re.fullmatch(r".*test_decorator\.py:\d+", place)
    assert str(caught.value) == f"{place}: {problem}"
    return problem


def test_a_function_becomes_an_evaluation() -> None:
    @evaluation(
        cases=[
            Case(
                "What is the weather in Paris?",
                expected=[expect.call("getWeather", location="Paris")],
            ),
            Case(
                "What is 12 * 7?",
                expected=[expect.call("calculator", operation="multiply", a=12, b=7)],
            ),
            Case("Hi!", expected=[]),
        ],
        tools=[getWeather, calculator],
        scorers=["tool_called", "parameters_valid", "accuracy"],
    )
    async def assistant(case: Case) -> Any:
        return case.id

    line = assistant.task.__code__.co_firstlineno
    assert assistant.name == "assistant"
    assert assistant.place.endswith(f"tests/evaluations/test_decorator.py:{line}")
    assert assistant.folder == str(Path(__file__).parent)
    assert assistant.source == code_digest(Path(__file__))
    assert [scorer.name for scorer in assistant.scorers] == [
        "tool_called",
        "parameters_valid",
        "accuracy",
    ]
    assert sorted(assistant.tools or ()) == ["calculator", "getWeather"]
    assert len(evaluation_cases(assistant)) == 3
    assert asyncio.run(assistant(Case("x", id="y"))) == "y"


def test_everything_that_can_be_said_is_kept() -> None:
    made = evaluation(
        cases=lambda: ["Hi"],
        variants={"warm": {"temperature": 1}},
        tags="smoke",
        only=True,
        skip="later",
        fail_under={"accuracy": 0.5},
        name="other",
        trials=3,
        preset="flexible",
        order="in_order",
    )(lambda case, temperature=0: (case, temperature))

    assert (made.name, made.tags, made.only, made.skip) == ("other", ("smoke",), True, "later")
    assert (made.variants, made.trials) == ({"warm": {"temperature": 1}}, 3)
    assert made.fail_under == {"accuracy": 0.5}
    assert made.settings == Settings.preset("flexible", order="in_order")
    assert [scorer.name for scorer in made.scorers] == ["accuracy"]


def test_a_generator_can_be_read_more_than_once() -> None:
    made = evaluation(cases=(Case(text) for text in ("One", "Two")))(ask)

    assert [case.id for case in evaluation_cases(made)] == ["one", "two"]
    assert [case.id for case in evaluation_cases(made)] == ["one", "two"]


def test_cases_in_a_file_are_read_when_they_are_needed(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    made = evaluation(cases=str(file))(ask)
    file.write_text('{"input": "One", "expected": []}\n')

    assert [case.id for case in evaluation_cases(made)] == ["one"]


def test_tools_come_from_a_file_beside_the_evaluation(tmp_path: Path) -> None:
    file = tmp_path / "tools.json"
    file.write_text('[{"name": "search"}]')

    assert list(evaluation(cases=["Hi"], tools=file)(ask).tools or ()) == ["search"]
    assert list(evaluation(cases=["Hi"], tools=str(file))(ask).tools or ()) == ["search"]
    assert list(evaluation(cases=["Hi"], tools='[{"name": "x"}]')(ask).tools or ()) == ["x"]
    assert "tools: " in refusal(tools="gone.json")


def test_a_chat_needs_a_name_and_shares_its_tools() -> None:
    offered = evaluation(cases=["Hi"], name="e", tools=TOOLS)(chat("m"))
    brought = evaluation(cases=["Hi"], name="e")(chat("m", tools=TOOLS))
    both = evaluation(cases=["Hi"], name="e", tools=[])(chat("m", tools=TOOLS))

    assert offered.task.offer.names == ["getWeather"]  # type: ignore[attr-defined]  # a Chat has it
    assert list(brought.tools or ()) == ["getWeather"]
    assert both.tools == {}
    assert brought.source == ""
    assert refusal(task=chat("m")) == ('this task has no name for the evaluation. Pass name="...".')


class Asking:
    """What is asked again and again, with no name of its own."""

    def __call__(self, case: Case) -> str:
        return case.id


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"cases": ""}, "cases: the path of the file is empty."),
        ({"cases": {"a": 1}}, "cases: {'a': 1} is not a list, a path or a function."),
        ({"tools": [{"nam": 1}]}, "tools: "),
        ({"variants": {"a": {"x": 1}}}, "variants.a: the task has no parameter 'x'."),
        ({"tags": [7]}, "tags: 7 is not a tag."),
        (
            {"fail_under": {"acuracy": 1}},
            "fail_under: unknown scorer 'acuracy'. Did you mean 'accuracy'?",
        ),
        ({"mod": "strict"}, "unknown keyword 'mod'. Did you mean 'mode'?"),
        (
            {"mode": "strict", "settings": Settings()},
            "'settings' cannot be combined with a preset or single settings. Pass one of them.",
        ),
        ({"settings": {}}, "settings: expected a callscore.Settings, got {}."),
        ({"task": lambda case: case}, "this task has no name for the evaluation."),
        ({"task": 7}, "7 is not callable. Decorate a function that calls an agent."),
    ],
)
def test_an_invalid_evaluation_is_refused_with_its_place(
    given: dict[str, Any], problem: str
) -> None:
    assert problem in refusal(**given)


def test_a_decorator_without_brackets_is_refused() -> None:
    with pytest.raises(InvalidEvaluation, match="the parentheses are missing"):
        evaluation(ask)  # type: ignore[arg-type]  # as people forget them
    with pytest.raises(InvalidEvaluation, match="cases: the list is empty"):
        evaluation()
