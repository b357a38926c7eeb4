"""`@pytest.mark.callscore(...)`: scores what a test returns, or sets defaults of `assert_calls`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import wraps
from inspect import iscoroutinefunction, unwrap
from typing import TYPE_CHECKING, Any

import pytest

from callscore.core.suggestions import did_you_mean
from callscore.errors import CallscoreError
from callscore.testing.assertions import AssertOptions, scored, with_defaults
from callscore.testing.current_test import (
    ANSWER_HINT,
    RunningTest,
    Updates,
    failure_text,
    running_as,
)
from callscore.testing.item_record import ItemRecord, encode_record

if TYPE_CHECKING:
    from callscore.core.score import Score

__all__ = ["apply_marker", "record_key", "record_of", "run_if_async", "updates_for"]

_MARKER = "callscore"
_EXPECTED = "expected"
_NAMES = (_EXPECTED, *AssertOptions.__annotations__)
_MISSING = object()

# The record of a test; its report carries it to the session.
record_key = pytest.StashKey[str]()
_updates_key = pytest.StashKey[Updates]()


def apply_marker(item: pytest.Item) -> None:
    """Apply the marker of a test until its teardown; a test with an invalid marker is not run."""
    options = _options_of(item)
    expected = options.pop(_EXPECTED, _MISSING)
    updates = updates_for(item)
    if updates is not None:
        item.stash[_updates_key] = updates
    test = RunningTest(item.name, options, updates)
    with ExitStack() as until_the_end:
        until_the_end.enter_context(running_as(test))
        function = getattr(item, "obj", None)
        if function is not None:
            until_the_end.callback(setattr, item, "obj", function)
        if expected is not _MISSING:
            _score_return(item, expected, test)
        item.addfinalizer(until_the_end.pop_all().close)


def updates_for(item: pytest.Item) -> Updates | None:
    """Collects the expectations to rewrite; None if nothing is rewritten."""
    is_wanted = item.config.getoption("callscore_update")
    # The expectation of a test that should fail is wrong on purpose.
    if not is_wanted or item.get_closest_marker("xfail") is not None:
        return None
    return Updates(item.config.rootpath)


def record_of(item: pytest.Item, *, has_passed: bool) -> str | None:
    """The encoded record of a test; None if it has none.

    Expectations are changed only if nothing else in the test failed.
    """
    updates = item.stash.get(_updates_key, None)
    if record_key not in item.stash and updates and (updates.changes or updates.confirmed):
        changes = tuple(updates.changes) if has_passed else ()
        return encode_record(ItemRecord(changes=changes, confirmed=tuple(updates.confirmed)))
    return item.stash.get(record_key, None)


def _options_of(item: pytest.Item) -> dict[str, Any]:
    """The options of all markers of a test; the nearest has priority."""
    options: dict[str, Any] = {}
    for marker in reversed(list(_markers_of(item))):
        if marker.args:
            use = "@pytest.mark.callscore(expected=[...], mode=...)"
            pytest.fail(f"the callscore marker takes only keywords: {use}", pytrace=False)
        for name in marker.kwargs:
            if name not in _NAMES:
                hint = did_you_mean(name, _NAMES)
                pytest.fail(f"callscore marker: unknown option {name!r}{hint}", pytrace=False)
        kept = {_EXPECTED: options[_EXPECTED]} if _EXPECTED in options else {}
        options = kept | with_defaults(options, dict(marker.kwargs))
    wrong = _score_of([], [], {name: options[name] for name in options if name != _EXPECTED})
    if isinstance(wrong, CallscoreError):
        pytest.fail(f"callscore marker: {wrong}", pytrace=False)
    return options


def _markers_of(item: pytest.Item) -> Iterator[pytest.Mark]:
    """The markers of a test, the nearest first.

    pytest itself returns those of the function before those of a `pytest.param`, which are nearer,
    and before those that a fixture or a plugin adds to this test.
    """
    of_function = set(map(id, getattr(getattr(item, "obj", None), "pytestmark", ())))
    own = [
        mark for mark in item.own_markers if mark.name == _MARKER and id(mark) not in of_function
    ]
    yield from reversed(own)
    near = set(map(id, own))
    yield from (mark for mark in item.iter_markers(_MARKER) if id(mark) not in near)


def _score_return(item: Any, expected: Any, test: RunningTest) -> None:
    """Score what the test function returns; the function then returns nothing."""
    function: Callable[..., Any] | None = getattr(item, "obj", None)
    if function is None:
        pytest.fail("the callscore marker with 'expected' needs a test function", pytrace=False)

    @wraps(function)
    async def awaited(*arguments: Any, **keywords: Any) -> None:
        __tracebackhide__ = True
        _judge(item, expected, await function(*arguments, **keywords), test)

    @wraps(function)
    def returning(*arguments: Any, **keywords: Any) -> None:
        __tracebackhide__ = True
        _judge(item, expected, function(*arguments, **keywords), test)

    item.obj = awaited if iscoroutinefunction(function) else returning


def run_if_async(item: Any) -> None:
    """Wrap an async test function, so that pytest can call it."""
    function: Callable[..., Any] = item.obj
    if not iscoroutinefunction(function):
        return

    @wraps(function)
    def waiting(*arguments: Any, **keywords: Any) -> Any:
        __tracebackhide__ = True
        return asyncio.run(function(*arguments, **keywords))

    item.obj = waiting


def _judge(item: Any, expected: Any, returned: Any, test: RunningTest) -> None:
    if returned is None:
        pytest.fail(f"the test returned None. Return {ANSWER_HINT}.", pytrace=False)
    score = _score_of(expected, returned, test.defaults)
    if isinstance(score, CallscoreError):  # outside of `except`, so that it has no context
        from callscore.hiding.hider import hide_text

        pytest.fail(hide_text(f"{type(score).__name__}: {score}"), pytrace=False)
    item.user_properties += [  # for JUnit reports
        ("callscore.f1", score.f1),
        ("callscore.precision", score.precision),
        ("callscore.recall", score.recall),
    ]
    if test.updates is not None:
        from callscore.rewriting.observed import Location
        from callscore.testing.update import record_update

        code = unwrap(item.obj).__code__
        location = Location(test.label, "marker", (code.co_filename,), code.co_firstlineno)
        refusal = record_update(test.updates, location, expected, score)
        if refusal is not None:
            pytest.fail(f"{failure_text(score)}\n\nNot updated: {refusal}", pytrace=False)
    elif not score.passed:
        pytest.fail(failure_text(score), pytrace=False)


def _score_of(expected: Any, returned: Any, options: dict[str, Any]) -> Score | CallscoreError:
    try:
        return scored(expected, returned, options)
    except CallscoreError as error:
        return error
