"""The statements that add rows, in the words of every database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import bindparam, select
from sqlalchemy.dialects import postgresql, sqlite
from tests.history.made_up import a_run

from callscore.history.database import execute_compiled
from callscore.history.queries import inserts_for
from callscore.history.schema import runs

if TYPE_CHECKING:
    from sqlalchemy import Dialect

    from callscore.history.store import Store

MAKERS: list[Any] = [sqlite.dialect, postgresql.dialect]
DIALECTS: list[Dialect] = [make() for make in MAKERS]


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
def test_what_is_there_is_left_or_replaced_in_every_database(dialect: Dialect) -> None:
    inserts = inserts_for(dialect)

    assert "ON CONFLICT DO NOTHING" in inserts.payload.text
    assert "ON CONFLICT (run, number) DO UPDATE" in inserts.evaluation.text
    assert "ON CONFLICT (run, evaluation, case_id, trial) DO UPDATE" in inserts.result.text
    assert "ON CONFLICT (name) DO UPDATE" in inserts.baseline.text
    assert 'ON CONFLICT ("key") DO UPDATE' in inserts.judgement.text.replace("(key)", '("key")')
    assert "ON CONFLICT" not in inserts.answer.text


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
def test_rows_are_numbered_by_the_database(dialect: Dialect) -> None:
    inserts = inserts_for(dialect)

    assert "number" not in inserts.result.text
    assert "number" not in inserts.answer.text
    assert "number" in inserts.evaluation.text


def test_a_prepared_query_takes_its_values_by_name(store: Store) -> None:
    for name in ("20261115-184354-k3f9", "20261116-070000-bcdf"):
        store.begin(a_run(name))
    query = select(runs.c.id).where(runs.c.command == bindparam("command"), runs.c.number > 0)
    limited = query.order_by(runs.c.number).limit(bindparam("limit"))

    with store.reading() as connection:
        for limit in (1, 2):  # the second time it is known
            found = execute_compiled(connection, limited, {"command": "run", "limit": limit}).all()
            assert len(found) == limit
            assert found[0].id == "20261115-184354-k3f9"
        assert execute_compiled(connection, limited, {"command": "score", "limit": 1}).all() == []


def test_a_driver_that_wants_an_order_is_told_one() -> None:
    assert inserts_for(DIALECTS[0]).payload.names == ("digest", "body")


def test_a_driver_that_wants_names_is_given_names() -> None:
    insert = inserts_for(DIALECTS[1]).payload

    assert insert.names == ()
    assert "%(digest)s" in insert.text
