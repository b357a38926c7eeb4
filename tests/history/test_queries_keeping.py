"""What many records share is kept once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select
from tests.history.made_up import a_result, a_run, an_answer

from callscore.history.encoding import rows_from
from callscore.history.schema import payloads

if TYPE_CHECKING:
    from callscore.history.store import Store

RUN = a_run().id


def _payloads(store: Store) -> int:
    with store.reading() as connection:
        count: int = connection.execute(select(func.count()).select_from(payloads)).scalar_one()
    return count


def test_a_payload_is_kept_once_however_many_runs_have_it(store: Store) -> None:
    store.begin(a_run())
    store.begin(a_run("20261116-000000-bbbb"))
    store.keep([a_result(RUN), a_result(RUN, trial=2)])
    before = _payloads(store)

    store.keep([a_result("20261116-000000-bbbb")])

    assert before == 3  # the case, the answer, the calls
    assert _payloads(store) == 3
    assert len(list(store.results("20261116-000000-bbbb"))) == 1


def test_more_payloads_than_one_statement_takes_are_kept_once(store: Store) -> None:
    store.begin(a_run())
    records = [an_answer(RUN, f"{number:04x}") for number in range(1_200)]
    store.keep(records)

    store.keep(records)

    assert _payloads(store) == 1_200


def test_an_answer_of_no_run_is_kept_all_the_same() -> None:
    answers, results, bodies = rows_from([an_answer(), a_result(RUN)], {RUN: 5})

    assert [row["run"] for row in answers] == [None]
    assert [row["run"] for row in results] == [5]
    assert len(bodies) == 4
