"""What is going to be asked: all of it, or what is selected."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import structs

from callscore import Case, InvalidSettings, Settings, Tool, UnreadableInput, expect
from callscore.core.call import ToolCall
from callscore.core.results import Noted, Unloaded
from callscore.core.rules import Matcher
from callscore.evaluations.evaluation import Evaluation
from callscore.evaluations.plan import (
    Plan,
    Selection,
    Skipped,
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


@pytest.mark.parametrize("trials", [0, -1, 1.5, True, "2", 10_001, 10**300])
def test_numbers_of_trials_are_limited(trials: Any) -> None:
    with pytest.raises(InvalidSettings, match=r"^trials: "):
        make_plan([ONE], trials=trials)


def test_the_questions_of_an_evaluation_are_limited() -> None:
    with pytest.raises(InvalidSettings, match="trials: 10000 of 101 cases are more than 1000000"):
        make_plan([made("e", *map(str, range(101)))], trials=10_000)


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
        "e: the case paris expects find_tabel, which is not one of the tools. Did you mean 'find_table'?",
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
        Unloaded("eval_bad.py:1: cases[0]", "expected a Case, an object or a string, got 7."),
        Unloaded("eval_none.py:1", "none has no cases."),
    )


def test_a_file_that_needs_what_is_not_installed_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    from callscore.errors import MissingExtra

    def missing(_: Evaluation) -> list[Case]:
        raise MissingExtra("reading Parquet", "parquet")

    monkeypatch.setattr("callscore.evaluations.plan.cases_and_repeated_ids", missing)

    found = make_plan([ONE, made("e", skip=True)])

    assert [each.place for each in found.unloaded] == ["eval_one.py:1"]
    assert "callscore[parquet]" in found.unloaded[0].problem


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


def test_a_long_question_gives_a_short_name_of_whole_words() -> None:
    (name,) = ids(["Please tell me in as many words as you can what the weather is like in Paris"])

    assert name == "please-tell-me-in-as-many-words-as-you-can-what"
    assert ids(["x" * 500]) == ["x" * 48]


def test_a_conversation_is_called_by_what_was_said_last() -> None:
    asked = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hello there"}]

    assert ids([Case(asked), Case([])]) == ["hello-there", ids([Case([])])[0]]


def test_what_has_no_words_is_named_for_its_content() -> None:
    names = ids([Case("???", expected=["a"]), Case({"x": 1}), Case(expected=["a"])])

    assert all(name.startswith("sha-") for name in names)
    assert len(set(names)) == 3
    assert ids(["!!!"])[0].startswith("sha-")


def test_an_id_of_ones_own_is_kept() -> None:
    assert ids([Case("Hi!", id="greeting"), {"id": 7, "input": "Hi!"}]) == ["greeting", "7"]


def test_ids_that_repeat_get_a_number() -> None:
    assert ids(["Hi", "Hi!", "hi", Case("x", id="hi-2"), "Hi"]) == [
        "hi",
        "hi-3",
        "hi-4",
        "hi-2",
        "hi-5",
    ]


def test_what_is_expected_is_read() -> None:
    (case,) = read([Case("Hi", expected=["search", ("book", {"to": expect.contains("Rome")})])])

    search, book = case.expected or ()
    assert search == ToolCall("search")
    assert isinstance(book.arguments["to"], Matcher)


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


def test_a_case_keeps_what_else_it_says() -> None:
    given = Case(
        "Hi", id="a", expected=[], tags=["x"], metadata={"k": 1}, tools=["t"], only=True, skip="why"
    )

    (case,) = read([given], tags=("smoke", "x"))

    assert case.tags == ("smoke", "x")
    assert (case.metadata, case.tools, case.only, case.skip) == ({"k": 1}, ["t"], True, "why")
    assert case.expected == ()


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


def test_the_cases_of_a_file_keep_their_order(tmp_path: Path) -> None:
    first, second = '{"input": "One"}', '{"input": "Two", "expected": []}'
    (tmp_path / "a.jsonl").write_text(f"{first}\n{second}\n")
    (tmp_path / "a.json").write_text(f"[{second}, {first}]")
    (tmp_path / "b.json").write_text(first)

    assert ids(tmp_path / "a.jsonl") == ["one", "two"]
    assert ids(tmp_path / "a.json") == ["two", "one"]
    assert ids(tmp_path / "b.json") == ["one"]


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
        ([], "e has no cases."),
        (list, "e has no cases."),
        (broken, "test_plan.py:315: 'city'."),
        (leaving, "cases: leaving raises SystemExit in "),
        (later, "cases: later is async. Pass a function that returns the cases."),
        (bit_by_bit, "cases: bit_by_bit is async. Pass a function that returns the cases."),
        (lambda: 7, "cases: expected a list of cases, got 7."),
        (dict, "cases: expected a list of cases, got an empty object."),
        (["a", 7], "cases[1]: expected a Case, an object or a string, got 7."),
        (["a", {"expectd": []}], "cases[1]: unknown field 'expectd'. Did you mean 'expected'?"),
        ([Case("a", expected=[7])], "cases[0]: expected[0]: "),
        ("gone.jsonl", "gone.jsonl: file not found"),
    ],
)
def test_what_cannot_be_read_is_named(cases: Any, problem: str) -> None:
    said = refusal(cases)

    assert said.startswith("eval_e.py:3: ")
    assert problem in said


def test_a_bad_line_of_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"input": "One", "expected": []}\n{"input": \n')

    assert "a.jsonl:2:" in refusal(tmp_path / "a.jsonl")


def test_an_error_of_ours_in_a_function_is_passed_on() -> None:
    def reading() -> list[str]:
        raise UnreadableInput("there", "no.")

    assert refusal(reading) == "there: no."


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
            expect.call("find_tabel"),
            "expects find_tabel, which is not one of the tools. Did you mean 'find_table'?",
        ),
        (expect.call("x"), "expects x, which is not one of the tools."),
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

        def unused_answers(self, cases: list[str]) -> list[str]:
            return [f"there is more than {cases[0]}"]

    evaluation = Evaluation(name="e", task=Answers(), cases=["Hi"])

    assert warnings_about(evaluation, evaluation_cases(evaluation)) == ["e: there is more than hi."]


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


# Ids of several cases.


def test_an_id_of_several_cases_is_a_warning() -> None:
    same = made("e", Case("x", id="a"), Case("y", id="a"), Case("x", id="b"))
    three = made("e", *[Case(text, id="a") for text in "xyz"])
    unnamed = made("e", "What is it?", "What is it?")

    assert make_plan([same]).warnings == (
        "e: 2 cases have the id 'a'; the second one is renamed 'a-2'.",
    )
    assert make_plan([three]).warnings == (
        "e: 3 cases have the id 'a'; they are renamed 'a-2' and so on.",
    )
    assert make_plan([unnamed]).warnings == ()


def test_a_trace_beside_a_question_is_not_its_answer(tmp_path: Path) -> None:
    fields = '"expected": ["f"], "output": {"answer": 3}, "messages": [{"role": "assistant"}]'
    (tmp_path / "a.jsonl").write_text(f'{{"id": "one", {fields}}}\n')

    (case,) = read(tmp_path / "a.jsonl")

    assert (case.id, case.actual) == ("one", None)
