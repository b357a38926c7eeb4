"""Docstrings for narrow terminals."""

from __future__ import annotations

from inspect import cleandoc

from callscore.cli.metrics import wrapped_docstring, wrapped_text

TEXT = cleandoc(
    """
    What it is, in one sentence.

    A paragraph that goes on for two lines, because
    it has that much to say.

    Args:
        first: one thing, of which there is more to
            be said.
        second: another, in a line of its own.

    Defects:
        It is not wrapped: that is one of them, and the
        lines of it belong together.
    """
)
NARROW = """\
What it is, in one sentence.

A paragraph that goes on for
two lines, because it has that
much to say.

Args:
    first: one thing, of which
        there is more to be
        said.
    second: another, in a line
        of its own.

Defects:
    It is not wrapped: that is
    one of them, and the lines
    of it belong together."""


def test_a_docstring_that_has_room_stays_as_it_is_written() -> None:
    assert wrapped_docstring(TEXT, 60) == TEXT
    assert wrapped_docstring("", 60) == ""


def test_where_there_is_less_room_every_paragraph_is_wrapped_anew() -> None:
    assert wrapped_docstring(TEXT, 30) == NARROW


def test_what_begins_a_line_of_its_own_keeps_it() -> None:
    text = "- one thing that is said of it\n- another thing\n>>> f(1)\nwords"

    assert wrapped_docstring(text, 20) == (
        "- one thing that is\nsaid of it\n- another thing\n>>> f(1) words"
    )


def test_a_word_is_never_broken() -> None:
    assert wrapped_text("a" * 30 + " b", 10, first="  ", others="    ") == f"  {'a' * 30}\n    b"
    assert wrapped_text("aa bbb", 1, others="    ") == "aa\n    bbb"


def test_what_a_terminal_could_obey_is_spelled_out() -> None:
    assert wrapped_docstring("a\x1b[31m\nb", 60) == "a\\u001b[31m\nb"
