"""callscore's own F1 as a metric, for comparison with the numbers of other tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore import __version__
from callscore.core.scoring import score_calls
from callscore.core.settings import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.core.call import ToolCall
    from callscore.core.case import Expected

__all__ = ["KNOWS_RULES", "METRICS", "NAME", "TITLE", "VERSION", "f1"]

NAME = "callscore"
TITLE = "callscore itself, to compare with"
VERSION = __version__
KNOWS_RULES = True


def f1(expected: Sequence[Expected], actual: Sequence[ToolCall]) -> float:
    """The F1 of the calls under callscore's default settings: equal arguments, in any order.

    Args:
        expected: the calls that were expected.
        actual: the calls that were made.
    """
    return score_calls(tuple(expected), tuple(actual), DEFAULT).f1


METRICS = (f1,)
