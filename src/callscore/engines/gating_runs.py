"""Finds the two runs that a gate compares, and decides: for `callscore gate` and for agents."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from callscore.comparing.comparison import compare_sides
from callscore.comparing.gating import FailOn, Gate, gate
from callscore.comparing.sides import Side
from callscore.core.phrases import Note, Phrase
from callscore.core.suggestions import did_you_mean
from callscore.engines.comparing_runs import side_of_run, with_cases
from callscore.errors import UnknownRun, UnusableStore
from callscore.history.opening import open_existing
from callscore.history.postgres import store_arguments
from callscore.history.run_metadata import (
    is_partial,
    lineage,
    name_problem,
    resolve_commit,
)
from callscore.history.writer import unsaved_file_after
from callscore.reports.gate import suggested_command

if TYPE_CHECKING:
    from callscore.history.records import RunRecord
    from callscore.history.store import Store

NEWEST = "latest"
BASELINE = "main"
_MOST_RUNS_SEARCHED = 100
_COMMIT_WIDTH = 7
_LEFT_OUT = Phrase(
    "{side} covers only the cases that were selected",
    "{side}: прогон только по выбранным случаям",
)
_NO_BASELINE = Phrase(
    "there is no baseline {name}: the run {run} of the branch or tag {name} is used. To set the"
    " baseline: callscore baseline set RUN --name {typed}",
    "базового прогона {name} нет: используется прогон {run} ветки или тега {name}."
    " Задать базовый прогон: callscore baseline set RUN --name {typed}",
)
_OTHER_COMMIT = Phrase(
    "the newest run is of commit {commit}, but the project is at {head}: run the evaluations of this"
    " commit, or pass the run to check",
    "последний прогон выполнен на коммите {commit}, а проект сейчас на {head}: запустите проверки этого"
    " коммита или укажите нужный прогон",
)


_OTHER_CLOCK = Phrase(
    "the run that was saved last, {saved}, is not the newest by its time: a clock is wrong, or the run was"
    " imported. Pass the run to check",
    "последним сохранён прогон {saved}, но по времени он не самый новый: часы неверны или прогон"
    " импортирован. Укажите нужный прогон",
)


class MissingBaselineError(UnknownRun):
    """There is no such baseline; the message has several lines, which say how to set it."""


class GateRequest(Struct, frozen=True, kw_only=True):
    """What to decide; the attributes are the options of `callscore gate`.

    Attributes:
        removals: cases that may be missing, with the reasons.
        is_removed_once: whether some of them were removed for this gate only.
        store: the history as the user names it; None for that of the project.
    """

    run: str = NEWEST
    against: str = BASELINE
    measure: str = "passed"
    fail_on: FailOn = "default"
    max_skipped: int = 0
    allow_looser: bool = False
    removals: dict[str, str] = {}
    is_removed_once: bool = False
    store: str | None = None


class GateDecision(Struct, frozen=True):
    """A gate, the command to type next, and the two runs as they were compared."""

    gate: Gate
    next_command: str
    runs: tuple[Side, Side]


def _notes(
    store: Store, request: GateRequest, before: Side, after: Side, partial: Mapping[str, bool]
) -> Iterator[Note]:
    """What is to be said about the choice of the two runs; `partial` says of each whether it left cases out."""
    called = request.against.partition(":")[0]
    if _is_branch(store, called):
        values = {"name": called, "run": before.run, "typed": shlex.quote(called)}
        yield Note(_NO_BASELINE, values)
    for name, side in ((request.run, after), (request.against, before)):
        if partial[side.run]:
            yield Note(_LEFT_OUT, {"side": name})
    if request.run != NEWEST:
        return
    saved, head = store.last_saved(), resolve_commit("HEAD")
    if saved != after.run:
        yield Note(_OTHER_CLOCK, {"saved": saved})
    if head and after.git_commit and head != after.git_commit:
        # A build that has run nothing must not pass unnoticed.
        commits = {"commit": after.git_commit[:_COMMIT_WIDTH], "head": head[:_COMMIT_WIDTH]}
        yield Note(_OTHER_COMMIT, commits)


def _baseline(store: Store, name: str, after: Side, more: str) -> Side:
    called, colon, _ = name.partition(":")
    try:
        before = side_of_run(store, name)
    except UnknownRun as error:
        is_variant = colon and _is_known(store, called)  # only the variant is unknown
        is_reserved = called.isprintable() and name_problem(called) is not None
        if is_variant or is_reserved:  # `latest~1`: no baseline can have this name
            raise
        raise _missing_baseline(store, called, after, more) from error
    if before.run == after.run and not colon and _is_branch(store, called):
        # Running it again does not help: the new run is the newest of the branch, too.
        raise _missing_baseline(store, called, after, more, is_branch=True)
    return before


def _is_branch(store: Store, name: str) -> bool:
    """Whether a name that could be that of a baseline is only the name of a branch or a tag."""
    if name_problem(name) is not None or _is_known(store, name, resolve=None):
        return False
    commit = resolve_commit(name)
    return commit is not None and not commit.startswith(name.lower())


def _is_known(
    store: Store, name: str, resolve: Callable[[str], str | None] | None = resolve_commit
) -> bool:
    try:
        store.find(name, resolve=resolve)
    except UnknownRun:
        return False
    return True


def _missing_baseline(
    store: Store, name: str, after: Side, more: str, *, is_branch: bool = False
) -> MissingBaselineError:
    """An error that there is no such baseline, which ones there are, and how to set it.

    `is_branch` means that the run to check is the one of the branch of this name.
    """
    lines = [f"unknown baseline or run {name!r}."]
    if is_branch:
        lines.append(
            f"  The run of the branch or tag {name!r} is {after.run}, which is the run to check."
        )
    names = [each.name for each in store.baselines()]
    meant = did_you_mean(name, names)
    listed = f"Baselines: {', '.join(map(repr, names))}" if names else "There are no baselines yet"
    lines.append(f"  {listed}{meant or '.'}")
    runs = store.runs(limit=_MOST_RUNS_SEARCHED)
    other = next((run.id for run in runs if run.id != after.run and _is_complete(store, run)), None)
    if other is None:
        lines += [
            "  No other run is complete, with an answer to every question. Run the evaluations of the",
            "  version to compare with, and then set the baseline:",
        ]
    else:
        lines.append("  To set it to the newest other complete run:")
    command = shlex.join(["callscore", "baseline", "set", other or "latest", "--name", name])
    return MissingBaselineError("\n".join([*lines, f"    {command}"]) + more)


def _is_complete(store: Store, run: RunRecord) -> bool:
    """Whether a run has an agent's answer to every question."""
    is_answered = run.status == "finished" and not run.totals.get("errors")
    is_asked = run.command in ("run", "rescore")
    return is_asked and is_answered and not is_partial(run, lineage(store, run))


def decide_gate(request: GateRequest) -> GateDecision:
    """Compare a run with a baseline, and decide whether it passes.

    Raises:
        UnknownRun: there is no history, or no such run or baseline.
        InvalidSettings: the measure is unknown, or `fail_on` needs cases that are not saved.
        UnusableStore: the history cannot be used, or the newest run is not in it.
    """
    more = store_arguments(request.store)
    with open_existing(request.store) as store:
        after = side_of_run(store, request.run)
        before = _baseline(store, request.against, after, more)
        partial = {}
        for run in (after.run, before.run):
            found = store.find(run, resolve=None)
            partial[run] = is_partial(found, lineage(store, found))
        is_part = partial[after.run]
        notes = [*_notes(store, request, before, after, partial)]
        baselines = [each.name for each in store.baselines()]
        unsaved = unsaved_file_after(after.run, request.store) if request.run == NEWEST else None
        if unsaved is not None:  # an earlier run must not be judged in its place
            command = shlex.join(["callscore", "import", str(unsaved[1])]) + more
            raise UnusableStore(
                store.place,
                f"the newest run, {unsaved[0]}, could not be saved in it. Import it first: {command}. Or pass"
                " the run to check.",
            )
        runs = with_cases(before, after, lambda: store, removals=request.removals)
    comparison = compare_sides(*runs, measure=request.measure, removals=request.removals)
    if is_part and comparison.missing:  # the reasons of the gate state it already
        notes = [note for note in notes if note.values.get("side") != request.run]
    decided = gate(
        replace(comparison, notes=(*comparison.notes, *notes)),
        request.fail_on,
        max_skipped=request.max_skipped,
        allow_looser=request.allow_looser,
        is_partial=is_part,
    )
    following = suggested_command(
        decided,
        baseline=request.against if request.against in baselines else None,
        is_removed_once=request.is_removed_once,
    )
    return GateDecision(decided, following + more, runs)
