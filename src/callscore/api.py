"""The verbs: calls in any spelling become a score."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.scoring import score_calls
from callscore.core.settings import DEFAULT, Mode, Settings, settings_for
from callscore.errors import InvalidSettings
from callscore.formats.calls import read_calls

if TYPE_CHECKING:
    from callscore.core.model import Score
    from callscore.core.settings import ExtraArguments, Order

__all__ = ["score"]

_NO_OPTIONS = ("strict", 0.8, "any", "ignore", 1.0)


def score(  # noqa: PLR0913  (one argument a setting, which is how people call it)
    expected: Any,
    actual: Any,
    *,
    mode: Mode | str = Mode.STRICT,
    argument_match_threshold: float = 0.8,
    order: Order = "any",
    extra_arguments: ExtraArguments = "ignore",
    at_least: float = 1.0,
    settings: Settings | None = None,
) -> Score:
    """Score the calls that were made against the calls that were expected.

    Both sides are lists of calls. A call is `{"name": ..., "arguments": ...}`, `{"tool", "args"}`,
    `{"toolName", "input"}`, `("name", {...})`, `"name"` or a `ToolCall`. An expected call without
    arguments accepts any.

    Args:
        expected: the calls that should be made; `[]` or None where no tool should be called.
        actual: the calls that were made.
        mode: `strict` wants equal arguments; `flexible` wants enough of them.
        argument_match_threshold: the overlap from which a flexible pair is correct, 0 to 1.
        order: `any`, `in_order` (pairs do not cross) or `exact` (position by position).
        extra_arguments: whether arguments that nobody expected lower a flexible overlap.
        at_least: the score from which the case passes.
        settings: all of these together, in place of them, never beside them.

    Raises:
        InvalidCall: a side is no list of calls, or an expected call cannot be read.
        InvalidSettings: a setting has a value that it cannot have.
    """
    given = (mode, argument_match_threshold, order, extra_arguments, at_least)
    if given == _NO_OPTIONS and at_least is not True:  # which Python takes for 1.0
        settings = settings or DEFAULT
    elif settings is not None:
        raise InvalidSettings("give `settings` or single options, not both")
    else:
        try:
            settings = settings_for(
                mode, argument_match_threshold, order, extra_arguments, at_least
            )
        except TypeError as error:  # what cannot be hashed is no setting either
            raise InvalidSettings(f"a setting is not text or a number: {error}") from error
    return score_calls(
        read_calls(expected, side="expected", where="expected"),
        read_calls(actual, side="actual", where="actual"),
        settings,
    )
