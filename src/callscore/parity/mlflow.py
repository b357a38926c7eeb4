"""MLflow: whether the tool calls of a trace are the expected ones, by exact comparison.

`ToolCallCorrectness` asks a language model unless `should_exact_match` is set. Only the exact match
is reproduced here. It answers yes or no.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from callscore.errors import NotScorable
from callscore.parity.parameters import Calls, names_of, pairs_of
from callscore.parity.value_comparison import python_json_text

__all__ = ["METRICS", "TITLE", "VERSION", "tool_call_correctness"]

TITLE = "MLflow"
VERSION = "3.17.2"


def tool_call_correctness(
    expected: Calls,
    actual: Calls,
    *,
    should_consider_ordering: bool = False,
    include_arguments: bool = True,
) -> float:
    """Whether the calls are exactly the expected ones: 1.0 for yes, 0.0 for no.

    Arguments are compared as JSON texts with sorted keys: 1, 1.0 and true are three values.

    Args:
        expected: the expected calls. If one of them has None for its arguments,
            names alone are compared, for all calls.
        actual: the actual calls.
        should_consider_ordering: compare position by position.
        include_arguments: take the expected arguments into account; else it is as if no expected
            call had any. Added by callscore: MLflow sees whether some are given.

    Defects:
        Without ordering, equal numbers of calls are compared as sets: a call that is made once and
        expected twice passes where another is made twice and expected once.
        One expected call without arguments makes the arguments of all others count for nothing.
        Without an expected call there is no score, even if none was made.

    Raises:
        NotScorable: nothing is expected, or arguments cannot be written as JSON.
    """
    if not expected:
        raise NotScorable("MLflow requires at least one expected call for an exact comparison.")
    if len(expected) != len(actual):
        return 0.0
    by_arguments = include_arguments and all(
        arguments is not None for _, arguments in pairs_of(expected)
    )
    read: Callable[[Calls], Sequence[Hashable]] = _signatures if by_arguments else names_of
    wanted, made = read(expected), read(actual)
    is_right = wanted == made if should_consider_ordering else set(wanted) == set(made)
    return 1.0 if is_right else 0.0


def _signatures(calls: Calls) -> list[tuple[str, str]]:
    return [
        (name, python_json_text(arguments or {}, sort_keys=True))
        for name, arguments in pairs_of(calls)
    ]


METRICS = (tool_call_correctness,)
