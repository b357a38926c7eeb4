"""Which run somebody means."""

from __future__ import annotations

import sqlite3
import tracemalloc
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace
from tests.history.made_up import a_result, a_run, an_evaluation

from callscore.core.statistics import wilson
from callscore.errors import UnknownRun
from callscore.history import run_lookup, run_queries
from callscore.history.counting import numbers_by_tag
from callscore.history.run_lookup import RunLine, list_runs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from callscore.history.counting import Tagged
    from callscore.history.records import EvaluationNumbers, ResultRecord, RunRecord
    from callscore.history.store import Store

IDS = ["20261115-184354-k3f9", "20261115-184354-k3zz", "20261116-070000-bcdf"]


@pytest.fixture
def three(store: Store) -> Store:
    for number, name in enumerate(IDS):
        store.begin(a_run(name, name="nightly" if number < 2 else None))
    return store


@pytest.mark.parametrize(
    ("reference", "sentence"),
    [
        ("latest~3", "unknown run 'latest~3'. There are 3 runs; the oldest is 'latest~2'"),
        ("20261115", f"'20261115' is ambiguous: {IDS[1]}, {IDS[0]}"),
        (
            "nightli",
            f"unknown run 'nightli'. The newest runs: {', '.join(IDS[::-1])}. Did you mean 'nightly'?",
        ),
        ("", f"unknown run ''. The newest runs: {IDS[2]}, {IDS[1]}, {IDS[0]}"),
        ("%", f"unknown run '%'. The newest runs: {IDS[2]}, {IDS[1]}, {IDS[0]}"),
        ("20261116-070000-BCDF", "unknown run '20261116-070000-BCDF'"),
    ],
)
def test_a_run_that_is_not_there_is_told_with_those_that_are(
    three: Store, reference: str, sentence: str
) -> None:
    with pytest.raises(UnknownRun) as caught:
        three.find(reference)

    assert str(caught.value).startswith(sentence)


def _resolve(reference: str) -> str | None:
    """A repository in which `main` is a commit, and `empty` is one that nobody has run."""
    return {"main": "ab" * 20, "empty": "cd" * 20, IDS[0]: "cd" * 20}.get(reference)


@pytest.mark.parametrize(
    ("runs", "meant"),
    [
        # Complete before partial, also where only the one that it has its answers from says so.
        ([{}, {"arguments": {"keyword": "weather"}}], 0),
        ([{"arguments": {"limit": 3}}, {"command": "rescore", "parent": IDS[0]}], 1),
        ([{}, {"arguments": {"limit": 3}}, {"command": "rescore", "parent": IDS[1]}], 0),
        # One that asked before files, also where it is dirty; clean before dirty.
        ([{"git_dirty": True}, {"command": "score"}], 0),
        ([{"git_dirty": False}, {"git_dirty": True}, {"command": "score"}], 0),
        ([{}, {"command": "rescore", "parent": IDS[0]}], 1),
        # The newest is the one that began last, and not the one that was written last.
        ([{"started_at": 2.0}, {"started_at": 1.0}], 0),
    ],
)
def test_a_commit_means_the_run_that_says_most_about_it(
    store: Store, runs: list[dict[str, Any]], meant: int
) -> None:
    for name, about in zip(IDS, runs, strict=False):
        store.begin(a_run(name, status="finished", git_commit="ab" * 20, **about))

    assert store.find("main", resolve=_resolve).id == IDS[meant]


def test_the_id_of_a_run_comes_before_a_git_reference_of_the_same_name(three: Store) -> None:
    assert three.find(IDS[0], resolve=_resolve).id == IDS[0]


def test_the_id_of_a_run_comes_before_the_name_of_another(three: Store) -> None:
    other = three.begin(a_run("20261117-070000-bcdf", name=IDS[0]))

    assert three.find(IDS[0]).id == IDS[0]
    assert three.find(other.id).name == IDS[0]


def test_a_commit_that_nobody_has_run_is_told(three: Store) -> None:
    with pytest.raises(UnknownRun) as caught:
        three.find("empty", resolve=_resolve)

    assert str(caught.value) == (
        "no finished run of commit cdcdcdcdcd (empty). The newest runs: " + ", ".join(IDS[::-1])
    )


# The list of runs: a few queries, however many runs there are.

RUN = a_run().id
OTHER = "20261116-070000-bcdf"
TOTALS = {
    "cases": 4,
    "trials": 12,
    "decided_cases": 4,
    "answered": 9,
    "passed": 6,
    "passed_share": 0.625,
    "f1": 0.75,
    "errors": 3,
}


def _numbers(line: RunLine) -> EvaluationNumbers:
    """What the only evaluation of a run comes to."""
    [evaluation] = line.evaluations
    return evaluation.tally


def _case(case: str, *tags: str, passed: bool | None = True, **others: Any) -> ResultRecord:
    payload = {"input": case, "tags": list(tags)}
    return a_result(
        others.pop("run", RUN), case, payload=payload, passed=passed, **{"f1": 1.0} | others
    )


def _error(case: str, *tags: str, **others: Any) -> ResultRecord:
    return _case(case, *tags, passed=None, status="error", f1=None, counts=(), **others)


def test_a_run_that_is_under_way_is_counted(store: Store) -> None:
    store.begin(a_run())
    store.add_evaluation(an_evaluation(RUN))
    store.save_results(
        [
            _case("a", trial=1),
            _case("a", trial=2, passed=False, f1=0.5),
            _error("a", trial=3),
            _case("b"),
            _case("undecided", passed=None, status="not_scored", f1=None, counts=()),
            _error("c"),
        ]
    )

    [line] = list_runs(store)

    tally = _numbers(line)
    assert (tally.cases, tally.decided, tally.trials) == (4, 3, 6)
    assert (tally.answered, tally.passed, tally.errors) == (4, 2, 2)
    assert tally.share == pytest.approx(2 / 5)
    # An error did not pass, and counts as 0.
    assert tally.f1 == pytest.approx((1 + 0.5 + 1) / 5)
    assert tally.interval == wilson((tally.share or 0) * 3, 3)


def test_others_can_write_while_the_tags_of_a_run_are_counted(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def count(rows: Iterable[Tagged]) -> Any:
        with closing(sqlite3.connect(path, timeout=0)) as other:
            other.execute("BEGIN IMMEDIATE")
        return numbers_by_tag(rows)

    monkeypatch.setattr(run_queries, "numbers_by_tag", count)
    ends: list[Callable[[RunRecord], object]] = [
        lambda run: store.finish(run.id, "finished", {}, {0: TOTALS}),
        lambda run: store.begin(replace(run, status="finished")),
    ]
    for number, end in enumerate(ends):
        run = store.begin(a_run(IDS[number]))
        store.add_evaluation(an_evaluation(run.id))
        store.save_results(
            [_case(case, "smoke", run=run.id, trial=at) for at in (1, 2) for case in ("a", "b")]
        )
        end(run)

    lines = list_runs(store, tag="smoke")
    assert [(_numbers(each).cases, _numbers(each).trials) for each in lines] == [(2, 4), (2, 4)]


def test_counting_the_tags_of_a_long_run_takes_little_memory() -> None:
    rows = ((0, f"case-{at}", "scored", True, 1.0, '["a", "b", "c"]') for at in range(20_000))
    tracemalloc.start()
    try:
        found = numbers_by_tag(rows)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert found is not None
    assert [each.cases for each in found[0].values()] == [20_000] * 3
    assert most < 200_000


def test_a_tag_counts_its_own_cases_alone(store: Store) -> None:
    store.begin(a_run())
    store.begin(a_run(OTHER))
    store.add_evaluation(an_evaluation(RUN))
    store.add_evaluation(an_evaluation(RUN, 1, name="without"))
    store.add_evaluation(an_evaluation(OTHER))
    store.save_results(
        [
            _case("a", "slow", evaluation=1),
            _case("a", "smoke"),
            _case("b", "slow", "smoke", passed=False, f1=0.0),
            _case("c", "slow"),
            _error("d", "smoke"),
            _case("e"),
            _case("a", "slow", run=OTHER),
        ]
    )
    store.finish(RUN, "finished", {}, {0: TOTALS, 1: TOTALS})

    [line] = list_runs(store, tag="smoke")

    assert line.run.id == RUN
    tally = _numbers(line)
    assert (tally.cases, tally.answered, tally.passed, tally.errors) == (3, 2, 1, 1)
    assert tally.share == pytest.approx(1 / 3)
    assert tally.f1 == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("tags", "tag", "has_it"),
    [
        (["smoke"], "smoke", True),
        (["smoke"], "Smoke", False),
        (["smoke test"], "smoke", False),
        (["a smoke"], "smoke", False),
        (["a", "smoke"], "smoke", True),
        (["погода"], "погода", True),
        (["Погода"], "погода", False),
        (['a"smoke"'], "smoke", False),
        (['a","smoke'], "smoke", False),
        (['say "hi"'], 'say "hi"', True),
        (["a,", "b"], ",", False),
        (["x", ","], ",", True),
        (["50%"], "5_%", False),
        (["50%"], "50%", True),
        (["a\\"], "a\\", True),
        ([""], "", True),
        ([], "", False),
    ],
)
def test_a_tag_is_meant_as_it_is_written(
    store: Store, tags: list[str], tag: str, has_it: bool
) -> None:
    store.begin(a_run())
    store.add_evaluation(an_evaluation(RUN))
    store.save_results([_case("a", *tags)])

    assert bool(list_runs(store, tag=tag)) == has_it
    store.finish(RUN, "finished", {}, {0: TOTALS})
    assert bool(list_runs(store, tag=tag)) == has_it


def test_tags_that_are_the_same_since_a_secret_is_hidden_are_counted(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.begin(a_run())
    store.add_evaluation(an_evaluation(RUN))
    store.save_results(
        [_case("a", "for one"), _case("b", "for two"), _case("c", "for one", "for two")]
    )
    store.finish(RUN, "finished", {}, {0: TOTALS})
    monkeypatch.setattr(run_lookup, "hide_text", lambda text: text.replace("one", "two"))

    assert _numbers(list_runs(store, tag="for one")[0]).cases == 3


def test_a_baseline_is_looked_up_before_an_id(three: Store) -> None:
    three.begin(a_run("main", name="other"))  # as in a database that another program has written

    three.set_baseline("main", IDS[0])

    assert three.find("main").id == IDS[0]
