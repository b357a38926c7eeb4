"""Comparisons and gates as plain data."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace
from tests.comparing.sides_made_up import a_case, a_side, an_error

from callscore.comparing.comparison import compare_sides, comparison_to_dict, gate_to_dict
from callscore.comparing.gating import gate
from callscore.core.phrases import Note, Phrase

BELOW = Note(Phrase("low", "мало"))


def test_everything_is_there_as_plain_data() -> None:
    before = a_side(a_case("a", True, tags=("\ud800",)), a_case("b", True), label="main")
    after = a_side(a_case("a", an_error(), tags=("\ud800",)), label="latest")
    comparison = compare_sides(before, after)

    found = comparison_to_dict(comparison)

    assert msgspec.json.decode(msgspec.json.encode(found)) == found
    assert found["verdict"] == "not enough data"
    assert found["counts"] == {"broken": 1, "fixed": 0, "changed": 0, "same": 0}
    assert found["only_before"] == {"count": 1, "names": ["weather::b"]}
    assert found["changes"] == [
        {
            "kind": "broken",
            "evaluation": "weather",
            "case": "a",
            "tags": ["\\ud800"],
            "before": {"passed": 1, "decided": 1, "f1": 1.0},
            "after": {"passed": 0, "decided": 1, "f1": None},
            "reasons": [{"kind": "no answer", "text": "it timed out"}],
            "is_expectation_changed": False,
        }
    ]
    assert found["tags"][0]["name"] == "\\ud800"
    assert found["tags"][0]["p_value"] is None
    assert found["main"]["change"] == -1.0
    assert set(found["main"]["interval"]) == {"low", "high"}
    assert found["main"]["smallest"] is None


def test_every_field_of_a_comparison_is_exported() -> None:
    comparison = compare_sides(a_side(True), a_side(False))

    found = comparison_to_dict(comparison)

    assert set(comparison.__struct_fields__) - {"same"} <= set(found)  # it is one of the counts
    assert set(comparison.main.__struct_fields__) | {"change"} == set(found["main"])
    assert set(comparison.after.__struct_fields__) == set(found["after"])


def test_sentences_are_said_in_the_language_that_is_asked_for() -> None:
    after = a_side(False)
    after = replace(
        after, is_finished=False, evaluations=(replace(after.evaluations[0], below=(BELOW,)),)
    )
    comparison = compare_sides(a_side(True), after)

    english, russian = (comparison_to_dict(comparison, lang=lang) for lang in ("en", "ru"))

    assert (english["after"]["below"], russian["after"]["below"]) == (["low"], ["мало"])
    assert english["notes"] == ["run did not come to its end"]
    assert russian["notes"] != english["notes"]


def test_what_was_not_compared_has_no_numbers() -> None:
    found = comparison_to_dict(compare_sides(a_side(), a_side()))["main"]

    assert (found["cases"], found["interval"], found["change"]) == (0, None, None)


def test_a_gate_says_why() -> None:
    found = gate_to_dict(gate(compare_sides(a_side(True), a_side(False)), "broken"))

    assert (found["is_open"], found["is_doubtful"], found["fail_on"]) == (False, False, "broken")
    assert found["reasons"] == [
        {"kind": "in doubt", "count": 1, "cases": [], "sides": []},
        {"kind": "broken", "count": 1, "cases": ["weather::case-0"], "sides": []},
    ]
    assert found["comparison"]["verdict"] == "not enough data"
