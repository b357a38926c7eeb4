"""The tools in a Python file."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from callscore import UnreadableInput
from callscore.datasets.generation import load_python_tools, parse_python_tools

if TYPE_CHECKING:
    from pathlib import Path

BISTRO = '''
from __future__ import annotations

from dataclasses import dataclass
from os.path import join

@dataclass
class Guest:
    name: str

def find_table(guests: int) -> str: ...

def book(guest: Guest) -> str: ...

def described(a):
    """Do it."""

def undescribed(a): ...

def _hidden(a: int) -> int: ...

LIMIT = 5
'''


def _write(tmp_path: Path, text: str) -> str:
    file = tmp_path / "bistro.py"
    file.write_text(text)
    return str(file)


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("tools.json", None),
        ("a/tools.py", ("a/tools.py", ())),
        ("tools.py:one", ("tools.py", ("one",))),
        ("tools.py:one, two,", ("tools.py", ("one", "two"))),
        ("C:/tools.py", ("C:/tools.py", ())),
    ],
)
def test_a_file_and_names_are_told_apart(given: str, found: object) -> None:
    assert parse_python_tools(given) == found


def test_the_functions_of_the_file_itself_that_say_something_are_tools(tmp_path: Path) -> None:
    path = list(sys.path)

    tools = load_python_tools(_write(tmp_path, BISTRO))

    assert list(tools) == ["find_table", "book", "described"]
    assert tools["find_table"].parameters is not None
    assert tools["find_table"].parameters["required"] == ["guests"]
    assert "Guest" in str(tools["book"].parameters)
    assert sys.path == path


def test_functions_that_are_named_are_tools_whatever_they_say(tmp_path: Path) -> None:
    assert list(load_python_tools(_write(tmp_path, BISTRO), ("_hidden", "join"))) == [
        "_hidden",
        "join",
    ]


@pytest.mark.parametrize(
    ("text", "names", "problem"),
    [
        ("LIMIT = 5", (), "there are no tools in it"),
        (BISTRO, ("find_tabel",), "there is no function 'find_tabel' in it. Is 'find_table' meant?"),
        (BISTRO, ("LIMIT",), "there is no function 'LIMIT' in it."),
        ("f = lambda a: a", ("f",), "lambda"),
        ("1 / 0", (), "it raises ZeroDivisionError while it is imported: division by zero."),
        ("exit(3)", (), "it raises SystemExit while it is imported: 3."),
        ("def f(:", (), "it raises SyntaxError while it is imported"),
    ],
)  # fmt: skip
def test_what_gives_no_tools_is_an_error_that_says_why(
    tmp_path: Path, text: str, names: tuple[str, ...], problem: str
) -> None:
    with pytest.raises(UnreadableInput) as raised:
        load_python_tools(_write(tmp_path, text), names)

    assert problem in str(raised.value)


def test_there_must_be_such_a_file(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match="there is no such file"):
        load_python_tools(str(tmp_path / "none.py"))
