"""Data of customers that the table `redact` names."""

from __future__ import annotations

from callscore.hiding.hider import Hider
from callscore.hiding.redaction import Redaction, Redactor


def test_a_pattern_that_took_long_hides_only_the_texts_that_take_long() -> None:
    redactor = Redactor(Redaction(patterns=(r"(a|aa)+$|ACME-\d{6}",)))
    slow = "a" * 40 + "b"

    found = [redactor.text(slow) for _ in range(20)]

    assert found == ["[hidden pattern 1]"] * 20
    assert redactor.text("") == ""
    assert redactor.text("case-1") == "case-1"
    assert redactor.text("ACME-123456 called") == "[hidden pattern 1] called"


def test_a_pattern_finds_what_it_must_after_very_many_texts() -> None:
    hider = Hider(Redaction(patterns=(r"ACME-\d{6}",)))

    for _ in range(100_000):
        hider.text("")

    assert hider.data({"id": "case-1", "": ""}) == {"id": "case-1", "": ""}
