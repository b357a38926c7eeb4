"""Sums up what the tests of a session tell: the results of evaluations, and what is rewritten."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

from callscore.core.model import Case
from callscore.core.run import JudgeCounts, RunResults
from callscore.engines.notes import Notes
from callscore.evaluations.evaluation import Answer, Scored
from callscore.rewriting.applying import Refused, rewrite
from callscore.runner.gathering import Gathering
from callscore.testing.told import decoded, settings_of
from callscore.testing.updating import key_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from callscore.core.run import EvaluationResults
    from callscore.rewriting.applying import Rewritten
    from callscore.rewriting.change import Change
    from callscore.testing.told import Result, Told

__all__ = ["Session", "table_of"]


class Session:
    """All that was told in a session; of a test that ran again, the last counts."""

    def __init__(self) -> None:
        self._told: dict[str, Told] = {}

    def add(self, test: str, text: str) -> None:
        """Take what a test tells."""
        self._told[test] = decoded(text)

    @property
    def changes(self) -> list[Change]:
        """The expectations to rewrite, by file and line, whichever process told them first."""
        changes = [change for told in self._told.values() for change in told.changes]
        return sorted(changes, key=lambda change: (change.files, change.line, change.label))

    def results(self, seconds: float) -> RunResults:
        """What the evaluations gave.

        Args:
            seconds: how long it all took.
        """
        results = [told.result for told in self._told.values() if told.result is not None]
        groups: dict[tuple[str, str, str | None], list[Result]] = {}
        for each in results:
            whose = each.about
            groups.setdefault((whose.place, whose.name, whose.variant), []).append(each)
        return RunResults(
            # Variants of one evaluation stand together, whatever order their answers came in.
            evaluations=tuple(_gathered(groups[key]) for key in _ordered(groups)),
            seconds=seconds,
            judges=tuple(_judges(results)),
        )

    def refused(self, problem: str) -> list[Refused]:
        """All changes, with a reason why none of them is written."""
        return [Refused(change, problem) for change in self.changes]

    def write(self, root: Path) -> tuple[list[Rewritten], list[Refused]]:
        """Write the expectations that are to be rewritten.

        Args:
            root: files outside of this folder are never written.
        """
        confirmed = {key for told in self._told.values() for key in told.confirmed}
        wanted = [change for change in self.changes if key_of(change) not in confirmed]
        written, refused = rewrite(wanted, root)
        others = [change for change in self.changes if key_of(change) in confirmed]
        problem = "what is expected there is right at other times."
        return written, [*refused, *[Refused(change, problem) for change in others]]


def _ordered(
    groups: Iterable[tuple[str, str, str | None]],
) -> list[tuple[str, str, str | None]]:
    keys = list(groups)
    first = {key[:2]: position for position, key in reversed(list(enumerate(keys)))}
    return sorted(keys, key=lambda key: first[key[:2]])


def _gathered(results: list[Result]) -> EvaluationResults:
    whose = results[0].about
    names = {"name": whose.name, "place": whose.place, "variant": whose.variant}
    # What was left out on purpose misses nothing.
    is_asked = any(each.skipped is None for each in results)
    thresholds = whose.thresholds if is_asked else dict.fromkeys(whose.thresholds)
    gathering = Gathering(names, settings_of(whose), thresholds, show="none")
    skipped = Notes()
    for position, each in enumerate(results):
        if each.skipped is not None:
            skipped.add(f"{each.case}: {each.skipped}" if each.skipped else each.case)
            continue
        gathering.add(position, each.failure or _scored(each))
    return gathering.results(skipped.noted())


def _scored(each: Result) -> Scored:
    return Scored(
        case=Case(id=each.case, trial=each.trial),
        answer=Answer(document=None, seconds=each.seconds, usage=each.usage),
        score=None,
        values=each.values,
        passed=each.passed,
    )


def _judges(results: Iterable[Result]) -> Iterator[JudgeCounts]:
    found: dict[str, JudgeCounts] = {}
    for each in results:
        for counts in each.judges:
            known = found.get(counts.model, JudgeCounts(counts.model))
            found[counts.model] = JudgeCounts(
                counts.model, known.judged + counts.judged, known.asked + counts.asked
            )
    yield from found.values()


def table_of(run: RunResults, *, width: int, has_colour: bool) -> str:
    """The tables of the evaluations, as `callscore run` prints them."""
    from rich.console import Console

    from callscore.reports.run_terminal import render_summary

    stream = StringIO()
    console = Console(
        file=stream,
        width=width,
        force_terminal=has_colour,
        color_system="standard" if has_colour else None,
        legacy_windows=False,
    )
    render_summary(run, console=console)
    return stream.getvalue()
