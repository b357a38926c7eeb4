"""The cases of a comparison one by one: both runs, each trial as a report writes it.

A stored run is read page by page. The results of a file are written while it is scored, into memory, or if there
are many into a temporary file: a file is scored once, and its results need not fit into memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, NamedTuple

from callscore.comparing.case_pairs import CasePair, PairSide, case_pairs
from callscore.runner.stored_runs import StoredResults

if TYPE_CHECKING:
    from callscore.comparing.sides import CaseOutcome, Side
    from callscore.core.results import Result
    from callscore.history.store import Store

    # Writes one trial as the report has it, without secrets. The label of the evaluation is given if
    # the run has several.
    WriteTrial = Callable[[Result, str], bytes]

_IN_MEMORY = 1 << 22  # bytes of trials; more of them are in a file
_PAGE = 200  # cases that are read at a time


class RunTrials:
    """The trials of a stored run."""

    def __init__(self, store: Store, run: str, write: WriteTrial) -> None:
        self._results = StoredResults(store, run)
        self._has_several = len(store.evaluations(run)) > 1
        self._write = write

    def trials(self, cases: Sequence[PairSide]) -> list[list[bytes]]:
        """All trials of each of these cases."""
        names = [(side.evaluation.number, side.case.id) for side in cases]
        labels = [side.evaluation.label if self._has_several else "" for side in cases]
        return [
            [self._write(result, label) for result in results]
            for label, results in zip(labels, self._results.of_cases(names), strict=True)
        ]


# Where a trial is in the file: its id, its question and expectation, where it begins, and its size.
_Place = tuple[str, str, int, int]


class SpooledTrials:
    """The trials of a file of cases, written as they are scored: `add` takes each of them."""

    def __init__(self, write: WriteTrial) -> None:
        self._write = write
        self._places: dict[str, list[_Place]] = {}
        self._spool = SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115  (closed by `close`)
        self._end = 0

    def add(self, case: CaseOutcome, result: Result) -> None:
        """Take the next result, and its case with this one trial."""
        written = self._write(result, "")
        self._spool.write(written)
        asks = f"{case.asked} {case.expectation}"
        place = (result.case.id, asks, self._end, len(written))
        self._places.setdefault(case.id, []).append(place)
        self._end += len(written)

    def trials(self, cases: Sequence[PairSide]) -> list[list[bytes]]:
        """All trials of each of these cases, in the order in which the comparison has them."""
        found: list[list[bytes]] = []
        for side in cases:
            found.append([])
            for _, _, start, size in _in_order(self._places.get(side.case.id, [])):
                self._spool.seek(start)
                found[-1].append(self._spool.read(size))
        return found

    def close(self) -> None:
        """Remove the temporary file."""
        self._spool.close()


def _in_order(places: list[_Place]) -> list[_Place]:
    """Records of the same id are trials of one case if they ask and expect the same: these together."""
    if len(places) == 1:
        return places
    ids: dict[str, int] = {}
    asked: dict[tuple[str, str], int] = {}
    for name, asks, *_ in places:
        ids.setdefault(name, len(ids))
        asked.setdefault((name, asks), len(asked))
    return sorted(places, key=lambda place: (ids[place[0]], asked[place[:2]]))


_Source = RunTrials | SpooledTrials


class ComparedTrials(NamedTuple):
    """A case of a comparison, and its trials on both sides as a report writes them.

    Without any on a side that has not the case.
    """

    pair: CasePair
    before: list[bytes]
    after: list[bytes]


class ComparedCases:
    """All cases of a comparison, in the order of a report.

    Attributes:
        pairs: each case, without its trials.
    """

    def __init__(self, sides: tuple[Side, Side], sources: tuple[_Source, _Source]) -> None:
        self.pairs = case_pairs(*sides)
        self._before, self._after = sources

    def __iter__(self) -> Iterator[ComparedTrials]:
        for start in range(0, len(self.pairs), _PAGE):
            yield from self._page(self.pairs[start : start + _PAGE])

    def at(self, position: int) -> ComparedTrials:
        """The case at a position.

        Raises:
            IndexError: there is none.
        """
        if position < 0:
            raise IndexError(position)
        return self._page([self.pairs[position]])[0]

    def _page(self, pairs: Sequence[CasePair]) -> list[ComparedTrials]:
        before = iter(self._before.trials([pair.before for pair in pairs if pair.before]))
        after = iter(self._after.trials([pair.after for pair in pairs if pair.after]))
        return [
            ComparedTrials(
                pair, next(before) if pair.before else [], next(after) if pair.after else []
            )
            for pair in pairs
        ]
