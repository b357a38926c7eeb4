"""Reports of tests that would pass by a change are held back until it is known."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from callscore import expect, score
from callscore.rewriting.change import Change
from callscore.rewriting.observed import Location, location_key
from callscore.testing.current_test import Updates
from callscore.testing.item_record import EvaluationKey, ItemRecord, encode_record
from callscore.testing.reporting import SessionResults
from callscore.testing.update import (
    UpdatePlugin,
    conflicting_changes,
    location_of_call,
    record_update,
)

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def file(pytester: pytest.Pytester) -> Path:
    """A file with an expectation."""
    path = pytester.path / "cases.jsonl"
    path.write_text('{"id": "a", "expected": ["f"]}\n')
    return path


class _Logged:
    """A plugin that sees reports."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, str, str]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seen.append((report.nodeid, str(report.when), report.outcome))


def _reports(file: Path, *, name: str = "x", made: str = "g") -> list[pytest.TestReport]:
    change = Change(
        label=name,
        files=(str(file),),
        case="a",
        expected=[{"name": "f"}],
        items=({"name": made, "arguments": {}},),
    )
    reports = [
        pytest.TestReport(name, ("x", 0, name), {}, "passed", None, when)
        for when in ("setup", "call", "teardown")
    ]
    reports[1].callscore = encode_record(ItemRecord(changes=(change,)))  # type: ignore[attr-defined]  # as it is sent along
    return reports


def _from_worker(config: Any, reports: list[pytest.TestReport]) -> Any:
    to_data: Callable[..., Any] = config.hook.pytest_report_to_serializable
    data = [to_data(config=config, report=report) for report in reports]
    return SimpleNamespace(workeroutput={"callscore_held": [data]})


def _loop(accepting: UpdatePlugin, error: BaseException | None = None) -> None:
    """Run no tests, and then end, or be broken off."""
    loop = accepting.pytest_runtestloop(pytest.Session)  # type: ignore[arg-type]  # its errors will do
    next(loop)
    if error is None:
        with pytest.raises(StopIteration):
            loop.send(True)
    else:
        with pytest.raises(type(error)):
            loop.throw(error)


def _accepting(pytester: pytest.Pytester) -> tuple[UpdatePlugin, _Logged, Any]:
    config, logged = pytester.parseconfigure("-p", "no:terminal"), _Logged()
    config.pluginmanager.register(logged)
    return UpdatePlugin(config, SessionResults()), logged, config


def test_what_can_be_written_passes_in_the_end(pytester: pytest.Pytester, file: Path) -> None:
    accepting, logged, config = _accepting(pytester)
    accepting.pytest_testnodedown(_from_worker(config, _reports(file)))
    accepting.pytest_testnodedown(SimpleNamespace())
    assert logged.seen == []

    _loop(accepting)
    list(accepting.pytest_sessionfinish())

    assert [(when, outcome) for _, when, outcome in logged.seen] == [
        *(("setup", "passed"), ("call", "passed"), ("teardown", "passed"))
    ]
    assert '"g"' in file.read_text()


def test_what_cannot_be_written_fails_in_the_end(pytester: pytest.Pytester, file: Path) -> None:
    accepting, logged, config = _accepting(pytester)
    for name, made in [("x", "g"), ("y", "h")]:
        accepting.pytest_testnodedown(_from_worker(config, _reports(file, name=name, made=made)))

    _loop(accepting)
    session: Any = SimpleNamespace(exitstatus=pytest.ExitCode.OK)
    accepting.pytest_sessionstart(session)
    list(accepting.pytest_sessionfinish())

    failed = [(name, when) for name, when, outcome in logged.seen if outcome == "failed"]
    assert failed == [("x", "call"), ("y", "call")]
    assert session.exitstatus == pytest.ExitCode.TESTS_FAILED
    assert '"f"' in file.read_text()


@pytest.mark.parametrize(
    ("error", "is_written"),
    [
        (KeyboardInterrupt(), False),
        (pytest.Session.Interrupted(), False),
        (pytest.Session.Failed(), True),
    ],
)
def test_a_session_that_is_broken_off_writes_nothing(
    error: BaseException, is_written: bool, pytester: pytest.Pytester, file: Path
) -> None:
    accepting, _, config = _accepting(pytester)
    accepting.pytest_testnodedown(_from_worker(config, _reports(file)))

    _loop(accepting, error)
    list(accepting.pytest_sessionfinish())

    assert ('"g"' in file.read_text()) is is_written


# Where those who expect something at the same place do not agree, nothing is rewritten.


def _told(made: str | None, variant: str | None = None, case: str = "a") -> ItemRecord:
    """What is told of a case for which this was called; what is expected, where it is None."""
    about = EvaluationKey(
        name="x", place="eval_x.py:1", variant=variant, settings={}, fail_under={}
    )
    change = Change(label="x", files=("f.yaml",), case=case, items=({"name": made or ""},))
    if made is None:
        return ItemRecord(about=about, case=case, confirmed=(location_key(change),))
    return ItemRecord(about=about, case=case, changes=(change,))


@pytest.mark.parametrize(
    ("told", "problems"),
    [
        ([_told("g"), _told("g")], []),
        ([_told("g"), _told("h", case="b"), _told(None, case="c")], []),
        ([_told("g"), _told("h")], ["the actual calls differ between tests or trials."] * 2),
        ([_told("g", "z"), _told("h", "y")], ["the actual calls differ between the variants y and z."] * 2),
        ([_told("g"), _told(None)], ["the expected calls are correct in another test or trial."]),
        ([_told("g", "z"), _told(None, "y")], ["the expected calls are correct for the variant y."]),
        (
            [_told("g", "z"), _told(None, "y"), _told(None, "x")],
            ["the expected calls are correct for the variants x and y."],
        ),
        (
            [_told("g", "z"), _told(None, "z"), _told(None, "y")],
            ["the expected calls are correct in another test or trial."],
        ),
    ],
)  # fmt: skip
def test_changes_are_refused_where_somebody_else_would_be_wrong(
    told: list[ItemRecord], problems: list[str]
) -> None:
    assert [each.problem for each in conflicting_changes(told)] == problems


def test_a_test_that_is_no_question_may_contest_itself() -> None:
    change = Change(label="x", files=("f.py",), kind="call", line=3)

    (refused,) = conflicting_changes(
        [ItemRecord(changes=(change,), confirmed=(location_key(change),))]
    )

    assert refused.change == change


# What is to be written where a test expects something other than what was called.

F, G = expect.call("f"), expect.call("g")


def test_a_call_is_found_by_where_it_stands() -> None:
    spots = [
        location_of_call("x", sys._getframe()),
        location_of_call("x", sys._getframe()),
    ]
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()

    first, second = spots
    assert second.line == first.line + 1
    assert first.end[0] == first.line
    assert lines[first.line - 1][: first.end[1]].endswith('_of_call("x", sys._getframe())')
    assert first.files == (__file__,)


def test_whoever_expects_something_at_a_place_it_is_one(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text('{"id": "a", "expected": ["f"]}\n')
    updates = Updates(tmp_path)

    for name, made in (("eval_x.yaml", "f"), ("eval_y.yaml", "g")):
        (tmp_path / name).write_text("cases: x.jsonl\n")
        spot = Location("x[a]", "case", (str(tmp_path / name), str(file)), case="a")
        assert record_update(updates, spot, [F], score([F], [made])) is None

    assert [location_key(change) for change in updates.changes] == updates.confirmed


def test_what_holds_is_confirmed_and_what_does_not_is_changed(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text('{"id": "a", "expected": ["f"]}\n')
    spot = Location("x[a]", "case", (str(file),), case="a")
    updates = Updates(tmp_path)

    assert record_update(updates, spot, [F], score([F], ["f"])) is None
    assert record_update(updates, spot, [F], score([F], ["g"])) is None
    assert record_update(updates, spot, [G], score([G], ["f"])) == (
        "x.jsonl: the expected calls were not found. They are computed, or in another file."
    )
    forbidden = [expect.forbid("g")]
    assert record_update(updates, spot, forbidden, score(forbidden, ["g"])) == (
        "a forbidden tool was called: g."
    )

    assert updates.confirmed == [location_key(updates.changes[0])] == [f"{file}:(0, 'expected')"]
    assert [change.items for change in updates.changes] == [({"name": "g", "arguments": {}},)]
    assert (
        updates.changes[0].shown
        == "  Expected           Actual\n- f(any arguments)\n+                    g()"
    )
    assert file.read_text() == '{"id": "a", "expected": ["f"]}\n'
