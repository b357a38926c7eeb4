"""Evaluations, questions and plans of agents that do as a test wants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.case import Case
from callscore.evaluations.decorator import evaluation
from callscore.evaluations.plan import make_plan

if TYPE_CHECKING:
    from callscore.evaluations.evaluation import Evaluation, Question
    from callscore.evaluations.plan import Plan

__all__ = ["RIGHT", "WEATHER", "a_case", "a_plan", "a_question", "an_evaluation"]

RIGHT = [{"name": "get_weather", "arguments": {"city": "Paris"}}]
WEATHER = {
    "name": "get_weather",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
}


def a_case(name: str = "weather", **others: Any) -> Case:
    fields: dict[str, Any] = {"id": name, "input": f"Ask about {name}", "expected": RIGHT}
    return Case(**fields | others)


def an_evaluation(task: Any, *cases: Case, **others: Any) -> Evaluation:
    made: Evaluation = evaluation(
        **{"name": "assistant", "cases": list(cases) or [a_case()], **others}
    )(task)
    return made


def a_plan(task: Any, *cases: Case, **others: Any) -> Plan:
    return make_plan([an_evaluation(task, *cases, **others)])


def a_question(task: Any, *cases: Case, **others: Any) -> Question:
    """The first question of an evaluation."""
    return a_plan(task, *cases, **others).groups[0].questions[0]
