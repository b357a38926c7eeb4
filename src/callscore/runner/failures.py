"""Why there is no answer, in a sentence: what a task raised, or did in place of answering."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from callscore.core.run import Failure
from callscore.core.text import clip, escape
from callscore.errors import CallscoreError, ModelFailed
from callscore.models.retrying import attempts_of
from callscore.models.secrets import scrubbed
from callscore.runner.answering import UnreadableAnswer

if TYPE_CHECKING:
    from traceback import FrameSummary

    from callscore.core.run import FailureKind
    from callscore.evaluations.evaluation import Question

__all__ = ["Exited", "TookTooLong", "failure", "failure_by"]

_LONGEST = 500  # columns of what somebody else says
_MOST_FRAMES = 6
_RUNNER = Path(__file__).parent
_OWN_FOLDERS = tuple(
    str(_RUNNER.with_name(name)) for name in ("runner", "models", "evaluations", "testing")
)


class TookTooLong(Exception):
    """A task was given up, because its time was over."""


class Exited(Exception):
    """A task wanted to end the process."""


_KINDS: tuple[tuple[type[Exception], FailureKind], ...] = (
    (TookTooLong, "timeout"),
    (Exited, "exited"),
    (UnreadableAnswer, "unreadable"),
)


def failure(
    question: Question, kind: FailureKind, problem: str, *, details: str = "", attempts: int = 1
) -> Failure:
    """What to say of a question without an answer; keys do not appear in it."""
    return Failure(
        case=question.case.id,
        kind=kind,
        problem=_line(problem),
        details=scrubbed(details),
        trial=question.trial if question.trials > 1 else None,
        attempts=attempts,
    )


def failure_by(question: Question, error: BaseException) -> Failure:
    """The same, from what was raised."""
    kind, problem, details = _told(error)
    return failure(question, kind, problem, details=details, attempts=max(1, attempts_of(error)))


def _told(error: BaseException) -> tuple[FailureKind, str, str]:
    """The kind, a sentence, and where it happened where that says more."""
    for kinds, kind in _KINDS:
        if isinstance(error, kinds):
            return kind, str(error), _where(error.__cause__) if kind == "exited" else ""
    if isinstance(error, ModelFailed):
        return "timeout" if error.is_timeout else "raised", str(error), ""
    if isinstance(error, CallscoreError):
        return "refused", str(error), _where(error)
    return "raised", f"the task raised {_named(_real(error))}", _where(error)


def _real(error: BaseException) -> BaseException:
    """What was raised; neither a StopIteration nor a GeneratorExit gets out of a coroutine as such."""
    cause = error.__cause__
    return cause if isinstance(cause, StopIteration | GeneratorExit) else error


def _named(error: BaseException) -> str:
    try:
        said = str(error)
    except Exception:  # noqa: BLE001  (whatever an error of somebody else does)
        said = "(it cannot even be printed)"
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def _line(text: str) -> str:
    return clip(escape(scrubbed(text)[: 2 * _LONGEST]), _LONGEST)


def _where(error: BaseException | None) -> str:
    """The end of the traceback, from the task on: our own part says nothing to anybody."""
    if error is None:
        return ""
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [frame for frame in frames if not _is_ours(frame)][-_MOST_FRAMES:]
    return "".join(traceback.format_list(theirs)).rstrip()


def _is_ours(frame: FrameSummary) -> bool:
    return frame.filename.startswith(_OWN_FOLDERS)
