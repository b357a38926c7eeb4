"""Modules that reproduce tools: what they offer, and those that other packages bring."""

from __future__ import annotations

import inspect
from types import ModuleType
from typing import TYPE_CHECKING, Any

from callscore.errors import InvalidSettings
from callscore.metrics.metric import Peer
from callscore.parity import TOOLS
from callscore.plugins import PluginKind

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

__all__ = ["PEERS", "from_other_packages", "peer_of"]

PEERS = PluginKind("metrics", "callscore.parity", "callscore.metrics", InvalidSettings, TOOLS)
_NEEDED = ("TITLE", "VERSION", "METRICS")


def peer_of(name: str, module: ModuleType) -> Peer:
    """What a module offers, which is known to have all that it needs."""
    given = vars(module)
    metrics = {function.__name__: function for function in module.METRICS}
    return Peer(
        name=name,
        title=module.TITLE,
        version=module.VERSION,
        metrics=metrics,
        others={
            public: given[public]
            for public in given.get("__all__", ())
            if inspect.isfunction(given.get(public)) and public not in metrics
        },
        rates_of_fault=tuple([rate.__name__ for rate in given.get("RATES_OF_FAULT", ())]),
        inverting=tuple(given.get("INVERTING_OPTIONS", ())),
        knows_rules=given.get("KNOWS_RULES") is True,
    )


def from_other_packages(*, reserved: Collection[str]) -> list[Peer]:
    """The tools that other packages bring, by their entry points.

    Args:
        reserved: names that are taken.

    Raises:
        InvalidSettings: one of them cannot be used.
    """
    found: dict[str, Peer] = {}
    for name, module, label in PEERS.from_packages():
        problem = _name_problem(name, {*reserved, *found}) or _problem_of(module)
        if problem is not None:
            raise InvalidSettings(f"{label} cannot be used: {problem}.")
        found[name] = peer_of(name, module)
    return list(found.values())


def _name_problem(name: str, taken: Collection[str]) -> str | None:
    if name in taken:
        return "there is another tool of this name"
    return None if name.isidentifier() else "its name is not a word of letters and digits"


def _problem_of(module: Any) -> str | None:
    if not isinstance(module, ModuleType):
        return f"it is no module, but something of the type {type(module).__name__}"
    missing = [part for part in _NEEDED if part not in vars(module)]
    if missing:
        return f"it lacks {', '.join(missing)}"
    return next((problem for problem, is_so in _PROBLEMS.items() if is_so(module)), None)


def _is_function(value: Any) -> bool:
    if not callable(value) or not isinstance(getattr(value, "__name__", None), str):
        return False
    try:
        inspect.signature(value)
    except (TypeError, ValueError):
        return False
    return True


def _has_no_functions(module: ModuleType) -> bool:
    metrics = module.METRICS
    return not isinstance(metrics, tuple | list) or not all(map(_is_function, metrics))


def _has_strange_rates(module: ModuleType) -> bool:
    rates = getattr(module, "RATES_OF_FAULT", ())
    return not isinstance(rates, tuple | list) or not all(rate in module.METRICS for rate in rates)


def _has_strange_options(module: ModuleType) -> bool:
    options = getattr(module, "INVERTING_OPTIONS", ())
    is_list = isinstance(options, tuple | list)
    return not is_list or not all(isinstance(option, str) for option in options)


# What may be wrong with a module that has all its parts, in the order in which it is looked for.
_PROBLEMS: dict[str, Callable[[ModuleType], bool]] = {
    "TITLE is no text": lambda module: not isinstance(module.TITLE, str),
    "VERSION is no text": lambda module: not isinstance(module.VERSION, str),
    "METRICS is no tuple of functions": _has_no_functions,
    "METRICS has two functions of one name": lambda module: (
        len({function.__name__ for function in module.METRICS}) < len(module.METRICS)
    ),
    "RATES_OF_FAULT is no tuple of some of METRICS": _has_strange_rates,
    "INVERTING_OPTIONS is no tuple of names": _has_strange_options,
}
