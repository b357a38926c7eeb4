"""Whom a suite asks, and its variants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.errors import InvalidEvaluation
from callscore.evaluations.recorded import RecordedAnswers
from callscore.evaluations.suites import SuiteDocument, suite_task, suite_variants
from callscore.models import Chat

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.jsonl").write_text('{"id": "x", "answer": "a"}\n')
    return tmp_path


def suite(folder: Path, **value: Any) -> SuiteDocument:
    return SuiteDocument(folder / "eval_a.yaml", value, lambda _: None)


def refusal(folder: Path, **value: Any) -> str:
    def read(document: SuiteDocument) -> None:
        suite_task(document, None)
        suite_variants(document)

    with pytest.raises(InvalidEvaluation) as caught:
        read(suite(folder, **value))
    return caught.value.problem


def test_a_model_is_asked_by_its_name(folder: Path) -> None:
    task = suite_task(suite(folder, model="gpt-4.1-mini"), None)

    assert isinstance(task, Chat)
    assert (task.model, task.offer) == ("gpt-4.1-mini", None)


def test_recorded_answers_stand_in_for_a_model(folder: Path) -> None:
    assert isinstance(suite_task(suite(folder, answers="a.jsonl"), None), RecordedAnswers)
    variants = {"v": {"answers": "a.jsonl"}}
    assert isinstance(suite_task(suite(folder, variants=variants), None), RecordedAnswers)


def test_a_variant_says_what_is_different(folder: Path) -> None:
    document = suite(
        folder,
        model="m",
        variants={
            "plain": {},
            "other": {"model": "n"},
            "elsewhere": {"model": {"name": "n", "base_url": "http://x/v1", "key_variable": "K"}},
        },
    )

    assert suite_variants(document) == {
        "plain": {},
        "other": {"model": "n"},
        "elsewhere": {"model": "n", "base_url": "http://x/v1", "key_variable": "K"},
    }


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({}, "a suite needs a `model` to ask, or recorded `answers`."),
        ({"model": 7}, "model: an object is wanted; got 7."),
        ({"model": ""}, "model: the `name` of the model is missing."),
        ({"model": {}}, "model: the `name` of the model is missing."),
        ({"model": {"name": "m", "temperature": 0}}, "model has no key 'temperature'."),
        ({"model": {"name": "m", "parameters": 7}}, "model.parameters: 7 is not like"),
        (
            {"model": {"name": "m", "parameters": {"system": "x"}}},
            "model.parameters: 'system' is none, and has a place of its own.",
        ),
        ({"model": {"name": "m", "base_url": "x"}}, "base_url: "),
        ({"model": {"name": "m", "key_variable": "a b"}}, "key_variable: "),
        ({"model": "m", "system": 7}, "system: "),
        (
            {"model": "m", "answers": "a.jsonl"},
            "model: the answers are recorded, and nobody is asked. Keep one of the two.",
        ),
        ({"answers": 7}, "answers: 7 is not the path of a file."),
        ({"answers": "gone.jsonl"}, "answers: "),
        (
            {"answers": "a.jsonl", "variants": {"v": {"answers": "a.jsonl"}}},
            "answers: the variants have theirs. Keep those.",
        ),
        ({"answers": "a.jsonl", "variants": {"v": {}}}, "variants.v: its `answers` are missing."),
        (
            {"answers": "a.jsonl", "variants": {"v": {"model": "m"}}},
            "variants.v.model: either all variants have `answers`, or none has.",
        ),
        ({"model": "m", "variants": {"v": {"modle": "m"}}}, "variants.v has no key 'modle'. Is"),
        ({"model": "m", "variants": {"v": {"system": 7}}}, "variants.v.system: 7 is not a text."),
        ({"model": "m", "variants": {"v": 7}}, "variants.v: 7 is not what"),
        ({"model": "m", "variants": {"v": {"model": {}}}}, "variants.v.model: the `name` of the"),
        (
            {"model": "m", "variants": {"v": {"parameters": {"tools": []}}}},
            "variants.v.parameters: 'tools' is none, and has a place of its own.",
        ),
    ],
)
def test_what_a_suite_cannot_ask_is_refused(
    folder: Path, value: dict[str, Any], problem: str
) -> None:
    assert refusal(folder, **value).startswith(problem)
