"""Plugins of every kind are found in one way: in a package of ours, and by entry points."""

from __future__ import annotations

from importlib import metadata
from importlib.metadata import EntryPoint

import pytest

from callscore.errors import InvalidSettings
from callscore.plugins import PluginKind

CHECKS = PluginKind("check", "callscore.checks", "callscore.checks", InvalidSettings)


def _offer(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    def found(*, group: str) -> list[EntryPoint]:
        return [EntryPoint("smoke", value, group)]

    monkeypatch.setattr(metadata, "entry_points", found)


def test_the_modules_of_the_package_are_plugins() -> None:
    found = {plugin.name: plugin.module.__name__ for plugin in CHECKS.built_in()}

    assert found["check"] == "callscore.checks.check"


def test_a_kind_may_name_its_built_in_plugins() -> None:
    only = CHECKS._replace(names=("check",))

    assert [plugin.name for plugin in only.built_in()] == ["check"]


def test_other_packages_come_after_our_own(monkeypatch: pytest.MonkeyPatch) -> None:
    _offer(monkeypatch, "json")

    *_, last = CHECKS._replace(names=("check",)).all()

    assert (last.name, last.module.__name__) == ("smoke", "json")
    assert last.label == "the check smoke (json)"


def test_one_that_cannot_be_imported_is_an_error_that_names_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _offer(monkeypatch, "no_such_package_anywhere")

    with pytest.raises(InvalidSettings, match=r"the check smoke \(no_such_package_anywhere\)"):
        list(CHECKS.from_packages())
