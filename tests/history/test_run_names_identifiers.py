"""Names of runs: one can be read, two are never the same, and they sort by time."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from callscore.history import run_names as identifiers
from callscore.history.run_names import new_run_id

if TYPE_CHECKING:
    import pytest

NOW = 1_794_768_234.9


def test_a_name_is_the_time_and_four_letters() -> None:
    name = new_run_id(NOW)

    assert re.fullmatch(r"20261115-184354-[2-9b-df-hj-np-tv-z]{4}", name)


def test_many_that_start_within_one_second_have_names_of_their_own() -> None:
    with ThreadPoolExecutor(8) as threads:
        names = list(threads.map(new_run_id, [NOW] * 5_000))

    assert len(set(names)) == 5_000


def test_a_name_is_drawn_again_where_it_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = iter("kkkkkkkkffff")
    monkeypatch.setattr("secrets.choice", lambda _: next(drawn))

    names = [new_run_id(1.0), new_run_id(1.0)]

    assert names == ["19700101-000001-kkkk", "19700101-000001-ffff"]


def test_where_four_letters_may_run_out_there_are_eight(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identifiers, "_LETTERS", "k")

    names = [new_run_id(2.0), new_run_id(3.0)]

    assert names == ["19700101-000002-kkkkkkkk", "19700101-000003-kkkkkkkk"]


def test_names_sort_by_time() -> None:
    assert new_run_id(NOW) < new_run_id(NOW + 1) < new_run_id(NOW + 100_000)
