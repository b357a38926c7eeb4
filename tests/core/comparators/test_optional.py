"""`$optional`: nothing, or the value, or why it is not the value."""

from __future__ import annotations

from callscore.core.budget import Budget
from callscore.core.rules import ABSENT, FailedPart, Matcher
from callscore.core.settings import Settings
from callscore.core.value_comparison import compare_value, make_context

CONTEXT = make_context(Settings(), Budget(10**12))


def test_null_is_not_nothing() -> None:
    matcher = Matcher("$optional", 10)

    assert compare_value(matcher, ABSENT, CONTEXT).matched
    assert not compare_value(matcher, None, CONTEXT).matched


def test_what_the_rule_inside_says_is_handed_on() -> None:
    alike = Matcher("$optional", Matcher("$text", "Rome", {"similarity": 0.9}))
    object_ = Matcher("$optional", Matcher("$subset", {"a": 1}))

    note = compare_value(alike, "Roma", CONTEXT).note

    assert note is not None
    assert note.text("en") == "similarity 0.75 < 0.9"
    assert compare_value(object_, {"a": 2}, CONTEXT).parts == (FailedPart("a", 1, 2),)
