"""Toolscore (the package tool-scorer): a weighted score of calls, and the metrics it is made of.

It refuses a call whose tool has no name: every function raises `NotScorable` for one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from callscore.errors import NotScorable
from callscore.parity.calls import names_of, pairs_of
from callscore.parity.tool_scorer_arguments import (
    ArgumentScores,
    argument_scores,
    equal_share,
    repeated_share,
    steps_share,
)
from callscore.parity.tool_scorer_names import (
    SequenceScores,
    efficiency_of,
    folded,
    found_share,
    invoked_share,
    placed_share,
    redundant_share,
    selected_share,
    sequence_scores,
    tools_share,
)

if TYPE_CHECKING:
    from callscore.parity.calls import Arguments, Calls

__all__ = [
    "METRICS",
    "RATES_OF_FAULT",
    "TITLE",
    "VERSION",
    "ArgumentScores",
    "Evaluation",
    "SequenceScores",
    "argument_f1",
    "evaluate",
    "identical_rate",
    "invocation_accuracy",
    "partial_trajectory",
    "path_efficiency",
    "redundant_rate",
    "required_call_recall",
    "score",
    "selection_accuracy",
    "sequence_accuracy",
    "step_match_rate",
    "tool_correctness",
    "tool_correctness_with_args",
    "trajectory_accuracy",
]

TITLE = "Toolscore"
VERSION = "1.10.0"

_GRADES = ((0.9, "A"), (0.8, "B"), (0.7, "C"), (0.6, "D"))


class Evaluation(Struct, frozen=True, gc=False):
    """All numbers of a case; the functions of this module say what each of them is."""

    score: float
    grade: str
    invocation_accuracy: float
    selection_accuracy: float
    argument: ArgumentScores
    sequence: SequenceScores
    tool_correctness: float
    trajectory_accuracy: float
    step_match_rate: float
    path_efficiency: float
    redundant_rate: float
    identical_rate: float
    required_call_recall: float | None


def evaluate(expected: Calls, actual: Calls, *, strict: bool = False) -> Evaluation:
    """All numbers that the tool's function of this name gives.

    Args:
        expected: the calls that were expected; the arguments of one without any are not checked.
        actual: the calls that were made.
        strict: whether values have to be of the same type: 1 is not 1.0, and blanks count.

    Defects:
        Those of `score`, and of the other functions. What adds up to 0.9 or 0.8 can be a bit less
        as a float, and then has the lower grade.

    Raises:
        NotScorable: a value cannot be compared or written as JSON.
    """
    wanted, given = _pairs(expected), _pairs(actual)
    names, given_names = [name for name, _ in wanted], [name for name, _ in given]
    selection = selected_share(names, given_names)
    argument = argument_scores(wanted, given, strict=strict)
    sequence = sequence_scores(names, given_names)
    redundant = redundant_share(names, given_names)
    steps, efficiency = steps_share(wanted, given), efficiency_of(wanted, given)
    total = 0.4 * selection + 0.3 * argument.f1
    total = total + 0.2 * sequence.sequence_accuracy + 0.1 * (1.0 - redundant)
    return Evaluation(
        score=total,
        grade=next((grade for least, grade in _GRADES if total >= least), "F"),
        invocation_accuracy=invoked_share(names, given_names),
        selection_accuracy=selection,
        argument=argument,
        sequence=sequence,
        tool_correctness=tools_share(names, given_names),
        trajectory_accuracy=steps * efficiency,
        step_match_rate=steps,
        path_efficiency=efficiency,
        redundant_rate=redundant,
        identical_rate=repeated_share(given),
        required_call_recall=_completed_share(names, given_names, actual),
    )


def score(expected: Calls, actual: Calls, *, strict: bool = False) -> float:
    """The weighted sum of four metrics.

    Selection counts for 0.4, the F1 of the arguments for 0.3, the sequence for 0.2, and what is
    not redundant for 0.1.

    Args:
        expected: the calls that were expected; the arguments of one without any are not checked.
        actual: the calls that were made.
        strict: whether values have to be of the same type: 1 is not 1.0, and blanks count.

    Defects:
        A perfect case has 0.9999999999999999, as the parts are added up as floats. A call with wrong
        arguments has 0.7. Without any actual call there is nothing redundant, which gives 0.1.

    Raises:
        NotScorable: a value cannot be compared or written as JSON.
    """
    return evaluate(expected, actual, strict=strict).score


def argument_f1(expected: Calls, actual: Calls, *, strict: bool = False) -> float:
    """The F1 of single arguments, counted over all calls.

    The calls of a tool are paired so that as many as possible have a partner, and then as many
    arguments as possible are right.

    Args:
        expected: the calls that were expected; the arguments of one without any are not checked.
        actual: the calls that were made.
        strict: whether values have to be of the same type: 1 is not 1.0, and blanks count.

    Defects:
        The arguments of extra calls are not counted, and so cost no precision. With more than 12
        actual calls of a tool each expected call takes the best that is left. Unless `strict`,
        true is 1, numbers are compared as floats, so that great integers that differ are the
        same, and blanks around a text do not count, but only if it is not within a list or object.

    Raises:
        NotScorable: a value cannot be compared.
    """
    return argument_scores(_pairs(expected), _pairs(actual), strict=strict).f1


def selection_accuracy(expected: Calls, actual: Calls) -> float:
    """The share of the actual calls whose tool is expected at all.

    Defects:
        Missing calls cost nothing, nor does it to call a tool too often.
    """
    return selected_share(_names(expected), _names(actual))


def invocation_accuracy(expected: Calls, actual: Calls) -> float:
    """The share of the expected tools that are called, less half of each one missing or extra.

    Defects:
        A missing tool is counted twice, and how often a tool is called does not matter.
    """
    return invoked_share(_names(expected), _names(actual))


def sequence_accuracy(expected: Calls, actual: Calls) -> float:
    """One less the edit distance of the names, per name of the longer side.

    Defects:
        Arguments do not count.
    """
    return sequence_scores(_names(expected), _names(actual)).sequence_accuracy


def tool_correctness(expected: Calls, actual: Calls, *, strict_order: bool = False) -> float:
    """The share of the expected tools that are called at least once.

    Args:
        expected: the calls that were expected.
        actual: the calls that were made.
        strict_order: the share of the expected calls that have their name at the same position.

    Defects:
        A tool that is expected twice has to be called once. In strict order, one extra call in
        front makes all others wrong. Extra calls cost nothing, unless none is expected.
    """
    share = placed_share if strict_order else tools_share
    return share(_names(expected), _names(actual))


def tool_correctness_with_args(expected: Calls, actual: Calls) -> float:
    """The share of the expected calls that find an equal call of their own.

    Defects:
        Each takes the first that fits, so that an expected call without arguments, which fits any,
        can take the only one that fits a later one. Extra calls cost nothing. A call without
        arguments is not one with none.

    Raises:
        NotScorable: a value is nested too deep.
    """
    return equal_share(_pairs(expected), _pairs(actual))


def partial_trajectory(
    expected: Calls, actual: Calls, *, allow_tool_name_variations: bool = False
) -> float:
    """The share of the expected calls that find a call of the same tool.

    Args:
        expected: the calls that were expected.
        actual: the calls that were made.
        allow_tool_name_variations: whether case, underscores and hyphens do not count.

    Defects:
        Arguments, order and extra calls do not matter.
    """
    wanted, given = _names(expected), _names(actual)
    if allow_tool_name_variations:
        wanted, given = [folded(name) for name in wanted], [folded(name) for name in given]
    return found_share(wanted, given)


def trajectory_accuracy(expected: Calls, actual: Calls) -> float:
    """`step_match_rate` times `path_efficiency`.

    Defects:
        Those of both.

    Raises:
        NotScorable: a value is nested too deep.
    """
    wanted, given = _pairs(expected), _pairs(actual)
    return steps_share(wanted, given) * efficiency_of(wanted, given)


def step_match_rate(expected: Calls, actual: Calls) -> float:
    """The share of the expected calls that have their name and arguments at the same position.

    Defects:
        One extra call in front makes all others wrong. Extra arguments do not matter.

    Raises:
        NotScorable: a value is nested too deep.
    """
    return steps_share(_pairs(expected), _pairs(actual))


def path_efficiency(expected: Calls, actual: Calls) -> float:
    """The number of expected calls per actual call, at most 1.

    Defects:
        Where nothing is expected it is 1, whatever is called.
    """
    return efficiency_of(_names(expected), _names(actual))


def redundant_rate(expected: Calls, actual: Calls) -> float:
    """The share of the actual calls that are more than expected of their tool.

    Defects:
        Arguments do not count.
    """
    return redundant_share(_names(expected), _names(actual))


def identical_rate(expected: Calls, actual: Calls) -> float:
    """The share of the actual calls that repeat an earlier one, by their JSON text.

    Defects:
        A call that is expected twice, and made twice, is a repetition.

    Raises:
        NotScorable: a value cannot be written as JSON.
    """
    _names(expected)
    return repeated_share(_pairs(actual))


def required_call_recall(expected: Calls, actual: Calls) -> float | None:
    """The share of the expected calls that find a call of the same tool that did not fail.

    None where nothing is expected.

    Defects:
        Arguments, order and extra calls do not matter.
    """
    return _completed_share(_names(expected), _names(actual), actual)


def _completed_share(expected: list[str], actual: list[str], calls: Calls) -> float | None:
    both = zip(actual, calls, strict=True)
    completed = [name for name, call in both if not getattr(call, "failed", None)]
    return found_share(expected, completed) if expected else None


def _pairs(calls: Calls) -> list[tuple[str, Arguments]]:
    pairs = pairs_of(calls)
    _all_named([name for name, _ in pairs])
    return pairs


def _names(calls: Calls) -> list[str]:
    return _all_named(names_of(calls))


def _all_named(names: list[str]) -> list[str]:
    if "" in names:
        raise NotScorable("Toolscore does not take a call whose tool has no name.")
    return names


METRICS = (
    *(score, argument_f1, selection_accuracy, invocation_accuracy, sequence_accuracy),
    *(tool_correctness, tool_correctness_with_args, trajectory_accuracy, step_match_rate),
    *(path_efficiency, partial_trajectory, redundant_rate, identical_rate, required_call_recall),
)
RATES_OF_FAULT = (redundant_rate, identical_rate)  # of which less is better
