"""A table of names and numbers."""

from __future__ import annotations

import pytest

from callscore.reports.styled import Text
from callscore.reports.tables import Column, NumberRow, column_lines, number_table, room_for_names


def rows(*names: str) -> list[NumberRow]:
    return [NumberRow(Text(name), [Text("0.5"), Text("10")]) for name in names]


def shown(width: int, *names: str, space: int = 3) -> str:
    return number_table("name", ["mean", "not\nscored"], rows(*names), width, space=space).plain


def test_names_stand_to_the_left_and_numbers_to_the_right() -> None:
    assert shown(40, "first", "a") == (
        "                  not\nname    mean   scored\nfirst    0.5       10\na        0.5       10"
    )


def test_columns_stand_closer_where_a_name_needs_the_room() -> None:
    assert shown(21, "first").splitlines()[1] == "name    mean   scored"
    assert shown(20, "first").splitlines()[1] == "name   mean  scored"
    assert shown(17, "first").splitlines()[1] == "name  mean scored"


def test_a_name_without_room_stands_above_its_numbers() -> None:
    long = "a" * 30

    assert shown(25, long, "b").splitlines()[2:] == [
        long,
        "        0.5       10",
        "b       0.5       10",
    ]


def test_a_name_that_never_has_room_does_not_move_the_columns() -> None:
    assert shown(25, "a" * 30, "b").splitlines()[1] == shown(25, "b").splitlines()[1]


@pytest.mark.parametrize("width", range(5, 60))
def test_nothing_is_ever_cut_and_no_line_ends_with_blanks(width: int) -> None:
    text = shown(width, "callscore.f1", "a.very.long.name:with=options")

    assert all(word in text for word in ("mean", "scored", "callscore.f1", "a.very.long.name:wi"))
    assert all(line == line.rstrip() for line in text.splitlines())


def test_an_empty_cell_leaves_no_blanks() -> None:
    row = NumberRow(Text("a"), [Text("1"), Text()])

    assert number_table("name", ["x", "y"], [row], 40).plain == "name   x   y\na      1"


def test_the_width_of_letters_is_what_a_terminal_shows() -> None:
    row = NumberRow(Text("日本"), [Text("1")])

    assert number_table("n", ["x"], [row], 40).plain == "n      x\n日本   1"


def test_columns_that_can_be_spared_make_room_the_least_first() -> None:
    row = NumberRow(Text("weather"), [Text("1"), Text("22"), Text("333")])

    def shown(width: int) -> list[str]:
        headers, spare = ["a", "bb", "ccc"], (1, 0)
        return number_table("name", headers, [row], width, spare=spare).plain.splitlines()

    assert shown(40)[0].split() == ["name", "a", "bb", "ccc"]
    assert shown(13) == ["name    a ccc", "weather 1 333"]
    assert shown(11) == ["name    ccc", "weather 333"]
    assert shown(5)[0].split() == ["name", "ccc"]


def test_what_the_numbers_leave_is_room_for_names() -> None:
    assert room_for_names([5, 6], 40, 3) == 23


# A table whose columns begin or end at the same place.


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
