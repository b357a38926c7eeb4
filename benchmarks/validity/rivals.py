"""The metrics of other tools: each with its defaults, and with its options changed one at a time."""

from __future__ import annotations

from types import UnionType
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

from callscore.metrics.metric import options_of
from callscore.metrics.registry import metric_named, provider_named
from callscore.parity import TOOLS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callscore.metrics.metric import Metric, Option

__all__ = ["rivals"]

# Two options together, where one alone is known to leave something out.
_COMBINED = (
    "deepeval.tool_correctness:input_parameters=true,should_consider_ordering=true",
    "deepeval.tool_correctness:input_parameters=true,should_exact_match=true",
    "google_adk.trajectory:match_type=ANY_ORDER,ignore_args=true",
    "mcpjam.passed:tool_call_order=superset,argument_matching=exact",
)

# Options that change what is given to a tool, and not what it measures.
_ABOUT_THE_INPUT = ("one_message", "output", "underscore_to_dot")


def rivals() -> list[Metric]:
    """Every metric of every other tool for which more is better, by name."""
    names = [*_COMBINED]
    for tool in TOOLS:
        for metric, function in provider_named(tool).metrics.items():
            name = f"{tool}.{metric}"
            options = options_of(function)
            if not any(option.is_required for option in options):
                names += [name, *(f"{name}:{changed}" for changed in _changed(options))]
    found = (metric_named(name) for name in names)
    return sorted(
        (metric for metric in found if not metric.less_is_better), key=lambda metric: metric.name
    )


def _changed(options: tuple[Option, ...]) -> Iterator[str]:
    """One option at a time with each of the words that are not its default."""
    for option in options:
        if option.name not in _ABOUT_THE_INPUT:
            for value in _words(option.type):
                if value != option.default:
                    yield f"{option.name}={str(value).lower() if value in (True, False) else value}"


def _words(kind: Any) -> tuple[Any, ...]:
    if kind is bool:
        return (True, False)
    if get_origin(kind) is Literal:
        return get_args(kind)
    if isinstance(kind, UnionType):
        return tuple(word for member in get_args(kind) for word in _words(member))
    return ()
