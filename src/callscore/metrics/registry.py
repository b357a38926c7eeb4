"""All metrics of other tools that can be asked for by name, on the command line too."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from callscore.core.nearest import meant_by
from callscore.errors import InvalidSettings
from callscore.metrics import own
from callscore.metrics.metric import Metric, Peer
from callscore.metrics.options import converted, options_of, takes_tools
from callscore.parity import TOOLS

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from callscore.metrics.metric import Option

__all__ = [
    "function_named",
    "headlines",
    "itself",
    "metric_named",
    "metrics_from",
    "options_of",
    "peers",
]

_ENTRY_POINTS = "callscore.metrics"
_NEEDED = ("TITLE", "VERSION", "METRICS")
_SEE = "`callscore metrics` lists all."


@cache
def peers() -> tuple[Peer, ...]:
    """Every tool of which a metric can be asked for by name, in alphabetical order.

    Raises:
        InvalidSettings: one that another package brings cannot be used.
    """
    modules = [(name, import_module(f"callscore.parity.{name}")) for name in TOOLS]
    found = [_peer_of(name, module) for name, module in [*modules, *_from_other_packages()]]
    return tuple(sorted((peer for peer in found if peer.metrics), key=lambda peer: peer.name))


@cache
def itself() -> Peer:
    """Callscore's own score, as if it were another tool's."""
    return _peer_of(own.NAME, own)


def _from_other_packages() -> list[tuple[str, ModuleType]]:
    from importlib.metadata import entry_points

    found = []
    for point in entry_points(group=_ENTRY_POINTS):
        try:
            found.append((point.name, point.load()))
        except Exception as error:  # whatever another package does wrong
            problem = f"the metrics {point.name} ({point.value}) cannot be imported: {error}."
            raise InvalidSettings(problem) from error
    return found


def _peer_of(name: str, module: ModuleType) -> Peer:
    missing = [part for part in _NEEDED if part not in vars(module)]
    if missing:
        problem = f"lacks {', '.join(missing)}"
        raise InvalidSettings(
            f"the metrics {name} ({module.__name__}) cannot be used: it {problem}."
        )
    metrics = {function.__name__: function for function in module.METRICS}
    return Peer(name=name, title=module.TITLE, version=module.VERSION, metrics=metrics)


def headlines() -> tuple[Metric, ...]:
    """The metric that each tool is known for, as the tool comes."""
    return tuple(metric_named(f"{peer.name}.{next(iter(peer.metrics))}") for peer in peers())


def metrics_from(given: str | Metric | Iterable[str | Metric]) -> tuple[Metric, ...]:
    """The metrics that are asked for, by name or as they are, each of them once.

    Raises:
        InvalidSettings: there is no such metric, or it has no such option or value.
    """
    asked = [given] if isinstance(given, str | Metric) else given
    if not isinstance(asked, Iterable):
        raise InvalidSettings(f"metrics: {given!r} is not a list of metrics. {_SEE}")
    found = [item if isinstance(item, Metric) else metric_named(item) for item in asked]
    return tuple({metric.name: metric for metric in found}.values())


def metric_named(text: str) -> Metric:
    """The metric that is asked for: `tool.metric`, or `tool.metric:option=value,option=value`.

    Raises:
        InvalidSettings: there is none, or it has no such option or value.
    """
    if not isinstance(text, str):
        raise InvalidSettings(f"metrics: {text!r} is not the name of a metric. {_SEE}")
    name, _, given = text.partition(":")
    function = function_named(name)
    options = _told(name, given, {option.name: option for option in options_of(function)})
    return Metric(text, function, options, takes_tools=takes_tools(function))


def _told(name: str, given: str, known: dict[str, Option]) -> dict[str, Any]:
    """The options of a metric, from how they are written."""
    options = {}
    for part in filter(None, given.split(",")):
        option, equals, value = part.partition("=")
        if option not in known:
            meant = meant_by(option, known) or "."
            see = f" `callscore metrics {name}` shows what it can be told."
            raise InvalidSettings(f"the metric {name} has no option {option!r}{meant}{see}")
        if not equals:
            raise InvalidSettings(f"{name}:{option}: say what it is, as in {name}:{option}=...")
        options[option] = converted(f"{name}:{option}", value, known[option].type)
    lacking = [key for key, option in known.items() if option.is_required and key not in options]
    if lacking:
        raise InvalidSettings(
            f"the metric {name} must be told {', '.join(lacking)}: {name}:{lacking[0]}=..."
        )
    return options


def function_named(name: str) -> Callable[..., float | None]:
    """What gives the number of a metric, by the name without options.

    Raises:
        InvalidSettings: there is no such metric.
    """
    tool, _, metric = name.partition(".")
    by_name = {peer.name: peer for peer in (itself(), *peers())}
    if tool not in by_name:
        meant = meant_by(tool, by_name) or "."
        raise InvalidSettings(f"there is no metric {name!r}: no tool {tool!r}{meant} {_SEE}")
    metrics = by_name[tool].metrics
    if metric not in metrics:
        meant = meant_by(metric, metrics) if metric else ""
        others = meant or f"; it has {', '.join(metrics)}."
        raise InvalidSettings(
            f"there is no metric {name!r}: {tool} has no {metric!r}{others} {_SEE}"
        )
    return metrics[metric]
