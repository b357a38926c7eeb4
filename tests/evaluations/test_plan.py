"""What is going to be asked: all of it, or what is selected."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import structs

from callscore import Case, Settings, Tool, UnreadableInput, expect
from callscore.core.call import ToolCall
from callscore.core.rules import Matcher
from callscore.evaluations.evaluation import Evaluation
from callscore.evaluations.plan import (
    Plan,
    Selection,
    evaluation_cases,
    make_plan,
    warnings_about,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator


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


def test_trials_of_a_case_come_together() -> None:
    twice = made("e", "Paris", "Rome", trials=2)

    assert asked(make_plan([twice])) == ["e/paris#1", "e/paris#2", "e/rome#1", "e/rome#2"]
    assert asked(make_plan([twice], trials=1)) == ["e/paris", "e/rome"]
    assert make_plan([ONE], trials=3).total == 6


@pytest.mark.parametrize(
    ("selection", "found"),
    [
        (Selection(keyword="rome and b"), ["two[b]/rome"]),
        (
            Selection(tags=("smoke", "slow"), keyword="paris"),
            ["one/paris", "two[a]/paris", "two[b]/paris"],
        ),
        (Selection(limit=1, keyword="rome"), ["two[a]/rome", "two[b]/rome"]),
        (
            Selection(
                last_failed=frozenset(
                    {("eval_one.py::one", None, "london"), ("eval_two.py::two", "b", "rome")}
                )
            ),
            ["one/london", "two[b]/rome"],
        ),
    ],
)
def test_a_plan_has_only_the_selected_questions(selection: Selection, found: list[str]) -> None:
    assert asked(make_plan([ONE, TWO], selection)) == found


def test_only_leaves_out_all_others() -> None:
    focused = made("focused", "Paris", only=True)
    part = made("part", "Paris", Case("Rome", only=True))
    both = made("both", "Paris", Case("Rome", only=True), only=True)

    assert asked(make_plan([ONE, focused])) == ["focused/paris"]
    assert asked(make_plan([ONE, part])) == ["part/rome"]
    assert asked(make_plan([ONE, focused, part])) == ["focused/paris", "part/rome"]
    assert asked(make_plan([ONE, both])) == ["both/rome"]


# The cases of an evaluation: from lists, files and functions, each with an id of its own.


def read(cases: Any, **fields: Any) -> list[Case]:
    return evaluation_cases(
        Evaluation(name="e", task=print, cases=cases, place="eval_e.py:3", **fields)
    )


def ids(cases: Any, **fields: Any) -> list[str]:
    return [case.id for case in read(cases, **fields)]


def refusal(cases: Any, **fields: Any) -> str:
    with pytest.raises(UnreadableInput) as caught:
        read(cases, **fields)
    return str(caught.value)


def test_a_case_is_called_by_what_is_asked() -> None:
    assert ids(["What is the weather in Paris?", "What is 12 * 7?", "Hi!"]) == [
        "what-is-the-weather-in-paris",
        "what-is-12-7",
        "hi",
    ]
    assert ids(["Какая погода в Париже?"]) == ["какая-погода-в-париже"]


def test_a_conversation_is_called_by_what_was_said_last() -> None:
    asked = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hello there"}]

    assert ids([Case(asked), Case([])]) == ["hello-there", ids([Case([])])[0]]


def test_a_case_without_words_is_named_by_a_hash_of_its_content() -> None:
    names = ids([Case("???", expected=["a"]), Case({"x": 1}), Case(expected=["a"])])

    assert all(name.startswith("sha-") for name in names)
    assert len(set(names)) == 3
    assert ids(["!!!"])[0].startswith("sha-")


def test_ids_that_repeat_get_a_number() -> None:
    assert ids(["Hi", "Hi!", "hi", Case("x", id="hi-2"), "Hi"]) == [
        "hi",
        "hi-3",
        "hi-4",
        "hi-2",
        "hi-5",
    ]


def test_rules_are_spelled_in_objects_and_literal_in_python() -> None:
    arguments = {"q": {"$contains": "x"}}
    written, literal = read(
        [
            {"input": "a", "expected": [{"name": "s", "arguments": arguments}]},
            Case("b", expected=[ToolCall("s", arguments)]),
        ]
    )

    assert isinstance((written.expected or ())[0].arguments["q"], Matcher)
    assert (literal.expected or ())[0].arguments == arguments


def test_cases_come_from_files_from_the_folder_of_the_evaluation_on(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"input": "One", "expected": []}\n{"input": "Two"}\n')
    (tmp_path / "b.yaml").write_text("- {id: three, expected: [x]}\n")

    assert ids("a.jsonl", folder=str(tmp_path)) == ["one", "two"]
    assert ids(Path("b.yaml"), folder=str(tmp_path)) == ["three"]
    assert ids([Path("b.yaml"), "Four", tmp_path / "a.jsonl"], folder=str(tmp_path)) == [
        "three",
        "four",
        "one",
        "two",
    ]


def test_cases_come_from_functions_and_generators(tmp_path: Path) -> None:
    def several() -> Iterator[Case]:
        yield Case("One")
        yield Case("Two")

    (tmp_path / "a.jsonl").write_text('{"input": "One", "expected": []}\n')

    assert ids(several) == ["one", "two"]
    assert ids(lambda: ["Three"]) == ["three"]
    assert ids(lambda: "a.jsonl", folder=str(tmp_path)) == ["one"]
    assert ids(lambda: tmp_path / "a.jsonl") == ["one"]


def broken() -> Iterator[str]:
    yield "One"
    raise KeyError("city")


def leaving() -> list[str]:
    raise SystemExit(3)


async def later() -> list[str]:
    return ["One"]


async def bit_by_bit() -> AsyncIterator[str]:
    yield "One"


@pytest.mark.parametrize(
    ("cases", "problem"),
    [
        (leaving, "cases: leaving raises SystemExit in "),
        (later, "cases: later is async. Pass a function that returns the cases."),
        (lambda: 7, "cases: expected a list of cases, got 7."),
        (["a", {"expectd": []}], "cases[1]: unknown field 'expectd'. Did you mean 'expected'?"),
        ([Case("a", expected=[7])], "cases[0]: expected[0]: "),
    ],
)
def test_the_error_for_unreadable_cases_names_their_place(cases: Any, problem: str) -> None:
    said = refusal(cases)

    assert said.startswith("eval_e.py:3: ")
    assert problem in said


# What looks like a mistake in an evaluation is said, once, and not refused.

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
            expect.in_order(expect.times(expect.call("find_tabel"), 2), "find_table"),
            "expects find_tabel, which is not one of the tools. Did you mean 'find_table'?",
        ),
        (
            expect.call("find_table", seets=2),
            "expects 'seets' of find_table, which has no such parameter. Did you mean 'seats'?",
        ),
        (
            expect.forbid("delet_user"),
            "forbids delet_user, which is not one of the tools. Did you mean 'delete_user'?",
        ),
    ],
)
def test_a_name_that_there_is_not_is_doubted(expected: Any, doubt: str) -> None:
    assert doubts(case(expected)) == [f"e: the case a {doubt}"]


@pytest.mark.parametrize(
    "expected",
    [
        expect.call("find_table", day="Monday", seats=2),
        expect.call("find_table", dya=expect.absent()),
        expect.call("delete_user", whatever=1),
        expect.call("anything", whatever=1),
        expect.forbid("send_money"),
    ],
)
def test_a_plausible_expectation_gives_no_warning(expected: Any) -> None:
    assert doubts(case(expected)) == []


def test_names_are_those_that_are_compared() -> None:
    settings = Settings(strip_prefix=("mcp__*__",))

    assert doubts(case(expect.call("mcp__shop__find_table")), settings=settings) == []


def test_settings_of_a_suite_without_effect_are_pointed_out() -> None:
    shared = Settings(argument_match_threshold=0.5)
    python = made(
        "e", "Paris", settings=shared, own_settings=("argument_match_threshold", "pass_mark")
    )
    suite = structs.replace(python, place="eval_e.yaml")

    assert make_plan([python]).warnings == ()
    assert make_plan([suite]).warnings == (
        "e: argument_match_threshold has no effect: it applies only with mode flexible.",
    )
    assert make_plan([suite], lang="ru").warnings == (
        "e: argument_match_threshold не действует: эта настройка учитывается только с mode flexible.",
    )
    # Those of the project may be for other evaluations.
    assert make_plan([structs.replace(suite, own_settings=("pass_mark",))]).warnings == ()
