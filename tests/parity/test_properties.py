"""What holds of every metric of another tool."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import pytest

from callscore.metrics.metric import options_of, python_options_of
from callscore.metrics.registry import metric_providers
from callscore.parity import TOOLS

if TYPE_CHECKING:
    from collections.abc import Callable

METRICS = {
    f"{peer.name}.{name}": function
    for peer in metric_providers()
    if peer.name in TOOLS
    for name, function in peer.metrics.items()
}

every_metric = pytest.mark.parametrize("function", METRICS.values(), ids=METRICS)


def _section(function: Callable[..., Any], title: str) -> str:
    """The lines of a docstring under one of its titles; none where there is no such title."""
    _, _, rest = (inspect.getdoc(function) or "").partition(f"\n{title}:\n")
    return rest.partition("\n\n")[0]


@every_metric
def test_a_metric_says_what_is_wrong_with_it_or_that_nothing_is_known(
    function: Callable[..., Any],
) -> None:
    assert _section(function, "Defects")


@every_metric
def test_a_metric_explains_all_its_options(function: Callable[..., Any]) -> None:
    options = [*options_of(function), *python_options_of(function)]
    explained = _section(function, "Args").splitlines()

    assert [
        option.name
        for option in options
        if not any(line.startswith(f"    {option.name}: ") for line in explained)
    ] == []
