"""Azure AI Evaluation: how efficiently an agent navigated a task, by the calls it made.

The evaluator of this name is private in the package. It gives a match, by one of three rules, and
the precision, recall and F1 of the calls as multisets.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import eq
from typing import Any, Literal

from msgspec import Struct

from callscore.errors import NotScorable
from callscore.parity.parameters import Calls, names_of, option_value, pairs_of
from callscore.parity.value_comparison import (
    common_count,
    f1_of,
    is_submultiset,
    is_subsequence,
    python_json_text,
)

__all__ = [
    "METRICS",
    "TITLE",
    "VERSION",
    "MatchingMode",
    "NavigationEfficiency",
    "navigation_efficiency",
    "navigation_f1",
    "navigation_match",
    "navigation_precision",
    "navigation_recall",
]

TITLE = "Azure AI Evaluation"
VERSION = "1.18.10"

MatchingMode = Literal["exact_match", "in_order_match", "any_order_match"]

# Calls as they are compared: by name, or by name and the texts of the arguments.
_Steps = list[Any]


class NavigationEfficiency(Struct, frozen=True, gc=False):
    """What the evaluator returns.

    Attributes:
        match: 1.0 if the calls match, else 0.0.
        precision: the share of the actual calls that were expected.
        recall: the share of the expected calls that were made.
        f1: the harmonic mean of both.
    """

    match: float
    precision: float
    recall: float
    f1: float


def navigation_efficiency(
    expected: Calls,
    actual: Calls,
    *,
    matching_mode: MatchingMode = "exact_match",
    parameters: bool = True,
) -> NavigationEfficiency:
    """All results of the evaluator.

    Args:
        expected: the expected calls.
        actual: the actual calls.
        matching_mode: `exact_match` for the same calls in the same order, `in_order_match` where
            others may be in between, `any_order_match` if the order does not matter either.
            The other three numbers do not depend on it.
        parameters: compare arguments as well; otherwise only names. Added by callscore: Azure compares
            arguments where it is given some.

    Defects:
        The expected arguments are kept by the name of the tool, so that all expected calls of one
        tool have those of the last. They are looked up by the name without the white space around
        it but kept with it, so that an expected call of `"book "` has no arguments.
        Values are compared as texts: 1 is "1", None is "None" and `[1]` is "[1]", but 1 is not 1.0.
        Without an expected call there is no score, even if none was made.

    Raises:
        InvalidSettings: the mode is unknown.
        NotScorable: nothing is expected; or arguments are compared, and an expected call has none,
            or a value cannot be written as text.
    """
    rule = option_value("matching_mode", matching_mode, _RULES)
    wanted, made = _steps(expected, actual, parameters=parameters)
    precision, recall, f1 = _rates(wanted, made)
    return NavigationEfficiency(1.0 if rule(wanted, made) else 0.0, precision, recall, f1)


def navigation_match(
    expected: Calls,
    actual: Calls,
    *,
    matching_mode: MatchingMode = "exact_match",
    parameters: bool = True,
) -> float:
    """Whether the calls match, 1.0 or 0.0: the `match` of `navigation_efficiency`.

    Args:
        expected: the expected calls.
        actual: the actual calls.
        matching_mode: `exact_match` for the same calls in the same order, `in_order_match` where
            others may be in between, `any_order_match` if the order does not matter either.
        parameters: compare arguments as well; otherwise only names. Added by callscore: Azure compares
            arguments where it is given some.

    Defects:
        All expected calls of one tool have the arguments of the last of them. Values are compared as
        texts: 1 is "1", but not 1.0. Without an expected call there is no score.

    Raises:
        InvalidSettings: the mode is unknown.
        NotScorable: as for `navigation_efficiency`.
    """
    return navigation_efficiency(
        expected, actual, matching_mode=matching_mode, parameters=parameters
    ).match


def navigation_precision(expected: Calls, actual: Calls, *, parameters: bool = True) -> float:
    """The share of the actual calls that were expected: `precision` of `navigation_efficiency`.

    Args:
        expected: the expected calls.
        actual: the actual calls.
        parameters: compare arguments as well; otherwise only names. Added by callscore: Azure compares
            arguments where it is given some.

    Defects:
        All expected calls of one tool have the arguments of the last of them. Values are compared as
        texts: 1 is "1", but not 1.0. Without an expected call there is no score.

    Raises:
        NotScorable: as for `navigation_efficiency`.
    """
    return _rates(*_steps(expected, actual, parameters=parameters))[0]


def navigation_recall(expected: Calls, actual: Calls, *, parameters: bool = True) -> float:
    """The share of the expected calls that were made: the `recall` of `navigation_efficiency`.

    Args:
        expected: the expected calls.
        actual: the actual calls.
        parameters: compare arguments as well; otherwise only names. Added by callscore: Azure compares
            arguments where it is given some.

    Defects:
        All expected calls of one tool have the arguments of the last of them. Values are compared as
        texts: 1 is "1", but not 1.0. Without an expected call there is no score.

    Raises:
        NotScorable: as for `navigation_efficiency`.
    """
    return _rates(*_steps(expected, actual, parameters=parameters))[1]


def navigation_f1(expected: Calls, actual: Calls, *, parameters: bool = True) -> float:
    """The harmonic mean of precision and recall: the `f1` of `navigation_efficiency`.

    Args:
        expected: the expected calls.
        actual: the actual calls.
        parameters: compare arguments as well; otherwise only names. Added by callscore: Azure compares
            arguments where it is given some.

    Defects:
        All expected calls of one tool have the arguments of the last of them. Values are compared as
        texts: 1 is "1", but not 1.0. Without an expected call there is no score.

    Raises:
        NotScorable: as for `navigation_efficiency`.
    """
    return _rates(*_steps(expected, actual, parameters=parameters))[2]


def _steps(expected: Calls, actual: Calls, *, parameters: bool) -> tuple[_Steps, _Steps]:
    if not expected:
        raise NotScorable("Azure requires at least one expected call.")
    if not parameters:
        wanted, made = names_of(expected), names_of(actual)
        return [name.strip() for name in wanted], [name.strip() for name in made]
    steps = _expected_steps(expected)
    return steps, [(name.strip(), _texts(given or {})) for name, given in pairs_of(actual)]


def _expected_steps(expected: Calls) -> _Steps:
    pairs = pairs_of(expected)
    texts: dict[str, frozenset[tuple[str, str]]] = {}
    for name, arguments in dict(pairs).items():  # of the calls of one tool, the last
        if arguments is None:
            raise NotScorable("Azure requires an object of arguments for every expected tool.")
        texts[name] = _texts(arguments)
    names = [name.strip() for name, _ in pairs]
    return [(name, texts.get(name, frozenset())) for name in names]


def _texts(arguments: dict[str, Any]) -> frozenset[tuple[str, str]]:
    return frozenset([(key, _text(value)) for key, value in arguments.items()])


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict | list):
        return python_json_text(value, sort_keys=True)
    try:
        return str(value)
    except ValueError as error:
        raise NotScorable(f"a number cannot be written as text: {error}.") from error


def _rates(expected: _Steps, actual: _Steps) -> tuple[float, float, float]:
    """Precision, recall and F1."""
    common = common_count(expected, actual)
    precision = common / len(actual) if actual else 0.0
    return precision, common / len(expected), f1_of(common, len(expected), len(actual))


_RULES: dict[str, Callable[[_Steps, _Steps], bool]] = {
    "exact_match": eq,
    "in_order_match": is_subsequence,
    "any_order_match": is_submultiset,
}

METRICS = (navigation_match, navigation_precision, navigation_recall, navigation_f1)
