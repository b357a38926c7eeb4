"""One number of another tool: a function that gives it, and the options it is asked with.

A module that reproduces a tool has

- a docstring whose first line says what it reproduces,
- `TITLE`, what the tool calls itself,
- `VERSION`, the version that the functions were held against,
- `METRICS`, the functions that give one number a case; the first is the one that the tool is
  known for, and with its defaults it stands for the tool where all tools are compared,

and may have

- `RATES_OF_FAULT`, those of them of which less is better,
- `INVERTING_OPTIONS`, the names of options that turn a metric into the opposite when they are true,
- `KNOWS_RULES`, true where its functions understand rules and groups in what is expected.

Such a function takes the expected and the actual calls, and the tool's options by keyword. It
returns a number, a truth value, or None where the tool says in so many words that it does not
score a case; where the tool raises, it raises `NotScorable`. A parameter named `tools` is given the
definitions of the tools, by name, where they are known, else None. What is not in `METRICS` but in
`__all__` is described as something that Python can call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from msgspec import UNSET, Struct

from callscore.core.call import ToolCall
from callscore.core.matcher import holds_matchers
from callscore.core.results import MetricValue
from callscore.errors import InvalidSettings, NotScorable
from callscore.metrics.copies import copied
from callscore.metrics.invalid_option import InvalidOption
from callscore.metrics.number import number_from

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.core.expectation import Expected
    from callscore.core.tool import Tool

__all__ = ["Metric", "Option", "Peer", "unknown_words"]

# Those of our own functions that never change what they are given.
_OURS = ("callscore.parity.", "callscore.metrics.")


class Option(Struct, frozen=True):
    """Something that a metric can be told.

    Attributes:
        name: the keyword.
        type: what its values are; a type that text can be converted to.
        default: its value where nothing is said; `msgspec.UNSET` where something must be.
    """

    name: str
    type: Any
    default: Any

    @property
    def is_required(self) -> bool:
        """Whether the metric cannot be asked without it."""
        return self.default is UNSET


class Peer(Struct, frozen=True):
    """Another tool, and the metrics of it that are reproduced.

    Attributes:
        name: the module that reproduces it.
        title: what it calls itself.
        version: the version that the metrics were held against.
        metrics: the functions, by name; the first is the one that the tool is known for.
        others: its functions that do not give one number a case, and that Python alone can call.
        rates_of_fault: the names of the metrics of which less is better.
        inverting: the names of options that turn a metric into the opposite.
        knows_rules: whether its metrics understand rules and groups in what is expected.
    """

    name: str
    title: str
    version: str
    metrics: dict[str, Callable[..., float | None]]
    others: dict[str, Callable[..., Any]] = {}
    rates_of_fault: tuple[str, ...] = ()
    inverting: tuple[str, ...] = ()
    knows_rules: bool = False


class Metric(Struct, frozen=True):
    """A metric of another tool that can be asked about any case.

    Attributes:
        name: as it is asked for, `ragas.tool_call_accuracy:strict_order=false`.
        function: what gives the number.
        options: what the function is told.
        takes_tools: whether it wants to know the tools' definitions.
        version: the version of the tool that it was held against; None where that is not known.
        less_is_better: whether it counts what is wrong, or says the opposite.
        knows_rules: whether it understands rules and groups in what is expected.
    """

    name: str
    function: Callable[..., float | None]
    options: dict[str, Any]
    takes_tools: bool = False
    version: str | None = None
    less_is_better: bool = False
    knows_rules: bool = False

    def of(
        self,
        expected: Sequence[Expected],
        actual: Sequence[ToolCall],
        tools: Mapping[str, Tool] | None = None,
    ) -> float | None:
        """What the tool says of a case; None where it declines to score it.

        Args:
            expected: the calls that were expected.
            actual: the calls that were made.
            tools: the definitions of the tools by name, where they are known.

        Raises:
            NotScorable: the tool raises, or the expectation says what the tool has no word for.
            InvalidSettings: an option has a value that it cannot have.
        """
        unknown = None if self.knows_rules else unknown_words(expected)
        if unknown is not None:
            raise NotScorable(unknown)
        known = {"tools": tools} if self.takes_tools else {}
        try:
            if not self._is_ours:  # whoever else it is, the next one is to see the same calls
                expected, actual = copied(expected), copied(actual)
            value = self.function(expected, actual, **self.options, **known)
        except NotScorable:
            raise
        except InvalidSettings as error:
            raise InvalidOption(f"the metric {self.name}: {error}") from error
        except Exception as error:  # a metric of another package may do so, and one column of many
            raise NotScorable(f"it raises {type(error).__name__}: {error}") from error
        return None if value is None else number_from(value)

    @property
    def _is_ours(self) -> bool:
        return str(getattr(self.function, "__module__", "")).startswith(_OURS)

    def value_of(
        self,
        expected: Sequence[Expected],
        actual: Sequence[ToolCall],
        tools: Mapping[str, Tool] | None = None,
    ) -> MetricValue:
        """The same as a value that says why there is no number, where there is none."""
        try:
            value = self.of(expected, actual, tools)
        except NotScorable as error:
            return MetricValue(self.name, None, str(error))
        return MetricValue(self.name, value, _DECLINED if value is None else None)


_DECLINED = "the tool gives no number for such a case."


def unknown_words(expected: Sequence[Expected]) -> str | None:
    """What other tools have no words for in what is expected, in a sentence; None if nothing."""
    for item in expected:
        if not isinstance(item, ToolCall):
            return "the expectation has groups, which other tools do not know."
        if holds_matchers(item.arguments):
            return "the expectation has rules, which other tools do not know."
    return None
