"""`$optional`: nothing, or the value, or why it is not the value."""

from __future__ import annotations

from callscore.core.comparison import compare, context_for
from callscore.core.matcher import ABSENT, Matcher
from callscore.core.settings import Settings
from callscore.core.verdict import Part

CONTEXT = context_for(Settings())


def test_null_is_not_nothing() -> None:
    matcher = Matcher("$optional", 10)

    assert compare(matcher, ABSENT, CONTEXT).matched
    assert not compare(matcher, None, CONTEXT).matched


def test_what_the_rule_inside_says_is_handed_on() -> None:
    alike = Matcher("$optional", Matcher("$text", "Rome", {"similarity": 0.9}))
    object_ = Matcher("$optional", Matcher("$subset", {"a": 1}))

    note = compare(alike, "Roma", CONTEXT).note

    assert note is not None
    assert note.text("en") == "similarity 0.75 < 0.9"
    assert compare(object_, {"a": 2}, CONTEXT).parts == (Part("a", 1, 2),)
