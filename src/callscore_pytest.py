"""The pytest plugin of callscore: hooks alone. Nothing of callscore is imported before it is used.

- `@pytest.mark.callscore(expected=[...])` scores what a test returns;
- `pytest --callscore evals/` collects evaluations, one test for each case;
- `pytest --callscore-update` writes what was called back as what is expected.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

__all__ = ["pytest_addoption", "pytest_configure", "pytest_runtest_call"]

_MARKER = "callscore"
_ABOUT = (
    "callscore(expected=[...], **settings): score the calls in what the test returns; without"
    " `expected`, what `assert_calls` takes for said in this test"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("callscore", "evaluations of agents")
    group.addoption(
        "--callscore",
        action="store_true",
        help="collect evaluations: eval_*.py, eval_*.yaml, eval_*.toml; one test for each case",
    )
    group.addoption(
        "--callscore-update",
        action="store_true",
        help="write the calls that were made back as those that are expected, after showing them",
    )
    group.addoption(
        "--callscore-trials",
        type=int,
        metavar="N",
        help="ask each case N times; by default as often as its evaluation says",
    )
    group.addoption(
        "--callscore-timeout",
        type=float,
        default=60.0,
        metavar="SECONDS",
        help="how long an agent may take to answer (default: 60)",
    )
    group.addoption(
        "--callscore-retries",
        type=int,
        default=2,
        metavar="N",
        help="how often to ask again after an error that may pass (default: 2)",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Say what the marker is for, and add the rest of the plugin where it is wanted."""
    config.addinivalue_line("markers", _ABOUT)
    if config.getoption("callscore") or config.getoption("callscore_update"):
        from callscore.testing.evaluating import Evaluating

        config.pluginmanager.register(Evaluating(config), "callscore-evaluating")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Score what a marked test returns."""
    is_marked = item.get_closest_marker(_MARKER) is not None
    if not is_marked and not item.config.getoption("callscore_update"):
        return (yield)
    from callscore.testing.marking import watched

    with watched(item):
        return (yield)
