"""The list of runs: a few queries, however many runs there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import event
from tests.history.made_up import a_result, a_run, an_evaluation

from callscore.core.statistics import wilson
from callscore.history import overview as overview_module
from callscore.history.overview import overview

if TYPE_CHECKING:
    from callscore.history.records import ResultRecord
    from callscore.history.store import Store

RUN = a_run().id
OTHER = "20261116-070000-bcdf"
TOTALS = {
    "cases": 4,
    "answered": 9,
    "passed": 6,
    "passed_share": 0.625,
    "macro_f1": 0.75,
    "errors": 3,
}


def _case(case: str, *tags: str, passed: bool | None = True, **others: Any) -> ResultRecord:
    payload = {"input": case, "tags": list(tags)}
    return a_result(
        others.pop("run", RUN), case, payload=payload, passed=passed, **{"f1": 1.0} | others
    )


def _error(case: str, *tags: str, **others: Any) -> ResultRecord:
    return _case(case, *tags, passed=None, status="error", f1=None, counts=(), **others)


def test_a_finished_run_is_shown_by_its_totals(store: Store) -> None:
    store.begin(a_run(name="nightly"))
    store.add_evaluation(an_evaluation(RUN))
    store.add_evaluation(an_evaluation(RUN, 1, name="router", variant="large"))
    store.finish(RUN, "finished", TOTALS, {})
    store.set_baseline("staging", RUN)
    store.set_baseline("main", RUN)

    [line] = overview(store)

    assert line.run == store.find(RUN)
    assert line.baselines == ("main", "staging")
    assert line.suites == ("assistant", "router [large]")
    assert (line.cases, line.answered, line.passed, line.errors) == (4, 9, 6, 3)
    assert (line.share, line.f1) == (0.625, 0.75)
    assert line.interval == wilson(2.5, 4)


def test_the_newest_is_the_first_and_a_limit_holds(store: Store) -> None:
    store.begin(a_run())
    store.begin(a_run(OTHER))

    assert [line.run.id for line in overview(store)] == [OTHER, RUN]
    assert [line.run.id for line in overview(store, limit=1)] == [OTHER]


def test_a_run_that_is_under_way_is_counted(store: Store) -> None:
    store.begin(a_run())
    store.add_evaluation(an_evaluation(RUN))
    store.keep(
        [
            _case("a", trial=1),
            _case("a", trial=2, passed=False, f1=0.5),
            _error("a", trial=3),
            _case("b"),
            _case("undecided", passed=None, status="not_scored", f1=None, counts=()),
            _error("c"),
        ]
    )

    [line] = overview(store)

    assert (line.cases, line.answered, line.passed, line.errors) == (3, 4, 2, 2)
    assert line.share == pytest.approx((1 / 3 + 1 + 0) / 3)
    assert line.f1 == pytest.approx(2.5 / 3)
    assert line.interval == wilson((line.share or 0) * 3, 3)


def test_a_run_without_a_decision_has_no_share(store: Store) -> None:
    store.begin(a_run())
    store.begin(a_run(OTHER))
    store.keep([_case("a", passed=None, status="not_scored", f1=None, counts=())])

    empty, undecided = overview(store)

    assert (empty.cases, empty.share, empty.interval, empty.f1) == (0, None, None, None)
    assert (undecided.cases, undecided.answered, undecided.share) == (0, 1, None)


def test_a_tag_counts_its_own_cases_alone(store: Store) -> None:
    store.begin(a_run())
    store.begin(a_run(OTHER))
    store.keep(
        [
            _case("a", "smoke"),
            _case("b", "slow", "smoke", passed=False, f1=0.0),
            _case("c", "slow"),
            _error("d", "smoke"),
            _case("e"),
            _case("a", "slow", run=OTHER),
        ]
    )
    store.finish(RUN, "finished", TOTALS, {})

    [line] = overview(store, tag="smoke")

    assert line.run.id == RUN
    assert (line.cases, line.answered, line.passed, line.errors) == (3, 2, 1, 1)
    assert line.share == pytest.approx(1 / 3)
    assert line.f1 == 0.5


def test_a_limit_counts_the_runs_that_have_the_tag(store: Store) -> None:
    for number in range(6):
        run = store.begin(a_run(f"2026111{number}-000000-aaaa")).id
        store.add_evaluation(an_evaluation(run, name=f"suite {number}"))
        store.keep([_case("a", "smoke" if number % 2 else "slow", run=run)])

    lines = overview(store, tag="smoke", limit=2)

    assert [line.run.id for line in lines] == ["20261115-000000-aaaa", "20261113-000000-aaaa"]
    assert [line.suites for line in lines] == [("suite 5",), ("suite 3",)]


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
    store.keep([_case("a", *tags)])

    assert bool(overview(store, tag=tag)) == has_it


def test_many_runs_take_as_many_queries_as_one(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(12):
        run = store.begin(a_run(f"20261115-0000{number:02}-aaaa")).id
        store.add_evaluation(an_evaluation(run))
        store.keep([_case("a", "smoke", run=run)])
    said: list[str] = []
    with store.reading() as connection:
        engine = connection.engine

    @event.listens_for(engine, "before_cursor_execute")
    def _note(*given: object) -> None:
        said.append(str(given[2]))

    lines = overview(store)
    plain = len(said)
    said.clear()
    tagged = overview(store, tag="smoke")

    assert len(lines) == len(tagged) == 12
    assert plain <= 4
    assert len(said) <= 4
    monkeypatch.setattr(overview_module, "_MOST_VALUES", 5)
    assert overview(store) == lines
