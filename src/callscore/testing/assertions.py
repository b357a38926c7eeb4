"""`assert_calls`: asserts that an agent made the calls that it should; a failure shows both sides."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from callscore.core.settings import SettingOptions, resolve_aliases
from callscore.errors import CallscoreError, InvalidCall
from callscore.testing.current_test import ANSWER_HINT, failure_text, running_test

if TYPE_CHECKING:
    from typing import Unpack

    from callscore.core.score import Score
    from callscore.core.settings import Settings

__all__ = ["AssertOptions", "assert_calls", "scored", "with_defaults"]


class AssertOptions(SettingOptions, total=False):
    """The options of `assert_calls`: those of `score`."""

    preset: str | None
    settings: Settings | None
    tools: Any


def assert_calls(expected: Any, actual: Any, **options: Unpack[AssertOptions]) -> Score:
    """Assert that the calls that were made are the calls that were expected.

    In a test with `@pytest.mark.callscore(...)`, what the marker says holds where a call of this
    function does not say otherwise.

    Args:
        expected: the calls that should be made, as for `score`; `[]` where none should be.
        actual: the calls that were made, or a trace of any stack that holds them; `[]` where none
            were. None is no answer.
        **options: as for `score`: a `preset`, `settings`, `tools`, or single settings, of which
            `pass_mark` is the score from which the assertion holds; 1 by default.

    Returns:
        The score.

    Raises:
        AssertionError: the score is too low, or a forbidden call was made.
        CallscoreError: a side cannot be read, or there is no such setting.
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
        CallscoreError: as `score`; or there is no answer, which does not prove that nothing was
            called.
    """
    from callscore import api

    if actual is None:
        raise InvalidCall(f"actual: there is no answer, but None. Give {ANSWER_HINT}.")
    if hasattr(actual, "__await__"):
        if hasattr(actual, "close"):  # Python warns about a coroutine that is not awaited
            actual.close()
        raise InvalidCall("actual: the answer is still to come: `await` is missing before it.")
    return api.score(
        expected, actual, **{name: value for name, value in options.items() if value is not None}
    )


def with_defaults(defaults: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    """The options, and the defaults of a marker; a preset, or settings, replace single defaults."""
    if options.get("preset") is not None or options.get("settings") is not None:
        defaults = {name: value for name, value in defaults.items() if name == "tools"}
    return {**resolve_aliases(defaults), **resolve_aliases(options)}
