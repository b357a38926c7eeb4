"""One expected call set against one actual call, and the calls that stay out of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast

from msgspec import Struct, structs

from callscore.core.arguments import Difference, differences
from callscore.core.call import ToolCall
from callscore.core.closeness import grade
from callscore.core.equality import differing_members
from callscore.core.malformed import NOT_CAPTURED
from callscore.core.settings import DEFAULT, Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.core.demands import Counts, Demands

__all__ = ["Ignored", "Pair", "Positions", "pairs_at"]

# The positions of an expected call and of the actual call that it is paired with.
Positions = tuple[int, int]
_DIFFERENCES = "differences"


class Pair(Struct, frozen=True, dict=True):
    """One expected call set against one actual call of the same name.

    Attributes:
        expected: the expected call.
        actual: the actual call.
        expected_index: the position of the expected call, from 0.
        actual_index: the position of the actual call, from 0.
        is_correct: whether the actual call counts as the expected one.
        settings: what decided that.
    """

    expected: ToolCall
    actual: ToolCall
    expected_index: int
    actual_index: int
    is_correct: bool
    settings: Settings = DEFAULT

    @property
    def differences(self) -> tuple[Difference, ...]:
        """Every reason why the two calls are not equal; none where they are.

        They are found once, and kept: what is counted, saved and shown is the same.
        """
        kept: dict[str, tuple[Difference, ...]] = self.__dict__
        found = kept.get(_DIFFERENCES)
        if found is None:
            found = kept[_DIFFERENCES] = self._compared()
        return found

    def _compared(self) -> tuple[Difference, ...]:
        call, wanted = self.actual, self._demands
        if wanted is None and call.error in (None, NOT_CAPTURED):
            return ()
        if call.error is not None:
            expected = self.expected.arguments
            return (Difference("$", "malformed", expected, call.raw, detail=call.error),)
        given = call.arguments or {}
        if wanted.__class__ is dict:
            return differences(wanted, given)
        demands = cast("Demands", wanted)
        return differences(demands, demands.counted(given), demands.context)

    @property
    def matched_arguments(self) -> int:
        """How many of the expected arguments the actual call has with the same value."""
        return 0 if self.actual.error is not None else self._counts.matched

    @property
    def wanted_arguments(self) -> int:
        """How many arguments were expected; one that may be absent, and is, was not."""
        return self._counts.wanted

    @property
    def differing_arguments(self) -> list[str]:
        """The names of the top-level arguments that are not the same on both sides."""
        wanted = self._demands
        if self.actual.error is not None or wanted is None:
            return []
        if wanted.__class__ is dict:
            return differing_members(wanted, self.actual.arguments or {})
        return list(dict.fromkeys([str(found.argument) for found in self.differences]))

    @property
    def overlap(self) -> float:
        """The share of the expected arguments that the actual call has with the same value."""
        part, whole = self.overlap_parts
        return part / whole

    @property
    def overlap_parts(self) -> tuple[int, int]:
        """The overlap as a numerator and a denominator."""
        expected = structs.replace(self.expected, arguments=self._demands)
        _, _, part, whole = grade(expected, self.actual, self.settings)
        return part, whole

    @property
    def _demands(self) -> dict[str, Any] | None:
        """The expected arguments with the rules of the settings in them."""
        from callscore.core.demands import demanded

        return demanded(self.expected, self.settings).arguments

    @property
    def _counts(self) -> Counts:
        """How many arguments were wanted and how many of them were given so."""
        from callscore.core.demands import counts_of

        return counts_of(self._demands or {}, self.actual.arguments or {})


def pairs_at(
    places: Sequence[Positions],
    expected: Sequence[ToolCall],
    actual: Sequence[ToolCall],
    settings: Settings,
    *,
    is_correct: bool,
) -> tuple[Pair, ...]:
    """The pairs at these positions."""
    return tuple(
        [
            Pair(expected[row], actual[column], row, column, is_correct, settings)
            for row, column in places
        ]
    )


class Ignored(Struct, frozen=True, gc=False):
    """A call that does not count under the settings.

    Attributes:
        call: the call.
        side: whether it was expected or made.
        why: `read` (its tool changes nothing), `failed` (its result was an error) or `repeated`.
    """

    call: ToolCall
    side: Literal["expected", "actual"]
    why: Literal["read", "failed", "repeated"]
