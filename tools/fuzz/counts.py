"""What is counted: inputs per target and outcome, and the ones that cost the most."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from msgspec import Struct, field

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tools.fuzz.execution import Outcome

__all__ = ["Counts", "is_read"]

_WORST = 5


def is_read(word: str) -> bool:
    """Whether an outcome is that of an input that was read and scored; it may be below a bar."""
    return word in ("read", "same", "exit 0", "exit 1")


class Counts(Struct):
    """Counts of inputs; those of several workers can be added."""

    words: dict[str, dict[str, int]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    slowest: list[tuple[float, int, str]] = field(default_factory=list)
    largest: list[tuple[float, int, str]] = field(default_factory=list)

    def add(self, target: str, number: int, outcome: Outcome) -> None:
        """Count one input."""
        words = self.words.setdefault(target, {})
        words[outcome.word] = words.get(outcome.word, 0) + 1
        self.seconds[target] = self.seconds.get(target, 0.0) + outcome.seconds
        _keep_worst(self.slowest, (outcome.seconds, number, target))
        _keep_worst(self.largest, (outcome.megabytes, number, target))

    def merge(self, other: Counts) -> None:
        """Add the counts of another worker."""
        for target, words in other.words.items():
            known = Counter(self.words.get(target, {}))
            known.update(words)
            self.words[target] = dict(known)
            self.seconds[target] = self.seconds.get(target, 0.0) + other.seconds[target]
        for mine, its in ((self.slowest, other.slowest), (self.largest, other.largest)):
            for each in its:
                _keep_worst(mine, each)

    @property
    def inputs(self) -> int:
        """How many inputs were run."""
        return sum(sum(words.values()) for words in self.words.values())

    def lines(self) -> Iterator[str]:
        """The counts as a table, and the inputs that cost the most."""
        yield f"{'target':14} {'inputs':>9} {'read':>5} {'ms each':>8}  outcomes"
        for target, words in sorted(self.words.items()):
            many = sum(words.values())
            most = sorted(words.items(), key=lambda pair: -pair[1])
            outcomes = ", ".join(f"{word} {count:,}" for word, count in most)
            share = sum(count for word, count in words.items() if is_read(word)) / many
            each = self.seconds[target] / many * 1000
            yield f"{target:14} {many:>9,} {share:>5.0%} {each:>8.2f}  {outcomes}"
        for name, unit, worst in (("slowest", "s", self.slowest), ("largest", "MB", self.largest)):
            parts = (
                f"{value:.2f} {unit} (number {number}, {target})" for value, number, target in worst
            )
            yield f"{name}: {', '.join(parts)}"


def _keep_worst(worst: list[tuple[float, int, str]], new: tuple[float, int, str]) -> None:
    if len(worst) < _WORST or new[0] > worst[-1][0]:
        worst.append(new)
        worst.sort(reverse=True)
        del worst[_WORST:]
