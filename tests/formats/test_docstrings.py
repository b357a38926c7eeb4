"""Docstrings: what a function is for, and what each argument is."""

from __future__ import annotations

import pytest

from callscore.formats.docstrings import Documentation, documentation_of

GOOGLE = """Get the weather.

    It may be old.

    Args:
        city: The city,
            or a town.
        unit (str): The unit.
        *others: More cities.

        an odd line

    Returns:
        The weather: in words.
    """
NUMPY = """Get the weather.

    It may be old.

    Parameters
    ----------
    city : str
        The city,
        or a town.
    unit
        The unit.
    others : list
        More cities.

    Returns
    -------
    str
        The weather.
    """
SPHINX = """Get the weather.

    It may be old.

    :param city: The city,
        or a town.
    :param str unit: The unit.
    :param others: More cities.
    :returns: The weather.
        In words.

    The end.
    """


@pytest.mark.parametrize("text", [GOOGLE, NUMPY, SPHINX], ids=["google", "numpy", "sphinx"])
def test_three_styles_say_the_same(text: str) -> None:
    arguments = {"city": "The city, or a town.", "unit": "The unit.", "others": "More cities."}

    assert documentation_of(text) == Documentation("Get the weather.\n\nIt may be old.", arguments)


@pytest.mark.parametrize("text", [None, "", "   \n"])
def test_without_a_docstring_nothing_is_said(text: str | None) -> None:
    assert documentation_of(text) == Documentation()


def test_a_description_alone_is_kept_whole() -> None:
    text = "Search: all of it.\n\nThe parameters are free.\nNotes"

    assert documentation_of(text).description == text


def test_a_section_without_a_body_says_nothing() -> None:
    assert documentation_of("Search.\n\nArgs:") == Documentation("Search.")


def test_an_argument_of_which_nothing_is_said_has_no_description() -> None:
    assert documentation_of("Search.\n\nArgs:\n    city:\n").arguments == {}
