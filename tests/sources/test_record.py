"""What every reader gives."""

from __future__ import annotations

from callscore.sources.record import Array, Record


def test_the_items_of_an_array_are_records_at_their_positions() -> None:
    array = Array("f.json", [{"id": 1}, {"id": 2}])

    assert list(array.records()) == [Record("f.json[0]", {"id": 1}), Record("f.json[1]", {"id": 2})]


def test_the_items_of_an_array_are_records_at_their_places_where_these_are_known() -> None:
    array = Array("f.yaml:1", ["a", "b"], ("f.yaml:1", "f.yaml:7"))

    assert list(array.records()) == [Record("f.yaml:1", "a"), Record("f.yaml:7", "b")]
