"""What looks like a mistake in an evaluation is said, once, and not refused."""

from __future__ import annotations

from typing import Any

import pytest

from callscore import Case, Settings, Tool, expect
from callscore.evaluations.evaluation import Evaluation
from callscore.evaluations.plan import evaluation_cases, warnings_about

TABLE = {"type": "object", "properties": {"day": {"type": "string"}, "seats": {}}}
TOOLS = {
    "find_table": Tool("find_table", parameters=TABLE),
    "delete_user": Tool("delete_user"),
    "anything": Tool("anything", parameters={**TABLE, "additionalProperties": True}),
}


def doubts(*cases: Case, **fields: Any) -> list[str]:
    fields = {"tools": TOOLS, **fields}
    evaluation = Evaluation(name="e", task=print, cases=list(cases), **fields)
    return warnings_about(evaluation, evaluation_cases(evaluation))


def case(*expected: Any, name: str = "a") -> Case:
    return Case("What?", id=name, expected=list(expected))


@pytest.mark.parametrize(
    ("expected", "doubt"),
    [
        (
            expect.call("find_tabel"),
            "expects find_tabel, which is none of the tools. Is 'find_table' meant?",
        ),
        (expect.call("x"), "expects x, which is none of the tools."),
        (
            expect.in_order(expect.times(expect.call("find_tabel"), 2), "find_table"),
            "expects find_tabel, which is none of the tools. Is 'find_table' meant?",
        ),
        (
            expect.call("find_table", seets=2),
            "expects 'seets' of find_table, which does not take it. Is 'seats' meant?",
        ),
        (
            expect.forbid("delet_user"),
            "forbids delet_user, which is none of the tools. Is 'delete_user' meant?",
        ),
    ],
)
def test_a_name_that_there_is_not_is_doubted(expected: Any, doubt: str) -> None:
    assert doubts(case(expected)) == [f"e: the case a {doubt}"]


@pytest.mark.parametrize(
    "expected",
    [
        expect.call("find_table", day="Monday", seats=2),
        expect.call("find_table"),
        expect.call("find_table", dya=expect.absent()),
        expect.call("delete_user", whatever=1),
        expect.call("anything", whatever=1),
        expect.forbid("delete_*"),
        expect.forbid("send_money"),
        expect.forbid("shell_*"),
    ],
)
def test_what_may_well_be_meant_so_is_not_doubted(expected: Any) -> None:
    assert doubts(case(expected)) == []


def test_the_same_name_is_doubted_once() -> None:
    found = doubts(
        case(expect.call("find_tabel"), expect.call("find_tabel")),
        case(expect.call("find_tabel"), name="b"),
        case(expect.call("other"), name="c"),
    )

    assert [each.split(",")[0] for each in found] == [
        "e: the case a expects find_tabel",
        "e: the case c expects other",
    ]


def test_names_are_those_that_are_compared() -> None:
    settings = Settings(strip_prefix=("mcp__*__",))

    assert doubts(case(expect.call("mcp__shop__find_table")), settings=settings) == []


def test_without_definitions_nothing_is_doubted() -> None:
    assert doubts(case(expect.call("find_tabel")), tools=None) == []
    assert doubts(Case("What?")) == []


def test_a_task_that_knows_its_cases_has_its_say() -> None:
    class Answers:
        def __call__(self, case: Case) -> Any:
            return case

        def strays(self, cases: list[str]) -> list[str]:
            return [f"there is more than {cases[0]}"]

    evaluation = Evaluation(name="e", task=Answers(), cases=["Hi"])

    assert warnings_about(evaluation, evaluation_cases(evaluation)) == ["e: there is more than hi."]
