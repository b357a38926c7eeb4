"""Metrics by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore import score
from callscore.core.call import ToolCall
from callscore.errors import InvalidSettings
from callscore.metrics.metric import Metric
from callscore.metrics.registry import (
    f1,
    find_metric_function,
    headline_metrics,
    metric_named,
    metric_providers,
    resolve_metrics,
)
from callscore.parity import ragas, strands, tau_bench

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    Bring = Callable[..., ModuleType]

STRICT = "ragas.tool_call_accuracy:strict_order=false"


def test_a_headline_is_the_first_metric_of_a_tool_as_it_comes() -> None:
    found = {metric.name: metric for metric in headline_metrics()}

    name = "strands.any_order"
    assert found[name] == Metric(name, strands.any_order, {}, version=strands.VERSION)
    assert [name.partition(".")[0] for name in found] == [
        "callscore",
        *(peer.name for peer in metric_providers()),
    ]


def test_a_metric_is_asked_for_by_name_with_options_behind_a_colon() -> None:
    found = metric_named(STRICT)

    told = {"strict_order": False}
    assert found == Metric(STRICT, ragas.tool_call_accuracy, told, version=ragas.VERSION)


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("ragass.tool_call_f1", r"no tool 'ragass'\. Did you mean 'ragas'\? `callscore metrics`"),
        (
            "ragas.tool_cal_f1",
            r"unknown metric 'ragas\.tool_cal_f1'\. Did you mean 'tool_call_f1'\?",
        ),
        (
            "ragas.f2",
            r"unknown metric 'ragas\.f2'\. Metrics of ragas: ragas\.tool_call_accuracy, ragas\.tool_call_f1",
        ),
        ("ragas.", r"unknown metric 'ragas\.'\. Metrics of ragas: "),
        ("strands", r"^strands is a tool, not a metric\. Metrics of strands: strands\.any_order, "),
        ("tau_bench", r"no metrics of single cases; in Python it has tau_bench\.is_success, tau"),
        ("", r"^the name of a metric is missing\. Specify .* `callscore metrics` lists all\."),
        ("all", r"^'all' is not a metric\. Specify .* `callscore metrics` lists all\."),
        ("nothing.at_all", r"unknown metric 'nothing\.at_all': there is no tool 'nothing'\. "),
        (
            "ragas.tool_call_accuracy:strict=1",
            r"unknown option 'strict' of the metric .* Did you mean 'strict_order'\? `callscore metrics ragas\.tool_call",
        ),
        (
            "ragas.tool_call_accuracy:strict_order",
            r"tool_call_accuracy:strict_order: the value is missing",
        ),
        (
            "ragas.tool_call_accuracy:strict_order=perhaps",
            r"strict_order=perhaps: expected true \| false\.",
        ),
    ],
)
def test_an_unknown_metric_or_option_is_refused_with_a_suggestion(name: str, problem: str) -> None:
    with pytest.raises(InvalidSettings, match=problem):
        metric_named(name)


def test_metrics_are_given_by_name_or_as_they_are_and_each_counts_once() -> None:
    own = Metric("mine", lambda *_: 1.0, {})

    assert resolve_metrics("strands.exact") == (metric_named("strands.exact"),)
    assert resolve_metrics(own) == (own,)
    with pytest.raises(InvalidSettings, match="two different metrics have the name"):
        resolve_metrics([own, Metric(own.name, ragas.tool_call_f1, {})])
    assert resolve_metrics(["strands.exact", own, "strands.exact"]) == (
        metric_named("strands.exact"),
        own,
    )


def test_another_package_may_bring_metrics(bring: Bring) -> None:
    def share(*_: Any, of: str) -> float:
        """A share."""
        return float(of == "all")

    bring(TITLE="Acme", VERSION="2", METRICS=(share,))

    found = metric_named("acme.share:of=all")
    assert (found.of([], []), found.version) == (1.0, "2")
    with pytest.raises(InvalidSettings, match=r"acme\.share requires of\. Write acme\.share:of="):
        metric_named("acme.share")


def test_an_unusable_metrics_module_of_another_package_is_named_in_the_error(bring: Bring) -> None:
    bring(TITLE="Acme")

    with pytest.raises(InvalidSettings, match=r"acme \(acme_metrics\).*has no VERSION, METRICS"):
        metric_providers()
    assert metric_named("strands.exact").function is strands.exact  # nobody else suffers


@pytest.mark.parametrize("name", ["callscore", "ragas"])
def test_another_package_cannot_take_a_name_of_ours(bring: Bring, name: str) -> None:
    bring(name, TITLE="Acme", VERSION="2", METRICS=())

    with pytest.raises(InvalidSettings, match=f"the metrics {name} .* another tool has this name"):
        metric_providers()


def test_a_metric_that_must_be_told_something_or_counts_faults_stands_for_no_tool(
    bring: Bring,
) -> None:
    def share(*_: Any, of: str) -> float:
        raise NotImplementedError

    def weighed(*_: Any, weigh: Callable[[], float]) -> float:
        raise NotImplementedError

    def rate(*_: Any) -> float:
        raise NotImplementedError

    for first, rates in ((share, ()), (weighed, ()), (rate, (rate,))):
        bring(TITLE="Acme", VERSION="2", METRICS=(first,), RATES_OF_FAULT=rates)

        assert "acme" in [peer.name for peer in metric_providers()]
        assert not [metric for metric in headline_metrics() if metric.name.startswith("acme.")]


@pytest.mark.parametrize(
    ("name", "is_so"),
    [
        ("tool_scorer.redundant_rate", True),
        ("tool_scorer.score", False),
        ("promptfoo.tool_call_f1_passes", False),
        ("promptfoo.tool_call_f1_passes:inverse=false", False),
        ("promptfoo.tool_call_f1_passes:inverse=true", True),
        ("mcpjam.passed:is_negative_test=true", True),
    ],
)
def test_a_metric_may_count_what_is_wrong_or_say_the_opposite(name: str, is_so: bool) -> None:
    assert metric_named(name).less_is_better is is_so


def test_a_function_for_python_only_is_found_but_refused_as_a_metric() -> None:
    peer, function = find_metric_function("tau_bench.pass_hat_k")

    assert (peer.name, function) == ("tau_bench", tau_bench.pass_hat_k)
    with pytest.raises(InvalidSettings, match=r"Call it from Python: `callscore metrics tau_b"):
        metric_named("tau_bench.pass_hat_k")


# callscore's own score, as if it were another tool's.

F, G = ToolCall("f", {"a": 1}), ToolCall("g", {})


def test_the_f1_metric_equals_the_f1_of_a_score() -> None:
    assert f1([F, G], [G, G, F]) == score([F, G], [G, G, F]).f1 == 0.8
