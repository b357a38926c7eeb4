"""`assert_calls`: asserts that an agent made the expected calls; a failure shows both sides."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Unpack

from callscore.core.settings import SettingOptions, Settings, resolve_aliases
from callscore.errors import CallscoreError, InvalidCall
from callscore.testing.current_test import ANSWER_HINT, failure_text, running_test

if TYPE_CHECKING:
    from callscore.core.score import Score
    from callscore.formats.callers import Caller
    from callscore.formats.given import Calls, TraceLike

__all__ = ["AssertOptions", "assert_calls", "scored", "with_defaults"]


class AssertOptions(SettingOptions, total=False):
    """The options of `assert_calls`: those of `score`."""

    preset: str | None
    settings: Settings | None
    tools: Any
    callers: Iterable[Caller] | None
    expected_state: Any
    actual_state: Any


_NO_SETTINGS = frozenset(("tools", "callers", "expected_state", "actual_state"))


def assert_calls(
    expected: Calls | None, actual: TraceLike, **options: Unpack[AssertOptions]
) -> Score:
    """Assert that the actual calls are the expected ones.

    In a test with `@pytest.mark.callscore(...)`, the options of the marker are the defaults.

    Args:
        expected: the expected calls, as for `score`; `[]` if no tool may be called.
        actual: the actual calls, or a trace in any format; `[]` if no tool was called. None is an
            error.
        **options: as for `score`: `preset`, `settings`, `tools`, `callers`, `expected_state`,
            `actual_state`, or single settings. The assertion passes from a score of `pass_mark` on; 1 by default.

    Returns:
        The score.

    Raises:
        AssertionError: the score is too low, or a forbidden tool was called.
        CallscoreError: a side cannot be read, or a setting is invalid.
    """
    __tracebackhide__ = True  # a test fails where it asserts
    test = running_test()
    try:
        score = scored(expected, actual, with_defaults(test.defaults, dict(options)))
    except CallscoreError as error:
        raise error.with_traceback(None) from None
    if test.updates is not None:
        from callscore.testing.update import location_of_call, record_update

        location = location_of_call(test.label, sys._getframe(1))  # noqa: SLF001  (the frame of the caller)
        refusal = record_update(test.updates, location, expected, score)
        if refusal is None:
            return score
        raise AssertionError(f"{failure_text(score)}\n\nNot updated: {refusal}")
    if not score.passed:
        raise AssertionError(failure_text(score))
    return score


def scored(expected: Any, actual: Any, options: dict[str, Any]) -> Score:
    """The score; options that are None are left out.

    Raises:
        CallscoreError: as `score`; or the answer is missing, or is not awaited.
    """
    from callscore import api

    if actual is None:
        raise InvalidCall(f"actual: the answer is None. Pass {ANSWER_HINT}.")
    if hasattr(actual, "__await__"):
        if hasattr(actual, "close"):  # Python warns about a coroutine that is not awaited
            actual.close()
        raise InvalidCall("actual: the answer is a coroutine. Add 'await' before it.")
    return api.score(
        expected, actual, **{name: value for name, value in options.items() if value is not None}
    )


def with_defaults(defaults: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    """The options, and the defaults of a marker; a preset, or settings, replace single defaults."""
    if options.get("preset") is not None or options.get("settings") is not None:
        defaults = {name: value for name, value in defaults.items() if name in _NO_SETTINGS}
    return {**resolve_aliases(defaults), **resolve_aliases(options)}
