"""Has every report take along what its test tells, also out of another process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.testing.evaluation_items import EvaluationCase
from callscore.testing.marking import told_by
from callscore.testing.told import decoded

if TYPE_CHECKING:
    from collections.abc import Generator

    from callscore.testing.summing_up import Session

__all__ = ["Telling", "has_changes", "told_in"]

_ATTRIBUTE = "callscore"  # of a report


class Telling:
    """Hands what tests tell to the session, in whichever process it sums up.

    Args:
        session: takes what is told; None in a process in which nobody sums up.
    """

    def __init__(self, session: Session | None) -> None:
        self._session = session

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Give the report along what the test tells, once it is at its end."""
        report = yield
        if isinstance(item, EvaluationCase) and report.skipped and call.when == "setup":
            item.tell(skipped=item.reason or "")
        is_end = call.when == "call" or (call.when == "setup" and not report.passed)
        told = told_by(item, has_passed=report.passed)
        if is_end and told is not None:
            setattr(report, _ATTRIBUTE, told)
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take what a test tells."""
        told = told_in(report)
        if told is not None and self._session is not None:
            self._session.add(report.nodeid, told)


def told_in(report: Any) -> str | None:
    """What a report takes along; None where it has nothing."""
    told: str | None = getattr(report, _ATTRIBUTE, None)
    return told


def has_changes(report: Any) -> bool:
    """Whether a test passes only because what it expects is going to be rewritten."""
    told = told_in(report)
    return (
        report.when == "call" and report.passed and told is not None and bool(decoded(told).changes)
    )
