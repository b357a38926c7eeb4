"""The judges of a run: what they remember, and what they were asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.expectation import calls_in
from callscore.core.matcher import Matcher
from callscore.core.run import JudgeCounts
from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.core.model import Case
    from callscore.evaluations.plan import Group
    from callscore.history.store import Store

__all__ = ["JudgesAtWork", "require_judges"]

_JUDGE = "$judge"
_NOBODY = "`$judge` needs a judge. Name a model with --judge, or with `judge` in the evaluation"


def require_judges(groups: Sequence[Group], *, can_remember: bool) -> None:
    """Find out before anybody is asked whether there is a judge where one is needed.

    Args:
        groups: what is asked.
        can_remember: whether judges may know the answers from before, so that they need no key.

    Raises:
        InvalidSettings: a case has a question for a judge, and there is none.
        MissingKey: the judge has no key.
        MissingExtra: the SDK is not installed.
    """
    for group in groups:
        if not any(_needs_judge(question.case) for question in group.questions):
            continue
        judge = group.evaluation.settings.judge
        if judge is None:
            raise InvalidSettings(f"{group.evaluation.name}: {_NOBODY}")
        require = getattr(judge, "require", None)
        if callable(require) and not can_remember:
            require()


def _needs_judge(case: Case) -> bool:
    pending: list[Any] = [call.arguments for call in calls_in(case.expected or ())]
    while pending:
        item = pending.pop()
        if isinstance(item, Matcher):
            if item.key == _JUDGE:
                return True
            pending.append(item.value)
        elif isinstance(item, dict):
            pending += item.values()
        elif isinstance(item, list | tuple):
            pending += item
    return False


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

    def problems(self) -> tuple[str, ...]:
        """Why answers of theirs are not kept any more, in sentences."""
        said = [getattr(judge, "problem", None) for judge in self._judges]
        return tuple(dict.fromkeys([each for each in said if each]))

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
