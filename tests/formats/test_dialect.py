"""Dialects, found by their file names and by entry points."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

import callscore
from callscore.errors import InvalidDialect, InvalidSettings
from callscore.formats import dialects as package
from callscore.formats.dialect import dialect_from_module, dialect_named, dialects, sign_index

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MADE_UP = '''
"""Smoke signals: one puff a call."""

from callscore.formats.transcript import Transcript

__all__ = ["EXAMPLE", "ORDER", "read", "recognizes"]

ORDER = 1
EXAMPLE = {"puffs": ["run"]}


def recognizes(document):
    return isinstance(document, dict) and "puffs" in document


def read(document, options):
    transcript = Transcript(options)
    for puff in document["puffs"]:
        transcript.call(puff, {})
    return [transcript.trace()]
'''


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    sign_index.cache_clear()
    yield
    sign_index.cache_clear()


def test_one_file_is_a_dialect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "smoke_signals.py").write_text(MADE_UP)
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])

    assert dialects()[0].name == "smoke_signals"
    assert dialects()[0].title == "Smoke signals: one puff a call"
    assert callscore.read_calls({"puffs": ["run", "hide"]}) == [
        callscore.ToolCall("run", {}),
        callscore.ToolCall("hide", {}),
    ]
    assert callscore.read_tools({"puffs": ["run"]}) == []
    assert callscore.score(["run"], {"puffs": ["run"]}).f1 == 1


def entry_points_give(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    point = EntryPoint("smoke_signals", value, "callscore.formats")
    monkeypatch.setattr("importlib.metadata.entry_points", lambda *, group: [point][: len(group)])


def test_another_package_can_bring_a_dialect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "smoke_signals_package.py").write_text(MADE_UP)
    monkeypatch.syspath_prepend(tmp_path)
    entry_points_give(monkeypatch, "smoke_signals_package")

    assert dialect_named("smoke_signals").recognizes({"puffs": []})
    del sys.modules["smoke_signals_package"]


def test_a_package_that_cannot_be_imported_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    entry_points_give(monkeypatch, "no_such_package_anywhere")

    with pytest.raises(InvalidDialect, match=r"smoke_signals \(no_such_package_anywhere\) cannot"):
        dialects()


@pytest.mark.parametrize(
    ("parts", "lack"),
    [
        ({}, "ORDER, EXAMPLE, recognizes, read"),
        ({"ORDER": 1, "EXAMPLE": {}, "read": len}, "recognizes"),
        ({"ORDER": 1, "EXAMPLE": {}, "read": len, "recognizes": len}, "a docstring"),
    ],
)
def test_a_module_that_lacks_something_is_no_dialect(parts: dict[str, Any], lack: str) -> None:
    module = ModuleType("m")
    vars(module).update(parts)

    with pytest.raises(InvalidDialect, match=rf"the format 'x' \(m\) lacks {lack}\."):
        dialect_from_module("x", module)


def test_a_name_that_is_nearly_right_is_put_right() -> None:
    with pytest.raises(InvalidSettings, match=r"unknown format 'openai_chats'\. Did you mean"):
        dialect_named("openai_chats")


def test_a_name_that_is_like_none_is_refused() -> None:
    with pytest.raises(InvalidSettings, match=r"unknown format '§'\. 'callscore formats' lists"):
        dialect_named("§")


@pytest.mark.parametrize("name", [{}, [], 7, b"generic"])
def test_a_format_whose_name_is_not_text_is_refused(name: Any) -> None:
    with pytest.raises(InvalidSettings, match=r"^format: expected the name of a format, got"):
        dialect_named(name)
