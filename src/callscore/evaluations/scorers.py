"""What an answer is worth: callscore's own numbers, other tools' metrics, and user functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import Parameter, isawaitable, iscoroutinefunction, signature
from typing import TYPE_CHECKING, Any

from msgspec import UNSET, Struct

from callscore.core.rendering import mention
from callscore.core.results import MetricValue
from callscore.core.suggestions import did_you_mean
from callscore.errors import CallscoreError, InvalidSettings, NotScorable
from callscore.evaluations.evaluation import Scorer
from callscore.evaluations.locations import error_message, error_with_location
from callscore.models.secrets import hide_secrets
from callscore.words.value_text import NOT_SCORED_REASON

if TYPE_CHECKING:
    from callscore.core.call import Tool, ToolCall
    from callscore.core.score import Score

# What a scorer may be given, by the names of its parameters.
SCORER_ARGUMENTS = ("case", "input", "output", "calls", "expected", "score", "tools")

_NO_TURNS = "the case has no turns, or the trace does not say where they begin."
_PAIR_SIZE = 2  # a number, and why
_ROUNDING = 1e-9


def _f1(score: Score) -> float:
    return score.f1


def _precision(score: Score) -> float:
    return score.precision


def _recall(score: Score) -> float:
    return score.recall


def _exact(score: Score) -> bool:
    return score.is_exact


def _tool_called(score: Score) -> int:
    return score.tool_called


def _tool_selection(score: Score) -> float:
    return score.tool_selection


def _parameters_valid(
    score: Score | None, calls: Sequence[ToolCall], tools: Mapping[str, Tool] | None
) -> float | tuple[None, str]:
    """The only built-in scorer that needs no expected calls: the schemas are enough."""
    if score is not None:
        valid = score.parameters_valid
    elif tools is None:
        valid = None
    else:
        from callscore.api import check_calls
        from callscore.core.score import parameters_valid, total_calls

        checked = check_calls(calls, tools=tools)
        valid = parameters_valid(checked, calls=total_calls("actual", calls, ()), expected=0)
    return (None, "the tool definitions are unknown.") if valid is None else valid


def _argument_accuracy(score: Score) -> float | tuple[None, str]:
    share = score.argument_accuracy
    return (None, "no argument of the paired calls is expected.") if share is None else share


def _turn_mean(score: Score) -> float | tuple[None, str]:
    mean = score.turn_mean
    return (None, _NO_TURNS) if mean is None else mean


def _turn_min(score: Score) -> float | tuple[None, str]:
    lowest = score.turn_min
    return (None, _NO_TURNS) if lowest is None else lowest


def _state(score: Score) -> float | tuple[None, str]:
    """Whether the state at the end is the expected one; in mode `flexible`, how much of it is."""
    from callscore.core.case import is_state

    if not score.expected or not is_state(score.expected[-1]):
        return None, "the case has no expected state."
    pair = score.state
    if pair is None:  # none was found
        return 0.0
    return pair.overlap if score.settings.mode == "flexible" else float(pair.is_correct)


# The built-in scorers: all but one take nothing but the score of the calls. They are named functions
# because the repr of an evaluation shows them.
SCORERS: dict[str, Callable[..., Any]] = {
    "accuracy": _f1,
    "f1": _f1,
    "precision": _precision,
    "recall": _recall,
    "exact": _exact,
    "tool_called": _tool_called,
    "parameters_valid": _parameters_valid,
    "tool_selection": _tool_selection,
    "argument_accuracy": _argument_accuracy,
    "turn_mean": _turn_mean,
    "turn_min": _turn_min,
    "state": _state,
}
_SCORE_ONLY = ("score",)
_NO_SCORE_NEEDED = ("score", "calls", "tools")


def scorers_from(given: Any) -> tuple[Scorer, ...]:
    """The scorers that are asked for: one, or several of different names.

    Raises:
        InvalidSettings: one of them is not a scorer, or two have the same name.
    """
    several = given if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    found: dict[str, Scorer] = {}
    for item in several:
        scorer = scorer_of(item)
        if scorer.name in found:
            raise InvalidSettings(f"scorers: two scorers are named {scorer.name!r}")
        found[scorer.name] = scorer
    if not found:
        raise InvalidSettings("scorers: the list is empty. Leave it out for 'accuracy'")
    return tuple(found.values())


def scorer_of(given: Any) -> Scorer:
    """The scorer of a name, or of a function.

    Args:
        given: the name of a built-in scorer (`accuracy`, `tool_called` ...), the name of another
            tool's metric (`ragas.tool_call_f1`), or a function. The names of the function's
            parameters say what it is given: `case`, `input`, `output` (the answer as plain data),
            `calls`, `expected`, `score` and `tools`. It returns a number, a truth value, None if it
            has no number, or one of these and a reason; it may be async.

    Raises:
        InvalidSettings: there is no such scorer, or the function has an unknown parameter.
    """
    if isinstance(given, Scorer):
        return given
    if isinstance(given, str):
        return _scorer_named(given)
    if callable(given):
        return Scorer(_name_of(given), given, _argument_names(given))
    raise InvalidSettings(f"scorers: {mention(given)} is not a name or a function")


def _scorer_named(name: str) -> Scorer:
    if name in SCORERS:
        own = SCORERS[name]
        return Scorer(name, own, _NO_SCORE_NEEDED if own is _parameters_valid else _SCORE_ONLY)
    if "." not in name:
        all_names = f". Choose from: {', '.join(SCORERS)}, or a metric of `callscore metrics`"
        hint = did_you_mean(name, SCORERS) or all_names
        raise InvalidSettings(f"scorers: unknown scorer {mention(name)}{hint}")
    from callscore.metrics.registry import metric_named

    try:
        metric = metric_named(name)
    except InvalidSettings as error:
        raise InvalidSettings(f"scorers: {error}") from error
    if metric.less_is_better:
        raise InvalidSettings(
            f"scorers: lower is better for {mention(name)}, but a scorer must rate good answers higher."
            " Write a function that inverts it"
        )
    return Scorer(name, _MetricScorer(metric), ("expected", "calls", "tools"))


class _MetricScorer(Struct, frozen=True):
    """Another tool's metric, with the reason why it has no number."""

    metric: Any  # a Metric, whose module most evaluations do not need

    def __call__(self, expected: Any, calls: Any, tools: Any) -> tuple[float | None, str | None]:
        if expected is UNSET:
            return None, NOT_SCORED_REASON
        found = self.metric.value_of(tuple(expected), tuple(calls), tools)
        return found.value, found.reason


def _name_of(function: Callable[..., Any]) -> str:
    inner = getattr(function, "func", function)  # of a functools.partial
    return str(getattr(inner, "__name__", type(inner).__name__))


def _argument_names(function: Callable[..., Any]) -> tuple[str, ...]:
    name = _name_of(function)
    try:
        parameters = signature(function).parameters.values()
    except (TypeError, ValueError) as error:
        raise InvalidSettings(
            f"scorers: the parameters of {name} cannot be read ({error})"
        ) from error
    if any(parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters):
        return SCORER_ARGUMENTS
    taken = []
    for parameter in parameters:
        if parameter.name in SCORER_ARGUMENTS and parameter.kind is not Parameter.POSITIONAL_ONLY:
            taken.append(parameter.name)
        elif (
            parameter.default is Parameter.empty and parameter.kind is not Parameter.VAR_POSITIONAL
        ):
            hint = (
                did_you_mean(parameter.name, SCORER_ARGUMENTS)
                or f". Choose from: {', '.join(SCORER_ARGUMENTS)}"
            )
            if parameter.name in SCORER_ARGUMENTS:
                hint = ": it is positional-only. Values are passed by name"
            raise InvalidSettings(
                f"scorers: {name} has the unusable parameter {parameter.name!r}{hint}"
            )
    return tuple(taken)


async def scorer_value(scorer: Scorer, given: Mapping[str, Any]) -> MetricValue:
    """Run a scorer with the values of `SCORER_ARGUMENTS`; its errors become the reason.

    A scorer that raises, or returns anything but a number from 0 to 1, is broken; one that returns
    None, or raises `NotScorable`, only has no number.
    """
    # User objects may not be hashable.
    is_own = any(scorer.function is own for own in SCORERS.values())
    if is_own and scorer.takes == _SCORE_ONLY and given["score"] is None:
        return MetricValue(scorer.name, None, NOT_SCORED_REASON)
    keywords = {name: given[name] for name in scorer.takes}
    try:
        if is_own or isinstance(scorer.function, _MetricScorer):
            returned = scorer.function(**keywords)
        else:
            returned = await _call_function(scorer.function, keywords)
    except NotScorable as error:
        return MetricValue(scorer.name, None, error_message(error))
    except (Exception, SystemExit) as error:  # noqa: BLE001  (user code; it must not end a run)
        if isinstance(error, CallscoreError):
            why = f"no score: {error_message(error)}"
        else:
            why = f"it raises {error_with_location(error, scorer.function)}"
        return MetricValue(scorer.name, None, why, is_broken=True)
    return _value(scorer, returned)


def _value(scorer: Scorer, returned: Any) -> MetricValue:
    """Read what a scorer returned: a number, None, or one of these and a reason."""
    is_pair = isinstance(returned, tuple | list) and len(returned) == _PAIR_SIZE
    value, reason = returned if is_pair else (returned, None)
    try:
        number = None if value is None else _number(value)
        why = None if reason is None else hide_secrets(str(reason))
        if number is not None and not isinstance(scorer.function, _MetricScorer):
            number = _clamp(number)
    except Exception as error:  # noqa: BLE001  (user objects may raise when they are read)
        return MetricValue(scorer.name, None, error_message(error), is_broken=True)
    return MetricValue(scorer.name, number, why)


async def _call_function(function: Callable[..., Any], keywords: dict[str, Any]) -> Any:
    """Call a user function; one that is not async must not block the others."""
    from asyncio import to_thread

    if iscoroutinefunction(function):
        return await function(**keywords)
    returned = await to_thread(function, **keywords)
    return await returned if isawaitable(returned) else returned


def _number(value: Any) -> float:
    if isinstance(value, int | float) and value in (0, 1):  # nearly all are
        return float(value)
    from callscore.metrics.metric import number_from

    return number_from(value)


def _clamp(number: float) -> float:
    """Limit a number to the range from 0 to 1, which it may exceed only by a rounding error."""
    nearest = min(max(number, 0.0), 1.0)
    if abs(nearest - number) > _ROUNDING:
        raise NotScorable(f"it returned {number:g}, which is not a number from 0 to 1.")
    return nearest
