"""DeepEval: ToolCorrectnessMetric, except for what needs a language model.

All calls have one type here; DeepEval distinguishes functions from tools of MCP servers if its user
does. The output of a call is its `output`, or its `result`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from callscore.core.call import ToolCall
from callscore.errors import NotScorable
from callscore.parity.parameters import Arguments, Call, Calls, pairs_of

__all__ = ["METRICS", "TITLE", "VERSION", "tool_correctness"]

TITLE = "DeepEval"
VERSION = "4.3.1"


class _Call(NamedTuple):
    name: str
    arguments: Arguments
    output: Any


class _Parts(NamedTuple):
    """What is compared beside the names."""

    input_parameters: bool
    output: bool


def tool_correctness(  # noqa: PLR0913  (the tool's own options)
    expected: Calls,
    actual: Calls,
    *,
    input_parameters: bool = False,
    output: bool = False,
    should_consider_ordering: bool = False,
    should_exact_match: bool = False,
    strict_mode: bool = False,
) -> float:
    """How much of what is expected was done, per expected call.

    A call of the expected name is worth 1.0, or, where arguments are compared, the share of its
    arguments that it has in common with the expected ones.

    Defects:
        Calls beyond the expected ones are free, unless the match is to be exact. In any order,
        expected calls choose one after the other, each the best call that is left, so that the
        score depends on their order. A call that is chosen is gone, and so is every other one that
        equals it, arguments and output included: the same call, expected twice and made twice,
        scores 0.5. Lists are equal or worth nothing. The shares of arguments are added up in the
        order of a Python set, so that the last bit of a score may change from one process to the
        next. Arguments that are given on one side alone are an error. So is an integer too long to
        be written, even where only names are compared.

    Args:
        expected: the expected calls.
        actual: the actual calls.
        input_parameters: compare arguments as well. This option and the next one are DeepEval's list
            `evaluation_params`.
        output: compare the results of the calls as well.
        should_consider_ordering: count what is done in the expected order alone.
        should_exact_match: require the same calls at the same positions: 1.0 or 0.0. It decides alone;
            `should_consider_ordering` then means nothing.
        strict_mode: whether everything below 1.0 is 0.0. The score depends on no other threshold.

    Raises:
        NotScorable: DeepEval fails on the arguments or the output of a call.
    """
    parts = _Parts(input_parameters, output)
    in_some_order = _in_order if should_consider_ordering else _any_order
    way = _exact if should_exact_match else in_some_order
    wanted, given = _read(expected), _read(actual)
    if not wanted:
        return 0.0 if given else 1.0
    try:
        score = min(way(wanted, given, parts), 1.0)
    except RecursionError as error:
        raise NotScorable("a value is nested too deeply to be compared.") from error
    return 0.0 if strict_mode and score < 1 else score


def _read(calls: Calls) -> list[_Call]:
    pairs = pairs_of(calls)
    outputs = [_output(call) for call in calls]
    # DeepEval writes every call into its report, also where nothing but the names is compared.
    try:
        repr((pairs, outputs))
    except (ValueError, RecursionError) as error:
        problem = f"DeepEval writes the calls into its report, and one cannot be written: {error}."
        raise NotScorable(problem) from error
    return [_Call(*pair, output) for pair, output in zip(pairs, outputs, strict=True)]


def _output(call: Call) -> Any:
    if isinstance(call, ToolCall):
        return call.result
    return call.get("output", call.get("result")) if isinstance(call, Mapping) else None


def _match_score(expected: _Call, actual: _Call, parts: _Parts) -> float:
    """The worth of a call for an expected one."""
    if expected.name != actual.name:
        return 0.0
    worth = 1.0
    if parts.input_parameters and expected.arguments != actual.arguments:
        if expected.arguments is None or actual.arguments is None:
            raise NotScorable("DeepEval cannot compare a call that has arguments with one without.")
        worth = _overlap(expected.arguments, actual.arguments)
    return 0.0 if parts.output and expected.output != actual.output else worth


def _overlap(expected: dict[str, Any], actual: dict[str, Any]) -> float:
    """The share of all keys that have the same value; a nested object counts by its own share."""
    # DeepEval adds in the order of such a set, which the last bit of the sum depends on.
    shared = set(expected.keys()) & set(actual.keys())
    total = len(expected) + len(actual) - len(shared)
    overlap = 0.0
    for key in shared:
        value, other = expected[key], actual[key]
        if value == other:
            overlap += 1 / total
        elif isinstance(value, dict) and isinstance(other, dict):
            overlap += _overlap(value, other) / total
    return overlap


def _any_order(expected: list[_Call], actual: list[_Call], parts: _Parts) -> float:
    total = 0.0
    free = actual
    for wanted in expected:
        best, chosen = 0.0, None
        for given in free:
            worth = _match_score(wanted, given, parts)
            if worth > best:
                best, chosen = worth, given
        if chosen is not None:
            total += best
            free = [given for given in free if not _is_taken(given, chosen)]
    return total / len(expected)


def _is_taken(call: _Call, chosen: _Call) -> bool:
    # Part by part: a tuple takes an output that is not equal to itself (NaN) for equal.
    return call is chosen or (
        call.name == chosen.name
        and call.arguments == chosen.arguments
        and bool(call.output == chosen.output)
    )


def _in_order(expected: list[_Call], actual: list[_Call], parts: _Parts) -> float:
    """The best sum in the expected order, read from the table as DeepEval reads it.

    The last field has the best sum, but DeepEval adds up the steps that lead there, and the result
    may differ in the last bit.
    """
    table = _table(expected, actual, parts)
    row, column, total = len(expected), len(actual), 0.0
    while row and column:
        here = table[row][column]
        if here == table[row - 1][column]:
            row -= 1
        elif here == table[row][column - 1]:
            column -= 1
        else:
            row, column = row - 1, column - 1
            total += here - table[row][column]
    return total / len(expected)


def _table(expected: list[_Call], actual: list[_Call], parts: _Parts) -> list[list[float]]:
    """The best sum for each number of the first expected and the first actual calls."""
    table = [[0.0] * (len(actual) + 1)]
    for wanted in expected:
        above, row = table[-1], [0.0]
        for column, given in enumerate(actual):
            best = max(above[column + 1], row[column])
            worth = _match_score(wanted, given, parts)
            row.append(max(best, above[column] + worth) if worth > 0 else best)
        table.append(row)
    return table


def _exact(expected: list[_Call], actual: list[_Call], parts: _Parts) -> float:
    return float(
        len(expected) == len(actual)
        and all(
            wanted.name == given.name
            and (not parts.input_parameters or wanted.arguments == given.arguments)
            and (not parts.output or wanted.output == given.output)
            for wanted, given in zip(expected, actual, strict=True)
        )
    )


METRICS = (tool_correctness,)
