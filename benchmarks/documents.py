"""What `read_calls` costs on the samples of every format, against `json.loads` of the same text."""

from __future__ import annotations

import json  # noqa: TID251  (the baseline)
import sys
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

import timing
from rows import Row

from callscore import read_calls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rows import Inputs

__all__ = ["main", "rows"]

SAMPLES = Path(__file__).parents[1] / "tests/samples/formats"
ANSWERS = (".expected.json", ".schemas.json")
BYTES = 30_000  # to read in one round: a small document is too quick for the clock
MEDIAN_BAR = 5.0
WORST_BAR = 15.0
QUICK = 12  # documents

_Read = "Callable[[bytes], object]"


class Document(NamedTuple):
    """A sample, and what reading and decoding it took in each round."""

    name: str
    ours: list[float]
    theirs: list[float]

    @property
    def ratio(self) -> float:
        """The best of both."""
        return min(self.ours) / min(self.theirs)

    def in_round(self, number: int) -> float:
        """The ratio of one round."""
        return self.ours[number] / self.theirs[number]


def from_text(text: bytes) -> object:
    """A document as it is in a file."""
    return read_calls(text)


def from_objects(text: bytes) -> object:
    """A document that a program has decoded."""
    return read_calls(json.loads(text))


def rows(inputs: Inputs) -> Iterator[Row]:
    """Every row of this subject."""
    count = QUICK if inputs.effort.rounds == 1 else None
    paths = list(samples())[:count]
    for name, what, read in (
        ("text", "read_calls(text)", from_text),
        ("objects", "json.loads and read_calls", from_objects),
    ):
        for part, bar in (("median", MEDIAN_BAR), ("worst", WORST_BAR)):
            yield Row(
                f"read-calls-{name}-{part}",
                f"{what} / json.loads, {part} of {len(paths)} documents",
                bar,
                partial(_measure, read, paths, part),
            )


def samples() -> Iterator[Path]:
    """The documents of all formats that are JSON rather than text."""
    for path in sorted(SAMPLES.rglob("*.json")):
        if not path.name.endswith(ANSWERS) and not path.read_bytes().lstrip().startswith(b'"'):
            yield path


def _measure(
    read: Callable[[bytes], object], paths: Sequence[Path], part: str, rounds: int
) -> timing.Measured:
    documents = [_document(path, read, rounds) for path in paths]
    choose: Any = median if part == "median" else max
    ratio = choose(one.ratio for one in documents)
    each = tuple(choose(one.in_round(number) for one in documents) for number in range(rounds))
    return timing.Measured(ratio, ratio, each)


def _document(path: Path, read: Callable[[bytes], object], rounds: int) -> Document:
    text = path.read_bytes()
    times = max(3, BYTES // len(text))

    def ours() -> None:
        for _ in range(times):
            read(text)

    def theirs() -> None:
        for _ in range(times):
            json.loads(text)

    taken = timing.take_turns([timing.cpu(ours), timing.cpu(theirs)], rounds)
    return Document(path.relative_to(SAMPLES).as_posix(), *taken)


def main(words: list[str]) -> None:
    """Print what every document costs, the dearest first."""
    rounds = 1 if "--quick" in words else 5
    documents = [(_document(path, from_text, rounds)) for path in samples()]
    for one in sorted(documents, key=lambda one: -one.ratio):
        print(f"{one.name:60} {one.ratio:8.2f}x {min(one.ours) * 1e6:10.1f} us")


if __name__ == "__main__":
    main(sys.argv[1:])
