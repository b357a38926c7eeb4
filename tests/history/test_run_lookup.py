"""Which run somebody means."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.history.made_up import a_result, a_run, an_evaluation, recorded_queries

from callscore.core.statistics import wilson
from callscore.errors import UnknownRun
from callscore.history import queries, run_lookup
from callscore.history.opening import open_store
from callscore.history.records import EvaluationNumbers
from callscore.history.run_lookup import RunLine, list_compared_runs, list_runs

if TYPE_CHECKING:
    from callscore.history.records import ResultRecord
    from callscore.history.store import Store

IDS = ["20261115-184354-k3f9", "20261115-184354-k3zz", "20261116-070000-bcdf"]


@pytest.fixture
def three(store: Store) -> Store:
    for number, name in enumerate(IDS):
        store.begin(a_run(name, name="nightly" if number < 2 else None))
    return store


@pytest.mark.parametrize(
    ("reference", "meant"),
    [
        ("latest", 2),
        ("latest~0", 2),
        ("latest~2", 0),
        (IDS[0], 0),
        ("20261116", 2),
        ("20261115-184354-k3z", 1),
        ("nightly", 1),  # the newest of that name
    ],
)
def test_a_run_is_found_by_what_people_type(three: Store, reference: str, meant: int) -> None:
    assert three.find(reference).id == IDS[meant]


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


def test_of_many_runs_the_newest_are_named(store: Store) -> None:
    for number in range(8):
        store.begin(a_run(f"2026111{number}-000000-bbbb"))

    with pytest.raises(UnknownRun) as caught:
        store.find("2026")

    assert str(caught.value).endswith("20261113-000000-bbbb, ...")


def test_one_run_is_one_run(store: Store) -> None:
    store.begin(a_run())

    with pytest.raises(UnknownRun, match=r"There is 1 run; the oldest is 'latest~0'"):
        store.find("latest~1")


@pytest.mark.parametrize("reference", ["latest", "20261115"])
def test_in_an_empty_history_it_says_how_to_begin(store: Store, reference: str) -> None:
    with pytest.raises(UnknownRun, match=r"the history is empty\. Start with: callscore run"):
        store.find(reference)


def _resolve(reference: str) -> str | None:
    """A repository in which `main` is a commit, and `empty` is one that nobody has run."""
    return {"main": "ab" * 20, "empty": "cd" * 20, IDS[0]: "cd" * 20}.get(reference)


@pytest.mark.parametrize(
    ("runs", "meant"),
    [
        ([("finished", False), ("finished", False)], 1),
        ([("finished", False), ("finished", True)], 0),
        ([("finished", None), ("finished", True)], 0),
        ([("finished", True), ("finished", True)], 1),
        ([("finished", True), ("interrupted", False), ("running", False)], 0),
    ],
)
def test_a_commit_means_its_newest_finished_run_a_clean_one_first(
    store: Store, runs: list[tuple[Any, bool | None]], meant: int
) -> None:
    for name, (status, is_dirty) in zip(IDS, runs, strict=False):
        store.begin(a_run(name, status=status, git_commit="ab" * 20, git_dirty=is_dirty))

    assert store.find("main", resolve=_resolve).id == IDS[meant]


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


def test_a_variant_of_a_run_is_told_from_its_name(three: Store) -> None:
    with pytest.raises(UnknownRun, match="Not every command accepts a variant"):
        three.find("production:large")


def test_what_a_run_is_called_comes_before_what_git_knows(three: Store) -> None:
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


def test_git_is_not_asked_where_nobody_wants_it(three: Store) -> None:
    with pytest.raises(UnknownRun, match="unknown run 'HEAD'"):
        three.find("HEAD", resolve=None)


def test_the_name_of_a_baseline_may_be_meant(three: Store) -> None:
    three.set_baseline("production", IDS[0])

    with pytest.raises(UnknownRun, match="Did you mean 'production'"):
        three.find("productoin")


def test_by_default_git_is_asked_in_the_working_directory(
    three: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    with pytest.raises(UnknownRun, match="unknown run 'HEAD'"):
        three.find("HEAD")


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


def test_a_finished_run_is_shown_by_its_summaries(store: Store) -> None:
    store.begin(a_run(name="nightly"))
    store.add_evaluation(an_evaluation(RUN))
    store.add_evaluation(an_evaluation(RUN, 1, name="router", variant="large", place="a.py"))
    store.finish(RUN, "finished", {}, {0: TOTALS, 1: {**TOTALS, "cases": 2}})
    store.set_baseline("staging", RUN)
    store.set_baseline("main", RUN)

    [line] = list_runs(store)

    assert line.run == store.find(RUN)
    assert line.baselines == ("main", "staging")
    first, second = line.evaluations
    assert first.tally == EvaluationNumbers(
        cases=4, decided=4, trials=12, answered=9, passed=6, share=0.625, f1=0.75, errors=3
    )
    assert first.tally.interval == wilson(2.5, 4)
    assert (second.name, second.variant, second.place) == ("router", "large", "a.py")
    assert second.tally.cases == 2


def test_the_newest_is_the_first_and_a_limit_holds(store: Store) -> None:
    store.begin(a_run())
    store.begin(a_run(OTHER))

    assert [line.run.id for line in list_runs(store)] == [OTHER, RUN]
    assert [line.run.id for line in list_runs(store, limit=1)] == [OTHER]


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
    assert tally.share == pytest.approx((1 / 3 + 1 + 0) / 3)
    # An error did not pass, and counts as 0.
    assert tally.f1 == pytest.approx((1 + 0.5 + 1) / 5)
    assert tally.interval == wilson((tally.share or 0) * 3, 3)


def test_without_a_score_there_is_no_mean(store: Store) -> None:
    store.begin(a_run())
    store.add_evaluation(an_evaluation(RUN))
    store.save_results([_case("a", f1=None, counts=()), _error("b")])

    assert _numbers(list_runs(store)[0]).f1 is None


def test_the_mean_of_errors_alone_is_0(store: Store) -> None:
    store.begin(a_run())
    store.add_evaluation(an_evaluation(RUN))
    store.save_results([_error("a"), _error("b")])

    assert _numbers(list_runs(store)[0]).f1 == 0.0


def test_the_evaluations_of_a_run_are_counted_apart(store: Store) -> None:
    store.begin(a_run())
    for number, place in enumerate(["a/eval_w.py::w", "b/eval_w.py::w"]):
        store.add_evaluation(an_evaluation(RUN, number, place=place))
    store.save_results([_case("a"), _case("a", evaluation=1, passed=False, f1=0.0)])

    [line] = list_runs(store)

    assert [(each.place[0], each.tally.share) for each in line.evaluations] == [("a", 1), ("b", 0)]


def test_words_choose_evaluations_and_the_limit_counts_what_they_fit(store: Store) -> None:
    for number in range(4):
        run = store.begin(a_run(f"2026111{number}-000000-aaaa")).id
        store.add_evaluation(an_evaluation(run, name="odd" if number % 2 else "even"))
        store.add_evaluation(an_evaluation(run, 1, name="other"))

    lines = list_runs(store, limit=1, fits=lambda names: "even" in names)

    [line] = lines
    assert line.run.id == "20261112-000000-aaaa"
    assert [each.name for each in line.evaluations] == ["even"]


def test_what_was_imported_later_is_as_old_as_it_is(store: Store) -> None:
    store.begin(a_run(OTHER, started_at=2.0))
    store.begin(a_run(RUN, started_at=1.0))

    assert [line.run.id for line in list_runs(store)] == [OTHER, RUN]
    assert store.find("latest").id == OTHER


def test_a_run_without_a_decision_has_no_share(store: Store) -> None:
    store.begin(a_run())
    store.add_evaluation(an_evaluation(RUN))
    store.begin(a_run(OTHER))
    store.add_evaluation(an_evaluation(OTHER))
    store.save_results([_case("a", passed=None, status="not_scored", f1=None, counts=())])

    empty, undecided = [_numbers(line) for line in list_runs(store)]

    assert (empty.cases, empty.share, empty.interval, empty.f1) == (0, None, None, None)
    assert (undecided.cases, undecided.answered, undecided.share) == (1, 1, None)


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


def test_a_limit_counts_the_runs_that_have_the_tag(store: Store) -> None:
    for number in range(6):
        run = store.begin(a_run(f"2026111{number}-000000-aaaa")).id
        store.add_evaluation(an_evaluation(run, name=f"suite {number}"))
        store.save_results([_case("a", "smoke" if number % 2 else "slow", run=run)])

    lines = list_runs(store, tag="smoke", limit=2)

    assert [line.run.id for line in lines] == ["20261115-000000-aaaa", "20261113-000000-aaaa"]
    assert [line.evaluations[0].name for line in lines] == ["suite 5", "suite 3"]


# Of more tags, no totals are saved.
_MANY = [f"tag {number}" for number in range(100)]


@pytest.mark.parametrize("others", [[], _MANY])
def test_results_of_older_runs_are_read_until_there_is_one_to_compare_with(
    store: Store, monkeypatch: pytest.MonkeyPatch, others: list[str]
) -> None:
    names = [f"2026111{number}-000000-aaaa" for number in range(6)]
    for number, run in enumerate(names):
        partial = {"limit": 1} if number == 3 else {}
        store.begin(a_run(run, started_at=float(number), arguments=partial))
        store.add_evaluation(an_evaluation(run))
        store.save_results([_case("a", "smoke", *others, run=run)])
        store.finish(run, "interrupted" if number == 2 else "finished", {}, {0: TOTALS})
    read: list[str] = []
    rows_of = queries.result_rows

    def counting(connection: Any, run: Any) -> Any:
        read.append(run.id)
        return rows_of(connection, run)

    monkeypatch.setattr(queries, "result_rows", counting)
    lines = list_compared_runs(store, tag="smoke", shown=2)

    assert [line.run.id for line in lines] == names[::-1]
    # 3 left cases out, 2 did not finish, 1 can be compared with.
    assert read == (names[:0:-1] if others else [])
    assert [len(line.evaluations) for line in lines] == [1, 1, 1, 1, 1, 0]


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


def _number_sets(store: Store) -> list[list[tuple[EvaluationNumbers, ...]]]:
    return [
        [tuple([each.tally for each in line.evaluations]) for line in list_runs(store, tag=tag)]
        for tag in ("smoke", "slow", "none")
    ]


_results = st.builds(
    lambda case, trial, tags, passed, f1, position: _case(
        case,
        *tags,
        trial=trial,
        passed=passed,
        status="error" if passed is None and f1 is None else "scored",
        f1=f1,
        position=position,
        evaluation=len(case) % 2,
    ),
    st.sampled_from(["a", "bb", "c", "dd", "e"]),
    st.integers(1, 3),
    st.lists(st.sampled_from(["smoke", "slow", "погода"]), max_size=3),
    st.sampled_from([True, False, None]),
    st.sampled_from([None, 0.1, 1 / 3, 0.7, 1.0]),
    st.sampled_from([None, 1, 2, 3]),
)


@settings(max_examples=30, deadline=None)
@given(st.lists(_results, max_size=12))
def test_the_numbers_of_a_tag_that_were_saved_are_those_that_are_counted(
    found: list[ResultRecord],
) -> None:
    with TemporaryDirectory() as folder, open_store(Path(folder) / "history.db") as store:
        store.begin(a_run())
        store.add_evaluation(an_evaluation(RUN))
        store.add_evaluation(an_evaluation(RUN, 1, name="second"))
        store.save_results(found)
        counted = _number_sets(store)
        store.finish(RUN, "finished", {}, {})

        assert _number_sets(store) == counted


def test_results_after_the_end_of_a_run_count_when_it_goes_on(store: Store) -> None:
    store.begin(a_run())
    store.add_evaluation(an_evaluation(RUN))
    store.save_results([_case("a", "smoke")])
    store.finish(RUN, "interrupted", {}, {0: TOTALS})
    store.begin(a_run())
    store.save_results([_case("b", "smoke")])

    assert _numbers(list_runs(store, tag="smoke")[0]).cases == 2
    store.finish(RUN, "finished", {}, {0: TOTALS})
    assert _numbers(list_runs(store, tag="smoke")[0]).cases == 2


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


@pytest.mark.parametrize("tags", [{"a": 1}, [1, 2], "smoke"])
def test_other_things_than_tags_do_not_prevent_the_end_of_a_run(store: Store, tags: Any) -> None:
    store.begin(a_run())
    store.add_evaluation(an_evaluation(RUN))
    store.save_results([a_result(RUN, "a", payload={"input": "a", "tags": tags})])

    store.finish(RUN, "finished", {}, {0: TOTALS})

    assert list_runs(store)


_NUMBERS = EvaluationNumbers(
    cases=1, trials=1, decided=1, answered=1, passed=1, share=1.0, f1=1.0, errors=0
)


def test_many_runs_take_as_many_queries_as_one(store: Store) -> None:
    for number in range(12):
        run = store.begin(a_run(f"20261115-0000{number:02}-aaaa")).id
        store.add_evaluation(an_evaluation(run))
        store.save_results([_case("a", "smoke", run=run)])
        store.finish(run, "finished", {}, {0: msgspec.to_builtins(_NUMBERS)})

    with recorded_queries(store) as said:
        lines = list_runs(store)

    assert len(lines) == 12
    assert len([each for each in said if each.startswith("SELECT")]) == 4
