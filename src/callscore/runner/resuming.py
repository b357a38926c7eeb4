"""Finds the run to go on with, and the answers that need not be asked for again."""

from __future__ import annotations

from time import time
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from callscore.errors import UnknownRun
from callscore.evaluations.evaluation import Answer
from callscore.history.identifiers import new_run_id
from callscore.runner.run_lock import is_under_way

if TYPE_CHECKING:
    from callscore.evaluations.evaluation import Question
    from callscore.history.records import AnswerRecord, RunRecord
    from callscore.history.store import Store

__all__ = ["Known", "begin_run", "unfinished_run"]

_PATHS = "paths"


def unfinished_run(store: Store, arguments: dict[str, Any]) -> RunRecord:
    """The newest run of the same paths that did not come to its end, and that nobody is at.

    Raises:
        UnknownRun: there is none.
    """
    under_way = 0
    for run in store.runs():
        if run.command != "run" or run.arguments.get(_PATHS) != arguments.get(_PATHS):
            continue
        if run.status == "finished":
            continue
        if not is_under_way(store.path, run.id):
            return run
        under_way += 1
    what = " ".join(map(str, arguments.get(_PATHS) or ()))
    if under_way:
        raise UnknownRun(f"the unfinished run of {what} is still under way in another process")
    raise UnknownRun(f"there is no unfinished run of {what} to go on with. Run it without --resume")


def begin_run(store: Store, record: RunRecord, *, resume: bool) -> RunRecord:
    """Keep that a run begins, or that one goes on; the run as it is kept.

    Raises:
        UnknownRun: one is to go on, and there is none.
    """
    if resume:
        before = unfinished_run(store, record.arguments)
        went_on = replace(before, status="running", finished_at=None, versions=record.versions)
        return store.begin(went_on)
    started_at = time()
    return store.begin(replace(record, id=new_run_id(started_at), started_at=started_at))


class Known(Struct, frozen=True, kw_only=True):
    """Looks for answers that are there already.

    Attributes:
        store: where to look.
        run: the run whose own answers are good, because it goes on; None where a new one begins.
        started_at: when that run began.
        use_cache: whether the answers of any run are good, where just the same was asked.
    """

    store: Any
    run: str | None = None
    started_at: float = 0.0
    use_cache: bool = False

    @property
    def is_asked(self) -> bool:
        """Whether anything is to be looked for."""
        return self.run is not None or self.use_cache

    def answer(self, question: Question, digests: tuple[str, str]) -> Answer | None:
        """The answer to a question, if it is there.

        Args:
            question: the question.
            digests: of the question, and of the text of its task.
        """
        digest, source = digests
        found: AnswerRecord | None = None
        if self.run is not None:
            found = self.store.answer_in(self.run, digest, question.trial)
        if found is None and self.use_cache:
            found = self.store.answer(digest, source, question.trial)
        if found is None:
            return None
        return Answer(
            document=found.answer,
            seconds=found.seconds,
            usage=found.usage,
            attempts=found.attempts,
            is_reused=True,
        )
