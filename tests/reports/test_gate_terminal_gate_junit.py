"""What a gate says, as JUnit XML."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, fromstring

import pytest
from msgspec.structs import replace
from tests.reports.comparisons import ATTACKED_GATE, CLOSED, EMPTY, HOSTILE, IN_DOUBT, OPEN, SLICED

from callscore.reports.gate_terminal import write_junit

if TYPE_CHECKING:
    from callscore.comparing.gating import FailOn, Gate
    from callscore.core.phrases import Language


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

    assert (root.get("tests"), root.get("failures")) == ("10", "0")
    assert root[0].get("name") == "callscore gate"


def test_each_reason_is_a_failed_test() -> None:
    assert failures(parsed(CLOSED)) == [
        ("not regressed", "regressed"),
        ("no new forbidden call", "forbidden"),
        ("no new schema error", "schema"),
        ("no case broken", "broken"),
        ("no case is gone", "missing"),
        ("no case otherwise than before", "changed"),
    ]
    assert failures(parsed(SLICED)) == [("no tool and no tag regressed", "slice")]
    assert failures(parsed(EMPTY)) == [("something is compared", "nothing compared")]


def test_all_thresholds_that_are_missed_are_one_failure() -> None:
    after = replace(IN_DOUBT.comparison.after, below=IN_DOUBT.comparison.after.below * 2)
    gate = replace(IN_DOUBT, comparison=replace(IN_DOUBT.comparison, after=after))

    (failure,) = parsed(gate).findall(".//failure[@type='below']")

    sentence = "accuracy 0.667 is below 0.900"
    assert failure.get("message") == f"{sentence}; {sentence}"


@pytest.mark.parametrize(("fail_on", "tests"), [("regressed", 10), ("broken", 11), ("any", 12)])
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
    assert (said.text or "").startswith("Gate closed   regressed, main → latest")


def test_a_gate_that_compared_nothing_has_no_numbers() -> None:
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
