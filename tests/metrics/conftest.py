"""A package that brings metrics of its own."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from callscore.metrics import registry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture
def bring(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., ModuleType]]:
    """Installs a module with these parts as a package's metrics."""

    def installed(name: str = "acme", *, value: str = "acme_metrics", **parts: Any) -> ModuleType:
        module = ModuleType("acme_metrics")
        vars(module).update(parts)
        point = EntryPoint(name, value, "callscore.metrics")
        monkeypatch.setitem(sys.modules, "acme_metrics", module)
        monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: [point])
        registry.metric_providers.cache_clear()
        return module

    yield installed
    registry.metric_providers.cache_clear()
