"""`@pytest.mark.callscore(...)`: what a test returns is scored, or what it asserts has defaults."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from functools import wraps
from inspect import iscoroutinefunction, unwrap
from typing import TYPE_CHECKING, Any

import pytest

from callscore.errors import CallscoreError
from callscore.testing.asserting import scored
from callscore.testing.failing import failure_text
from callscore.testing.running_test import RunningTest, Updates, running
from callscore.testing.told import Told, encoded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from callscore.core.model import Score

__all__ = ["told_key", "watched"]

_EXPECTED = "expected"
# Whoever has marked a test so wants another plugin to run it.
_RUNNERS = ("asyncio", "anyio", "trio")
_MISSING = object()

# What a test tells the session; its report takes it along.
told_key = pytest.StashKey[str]()


@contextmanager
def watched(item: pytest.Item) -> Iterator[None]:
    """For as long as a test runs: its marker holds, and what it expects may be rewritten."""
    options = _options_of(item)
    expected = options.pop(_EXPECTED, _MISSING)
    is_updating = item.config.getoption("callscore_update")
    updates = Updates(item.config.rootpath) if is_updating else None
    with running(RunningTest(item.name, options, updates)) as test:
        if expected is _MISSING:
            yield
        else:
            with _scored_return(item, expected, test):
                yield
    if updates is not None and (updates.changes or updates.confirmed):
        told = Told(changes=tuple(updates.changes), confirmed=tuple(updates.confirmed))
        item.stash[told_key] = encoded(told)


def _options_of(item: pytest.Item) -> dict[str, Any]:
    """What all markers of a test say; the nearest has the last word."""
    options: dict[str, Any] = {}
    for marker in reversed(list(item.iter_markers("callscore"))):
        if marker.args:
            wanted = "@pytest.mark.callscore(expected=[...], mode=...)"
            pytest.fail(f"the marker takes keywords alone: {wanted}", pytrace=False)
        options |= marker.kwargs
    return options


@contextmanager
def _scored_return(item: Any, expected: Any, test: RunningTest) -> Iterator[None]:
    """Score what the test function returns, whoever calls it."""
    function = getattr(item, "obj", None)
    if function is None:
        pytest.fail("a marker with `expected` is for test functions", pytrace=False)

    def judge(returned: Any) -> None:
        _judge(item, expected, returned, test)

    item.obj = _judged(function, judge, is_ours=not any(map(item.get_closest_marker, _RUNNERS)))
    try:
        yield
    finally:
        item.obj = function


def _judged(
    function: Callable[..., Any], judge: Callable[[Any], None], *, is_ours: bool
) -> Callable[..., Any]:
    """A test function that returns nothing, since what it returns was judged."""
    if not iscoroutinefunction(unwrap(function)):

        @wraps(function)
        def returning(*arguments: Any, **keywords: Any) -> None:
            __tracebackhide__ = True
            judge(function(*arguments, **keywords))

        return returning
    if is_ours:

        @wraps(function)
        def waiting(*arguments: Any, **keywords: Any) -> None:
            __tracebackhide__ = True
            judge(asyncio.run(function(*arguments, **keywords)))

        del waiting.__wrapped__  # or pytest takes it for a coroutine
        return waiting

    @wraps(function)
    async def awaited(*arguments: Any, **keywords: Any) -> None:
        __tracebackhide__ = True
        judge(await function(*arguments, **keywords))

    return awaited


def _judge(item: pytest.Item, expected: Any, returned: Any, test: RunningTest) -> None:
    __tracebackhide__ = True
    score = _score_of(expected, returned, test)
    if isinstance(score, CallscoreError):  # and not where it is caught: nobody wants its history
        pytest.fail(f"{type(score).__name__}: {score}", pytrace=False)
    _record(item, score)
    if test.updates is not None:
        from callscore.testing.updating import Spot, update

        code = unwrap(item.function).__code__  # type: ignore[attr-defined]  # it is a function
        spot = Spot(test.label, "marker", (code.co_filename,), code.co_firstlineno)
        refusal = update(test.updates, spot, expected, score)
        if refusal is not None:
            pytest.fail(f"{failure_text(score)}\n\nNot updated: {refusal}", pytrace=False)
    elif not score.passed:
        pytest.fail(failure_text(score), pytrace=False)


def _score_of(expected: Any, returned: Any, test: RunningTest) -> Score | CallscoreError:
    try:
        return scored(expected, returned, test.defaults)
    except CallscoreError as error:
        return error


def _record(item: pytest.Item, score: Score) -> None:
    """Leave the numbers where JUnit reports look for properties."""
    item.user_properties += [
        ("callscore.f1", score.f1),
        ("callscore.precision", score.precision),
        ("callscore.recall", score.recall),
    ]
