"""Plugins of every kind are found in one way: in a package of ours, and by entry points."""

from __future__ import annotations

import sys
from importlib import metadata
from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING

import pytest

from callscore.errors import InvalidSettings
from callscore.plugins import PluginKind, _may_be_offered, _names_group

if TYPE_CHECKING:
    from pathlib import Path

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


def test_a_plugin_that_cannot_be_imported_is_an_error_that_names_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _offer(monkeypatch, "no_such_package_anywhere")

    with pytest.raises(InvalidSettings, match=r"the check smoke \(no_such_package_anywhere\)"):
        list(CHECKS.from_packages())


def test_plugins_of_packages_are_found_without_their_metadata_being_parsed(tmp_path: Path) -> None:
    for name, points in (("a-1.dist-info", "[other]\nx = y"), ("b-1.dist-info", None)):
        (tmp_path / name).mkdir()
        if points is not None:
            (tmp_path / name / "entry_points.txt").write_text(points, encoding="utf-8")
    archive = tmp_path / "modules.zip"
    archive.touch()

    before = _names_group(str(tmp_path), b"callscore.checks")
    added = tmp_path / "C-1.Dist-Info"
    added.mkdir()
    (added / "entry_points.txt").write_text("[callscore.checks]\nx = y", encoding="utf-8")

    assert not before
    assert _names_group(str(tmp_path), b"callscore.checks")
    assert _names_group(str(archive), b"callscore.checks")  # importlib.metadata reads it
    assert not _names_group(str(tmp_path / "missing"), b"callscore.checks")


def test_a_finder_of_other_packages_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    class Finder:
        def find_distributions(self) -> None: ...

    monkeypatch.delitem(sys.modules, "importlib.metadata")
    monkeypatch.setattr(sys, "path", [])
    without = _may_be_offered("callscore.checks")
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder()])

    assert not without
    assert _may_be_offered("callscore.checks")
