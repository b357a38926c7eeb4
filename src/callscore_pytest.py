"""The pytest plugin of callscore: only hooks. callscore is imported when it is used.

- `@pytest.mark.callscore(expected=[...])` scores what a test returns;
- `pytest --callscore evals/` collects evaluations, one test per case;
- `pytest --callscore-update` writes the actual calls into the files as the expected ones.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

__all__ = [
    "pytest_addoption",
    "pytest_collection_finish",
    "pytest_configure",
    "pytest_pyfunc_call",
    "pytest_runtest_setup",
]

_MARKER = "callscore"
_ABOUT = (
    "callscore(expected=[...], **settings): score the calls that the test returns; without"
    " `expected`, set the default settings of `assert_calls` in this test"
)
_UPDATE = "--callscore-update"
_FOR_EVALUATIONS = ("--callscore-trials", "--callscore-timeout", "--callscore-retries")
_NOT_SEARCHED = (".", "_", "node_modules", "venv")  # how the names of these folders begin
_FILES = ("eval_*.py", "eval_*.yaml", "eval_*.yml", "eval_*.toml")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("callscore", "evaluations of agents (callscore)")
    group.addoption(
        "--callscore",
        action="store_true",
        help="collect evaluations (eval_*.py, eval_*.yaml, eval_*.toml), one test per case",
    )
    group.addoption(
        _UPDATE,
        action="store_true",
        help="write the actual calls into the files as the expected calls, and show the changes",
    )
    group.addoption(
        "--callscore-trials",
        type=int,
        metavar="N",
        help="trials per case (default: as in the evaluation)",
    )
    group.addoption(
        "--callscore-timeout",
        type=float,
        default=60.0,
        metavar="SECONDS",
        help="time limit for each answer of an agent (default: 60)",
    )
    group.addoption(
        "--callscore-retries",
        type=int,
        default=2,
        metavar="N",
        help="retries after a temporary error (default: 2)",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, and the rest of the plugin if an option asks for it."""
    config.addinivalue_line("markers", _ABOUT)
    is_evaluating = config.getoption("callscore")
    if not is_evaluating:
        _refuse_options_without_evaluations(config)
    if is_evaluating or config.getoption("callscore_update"):
        from callscore.testing.plugin import register_plugins

        register_plugins(config, *(_project_settings() if is_evaluating else ({}, {}, "")))


def _refuse_options_without_evaluations(config: pytest.Config) -> None:
    """Refuse options of the command line that have no effect without `--callscore`."""
    given = [str(each).partition("=")[0] for each in config.invocation_params.args]
    for option in _FOR_EVALUATIONS:
        if option in given:
            raise pytest.UsageError(f"{option} needs --callscore: {_command(config)}")
    if config.getoption("callscore_update"):
        for argument in config.args:
            _refuse_update_of(Path(argument.partition("::")[0]), config)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Refuse an update that finds evaluations, but no tests."""
    config = session.config
    if session.items or config.getoption("callscore") or not config.getoption("callscore_update"):
        return
    for file in _evaluation_files(config):
        _refuse_update_of(file, config)


def _evaluation_files(config: pytest.Config) -> Iterator[Path]:
    for argument in config.args:
        for folder, folders, files in os.walk(argument.partition("::")[0]):
            folders[:] = [name for name in folders if not name.startswith(_NOT_SEARCHED)]
            yield from (Path(folder, name) for name in files if name.startswith("eval_"))


def _refuse_update_of(file: Path, config: pytest.Config) -> None:
    """Refuse to update a file of evaluations that holds no tests."""
    is_evaluation = any(fnmatch(file.name, pattern) for pattern in _FILES)
    if is_evaluation and not any(map(file.match, config.getini("python_files"))):
        problem = f"{_UPDATE} of an evaluation file needs --callscore"
        raise pytest.UsageError(f"{problem}: {_command(config)}")


def _command(config: pytest.Config) -> str:
    return shlex.join(["pytest", "--callscore", *map(str, config.invocation_params.args)])


def _project_settings() -> tuple[dict[str, str], dict[str, Any], str]:
    """The judge and the settings of the project, as for `callscore run`, and its file."""
    from callscore.errors import InvalidSettings
    from callscore.evaluations.project_config import config_for

    try:
        found = config_for(None)
    except InvalidSettings as error:
        raise pytest.UsageError(str(error)) from error
    return found.judge, found.values, found.place or ""


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
