"""What holds for every test."""

from __future__ import annotations

import gc
import os
import re
import signal
import sys
import time
from contextvars import ContextVar
from functools import cache
from inspect import unwrap
from pathlib import Path
from random import Random
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

from callscore.hiding.environment import is_secret_variable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

pytest_plugins = [
    "pytester",  # the tests of our own plugin run pytest
    "tests.e2e.reports",  # reports that tests look at there
    "tests.e2e.viewing",  # the page of `callscore view`
    "tests.servers.browser",  # a browser that tests drive
    "tests.servers.postgres_server",  # databases on a server
]

PROCESSES = {"multiprocessing", "subprocess", "tests.e2e.processes"}
# How many examples hypothesis draws, where 1 is as many as a test says. Half as many are not the first
# half of them, but others: what fails in `make test` fails again where nothing is said, too.
SHARE = float(os.environ.get("CALLSCORE_EXAMPLES", "0.5"))
PATIENCE = 900 * max(1, SHARE)  # seconds that a test may take, whatever it waits for

# Variables that whoever runs the tests may have set, and that change what is printed, read or asked.
OF_USER = re.compile(
    r"BUILD_NUMBER|CI|CLICOLOR.*|COLORTERM|COLUMNS|FORCE_COLOR|LANGUAGE|LINES|NO_COLOR|TTY_.*"
    r"|_?CALLSCORE_(ALLOW_.*|COMPLETE|STORE)|LC_.*|PG[A-Z]+|PYTEST_ADDOPTS|PYTHON(?!PATH|HOME).*"
    r"|(GIT|GITHUB|GITLAB|LANGCHAIN|LANGFUSE|LANGSMITH|OPENAI|OTEL|PHOENIX|RAY)_.*|.*_PROXY",
    re.IGNORECASE,
)
# What is the same for everybody instead.
FOR_ALL = {
    "GIT_CONFIG_GLOBAL": str(Path(__file__).with_name("gitconfig")),  # a clone may be another's
    "GIT_CONFIG_SYSTEM": os.devnull,
    "LANG": "C.UTF-8",
    "PGPASSFILE": str(Path(__file__).with_name("no-passwords")),
    "TERM": "xterm-256color",
    "TZ": "UTC",
}

_file = ContextVar("_file", default="")  # that of the test that runs

# A slow machine is no bug: how long an example takes is the benchmarks' business.
_PATIENT = settings(
    settings.get_profile("default"), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
# Everybody draws the same examples, so that a failure repeats, and is nobody's bad luck.
settings.register_profile("repeatable", _PATIENT, derandomize=True, database=None)
# Except for `make properties`, which draws others until this time, in seconds since 1970.
UNTIL = float(os.environ.get("CALLSCORE_RANDOM_UNTIL", "0"))
settings.register_profile("random", _PATIENT, derandomize=False, print_blob=True)
settings.load_profile("random" if UNTIL else "repeatable")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what starts processes and servers, so that `make quick` can do without.

    Until a time, tests run in another order each time, since it may end before the last of them.
    """
    if UNTIL:
        Random(UNTIL).shuffle(items)
    for item in items:
        if isinstance(item, pytest.Function):
            if SHARE != 1 and is_hypothesis_test(item.function):
                _draw_a_share(item.function)
            if _starts_server(item):
                item.add_marker("server")
            if _starts_process(item):
                item.add_marker("process")
            if "chromium" in item.fixturenames:
                item.add_marker("browser")


def _draw_a_share(test: Any) -> None:
    """Let a test draw fewer examples than it would, or more; once, whatever its parameters."""
    if not hasattr(test, "is_drawing_a_share"):
        drawn = getattr(test, "_hypothesis_internal_use_settings", None) or settings()
        many = max(1, round(drawn.max_examples * SHARE))
        test._hypothesis_internal_use_settings = settings(drawn, max_examples=many)
        test.is_drawing_a_share = True


def pytest_runtest_setup() -> None:
    """Run no other test when the time is over."""
    if UNTIL and time.time() > UNTIL:
        pytest.skip("the time is over")


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Iterator[None]:
    """Measure no coverage while examples are drawn.

    Measuring takes more than half of the time that these tests take. And what only a drawn example
    reaches is covered by chance: a test with a name has to reach it.
    """
    coverage = sys.modules.get("coverage")  # who does not measure may not have it
    measuring = coverage and coverage.Coverage.current()
    if measuring is None or not is_hypothesis_test(pyfuncitem.function):
        return (yield)
    measuring.stop()
    try:
        return (yield)
    finally:
        measuring.start()


def _starts_server(item: pytest.Function) -> bool:
    return (
        "postgres_server" in item.fixturenames
        or "postgresql" in item.name  # a history of either kind asks for its database late
        or any(home.startswith("tests.servers.") for home in _homes(item))
    )


def _starts_process(item: pytest.Function) -> bool:
    return (
        item.path.parent.name == "e2e"
        or "chromium" in item.fixturenames
        or "pytester" in item.fixturenames
        or bool(PROCESSES & set(_homes(item)))
    )


def _homes(item: pytest.Function) -> Iterator[str]:
    """The modules that a test makes use of: itself, by its fixtures and by what these call."""
    fixtures = item._fixtureinfo.name2fixturedefs.values()
    for function in (item.function, *(found.func for defined in fixtures for found in defined)):
        yield from _used_by(unwrap(function))


@cache
def _used_by(function: Callable[..., Any]) -> frozenset[str]:
    """The names of the modules that a function of the tests and what it calls make use of."""
    used: set[str] = set()
    seen: set[Any] = set()
    ahead: list[Any] = [function]
    while ahead:
        value = ahead.pop()
        home = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", "")
        used.add(str(home))
        if str(home).startswith("tests.") and isinstance(value, FunctionType) and value not in seen:
            seen.add(value)
            ahead += [value.__globals__[name] for name in _names(value.__code__, value.__globals__)]
    return frozenset(used)


def _names(code: CodeType, known: Mapping[str, Any]) -> Iterator[str]:
    """The names of a module that code in it mentions, functions in functions included."""
    yield from (name for name in code.co_names if name in known)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner, known)


def pytest_runtest_logstart(location: tuple[str, int | None, str]) -> None:
    """At the first test of a file, let the garbage collector pass over all that is there.

    Most of it, the tests themselves, stays to the end. Tests that make large values, or run pytest
    in pytest, would have all of it examined again and again.
    """
    if location[0] != _file.get():
        _file.set(location[0])
        gc.collect()
        gc.freeze()


def pytest_configure() -> None:
    """Hear Ctrl-C, though whoever began the tests in the background has it ignored.

    What a test starts inherits it, and many a test sends it.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_collection() -> None:
    """Make the environment the same for everybody, before a module of tests can make a copy of it."""
    for name in [*os.environ]:
        if OF_USER.fullmatch(name) or is_secret_variable(name):
            del os.environ[name]
    os.environ.update(FOR_ALL)
    time.tzset()


@pytest.fixture(autouse=True)
def _is_at_home(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """No test reads the configuration of the user, and nobody waits for ever."""
    folder = tmp_path_factory.getbasetemp()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "no-config"))
    monkeypatch.setenv(
        "GIT_CEILING_DIRECTORIES", str(folder)
    )  # it may lie in somebody's repository
    before = signal.signal(signal.SIGALRM, _waited_in_vain)
    # And again, since a block may wait when it is left.
    signal.setitimer(signal.ITIMER_REAL, PATIENCE, 10)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def _waited_in_vain(*_: Any) -> NoReturn:
    pytest.fail(f"it has not ended in {PATIENCE:g} seconds")
