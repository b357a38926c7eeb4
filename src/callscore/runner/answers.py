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


# --- what a task returned ---------------------------------------------------------------------

_MAX_SHOWN = 120  # columns of a returned value in messages
_HINT = "Return the response, the messages or the calls; `[]` where nothing was called."
# SDK models that contain only data.
_PLAIN_MODELS = ("openai.types.chat.", "openai.types.responses.", "anthropic.types.")
_PLAIN_TYPES = (str, int, float, Malformed, type(None))


class UnreadableAnswer(Exception):
    """The returned value is not data; the message says why."""


async def collect_stream(returned: Any) -> Any:
    """The returned value; an async stream is read to its end."""
    if isinstance(returned, AsyncIterable) and not hasattr(returned, "model_dump"):
        return [item async for item in returned]
    return returned


def plain_document(returned: Any) -> Any:
    """A returned value as plain data; an iterator is read to its end.

    Raises:
        UnreadableAnswer: it is None, or cannot be data.
    """
    if returned is None:
        raise UnreadableAnswer(f"the task returned nothing. {_HINT}")
    try:
        document = _dump_object(returned)
    except (InvalidCall, RecursionError) as error:
        raise UnreadableAnswer(f"the task returned what cannot be read: {error}") from error
    try:
        # Nearly always JSON by now; this is ten times as fast as looking at each part.
        return msgspec.json.decode(msgspec.json.encode(document, enc_hook=_path_text))
    except (TypeError, ValueError, OverflowError, RecursionError):
        return _force_plain(document)


def _dump_object(returned: Any) -> Any:
    if type(returned).__module__.startswith(_PLAIN_MODELS):
        return returned.model_dump(mode="json", by_alias=True, warnings=False)
    return objects.to_plain_data(_calls_to_dicts(returned))


def _path_text(value: object) -> str:
    """A path as text; other types are refused."""
    if isinstance(value, PurePath):
        return str(value)
    raise TypeError


def _force_plain(document: Any) -> Any:
    """Replace values that JSON cannot represent by text; functions and the like are refused."""
    value = _find_non_data(document)
    if value is not None:
        shown = clip(escape(safe_repr(value)), _MAX_SHOWN)
        raise UnreadableAnswer(f"the task returned {shown}, which is no data. {_HINT}")
    return json_safe(document)


def _calls_to_dicts(returned: Any) -> Any:
    """`ToolCall` objects as plain data, and bytes as text; other values unchanged."""
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
    """The first value that is not data, if any; works at any depth."""
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


# --- what is expected, as plain data by the same rules ----------------------------------------

_PLAIN_SCALARS = frozenset({int, bool, type(None)})


def with_plain_expected(case: Case) -> Case:
    """The case with its expected dates, sets and the like as plain data, as in an answer.

    Values that cannot be data, such as functions, are unchanged.
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
    """Whether a scalar is plain JSON already."""
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


# --- why there is no answer -------------------------------------------------------------------

_MAX_PROBLEM = 500  # columns of an error message
_MAX_FRAMES = 6
_RUNNER_FOLDER = Path(__file__).parent
_OWN_FOLDERS = tuple(
    str(_RUNNER_FOLDER.with_name(name)) for name in ("runner", "models", "evaluations", "testing")
)


class TaskTimeout(Exception):
    """A task timed out."""


class TaskExited(Exception):
    """A task tried to end the process."""


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
    """A `Failure` from an exception."""
    kind, problem, details = _classify(error)
    return make_failure(
        question, kind, problem, details=details, attempts=max(1, attempts_of(error))
    )


def _classify(error: BaseException) -> tuple[FailureKind, str, str]:
    """The kind, a sentence, and a traceback if it helps."""
    for kinds, kind in _KINDS:
        if isinstance(error, kinds):
            return kind, str(error), _task_traceback(error.__cause__) if kind == "exited" else ""
    if isinstance(error, ModelFailed):
        return "timeout" if error.is_timeout else "raised", str(error), ""
    if isinstance(error, CallscoreError):
        return "refused", str(error), _task_traceback(error)
    return "raised", f"the task raised {_error_name(_unwrapped(error))}", _task_traceback(error)


def _unwrapped(error: BaseException) -> BaseException:
    """The original error: coroutines wrap StopIteration and GeneratorExit."""
    cause = error.__cause__
    return cause if isinstance(cause, StopIteration | GeneratorExit) else error


def _error_name(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:  # noqa: BLE001  (str() of a foreign error may fail)
        text = "(it cannot even be printed)"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _one_line(text: str) -> str:
    return clip(escape(hide_secrets(text)[: 2 * _MAX_PROBLEM]), _MAX_PROBLEM)


def _task_traceback(error: BaseException | None) -> str:
    """The end of the traceback, without frames of callscore."""
    if error is None:
        return ""
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [frame for frame in frames if not _is_own_frame(frame)][-_MAX_FRAMES:]
    return "".join(traceback.format_list(theirs)).rstrip()


def _is_own_frame(frame: FrameSummary) -> bool:
    return frame.filename.startswith(_OWN_FOLDERS)
