"""TOML, read as the JSON it stands for, and the lines on which its parts stand."""

from __future__ import annotations

import pytest

from callscore.errors import UnreadableInput
from callscore.sources.toml_document import line_in_toml, read_toml

TEXT = '''# a comment
name = "x"

tools = [
  {name = "a"},
  {name = "b"},
]
[model]
name = "m"
  # another
parameters.temperature = 0.5
text = """
a
b = 1
"""

[[cases]]
input = "x"
[[cases]]
input = "y"
[[cases.expected]]
name = "q"'''


def test_a_table_is_an_object() -> None:
    table = read_toml(TEXT, "f.toml")

    assert table["model"]["parameters"] == {"temperature": 0.5}
    assert table["cases"] == [{"input": "x"}, {"input": "y", "expected": [{"name": "q"}]}]


def test_dates_and_times_are_text() -> None:
    table = read_toml("a = 2026-11-15\nb = 12:30:00\nc = [2026-11-15T12:30:00Z]\n", "f.toml")

    assert table == {"a": "2026-11-15", "b": "12:30:00", "c": ["2026-11-15T12:30:00+00:00"]}


@pytest.mark.parametrize(
    ("text", "place", "problem"),
    [
        ("a = \n", "f.toml:1:5", "not TOML: "),
        ("a = 1\nb = [1,\n", "f.toml:2", "not TOML: "),
        ("a = 1\na = 2\n", "f.toml:2", "not TOML: Cannot overwrite a value."),
        ("a = " + "9" * 5000 + "\n", "f.toml", "an integer has more than 4,300 digits."),
        ("a = nan\n", "f.toml", "nan is not a JSON number."),
        ("a = [inf]\n", "f.toml", "inf is not a JSON number."),
        ("a = " + "[" * 5000, "f.toml", ""),
    ],
)
def test_unreadable_toml_is_refused_with_its_place(text: str, place: str, problem: str) -> None:
    with pytest.raises(UnreadableInput) as caught:
        read_toml(text, "f.toml")

    assert caught.value.place.startswith(place)
    assert caught.value.problem.startswith(problem)


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("name",), 2),
        (("tools",), 4),
        (("tools", 1, "name"), 4),
        (("model",), 8),
        (("model", "name"), 9),
        (("model", "parameters", "temperature"), 11),
        (("model", "text"), 12),
        (("cases", 0), 17),
        (("cases", 1), 19),
        (("cases", 1, "input"), 20),
        (("cases", 1, "expected", 0, "name"), 22),
        (("nowhere",), None),
        (("cases", 7), None),
        (("name", "inside"), None),
    ],
)
def test_a_part_stands_on_a_line(path: tuple[str | int, ...], line: int | None) -> None:
    assert line_in_toml(TEXT, path) == line


@pytest.mark.slow
def test_a_line_that_takes_long_to_find_is_not_searched_for() -> None:
    text = "x = [\n" + "1,\n" * 2000 + "]\ny = 1\n"

    assert line_in_toml(text, ("y",)) is None


@pytest.mark.parametrize(
    "text",
    ["a." * 300 + "a = 1", "[" + "a . " * 300 + "a]", "x = {" + """"\\"".'a'.""" * 200 + "a = 1}"],
)
def test_long_keys_are_refused_before_they_are_read(text: str) -> None:
    with pytest.raises(UnreadableInput, match="a dotted key has more than 200 parts"):
        read_toml(text, "f.toml")


def test_integers_that_python_cannot_read_have_another_spelling() -> None:
    with pytest.raises(UnreadableInput, match="more than 4,300 digits"):
        read_toml("x = " + "9" * 5000, "f.toml")

    assert str(read_toml("x = 9e5000", "f.toml")["x"]) == "9e5000"
