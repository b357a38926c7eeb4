"""The servers that suites and project files name, and the user's consent for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from callscore.core.case import Case, calls_in
from callscore.core.rules import Matcher
from callscore.errors import MissingConsent
from callscore.models.consent import Origin, Server, missing_consent

if TYPE_CHECKING:
    from callscore.evaluations.evaluation import Evaluation, Question

_JUDGE = "$judge"


def needs_judge(case: Case) -> bool:
    """Whether the expected calls of a case have a question for a judge."""
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


def with_allowed_servers(evaluation: Evaluation, allowed: tuple[Server, ...]) -> Evaluation:
    """The evaluation whose model and judge may be on these servers, although a file names them."""
    judge: Any = evaluation.settings.judge
    if _origin_of(judge) is not None:
        judge.origin = replace(judge.origin, allowed=allowed)
    task: Any = evaluation.task
    origin = _origin_of(task)
    if origin is None:
        return evaluation
    return replace(evaluation, task=replace(task, origin=replace(origin, allowed=allowed)))


def require_consents(questions: Iterable[Question]) -> None:
    """Refuse to ask if a file names a server that the user did not allow; all of them are named.

    Raises:
        MissingConsent: there are such servers.
        InvalidSettings: an address, or what the user allows, cannot be read.
    """
    missing = tuple(dict.fromkeys(_missing(questions)))
    if missing:
        raise MissingConsent(missing)


def _missing(questions: Iterable[Question]) -> Iterator[tuple[str, str, str]]:
    models: dict[tuple[int, str | None], Any] = {}
    judges: dict[int, Any] = {}
    for question in questions:
        evaluation, judge = question.evaluation, question.evaluation.settings.judge
        is_new = _origin_of(judge) is not None and id(judge) not in judges
        if is_new and needs_judge(question.case):
            judges[id(judge)] = judge
        key = id(evaluation), question.variant
        task: Any = evaluation.task
        if _origin_of(task) is not None and key not in models:
            models[key] = task.with_overrides(**evaluation.variants.get(question.variant or "", {}))
    for asked in (*models.values(), *judges.values()):
        found = missing_consent(asked.base_url, asked.key_variable, asked.origin)
        if found is not None:
            yield asked.origin.file, str(found.address), found.key_variable


def _origin_of(asked: Any) -> Origin | None:
    found = getattr(asked, "origin", None)
    return found if isinstance(found, Origin) else None
