"""Finds the scorers of a run again: by their names, and functions in the files that have them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.core.run import Unloaded
from callscore.errors import InvalidSettings
from callscore.evaluations.discovery import load
from callscore.evaluations.places import file_of, shown
from callscore.evaluations.scorers import scorer_of
from callscore.history.opening import default_path
from callscore.runner.result_records import scorer_name

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.evaluations.evaluation import Evaluation, Scorer
    from callscore.history.records import EvaluationRecord

__all__ = ["KeptScorers"]

_NOWHERE = "it is a function, and the run does not know its file"


class KeptScorers:
    """The scorers that runs have kept the names of; each file is read once, when it is needed."""

    def __init__(self) -> None:
        self._files: dict[Path, list[Evaluation] | Unloaded] = {}

    def find(self, record: EvaluationRecord, name: str) -> Scorer | str:
        """The scorer of this name of an evaluation; or why there is none, in a sentence.

        Args:
            record: the evaluation as it is kept.
            name: the scorer.
        """
        try:
            return scorer_of(name)
        except InvalidSettings:  # then it is a function
            return self._function(record, name)

    def _function(self, record: EvaluationRecord, name: str) -> Scorer | str:
        file = file_of(record.place)
        if not file:
            return _NOWHERE
        path = default_path().parent.parent / file
        if not path.is_file():
            return f"it is a function of {file}, which is gone"
        found = self._evaluations(path)
        if isinstance(found, Unloaded):
            return f"{found.place}: {found.problem}"
        own = [each.scorers for each in found if each.key == record.place]
        named = [one for scorers in own for one in scorers if scorer_name(one) == name]
        return named[0] if named else f"{shown(path)} has none of this name any more"

    def _evaluations(self, path: Path) -> list[Evaluation] | Unloaded:
        if path not in self._files:
            self._files[path] = load(path)
        return self._files[path]
