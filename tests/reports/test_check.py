"""What checking calls gave, in words."""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones are meant)

from __future__ import annotations

from callscore.checks.check import CheckResults
from callscore.core.results import Noted
from callscore.reports.check import check_notes, headline_parts, more_findings, parameters_line


def test_the_headline_says_what_was_checked_and_how_much_is_at_fault() -> None:
    results = CheckResults(files=1, runs=2, calls=5, faulty_calls=1)

    assert headline_parts(results, "en") == ("1 file, 2 runs, 5 calls", "1 at fault, 20.0%")
    assert headline_parts(results, "ru") == ("1 файл, 2 прогона, 5 вызовов", "с ошибками: 1, 20.0%")


def test_the_headline_of_faultless_runs_and_of_no_calls() -> None:
    assert headline_parts(CheckResults(files=1, runs=1, calls=1), "en")[1] == "no faults found"
    assert headline_parts(CheckResults(files=1, runs=1), "en")[1] == "no calls"


def test_the_share_of_valid_parameters_is_told_where_it_is_known() -> None:
    checked = CheckResults(calls=4, checked_calls=4, invalid_calls=1)

    assert parameters_line(checked, "en") == "parameters valid: 75.0% (3 of 4)"
    assert parameters_line(checked, "ru") == "верные параметры: 75.0% (3 из 4)"
    assert parameters_line(CheckResults(calls=4), "en") is None


def test_notes_name_what_was_not_checked() -> None:
    results = CheckResults(
        runs=9,
        without_tools=Noted(2, ("a", "b")),
        unusable=Noted(1, ("\x1b[31m",)),
        without_calls=Noted(5, ("1", "2", "3", "4", "5")),
        skipped=Noted(1, ("x.jsonl:3: no",)),
    )

    notes = check_notes(results, "en")

    assert [names for _, names in notes] == [
        "a, b",
        "\\u001b[31m",
        "1, 2, 3, … 2 more",
        "x.jsonl:3: no",
    ]
    assert notes[2][0] == "5 records not checked: what was called is not said"


def test_a_note_about_every_run_names_none() -> None:
    results = CheckResults(runs=2, without_tools=Noted(2, ("a", "b")))

    ((sentence, names),) = check_notes(results, "ru")

    assert sentence.startswith("2 прогона без описаний инструментов")
    assert names == ""


def test_tools_that_cannot_be_used_are_named_even_if_there_are_as_many_as_runs() -> None:
    results = CheckResults(runs=1, unusable=Noted(1, ("f: it is no schema.",)))

    assert check_notes(results, "en")[0][1] == "f: it is no schema."


def test_calls_that_were_not_checked_are_counted() -> None:
    english, russian = (check_notes(CheckResults(unchecked_calls=2), lang) for lang in ("en", "ru"))

    assert english[0][0].startswith("2 calls with nothing to check the arguments by")
    assert russian[0][0].startswith("2 вызова без проверки аргументов")
    assert english[0][1] == ""


def test_how_many_more_there_are_is_told() -> None:
    assert more_findings(CheckResults(), "en") is None
    assert more_findings(CheckResults(not_shown=1), "en") == (
        "… 1 fault not shown; --limit shows more"
    )
