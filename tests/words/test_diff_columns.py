"""Where the calls of a diff begin, in every width and language."""

import pytest

import callscore
from callscore import expect
from callscore.core.phrases import Language
from callscore.words.diff import call_lines, calls_text
from callscore.words.diff_rows import plain_text

HEADERS: dict[Language, str] = {"en": "Actual", "ru": "Фактические вызовы"}
LONG = {"query": "flights ( direct ) to Paris", "date": "2024-05-20"}
NAME = "a_name_of_a_tool_that_is_wider_than_the_column_of_a_narrow_terminal"
SCORE = callscore.score(
    [("search", {"query": "hotels"}), ("book_hotel_room", LONG), expect.forbid("delete_*")],
    [
        (
            "think",
            {"thought": "The total price is $255, but the system ( as it seems ) says $305."},
        ),
        ("search", {"query": "hotels"}),
        ("calculate", {"expression": "152 + 103"}),
        (NAME, LONG),
        ("delete_everything", LONG),
    ],
)


@pytest.mark.parametrize("lang", HEADERS)
@pytest.mark.parametrize("width", [40, 60, 80, 99, 100, 120, 160])
def test_every_call_begins_in_the_column_of_its_side(width: int, lang: Language) -> None:
    header, *lines = calls_text(SCORE, width=width, lang=lang).splitlines()
    column = header.index(HEADERS[lang])
    mark, marks = "", ""
    for line in lines:
        is_first = line[0] != " "
        mark, marks = (line[0], marks + line[0]) if is_first else (mark, marks)
        start = column if mark in "+!" else 2
        assert line[start:].startswith("  ") is not is_first, line
        assert is_first or not line[:start].strip(), line
    assert sorted(marks) == sorted("-=!+++")
    assert max(map(len, lines)) <= width


@pytest.mark.parametrize("width", [40, 60, 80, 99, 100, 120, 160])
def test_a_wrapped_call_is_complete(width: int) -> None:
    text = calls_text(SCORE, width=width)
    assert text == plain_text(call_lines(SCORE, width=width))
    header, *lines = text.splitlines()
    column = header.index("Actual")
    shown = "".join(line[column:] for line in lines).replace(" ", "")
    wanted = 'delete_everything(query="flights(direct)toParis",date="2024-05-20")'
    assert wanted in shown
