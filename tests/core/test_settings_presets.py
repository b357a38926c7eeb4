"""Settings under a name."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.settings import DEFAULT, PRESETS, Settings, get_preset, settings_from
from callscore.errors import InvalidSettings


def test_the_strict_preset_is_the_default() -> None:
    assert settings_from({}, preset="strict") is DEFAULT


def test_the_flexible_preset_is_the_flexible_mode() -> None:
    assert settings_from({}, preset="flexible") == Settings(mode="flexible")


def test_the_outcome_preset_looks_at_what_was_changed() -> None:
    assert settings_from({}, preset="outcome") == Settings(
        mode="strict",
        count_calls="writes",
        failed_calls="ignore",
        arrays="unordered",
        nested_objects="subset",
    )


def test_every_preset_names_the_same_settings_so_that_none_is_left_of_another() -> None:
    named = {frozenset(get_preset(name)) for name in PRESETS}

    assert len(named) == 1


def test_a_preset_that_was_changed_by_its_taker_is_as_before() -> None:
    get_preset("strict")["mode"] = "flexible"

    assert get_preset("strict")["mode"] == "strict"


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("outcomes", "'outcomes' is not one of strict, flexible, outcome. Is 'outcome' meant?"),
        ("loose", "'loose' is not one of strict, flexible, outcome"),
        (None, "None is not one of strict, flexible, outcome"),
        ([], "[] is not one of strict, flexible, outcome"),
    ],
)
def test_an_unknown_preset_is_refused_with_the_nearest(name: Any, problem: str) -> None:
    with pytest.raises(InvalidSettings) as caught:
        get_preset(name)

    assert str(caught.value) == f"preset: {problem}"
