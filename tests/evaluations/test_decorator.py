"""`callscore.evaluation`: what it makes, and what it refuses, with the place."""

from __future__ import annotations

import asyncio
import re
import textwrap
from pathlib import Path
from typing import Any

import pytest

from callscore import Case, InvalidEvaluation, Settings, evaluation, expect
from callscore.evaluations.decorator import FileCollector, current_collector
from callscore.evaluations.fingerprints import code_digest, combined_digest
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


def test_settings_may_be_given_together() -> None:
    settings = Settings(mode="flexible")

    assert evaluation(cases=["Hi"], settings=settings)(ask).settings is settings


def test_a_judge_is_a_function_or_the_name_of_a_model() -> None:
    def judge(question: str, value: Any) -> bool:
        return bool(question and value)

    assert evaluation(cases=["Hi"], judge=judge)(ask).settings.judge is judge
    assert callable(evaluation(cases=["Hi"], judge="gpt-4.1-mini")(ask).settings.judge)


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


def test_evaluations_that_are_made_while_a_file_is_read_are_noted() -> None:
    token = current_collector.set(FileCollector(Path(__file__), []))
    try:
        made = evaluation(cases=["Hi"])(ask)
        noted = current_collector.get()
    finally:
        current_collector.reset(token)

    assert noted == FileCollector(Path(__file__), [made])


class Asking:
    """What is asked again and again, with no name of its own."""

    def __call__(self, case: Case) -> str:
        return case.id


class Replaying:
    """Something that says itself what it asks."""

    __name__ = "replaying"

    def __call__(self, case: Case, **_: Any) -> str:
        return case.id

    def identity(self) -> dict[str, Any]:
        return {}

    def with_overrides(self, **_: Any) -> Replaying:
        return self


def test_what_says_itself_what_it_asks_does_not_change_with_its_file() -> None:
    made = evaluation(cases=["Hi"], tools=TOOLS)(Replaying())

    assert (made.name, made.source) == ("replaying", "")
    assert evaluation(cases=["Hi"], name="asking")(Asking()).source


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"cases": []}, "cases: the list is empty."),
        ({"cases": ""}, "cases: the path of the file is empty."),
        ({"cases": 7}, "cases: 7 is not a list, a path or a function."),
        ({"cases": {"a": 1}}, "cases: {'a': 1} is not a list, a path or a function."),
        (
            {"scorers": ["acuracy"]},
            "scorers: unknown scorer 'acuracy'. Did you mean 'accuracy'?",
        ),
        ({"tools": [{"nam": 1}]}, "tools: "),
        ({"tools": [{"name": "a", "parameters": {"type": "objekt"}}]}, "tools: "),
        ({"variants": {"a": {"x": 1}}}, "variants.a: the task has no parameter 'x'."),
        ({"variants": ["a"]}, "variants: ['a'] is not an object such as"),
        ({"tags": [7]}, "tags: 7 is not a tag."),
        ({"only": "yes"}, "only: 'yes' is not true or false."),
        ({"skip": 1}, "skip: 1 is not true, false or a reason."),
        ({"fail_under": "high"}, "fail_under: 'high' is not a number from 0 to 1."),
        (
            {"fail_under": {"acuracy": 1}},
            "fail_under: unknown scorer 'acuracy'. Did you mean 'accuracy'?",
        ),
        ({"trials": 0}, "trials: 0 is not an integer ≥ 1."),
        ({"preset": "strikt"}, "Did you mean 'strict'?"),
        ({"mod": "strict"}, "unknown keyword 'mod'. Did you mean 'mode'?"),
        ({"fail_unter": 0.9}, "unknown keyword 'fail_unter'. Did you mean 'fail_under'?"),
        ({"scorer": "exact"}, "unknown keyword 'scorer'. Did you mean 'scorers'?"),
        ({"fail_under": {"accuracy": 90}}, "fail_under.accuracy: 90 is not a number from 0 to 1."),
        ({"mode": "strikt"}, "Did you mean 'strict'?"),
        (
            {"mode": "strict", "settings": Settings()},
            "'settings' cannot be combined with a preset or single settings. Pass one of them.",
        ),
        ({"settings": {}}, "settings: expected a callscore.Settings, got {}."),
        ({"name": " "}, "' ' has no name for the evaluation."),
        ({"task": lambda case: case}, "this task has no name for the evaluation."),
        ({"task": 7}, "7 is not callable. Decorate a function that calls an agent."),
        ({"task": Asking()}, "this task has no name for the evaluation."),
    ],
)
def test_what_is_wrong_is_said_where_it_stands(given: dict[str, Any], problem: str) -> None:
    assert problem in refusal(**given)


def test_a_decorator_without_brackets_is_refused() -> None:
    with pytest.raises(InvalidEvaluation, match="the parentheses are missing"):
        evaluation(ask)  # type: ignore[arg-type]  # as people forget them
    with pytest.raises(InvalidEvaluation, match="cases: the list is empty"):
        evaluation()


def test_the_code_of_a_task_is_that_of_its_file_and_of_where_it_is_decorated() -> None:
    here = evaluation(cases=["Hi"])(ask)
    elsewhere = evaluation(cases=["Hi"], name="brought")(textwrap.dedent)

    assert here.source == code_digest(__file__)
    assert elsewhere.source == combined_digest(code_digest(__file__), code_digest(textwrap.dedent))
    assert here.source != elsewhere.source


def test_a_function_is_decorated_once() -> None:
    made = evaluation(cases=["Hi"])(ask)

    assert refusal(task=made) == "ask is already an evaluation. Decorate its function only once."
