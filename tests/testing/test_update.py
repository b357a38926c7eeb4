"""Reports of tests that would pass by a change are held back until it is known."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from callscore.rewriting.change import Change
from callscore.testing.item_record import ItemRecord, encode_record
from callscore.testing.reporting import SessionResults
from callscore.testing.update import UpdatePlugin

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


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
