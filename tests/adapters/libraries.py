"""Stand-ins for libraries that are not installed: no more than an adapter takes from them."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest

__all__ = ["Recorded", "imported"]


class Recorded:
    """A value of a library that keeps what it was made with."""

    def __init__(self, **values: Any) -> None:
        self.__dict__.update(values)


def imported(
    monkeypatch: pytest.MonkeyPatch, adapter: str, modules: dict[str, dict[str, Any]]
) -> Any:
    """An adapter, imported anew where the modules of its library have these names."""
    for path, names in modules.items():
        parts = path.split(".")
        for end in range(1, len(parts)):
            parent = ".".join(parts[:end])
            if parent not in modules:
                monkeypatch.setitem(sys.modules, parent, ModuleType(parent))
        module = ModuleType(path)
        module.__dict__.update(names)
        monkeypatch.setitem(sys.modules, path, module)
    name = f"callscore.adapters.{adapter}"
    monkeypatch.setitem(sys.modules, name, ModuleType(name))  # so that it is removed afterwards
    del sys.modules[name]
    return importlib.import_module(name)
