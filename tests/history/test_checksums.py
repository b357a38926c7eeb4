"""What was written is what is read: rows that were changed, deleted, added or moved are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from sqlalchemy import text
from tests.history.made_up import a_result, a_run, an_answer, an_evaluation

from callscore.errors import CallscoreError, UnusableStore
from callscore.history.checksums import DamagedHistoryError, RowChecks, Seal, Tally
from callscore.history.cleanup import remove_old_runs
from callscore.history.exchange.import_export import export_lines, run_answers
from callscore.history.run_lookup import list_runs
from callscore.history.run_results import light_results
from callscore.history.schema import results
from callscore.history.tables import RESULT_CHECKS, RUN_CHECKS

if TYPE_CHECKING:
    from collections.abc import Callable

    from callscore.history.store import Store

RUN, OTHER, OPEN = "20261115-184354-k3f9", "20261116-070000-bcdf", "20261117-070000-open"


@pytest.fixture
def filled(store: Store) -> Store:
    """Two finished runs of four trials and a baseline, and a run that did not end."""
    for number, name in enumerate((RUN, OTHER, OPEN)):
        run = a_run(name, started_at=float(number), name="nightly", git_commit="c0ffee")
        store.begin(run)
        for evaluation in (0, 1):
            store.add_evaluation(an_evaluation(name, number=evaluation, tools=[{"name": "f"}]))
            store.save_results(
                [
                    a_result(name, case, evaluation=evaluation, trial=trial)
                    for case in ("a", "b")
                    for trial in (1, 2)
                ]
            )
        store.save_results([an_answer(name, "beef")])
        if name != OPEN:
            store.finish(name, "finished", {"answered": 8, "errors": 0}, {})
    store.set_baseline("main", RUN)
    store.save_judgement("key", "model", {"verdict": True})
    return store


def _readings(store: Store) -> dict[str, Callable[[], Any]]:
    """Every way to read, each with what it reads."""
    return {
        "runs": store.runs,
        "latest": lambda: store.find("latest", resolve=None),
        "by name": lambda: store.find("nightly", resolve=None),
        "by baseline": lambda: store.find("main", resolve=None),
        "by prefix": lambda: store.find(RUN[:12], resolve=None),
        "by commit": lambda: store.find("HEAD", resolve=lambda _: "c0ffee"),
        "baselines": store.baselines,
        "list": lambda: list_runs(store),
        "list by tag": lambda: list_runs(store, tag="smoke"),
        "evaluations": lambda: store.evaluations(RUN),
        "results": lambda: list(store.results(RUN)),
        "light": lambda: light_results(store, RUN),
        "case": lambda: store.result(RUN, "a"),
        "side": lambda: store.side(a_run(RUN), "x"),
        "trials": lambda: store.trials(RUN),
        "answer": lambda: store.answer("beef", "", 1),
        "answer of run": lambda: store.answer_of_run(RUN, "beef", 1),
        "answers": lambda: list(run_answers(store, RUN)),
        "export": lambda: list(export_lines(store, a_run(RUN))),
        "judgement": lambda: store.judgement("key"),
        "cleanup": lambda: remove_old_runs(store, 10, is_dry=True),
    }


def _outcomes(store: Store) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, read in _readings(store).items():
        try:
            found[name] = read()
        except CallscoreError as error:
            found[name] = error
    return found


# What a person, or a broken disk, may do to the tables.
CHANGES = [
    "DELETE FROM results WHERE case_id = 'a' AND trial = 2 AND evaluation = 1 AND run = 1",
    "DELETE FROM results WHERE run = 1",
    "DELETE FROM evaluations WHERE number = 1",
    "DELETE FROM evaluations",
    "DELETE FROM payloads",
    "DELETE FROM runs WHERE number = 2",
    "DELETE FROM runs WHERE number = 3",
    "DELETE FROM baselines",
    "DELETE FROM contents",
    "UPDATE contents SET runs = 2",
    "UPDATE hiding_key SET key = checksum",
    "DELETE FROM hiding_key",
    "UPDATE results SET passed = NOT passed",
    "UPDATE results SET f1 = 0.25 WHERE case_id = 'a'",
    "UPDATE results SET correct = 0, incorrect = 1",
    "UPDATE results SET status = 'error' WHERE trial = 1",
    "UPDATE results SET case_id = 'c' WHERE case_id = 'a' AND trial = 2",
    "UPDATE results SET trial = 3 WHERE trial = 2",
    "UPDATE results SET run = 1, trial = trial + 2 WHERE run = 2",
    "UPDATE results SET evaluation = 7 WHERE evaluation = 1",
    "UPDATE results SET tags = NULL",
    "UPDATE results SET scores = NULL",
    "UPDATE results SET seconds = 99",
    "UPDATE results SET calls = answer",
    "UPDATE results SET calls = NULL",
    "UPDATE evaluations SET name = 'other' WHERE number = 1",
    "UPDATE evaluations SET summary = '{\"cases\": 1}'",
    "UPDATE evaluations SET by_tag = '{}'",
    "UPDATE evaluations SET by_tag = NULL WHERE run = 1",
    "UPDATE evaluations SET fail_under = '{}'",
    "UPDATE runs SET status = 'finished', finished_at = 3 WHERE number = 3",
    "UPDATE runs SET status = 'running' WHERE number = 1",
    "UPDATE runs SET started_at = 100 - started_at",
    "UPDATE runs SET name = 'weekly' WHERE number = 2",
    "UPDATE runs SET git_commit = 'beef'",
    "UPDATE runs SET totals = '{\"passed\": 99}' WHERE number = 1",
    "UPDATE runs SET result_count = 7, seal = NULL WHERE number = 1",
    "UPDATE baselines SET run = 2",
    "UPDATE baselines SET name = 'Main'",
    "UPDATE answers SET answer = (SELECT answer FROM results LIMIT 1)",
    "UPDATE answers SET run = 2 WHERE run = 1",
    "UPDATE answers SET question = source",
    "UPDATE judgements SET answer = '{\"verdict\": false}'",
    "UPDATE payloads SET body = (SELECT body FROM payloads ORDER BY digest LIMIT 1)",
    (
        "INSERT INTO baselines (run, name, set_at, checksum)"
        " SELECT run, 'feature', set_at, checksum FROM baselines"
    ),
]


@pytest.mark.parametrize("change", CHANGES)
def test_what_was_changed_is_refused_or_makes_no_difference(filled: Store, change: str) -> None:
    before = _outcomes(filled)
    assert not any(isinstance(each, CallscoreError) for each in before.values())
    with filled.altering() as connection:
        connection.execute(text(change))

    after = _outcomes(filled)

    refused = {name for name, each in after.items() if isinstance(each, UnusableStore)}
    others = {name for name, each in after.items() if each != before[name]} - refused
    # Without its row an answer is asked for again, and a run by its id is unknown.
    allowed = {"answer", "answer of run", "answers", "export"} if "answers" in change else set()
    assert others <= allowed
    assert refused


def test_a_result_that_was_copied_is_refused(filled: Store) -> None:
    names = ", ".join(each.name for each in results.columns if each.name not in ("number", "trial"))
    with filled.altering() as connection:
        connection.execute(
            text(
                f"INSERT INTO results ({names}, trial) SELECT {names}, trial + 2 FROM results"  # noqa: S608  (our own names)
            )
        )

    with pytest.raises(UnusableStore, match="is damaged, or was changed"):
        filled.side(a_run(RUN), "x")


def test_the_numbers_of_results_are_named(filled: Store) -> None:
    with filled.altering() as connection:
        connection.execute(text("DELETE FROM results WHERE run = 1 AND case_id = 'b'"))

    with pytest.raises(UnusableStore) as caught:
        list(filled.results(RUN))

    assert f"run {RUN}: 4 results found, 8 were saved. Restore a copy" in str(caught.value)
    assert "callscore export ID" in str(caught.value)


def test_the_other_runs_can_be_exported(filled: Store) -> None:
    with filled.altering() as connection:
        connection.execute(text("DELETE FROM results WHERE run = 1 AND case_id = 'b'"))
        connection.execute(text("UPDATE runs SET name = 'x' WHERE number = 3"))

    other = filled.find(OTHER)

    assert sum(count for _, count in export_lines(filled, other)) == 8
    with pytest.raises(UnusableStore, match="the record of a run is damaged"):
        filled.find("latest")


def test_a_run_that_lost_results_does_not_end_as_finished(store: Store) -> None:
    store.begin(a_run(RUN))
    store.add_evaluation(an_evaluation(RUN))
    store.save_results([a_result(RUN, case) for case in ("a", "b")])
    with store.altering() as connection:
        connection.execute(text("DELETE FROM results WHERE case_id = 'b'"))

    with pytest.raises(UnusableStore, match="1 results found, 2 were saved"):
        store.finish(RUN, "finished", {"answered": 2, "errors": 0}, {})

    assert store.find(RUN).status == "running"


def test_a_run_that_goes_on_can_be_changed_and_ends_again(filled: Store) -> None:
    run = filled.find(RUN)
    filled.begin(replace(run, status="running"))
    filled.save_results([replace(a_result(RUN, "a"), passed=False), a_result(RUN, "new")])
    filled.finish(RUN, "finished", {"answered": 9, "errors": 0}, {})

    assert len(list(filled.results(RUN))) == 9


def test_a_checksum_covers_every_value_and_the_run() -> None:
    row = dict.fromkeys([column.name for column in results.columns], None)
    row |= {"number": 1, "run": 1, "passed": True, "is_reused": False, "seconds": 1.0}
    RESULT_CHECKS.sign(row, RUN)
    read = [*row.values()]

    assert RESULT_CHECKS.verify(read, RUN) == row["checksum"]
    for at in range(2, len(read)):
        other: list[Any] = [*read]
        other[at] = "other"
        with pytest.raises(DamagedHistoryError):
            RESULT_CHECKS.verify(other, RUN)
    with pytest.raises(DamagedHistoryError, match="run 20261116"):
        RESULT_CHECKS.verify(read, OTHER)
    with pytest.raises(DamagedHistoryError):
        RESULT_CHECKS.verify([*read[:3], object(), *read[4:]], RUN)


def test_drivers_may_return_booleans_as_numbers() -> None:
    columns = [column.name for column in results.columns]
    row: dict[str, Any] = dict.fromkeys(columns)
    row |= {"passed": True, "is_reused": False, "seconds": 2}
    RESULT_CHECKS.sign(row, RUN)
    numbers = {**row, "passed": 1, "is_reused": 0, "seconds": 2.0}

    assert RESULT_CHECKS.verify([*numbers.values()], RUN) == row["checksum"]


_stored_values = (
    st.none() | st.integers(-2, 2) | st.booleans() | st.floats() | st.text() | st.binary()
)


@given(
    st.lists(st.tuples(st.booleans(), st.lists(_stored_values, min_size=2, max_size=4)), max_size=4)
)
def test_many_rows_are_verified_like_each_of_them(drawn: list[tuple[bool, list[Any]]]) -> None:
    names = [column.name for column in results.columns]
    rows = []
    for is_changed, values in drawn:
        row: dict[str, Any] = {
            **dict.fromkeys(names),
            "passed": True,
            "is_reused": 0,
            "seconds": 1.0,
        }
        row |= dict(zip(("case_id", "tags", "scores", "failure"), values, strict=False))
        RESULT_CHECKS.sign(row, RUN)
        rows.append([*(row | ({"case_id": object()} if is_changed else {})).values()])

    def outcome(verify: Callable[[], list[bytes]]) -> list[bytes] | str:
        try:
            return verify()
        except DamagedHistoryError as error:
            return error.problem

    one_by_one = outcome(lambda: [RESULT_CHECKS.verify(row, RUN) for row in rows])
    assert outcome(lambda: RESULT_CHECKS.verify_all(rows, RUN)) == one_by_one
    numbers = [[int(each) if isinstance(each, bool) else each for each in row] for row in rows]
    one_by_one = outcome(lambda: [RESULT_CHECKS.verify(row, RUN) for row in numbers])
    assert outcome(lambda: RESULT_CHECKS.verify_all(numbers, RUN)) == one_by_one


def test_a_tally_does_not_depend_on_the_order() -> None:
    one, two, three = bytes(7) + b"\1", b"\xff" * 8, b"abcdefgh"

    assert Tally.of([one, two, three]) == Tally.of([three, one, two])
    assert Tally.of([one, two]).changed([three], [one]) == Tally.of([two, three])
    assert Tally.of([one, two]) != Tally.of([one, one])


def test_a_seal_comes_back_from_its_columns() -> None:
    seal = Seal(Tally.of([b"abcdefgh"]), Tally.of([b"abcdefgh", b"\xff" * 8]))

    assert Seal.of_columns(**seal.columns()) == seal
    assert Seal.of_columns(0, 0, None) is None
    with pytest.raises(DamagedHistoryError, match="its results are not those"):
        seal.require_results(RUN, [b"abcdefgh", b"abcdefgh"])


def test_every_table_with_checksums_has_them_last() -> None:
    assert isinstance(RUN_CHECKS, RowChecks)
    assert [*results.columns][-1].name == "checksum"
