"""The settings that a user can choose on the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from callscore.core.settings import DEFAULT, PRESETS, ArgumentRule, Settings
from callscore.errors import InvalidSettings
from callscore.web.settings_choices import chosen_settings

if TYPE_CHECKING:
    from tests.web.conftest import Browser, Runs

# Functions, and what is a matter of files with several answers.
NOT_CHOSEN = {"judge", "similarity", "top_k"}


def test_every_setting_of_a_score_can_be_chosen(browser: Browser) -> None:
    page = browser.get("/api/settings")

    fields = {field["name"]: field for field in page["settings"]}
    assert set(fields) == set(Settings.__struct_fields__) - NOT_CHOSEN
    assert [preset["name"] for preset in page["presets"]] == list(PRESETS)
    assert all(field["title"] and field["help"] for field in fields.values())
    assert fields["mode"]["choices"] == ["strict", "flexible"]
    assert (fields["pass_mark"]["kind"], fields["pass_mark"]["default"]) == ("share", 1.0)
    assert {"date", "text", "ignore"} <= set(fields["arguments"]["choices"])
    assert page["current"] == []


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_each_choice_and_default_is_a_valid_value(browser: Browser, lang: str) -> None:
    for field in browser.get("/api/settings", lang=lang)["settings"]:
        name, kind = field["name"], field["kind"]
        assert getattr(
            Settings(**chosen_settings(None, {name: field["default"]})), name
        ) == getattr(DEFAULT, name)
        for choice in field["choices"]:
            value = {
                "choice": choice,
                "choices": [choice],
                "effects": {"get_*": choice},
                "arguments": {"tool.argument": choice},
            }[kind]
            assert chosen_settings(None, {name: value})


def test_the_words_are_those_of_the_language(browser: Browser) -> None:
    def titles(lang: str) -> list[str]:
        return [field["title"] for field in browser.get("/api/settings", lang=lang)["settings"]]

    assert not set(titles("en")) & set(titles("ru"))


def test_the_settings_of_a_run_are_those_that_differ(browser: Browser, runs: Runs) -> None:
    run = runs()

    [current] = browser.get("/api/settings", run=run)["current"]

    assert (current["evaluation"]["label"], current["values"]) == ("weather", {})


def test_what_is_chosen_is_what_a_command_would_pass() -> None:
    given = {
        "normalize_name": ["case"],
        "effects": {"get_*": "read"},
        "arguments": {"a.b": "date", "*.q": {"text": {"similarity": 0.85}}},
    }

    assert chosen_settings("flexible", given) == {
        "normalize_name": ("case",),
        "effects": (("get_*", "read"),),
        "arguments": (
            ArgumentRule("a.b", "date"),
            ArgumentRule("*.q", "text", {"similarity": 0.85}),
        ),
    }


@pytest.mark.parametrize(
    ("preset", "given", "problem"),
    [
        ("strikt", {}, "preset: unknown value 'strikt'. Did you mean 'strict'?"),
        (1, {}, "preset: unknown value 1"),
        (None, {"mod": "strict"}, "unknown setting 'mod'. Did you mean 'mode'?"),
        (None, {"pass_mark": 2}, "pass_mark: expected a number from 0 to 1, got 2"),
        (None, {"judge": "gpt"}, "judge: expected a function"),
        (None, {"similarity": {}}, "similarity: expected a function"),
        (None, {"arguments": {"date": "date"}}, "'date' has no dot"),
        (None, {"strip_prefix": [1]}, "strip_prefix: expected a tuple of strings"),
    ],
)
def test_a_wrong_setting_is_an_error_of_the_library(
    preset: str | None, given: dict[str, object], problem: str
) -> None:
    with pytest.raises(InvalidSettings) as caught:
        chosen_settings(preset, given)

    assert problem in str(caught.value)
