"""Digests of code: another task has another one, another expectation has not."""

from __future__ import annotations

from functools import partial, wraps
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.runner.agents import WEATHER, a_case, a_question

from callscore import models
from callscore.evaluations.fingerprints import (
    code_digest,
    code_file,
    question_digest,
    task_digest,
    variant_keywords,
)

TEXT = """
import callscore
from callscore import Case, evaluation, expect

CASES = [Case("What?", id="a", expected=[expect.call("f")], tags=["x"])]


@evaluation(cases=["Hi"], tools="t.json", variants={"a": {"warm": 1}}, fail_under=0.5)
def assistant(case, warm=0):
    return case.id  # as it is
"""


def digest(folder: Path, text: str) -> str:
    file = folder / "eval_a.py"
    file.unlink(missing_ok=True)
    file.write_text(text, encoding="utf-8")
    return code_digest(file)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# as it is", "# whatever"),
        ("\n\n\n", "\n\n"),
        ("fail_under=0.5", "fail_under=0.9, scorers='exact', trials=3, mode='flexible', name='x'"),
        ('cases=["Hi"]', "cases=CASES"),
        ('expect.call("f")', 'expect.call("g", a=expect.any())'),
        ('tags=["x"]', "skip=True"),
    ],
)
def test_an_edit_that_cannot_change_an_answer_keeps_the_digest(
    tmp_path: Path, old: str, new: str
) -> None:
    assert old in TEXT
    assert digest(tmp_path, TEXT) == digest(tmp_path, TEXT.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return case.id", "return case.input"),
        ('tools="t.json"', 'tools="u.json"'),
        ('"warm": 1', '"warm": 2'),
        ('"What?"', '"Who?"'),
        ('id="a"', 'id="b"'),
        ("fail_under=0.5", "**more"),
    ],
)
def test_an_edit_that_may_change_an_answer_changes_the_digest(
    tmp_path: Path, old: str, new: str
) -> None:
    assert digest(tmp_path, TEXT) != digest(tmp_path, TEXT.replace(old, new))


def test_of_what_is_no_python_every_letter_counts(tmp_path: Path) -> None:
    assert digest(tmp_path, "x = (\n") != digest(tmp_path, "x = ( \n")
    assert digest(tmp_path, "\0") != digest(tmp_path, "")


class Asking:
    """Something that is called."""

    def __call__(self, case: Any) -> Any:
        return case

    def ask(self, case: Any) -> Any:
        return case


def plain(case: Any) -> Any:
    return case


@wraps(plain)
def wrapped(case: Any) -> Any:
    return plain(case)


@pytest.mark.parametrize(
    "function", [plain, partial(plain), Asking(), Asking().ask, wrapped, lambda: 1]
)
def test_whatever_is_called_has_the_file_of_its_code(function: Any) -> None:
    assert code_file(function) == __file__
    assert code_digest(function) == code_digest(Path(__file__))


@pytest.mark.parametrize(
    "text",
    [
        "from client import evaluation\nx = evaluation(prompt='one')",
        "import callscore\nx = Client().evaluation(prompt='one')",
        "from callscore import expect\nx = Case(expected='one')",
    ],
)
def test_arguments_of_a_namesake_of_evaluation_or_case_change_the_digest(
    tmp_path: Path, text: str
) -> None:
    assert digest(tmp_path, text) != digest(tmp_path, text.replace("one", "two"))


@pytest.mark.parametrize(
    "text",
    [
        "import callscore as cs\nx = cs.Case('q', expected='one')",
        "from callscore import evaluation as ask\nx = ask(cases='one')",
    ],
)
def test_ours_may_go_by_other_names(tmp_path: Path, text: str) -> None:
    assert digest(tmp_path, text) == digest(tmp_path, text.replace("one", "two"))


# By what an answer is found again.


def digest_of_question(task: Any, **case: Any) -> str:
    return question_digest(a_question(task, a_case(**case)))


def assistant(_: Any) -> Any:
    return []


@pytest.mark.parametrize(
    "other", [{"input": "Something else"}, {"name": "other"}, {"metadata": 1}, {"tags": ["a"]}]
)
def test_another_case_is_another_question(other: dict[str, Any]) -> None:
    assert digest_of_question(assistant) != digest_of_question(assistant, **other)


def test_the_expected_calls_of_a_case_have_no_part_in_its_digest() -> None:
    assert digest_of_question(assistant) == digest_of_question(assistant, expected=[])


def test_of_a_function_nobody_knows_what_it_makes_of_its_case() -> None:
    def asking(_: Any, **__: Any) -> Any:
        return []

    plain = question_digest(a_question(asking))
    others = [
        question_digest(a_question(asking, name="other")),
        question_digest(a_question(asking, tools=[WEATHER])),
        question_digest(a_question(asking, variants={"warm": {"temperature": 1}})),
    ]

    assert len({plain, *others}) == 4


def test_a_chat_is_known_by_its_request_alone() -> None:
    chat = models.chat("small", base_url="http://localhost:1/v1")
    same = question_digest(a_question(chat, name="one"))

    assert question_digest(
        a_question(chat, a_case("another", input="Ask about weather"), name="two")
    )
    assert same == question_digest(a_question(chat, name="two"))
    assert same == question_digest(a_question(chat, a_case(metadata={"a": 1})))
    assert same != question_digest(a_question(chat, a_case(input="Something else")))
    assert same != question_digest(
        a_question(models.chat("large", base_url="http://localhost:1/v1"))
    )


def test_a_variant_of_a_chat_is_known_by_what_it_says() -> None:
    chat = models.chat("small", base_url="http://localhost:1/v1")
    warm = a_question(chat, variants={"warm": {"temperature": 1}})
    hot = a_question(chat, variants={"hot": {"temperature": 1}})

    assert question_digest(warm) == question_digest(hot)
    assert question_digest(warm) != question_digest(a_question(chat))
    assert variant_keywords(warm) == {"temperature": 1}


class Recorded:
    """Answers that were recorded; they say what they are, and count how often they are asked."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, _: Any) -> Any:
        return []

    def identity(self) -> dict[str, Any]:
        self.asked += 1
        return {"recorded": "answers.jsonl"}


def test_the_text_of_a_task_counts_unless_it_says_itself_what_it_asks() -> None:
    assert task_digest(a_question(assistant)) == a_question(assistant).evaluation.source != ""
    assert task_digest(a_question(Recorded())) == ""
    assert task_digest(a_question(models.chat("small", base_url="http://localhost:1/v1"))) == ""


class Thing:
    """What JSON does not know, and what prints where it stands in memory."""


def test_an_input_that_json_cannot_express_has_a_stable_digest() -> None:
    assert digest_of_question(assistant, input=Thing()) == digest_of_question(
        assistant, input=Thing()
    )
    assert digest_of_question(assistant, input={1: "\ud800"}) == digest_of_question(
        assistant, input={1: "\ud800"}
    )
    assert digest_of_question(assistant, input={1: "\ud800"}) != digest_of_question(
        assistant, input={2: "\ud800"}
    )


def test_each_part_of_a_question_counts_and_which_trial_it_is_does_not() -> None:
    plain = a_question(assistant)
    parts = [
        a_question(assistant, a_case(tools=[WEATHER])),
        a_question(assistant, tags=["smoke"]),
        a_question(assistant, a_case(metadata={"b": 1, "a": 2})),
        a_question(assistant, a_case(input=["Ask about weather"])),
    ]

    assert len({question_digest(one) for one in (plain, *parts)}) == 5
    assert question_digest(plain) == question_digest(replace(plain, trial=2, trials=3))
    assert question_digest(a_question(assistant, scorers=["recall"])) == question_digest(plain)


@pytest.mark.parametrize(
    "other",
    [
        {"temperature": 1},
        {"system": "Be brief."},
        {"prompt": "{{input}}!"},
        {"tools": [WEATHER]},
        {"base_url": "http://localhost:2/v1"},
    ],
)
def test_whatever_goes_into_the_request_of_a_chat_counts(other: dict[str, Any]) -> None:
    here: dict[str, Any] = {"base_url": "http://localhost:1/v1"}

    before = question_digest(a_question(models.chat("small", **here)))

    assert question_digest(a_question(models.chat("small", **here | other))) != before


def test_the_text_of_functions_that_a_variant_hands_over_decides_too(tmp_path: Path) -> None:
    def handed(text: str) -> str:
        file = tmp_path / "prompts.py"
        file.write_text(text, encoding="utf-8")
        names: dict[str, Any] = {}
        exec(compile(text, str(file), "exec"), names)  # noqa: S102  (as an import would)
        question = a_question(
            lambda case, prompt, size: [case, prompt, size],
            variants={"one": {"prompt": names["prompt"], "size": 3}},
        )
        return task_digest(question)

    before = handed("def prompt(): return 'a'")

    assert handed("def prompt(): return 'other'") != before
    assert handed("def prompt(): return 'a'  # said") == before
