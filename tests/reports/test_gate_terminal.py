"""What a gate says, for people."""

from __future__ import annotations

from functools import partial
from io import StringIO
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, fromstring

import pytest
from msgspec.structs import replace
from rich.console import Console
from tests.reports.comparisons import (
    ATTACKED_GATE,
    CLOSED,
    DOUBTFUL,
    EMPTY,
    HOSTILE,
    IN_DOUBT,
    NOTHING_NEW,
    OPEN,
    SLICED,
)

from callscore.comparing.gating import Gate, Reason
from callscore.reports.gate_terminal import render, write_junit
from callscore.reports.terminal import printed_text

if TYPE_CHECKING:
    from callscore.comparing.gating import FailOn
    from callscore.core.phrases import Language

write_text = partial(printed_text, render)

NEXT = "callscore show 20261115-120000-bbbb refund-order-17"
OPEN_BLOCK = """\
Gate passed   no evidence, main → main   --fail-on regressed

passed 92.0% → 92.0%, 0.0 points
The two means are equal.
95% interval −1.9 to +1.9, p = 1.000, exact McNemar, 200 cases in both
detectable with 80% power: ≥ 3.0 points
200 unchanged

before   main, run 20261114-120000-aaaa, commit 02f0cce, 2026-11-14 12:00 UTC, 200 cases
after    main, run 20261114-120000-aaaa, commit 02f0cce, 2026-11-14 12:00 UTC, 200 cases

Next: callscore show 20261115-120000-bbbb refund-order-17
"""

CLOSED_BLOCK = """\
Gate failed   regressed, main → latest   --fail-on any
! regressed: passed 92.0% → 84.0%, −8.0 points (95% interval −12.5 to −3.5, p = 0.002, exact
  McNemar, 197 cases in both)
! 3 cases broken
! 1 case changed (assistant::convert-5-miles-to-km)
! 3 cases are missing (a, b, c)
! 1 case with a new forbidden call (assistant::refund-order-17)
! 1 case with a new schema error (assistant::refund-order-17)

A difference of this size is unlikely to be chance.
3 broken, 1 fixed, 1 changed, 192 unchanged

Tools, by the F1 of their calls   p with Holm's correction for 3 tools and tags
tool          cases   before   after   difference       p     verdict
get_weather      61    98.0%   83.0%        −15.0   0.004   regressed

Broken: 3 cases
- assistant::what-is-the-weather-in-oslo               F1 100.0% → 50.0%
- assistant::refund-order-17                           F1 100.0% → 0.0%
    forbidden call, schema error
- router [small]::hello                    3/3 → 1/3   F1 100.0% → 66.7%
    no answer: timeout: no answer within 60 seconds, expected calls changed

before   main, run 20261114-120000-aaaa, commit 02f0cce, 2026-11-14 12:00 UTC, 200 cases
after    latest, run 20261115-120000-bbbb, commit 9d1b191 with uncommitted changes, 2026-11-15 12:00
         UTC, 199 cases, 167 of 199 passed, 30 failed, 2 errors

! 2 cases only after, in latest (d, e)
! not compared, without a value before or after: 1 case (without-a-number)
! 1 case whose expected calls changed (hello)
! 7 cases whose input changed (one, two, three, four, five, … 2 more)
! 2 trials without an answer did not pass

Next: callscore show 20261115-120000-bbbb refund-order-17
"""

DOUBTFUL_BLOCK = """\
Гейт не пройден   мало данных, before.jsonl → 20261115-120000-bbbb   --fail-on regressed
! случаев слишком мало для вывода, а потеря — 10 п. п. или больше: хуже 2, лучше 0, −25.0 п. п.
! accuracy 0.667, требуется ≥ 0.900
! прогон 20261115-120000-bbbb не завершён

accuracy 75.0% → 50.0%, −25.0 п. п.
Данных слишком мало, чтобы отличить разницу от случайной. Добавьте случаи или попытки.
p = 0.500, точный критерий Макнемара, 8 общих случаев
при мощности 80% никакая разница не обнаружима
сломано 2, без изменений 6

Сломано: 2 случая
- one   F1 100.0% → 0.0%
- two   F1 100.0% → 0.0%

было    before.jsonl, 8 случаев
стало   20261115-120000-bbbb, 2026-11-15 12:00 UTC, 8 случаев

Дальше: callscore show 20261115-120000-bbbb refund-order-17
"""


def test_an_open_gate_says_so_and_on_which_numbers() -> None:
    assert write_text(OPEN, next_command=NEXT) == OPEN_BLOCK


def test_a_closed_gate_gives_its_reasons_first_and_the_next_command_last() -> None:
    assert write_text(CLOSED, next_command=NEXT) == CLOSED_BLOCK


def test_a_gate_in_doubt_says_so_in_russian() -> None:
    assert write_text(IN_DOUBT, next_command=NEXT, lang="ru") == DOUBTFUL_BLOCK


def test_a_loss_that_does_not_close_it_is_said_plainly() -> None:
    text = write_text(DOUBTFUL, next_command=NEXT)

    assert text.startswith(
        "Gate passed   not enough data, main → latest   --fail-on regressed\n"
        "! too few cases for a verdict: 1 worse, 0 better, −5.0 points; --fail-on broken is stricter\n"
    )
    assert "\nBroken: 1 case\n- one" in text


def test_tools_and_tags_that_regressed_are_shown() -> None:
    text = write_text(SLICED, next_command=NEXT)

    assert "\n! 1 tool or tag regressed (tool get_weather)\n" in text
    assert "\nget_weather      61    98.0%   83.0%        −15.0   0.004   regressed\n" in text
    assert "Tags, " not in text  # none of them did


def test_where_nothing_broke_what_became_worse_is_shown() -> None:
    comparison = replace(SLICED.comparison, changes=SLICED.comparison.changed("changed"))

    text = write_text(replace(SLICED, comparison=comparison), next_command=NEXT)

    assert "\nChanged: 1 case\n~ assistant::convert-5-miles-to-km " in text


def test_a_run_that_is_held_against_itself_is_told_once() -> None:
    comparison = replace(NOTHING_NEW, is_same_run=True)
    gate = Gate(comparison=comparison, fail_on="any", reasons=(Reason(kind="same run"),))

    text = write_text(gate, next_command="callscore run")

    assert "\n! 20261114-120000-aaaa is compared with itself. Run the evaluations again, " in text
    assert "both sides are the same run" not in text


def test_how_many_cases_are_shown_can_be_chosen() -> None:
    assert "\n… 2 more; --max-shown shows more\n" in write_text(
        CLOSED, next_command=NEXT, max_shown=1
    )
    assert "\nBroken" not in write_text(CLOSED, next_command=NEXT, max_shown=0)


def test_a_gate_that_compared_nothing_has_no_numbers() -> None:
    text = write_text(EMPTY, next_command=NEXT)

    assert "! the runs have no cases in common\n" in text
    assert "points" not in text


def test_the_next_command_is_on_one_line_however_narrow_the_terminal_is() -> None:
    console = Console(file=StringIO(), width=40, color_system=None)
    with console.capture() as capture:
        render(CLOSED, console=console, next_command=NEXT)

    assert capture.get().endswith(f"\nNext: {NEXT}\n")


@pytest.mark.parametrize(("gate", "colour"), [(OPEN, "32"), (CLOSED, "31")])
def test_open_is_green_and_closed_is_red(gate: object, colour: str) -> None:
    console = Console(file=StringIO(), width=100, force_terminal=True, color_system="standard")
    with console.capture() as capture:
        render(gate, console=console, next_command=NEXT)  # type: ignore[arg-type]  # either gate

    assert capture.get().startswith(f"\x1b[1;{colour}mGate ")


def test_nothing_in_the_data_reaches_the_terminal_as_it_is() -> None:
    text = write_text(ATTACKED_GATE, next_command="callscore show '\x1b[31m'")

    assert "\x1b" not in text
    assert "\x00" not in text


# What a gate says, as JUnit XML.


def parsed(gate: Gate, lang: Language = "en") -> Element:
    return fromstring(write_junit(gate, next_command="callscore", lang=lang).encode())  # noqa: S314  (our own text)


def failures(root: Element) -> list[tuple[str | None, str | None]]:
    return [
        (test.get("name"), failure.get("type"))
        for test in root.iter("testcase")
        for failure in test.iterfind("failure")
    ]


def test_an_open_gate_is_a_suite_without_failures() -> None:
    root = parsed(OPEN)

    assert (root.get("tests"), root.get("failures")) == ("12", "0")
    assert root[0].get("name") == "callscore gate"


def test_each_reason_is_a_failed_test() -> None:
    assert failures(parsed(CLOSED)) == [
        ("no missing cases", "missing"),
        ("no regression", "regressed"),
        ("no new forbidden calls", "forbidden"),
        ("no new schema errors", "schema"),
        ("no broken cases", "broken"),
        ("no changed cases", "changed"),
    ]
    assert failures(parsed(SLICED)) == [("no tool or tag regressed", "slice")]
    assert failures(parsed(EMPTY)) == [("the runs have cases in common", "nothing compared")]


def test_all_thresholds_that_are_missed_are_one_failure() -> None:
    after = replace(IN_DOUBT.comparison.after, below=IN_DOUBT.comparison.after.below * 2)
    gate = replace(IN_DOUBT, comparison=replace(IN_DOUBT.comparison, after=after))

    (failure,) = parsed(gate).findall(".//failure[@type='below']")

    sentence = "accuracy 0.667, required ≥ 0.900"
    assert failure.get("message") == f"{sentence}; {sentence}"


@pytest.mark.parametrize(("fail_on", "tests"), [("regressed", 12), ("broken", 17), ("any", 21)])
def test_a_test_is_there_for_all_that_is_looked_at(fail_on: FailOn, tests: int) -> None:
    root = parsed(replace(OPEN, fail_on=fail_on))

    assert len(list(root.iter("testcase"))) == tests


@pytest.mark.parametrize("fail_on", ["regressed", "broken", "any"])
def test_no_reason_is_lost_however_strict_the_gate_is(fail_on: FailOn) -> None:
    allowed = {"regressed": {"broken", "changed"}, "broken": {"changed"}, "any": set[str]()}
    reasons = tuple(each for each in CLOSED.reasons if each.kind not in allowed[fail_on])

    root = parsed(replace(CLOSED, fail_on=fail_on, reasons=reasons))

    assert len(failures(root)) == len(reasons)


def test_the_numbers_are_properties_and_the_block_is_what_was_said() -> None:
    root = parsed(CLOSED)

    found = {item.get("name"): item.get("value") for item in root.iter("property")}
    assert (found["before"], found["after"]) == ("0.92", "0.84")
    assert (found["verdict"], found["fail_on"], found["baseline"]) == ("regressed", "any", "main")
    said = root.find(".//system-out")
    assert said is not None
    assert (said.text or "").startswith("Gate failed   regressed, main → latest")


def test_junit_has_no_numbers_where_nothing_was_compared() -> None:
    found = {item.get("name"): item.get("value") for item in parsed(EMPTY).iter("property")}

    assert found == {
        "verdict": "not enough data",
        "measure": "passed",
        "fail_on": "regressed",
        "baseline": "before.jsonl",
        "run": "after.jsonl",
    }


def test_the_tests_have_russian_names() -> None:
    names = [test.get("name") for test in parsed(OPEN, "ru").iter("testcase")]

    assert "не стало хуже" in names


def test_characters_that_xml_does_not_know_are_spelled_out() -> None:
    found = [item.get("value") for item in parsed(ATTACKED_GATE).iter("property")]

    assert HOSTILE not in found
    assert "\\u001b[31m[red]|`<b>:smile:\\u0000" in found
