"""What the tests of a session tell is summed up, wherever they ran."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.core.results import Answer, Failure, JudgeCounts, MetricValue, Usage
from callscore.rewriting.change import Change
from callscore.rewriting.observed import location_key
from callscore.testing.item_record import (
    EvaluationKey,
    ItemRecord,
    encode_record,
    has_changes,
    record_in,
)
from callscore.testing.reporting import RecordSender, SessionResults, table_of

if TYPE_CHECKING:
    from pathlib import Path


def _about(variant: str | None = None, name: str = "assistant") -> EvaluationKey:
    return EvaluationKey(
        name=name,
        place="eval_x.py:3",
        variant=variant,
        settings={},
        fail_under={"accuracy": 0.9},
    )


def _told(case: str, value: float | None = None, **facts: Any) -> str:
    if value is not None:
        facts |= {"values": (MetricValue("accuracy", value),), "passed": value == 1}
    return encode_record(ItemRecord(**{"about": _about(), "case": case, **facts}))


def test_answers_errors_and_what_is_left_out_are_counted() -> None:
    session = SessionResults()
    session.add("1", _told("a", 1.0, answer=Answer(seconds=0.5, usage=Usage(1, 10, 5))))
    session.add("2", _told("b", 0.0, judges=(JudgeCounts("m", 2, 1),)))
    session.add("3", _told("c", failure=Failure(case="c", kind="raised", problem="boom")))
    session.add("4", _told("d", skipped="not yet"))
    session.add("5", _told("e", skipped="", judges=(JudgeCounts("m", 1, 1),)))

    run = session.results(1.5)

    (each,) = run.evaluations
    assert (each.answered, each.passed, each.errors, each.skipped.count) == (2, 1, 1, 2)
    assert each.skipped.names == ("d: not yet", "e")
    assert each.scorers[0].mean == pytest.approx(1 / 3)
    assert run.below == ("assistant: accuracy",)
    assert run.judges == (JudgeCounts("m", 3, 2),)
    assert each.usage == Usage(1, 10, 5)


def test_what_was_left_out_on_purpose_is_never_below_fail_under() -> None:
    session = SessionResults()
    session.add("1", _told("a", skipped="not yet"))

    assert session.results(0.0).below == ()


def test_of_a_test_that_ran_again_the_last_counts() -> None:
    session = SessionResults()
    session.add("1", _told("a", 0.0))
    session.add("1", _told("a", 1.0))

    (each,) = session.results(0.0).evaluations

    assert (each.answered, each.passed) == (1, 1)


def test_variants_of_an_evaluation_stand_together() -> None:
    session = SessionResults()
    for number, (name, variant) in enumerate([("x", "a"), ("y", None), ("x", "b"), ("x", "a")]):
        session.add(str(number), _told(f"c{number}", 1.0, about=_about(variant, name)))

    labels = [each.label for each in session.results(0.0).evaluations]

    assert labels == ["x [a]", "x [b]", "y"]


def test_trials_of_a_case_are_one_case() -> None:
    session = SessionResults()
    for trial, value in enumerate([1.0, 0.0], 1):
        session.add(str(trial), _told("a", value, trial=trial))

    (each,) = session.results(0.0).evaluations

    assert [(case.case, case.trials, case.passed) for case in each.trials] == [("a", 2, 1)]


def test_the_table_is_as_the_program_prints_it() -> None:
    session = SessionResults()
    session.add("1", _told("a", 1.0))

    plain = table_of(session.results(1.0), width=80, has_colour=False)
    coloured = table_of(session.results(1.0), width=80, has_colour=True)

    assert "accuracy   1.000      1/1    ≥ 0.900" in plain
    assert "\x1b[" in coloured
    assert "\x1b[" not in plain


def _change(file: Path, made: str = "g") -> Change:
    return Change(
        label="x[a]",
        files=(str(file),),
        case="a",
        expected=[{"name": "f"}],
        items=({"name": made, "arguments": {}},),
        shown="f | g",
    )


def _changing(
    session: SessionResults, test: str, change: Change, value: float, **facts: Any
) -> None:
    values = (MetricValue("accuracy", value),)
    told = ItemRecord(
        **{
            "about": _about(),
            "case": "a",
            "values": values,
            "passed": False,
            "changes": (change,),
            **facts,
        }
    )
    session.add(test, encode_record(told))


def test_what_is_right_at_other_times_is_not_rewritten(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text('{"id": "a", "expected": ["f"]}\n')
    change = _change(file)
    session = SessionResults()
    session.add("1", encode_record(ItemRecord(changes=(change,))))
    session.add("2", encode_record(ItemRecord(confirmed=(location_key(change),))))

    failed = session.settle(tmp_path)
    written, refused = session.write(tmp_path)

    problem = "the expected calls are correct in another test or trial."
    assert failed == {"1": f"Not updated: {problem}\n\nf | g"}
    assert not written
    assert [each.problem for each in refused] == [problem]

    session.add("2", encode_record(ItemRecord()))
    assert session.settle(tmp_path) == {}
    assert file.read_text() == '{"id": "a", "expected": ["f"]}\n'
    assert [each.place for each in session.write(tmp_path)[0]] == ["x.jsonl:1"]
    assert "g" in file.read_text()


def test_what_cannot_be_written_is_known_before_anything_is(tmp_path: Path) -> None:
    session = SessionResults()
    session.add("1", encode_record(ItemRecord(changes=(_change(tmp_path / "missing.jsonl"),))))

    (failed,) = session.settle(tmp_path).values()

    assert failed.startswith("Not updated: missing.jsonl: ")


def test_where_nothing_is_to_be_written_all_say_why(tmp_path: Path) -> None:
    session = SessionResults()
    session.add("1", encode_record(ItemRecord(changes=(_change(tmp_path / "x.jsonl"),))))

    session.settle(tmp_path, "why not")

    assert [each.problem for each in session.write(tmp_path)[1]] == ["why not"]


def test_of_what_is_rewritten_fail_under_does_not_apply(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text('{"id": "a", "expected": ["f"]}\n')
    session = SessionResults()
    _changing(session, "1", _change(file), 0.0)
    session.add("2", _told("b", 0.0, about=_about(name="other")))

    session.settle(tmp_path)
    assert list(session.below) == ["other: accuracy"]

    session.settle(tmp_path, "why not")
    assert list(session.below) == ["assistant: accuracy", "other: accuracy"]


# Reports take along what their tests tell.

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
