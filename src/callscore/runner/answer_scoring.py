"""Scores one answer: reads the calls in it, and asks every scorer."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from callscore.api import score_case
from callscore.core.results import MetricValue, Result, answer_passes
from callscore.engines.inputs import ToolDefinitions
from callscore.errors import CallscoreError, InvalidCall, UnreadableInput
from callscore.evaluations.scorers import SCORERS, scorer_value
from callscore.formats.case_sides import actual_calls_in, join_traces, read_side
from callscore.formats.reading import find_dialect, read_as, read_candidates
from callscore.formats.trace import DEFAULT_WANTED, Wanted
from callscore.models.timeouts import abandon_task, create_abandonable_task, run_in_daemon_thread
from callscore.runner.answers import make_failure, with_plain_expected
from callscore.runner.asking import case_for_task

if TYPE_CHECKING:
    from collections.abc import Mapping

    from callscore.core.call import Tool, ToolCall
    from callscore.core.case import Case
    from callscore.core.results import Answer, Failure, FailureKind
    from callscore.core.score import Score
    from callscore.core.settings import Settings
    from callscore.evaluations.evaluation import Question, Scorer
    from callscore.formats.dialect import Dialect

__all__ = ["score_answer", "unanswered"]

if TYPE_CHECKING:
    _Calls = tuple[ToolCall, ...]
    _Tools = Mapping[str, Tool] | None

_MAX_SHAPES = 256

# Dialects of answers, by their keys.
_dialect_by_shape: dict[tuple[str, ...], Dialect] = {}

# Tool definitions of cases, for evaluations without tools; read once.
_case_tools = ToolDefinitions()


def unanswered(question: Question, why: Failure) -> Result:
    """The result of a question without an answer."""
    return Result(case=case_for_task(question), status="error", failure=why)


async def score_answer(
    question: Question, answer: Answer, *, seconds: float | None = None
) -> Result:
    """Score an answer.

    Args:
        question: what was asked.
        answer: what was answered.
        seconds: the timeout of a scorer; None for no limit.

    Returns:
        The result; a failure if no calls can be read from the answer, or a judge does not answer.
    """
    settings = question.evaluation.settings
    try:
        tools = _tools_of(question)
        calls, *others = _read_candidates(answer.document, settings, tools)
    except (InvalidCall, UnreadableInput) as error:
        return _failed(question, answer, "unreadable", f"no calls can be read from the {error}")
    try:
        case = with_plain_expected(case_for_task(question))
        case = replace(case, actual=calls, others=tuple(others))
        score = await _score(case, settings, tools)
    except CallscoreError as error:
        return _failed(question, answer, "raised", f"the answer cannot be scored: {error}")
    except RecursionError:
        problem = "what is expected is nested too deeply to be scored"
        return _failed(question, answer, "raised", problem)
    arguments = _scorer_arguments(case, answer, score, tools)
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
        passed=answer_passes(values, settings.at_least, has_forbidden=has_forbidden),
    )


def _failed(question: Question, answer: Answer, kind: FailureKind, problem: str) -> Result:
    why = make_failure(question, kind, problem)
    return Result(case=case_for_task(question), status="error", answer=answer, failure=why)


def _tools_of(question: Question) -> _Tools:
    """The tools of the evaluation, else those of the case."""
    if question.evaluation.tools is not None:
        return question.evaluation.tools
    return _case_tools.of(question.case.tools, f"case {question.case.id}")


def _read_candidates(document: Any, settings: Settings, tools: _Tools) -> list[_Calls]:
    """The calls of the answer, and of its other candidates."""
    wanted = Wanted(tools=tools) if tools else DEFAULT_WANTED
    return read_candidates(lambda chosen: _read_calls(document, chosen), wanted, settings.top_k)


def _read_calls(document: Any, wanted: Wanted) -> _Calls:
    dialect = _cached_dialect(document) if isinstance(document, dict) else None
    try:
        if dialect is not None:
            trace = join_traces(read_as(dialect, document, wanted), where="answer")
            return actual_calls_in(trace, where="answer")
        return read_side(document, side="actual", where="answer", wanted=wanted)
    except InvalidCall:
        if isinstance(document, str):
            return ()  # a text without calls
        raise


def _cached_dialect(document: dict[str, Any]) -> Dialect | None:
    """The dialect of an answer, cached by its keys: answers of one task are mostly alike.

    None for handwritten calls, which `read_side` handles.
    """
    shape = (*document, str(document.get("object")))
    known = _dialect_by_shape.get(shape)
    if known is not None and known.recognises(document):
        return known
    found = find_dialect(document)
    if found is None or found.name == "generic":
        return None
    if len(_dialect_by_shape) < _MAX_SHAPES:
        _dialect_by_shape[shape] = found
    return found


async def _score(case: Case, settings: Settings, tools: _Tools) -> Score | None:
    if case.expected is None:
        return None

    def score() -> Score:
        expected, actual = tuple(case.expected or ()), case.actual or ()
        return score_case(expected, actual, settings, tools, others=case.others)

    # A judge waits for a model, and must not block the event loop.
    return score() if settings.judge is None else await run_in_daemon_thread(score)


def _scorer_arguments(
    case: Case, answer: Answer, score: Score | None, tools: _Tools
) -> dict[str, Any]:
    """The values that a scorer can ask for by the names of its parameters."""
    return {
        "case": case,
        "input": case.input,
        "output": answer.document,
        "calls": case.actual,
        "expected": case.expected,
        "score": score,
        "tools": tools,
    }


async def _scorer_value(
    scorer: Scorer, arguments: dict[str, Any], seconds: float | None
) -> MetricValue:
    """What a scorer says; user functions may wait for something that never comes."""
    if scorer.function is SCORERS.get(scorer.name):
        return await scorer_value(scorer, arguments)
    work = create_abandonable_task(scorer_value(scorer, arguments))
    try:
        await asyncio.wait((work,), timeout=seconds)
    finally:
        if not work.done():
            abandon_task(work)
    if not work.done():
        reason = f"it took more than {seconds:g} s and was given up."
        return MetricValue(scorer.name, None, reason, is_broken=True)
    return _task_value(scorer.name, work)


def _task_value(name: str, work: asyncio.Task[MetricValue]) -> MetricValue:
    """The result of a scorer task."""
    if work.cancelled():
        return MetricValue(name, None, "it was cancelled from within.", is_broken=True)
    error = work.exception()
    if error is not None:
        return MetricValue(name, None, f"it raises {type(error).__name__}", is_broken=True)
    return work.result()
