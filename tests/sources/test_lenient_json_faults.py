"""Objects and arrays put together from parts."""

from __future__ import annotations

from callscore.core.call import FaultyArray, FaultyObject, Malformed, malformed_part
from callscore.sources.lenient_json import marked_array, marked_object

NAN = Malformed("NaN", "NaN is not a JSON number")


def test_sound_parts_make_a_sound_whole() -> None:
    assert type(marked_object({"a": 1, "b": [2]})) is dict
    assert type(marked_array([1, {"b": 2}])) is list


def test_a_faulty_part_spoils_the_whole_at_every_depth() -> None:
    value = marked_object({"a": 1, "b": marked_array([{"c": 2}, marked_object({"d": NAN})])})

    assert isinstance(value, FaultyObject)
    assert isinstance(value["b"], FaultyArray)
    assert malformed_part(value) == malformed_part(value["b"]) == NAN
    assert value == {"a": 1, "b": [{"c": 2}, {"d": NAN}]}
