"""The cases of a comparison one by one, with the trials of both sides."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.runner.agents import RIGHT, a_case, a_plan, an_evaluation

from callscore.comparing.sides import EvaluationSide, Side
from callscore.engines.comparing_runs import resolve_sides, side_of_run
from callscore.evaluations.plan import make_plan
from callscore.runner import compared_cases
from callscore.runner.compared_cases import ComparedCases, RunTrials, SpooledTrials
from callscore.runner.running import RunOptions, run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from callscore.core.results import Result
    from callscore.history.store import Store

    Write = Callable[[Result, str], bytes]

WRONG = [{"name": "get_weather", "arguments": {"city": "Oslo"}}]


def written(result: Result, evaluation: str = "") -> bytes:
    """A trial in a few words: its case, its number, and its score."""
    score = None if result.score is None else result.score.f1
    return f"{evaluation} {result.case.id} {result.case.trial} {score}".strip().encode()


def shown(cases: ComparedCases) -> list[tuple[Any, ...]]:
    return [
        (each.pair.change, *[[line.decode() for line in side] for side in each[1:]])
        for each in cases
    ]


def compared_runs(store: Store) -> ComparedCases:
    sides = side_of_run(store, "latest~1"), side_of_run(store, "latest")
    sources = [RunTrials(store, side.run, written) for side in sides]
    return ComparedCases(sides, (sources[0], sources[1]))


def test_each_case_of_two_runs_comes_with_its_trials_on_both_sides(store: Store) -> None:
    first = a_plan(lambda _: RIGHT, a_case("a"), a_case("b"), a_case("gone"))
    second = a_plan(
        lambda case: WRONG if case.id == "b" else RIGHT, a_case("a"), a_case("b"), a_case("new")
    )
    for plan in (first, second):
        run(plan, RunOptions(jobs=1), store=store)

    cases = compared_runs(store)

    assert shown(cases) == [
        ("broken", ["b None 1.0"], ["b None 0.0"]),
        ("same", ["a None 1.0"], ["a None 1.0"]),
        ("only_before", ["gone None 1.0"], []),
        ("only_after", [], ["new None 1.0"]),
    ]


def test_one_case_is_read_by_its_position(store: Store) -> None:
    for _ in range(2):
        run(a_plan(lambda _: RIGHT, a_case("a"), a_case("b")), RunOptions(jobs=1), store=store)

    cases = compared_runs(store)

    assert cases.at(1).pair.shown.case.id == "b"
    assert cases.at(1).after == [b"b None 1.0"]
    for position in (-1, 2):
        with pytest.raises(IndexError):
            cases.at(position)


def test_a_run_of_several_evaluations_names_them(store: Store) -> None:
    for _ in range(2):
        plan = make_plan(
            [
                an_evaluation(lambda _: RIGHT, a_case("a"), name="first"),
                an_evaluation(lambda _: RIGHT, a_case("a"), name="second"),
            ]
        )
        run(plan, RunOptions(jobs=1), store=store)

    assert [each.after for each in compared_runs(store)] == [
        [b"first a None 1.0"],
        [b"second a None 1.0"],
    ]


def write_lines(path: Path, *records: dict[str, Any]) -> str:
    path.write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in records))
    return str(path)


def never() -> Any:
    raise AssertionError("no history is needed to compare files")


def test_a_file_is_scored_once_and_each_of_its_results_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compared_cases, "_IN_MEMORY", 4)  # all but the first in a file
    before = write_lines(
        tmp_path / "before.jsonl",
        {"id": "a", "expected": ["f"], "actual": ["f"]},
        {"id": "b", "expected": ["f"], "actual": ["f"]},
        {"id": "c", "expected": ["f"]},
    )
    after = write_lines(
        tmp_path / "after.jsonl",
        {"id": "b", "trial": 1, "expected": ["f"], "actual": ["f"]},
        {"id": "b", "trial": 2, "expected": ["f"], "actual": ["g"]},
        {"id": "c", "expected": ["f"], "actual": ["f"]},
        {"id": "a", "expected": ["f"], "actual": []},
    )
    with closing(SpooledTrials(written)) as first, closing(SpooledTrials(written)) as second:
        sides = resolve_sides((before, after), store=never, on_results=(first.add, second.add))
        cases = ComparedCases(sides, (first, second))

        found = shown(cases)

    assert found == [
        ("broken", ["b None 1.0"], ["b 1 1.0", "b 2 0.0"]),
        ("broken", ["a None 1.0"], ["a None 0.0"]),
        ("fixed", ["c None None"], ["c None 1.0"]),
    ]


def test_trials_are_in_the_order_of_the_comparison(tmp_path: Path) -> None:
    """Records of the same id that ask or expect something else are another case, which comes behind."""
    file = write_lines(
        tmp_path / "cases.jsonl",
        {"id": "a", "expected": ["f"], "actual": ["f"]},
        {"id": "a", "expected": ["g"], "actual": ["f"]},
        {"id": "a", "expected": ["f"], "actual": ["f", "f"]},
    )
    with closing(SpooledTrials(written)) as first, closing(SpooledTrials(written)) as second:
        sides = resolve_sides((file, file), store=never, on_results=(first.add, second.add))
        [found] = ComparedCases(sides, (first, second))

    outcomes = [trial.f1 for trial in found.pair.shown.case.trials]
    assert outcomes == pytest.approx([1.0, 2 / 3, 0.0])
    assert [float(line.split()[-1]) for line in found.before] == pytest.approx(outcomes)


def test_an_empty_comparison_has_no_cases() -> None:
    sides = Side(label="a"), Side(label="b", evaluations=(EvaluationSide(name="x"),))
    with closing(SpooledTrials(written)) as spool:
        assert shown(ComparedCases(sides, (spool, spool))) == []
