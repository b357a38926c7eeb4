"""Digests of what is asked, by which an answer is found again."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import msgspec

from callscore.core.equality import fingerprint
from callscore.core.plain import plain
from callscore.evaluations.sources import joined, source_digest

if TYPE_CHECKING:
    from collections.abc import Callable

    from callscore.core.model import Case
    from callscore.evaluations.evaluation import Evaluation, Question

__all__ = ["Digests", "keywords_of", "question_digest", "source_of"]

_SIZE = 16  # bytes
# Where an object stands in memory is another place in the next process.
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


class Digests:
    """Digests of the questions of one run; what tasks say of themselves is asked only once."""

    def __init__(self) -> None:
        self._identities: dict[int, Any] = {}

    def of(self, question: Question) -> tuple[str, str]:
        """The digests of a question, and of the text of its task."""
        return question_digest(question, self._identity), source_of(question)

    def _identity(self, task: Any) -> Any:
        known = self._identities.get(id(task))
        if known is None:  # the task is held by its evaluation for as long as the run lasts
            known = self._identities[id(task)] = _identity_of(task)
        return known


def _identity_of(task: Any) -> Any:
    return task.identity()


def question_digest(question: Question, identity: Callable[[Any], Any] = _identity_of) -> str:
    """The digest of all that decides the answer to a question, but for the text of the task.

    A task that can say what it asks is known by that alone: the same request has the same answer
    whatever evaluation it is for. Of any other task nobody can tell what it makes of its case, so
    that it is known by its file and name, its tools, and the case without what is expected.

    Args:
        question: the question.
        identity: asks a task what it is.
    """
    evaluation, case = question.evaluation, question.case
    keywords = keywords_of(question)
    asks = getattr(evaluation.task, "asks", None)
    if callable(asks):
        return _digest(["asks", asks(case, **keywords)])
    about = [question.variant, keywords, _without_sides(case)]
    if hasattr(evaluation.task, "identity"):
        return _digest(["identity", identity(evaluation.task), *about])
    name = evaluation.key or evaluation.name
    return _digest(["task", name, _tools_of(evaluation), *about])


def source_of(question: Question) -> str:
    """The digest of the text that defines the task; empty where it says itself what it asks."""
    task = question.evaluation.task
    says_itself = hasattr(task, "asks") or hasattr(task, "identity")
    if says_itself:
        return ""
    functions = [each for each in keywords_of(question).values() if callable(each)]
    return joined(question.evaluation.source, *map(source_digest, functions))


def keywords_of(question: Question) -> dict[str, Any]:
    """What the task is given beside the case."""
    if question.variant is None:
        return {}
    return question.evaluation.variants.get(question.variant, {})


def _without_sides(case: Case) -> dict[str, Any]:
    fields = ("id", "input", "tools", "tags", "metadata")
    return {field: getattr(case, field) for field in fields}


def _tools_of(evaluation: Evaluation) -> list[Any] | None:
    return None if evaluation.tools is None else list(evaluation.tools.values())


def _digest(value: Any) -> str:
    try:
        text = msgspec.json.encode(value, order="deterministic", enc_hook=_named)
    except (TypeError, ValueError, RecursionError):  # keys that are no text, halves of surrogates
        text = _ADDRESS.sub("", fingerprint(plain(value))).encode("utf-8", "backslashreplace")
    return blake2b(text, digest_size=_SIZE).hexdigest()


def _named(value: object) -> str:
    """What JSON does not know, as it prints itself."""
    return f"{type(value).__qualname__} {_ADDRESS.sub('', repr(value))}"
