"""Reports take along what their tests tell."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.rewriting.change import Change
from callscore.testing.item_record import ItemRecord, encode_record, has_changes, record_in
from callscore.testing.reporting import RecordSender, SessionResults

CHANGING = encode_record(ItemRecord(changes=(Change(label="x", files=("f.py",)),)))


def _report(told: str | None, outcome: Any = "passed", when: Any = "call") -> pytest.TestReport:
    report = pytest.TestReport(
        nodeid="x", location=("x", 0, "x"), keywords={}, outcome=outcome, longrepr=None, when=when
    )
    if told is not None:
        report.callscore = told  # type: ignore[attr-defined]  # as it is sent along
    return report


def test_what_a_report_takes_along_is_told_to_those_who_sum_up() -> None:
    session = SessionResults()

    RecordSender(None).pytest_runtest_logreport(_report(CHANGING))
    RecordSender(session).pytest_runtest_logreport(_report(None))
    assert session.changes == []

    RecordSender(session).pytest_runtest_logreport(_report(CHANGING))
    assert [change.label for change in session.changes] == ["x"]


def test_only_a_test_that_passes_by_a_change_has_changes() -> None:
    assert has_changes(_report(CHANGING))
    assert not has_changes(_report(CHANGING, outcome="failed"))
    assert not has_changes(_report(CHANGING, when="teardown"))
    assert not has_changes(_report(encode_record(ItemRecord(confirmed=("y",)))))
    assert not has_changes(_report(None))
    assert record_in(_report(None)) is None
