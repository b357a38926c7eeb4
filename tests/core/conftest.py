"""What the tests of the core have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.budget import Budget
from callscore.core.settings import DEFAULT
from callscore.core.value_comparison import make_context

if TYPE_CHECKING:
    import pytest


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Give each test of a module that compares values a budget of its own, as each case has one.

    The time of searches adds up in a budget; that of all tests of a module may be too much.
    """
    module: Any = getattr(item, "module", None)
    if hasattr(module, "CONTEXT"):
        module.CONTEXT = make_context(DEFAULT, Budget(10**12))
