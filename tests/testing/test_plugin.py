"""Only what the options ask for is added to a session."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from callscore.core.results import MetricValue
from callscore.models.limits import Limits
from callscore.testing.item_record import EvaluationKey, ItemRecord, encode_record
from callscore.testing.items import AskOptions, EvaluationFile, SessionJudges
from callscore.testing.plugin import EvaluationPlugin, limits_from, register_plugins
from callscore.testing.reporting import SessionResults

if TYPE_CHECKING:
    from pathlib import Path

PARTS = ("callscore-telling", "callscore-evaluating", "callscore-accepting")


@pytest.mark.parametrize(
    ("options", "added"),
    [
        (["callscore"], [True, True, False]),
        (["callscore_update"], [True, False, True]),
        (["callscore", "callscore_update"], [True, True, True]),
    ],
)
def test_the_parts_are_there_that_are_asked_for(
    options: list[str], added: list[bool], pytester: pytest.Pytester
) -> None:
    config = pytester.parseconfig()
    for option in options:
        setattr(config.option, option, True)

    register_plugins(config, {}, {})

    assert [config.pluginmanager.hasplugin(part) for part in PARTS] == added


def test_a_judge_that_cannot_be_is_an_error_of_usage(pytester: pytest.Pytester) -> None:
    config = pytester.parseconfig()
    config.option.callscore = True

    with pytest.raises(pytest.UsageError, match="nonsense"):
        register_plugins(config, {"name": "m", "base_url": "nonsense"}, {})


# Evaluations are collected, and what misses its threshold fails the session.


def _evaluating(
    config: pytest.Config, told: SessionResults | None = None
) -> tuple[EvaluationPlugin, AskOptions]:
    asking = AskOptions(Limits(), SessionJudges({}), [])
    return EvaluationPlugin(config, told or SessionResults(), asking), asking


def _found(pytester: pytest.Pytester, name: str, *, is_named: bool = False) -> list[type]:
    """What a file is collected as, that pytest takes for one of tests."""
    path = pytester.path / name
    path.write_text("")
    config = pytester.parseconfigure(*([str(path)] if is_named else []))
    session: Any = pytest.Session.from_config(config)
    session._initialpaths = frozenset({path} if is_named else {})
    collecting = _evaluating(config)[0].pytest_collect_file(path, session)
    next(collecting)
    try:
        collecting.send([pytest.Module.from_parent(session, path=path)])
    except StopIteration as end:
        return [type(each) for each in end.value]
    raise AssertionError


def test_a_file_is_of_both_kinds_if_it_is_called_so(pytester: pytest.Pytester) -> None:
    assert _found(pytester, "eval_x.py", is_named=True) == [EvaluationFile]
    assert _found(pytester, "eval_x_test.py") == [EvaluationFile, pytest.Module]
    assert _found(pytester, "test_x.py") == [pytest.Module]


def _finish(evaluating: EvaluationPlugin, exitstatus: int) -> int:
    session: Any = SimpleNamespace(exitstatus=exitstatus)
    list(evaluating.pytest_sessionfinish(session))
    status: int = session.exitstatus
    return status


def test_a_mean_below_fail_under_fails_a_session_that_would_pass(
    pytester: pytest.Pytester,
) -> None:
    told = SessionResults()
    evaluating, _ = _evaluating(pytester.parseconfigure(), told)
    assert _finish(evaluating, 0) == 0

    about = EvaluationKey(
        name="x", place="x", variant=None, settings={}, fail_under={"accuracy": 0.9}
    )
    values = (MetricValue("accuracy", 0.5),)
    told.add("1", encode_record(ItemRecord(about=about, case="a", values=values, passed=True)))

    assert _finish(evaluating, 0) == pytest.ExitCode.TESTS_FAILED
    assert _finish(evaluating, 2) == pytest.ExitCode.INTERRUPTED


def test_notes_arrive_from_other_processes(
    pytester: pytest.Pytester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    config: Any = pytester.parseconfigure()
    config.workerinput, config.workeroutput = {}, {}
    worker, noting = _evaluating(config)
    noting.notes.append("a note")
    _finish(worker, 0)
    evaluating, asking = _evaluating(pytester.parseconfigure())

    evaluating.pytest_testnodedown(SimpleNamespace(workeroutput=config.workeroutput))
    evaluating.pytest_testnodedown(SimpleNamespace())

    assert asking.notes == ["a note"]


def test_a_session_is_as_patient_as_its_options_say(pytester: pytest.Pytester) -> None:
    config = pytester.parseconfigure(
        "--callscore", "--callscore-timeout", "5", "--callscore-retries", "0"
    )

    assert limits_from(config) == Limits(timeout=5.0, retries=0)
    config.option.callscore_trials = 0
    with pytest.raises(pytest.UsageError, match="--callscore-trials: 0 is not an integer ≥ 1"):
        limits_from(config)
    config.option.callscore_trials = 10_001
    with pytest.raises(pytest.UsageError, match="--callscore-trials: 10001 is more than 10000"):
        limits_from(config)
