"""All metrics by name: callscore's own, those of `parity`, and those of other packages."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

from callscore import __version__
from callscore.core.rendering import mention
from callscore.core.scoring import score_calls
from callscore.core.settings import DEFAULT
from callscore.core.suggestions import did_you_mean
from callscore.errors import InvalidSettings
from callscore.metrics.metric import (
    Metric,
    MetricProvider,
    options_of,
    parse_options,
    python_options_of,
    takes_tools,
)
from callscore.parity import TOOLS
from callscore.plugins import PluginKind

if TYPE_CHECKING:
    from callscore.core.call import ToolCall
    from callscore.core.case import Expected

METRIC_PLUGINS = PluginKind(
    "metrics", "callscore.parity", "callscore.metrics", InvalidSettings, TOOLS
)
_REQUIRED_NAMES = ("TITLE", "VERSION", "METRICS")


def provider_from_module(name: str, module: ModuleType) -> MetricProvider:
    """The provider of a valid module."""
    given = vars(module)
    metrics = {function.__name__: function for function in module.METRICS}
    return MetricProvider(
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


def providers_of_other_packages(*, reserved: Collection[str]) -> list[MetricProvider]:
    """The tools of other packages, found by entry points; reserved names are errors.

    Raises:
        InvalidSettings: one of them cannot be used.
    """
    found: dict[str, MetricProvider] = {}
    for name, module, label in METRIC_PLUGINS.from_packages():
        if name in reserved or name in found:
            problem: str | None = "another tool has this name"
        elif not name.isidentifier():
            problem = "its name is not a Python identifier"
        else:
            problem = _module_problem(module)
        if problem is not None:
            raise InvalidSettings(f"{label} cannot be used: {problem}.")
        found[name] = provider_from_module(name, module)
    return list(found.values())


def _module_problem(module: Any) -> str | None:
    if not isinstance(module, ModuleType):
        return f"expected a module, got a value of type {type(module).__name__}"
    missing = [part for part in _REQUIRED_NAMES if part not in vars(module)]
    if missing:
        return f"it has no {', '.join(missing)}"
    return next((problem for problem, is_present in _PROBLEMS.items() if is_present(module)), None)


def _is_function(value: Any) -> bool:
    if not callable(value) or not isinstance(getattr(value, "__name__", None), str):
        return False
    try:
        inspect.signature(value)
    except (TypeError, ValueError):
        return False
    return True


def _is_list_of(value: Any, accepts: Callable[[Any], bool]) -> bool:
    return isinstance(value, tuple | list) and all(map(accepts, value))


# What may be wrong with a module that has all required names, in the order of the checks.
_PROBLEMS: dict[str, Callable[[ModuleType], bool]] = {
    "TITLE is not a string": lambda module: not isinstance(module.TITLE, str),
    "VERSION is not a string": lambda module: not isinstance(module.VERSION, str),
    "METRICS is not a tuple of functions": lambda module: (
        not _is_list_of(module.METRICS, _is_function)
    ),
    "METRICS has two functions of the same name": lambda module: (
        len({function.__name__ for function in module.METRICS}) < len(module.METRICS)
    ),
    "RATES_OF_FAULT is not a tuple of functions in METRICS": lambda module: (
        not _is_list_of(getattr(module, "RATES_OF_FAULT", ()), lambda rate: rate in module.METRICS)
    ),
    "INVERTING_OPTIONS is not a tuple of names": lambda module: (
        not _is_list_of(
            getattr(module, "INVERTING_OPTIONS", ()), lambda option: isinstance(option, str)
        )
    ),
}


OWN_NAME = "callscore"
_LIST_HINT = "`callscore metrics` lists all."


@cache
def metric_providers() -> tuple[MetricProvider, ...]:
    """Every tool that has metrics, in alphabetical order.

    Raises:
        InvalidSettings: a tool of another package cannot be used.
    """
    found = [
        *map(_built_in_provider, TOOLS),
        *providers_of_other_packages(reserved=(OWN_NAME, *TOOLS)),
    ]
    return tuple(sorted((peer for peer in found if peer.metrics), key=lambda peer: peer.name))


def f1(expected: Sequence[Expected], actual: Sequence[ToolCall]) -> float:
    """The F1 of the calls under callscore's default settings: equal arguments, in any order.

    Args:
        expected: the calls that were expected.
        actual: the calls that were made.
    """
    return score_calls(tuple(expected), tuple(actual), DEFAULT).f1


@cache
def own_provider() -> MetricProvider:
    """Callscore's own F1 as a metric, for comparison with the numbers of other tools."""
    title = "callscore, for comparison"
    return MetricProvider(OWN_NAME, title, __version__, {"f1": f1}, knows_rules=True)


@cache
def _built_in_provider(name: str) -> MetricProvider:
    return provider_from_module(name, METRIC_PLUGINS.built_in_named(name).module)


def headline_metrics() -> tuple[Metric, ...]:
    """The F1 of callscore and the first metric of each other tool, with default options.

    Metrics with required options, or where lower is better, are left out.
    """
    found = []
    for peer in _all_providers():
        name, function = next(iter(peer.metrics.items()))
        options = (*options_of(function), *python_options_of(function))
        if name not in peer.rates_of_fault and not any(option.is_required for option in options):
            found.append(metric_named(f"{peer.name}.{name}"))
    return tuple(found)


def _all_providers() -> tuple[MetricProvider, ...]:
    return own_provider(), *metric_providers()


def resolve_metrics(given: str | Metric | Iterable[str | Metric]) -> tuple[Metric, ...]:
    """The given metrics, or those with the given names, each once.

    Raises:
        InvalidSettings: as for `metric_named`, or two different metrics have one name.
    """
    asked = [given] if isinstance(given, str | Metric) else given
    if not isinstance(asked, Iterable):
        raise InvalidSettings(
            f"metrics: expected a list of metrics, got {mention(given)}. {_LIST_HINT}"
        )
    found: dict[str, Metric] = {}
    for item in asked:
        metric = item if isinstance(item, Metric) else metric_named(item)
        if found.setdefault(metric.name, metric) != metric:
            raise InvalidSettings(f"metrics: two different metrics have the name {metric.name!r}.")
    return tuple(found.values())


def metric_named(text: str) -> Metric:
    """The metric of a name `tool.metric` or `tool.metric:option=value,option=value`.

    Raises:
        InvalidSettings: there is none, or it has no such option or value.
    """
    if not isinstance(text, str):
        raise InvalidSettings(
            f"metrics: expected the name of a metric, got {mention(text)}. {_LIST_HINT}"
        )
    name, colon, given = text.partition(":")
    peer, function = find_metric_function(name)
    metric = name.partition(".")[2]
    if metric not in peer.metrics:
        raise InvalidSettings(
            f"{name} does not return one number per case. Call it from Python:"
            f" `callscore metrics {name}` shows how. {_metrics_text(peer)}"
        )
    options = parse_options(name, given if colon else None, function)
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


def find_metric_function(name: str) -> tuple[MetricProvider, Callable[..., Any]]:
    """The tool and the function of a name without options.

    Raises:
        InvalidSettings: there is no such function.
    """
    tool, dot, function = name.partition(".")
    peer = provider_named(tool, name)
    functions = peer.metrics | peer.others
    if not dot:
        raise InvalidSettings(f"{tool} is a tool, not a metric. {_metrics_text(peer)}")
    if function not in functions:
        meant = did_you_mean(function, functions) if function else ""
        others = f"{meant or '.'} {_metrics_text(peer)}"
        raise InvalidSettings(f"unknown metric {mention(name)}{others}")
    return peer, functions[function]


def _metrics_text(provider: MetricProvider) -> str:
    if provider.metrics:
        names = [f"{provider.name}.{metric}" for metric in provider.metrics]
        return f"Metrics of {provider.name}: {', '.join(names)}."
    names = [f"{provider.name}.{function}" for function in provider.others]
    return f"{provider.name} has no metrics of single cases; in Python it has {', '.join(names)}."


def provider_named(tool: str, name: str | None = None) -> MetricProvider:
    """The tool of this name.

    Raises:
        InvalidSettings: there is no such tool; the message has `name`, the name of the metric.
    """
    if tool in TOOLS:  # only this one is imported
        return _built_in_provider(tool)
    by_name = {peer.name: peer for peer in _all_providers()}
    if tool in by_name:
        return by_name[tool]
    if tool in {"", "all", "*"}:
        what = f"{name or tool!r} is not a metric" if tool else "the name of a metric is missing"
        raise InvalidSettings(
            f"{what}. Specify each metric with a --metric of its own. {_LIST_HINT}"
        )
    meant = did_you_mean(tool, by_name) or "."
    raise InvalidSettings(
        f"unknown metric {name or tool!r}: there is no tool {mention(tool)}{meant} {_LIST_HINT}"
    )
