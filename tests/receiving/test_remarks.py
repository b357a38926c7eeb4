"""What is said about the traces of a session: the cause, and what to do about it."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from callscore.core.call import NOT_CAPTURED, ToolCall
from callscore.core.case import Case
from callscore.core.results import Noted
from callscore.receiving.closed_traces import ClosedTrace
from callscore.receiving.remarks import Remarks
from callscore.receiving.scoring import Outcome, Scorer, Unscored


def a_trace(name: str, *calls: ToolCall) -> ClosedTrace:
    case = Case(id=name, actual=calls)
    return ClosedTrace(id=name, trace_id=name, part=1, closed_by="root", case=case)


def remarks_of(*unscored: Unscored) -> Remarks:
    found = Remarks("session.id")
    for number, why in enumerate(unscored):
        found.take(a_trace(f"t{number}"), Outcome(why))
    return found


def test_each_cause_has_its_own_advice() -> None:
    found = remarks_of("nameless", "", "unknown", "nameless", "late", "ambiguous").notes("en")

    texts = [sentence for sentence, _ in found]
    assert [noted.names for _, noted in found] == [("t0", "t3"), ("t5",), ("t4",)]
    assert texts[0].startswith("2 traces not scored: no span has session.id.")
    assert "--match" in texts[0]
    assert "several values of session.id" in texts[1]
    assert "--settle" in texts[2]


def test_calls_without_arguments_are_counted() -> None:
    lost = ToolCall("f", None, error=NOT_CAPTURED)
    remarks = Remarks("session.id")
    remarks.take(a_trace("a", lost, ToolCall("f", {}), lost), Outcome())
    remarks.take(a_trace("b", ToolCall("g", {})), Outcome())

    ((sentence, noted),) = remarks.notes("en")

    assert sentence.startswith("2 calls without arguments in the trace")
    assert noted == Noted(2, ("a",))


def test_nothing_is_said_about_traces_that_are_as_they_should_be() -> None:
    assert remarks_of("", "").notes("ru") == []


@pytest.mark.parametrize(
    ("unscored", "unknown", "text"),
    [
        ([], 0, "no trace was received"),
        (["unknown", "nameless"], 1, "no reference has the id of a trace"),
        (["nameless", "late"], 0, "no trace names one case"),
        (["nameless", "unreadable"], 0, "the calls of no trace could be read"),
    ],
)
def test_why_nothing_was_scored(unscored: list[Any], unknown: int, text: str) -> None:
    noted = Noted(unknown, ("x",) * unknown)
    results = replace(Scorer({}).results(), without_reference=noted)
    remarks = remarks_of(*unscored)

    assert text in remarks.why_unscored(results, "en")
    assert remarks.why_nothing("en") == ("" if unscored else "no trace was received")
