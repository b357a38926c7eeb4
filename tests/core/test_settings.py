from __future__ import annotations

from typing import Any

import msgspec
import pytest

from callscore.core.settings import DEFAULT, Mode, Settings, settings_for
from callscore.errors import InvalidSettings


def test_the_defaults_are_the_strict_comparison() -> None:
    assert Settings() == DEFAULT
    assert msgspec.to_builtins(DEFAULT) == {
        "mode": "strict",
        "argument_match_threshold": 0.8,
        "order": "any",
        "extra_arguments": "ignore",
        "at_least": 1.0,
        "strip_prefix": (),
        "normalise_name": (),
    }


@pytest.mark.parametrize("mode", ["strict", Mode.STRICT, "flexible", Mode.FLEXIBLE])
def test_a_mode_may_be_given_as_text(mode: Mode | str) -> None:
    settings = settings_for(mode=mode)

    assert settings.mode == str(mode)
    assert settings == Settings(mode=Mode(mode))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"mode": "fuzzy"}, "mode: 'fuzzy' is not one of strict, flexible"),
        ({"mode": None}, "mode: None is not one of strict, flexible"),
        ({"order": "ordered"}, "order: 'ordered' is not one of any, in_order, exact"),
        ({"extra_arguments": "allow"}, "extra_arguments: 'allow' is not one of ignore, count"),
        (
            {"argument_match_threshold": 1.01},
            "argument_match_threshold: 1.01 is not a number from 0 to 1",
        ),
        (
            {"argument_match_threshold": float("nan")},
            "argument_match_threshold: nan is not a number from 0 to 1",
        ),
        ({"at_least": -0.1}, "at_least: -0.1 is not a number from 0 to 1"),
        ({"at_least": "0.9"}, "at_least: '0.9' is not a number from 0 to 1"),
        ({"at_least": True}, "at_least: True is not a number from 0 to 1"),
        ({"strip_prefix": "mcp__"}, "strip_prefix: 'mcp__' is not a tuple of texts"),
        ({"strip_prefix": ("",)}, "strip_prefix: ('',) is not a tuple of texts"),
        ({"normalise_name": ["case"]}, "normalise_name: ['case'] is not a tuple of texts"),
        (
            {"normalise_name": ("snake",)},
            "normalise_name: 'snake' is not one of namespace, dots, case",
        ),
    ],
)
def test_a_wrong_setting_is_refused_with_what_it_can_be(
    wrong: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidSettings) as caught:
        Settings(**wrong)

    assert str(caught.value) == message


@pytest.mark.parametrize("share", [0, 0.5, 1])
def test_the_bounds_of_a_share_are_allowed(share: float) -> None:
    settings = Settings(argument_match_threshold=share, at_least=share)

    assert (settings.argument_match_threshold, settings.at_least) == (share, share)


def test_settings_are_frozen_and_hashable() -> None:
    with pytest.raises(AttributeError):
        DEFAULT.order = "exact"  # type: ignore[misc]

    assert len({DEFAULT, Settings(), Settings(order="exact")}) == 2


VALUES = {
    "mode": "flexible",
    "argument_match_threshold": 0.5,
    "order": "in_order",
    "extra_arguments": "count",
    "at_least": 0.9,
    "strip_prefix": ("mcp__*__",),
    "normalise_name": ("dots", "case"),
}


def test_the_same_values_give_the_same_settings() -> None:
    first = settings_for(**VALUES)

    assert settings_for(**VALUES) is first
    assert first == Settings(
        mode=Mode.FLEXIBLE,
        argument_match_threshold=0.5,
        order="in_order",
        extra_arguments="count",
        at_least=0.9,
        strip_prefix=("mcp__*__",),
        normalise_name=("dots", "case"),
    )


def test_what_was_given_before_does_not_change_what_is_refused() -> None:
    settings_for(argument_match_threshold=1)

    with pytest.raises(InvalidSettings, match="argument_match_threshold: True is not a number"):
        settings_for(argument_match_threshold=True)
