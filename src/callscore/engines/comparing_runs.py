"""Compares two runs of the history or two files of cases: `callscore.compare(...)`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
    from callscore.comparing.sides import CaseOutcome, Side
    from callscore.engines.file_sides import OnResult
    from callscore.history.records import ResultRecord
    from callscore.history.store import Store

_STDIN = "-"


def is_case_file(reference: str) -> bool:
    """Whether a reference means a file of cases, rather than a run.

    It does if it has the suffix of a case file, whether the file exists or not, or if it is the path
    of an existing file with a folder: `main` is a run, `./main` may be a file. A URL is one, too.
    """
    if (
        reference == _STDIN
        or "://" in reference
        or ("." in reference and _has_suffix_of_file(reference))
    ):
        return True
    try:
        return ("/" in reference or sep in reference) and Path(reference).is_file()
    except OSError:  # the name is too long, or the folder cannot be read
        return False


def _has_suffix_of_file(reference: str) -> bool:
    from callscore.sources.data_files import kind_by_name

    return kind_by_name(reference) is not None


def resolve_side(
    reference: str | PathLike[str],
    *,
    store: Callable[[], Store],
    settings: Settings = DEFAULT,
    expected: str | PathLike[str] | None = None,
    on_result: OnResult | None = None,
) -> Side:
    """The side that a reference means: a file of cases, or `RUN` or `RUN:VARIANT` without its cases.

    `store` opens the history, and is called only for a run. The settings are used for a file, and
    `expected` for a file that has only traces. `on_result` is called with each result of a file.

    Raises:
        UnknownRun: there is no such run, or it has no such variant.
        UnreadableInput: the file cannot be read, or there is no case in it.
        UnusableStore: the history cannot be used.
    """
    if isinstance(reference, str) and not is_case_file(reference):
        return side_of_run(store(), reference)
    from callscore.engines.file_sides import side_of_file  # imports all formats

    return side_of_file(reference, settings, expected=expected, on_result=on_result)


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
    """Both sides of a comparison, ready for `compare_sides`; arguments and errors as of `resolve_side`.

    `on_results` are called with each result of a file on the first and on the second side; the other
    arguments are those of `with_cases`.
    """
    resolve = partial(resolve_side, store=store, settings=settings, expected=expected)
    before = resolve(references[0], on_result=on_results[0])
    after = resolve(references[1], on_result=on_results[1])
    return with_cases(before, after, store, removals=removals, is_whole=is_whole)


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
    sides = [before, after]
    if before.run and after.run and not is_whole:
        sides = list(store().with_cases(before, after, kind_of=fitting_patterns(removals or {})))
    else:
        sides = [store().with_cases(side)[0] if side.run else side for side in sides]
    return _with_changed_expectations(sides[0], sides[1], store)


def _with_changed_expectations(
    before: Side, after: Side, store: Callable[[], Store]
) -> tuple[Side, Side]:
    """Two sides, with what is expected of the cases whose expectation changed.

    Only these are read: most cases of two runs expect the same.
    """
    first, second = _digests(before), _digests(after)
    changed = {name for name in first if name in second and first[name] != second[name]}
    if not changed:
        return before, after
    return _with_expected(before, changed, store), _with_expected(after, changed, store)


def _digests(side: Side) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for evaluation in side.evaluations:
        for case in evaluation.cases:
            found.setdefault(case.id, set()).add(case.expectation)
    return found


def _with_expected(side: Side, cases: set[str], store: Callable[[], Store]) -> Side:
    if not side.run:
        return side  # a file is in memory already
    saved = {case.id for each in side.evaluations for case in each.cases if case.id in cases}
    records = store().cases(side.run, saved)
    evaluations = [
        replace(
            each,
            cases=tuple(
                [_read_case(case, records.get((each.number, case.id))) for case in each.cases]
            ),
        )
        for each in side.evaluations
    ]
    return replace(side, evaluations=tuple(evaluations))


def _read_case(case: CaseOutcome, records: Sequence[ResultRecord] | None) -> CaseOutcome:
    """A case with what is expected, if it was read."""
    if not records:
        return case
    expected = records[0].payload.get("expected")  # all trials expect the same
    return replace(case, expected=tuple(expected) if isinstance(expected, list) else None)


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
    references = None if expected is None else fspath(expected)
    with closing(StoreOpener(partial(open_existing, place))) as history:
        first, second = resolve_sides(
            (before, after),
            store=history,
            settings=settings,
            expected=references,
            removals=removals,
        )
    return compare_sides(first, second, measure=measure, removals=removals)
