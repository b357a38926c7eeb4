"""Answers of tasks: as plain data, read as calls, and scored."""

from __future__ import annotations

import traceback
from collections.abc import AsyncIterable, Iterator
from contextlib import suppress
from functools import partial
from math import isfinite
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, cast

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from callscore.api import score_case
from callscore.core.call import Malformed, ToolCall
from callscore.core.case import Case, with_calls
from callscore.core.large_number import decode_json
from callscore.core.nesting import leaves
from callscore.core.rendering import clip, escape, safe_repr
from callscore.core.results import (
    Answer,
    Failure,
    FailureKind,
    MetricValue,
    Result,
    answer_passes,
)
from callscore.core.rules import Matcher
from callscore.engines.payloads import case_payload
from callscore.engines.tool_definitions import ToolDefinitions
from callscore.errors import CallscoreError, InvalidCall, ModelFailed, UnreadableInput
from callscore.evaluations.scorers import SCORERS, scorer_value
from callscore.formats.case_fields import ACTUAL_STATE_FIELD, TURNS_FIELD
from callscore.formats.case_sides import (
    actual_calls_in,
    join_traces,
    numbered_for,
    options_for,
    read_side,
)
from callscore.formats.reading import Recognizer, note_unread, read_as, read_candidates
from callscore.formats.shape import to_plain_data
from callscore.formats.trace import ReadOptions, noted_at
from callscore.history.records import AnswerRecord, ResultRecord, json_bytes
from callscore.models.limits import (
    abandon_task,
    attempts_of,
    create_abandonable_task,
    run_in_daemon_thread,
)
from callscore.models.secrets import hide_secrets
from callscore.words.plain_data import call_to_dict
from callscore.words.value_text import json_safe

if TYPE_CHECKING:
    from callscore.evaluations.evaluation import Question, Scorer
    from callscore.formats.callers import Caller

    _Calls = tuple[ToolCall, ...]

# --- what a task returned ---------------------------------------------------------------------

_MAX_SHOWN = 120  # columns of a returned value in messages
_HINT = "Return the response, the messages or the calls; `[]` for no calls."
# SDK models that contain only data.
_PLAIN_MODELS = ("openai.types.chat.", "openai.types.responses.", "anthropic.types.")
_PLAIN_TYPES = (str, int, float, Malformed, type(None))


class UnreadableAnswer(Exception):
    """The returned value is not data; the message says why."""

    kind: FailureKind = "unreadable"


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
        if type(returned).__module__.startswith(_PLAIN_MODELS):
            document = returned.model_dump(mode="json", by_alias=True, warnings=False)
        else:
            document = to_plain_data(_calls_to_dicts(returned))
    except (InvalidCall, RecursionError) as error:
        raise UnreadableAnswer(f"the answer of the task cannot be read: {error}") from error
    try:
        # Usually it is JSON by now; encoding it is ten times as fast as checking each part.
        return msgspec.json.decode(msgspec.json.encode(document, enc_hook=_path_text))
    except (TypeError, ValueError, OverflowError, RecursionError):
        value = next(
            (each for each in leaves(document) if not isinstance(each, _PLAIN_TYPES)), None
        )
        if value is not None:
            shown = clip(escape(safe_repr(value)), _MAX_SHOWN)
            problem = f"the task returned {shown}, which is not data. {_HINT}"
            raise UnreadableAnswer(problem) from None
        return json_safe(document)


def _path_text(value: object) -> str:
    """A path as text; other types are refused."""
    if isinstance(value, PurePath):
        return str(value)
    raise TypeError


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


# --- expected calls, as plain data by the same rules ------------------------------------------

_PLAIN_SCALARS = frozenset({int, bool, type(None)})


def with_plain_expected(case: Case) -> Case:
    """The case with expected values such as dates and sets as plain data, as in an answer.

    Values that cannot be data, such as functions, are unchanged.
    """
    if case.expected is UNSET:
        return case
    return replace(
        case, expected=tuple([with_calls(item, _plain_call) for item in case.expected or ()])
    )


def plain_case_payload(case: Case) -> dict[str, Any]:
    """A case as in a case file, with its expected calls as plain data; a copy of what is there now."""
    copied: dict[str, Any] = decode_json(json_bytes(case_payload(with_plain_expected(case))))
    return copied


def _plain_call(call: ToolCall) -> ToolCall:
    arguments: Any = call.arguments
    return replace(call, arguments=_plain_value(arguments)) if arguments else call


def _plain_value(value: Any) -> Any:
    kind, plain = value.__class__, value
    if (
        kind in _PLAIN_SCALARS
        or (kind is str and value.isascii())
        or (kind is float and isfinite(value))
    ):
        pass
    elif isinstance(value, Matcher):
        plain = replace(value, value=_plain_value(value.value))
    elif isinstance(value, list | tuple):
        plain = [_plain_value(member) for member in value]
    elif kind is dict and all(isinstance(key, str) for key in value):
        plain = {key: _plain_value(member) for key, member in value.items()}
    else:
        with suppress(UnreadableAnswer):
            plain = plain_document([value])[0]
    return plain


# --- why there is no answer -------------------------------------------------------------------

_MAX_PROBLEM = 500  # columns of an error message
_MAX_FRAMES = 6
_RUNNER_FOLDER = Path(__file__).parent
_OWN_FOLDERS = tuple(
    str(_RUNNER_FOLDER.with_name(name)) for name in ("runner", "models", "evaluations", "testing")
)


class TaskTimeout(Exception):
    """A task timed out."""

    kind: FailureKind = "timeout"


class TaskExited(Exception):
    """A task tried to end the process."""

    kind: FailureKind = "exited"


def make_failure(
    question: Question, kind: FailureKind, problem: str, *, details: str = "", attempts: int = 1
) -> Failure:
    """A `Failure` of a question; secrets are removed."""
    return Failure(
        case=question.case.id,
        kind=kind,
        problem=clip(escape(hide_secrets(problem)[: 2 * _MAX_PROBLEM]), _MAX_PROBLEM),
        details=hide_secrets(details),
        trial=question.trial if question.trials > 1 else None,
        attempts=attempts,
    )


def failure_from_error(question: Question, error: BaseException) -> Failure:
    """A `Failure` from an exception."""
    kind: FailureKind = "raised"
    problem, cause = "", None
    if isinstance(error, TaskTimeout | TaskExited | UnreadableAnswer):
        kind, problem = error.kind, str(error)
        cause = error.__cause__ if error.kind == "exited" else None
    elif isinstance(error, ModelFailed):
        kind, problem = "timeout" if error.is_timeout else kind, str(error)
    elif isinstance(error, CallscoreError):
        kind, problem, cause = "refused", str(error), error
    else:
        problem, cause = f"the task raised {_error_name(error)}", error
    details, attempts = _task_traceback(cause), max(1, attempts_of(error))
    return make_failure(question, kind, problem, details=details, attempts=attempts)


def _error_name(error: BaseException) -> str:
    if isinstance(error.__cause__, StopIteration | GeneratorExit):
        error = error.__cause__  # coroutines wrap these
    try:
        text = str(error)
    except Exception:  # noqa: BLE001  (str() of a foreign error may fail)
        text = "(its message cannot be printed)"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _task_traceback(error: BaseException | None) -> str:
    """The end of the traceback, without frames of callscore."""
    if error is None:
        return ""
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [frame for frame in frames if not frame.filename.startswith(_OWN_FOLDERS)]
    return "".join(traceback.format_list(theirs[-_MAX_FRAMES:])).rstrip()


# --- answers as calls, and their scores -------------------------------------------------------


def case_for_task(question: Question) -> Case:
    """The case as passed to the task, with the trial number if there are several."""
    case = question.case
    return replace(case, trial=question.trial) if question.trials > 1 else case


# Answers of one task are mostly alike.
_recognizer = Recognizer()

# Tool definitions of cases, for evaluations without tools; read once.
_case_tools = ToolDefinitions()


def unanswered(question: Question, why: Failure) -> Result:
    """The result of a question without an answer."""
    return Result(case=case_for_task(question), status="error", failure=why)


async def score_answer(
    question: Question,
    answer: Answer,
    *,
    seconds: float | None = None,
    known_calls: _Calls | None = None,
) -> Result:
    """Score an answer; `seconds` is the timeout of each scorer.

    `known_calls` are the calls in an answer that cannot be read again: secrets are hidden in it.
    The result is a failure if no calls can be read from the answer, or a judge does not answer.
    """
    settings, tools = question.evaluation.settings, question.evaluation.tools
    unread: dict[str, None] = {}
    try:
        if tools is None:
            tools = _case_tools.of(question.case.tools, f"case {question.case.id}")
        read_options = ReadOptions(
            tools=tools or {},
            on_unread=unread.setdefault,
            callers=cast("tuple[Caller, ...] | None", question.case.callers),
        )
        calls, *others = (
            [known_calls]
            if known_calls is not None
            else read_candidates(
                lambda chosen: _read_calls(answer.document, chosen),
                options_for(question.case.expected or (), read_options),
                settings.top_k,
            )
        )
    except (InvalidCall, UnreadableInput) as error:
        return _failed(question, answer, "unreadable", f"the calls cannot be read: {error}")
    try:
        case = with_plain_expected(case_for_task(question))
        calls, *others = [numbered_for(case.expected or (), found) for found in (calls, *others)]
        case = replace(case, actual=calls, others=tuple(others), unread=" ".join(unread) or None)
        score = None
        if case.expected is not UNSET:
            sides = tuple(case.expected or ()), case.actual or ()
            compare = partial(score_case, *sides, settings, tools, others=case.others)
            # A judge waits for a model, and must not block the event loop.
            score = compare() if settings.judge is None else await run_in_daemon_thread(compare)
    except CallscoreError as error:
        return _failed(question, answer, "unscored", f"the answer cannot be scored: {error}")
    except RecursionError:
        problem = "the expected calls are nested too deeply"
        return _failed(question, answer, "unscored", problem)
    arguments = {  # scorers declare the ones they need as parameters
        "case": case,
        "input": case.input,
        "output": answer.document,
        "calls": case.actual,
        "expected": case.expected,
        "score": score,
        "tools": tools,
    }
    values = [
        await _scorer_value(scorer, arguments, seconds) for scorer in question.evaluation.scorers
    ]
    has_forbidden = score is not None and bool(score.forbidden)
    return Result(
        case=case,
        status="not_scored" if score is None else "scored",
        answer=answer,
        score=score,
        values=tuple(values),
        passed=answer_passes(values, settings.pass_mark, has_forbidden=has_forbidden),
    )


def _failed(question: Question, answer: Answer, kind: FailureKind, problem: str) -> Result:
    why = make_failure(question, kind, problem)
    return Result(case=case_for_task(question), status="error", answer=answer, failure=why)


def _read_calls(document: Any, read_options: ReadOptions) -> _Calls:
    """The calls of an answer, and the state that it says was found at the end."""
    has_more = isinstance(document, dict) and (
        ACTUAL_STATE_FIELD in document or TURNS_FIELD in document
    )
    is_plain = isinstance(document, dict) and not has_more
    dialect = _recognizer.find(document) if is_plain else None
    try:
        if dialect is not None and dialect.name != "generic":  # handwritten calls
            trace = join_traces(read_as(dialect, document, read_options), where="answer")
            return actual_calls_in(trace, where="answer")
        return read_side(document, side="actual", where="answer", read_options=read_options)
    except InvalidCall:
        if isinstance(document, str):  # a text without calls, or with some that cannot be read
            note_unread(document, noted_at(read_options, "answer"))
            return ()
        raise


async def _scorer_value(
    scorer: Scorer, arguments: dict[str, Any], seconds: float | None
) -> MetricValue:
    """The value of a scorer; user functions have a timeout."""
    if scorer.function is SCORERS.get(scorer.name):
        return await scorer_value(scorer, arguments)
    import asyncio

    work = create_abandonable_task(scorer_value(scorer, arguments))
    try:
        await asyncio.wait((work,), timeout=seconds)
    finally:
        if not work.done():
            abandon_task(work)
    if not work.done():
        problem = f"it took more than {seconds:g} s."
    elif work.cancelled():
        problem = "it was cancelled by its own code."
    elif (error := work.exception()) is not None:
        problem = f"it raises {type(error).__name__}"
    else:
        return work.result()
    return MetricValue(scorer.name, None, problem, is_broken=True)


def stored_answer(found: AnswerRecord | ResultRecord) -> Answer | None:
    """The answer of a record; None if there was none."""
    if found.answer is None:
        return None
    return Answer(
        document=found.answer,
        seconds=found.seconds,
        usage=found.usage,
        attempts=found.attempts,
        is_reused=True,
    )
