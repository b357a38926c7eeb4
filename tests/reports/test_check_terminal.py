"""What checking calls gave, for people."""

from __future__ import annotations

from functools import partial
from io import StringIO

from rich.console import Console

from callscore.checks.check import CheckResults, Finding, ToolFaults
from callscore.core.call import ToolCall
from callscore.core.results import Noted
from callscore.core.score import Fault
from callscore.reports.check_terminal import render
from callscore.reports.terminal import printed_text

write_text = partial(printed_text, render)

CALL = ToolCall("weather", {"days": 9, "sky": "[bold]blue"})
RESULTS = CheckResults(
    files=1,
    runs=2,
    calls=4,
    faulty_calls=2,
    checked_calls=4,
    invalid_calls=1,
    tools={
        "weather": ToolFaults(3, {"unknown_argument": 1, "invalid_value": 1, "repeat": 1}),
        "now": ToolFaults(1, {}),
    },
    findings=(
        Finding(
            "a.jsonl:1",
            "trip #0",
            CALL,
            Fault("invalid_value", "weather", 0, "$.days", 9, 7, keyword="maximum"),
        ),
        Finding(
            "a.jsonl:1",
            "trip #0",
            CALL,
            Fault("unknown_argument", "weather", 0, "$.sky", "x", keyword="additionalProperties"),
        ),
        Finding("a.jsonl:2", None, CALL, Fault("repeat", "weather", 2, since=0)),
    ),
    not_shown=1,
    skipped=Noted(1, ("a.jsonl:3: not JSON",)),
)
REPORT = """\
1 file, 2 traces, 4 calls: 2 with faults (50.0%)
valid calls: 75.0% (3 of 4)

! 1 record skipped: unreadable (a.jsonl:3: not JSON)

Faults by tool
                 unknown  invalid
tool     calls  argument    value  repeat
weather      3         1        1       1
all          4         1        1       1

a.jsonl:1, trip #0, call 1
    weather(days=9, sky="[bold]blue")
    invalid value  days: must be at most 7, got 9
    unknown argument  sky: not in the schema (value "x")

a.jsonl:2, call 3
    weather(days=9, sky="[bold]blue")
    repeat  exact repeat of call 1

… 1 fault not shown; --max-shown shows more
"""


def test_the_report_for_a_file() -> None:
    assert write_text(RESULTS) == REPORT


def test_the_report_in_russian() -> None:
    assert "неизвестный аргумент  sky: нет в схеме" in write_text(RESULTS, lang="ru")


def test_on_a_narrow_terminal_the_numbers_stay_whole() -> None:
    console = Console(file=StringIO(), width=40, color_system=None)

    with console.capture() as capture:
        render(RESULTS, console=console)

    shown = [line.split() for line in capture.get().splitlines()]
    assert ["weather", "unknown", "argument", "1"] in shown
    assert ["weather", "repeat", "1"] in shown


def test_nothing_wrong_takes_no_table() -> None:
    assert write_text(CheckResults(files=1, runs=1, calls=2, tools={"f": ToolFaults(2, {})})) == (
        "1 file, 1 trace, 2 calls: no faults found\n"
    )


def test_of_many_tools_the_first_are_shown() -> None:
    tools = {f"tool{number}": ToolFaults(1, {"repeat": 1}) for number in range(25)}

    report = write_text(CheckResults(files=1, runs=1, calls=25, faulty_calls=25, tools=tools))

    assert "tool19" in report
    assert "tool20" not in report
    assert "… 5 more" in report


def test_a_note_without_names_has_no_brackets() -> None:
    results = CheckResults(files=1, runs=1, calls=1, without_tools=Noted(1, ("a",)))

    assert "(a)" not in write_text(results)


def test_arguments_that_are_not_json_are_shown_as_they_are() -> None:
    call = ToolCall("f", raw='{"a": \x1b', error="invalid_json")
    fault = Fault("malformed", "f", 0, detail="invalid_json")

    report = write_text(CheckResults(files=1, findings=(Finding("x", None, call, fault),)))

    assert '    f({"a": \\u001b)\n' in report
    assert "malformed arguments  the arguments are not a JSON object: not JSON" in report


def test_long_lines_hang_and_values_stay_whole() -> None:
    call = ToolCall("find_order", {"city": "Oslo in Norway"})
    name = "refund-of-an-order-in-europe-123"
    faults = [
        Fault("unknown_tool", "find_order", 0, required="find_orders"),
        Fault(
            "unknown_argument", "f", 0, "$.city", "Oslo in Norway", keyword="additionalProperties"
        ),
        Fault("unknown_argument", "f", 0, "$.note", "x" * 99, keyword="additionalProperties"),
    ]
    results = CheckResults(
        files=1, findings=tuple([Finding("a.jsonl:1", name, call, each) for each in faults])
    )
    console = Console(file=StringIO(), width=50, color_system=None)

    with console.capture() as capture:
        render(results, console=console)

    lines = [line.rstrip() for line in capture.get().splitlines()]
    assert lines[2:9] == [
        f"a.jsonl:1, {name},",
        "call 1",
        '    find_order(city="Oslo in Norway")',
        "    unknown tool. Did you mean 'find_orders'?",
        "    unknown argument  city: not in the schema",
        '      (value "Oslo in Norway")',
        "    unknown argument  note: not in the schema",
    ]
    assert lines[-1].endswith('x…")')
