"""The judges of a run: what they remember, and what they were asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.run import JudgeCounts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.evaluations.plan import Group
    from callscore.history.store import Store

__all__ = ["JudgesAtWork"]


class JudgesAtWork:
    """The models that the settings of some evaluations name as judges.

    Args:
        groups: what is asked.
    """

    def __init__(self, groups: Sequence[Group]) -> None:
        settings = [group.evaluation.settings for group in groups]
        found = {id(each.judge): each.judge for each in settings if hasattr(each.judge, "counts")}
        self._judges: list[Any] = list(found.values())
        self._before = [judge.counts() for judge in self._judges]

    def remember_in(self, store: Store) -> None:
        """Have them keep their answers, and ask nothing that was answered in an earlier run."""
        for judge in self._judges:
            judge.remember_in(store)

    def counts(self) -> tuple[JudgeCounts, ...]:
        """What they were asked since the beginning, each model once."""
        found: dict[str, JudgeCounts] = {}
        for judge, before in zip(self._judges, self._before, strict=True):
            now = judge.counts()
            known = found.get(now.model, JudgeCounts(now.model))
            found[now.model] = JudgeCounts(
                now.model,
                known.judged + now.judged - before.judged,
                known.asked + now.asked - before.asked,
            )
        return tuple(found.values())
