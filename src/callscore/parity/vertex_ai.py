"""Vertex AI: the six metrics of a trajectory that its evaluation service computes.

The service cannot be run here. Google documents its metrics on
https://cloud.google.com/vertex-ai/generative-ai/docs/models/evaluation-agents, where calls are
objects with `tool_name` and `tool_input`:

- exact match: the same calls in the same order;
- in-order match: all calls of the reference in the same order, and possibly others;
- any-order match: all calls of the reference in any order, and possibly others;
- precision: how many calls of the prediction also appear in the reference, divided by the number of
  calls of the prediction;
- recall: how many calls of the reference also appear in the prediction, divided by the number of
  calls of the reference;
- single tool use: whether the prediction has a call of a tool that is named.

Not documented, our interpretation: inputs are the same if they are the same JSON value, so that 1 is
1.0, true is not 1, and the order of keys does not matter; a call without an input has an empty one.
The docstring of each metric describes repeated and missing calls.
"""

from __future__ import annotations

from callscore.core.equality import fingerprint
from callscore.errors import NotScorable
from callscore.parity.parameters import Calls, names_of, pairs_of
from callscore.parity.value_comparison import is_submultiset, is_subsequence

__all__ = [
    "METRICS",
    "TITLE",
    "VERSION",
    "trajectory_any_order_match",
    "trajectory_exact_match",
    "trajectory_in_order_match",
    "trajectory_precision",
    "trajectory_recall",
    "trajectory_single_tool_use",
]

TITLE = "Vertex AI"
VERSION = "as documented"  # a service has no version


def trajectory_exact_match(expected: Calls, actual: Calls) -> float:
    """1.0 if the calls are the same in the same order, else 0.0.

    No calls where none are expected are the same: our interpretation.

    Args:
        expected: the expected calls, which the service calls the reference.
        actual: the actual calls, which the service calls the prediction.

    Defects:
        None known.
    """
    return 1.0 if _keys(expected) == _keys(actual) else 0.0


def trajectory_in_order_match(expected: Calls, actual: Calls) -> float:
    """1.0 if all expected calls were made in this order, else 0.0; others are allowed.

    If none is expected, anything matches: our interpretation.

    Args:
        expected: the expected calls, which the service calls the reference.
        actual: the actual calls, which the service calls the prediction.

    Defects:
        Extra calls cost nothing.
    """
    return 1.0 if is_subsequence(_keys(expected), _keys(actual)) else 0.0


def trajectory_any_order_match(expected: Calls, actual: Calls) -> float:
    """1.0 if all expected calls were made in any order, else 0.0; others are allowed.

    A call that is expected twice must be made twice, and if none is expected, anything
    matches: our interpretation, for this is what Google's Agent Development Kit does in its match of the
    same description.

    Args:
        expected: the expected calls, which the service calls the reference.
        actual: the actual calls, which the service calls the prediction.

    Defects:
        Extra calls cost nothing.
    """
    return 1.0 if is_submultiset(_keys(expected), _keys(actual)) else 0.0


def trajectory_precision(expected: Calls, actual: Calls) -> float:
    """The share of the actual calls that appear among the expected ones.

    Each actual call is looked for by itself, as the documented count says: one that is made twice
    and expected once counts twice.

    Args:
        expected: the expected calls, which the service calls the reference.
        actual: the actual calls, which the service calls the prediction.

    Defects:
        A right call can be repeated at no cost, and calls that are missing cost nothing.

    Raises:
        NotScorable: no call was made, and the documented formula would divide by zero.
    """
    return _share(_keys(actual), _keys(expected), "the number of actual calls")


def trajectory_recall(expected: Calls, actual: Calls) -> float:
    """The share of the expected calls that appear among the actual ones.

    Each expected call is looked for by itself, as the documented count says: one that is expected
    twice and made once counts twice.

    Args:
        expected: the expected calls, which the service calls the reference.
        actual: the actual calls, which the service calls the prediction.

    Defects:
        One call counts for every expected one that is the same, and extra calls cost nothing.

    Raises:
        NotScorable: no call is expected, and the documented formula would divide by zero.
    """
    return _share(_keys(expected), _keys(actual), "the number of expected calls")


def trajectory_single_tool_use(
    expected: Calls,
    actual: Calls,
    *,
    tool_name: str,
) -> float:
    """1.0 if a tool was called, however often and with whatever arguments, else 0.0.

    Args:
        expected: the expected calls; they are not used.
        actual: the actual calls, which the service calls the prediction.
        tool_name: the tool; the service has no default for it either.

    Defects:
        Other calls, and the number of calls of the tool, do not matter.
    """
    del expected
    return 1.0 if tool_name in names_of(actual) else 0.0


def _keys(calls: Calls) -> list[tuple[str, str]]:
    return [(name, fingerprint(arguments or {})) for name, arguments in pairs_of(calls)]


def _share(counted: list[tuple[str, str]], known: list[tuple[str, str]], divisor: str) -> float:
    if not counted:
        raise NotScorable(f"Vertex AI divides by {divisor}, and there is none.")
    among = set(known)
    return sum(key in among for key in counted) / len(counted)


METRICS = (
    trajectory_exact_match,
    trajectory_in_order_match,
    trajectory_any_order_match,
    trajectory_precision,
    trajectory_recall,
    trajectory_single_tool_use,
)
