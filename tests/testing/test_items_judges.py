"""The judges of a session: the project's where an evaluation names none, and what they remember."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from callscore import Settings
from callscore.errors import InvalidSettings
from callscore.evaluations.evaluation import Evaluation
from callscore.models.judging import Judge, judge
from callscore.testing.items import SessionJudges

if TYPE_CHECKING:
    from pathlib import Path


def _evaluation(settings: Settings | None = None) -> Evaluation:
    return Evaluation(name="x", task=print, cases=[], settings=settings or Settings())


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_those_without_a_judge_get_that_of_the_project() -> None:
    own = judge("own")
    judges = SessionJudges({"name": "m", "base_url": "http://127.0.0.1:1"})

    first, second = judges.given_to([_evaluation(), _evaluation(Settings(judge=own))])

    assert isinstance(first.settings.judge, Judge)
    assert (first.settings.judge.model, first.settings.judge.base_url) == (
        "m",
        "http://127.0.0.1:1",
    )
    assert second.settings.judge is own
    judges.close()


def test_without_a_judge_of_the_project_nothing_changes(folder: Path) -> None:
    judges, evaluation = SessionJudges({}), _evaluation()

    assert judges.given_to([evaluation]) == [evaluation]
    assert judges.problems == []
    judges.close()
    assert list(folder.iterdir()) == []


def test_judges_remember_where_there_is_a_history(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remembering: list[str] = []
    monkeypatch.setattr(Judge, "remember_in", lambda self, _: remembering.append(self.model))
    SessionJudges({"name": "before"}).given_to([_evaluation()])
    (folder / ".callscore").mkdir()

    judges = SessionJudges({"name": "m"})
    judges.given_to([_evaluation(), _evaluation(), _evaluation(Settings(judge=judge("own")))])

    assert remembering == ["m", "own"]


def test_why_answers_are_not_kept_is_known() -> None:
    own = judge("own")
    judges = SessionJudges({})
    judges.given_to([_evaluation(Settings(judge=own))])

    own.problem = "the disk is full"

    assert judges.problems == ["the disk is full"]


def test_a_judge_that_cannot_be_is_refused() -> None:
    with pytest.raises(InvalidSettings, match="nonsense"):
        SessionJudges({"name": "m", "base_url": "nonsense"})


def test_judges_remember_where_the_environment_says(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remembering: list[str] = []
    monkeypatch.setattr(Judge, "remember_in", lambda self, _: remembering.append(self.model))
    monkeypatch.setenv("CALLSCORE_STORE", str(folder / "team.db"))

    SessionJudges({"name": "team"}).given_to([_evaluation()])

    assert remembering == ["team"]
