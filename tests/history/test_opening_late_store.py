"""The history is opened at the first question, and not before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.history.opening import LazyJudgementStore

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_the_file_is_made_when_it_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    unused, store = LazyJudgementStore(), LazyJudgementStore()
    unused.close()
    assert not (tmp_path / ".callscore").exists()

    assert store.judgement("key") is None
    store.keep_judgement("key", "model", {"verdict": True})

    assert store.judgement("key") == {"verdict": True}
    store.close()


def test_it_may_be_another_than_that_of_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store = LazyJudgementStore("judged.db")

    store.keep_judgement("key", "model", True)
    store.close()

    assert (tmp_path / "judged.db").exists()
    assert not (tmp_path / ".callscore").exists()
