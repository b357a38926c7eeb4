"""Answers are found by what was asked, judgements by what was judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.history.made_up import a_run, an_answer

from callscore.history.queries import (
    answer_in_run,
    judgement_by_key,
    newest_answer,
    save_judgement,
)

if TYPE_CHECKING:
    from callscore.history.store import Store

RUN = a_run().id


def test_the_newest_answer_is_found_and_that_of_a_run(store: Store) -> None:
    store.begin(a_run())
    older, newer = an_answer(RUN, answer="older"), an_answer(answer="newer")
    store.keep([older, newer])

    with store.reading() as connection:
        assert newest_answer(connection, "00ff", "", 1) == newer
        assert answer_in_run(connection, 1, "00ff", 1) == older
        assert newest_answer(connection, "00ff", "ab", 1) is None
        assert answer_in_run(connection, 2, "00ff", 1) is None


def test_a_judgement_takes_the_place_of_an_earlier_one(store: Store) -> None:
    with store.writing() as connection:
        for same in (False, True):
            save_judgement(connection, "киев = kyiv?", "judge", {"same": same})

    with store.reading() as connection:
        assert judgement_by_key(connection, "киев = kyiv?") == {"same": True}
        assert judgement_by_key(connection, "other") is None
