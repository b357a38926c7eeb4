"""What checking calls gave, as Markdown."""

from __future__ import annotations

from callscore.checks.check import CheckResults, Finding, ToolFaults
from callscore.core.call import ToolCall
from callscore.core.results import Noted
from callscore.core.score import Fault
from callscore.reports.check import write_markdown

REPORT = """\
## 1 file, 2 runs, 4 calls: 1 at fault, 25.0%

parameters valid: 75.0% (3 of 4)

- **1 record skipped: not readable** (`a.jsonl:3: not JSON`)

### Faults by tool

| tool | calls | wrong type |
| --- | ---: | ---: |
| <code>f&#124;g</code> | 3 | 1 |

- **wrong type** `a.jsonl:1, trip, call 1`: \
<code>f&#124;g&#58; a&#58; must be of the type string&#44; got 1</code>

… 1 fault not shown; --limit shows more
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
        "## 1 file, 1 run, 2 calls: no faults found\n"
    )


def test_a_note_about_every_run_names_none() -> None:
    report = write_markdown(CheckResults(files=1, runs=1, calls=1, without_tools=Noted(1, ("a",))))

    assert report.endswith("names a file of them**\n")


def test_of_many_tools_the_first_are_shown() -> None:
    tools = {f"tool{number}": ToolFaults(1, {"repeat": 1}) for number in range(25)}

    report = write_markdown(CheckResults(files=1, runs=1, calls=25, faulty_calls=25, tools=tools))

    assert "`tool19`" in report
    assert "`tool20`" not in report
    assert "… 5 more" in report
