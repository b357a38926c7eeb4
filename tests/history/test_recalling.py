"""Answers are found by what was asked, judgements by what was judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.history.made_up import a_run, an_answer

from callscore.history.recalling import add_judgement, answer_of_run, answer_to, judgement_under

if TYPE_CHECKING:
    from callscore.history.store import Store

RUN = a_run().id


def test_the_newest_answer_is_found_and_that_of_a_run(store: Store) -> None:
    store.begin(a_run())
    older, newer = an_answer(RUN, answer="older"), an_answer(answer="newer")
    store.keep([older, newer])

    with store.reading() as connection:
        assert answer_to(connection, "00ff", "", 1) == newer
        assert answer_of_run(connection, 1, "00ff", 1) == older
        assert answer_to(connection, "00ff", "ab", 1) is None
        assert answer_of_run(connection, 2, "00ff", 1) is None


def test_a_judgement_takes_the_place_of_an_earlier_one(store: Store) -> None:
    with store.writing() as connection:
        for same in (False, True):
            add_judgement(connection, "киев = kyiv?", "judge", {"same": same})

    with store.reading() as connection:
        assert judgement_under(connection, "киев = kyiv?") == {"same": True}
        assert judgement_under(connection, "other") is None
