"""The cases of an evaluation: from lists, files and functions, each with an id of its own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from callscore import Case, UnreadableInput, expect
from callscore.core.call import ToolCall
from callscore.core.rules import Matcher
from callscore.evaluations.evaluation import Evaluation
from callscore.evaluations.plan import evaluation_cases

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator


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
        (broken, "test_case_reading.py:151: 'city'."),
        (leaving, "cases: leaving raises SystemExit in "),
        (later, "cases: later is async. Give a function that returns the cases."),
        (bit_by_bit, "cases: bit_by_bit is async. Give a function that returns the cases."),
        (lambda: 7, "cases: a list of cases is wanted; got 7."),
        (dict, "cases: a list of cases is wanted; got an empty object."),
        (["a", 7], "cases[1]: a case is a Case, an object or text; got 7."),
        (["a", {"expectd": []}], "cases[1]: 'expectd' is no field of a case. Is `expected` meant?"),
        ([Case("a", expected=[7])], "cases[0]: expected[0]: "),
        ("gone.jsonl", "gone.jsonl: there is no such file"),
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
