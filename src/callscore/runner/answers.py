"""What a task returned, and what is expected, as plain data; or why there is no answer."""

from __future__ import annotations

import traceback
from collections.abc import AsyncIterable, Iterator
from math import isfinite
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from callscore.core.call import Malformed, ToolCall
from callscore.core.case import with_calls
from callscore.core.rendering import clip, escape, safe_repr
from callscore.core.results import Failure
from callscore.core.rules import Matcher
from callscore.errors import CallscoreError, InvalidCall, ModelFailed
from callscore.formats import objects
from callscore.models.limits import attempts_of
from callscore.models.secrets import hide_secrets
from callscore.words.plain_data import call_to_dict
from callscore.words.value_text import json_safe

if TYPE_CHECKING:
    from traceback import FrameSummary

    from callscore.core.case import Case, Expected
    from callscore.core.results import FailureKind
    from callscore.evaluations.evaluation import Question

__all__ = [
    "TaskExited",
    "TaskTimeout",
    "UnreadableAnswer",
    "collect_stream",
    "failure_from_error",
    "make_failure",
    "plain_document",
    "with_plain_expected",
]


# What a task returns, as the plain data that is kept and scored.

_MAX_SHOWN = 120  # columns of what somebody else returned
_HINT = "Return the response, the messages or the calls; `[]` where nothing was called."
# Models of SDKs that hold nothing but data, and give it out at once.
_PLAIN_MODELS = ("openai.types.chat.", "openai.types.responses.", "anthropic.types.")
_PLAIN_TYPES = (str, int, float, Malformed, type(None))


class UnreadableAnswer(Exception):
    """What a task returned is no data; the message says why in a sentence."""


async def collect_stream(returned: Any) -> Any:
    """The returned value; an async stream is read to its end."""
    if isinstance(returned, AsyncIterable) and not hasattr(returned, "model_dump"):
        return [item async for item in returned]
    return returned


def plain_document(returned: Any) -> Any:
    """What a task returned as plain data; an iterator is taken to its end.

    Raises:
        UnreadableAnswer: it is nothing, or nothing that can become data.
    """
    if returned is None:
        raise UnreadableAnswer(f"the task returned nothing. {_HINT}")
    try:
        document = _dump_object(returned)
    except (InvalidCall, RecursionError) as error:
        raise UnreadableAnswer(f"the task returned what cannot be read: {error}") from error
    try:
        # Nearly always it is JSON by now, and this is ten times as quick as looking at each part.
        return msgspec.json.decode(msgspec.json.encode(document, enc_hook=_path_text))
    except (TypeError, ValueError, OverflowError, RecursionError):
        return _force_plain(document)


def _dump_object(returned: Any) -> Any:
    if type(returned).__module__.startswith(_PLAIN_MODELS):
        return returned.model_dump(mode="json", by_alias=True, warnings=False)
    return objects.to_plain_data(_calls_to_dicts(returned))


def _path_text(value: object) -> str:
    """A path as text; the only thing that JSON does not know, and everybody else does."""
    if isinstance(value, PurePath):
        return str(value)
    raise TypeError


def _force_plain(document: Any) -> Any:
    """What JSON does not know in a document as text, as far as that is something."""
    stranger = _find_non_data(document)
    if stranger is not None:
        shown = clip(escape(safe_repr(stranger)), _MAX_SHOWN)
        raise UnreadableAnswer(f"the task returned {shown}, which is no data. {_HINT}")
    return json_safe(document)


def _calls_to_dicts(returned: Any) -> Any:
    """Calls of our own making as a file has them, and bytes as text; anything else as it is."""
    if isinstance(returned, ToolCall):
        return [call_to_dict(returned)]
    if isinstance(returned, bytes | bytearray):
        return returned.decode("utf-8", "backslashreplace")
    if isinstance(returned, Iterator):
        returned = list(returned)
    if isinstance(returned, list | tuple):
        return [call_to_dict(item) if isinstance(item, ToolCall) else item for item in returned]
    return returned


def _find_non_data(document: Any) -> object | None:
    """What is no data in a document, if anything is; no depth can exhaust the walk."""
    pending = [document]
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            pending += item.values()
        elif isinstance(item, list):
            pending += item
        elif not isinstance(item, _PLAIN_TYPES):
            found: object = item
            return found
    return None


# What is expected, as plain data: by the same rules as what is answered, so that like equals
# like.

_PLAIN_SCALARS = frozenset({int, bool, type(None)})


def with_plain_expected(case: Case) -> Case:
    """The case with dates, sets and the like in what it expects as an answer would have them.

    What cannot become data, such as a function, stays as it is.
    """
    if case.expected is None:
        return case
    expected = tuple([_plain_item(item) for item in case.expected])
    return replace(case, expected=expected)


def _plain_item(item: Expected) -> Expected:
    return with_calls(item, _plain_call)


def _plain_call(call: ToolCall) -> ToolCall:
    arguments: Any = call.arguments
    return replace(call, arguments=_plain_value(arguments)) if arguments else call


def _plain_value(value: Any) -> Any:
    if _is_plain(value):
        return value
    if isinstance(value, Matcher):
        return replace(value, value=_plain_value(value.value))
    if isinstance(value, list | tuple):
        return [_plain_value(member) for member in value]
    return _plain_object(value)


def _is_plain(value: Any) -> bool:
    """Whether a value is nothing but what JSON knows, so far as that is seen at once."""
    kind = value.__class__
    if kind is str:
        return bool(value.isascii())
    return kind in _PLAIN_SCALARS or (kind is float and isfinite(value))


def _plain_object(value: Any) -> Any:
    if value.__class__ is dict and all(isinstance(key, str) for key in value):
        return {key: _plain_value(member) for key, member in value.items()}
    try:
        return plain_document([value])[0]
    except UnreadableAnswer:
        return value


# Why there is no answer, in a sentence: what a task raised, or did in place of answering.

_MAX_PROBLEM = 500  # columns of what somebody else says
_MAX_FRAMES = 6
_RUNNER_FOLDER = Path(__file__).parent
_OWN_FOLDERS = tuple(
    str(_RUNNER_FOLDER.with_name(name)) for name in ("runner", "models", "evaluations", "testing")
)


class TaskTimeout(Exception):
    """A task was given up, because its time was over."""


class TaskExited(Exception):
    """A task wanted to end the process."""


_KINDS: tuple[tuple[type[Exception], FailureKind], ...] = (
    (TaskTimeout, "timeout"),
    (TaskExited, "exited"),
    (UnreadableAnswer, "unreadable"),
)


def make_failure(
    question: Question, kind: FailureKind, problem: str, *, details: str = "", attempts: int = 1
) -> Failure:
    """A `Failure` of a question; secrets are removed."""
    return Failure(
        case=question.case.id,
        kind=kind,
        problem=_one_line(problem),
        details=hide_secrets(details),
        trial=question.trial if question.trials > 1 else None,
        attempts=attempts,
    )


def failure_from_error(question: Question, error: BaseException) -> Failure:
    """The same, from what was raised."""
    kind, problem, details = _classify(error)
    return make_failure(
        question, kind, problem, details=details, attempts=max(1, attempts_of(error))
    )


def _classify(error: BaseException) -> tuple[FailureKind, str, str]:
    """The kind, a sentence, and where it happened where that says more."""
    for kinds, kind in _KINDS:
        if isinstance(error, kinds):
            return kind, str(error), _task_traceback(error.__cause__) if kind == "exited" else ""
    if isinstance(error, ModelFailed):
        return "timeout" if error.is_timeout else "raised", str(error), ""
    if isinstance(error, CallscoreError):
        return "refused", str(error), _task_traceback(error)
    return "raised", f"the task raised {_error_name(_unwrapped(error))}", _task_traceback(error)


def _unwrapped(error: BaseException) -> BaseException:
    """What was raised; neither a StopIteration nor a GeneratorExit gets out of a coroutine as such."""
    cause = error.__cause__
    return cause if isinstance(cause, StopIteration | GeneratorExit) else error


def _error_name(error: BaseException) -> str:
    try:
        said = str(error)
    except Exception:  # noqa: BLE001  (str() of a foreign error may fail)
        said = "(it cannot even be printed)"
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def _one_line(text: str) -> str:
    return clip(escape(hide_secrets(text)[: 2 * _MAX_PROBLEM]), _MAX_PROBLEM)


def _task_traceback(error: BaseException | None) -> str:
    """The end of the traceback, from the task on: our own part says nothing to anybody."""
    if error is None:
        return ""
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [frame for frame in frames if not _is_own_frame(frame)][-_MAX_FRAMES:]
    return "".join(traceback.format_list(theirs)).rstrip()


def _is_own_frame(frame: FrameSummary) -> bool:
    return frame.filename.startswith(_OWN_FOLDERS)
