"""The judges of a pytest session: that of the project, where an evaluation names none."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from msgspec.structs import replace

from callscore.history.opening import LazyJudgementStore, default_path
from callscore.models.judging import Judge, judge

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from callscore.evaluations.evaluation import Evaluation

__all__ = ["SessionJudges"]

_STORE = "CALLSCORE_STORE"


class SessionJudges:
    """The judges of a session.

    They remember in the history of the project, if it has one: so the processes of a session share
    what they were told.

    Args:
        named: the judge of the project: its `name`, and perhaps where it is; empty where there is
            none.

    Raises:
        InvalidSettings: the judge is not as it can be.
    """

    def __init__(self, named: Mapping[str, str]) -> None:
        given = dict(named)
        self._judge = judge(given.pop("name"), **given) if given else None  # type: ignore[arg-type]  # texts alone
        has_history = bool(os.environ.get(_STORE)) or default_path().parent.is_dir()
        self._history = LazyJudgementStore() if has_history else None
        self._judges: dict[int, Judge] = {}

    def given_to(self, evaluations: Sequence[Evaluation]) -> list[Evaluation]:
        """The evaluations, with a judge for those that have none of their own."""
        judged = [
            replace(each, settings=replace(each.settings, judge=self._judge))
            if self._judge is not None and each.settings.judge is None
            else each
            for each in evaluations
        ]
        for each in judged:
            self._have_remember(each.settings.judge)
        return judged

    def _have_remember(self, found: object) -> None:
        if isinstance(found, Judge) and id(found) not in self._judges:
            self._judges[id(found)] = found
            if self._history is not None:
                found.remember_in(self._history)

    @property
    def problems(self) -> list[str]:
        """Why answers of judges are not kept."""
        return [each.problem for each in self._judges.values() if each.problem is not None]

    def close(self) -> None:
        """Close the connections and the history."""
        for each in self._judges.values():
            each.close()
        if self._history is not None:
            self._history.close()
