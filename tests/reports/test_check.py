"""What checking calls gave, in words."""

from __future__ import annotations

import msgspec

from callscore.checks.check import CheckResults, Finding, ToolFaults
from callscore.core.call import ToolCall
from callscore.core.results import Noted
from callscore.core.score import Fault
from callscore.reports.check import (
    check_notes,
    headline_parts,
    jsonl_line,
    more_findings,
    parameters_line,
    write_json,
    write_markdown,
)


def test_the_headline_says_what_was_checked_and_how_much_is_at_fault() -> None:
    results = CheckResults(files=1, runs=2, calls=5, faulty_calls=1)

    assert headline_parts(results, "en") == ("1 file, 2 traces, 5 calls", "1 with faults (20.0%)")
    assert headline_parts(results, "ru") == ("1 файл, 2 трассы, 5 вызовов", "с ошибками 1 (20.0%)")


def test_the_headline_of_faultless_runs_and_of_no_calls() -> None:
    assert headline_parts(CheckResults(files=1, runs=1, calls=1), "en")[1] == "no faults found"
    assert headline_parts(CheckResults(files=1, runs=1), "en")[1] == "no calls"


def test_the_share_of_valid_parameters_is_told_where_it_is_known() -> None:
    checked = CheckResults(calls=4, checked_calls=4, invalid_calls=1)

    assert parameters_line(checked, "en") == "valid calls: 75.0% (3 of 4)"
    assert parameters_line(checked, "ru") == "соответствуют схеме: 75.0% (3 из 4)"
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
    assert notes[2][0] == "5 records not checked: no actual calls given"


def test_a_note_about_every_run_names_none() -> None:
    results = CheckResults(runs=2, without_tools=Noted(2, ("a", "b")))

    ((sentence, names),) = check_notes(results, "ru")

    assert sentence.startswith("2 трассы без описаний инструментов")
    assert names == ""


def test_tools_that_cannot_be_used_are_named_even_if_there_are_as_many_as_runs() -> None:
    results = CheckResults(runs=1, unusable=Noted(1, ("f: it is no schema.",)))

    assert check_notes(results, "en")[0][1] == "f: it is no schema."


def test_calls_that_were_not_checked_are_counted() -> None:
    english, russian = (check_notes(CheckResults(unchecked_calls=2), lang) for lang in ("en", "ru"))

    assert english[0][0].startswith("2 calls with unchecked arguments")
    assert russian[0][0].startswith("2 вызова с непроверенными аргументами")
    assert english[0][1] == ""


def test_how_many_more_there_are_is_told() -> None:
    assert more_findings(CheckResults(), "en") == ""
    assert more_findings(CheckResults(not_shown=1), "en") == (
        "… 1 fault not shown; --max-shown shows more"
    )


# What checking calls gave, as JSON.

FINDING = Finding(
    "a.jsonl:1",
    "trip #0",
    ToolCall("f", {"a": float("nan")}),
    Fault("wrong_type", "f", 0, "$.a", float("nan"), "string", keyword="type"),
)
FOUND = {
    "kind": "wrong_type",
    "tool": "f",
    "message": "f: a: must be of type string, got NaN",
    "place": "a.jsonl:1",
    "run": "trip #0",
    "index": 0,
    "path": "$.a",
    "value": "NaN",
    "required": "string",
    "keyword": "type",
    "since": None,
    "call": {"name": "f", "arguments": {"a": "NaN"}},
}


def test_the_document_has_every_number_and_finding() -> None:
    results = CheckResults(
        files=1,
        runs=2,
        calls=4,
        faulty_calls=1,
        checked_calls=4,
        unchecked_calls=1,
        invalid_calls=1,
        tools={"f": ToolFaults(3, {"wrong_type": 1})},
        findings=(FINDING,),
        not_shown=2,
        without_tools=Noted(1, ("x",)),
    )

    assert msgspec.json.decode(write_json(results)) == {
        "files": 1,
        "runs": 2,
        "calls": 4,
        "faulty_calls": 1,
        "checked_calls": 4,
        "unchecked_calls": 1,
        "invalid_calls": 1,
        "parameters_valid": 0.75,
        "faults": {"wrong_type": 1},
        "tools": {"f": {"calls": 3, "faults": {"wrong_type": 1}}},
        "findings": [FOUND],
        "not_shown": 2,
        "without_tools": {"count": 1, "names": ["x"]},
        "unusable": {"count": 0, "names": []},
        "without_calls": {"count": 0, "names": []},
        "skipped": {"count": 0, "names": []},
        "unread": {"count": 0, "names": []},
    }


def test_a_finding_is_one_line() -> None:
    line = jsonl_line(FINDING, lang="ru")

    assert line.endswith("}\n")
    assert msgspec.json.decode(line) == {
        **FOUND,
        "message": "f: a: нужен тип string, получено NaN",
    }


# What checking calls gave, as Markdown.

REPORT = """\
## 1 file, 2 traces, 4 calls: 1 with faults (25.0%)

valid calls: 75.0% (3 of 4)

- **1 record skipped: unreadable** (`a.jsonl:3: not JSON`)

### Faults by tool

| tool | calls | wrong type |
| --- | ---: | ---: |
| <code>f&#124;g</code> | 3 | 1 |

- **wrong type** `a.jsonl:1, trip, call 1`: \
<code>f&#124;g&#58; a&#58; must be of type string&#44; got 1</code>

… 1 fault not shown; --max-shown shows more
"""


def test_the_report() -> None:
    results = CheckResults(
        files=1,
        runs=2,
        calls=4,
        faulty_calls=1,
        checked_calls=4,
        invalid_calls=1,
        tools={"f|g": ToolFaults(3, {"wrong_type": 1}), "now": ToolFaults(1, {})},
        findings=(
            Finding(
                "a.jsonl:1",
                "trip",
                ToolCall("f|g", {"a": 1}),
                Fault("wrong_type", "f|g", 0, "$.a", 1, "string", keyword="type"),
            ),
        ),
        not_shown=1,
        skipped=Noted(1, ("a.jsonl:3: not JSON",)),
    )

    assert write_markdown(results) == REPORT


def test_nothing_wrong_is_a_headline() -> None:
    assert write_markdown(CheckResults(files=1, runs=1, calls=2)) == (
        "## 1 file, 1 trace, 2 calls: no faults found\n"
    )


def test_a_note_about_every_run_names_none_in_markdown() -> None:
    report = write_markdown(CheckResults(files=1, runs=1, calls=1, without_tools=Noted(1, ("a",))))

    assert report.endswith("with --tools**\n")


def test_of_many_tools_the_first_are_shown() -> None:
    tools = {f"tool{number}": ToolFaults(1, {"repeat": 1}) for number in range(25)}

    report = write_markdown(CheckResults(files=1, runs=1, calls=25, faulty_calls=25, tools=tools))

    assert "`tool19`" in report
    assert "`tool20`" not in report
    assert "… 5 more" in report
