"""Compares two runs of the history or two files of cases: `callscore.compare(...)`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from functools import partial
from os import PathLike, fspath, sep
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from callscore.comparing.comparison import Comparison, compare_sides
from callscore.comparing.removals import fitting_patterns
from callscore.core.settings import DEFAULT, Settings
from callscore.history.opening import StoreOpener, open_existing
from callscore.history.run_metadata import find_run_and_variant

if TYPE_CHECKING:
    from callscore.comparing.sides import CaseOutcome, EvaluationSide, Side
    from callscore.engines.file_sides import OnResult
    from callscore.history.store import Store

_STDIN = "-"


def is_case_file(reference: str) -> bool:
    """Whether a reference means a file of cases, rather than a run.

    It does if it has the suffix of a case file, whether the file exists or not, or if it is the path
    of an existing file with a folder: `main` is a run, `./main` may be a file. A URL is one, too.
    """
    if reference == _STDIN or "://" in reference:
        return True
    if "." in reference:
        from callscore.sources.data_files import kind_by_name

        if kind_by_name(reference) is not None:
            return True
    try:
        return ("/" in reference or sep in reference) and Path(reference).is_file()
    except OSError:  # the name is too long, or the folder cannot be read
        return False


def resolve_sides(  # noqa: PLR0913  (all are options)
    references: tuple[str | PathLike[str], str | PathLike[str]],
    *,
    store: Callable[[], Store],
    settings: Settings = DEFAULT,
    expected: str | PathLike[str] | None = None,
    on_results: tuple[OnResult | None, OnResult | None] = (None, None),
    removals: Mapping[str, str] | None = None,
    is_whole: bool = False,
) -> tuple[Side, Side]:
    """Both sides of a comparison, ready for `compare_sides`.

    Args:
        references: files of cases, or `RUN` or `RUN:VARIANT`.
        store: opens the history; called only for a run.
        settings: used for files.
        expected: the references of files that have only traces.
        on_results: called with each result of a file on the first and on the second side.
        removals: as of `with_cases`.
        is_whole: likewise.

    Raises:
        UnknownRun: there is no such run, or it has no such variant.
        UnreadableInput: a file cannot be read, or there is no case in it.
        UnusableStore: the history cannot be used.
    """
    sides: list[Side] = []
    for reference, on_result in zip(references, on_results, strict=True):
        if isinstance(reference, str) and not is_case_file(reference):
            sides.append(side_of_run(store(), reference))
            continue
        from callscore.engines.file_sides import side_of_file  # imports all formats

        side = side_of_file(reference, settings, expected=expected, on_result=on_result)
        sides.append(side)
    return with_cases(sides[0], sides[1], store, removals=removals, is_whole=is_whole)


def side_of_run(store: Store, reference: str) -> Side:
    """The run that a reference means, or one variant of it, as one side of a comparison, without cases."""
    run, variant = find_run_and_variant(store, reference)
    return store.side(run, reference, variant)


def with_cases(
    before: Side,
    after: Side,
    store: Callable[[], Store],
    *,
    removals: Mapping[str, str] | None = None,
    is_whole: bool = False,
) -> tuple[Side, Side]:
    """Two sides with the cases of their runs, ready for `compare_sides` with these removals.

    Cases that are the same in two runs are counted, unless the sides shall be whole: a report has every case.
    """
    if before.run and after.run and not is_whole:
        kind_of = fitting_patterns(removals or {})
        before, after = store().with_cases(before, after, kind_of=kind_of)
    else:
        before, after = [
            store().with_cases(side)[0] if side.run else side for side in (before, after)
        ]
    # Most cases expect the same on both sides: what is expected is read only of the others.
    first, second = map(_digests, (before, after))
    changed = {name for name in first.keys() & second.keys() if first[name] != second[name]}
    if changed:
        before, after = [
            _with_expected(side, changed, store()) if side.run else side for side in (before, after)
        ]
    return before, after


def _digests(side: Side) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for evaluation in side.evaluations:
        for case in evaluation.cases:
            found.setdefault(case.id, set()).add(case.expectation)
    return found


def _with_expected(side: Side, cases: set[str], store: Store) -> Side:
    """A run with what is expected of these cases."""
    records = store.cases(side.run, cases)

    def read(evaluation: EvaluationSide, case: CaseOutcome) -> CaseOutcome:
        trials = records.get((evaluation.number, case.id))  # all of them expect the same
        expected = trials[0].payload.get("expected") if trials else None
        return replace(case, expected=tuple(expected)) if isinstance(expected, list) else case

    evaluations = [
        replace(each, cases=tuple([read(each, case) for case in each.cases]))
        for each in side.evaluations
    ]
    return replace(side, evaluations=tuple(evaluations))


def compare(  # noqa: PLR0913  (all are options)
    before: str | PathLike[str],
    after: str | PathLike[str],
    *,
    measure: str = "passed",
    expected: str | PathLike[str] | None = None,
    settings: Settings = DEFAULT,
    store: str | PathLike[str] | None = None,
    removals: Mapping[str, str] | None = None,
) -> Comparison:
    """Compare two runs of the history, or two files of cases, or one with the other.

    Cases are paired by their ids. "Comparing runs" in the documentation explains the verdict.

    Args:
        before: the first side: `latest`, `latest~1`, a baseline, the id or name of a run, the start
            of an id, or a git reference to a commit; one variant of a run as `RUN:VARIANT`; or a
            file of cases, which is scored. A `Path` is always a file.
        after: the second side, in the same forms.
        measure: the measure that decides the verdict: `passed`, `f1`, or the name of a scorer.
        expected: the file of references, if the files have only traces.
        settings: how the cases of files are scored; a run is scored already.
        store: the history: a file, or `postgresql://...`; by default that of the variable
            `CALLSCORE_STORE`, or of the current project.
        removals: cases that may be missing in the second side, with the reasons; the patterns match
            ids, or `evaluation::id`.

    Raises:
        UnknownRun: there is no such run.
        UnreadableInput: a file cannot be read, or has no cases.
        InvalidSettings: the measure is unknown.
        UnusableStore: the history cannot be used.
    """
    place = None if store is None else fspath(store)
    with closing(StoreOpener(partial(open_existing, place))) as history:
        first, second = resolve_sides(
            (before, after), store=history, settings=settings, expected=expected, removals=removals
        )
    return compare_sides(first, second, measure=measure, removals=removals)
