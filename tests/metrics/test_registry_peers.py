"""Modules that reproduce tools, and those that other packages bring."""

from __future__ import annotations

import sys
from importlib import metadata
from typing import TYPE_CHECKING, Any

import pytest

from callscore.errors import InvalidSettings
from callscore.metrics import registry as peers
from callscore.metrics.registry import provider_from_module, providers_of_other_packages
from callscore.parity import bfcl, mcpjam, tau_bench, tool_scorer

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    Bring = Callable[..., "ModuleType"]


def share(*_: Any) -> float:
    """A share."""
    raise NotImplementedError


def rate(*_: Any) -> float:
    """A rate."""
    raise NotImplementedError


PARTS: dict[str, Any] = {"TITLE": "Acme", "VERSION": "2", "METRICS": (share, rate)}


def test_a_module_says_what_it_offers() -> None:
    peer = provider_from_module("bfcl", bfcl)

    assert (peer.name, peer.title, peer.version) == ("bfcl", bfcl.TITLE, bfcl.VERSION)
    assert list(peer.metrics) == ["valid"]
    assert list(peer.others) == ["ast_check", "check"]


def test_a_function_that_scores_no_single_case_is_not_among_the_metrics() -> None:
    peer = provider_from_module("tau_bench", tau_bench)

    assert peer.metrics == {}
    assert peer.others["pass_hat_k"] is tau_bench.pass_hat_k


def test_a_module_says_of_which_metrics_less_is_better() -> None:
    peer = provider_from_module("tool_scorer", tool_scorer)

    assert peer.rates_of_fault == ("redundant_rate", "identical_rate")
    assert provider_from_module("mcpjam", mcpjam).inverting == ("is_negative_test",)
    assert provider_from_module("mcpjam", mcpjam).rates_of_fault == ()


def test_another_package_brings_a_module(bring: Bring) -> None:
    bring(**PARTS, RATES_OF_FAULT=(rate,), INVERTING_OPTIONS=("not_so",), KNOWS_RULES=True)

    (peer,) = providers_of_other_packages(reserved=["ragas"])

    assert (peer.name, peer.title, peer.version) == ("acme", "Acme", "2")
    assert peer.metrics == {"share": share, "rate": rate}
    assert (peer.rates_of_fault, peer.inverting) == (("rate",), ("not_so",))
    assert peer.knows_rules


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        ({"TITLE": "Acme"}, "it has no VERSION, METRICS"),
        (PARTS | {"TITLE": 3}, "TITLE is not a string"),
        (PARTS | {"VERSION": 2}, "VERSION is not a string"),
        (PARTS | {"METRICS": share}, "METRICS is not a tuple of functions"),
        (PARTS | {"METRICS": ("share",)}, "METRICS is not a tuple of functions"),
        (PARTS | {"METRICS": (iter,)}, "METRICS is not a tuple of functions"),
        (PARTS | {"METRICS": (share, share)}, "METRICS has two functions of the same name"),
        (PARTS | {"RATES_OF_FAULT": rate}, "RATES_OF_FAULT is not a tuple of functions in METRICS"),
        (
            PARTS | {"RATES_OF_FAULT": (min,)},
            "RATES_OF_FAULT is not a tuple of functions in METRICS",
        ),
        (PARTS | {"INVERTING_OPTIONS": "not"}, "INVERTING_OPTIONS is not a tuple of names"),
        (PARTS | {"INVERTING_OPTIONS": (1,)}, "INVERTING_OPTIONS is not a tuple of names"),
    ],
)
def test_a_module_of_the_wrong_shape_is_named(
    bring: Bring, parts: dict[str, Any], problem: str
) -> None:
    bring(**parts)

    with pytest.raises(
        InvalidSettings, match=rf"acme \(acme_metrics\) cannot be used: {problem}\."
    ):
        providers_of_other_packages(reserved=[])


def test_an_entry_point_that_is_not_a_module_is_refused_with_its_type(bring: Bring) -> None:
    bring(value="acme_metrics:PARTS", PARTS=PARTS)

    with pytest.raises(InvalidSettings, match=r"expected a module, got a value of type dict\."):
        providers_of_other_packages(reserved=[])


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("ragas", "another tool has this name"),
        ("ac.me", "its name is not a Python identifier"),
        ("a:b", "its name is not a Python identifier"),
        ("", "its name is not a Python identifier"),
    ],
)
def test_a_name_that_cannot_be_asked_for_is_refused(bring: Bring, name: str, problem: str) -> None:
    bring(name, **PARTS)

    with pytest.raises(InvalidSettings, match=problem):
        providers_of_other_packages(reserved=["ragas"])


def test_two_packages_cannot_bring_the_same_name(
    bring: Bring, monkeypatch: pytest.MonkeyPatch
) -> None:
    bring(**PARTS)
    (point,) = metadata.entry_points(group="callscore.metrics")
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: [point, point])

    with pytest.raises(InvalidSettings, match="another tool has this name"):
        providers_of_other_packages(reserved=[])


def test_a_module_that_cannot_be_imported_is_named_in_the_error(
    bring: Bring, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, bring(**PARTS).__name__)

    with pytest.raises(InvalidSettings, match=r"acme .* cannot be imported: No module named"):
        providers_of_other_packages(reserved=[])


def test_nobody_else_brings_anything_by_itself() -> None:
    assert peers.providers_of_other_packages(reserved=[]) == []
