"""What people ask of an evaluation: taken where it can be, and refused in a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.core.settings import DEFAULT, Settings
from callscore.errors import InvalidSettings
from callscore.evaluations.decorator import evaluation
from callscore.evaluations.evaluation import (
    fail_under_from,
    require_signature,
    variants_from,
    with_project_settings,
)
from callscore.evaluations.scorers import scorers_from
from callscore.models import chat

if TYPE_CHECKING:
    from collections.abc import Callable

SCORERS = scorers_from(["accuracy", "exact"])


def refusal(check: Callable[[], Any]) -> str:
    with pytest.raises(InvalidSettings) as caught:
        check()
    return str(caught.value)


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        (True, "fail_under: True is not a number from 0 to 1"),
        (float("nan"), "fail_under: nan is not a number from 0 to 1"),
        ({"exact": None}, "fail_under.exact: None is not a number from 0 to 1"),
        ({"x": 1}, "fail_under: unknown scorer 'x'. The scorers are accuracy, exact"),
    ],
)
def test_an_invalid_fail_under_is_refused(wrong: Any, problem: str) -> None:
    assert refusal(lambda: fail_under_from(wrong, SCORERS)) == problem


@pytest.mark.parametrize(
    "wrong", [["a"], {"a": 1}, {1: {}}, {" ": {}}, {"a": {1: 2}}, {"a": None}], ids=repr
)
def test_invalid_variants_are_refused(wrong: Any) -> None:
    assert refusal(lambda: variants_from(wrong)).startswith("variants")


@pytest.mark.parametrize(
    ("task", "variants", "problem"),
    [
        (lambda: 1, {}, "the task has no parameter for the case. The first parameter is the case"),
        (
            lambda *, case: case,
            {},
            "the task has no parameter for the case. The first parameter is the case",
        ),
        (
            lambda case, model: (case, model),
            {},
            "the task requires model besides the case, and no variant passes it",
        ),
        (
            lambda case, model, *rest, **more: (case, model, rest, more),
            {"a": {"modle": 1}},
            "variants.a: the task has no parameter 'modle'. Did you mean 'model'?",
        ),
        (
            lambda case, model, size: (case, model, size),
            {"a": {"model": 1, "size": 1}, "b": {"model": 1}},
            "the task requires model, size besides the case, and variant 'b' does not pass it",
        ),
        (lambda case: case, {"a": {"x": 1}}, "variants.a: the task has no parameter 'x'"),
        (lambda case: case, {"a": {"case": 1}}, "variants.a: the task has no parameter 'case'"),
    ],
)
def test_a_task_that_does_not_fit_is_refused(task: Any, variants: Any, problem: str) -> None:
    assert refusal(lambda: require_signature(task, variants)) == problem


def test_a_chat_knows_what_it_can_be_told() -> None:
    task = chat("gpt-4.1-mini")

    require_signature(task, {"warm": {"temperature": 0.9, "model": "gpt-4.1"}})

    assert refusal(lambda: require_signature(task, {"a": {"system": 1}})).startswith(
        "variants.a: system"
    )


# Settings of the project.


def merged(project: dict[str, Any], **given: Any) -> Settings:
    """The settings of an evaluation that gives these, in a project that has those."""
    made = evaluation(cases=["hello"], **given)(print)
    return with_project_settings(made, project).settings


def test_the_project_sets_what_an_evaluation_does_not() -> None:
    project = {"mode": "flexible", "argument_match_threshold": 0.5}

    assert merged(project, name="a") == Settings(mode="flexible", argument_match_threshold=0.5)
    assert merged({}, name="a") is DEFAULT
    assert merged(project, name="a", order="exact").order == "exact"
    assert merged(project, name="a", order="exact").mode == "flexible"


def test_settings_of_an_evaluation_override_the_project_even_if_they_are_defaults() -> None:
    project = {"mode": "flexible", "pass_mark": 0.5, "arrays": "unordered", "top_k": 2}

    assert merged(project, name="a", mode="strict") == Settings(
        pass_mark=0.5, arrays="unordered", top_k=2
    )
    assert merged(project, name="a", preset="strict") == Settings(pass_mark=0.5, top_k=2)
    assert merged(project, name="a", settings=Settings()) == DEFAULT
    threshold = merged(
        {"argument_match_threshold": 0.5}, name="a", argumentMatchThreshold=0.8
    ).argument_match_threshold
    assert threshold == 0.8


def test_rules_of_an_evaluation_come_before_those_of_the_project() -> None:
    project = {"arguments": {"*.id": "ignore"}, "effects": {"get_*": "read"}}

    found = merged(project, name="a", arguments={"f.id": "text"}, effects={"get_up": "write"})

    assert [rule.pattern for rule in found.arguments] == ["f.id", "*.id"]
    assert found.effects == (("get_up", "write"), ("get_*", "read"))
