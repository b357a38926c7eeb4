"""What comparing a value by a rule gives, and what the rule may need for that."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct

if TYPE_CHECKING:
    from callscore.core.phrase import Note

__all__ = ["Context", "Part", "Slow", "Verdict"]

# Searches that ran out of time, by expression and digest of the text, and the time that they had.
Slow = dict[tuple[str, bytes], float]


class Part(NamedTuple):
    """A place inside a value at which a rule was not met.

    Attributes:
        step: the key, or the position, that leads there.
        expected: what was expected there, or ABSENT.
        actual: what was given there, or ABSENT.
    """

    step: str | int
    expected: Any
    actual: Any


class Verdict(NamedTuple):
    """What comparing a value by a rule gave.

    Attributes:
        matched: whether the value will do.
        value: how well it does, from 0 to 1; the rule has its own threshold.
        note: why it will not do, where the rule and the value do not say enough.
        parts: the places inside at which it fails, where they say it better than the whole.
    """

    matched: bool
    value: float = 1.0
    note: Note | None = None
    parts: tuple[Part, ...] = ()


class Context(Struct, frozen=True):
    """What a rule may need beside the two values.

    Attributes:
        compare: compares any expected value, which may hold matchers, with an actual one.
        similarity: how alike two texts are, from 0 to 1, in place of our own measure.
        judge: answers a question about a value; None where no model is configured.
        slow: the searches that ran out of time while one case is scored; None where nothing is
            scored, but said about what was.
    """

    compare: Callable[[Any, Any], Verdict]
    similarity: Callable[[str, str], float] | None = None
    judge: Callable[[str, Any], Any] | None = None
    slow: Slow | None = None
