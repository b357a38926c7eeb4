"""Calls as they are, however long."""

from __future__ import annotations

from callscore import score
from callscore.core.call import ToolCall
from callscore.core.rendering import display_width
from callscore.reports.case import full_call_lines, lines_width, wrapped_calls

LONG = ToolCall("write", {"text": "word " * 60})


def test_calls_that_columns_have_room_for_are_not_repeated() -> None:
    assert full_call_lines(score(expected=["f"], actual=["g"]), width=40, lang="en") == []


def test_both_sides_are_shown_to_their_end() -> None:
    found = score(expected=["f"], actual=[LONG])

    lines = full_call_lines(found, width=40, lang="ru")

    assert lines[0] == "Эталонные вызовы полностью"
    assert "Фактические вызовы полностью" in lines
    assert " ".join(line.strip() for line in lines).count("word") == 60
    assert max(map(display_width, lines)) <= 40
    alone = full_call_lines(score(expected=[], actual=[LONG]), width=40, lang="en")
    assert alone[0] == "Actual, in full"


def test_hostile_calls_are_harmless() -> None:
    assert wrapped_calls([ToolCall("\x1b[31m", {"a": "\x00"})], 80) == [
        '  \\u001b[31m(a="\\u0000")'
    ]


def test_nothing_has_no_width() -> None:
    assert lines_width([]) == 0
    assert lines_width([(("城", ""), ("a", ""))]) == 3
