"""A comparison for an HTML report: both sides, and the trials of each of their cases."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from callscore.core.settings import DEFAULT, Settings
from callscore.engines.comparing_runs import is_case_file, resolve_sides
from callscore.history.opening import StoreOpener, open_existing
from callscore.history.postgres import store_arguments
from callscore.reports.formatting import settings_text
from callscore.reports.html.compare import ComparedRuns
from callscore.reports.html.compared_trials import TrialWriter
from callscore.runner.compared_cases import ComparedCases, RunTrials, SpooledTrials

if TYPE_CHECKING:
    from callscore.comparing.comparison import Comparison
    from callscore.comparing.sides import Side
    from callscore.core.phrases import Language
    from callscore.engines.file_sides import OnResult
    from callscore.history.store import Store

_STDIN = "-"


class ComparedInputs(Struct, frozen=True, kw_only=True):
    """The two sides of a comparison as they are typed.

    Attributes:
        references: files of cases, or runs.
        expected: the file of references, if the files have only traces.
        settings: how the cases of files are scored.
        typed: the same settings as options of the command line.
        store: where the history is; None for that of the project.
    """

    references: tuple[str, str]
    expected: str | None = None
    settings: Settings = DEFAULT
    typed: tuple[str, ...] = ()
    store: str | None = None


class RunsAndCases(NamedTuple):
    """What `html_parts` needs: a comparison, and the trials of all cases."""

    runs: ComparedRuns
    cases: ComparedCases


@contextmanager
def compared_inputs(
    inputs: ComparedInputs, compare: Callable[[Side, Side], Comparison], lang: Language
) -> Iterator[RunsAndCases]:
    """Read or score both sides, and compare them; a file is scored once.

    The history and the temporary files are open until the report is written.
    """
    with ExitStack() as stack:
        history = stack.enter_context(closing(StoreOpener(partial(open_existing, inputs.store))))
        first, second = [
            stack.enter_context(closing(_FileSide(inputs, name, lang)))
            if is_case_file(name)
            else None
            for name in inputs.references
        ]
        sides = resolve_sides(
            inputs.references,
            store=history,
            settings=inputs.settings,
            expected=inputs.expected,
            on_results=(_taker(first), _taker(second)),
            is_whole=True,
        )
        comparison = compare(*sides)
        more = store_arguments(inputs.store)
        before = first or _RunSide(history(), sides[0], lang, more)
        after = second or _RunSide(history(), sides[1], lang, more)
        cases = ComparedCases(sides, (before.trials, after.trials))
        runs = ComparedRuns(
            comparison=comparison,
            pairs=cases.pairs,
            after=after.writer,
            case_command=after.command,
            pass_mark=inputs.settings.pass_mark if second else sides[1].pass_mark,
            settings=(settings_text(inputs.settings, lang, write=str),) if first or second else (),
        )
        yield RunsAndCases(runs, cases)


def compared_runs(
    store: Store, sides: tuple[Side, Side], comparison: Comparison, lang: Language, more: str = ""
) -> RunsAndCases:
    """Two runs of the history; `more` are the arguments with which a command finds it."""
    before, after = [_RunSide(store, side, lang, more) for side in sides]
    sides = store.with_cases(sides[0])[0], store.with_cases(sides[1])[0]
    cases = ComparedCases(sides, (before.trials, after.trials))
    runs = ComparedRuns(
        comparison=comparison,
        pairs=cases.pairs,
        after=after.writer,
        case_command=after.command,
        pass_mark=sides[1].pass_mark,
    )
    return RunsAndCases(runs, cases)


class _FileSide:
    """A file of cases: `trials.add` takes each result while it is scored."""

    def __init__(self, inputs: ComparedInputs, name: str, lang: Language) -> None:
        self.command = _explain_command(inputs, name)
        self.writer = TrialWriter(lang, case_command=self.command)
        self.trials = SpooledTrials(self.writer)

    def close(self) -> None:
        """Remove the temporary file."""
        self.trials.close()


def _taker(side: _FileSide | None) -> OnResult | None:
    return None if side is None else side.trials.add


class _RunSide:
    """A run of the history."""

    def __init__(self, store: Store, side: Side, lang: Language, more: str) -> None:
        self.command = f"callscore show{more} {shlex.quote(side.run)}"
        self.writer = TrialWriter(lang, case_command=self.command)
        self.trials = RunTrials(store, side.run, self.writer)


def _explain_command(inputs: ComparedInputs, name: str) -> str:
    """The command that explains a case of a file, up to the id; empty if it cannot be read again."""
    if _STDIN in (name, inputs.expected):
        return ""
    file = shlex.quote(name)
    if inputs.expected is not None:
        file = f"--expected {shlex.quote(inputs.expected)} --actual {file}"
    return " ".join(["callscore explain", file, *inputs.typed, "--case"])
