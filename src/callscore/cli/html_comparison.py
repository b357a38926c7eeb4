"""A comparison for an HTML report: both sides, and the trials of each of their cases."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import click

from callscore.comparing.comparison import compare_sides
from callscore.engines.comparing_runs import is_case_file, resolve_sides
from callscore.history.opening import StoreOpener, open_existing
from callscore.history.postgres import store_arguments
from callscore.reports.formatting import settings_text
from callscore.reports.html.compare import ComparedRuns
from callscore.reports.html.compared_trials import TrialWriter
from callscore.runner.compared_cases import ComparedCases, RunTrials, SpooledTrials

if TYPE_CHECKING:
    from callscore.cli.compare import CompareRequest
    from callscore.comparing.comparison import Comparison
    from callscore.comparing.sides import Side
    from callscore.core.phrases import Language
    from callscore.history.store import Store

_STDIN = "-"


class RunsAndCases(NamedTuple):
    """What `html_parts` needs: a comparison, and the trials of all cases."""

    runs: ComparedRuns
    cases: ComparedCases


def require_cases_for_html(comparison: Comparison) -> None:
    """Refuse an HTML report of totals: it is a list of cases."""
    if comparison.is_totals:
        raise click.UsageError(
            "The HTML report compares case by case, and not every case of these runs is saved."
            " Use another format, or score the files again with --save-cases all."
        )


@contextmanager
def compared_inputs(request: CompareRequest, lang: Language) -> Iterator[RunsAndCases]:
    """Read or score both sides, and compare them; a file is scored once.

    The history and the temporary files are open until the report is written.
    """
    with ExitStack() as stack:
        history = stack.enter_context(closing(StoreOpener(partial(open_existing, request.store))))
        first, second = [
            stack.enter_context(closing(_FileSide(request, name, lang)))
            if is_case_file(name)
            else None
            for name in request.references
        ]
        sides = resolve_sides(
            request.references,
            store=history,
            settings=request.settings,
            expected=request.expected,
            on_results=(
                None if first is None else first.trials.add,
                None if second is None else second.trials.add,
            ),
            is_whole=True,
        )
        comparison = compare_sides(*sides, measure=request.measure, removals=request.removals)
        require_cases_for_html(comparison)
        more = store_arguments(request.store)
        before = first or _RunSide(history(), sides[0], lang, more)
        after = second or _RunSide(history(), sides[1], lang, more)
        settings = (settings_text(request.settings, lang, write=str),) if first or second else ()
        yield _runs_and_cases(comparison, sides, (before, after), settings)


def compared_runs(
    store: Store, sides: tuple[Side, Side], comparison: Comparison, lang: Language, more: str = ""
) -> RunsAndCases:
    """Two runs of the history; `more` are the arguments with which a command finds it."""
    before, after = [_RunSide(store, side, lang, more) for side in sides]
    sides = store.with_cases(sides[0])[0], store.with_cases(sides[1])[0]
    return _runs_and_cases(comparison, sides, (before, after))


class _FileSide:
    """A file of cases: `trials.add` takes each result while it is scored."""

    def __init__(self, request: CompareRequest, name: str, lang: Language) -> None:
        self.command = _explain_command(request, name)
        self.writer = TrialWriter(lang, case_command=self.command)
        self.trials = SpooledTrials(self.writer)

    def close(self) -> None:
        """Remove the temporary file."""
        self.trials.close()


class _RunSide:
    """A run of the history."""

    def __init__(self, store: Store, side: Side, lang: Language, more: str) -> None:
        self.command = f"callscore show{more} {shlex.quote(side.run)}"
        self.writer = TrialWriter(lang, case_command=self.command)
        self.trials = RunTrials(store, side.run, self.writer)


def _runs_and_cases(
    comparison: Comparison,
    sides: tuple[Side, Side],
    sources: tuple[_FileSide | _RunSide, _FileSide | _RunSide],
    settings: tuple[str, ...] = (),
) -> RunsAndCases:
    before, after = sources
    cases = ComparedCases(sides, (before.trials, after.trials))
    runs = ComparedRuns(
        comparison=comparison,
        pairs=cases.pairs,
        after=after.writer,
        case_command=after.command,
        pass_mark=sides[1].pass_mark,
        settings=settings,
    )
    return RunsAndCases(runs, cases)


def _explain_command(request: CompareRequest, name: str) -> str:
    """The command that explains a case of a file, up to the id; empty if it cannot be read again."""
    if _STDIN in (name, request.expected):
        return ""
    file = shlex.quote(name)
    if request.expected is not None:
        file = f"--expected {shlex.quote(request.expected)} --actual {file}"
    return " ".join(["callscore explain", file, *request.typed, "--case"])
