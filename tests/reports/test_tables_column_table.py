"""A table whose columns begin or end at the same place."""

from __future__ import annotations

from rich.text import Text

from callscore.reports.tables import Column, column_lines


def plain(columns: list[Column], space: int = 3) -> list[str]:
    return [line.plain for line in column_lines(columns, space=space)]


def test_names_begin_and_numbers_end_at_the_same_place() -> None:
    names = Column("run", [Text("a"), Text("long name")], is_left=True)
    numbers = Column("passed", [Text("1"), Text("1000000")])

    assert plain([names, numbers]) == [
        "run          passed",
        "a                 1",
        "long name   1000000",
    ]


def test_no_line_ends_with_blanks() -> None:
    empty = Column("note  ", [Text(""), Text("x")], is_left=True)

    assert plain([Column("a", [Text("1"), Text("2")]), empty], space=1) == ["a note", "1", "2 x"]


def test_wide_letters_take_their_room() -> None:
    names = Column("", [Text("城市"), Text("ab")], is_left=True)

    assert plain([names, Column("n", [Text("1"), Text("2")])], space=1) == [
        "     n",
        "城市 1",
        "ab   2",
    ]
