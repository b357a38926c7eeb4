"""Objects and arrays put together from parts."""

from __future__ import annotations

from callscore.core.malformed import FaultyArray, FaultyObject, Malformed, fault_of
from callscore.sources.faults import array_of, object_of

NAN = Malformed("NaN", "NaN is not a JSON number")


def test_sound_parts_make_a_sound_whole() -> None:
    assert type(object_of({"a": 1, "b": [2]})) is dict
    assert type(array_of([1, {"b": 2}])) is list


def test_a_faulty_part_spoils_the_whole_at_every_depth() -> None:
    value = object_of({"a": 1, "b": array_of([{"c": 2}, object_of({"d": NAN})])})

    assert isinstance(value, FaultyObject)
    assert isinstance(value["b"], FaultyArray)
    assert fault_of(value) == fault_of(value["b"]) == NAN
    assert value == {"a": 1, "b": [{"c": 2}, {"d": NAN}]}
