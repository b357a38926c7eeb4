"""Recorded answers in place of an agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from callscore import Case, UnreadableInput
from callscore.evaluations.suites import RecordedAnswers, read_answers

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    file = tmp_path / "answers.jsonl"
    file.write_text(
        '{"id": "weather", "answer": [{"name": "getWeather"}]}\n'
        '{"id": 7, "trial": 1, "output": "one"}\n'
        '{"id": 7, "trial": 2, "output": "two"}\n'
        '{"id": 7, "calls": []}\n'
    )
    return file


def test_a_trial_may_have_an_answer_of_its_own(answers: Path) -> None:
    task = RecordedAnswers([answers.name], answers.parent)

    assert [task(Case(id="7", trial=trial)) for trial in (1, 2, 3)] == ["one", "two", []]


def test_the_identity_of_recorded_answers_changes_with_an_answer(answers: Path) -> None:
    before = RecordedAnswers([answers.name], answers.parent).identity()
    again = RecordedAnswers([answers.name], answers.parent).identity()
    answers.write_text(answers.read_text().replace("getWeather", "other"))

    assert before == again
    assert before != RecordedAnswers([answers.name], answers.parent).identity()
    assert before["recorded"] == ("answers.jsonl",)


def test_answers_to_what_is_no_case_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(
        '{"id": "paris", "answer": 1}\n{"id": "lodnon", "trial": 1, "answer": 1}\n'
        '{"id": "lodnon", "trial": 2, "answer": 1}\n{"id": "zzz", "answer": 1}\n'
    )

    assert RecordedAnswers(["a.jsonl"], tmp_path).unused_answers(["paris", "london"]) == [
        "a.jsonl has an answer for 'lodnon', which is not a case. Did you mean 'london'?",
        "a.jsonl has an answer for 'zzz', which is not a case",
    ]


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("[1]\n", "[0]", "expected an object with 'id' and 'answer', got 1."),
        ('{"answer": 1}\n', "", "expected the 'id' of a case, got null."),
        ('{"id": true, "answer": 1}\n', "", "expected the 'id' of a case, got true."),
        ('{"id": "a"}\n', "", "got none of them."),
        ('{"id": "a", "answer": 1, "output": 2}\n', "", "got answer and output."),
        (
            '{"id": "a", "answer": 1}\n{"id": "a", "answer": 2}\n',
            ":2",
            "the case 'a' has two answers. Remove one of them.",
        ),
        (
            '{"id": "a", "trial": 1, "answer": 1}\n{"id": "a", "trial": "1", "answer": 2}\n',
            ":2",
            "the case 'a', trial 1 has two answers.",
        ),
        ('{"id": "a", "answer": 1}\n{"id": \n', ":2", ""),
        ("", "", "the file has no answers."),
    ],
)
def test_an_invalid_file_of_recorded_answers_is_refused_with_its_place(
    tmp_path: Path, text: str, line: str, problem: str
) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text(text)

    with pytest.raises(UnreadableInput) as caught:
        read_answers(file)

    assert caught.value.place.startswith(f"{file}{line}")
    assert problem in caught.value.problem


def test_a_recorded_answer_may_have_turns_and_a_state(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text(
        '{"id": "a", "calls": ["f"], "actual_state": {"x": 1}}\n'
        '{"id": "b", "turns": [["f"], []]}\n'
        '{"id": "c", "calls": ["f"], "actual_state": null}\n'
    )

    task = RecordedAnswers([file.name], tmp_path)

    assert task(Case(id="a")) == {"calls": ["f"], "actual_state": {"x": 1}}
    assert task(Case(id="b")) == {"turns": [["f"], []]}
    assert task(Case(id="c")) == ["f"]
