"""What `callscore bless` says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from callscore.cli.bless import (
    confirmation_text,
    nothing_line,
    refused_lines,
    unwritten_lines,
    written_lines,
)
from callscore.rewriting import reasons
from callscore.rewriting.applying import Rewritten
from callscore.rewriting.blessing import Blessings, Unblessed
from callscore.rewriting.change import CannotRewrite, Change

if TYPE_CHECKING:
    from callscore.core.phrases import Language

CHANGE = Change(label="x[a]", files=("a.yaml",))
WRITTEN = [
    Rewritten(CHANGE, "evals/a.yaml:3"),
    Rewritten(CHANGE, "evals/a.yaml:17"),
    Rewritten(CHANGE, "b.jsonl:1"),
]


@pytest.mark.parametrize(
    ("lang", "asked"),
    [
        ("en", "Write 3 expectations to 2 files?"),
        ("ru", "Записать 3 эталона в 2 файла?"),
    ],
)
def test_it_asks_how_much_is_to_be_written(lang: Language, asked: str) -> None:
    assert confirmation_text(WRITTEN, lang) == asked


def test_what_was_written_is_told_by_file() -> None:
    assert list(written_lines(WRITTEN, "en")) == [
        "written: evals/a.yaml (2 expectations)",
        "written: b.jsonl (1 expectation)",
    ]
    assert next(written_lines(WRITTEN, "ru")) == "записано: evals/a.yaml (2 эталона)"


def test_hostile_names_do_no_harm() -> None:
    (line,) = refused_lines([Unblessed("x[\x1b[31m]", "it \x07 rings")], "en")

    assert line.isprintable()
    assert line.startswith("not changed: x[")


def test_the_first_of_many_without_an_answer_are_named() -> None:
    few = Blessings(unanswered=("a", "b"))
    many = Blessings(unanswered=tuple(map(str, range(12))))

    assert [*unwritten_lines(few, "en")] == [
        "not changed, because they have no answer or no score: 2 (a, b)"
    ]
    [line] = unwritten_lines(many, "en")
    assert line.endswith("12 (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ...)")


def test_it_says_why_nothing_is_written() -> None:
    assert nothing_line(Blessings(cases=3, unanswered=("a",)), "en") == (
        "nothing to bless: the calls are as expected (2 cases)"
    )
    refused = Blessings(cases=3, refused=(Unblessed("a", "it is gone"),))
    assert nothing_line(refused, "en") == "nothing can be written"


def test_cases_that_say_nothing_of_calls_are_counted_apart() -> None:
    assert nothing_line(Blessings(cases=3, unexpecting=1), "en") == (
        "nothing to bless: the calls are as expected (2 cases); 1 case without expected calls"
    )
    assert nothing_line(Blessings(cases=3, unexpecting=3), "en") == (
        "nothing to bless: no case has expected calls (3 cases)"
    )
    assert nothing_line(Blessings(cases=2, unexpecting=1), "ru").endswith(
        "; без ожидаемых вызовов: 1 случай"
    )


def test_what_fails_for_another_reason_and_what_is_renamed_is_told() -> None:
    nameless = Rewritten(CHANGE, "b.jsonl:1", has_id=False)

    assert [*unwritten_lines(Blessings(others=("x::a",)), "en")] == [
        "calls as expected, but failed by another scorer: 1 (x::a)"
    ]
    assert [*written_lines([nameless] * 2, "en")][-1].startswith("2 cases without an id")
    assert [*written_lines([nameless], "ru")][-1].startswith("1 случай без id: ")


def test_a_reason_is_told_in_the_language_that_is_asked_for() -> None:
    inner = CannotRewrite(reasons.WRITE_PROTECTED)
    reason = CannotRewrite(reasons.IN_FILE, file="a.yaml", problem=inner)

    (line,) = refused_lines([Unblessed("x::a", str(reason), reason)], "ru")

    assert line == "не изменено: x::a: a.yaml: файл защищён от записи."
    assert str(reason) == "a.yaml: the file is write-protected."
