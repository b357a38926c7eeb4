"""Metrics by name."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from callscore.errors import InvalidSettings
from callscore.metrics import registry
from callscore.metrics.metric import Metric
from callscore.metrics.registry import headlines, itself, metric_named, metrics_from, peers
from callscore.parity import TOOLS, ragas, strands

if TYPE_CHECKING:
    from collections.abc import Iterator

STRICT = "ragas.tool_call_accuracy:strict_order=false"


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A package that brings metrics of its own."""
    module = ModuleType("acme_metrics")
    point = EntryPoint("acme", "acme_metrics", "callscore.metrics")
    monkeypatch.setitem(sys.modules, "acme_metrics", module)
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: [point])
    registry.peers.cache_clear()
    yield module
    registry.peers.cache_clear()


def test_every_tool_is_there_in_alphabetical_order() -> None:
    names = [peer.name for peer in peers()]

    assert names == sorted(names)
    assert set(names) <= set(TOOLS)
    assert all(peer.title and peer.version and peer.metrics for peer in peers())


def test_a_headline_is_the_first_metric_of_a_tool_as_it_comes() -> None:
    found = {metric.name: metric for metric in headlines()}

    assert found["strands.any_order"] == Metric("strands.any_order", strands.any_order, {})
    assert len(found) == len(peers())


def test_callscore_itself_can_be_asked_like_the_others() -> None:
    assert metric_named("callscore.f1").function is itself().metrics["f1"]
    assert itself() not in peers()


def test_a_metric_is_asked_for_by_name_with_options_behind_a_colon() -> None:
    found = metric_named(STRICT)

    assert found == Metric(STRICT, ragas.tool_call_accuracy, {"strict_order": False})


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("ragass.tool_call_f1", r"no tool 'ragass'\. Is 'ragas' meant\? `callscore metrics`"),
        ("ragas.tool_cal_f1", r"ragas has no 'tool_cal_f1'\. Is 'tool_call_f1' meant\?"),
        ("strands", r"strands has no ''; it has any_order, in_order, exact\. `callscore metrics`"),
        ("nothing.at_all", r"there is no metric 'nothing\.at_all': no tool 'nothing'\. "),
        (
            "ragas.tool_call_accuracy:strict=1",
            r"has no option 'strict'\. Is 'strict_order' meant\? `callscore metrics ragas\.tool_call",
        ),
        (
            "ragas.tool_call_accuracy:strict_order",
            r"tool_call_accuracy:strict_order: say what it is",
        ),
        (
            "ragas.tool_call_accuracy:strict_order=perhaps",
            r"strict_order=perhaps: it can be true \| false\.",
        ),
    ],
)
def test_what_is_spelled_wrong_is_named_with_what_is_meant(name: str, problem: str) -> None:
    with pytest.raises(InvalidSettings, match=problem):
        metric_named(name)


@pytest.mark.parametrize("given", [3, [None]])
def test_what_is_no_name_is_refused(given: Any) -> None:
    with pytest.raises(InvalidSettings, match="`callscore metrics` lists all"):
        metrics_from(given)


def test_metrics_are_given_by_name_or_as_they_are_and_each_counts_once() -> None:
    own = Metric("mine", lambda *_: 1.0, {})

    assert metrics_from("strands.exact") == (metric_named("strands.exact"),)
    assert metrics_from(own) == (own,)
    assert metrics_from(["strands.exact", own, "strands.exact"]) == (
        metric_named("strands.exact"),
        own,
    )


def test_another_package_may_bring_metrics(installed: ModuleType) -> None:
    def share(*_: Any, of: str) -> float:
        """A share."""
        return float(of == "all")

    vars(installed).update(TITLE="Acme", VERSION="2", METRICS=(share,))

    assert metric_named("acme.share:of=all").of([], []) == 1.0
    with pytest.raises(InvalidSettings, match=r"acme\.share must be told of: acme\.share:of="):
        metric_named("acme.share")


def test_metrics_of_another_package_that_lack_something_are_named(installed: ModuleType) -> None:
    vars(installed)["TITLE"] = "Acme"

    with pytest.raises(InvalidSettings, match=r"acme \(acme_metrics\).*lacks VERSION, METRICS"):
        peers()


def test_metrics_of_another_package_that_cannot_be_imported_are_named(
    installed: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, installed.__name__)

    with pytest.raises(InvalidSettings, match=r"acme .* cannot be imported: No module named"):
        peers()
