"""The nouns: a case and a score, with what they are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from callscore.core.arguments import Difference
from callscore.core.call import ToolCall
from callscore.core.expectation import Expected
from callscore.core.fault import Fault
from callscore.core.names import count_same_names
from callscore.core.pair import Ignored, Pair, Positions, pairs_at
from callscore.core.settings import DEFAULT, Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console, ConsoleOptions
    from rich.text import Text

    from callscore.core.phrase import Language

__all__ = ["Case", "Difference", "Ignored", "Pair", "Positions", "Score", "ToolCall"]


class _Asked(Struct, frozen=True, gc=False, omit_defaults=True):
    """The one field of a case that needs no name: `Case("What is the weather?", expected=[...])`."""

    input: Any = None


class Case(_Asked, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """One thing to score: what was expected and what was done.

    Attributes:
        input: what the agent is asked; the only one that may be given by position.
        id: the name of the case; (`id`, `trial`) is unique. Without one the case is named for what
            is asked and expected, where that is known.
        expected: the calls that should be made; None where the case has no reference.
        actual: the calls that were made; None where it was not run.
        trial: which repetition this is, where a case is run several times.
        tools: the definitions of the tools, as they were given.
        tags: words to select and to group by.
        metadata: anything else worth keeping.
        others: the calls of further answers to the same question, of which the best may count.
        only: whether, where agents are run, cases that do not say so are left out.
        skip: whether, where agents are run, the case is left out; or why it is.
    """

    id: str = ""
    expected: Sequence[Any] | None = None
    actual: tuple[ToolCall, ...] | None = None
    trial: int | str | None = None
    tools: Any = None
    tags: Sequence[str] = ()
    metadata: Any = None
    others: tuple[tuple[ToolCall, ...], ...] = ()
    only: bool = False
    skip: bool | str = False


class Score(Struct, frozen=True, gc=False):
    """How well the actual calls of one case match the expected ones.

    It holds which calls are paired; correct pairs and rates are made of that when they are asked for.

    Attributes:
        expected: all expected calls, in order.
        actual: all actual calls, in order.
        equal_start: how many leading calls are correct and paired one by one.
        other_correct: where the other correct pairs stand, in the order of the expected calls.
        incorrect: the pairs of the right tool with the wrong arguments, likewise.
        settings: what decided all this.
        forbidden: which of the actual calls must not have been made; they are extra, too.
        ignored: the calls that do not count under these settings, and are in neither list.
        faults: what is wrong with the calls that were made by their tools' definitions; None where
            nobody knows those. Their positions count all of these calls, those in `ignored` too, in
            the order of the trace; without any in `ignored` these are the positions in `actual`.
        expectation: what was expected as it was written, where that is not simply calls.
    """

    expected: tuple[ToolCall, ...]
    actual: tuple[ToolCall, ...]
    equal_start: int
    other_correct: tuple[Positions, ...] = ()
    incorrect: tuple[Pair, ...] = ()
    settings: Settings = DEFAULT
    forbidden: tuple[int, ...] = ()
    ignored: tuple[Ignored, ...] = ()
    faults: tuple[Fault, ...] | None = None
    expectation: tuple[Expected, ...] | None = None

    @property
    def correct(self) -> tuple[Pair, ...]:
        """The pairs whose actual call counts as the expected one."""
        start = tuple([(position, position) for position in range(self.equal_start)])
        places = start + self.other_correct
        return pairs_at(places, self.expected, self.actual, self.settings, is_correct=True)

    @property
    def missed(self) -> tuple[ToolCall, ...]:
        """The expected calls that were never made."""
        paired = {row for row, _ in self.other_pairs}
        rest = range(self.equal_start, len(self.expected))
        return tuple([self.expected[row] for row in rest if row not in paired])

    @property
    def extra(self) -> tuple[ToolCall, ...]:
        """The actual calls that nobody expected."""
        paired = {column for _, column in self.other_pairs}
        rest = range(self.equal_start, len(self.actual))
        return tuple([self.actual[column] for column in rest if column not in paired])

    @property
    def other_pairs(self) -> tuple[Positions, ...]:
        """Where all pairs stand but those of the equal start: the correct ones first."""
        incorrect = [(pair.expected_index, pair.actual_index) for pair in self.incorrect]
        return (*self.other_correct, *incorrect)

    @property
    def total_expected(self) -> int:
        """How many calls were expected."""
        return len(self.expected)

    @property
    def total_actual(self) -> int:
        """How many calls were made."""
        return len(self.actual)

    @property
    def precision(self) -> float:
        """The share of the actual calls that are correct; 1 where there are none."""
        return self._correct_count / len(self.actual) if self.actual else 1.0

    @property
    def recall(self) -> float:
        """The share of the expected calls that were made correctly; 1 where there are none."""
        return self._correct_count / len(self.expected) if self.expected else 1.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; 1 where nothing was expected or made.

        It is 0 where a forbidden call was made, whatever precision and recall are.
        """
        if self.forbidden:
            return 0.0
        return f1_of(self._correct_count, len(self.expected), len(self.actual))

    @property
    def score(self) -> float:
        """The score of the case: its F1."""
        return self.f1

    @property
    def is_exact(self) -> bool:
        """Whether every expected call was made correctly and no other."""
        return self._correct_count == len(self.expected) == len(self.actual)

    @property
    def passed(self) -> bool:
        """Whether the score is at least what the settings ask for, and nothing forbidden was called."""
        return not self.forbidden and self.f1 >= self.settings.at_least

    @property
    def tool_selection(self) -> float:
        """The same F1 over the names alone, whatever the arguments."""
        wanted = [call.name for call in self.expected]
        given = [call.name for call in self.actual]
        same = count_same_names(wanted, given, self.settings.order)
        return f1_of(same, len(wanted), len(given))

    @property
    def argument_accuracy(self) -> float | None:
        """Matched expected arguments / expected arguments, over all pairs; None without any."""
        pairs = self.correct + self.incorrect
        wanted = sum(pair.wanted_arguments for pair in pairs)
        return sum(pair.matched_arguments for pair in pairs) / wanted if wanted else None

    @property
    def tool_called(self) -> int:
        """1 if an expected tool is among the calls, or none was expected and none was made."""
        if not self.expected:
            return int(not self.actual)
        called = {call.name for call in self.actual}
        return int(any(call.name in called for call in self.expected))

    @property
    def parameters_valid(self) -> float | None:
        """The share of the calls that their tools' schemas accept; None where nobody knows those.

        Of all calls that were made, whether they count or not. Without any it is 1 where none was
        expected, else 0.
        """
        if self.faults is None:
            return None
        from callscore.core.fault import calls_of, parameters_valid

        expected = calls_of("expected", self.expected, self.ignored)
        calls = calls_of("actual", self.actual, self.ignored)
        return parameters_valid(self.faults, calls=calls, expected=expected)

    @property
    def rating(self) -> str:
        """The score in one word: Excellent, Good, Moderate or Poor."""
        from callscore.core.wording import rating

        return rating(self.f1)

    @property
    def summary(self) -> str:
        """The score and the four counts on one line."""
        from callscore.core.wording import summary_line

        return summary_line(self)

    @property
    def _correct_count(self) -> int:
        return self.equal_start + len(self.other_correct)

    def explain(self, *, lang: Language = "en") -> str:
        """How the score comes about, in three steps that a person can check by hand."""
        from callscore.core.explanation import explain

        return explain(self, lang=lang)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data that any JSON encoder accepts."""
        from callscore.core.export import score_to_dict

        return score_to_dict(self)

    def __str__(self) -> str:
        from callscore.core.diff import diff_lines, plain_text

        return plain_text(diff_lines(self))

    def __rich_console__(self, _: Console, options: ConsoleOptions) -> Iterator[Text]:
        from callscore.core.diff import diff_lines, rich_text

        yield rich_text(diff_lines(self, width=options.max_width))


def f1_of(correct: int, expected: int, actual: int) -> float:
    """F1 from counts, in the one form that makes 0.8 come out as 0.8."""
    return 2 * correct / (expected + actual) if expected or actual else 1.0
