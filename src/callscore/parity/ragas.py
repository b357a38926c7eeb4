"""Ragas: ToolCallAccuracy and ToolCallF1, which are equal in its older and its newer classes.

Its string metrics are here, too: the older ToolCallAccuracy can compare arguments with them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from callscore.errors import NotScorable
from callscore.parity.parameters import Calls, option_value, pairs_of
from callscore.parity.value_comparison import f1_of

__all__ = [
    "METRICS",
    "TITLE",
    "VERSION",
    "exact_match",
    "string_presence",
    "string_similarity",
    "tool_call_accuracy",
    "tool_call_f1",
]

TITLE = "Ragas"
VERSION = "0.4.3"

DistanceMeasure = Literal["levenshtein", "hamming", "jaro", "jaro_winkler"]

_DECIMALS = 4  # of F1


def exact_match(expected: str, actual: str) -> float:
    """1.0 for the same text, else 0.0."""
    return float(expected == actual)


def string_presence(expected: str, actual: str) -> float:
    """1.0 if the expected text is contained in the actual one, else 0.0."""
    return float(expected in actual)


def string_similarity(
    expected: str, actual: str, *, distance_measure: DistanceMeasure = "levenshtein"
) -> float:
    """How alike two texts are, from 0 to 1: Ragas's NonLLMStringSimilarity.

    Args:
        expected: the text that was expected.
        actual: the text that there is.
        distance_measure: what the distance of two texts is.

    Raises:
        InvalidSettings: the measure is unknown.
    """
    from rapidfuzz import distance

    ways = {
        "levenshtein": distance.Levenshtein,
        "hamming": distance.Hamming,
        "jaro": distance.Jaro,
        "jaro_winkler": distance.JaroWinkler,
    }
    # Ragas subtracts the distance, which is not the similarity to the last bit.
    way = option_value("distance_measure", distance_measure, ways)
    apart: float = way.normalized_distance(expected, actual)
    return 1 - apart


def tool_call_accuracy(
    expected: Calls,
    actual: Calls,
    *,
    strict_order: bool = True,
    arg_comparison_metric: Callable[[str, str], float] = exact_match,
) -> float:
    """The mean share of right arguments, if the tools are the right ones; otherwise 0.0.

    Defects:
        One call too many or too few, or out of place, makes all others worth nothing: the penalty
        for other lengths that Ragas describes is never reached. Arguments beyond the expected ones
        are free, unless none is expected. Values are compared as text: 1 is "1" and None is
        "None", but 1 is not 1.0, and objects with their keys in another order differ. In any
        order, the calls are sorted and compared by position, not paired: against f(1) and f(2),
        f(2) and f(3) score 0.0.

    Args:
        expected: the expected calls.
        actual: the actual calls.
        strict_order: whether the calls must be in the expected order.
        arg_comparison_metric: what an argument is worth, by the text of its expected and its actual
            value.

    Raises:
        NotScorable: a call has no arguments, or a value cannot be written as text.
    """
    wanted, given = _read(expected), _read(actual)
    if not wanted or not given:
        return float(not wanted and not given)
    if not strict_order:
        wanted.sort(key=_sort_key)
        given.sort(key=_sort_key)
    aligned = [name for name, _ in wanted] == [name for name, _ in given]
    # Ragas compares the arguments in any case, so that it may raise even if the result is 0.0.
    total = 0.0
    for (name, arguments), (other_name, other_arguments) in zip(wanted, given, strict=False):
        if name == other_name:
            total += _share_of_right(arguments, other_arguments, arg_comparison_metric)
    return total / len(wanted) * aligned


def _share_of_right(
    expected: dict[str, Any], actual: dict[str, Any], metric: Callable[[str, str], float]
) -> float:
    if not expected:
        return 0.0 if actual else 1.0
    score = 0.0
    for name, value in expected.items():
        if name in actual:
            score += metric(_text(value), _text(actual[name]))
    return score / len(expected)


def _sort_key(call: tuple[str, dict[str, Any]]) -> list[str]:
    name, arguments = call
    key = [name]
    for argument in sorted(arguments):
        key += (argument, _text(arguments[argument]))
    return key


def _text(value: Any) -> str:
    try:
        return str(value)
    except (ValueError, RecursionError) as error:
        problem = "Ragas compares values as text, and one of them is too long or too deep for that."
        raise NotScorable(problem) from error


def tool_call_f1(expected: Calls, actual: Calls) -> float:
    """The F1 of two sets of calls, a call being its name and all its arguments; to four decimals.

    Defects:
        Sets know no repetition: a call that is made twice, or only once where it is expected twice,
        costs nothing. Nothing expected and nothing done scores 0.0. An argument that is wrong costs
        the whole call.

    Raises:
        NotScorable: a call has no arguments, or they are too deep to be put into a set.
    """
    wanted, given = _set_of(expected), _set_of(actual)
    return round(f1_of(len(wanted & given), len(wanted), len(given)), _DECIMALS)


def _set_of(calls: Calls) -> set[tuple[str, Any]]:
    try:
        return {(name, _frozen(arguments)) for name, arguments in _read(calls)}
    except (TypeError, RecursionError) as error:
        problem = "Ragas puts the calls into sets, and the arguments of one have no hash."
        raise NotScorable(problem) from error


def _frozen(value: Any) -> Any:
    """The value with sets in place of objects and tuples in place of lists."""
    if isinstance(value, dict):
        try:
            return frozenset(value.items())
        except TypeError:  # there is a list or an object in it
            return frozenset([(key, _frozen(member)) for key, member in value.items()])
    if isinstance(value, list | tuple):
        return tuple([_frozen(member) for member in value])
    return value


def _read(calls: Calls) -> list[tuple[str, dict[str, Any]]]:
    pairs = []
    for name, arguments in pairs_of(calls):
        if arguments is None:
            raise NotScorable("Ragas does not accept a call without arguments.")
        pairs.append((name, arguments))
    return pairs


METRICS = (tool_call_accuracy, tool_call_f1)
