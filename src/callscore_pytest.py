"""The pytest plugin of callscore: only hooks. callscore is imported when it is used.

- `@pytest.mark.callscore(expected=[...])` scores what a test returns;
- `pytest --callscore evals/` collects evaluations, one test for each case;
- `pytest --callscore-update` writes what was called back as what is expected.
"""

from __future__ import annotations

import pytest

__all__ = ["pytest_addoption", "pytest_configure", "pytest_pyfunc_call", "pytest_runtest_setup"]

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
    """Register the marker, and the rest of the plugin if an option asks for it."""
    config.addinivalue_line("markers", _ABOUT)
    is_evaluating = config.getoption("callscore")
    if is_evaluating or config.getoption("callscore_update"):
        from callscore.testing.plugin import register_plugins

        register_plugins(config, _judge_of_project() if is_evaluating else {})


def _judge_of_project() -> dict[str, str]:
    """The judge in the settings of the project, as for `callscore run`."""
    from callscore.cli.config import config_for
    from callscore.errors import InvalidSettings

    try:
        return config_for(None).judge
    except InvalidSettings as error:
        raise pytest.UsageError(str(error)) from error


@pytest.hookimpl(trylast=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Apply the marker of a test."""
    if _is_marked(item) or item.config.getoption("callscore_update"):
        from callscore.testing.marker import apply_marker

        apply_marker(item)


def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> None:
    """Run a marked async test, unless another plugin did."""
    if _is_marked(pyfuncitem):
        from callscore.testing.marker import run_if_async

        run_if_async(pyfuncitem)


def _is_marked(item: pytest.Item) -> bool:
    return item.get_closest_marker(_MARKER) is not None
