"""Which questions a run asks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from callscore import UnknownRun
from callscore.cli.run import RunRequest, choose_questions, resume_command
from callscore.evaluations.plan import Selection
from callscore.history.opening import open_store
from callscore.history.records import EvaluationRecord, ResultRecord, RunRecord
from callscore.models.limits import Limits, Rate

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from callscore.history.store import Store

REQUEST = RunRequest(
    paths=("evals", "more evals"),
    keyword="",
    tags=(),
    limit=None,
    trials=None,
    jobs=8,
    limits=Limits(),
    fail_under=None,
    last_failed=False,
    watch=False,
    resume=False,
    cache=False,
    judge=None,
    show="failing",
    most=10,
    output_format="table",
    output=None,
    lang="en",
)
PATHS = list(REQUEST.paths)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "history.db") as opened:
        yield opened


def begin(store: Store, **arguments: Any) -> str:
    """A run that does not come to its end, with a case that failed and one that passed."""
    run = store.begin(
        RunRecord(id="r", command="run", started_at=1.0, arguments={"paths": PATHS, **arguments})
    )
    store.add_evaluation(
        EvaluationRecord(run=run.id, number=0, name="agent", place="eval_a.py::agent")
    )
    store.keep(
        ResultRecord(run=run.id, evaluation=0, case=case, status="scored", passed=passed)
        for case, passed in (("a", False), ("b", True))
    )
    return run.id


def test_what_the_user_selects_is_asked_and_kept_with_the_run(store: Store) -> None:
    request = replace(REQUEST, keyword="weather", tags=("smoke",), limit=3, trials=2)

    choice = choose_questions(request, store, pytest.fail)

    assert choice.selection == Selection(keyword="weather", tags=("smoke",), limit=3)
    assert choice.trials == 2
    assert choice.arguments == {
        "paths": PATHS,
        "keyword": "weather",
        "tags": ["smoke"],
        "limit": 3,
        "fail_under": None,
        "trials": 2,
        "cases": None,
    }


def test_a_run_that_goes_on_asks_what_it_asked_before(store: Store) -> None:
    begin(store, keyword="weather", tags=["smoke"], limit=3, trials=2, cases=[["e", None, "c"]])

    choice = choose_questions(replace(REQUEST, resume=True, trials=5), store, pytest.fail)

    assert choice.selection == Selection(
        keyword="weather", tags=("smoke",), limit=3, last_failed=frozenset({("e", None, "c")})
    )
    assert choice.trials == 5  # what is said now counts


def test_without_a_run_to_go_on_with_it_says_so(store: Store) -> None:
    with pytest.raises(UnknownRun, match="there is no unfinished run of evals more evals"):
        choose_questions(replace(REQUEST, resume=True), store, pytest.fail)


def test_what_failed_before_is_asked_alone(store: Store) -> None:
    begin(store)

    choice = choose_questions(replace(REQUEST, last_failed=True), store, pytest.fail)

    assert list(choice.selection.last_failed or ()) == [("eval_a.py::agent", None, "a")]
    assert choice.arguments["cases"] == [["eval_a.py::agent", None, "a"]]


def test_where_nothing_failed_or_nothing_was_run_everything_is(store: Store) -> None:
    request, notes = replace(REQUEST, last_failed=True), list[str]()

    never = choose_questions(request, store, notes.append)
    run = begin(store)
    store.keep([ResultRecord(run=run, evaluation=0, case="a", status="scored", passed=True)])
    fine = choose_questions(replace(request, lang="ru"), store, notes.append)

    assert never.selection.last_failed is fine.selection.last_failed is None
    assert notes == [
        "nothing was run before: everything is run",
        "в прошлый раз всё прошло: запускается всё",
    ]


def test_what_to_type_to_go_on_can_be_copied_into_a_shell() -> None:
    assert resume_command(REQUEST) == "callscore run evals 'more evals' --resume"


def test_what_to_type_to_go_on_keeps_the_gate_and_the_pace() -> None:
    limits = Limits(retries=0, timeout=None, rate=Rate(500, 60))
    given = replace(REQUEST, paths=(".",), jobs=4, limits=limits, fail_under=0.9, lang="ru")

    assert resume_command(given) == (
        "callscore run . --resume --jobs 4 --rate 30000/h --timeout 0 --retries 0 --fail-under 0.9"
        " --lang ru"
    )


def test_what_to_type_to_go_on_names_the_history_but_no_password() -> None:
    given = replace(REQUEST, paths=(".",), store="postgresql://me:secret-42@host/runs")

    assert resume_command(replace(given, store="my runs.db")) == (
        "callscore run . --resume --store 'my runs.db'"
    )
    assert "--store" in resume_command(given)
    assert "secret-42" not in resume_command(given)
