"""What fails for a reason that passes is done again, and nothing else is."""

from __future__ import annotations

import pytest
from sqlalchemy.exc import OperationalError

from callscore.errors import UnusableStore
from callscore.history import database
from callscore.history.database import readable_errors, with_retries


class _Failed(Exception):
    def __init__(self, sqlstate: str | None, words: str = "it failed") -> None:
        super().__init__(words)
        self.sqlstate = sqlstate


@pytest.fixture(autouse=True)
def _in_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "sleep", lambda _: None)


def _tries(*failures: Exception) -> int:
    """How often it was tried, where the first tries fail like this."""
    left = list(failures)
    tried: list[int] = []

    @with_retries
    def work(amount: int) -> int:
        tried.append(amount)
        if left:
            with readable_errors("history"):
                raise OperationalError("INSERT", None, left.pop(0))
        return len(tried)

    try:
        return work(1)
    except UnusableStore:
        return -len(tried)


LOST = _Failed(None, "server closed the connection unexpectedly")


@pytest.mark.parametrize(
    "failures",
    [
        [_Failed("40001")],
        [_Failed("40P01")] * 6,
        [_Failed("57P01"), LOST],
        [_Failed("08006"), _Failed("57P03"), _Failed(None, "the database system is starting up")],
    ],
)
def test_what_passes_is_waited_for(failures: list[Exception]) -> None:
    assert _tries(*failures) == len(failures) + 1


@pytest.mark.parametrize(
    ("failure", "tries"),
    [
        (_Failed("40001"), 7),
        (LOST, 4),
        (_Failed("53100"), 1),
        (_Failed(None, "connection failed: Connection refused"), 1),
        (_Failed(None, 'connection failed: FATAL: database "x" does not exist'), 1),
    ],
)
def test_what_does_not_pass_is_given_up(failure: Exception, tries: int) -> None:
    assert _tries(*[failure] * 20) == -tries


def test_what_somebody_else_raises_is_raised_at_once() -> None:
    tried: list[int] = []

    @with_retries
    def work() -> None:
        tried.append(1)
        raise UnusableStore("history", "no")

    with pytest.raises(UnusableStore):
        work()
    assert tried == [1]
