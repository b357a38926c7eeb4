"""What is going to be asked: all of it, or what is selected."""

from __future__ import annotations

from typing import Any

import pytest

from callscore import Case, InvalidSettings, Tool, expect
from callscore.core.results import Noted, Unloaded
from callscore.evaluations.evaluation import Evaluation
from callscore.evaluations.plan import Plan, Selection, Skipped, make_plan


def made(name: str, *cases: Any, **fields: Any) -> Evaluation:
    place, key = f"eval_{name}.py:1", f"eval_{name}.py::{name}"
    return Evaluation(name=name, task=print, cases=list(cases), place=place, key=key, **fields)


def asked(found: Plan) -> list[str]:
    """Each question as `evaluation[variant]/case#trial`, where it has these."""
    return [
        f"{group.evaluation.name}"
        f"{'' if group.variant is None else f'[{group.variant}]'}/{question.case.id}"
        f"{'' if question.trials == 1 else f'#{question.trial}'}"
        for group in found.groups
        for question in group.questions
    ]


ONE = made("one", "Paris", "London", tags=("smoke",))
TWO = made("two", Case("Paris", tags=["slow"]), "Rome", variants={"a": {}, "b": {"x": 1}})


def test_everything_is_asked_in_order() -> None:
    found = make_plan([ONE, TWO])

    assert asked(found) == [
        *("one/paris", "one/london"),
        *("two[a]/paris", "two[a]/rome", "two[b]/paris", "two[b]/rome"),
    ]
    assert found.total == 6
    assert found.groups[2].variant == "b"
    assert {question.variant for question in found.groups[2].questions} == {"b"}


def test_trials_of_a_case_come_together() -> None:
    twice = made("e", "Paris", "Rome", trials=2)

    assert asked(make_plan([twice])) == ["e/paris#1", "e/paris#2", "e/rome#1", "e/rome#2"]
    assert asked(make_plan([twice], trials=1)) == ["e/paris", "e/rome"]
    assert make_plan([ONE], trials=3).total == 6


@pytest.mark.parametrize(
    ("selection", "found"),
    [
        (Selection(keyword="paris"), ["one/paris", "two[a]/paris", "two[b]/paris"]),
        (Selection(keyword="paris and not two"), ["one/paris"]),
        (Selection(keyword="rome and b"), ["two[b]/rome"]),
        (Selection(tags=("smoke",)), ["one/paris", "one/london"]),
        (Selection(tags=("smoke", "slow"), keyword="paris"),
         ["one/paris", "two[a]/paris", "two[b]/paris"]),
        (Selection(tags=("none",)), []),
        (Selection(limit=1), ["one/paris", "two[a]/paris", "two[b]/paris"]),
        (Selection(limit=1, keyword="rome"), ["two[a]/rome", "two[b]/rome"]),
        (Selection(last_failed=frozenset(
            {("eval_one.py::one", None, "london"), ("eval_two.py::two", "b", "rome")})),
         ["one/london", "two[b]/rome"]),
        (Selection(last_failed=frozenset()), []),
    ],
)  # fmt: skip
def test_what_is_selected_is_asked(selection: Selection, found: list[str]) -> None:
    assert asked(make_plan([ONE, TWO], selection)) == found


def test_a_limit_counts_what_is_asked() -> None:
    some = made("e", Case("Paris", skip=True), "Rome", Case("Oslo", skip=True), "Bonn", "Bern")
    found = make_plan([some], Selection(limit=2))

    assert asked(found) == ["e/rome", "e/bonn"]
    assert found.groups[0].skipped.names == ("paris", "oslo")
    assert make_plan([made("e", "Paris", "Rome", skip=True)], Selection(limit=1)).groups[0].left_out


def test_what_looks_like_a_mistake_is_said_of_what_is_asked() -> None:
    tools = {"find_table": Tool("find_table")}
    wrong = made("e", Case("Paris", expected=[expect.call("find_tabel")]), tools=tools)

    assert make_plan([wrong]).warnings == (
        "e: the case paris expects find_tabel, which is none of the tools. Is 'find_table' meant?",
    )
    assert make_plan([wrong], Selection(keyword="rome")).warnings == ()


def test_a_keyword_that_is_no_expression_is_refused() -> None:
    with pytest.raises(InvalidSettings, match="-k 'and'"):
        make_plan([ONE], Selection(keyword="and"))


def test_only_leaves_out_all_others() -> None:
    focused = made("focused", "Paris", only=True)
    part = made("part", "Paris", Case("Rome", only=True))
    both = made("both", "Paris", Case("Rome", only=True), only=True)

    assert asked(make_plan([ONE, focused])) == ["focused/paris"]
    assert asked(make_plan([ONE, part])) == ["part/rome"]
    assert asked(make_plan([ONE, focused, part])) == ["focused/paris", "part/rome"]
    assert asked(make_plan([ONE, both])) == ["both/rome"]


def test_what_is_left_out_on_purpose_is_counted_with_the_reason() -> None:
    case = Case("Rome", skip="it is closed")
    some = make_plan([made("e", "Paris", case, Case("Oslo", skip=True))])
    whole = make_plan([made("e", "Paris", case, skip="no key"), made("f", "Paris", skip=True)])

    assert asked(some) == ["e/paris"]
    assert some.groups[0].skipped == Noted(2, ("rome: it is closed", "oslo"))
    assert some.groups[0].left_out[1] == Skipped(some.groups[0].left_out[1].case, "")
    assert asked(whole) == []
    assert whole.groups[0].skipped == Noted(2, ("paris: no key", "rome: it is closed"))
    assert whole.groups[1].skipped == Noted(1, ("paris",))


def test_a_selection_leaves_no_groups_without_questions() -> None:
    assert make_plan([ONE, TWO], Selection(keyword="london")).groups[0].evaluation is ONE
    assert len(make_plan([ONE, TWO], Selection(keyword="london")).groups) == 1


def test_an_evaluation_whose_cases_cannot_be_read_does_not_hide_the_others() -> None:
    found = make_plan([made("bad", 7), ONE, made("none"), made("skipped", 7, skip=True)])

    assert asked(found) == ["one/paris", "one/london"]
    assert found.unloaded == (
        Unloaded("eval_bad.py:1: cases[0]", "a case is a Case, an object or text; got 7."),
        Unloaded("eval_none.py:1", "none has no cases."),
    )


def test_a_file_that_needs_what_is_not_installed_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    from callscore.errors import MissingExtra

    def missing(_: Evaluation) -> list[Case]:
        raise MissingExtra("reading Parquet", "parquet")

    monkeypatch.setattr("callscore.evaluations.plan.cases_of", missing)

    found = make_plan([ONE, made("e", skip=True)])

    assert [each.place for each in found.unloaded] == ["eval_one.py:1"]
    assert "callscore[parquet]" in found.unloaded[0].problem
