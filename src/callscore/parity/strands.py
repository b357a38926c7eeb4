"""Strands Agents Evals: three scorers over trajectories of opaque items.

Strands gives them to a language model, as tools for judging a trajectory. The scorers take items of
any type, in whatever form the caller represents a call; the metrics create items from the calls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import eq
from typing import Any, Literal

from callscore.errors import NotScorable
from callscore.parity.parameters import Calls, names_of, option_value, pairs_of
from callscore.parity.value_comparison import python_json_text

__all__ = [
    "METRICS",
    "TITLE",
    "VERSION",
    "any_order",
    "any_order_match_scorer",
    "exact",
    "exact_match_scorer",
    "in_order",
    "in_order_match_scorer",
]

TITLE = "Strands Agents Evals"
VERSION = "1.7.0"

Items = Literal["names", "calls"]


def exact_match_scorer(expected: Sequence[Any], actual: Sequence[Any]) -> float:
    """The share of the expected items that are at the same position of the actual ones.

    Defects:
        Calls beyond the expected ones cost nothing. Without any expected item it divides by zero.

    Raises:
        NotScorable: nothing is expected.
    """
    if not expected:
        raise NotScorable("Strands divides by the number of expected calls, and there is none.")
    found: int = sum(map(eq, expected, actual))
    return found / len(expected)


def in_order_match_scorer(expected: Sequence[Any], actual: Sequence[Any]) -> float:
    """How much of the expected sequence, from its start, is found in the actual one in this order.

    Defects:
        It stops at the first expected item that is not found, however many of the others are.
        Extra calls cost nothing, even where none is expected.
    """
    if not expected or expected == actual:  # fast, and true of most cases
        return 1.0
    rest = iter(actual)
    for found, item in enumerate(expected):
        if item not in rest:  # this advances until it is found
            return found / len(expected)
    return 1.0


def any_order_match_scorer(expected: Sequence[Any], actual: Sequence[Any]) -> float:
    """The number of different expected items that are found anywhere, per expected item.

    Defects:
        Items are compared as sets, but counted as a list: a call that is expected twice, and made
        twice, counts once of two. Extra calls cost nothing. Items that have no hash are an error.

    Raises:
        NotScorable: an item has no hash.
    """
    if not expected:
        return 1.0
    try:
        return len(set(expected) & set(actual)) / len(expected)
    except TypeError as error:
        raise NotScorable("Strands puts the items into sets, and these have no hash.") from error


def exact(expected: Calls, actual: Calls, *, items: Items = "names") -> float:
    """The share of the expected calls that are at the same position: `exact_match_scorer`.

    Args:
        expected: the expected calls.
        actual: the actual calls.
        items: what represents a call: its name, or its name and its arguments. Added by callscore:
            Strands is given items.

    Defects:
        Calls beyond the expected ones cost nothing. Without any expected call it divides by zero.

    Raises:
        InvalidSettings: there are no such items.
        NotScorable: nothing is expected.
    """
    items_of = _ITEMS.get(items) or option_value("items", items, _ITEMS)
    return exact_match_scorer(items_of(expected), items_of(actual))


def in_order(expected: Calls, actual: Calls, *, items: Items = "names") -> float:
    """How much of the expected sequence, from its start, was called: `in_order_match_scorer`.

    Args:
        expected: the expected calls.
        actual: the actual calls.
        items: what represents a call: its name, or its name and its arguments. Added by callscore:
            Strands is given items.

    Defects:
        It stops at the first expected call that is not found, however many of the others are.
        Extra calls cost nothing, even where none is expected.

    Raises:
        InvalidSettings: there are no such items.
    """
    items_of = _ITEMS.get(items) or option_value("items", items, _ITEMS)
    return in_order_match_scorer(items_of(expected), items_of(actual))


def any_order(expected: Calls, actual: Calls, *, items: Items = "names") -> float:
    """The number of different expected calls that were made, per expected call.

    This is its `any_order_match_scorer`.

    Args:
        expected: the expected calls.
        actual: the actual calls.
        items: what represents a call: its name, or its name and its arguments. Added by callscore:
            Strands is given items.

    Defects:
        A call that is expected twice, and made twice, counts once of two. Extra calls cost nothing,
        even where none is expected.

    Raises:
        InvalidSettings: there are no such items.
    """
    items_of = _ITEMS.get(items) or option_value("items", items, _ITEMS)
    return any_order_match_scorer(items_of(expected), items_of(actual))


def _texts_of(calls: Calls) -> Sequence[Any]:
    return [
        (name, python_json_text(arguments, sort_keys=True)) for name, arguments in pairs_of(calls)
    ]


_ITEMS: dict[str, Callable[[Calls], Sequence[Any]]] = {"names": names_of, "calls": _texts_of}


METRICS = (any_order, in_order, exact)
