"""All metrics of other tools that can be asked for by name, on the command line too."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

from callscore.core.nearest import meant_by
from callscore.errors import InvalidSettings
from callscore.metrics import own
from callscore.metrics.metric import Metric
from callscore.metrics.options import options_of, python_options_of, takes_tools, told
from callscore.metrics.peers import PEERS, from_other_packages, peer_of
from callscore.parity import TOOLS

if TYPE_CHECKING:
    from collections.abc import Callable

    from callscore.metrics.metric import Peer

__all__ = [
    "find",
    "headlines",
    "itself",
    "metric_named",
    "metrics_from",
    "peer_named",
    "peers",
]

_SEE = "`callscore metrics` lists all."


@cache
def peers() -> tuple[Peer, ...]:
    """Every tool of which a metric can be asked for by name, in alphabetical order.

    Raises:
        InvalidSettings: one that another package brings cannot be used.
    """
    found = [*map(_built_in, TOOLS), *from_other_packages(reserved=(own.NAME, *TOOLS))]
    return tuple(sorted((peer for peer in found if peer.metrics), key=lambda peer: peer.name))


@cache
def itself() -> Peer:
    """Callscore's own score, as if it were another tool's."""
    return peer_of(own.NAME, own)


@cache
def _built_in(name: str) -> Peer:
    return peer_of(name, PEERS.built_in_named(name).module)


def headlines() -> tuple[Metric, ...]:
    """Callscore's own score, and the metric that each other tool is known for, as the tool comes.

    A metric that must be told something, or of which less is better, stands for no tool.
    """
    firsts = [(peer, next(iter(peer.metrics))) for peer in _everybody()]
    return tuple(
        metric_named(f"{peer.name}.{name}")
        for peer, name in firsts
        if name not in peer.rates_of_fault and not _must_be_told(peer.metrics[name])
    )


def _must_be_told(function: Callable[..., Any]) -> bool:
    options = (*options_of(function), *python_options_of(function))
    return any(option.is_required for option in options)


def _everybody() -> tuple[Peer, ...]:
    return itself(), *peers()


def metrics_from(given: str | Metric | Iterable[str | Metric]) -> tuple[Metric, ...]:
    """The metrics that are asked for, by name or as they are, each of them once.

    Raises:
        InvalidSettings: there is no such metric, it has no such option or value, or two of them
            have one name.
    """
    asked = [given] if isinstance(given, str | Metric) else given
    if not isinstance(asked, Iterable):
        raise InvalidSettings(f"metrics: {given!r} is not a list of metrics. {_SEE}")
    found: dict[str, Metric] = {}
    for item in asked:
        metric = item if isinstance(item, Metric) else metric_named(item)
        if found.setdefault(metric.name, metric) != metric:
            raise InvalidSettings(f"metrics: two different ones are called {metric.name!r}.")
    return tuple(found.values())


def metric_named(text: str) -> Metric:
    """The metric that is asked for: `tool.metric`, or `tool.metric:option=value,option=value`.

    Raises:
        InvalidSettings: there is none, or it has no such option or value.
    """
    if not isinstance(text, str):
        raise InvalidSettings(f"metrics: {text!r} is not the name of a metric. {_SEE}")
    name, colon, given = text.partition(":")
    peer, function = find(name)
    metric = name.partition(".")[2]
    if metric not in peer.metrics:
        raise InvalidSettings(
            f"{name} does not give one number a case: it is called from Python, and"
            f" `callscore metrics {name}` shows how. {_numbers_of(peer)}"
        )
    options = told(name, given if colon else None, function)
    return Metric(
        text,
        function,
        options,
        takes_tools=takes_tools(function),
        version=peer.version,
        less_is_better=metric in peer.rates_of_fault
        or any(options.get(option) is True for option in peer.inverting),
        knows_rules=peer.knows_rules,
    )


def find(name: str) -> tuple[Peer, Callable[..., Any]]:
    """The tool that has a function, and the function, by the name without options.

    Raises:
        InvalidSettings: there is no such function.
    """
    tool, dot, function = name.partition(".")
    peer = peer_named(tool, name)
    functions = peer.metrics | peer.others
    if not dot:
        raise InvalidSettings(f"{tool} is a tool. {_numbers_of(peer)}")
    if function not in functions:
        meant = meant_by(function, functions) if function else ""
        others = f"{meant or '.'} {_numbers_of(peer)}"
        raise InvalidSettings(f"there is no metric {name!r}: {tool} has no {function!r}{others}")
    return peer, functions[function]


def _numbers_of(peer: Peer) -> str:
    """What can be asked of a tool."""
    if peer.metrics:
        names = [f"{peer.name}.{metric}" for metric in peer.metrics]
        return f"The numbers of {peer.name} are {', '.join(names)}."
    names = [f"{peer.name}.{function}" for function in peer.others]
    return f"{peer.name} has no number of a single case; in Python it has {', '.join(names)}."


def peer_named(tool: str, name: str | None = None) -> Peer:
    """The tool of this name.

    Args:
        tool: what it is called.
        name: what was asked for, to be named where there is no such tool.

    Raises:
        InvalidSettings: there is no such tool.
    """
    if tool in TOOLS:  # one of many, and only that one is imported
        return _built_in(tool)
    by_name = {peer.name: peer for peer in _everybody()}
    if tool in by_name:
        return by_name[tool]
    if tool in {"", "all", "*"}:
        what = f"{name or tool!r} is no metric" if tool else "the name of a metric is missing"
        raise InvalidSettings(f"{what}: say which, each with a --metric of its own. {_SEE}")
    meant = meant_by(tool, by_name) or "."
    raise InvalidSettings(f"there is no metric {name or tool!r}: no tool {tool!r}{meant} {_SEE}")
