"""Reasons exist in every language, with the same values in them."""

from __future__ import annotations

from string import Formatter

import pytest

from callscore.rewriting import reasons


@pytest.mark.parametrize("name", reasons.__all__)
def test_both_languages_have_the_same_values(name: str) -> None:
    phrase = getattr(reasons, name)
    english, russian = (
        {field for _, field, _, _ in Formatter().parse(text) if field} for text in phrase
    )

    assert english == russian
    assert phrase.en != phrase.ru or name == "IN_FILE"
