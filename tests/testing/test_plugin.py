"""Only what the options ask for is added to a session."""

from __future__ import annotations

import pytest

from callscore.testing.plugin import register_plugins

PARTS = ("callscore-telling", "callscore-evaluating", "callscore-accepting")


@pytest.mark.parametrize(
    ("options", "added"),
    [
        (["callscore"], [True, True, False]),
        (["callscore_update"], [True, False, True]),
        (["callscore", "callscore_update"], [True, True, True]),
    ],
)
def test_the_parts_are_there_that_are_asked_for(
    options: list[str], added: list[bool], pytester: pytest.Pytester
) -> None:
    config = pytester.parseconfig()
    for option in options:
        setattr(config.option, option, True)

    register_plugins(config, {})

    assert [config.pluginmanager.hasplugin(part) for part in PARTS] == added


def test_a_judge_that_cannot_be_is_an_error_of_usage(pytester: pytest.Pytester) -> None:
    config = pytester.parseconfig()
    config.option.callscore = True

    with pytest.raises(pytest.UsageError, match="nonsense"):
        register_plugins(config, {"name": "m", "base_url": "nonsense"})
