"""The two runs that a gate looks at, what should be known of them, and what to do where one is missing."""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones are meant)

from __future__ import annotations

import shlex
from typing import IO, TYPE_CHECKING, Any

import click
from msgspec import Struct

from callscore.cli.github import for_log
from callscore.comparing.sides import Side
from callscore.core.nearest import meant_by
from callscore.core.phrase import Note, Phrase
from callscore.core.text import escape
from callscore.engines.named_sides import side_of_run
from callscore.engines.sides import is_case_file
from callscore.errors import UnknownRun
from callscore.history.project import commit_here
from callscore.history.selections import is_partial, lineage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callscore.history.records import RunRecord
    from callscore.history.store import Store

__all__ = ["HeldSides", "held_sides", "require_runs"]

_NEWEST = "latest"
_LOOKED_THROUGH = 100
_SHORT = 7
# What runs an agent, or has its answers.
_WHOLE = ("run", "rescore")
_LEFT_OUT = Phrase(
    "{side} left cases out: it was told which to run",
    "{side}: прогон не полный, случаи для него были выбраны",
)
_OTHER_COMMIT = Phrase(
    "the newest run is of the commit {commit}, and the project is at {head}: run the evaluations of"
    " this commit, or name the run that is meant",
    "последний прогон относится к коммиту {commit}, а проект сейчас на {head}: запустите оценки этого"
    " коммита или назовите нужный прогон",
)


class HeldSides(Struct, frozen=True):
    """The two runs of a gate.

    Attributes:
        before: the one that the other is held against.
        after: the other.
        baseline: what the first is called as a baseline; None where it is no baseline.
        is_partial: whether the second has left cases out by itself.
        notes: what should be known of the two.
    """

    before: Side
    after: Side
    baseline: str | None
    is_partial: bool
    notes: tuple[Note, ...]


class _Told(click.ClickException):
    """Wrong usage, told in several lines."""

    def show(self, file: IO[Any] | None = None) -> None:
        """Print them, each safe to show."""
        first, *others = map(escape, self.message.split("\n"))
        text = for_log("\n".join([f"callscore: {first}", *others]))
        click.echo(text, file=file, err=file is None)


def require_runs(run: str, against: str) -> None:
    """Complain where a file is named.

    Raises:
        click.ClickException: it is; it says which command takes files.
    """
    files = [word for word in (against, run) if is_case_file(word)]
    if files:
        instead = shlex.join(["callscore", "compare", against, run, "--fail-on", "regressed"])
        raise _Told(f"the gate takes runs, and {files[0]!r} is a file. For files:\n  {instead}")


def held_sides(store: Store, run: str, against: str, *, more: str = "") -> HeldSides:
    """The two runs, by what they are called.

    Args:
        store: the history.
        run: the one that is to pass.
        against: the one that it is held against.
        more: what a command needs besides, to find the same history.

    Raises:
        UnknownRun: there is no such run, or it has no such variant.
        click.ClickException: there is no such baseline; it says how to set one.
    """
    after = side_of_run(store, run)
    before = _baseline(store, against, after, more)
    names = [each.name for each in store.baselines()]
    part = _is_part(store, after)
    notes = []
    if part:
        notes.append(Note(_LEFT_OUT, {"side": run}))
    if _is_part(store, before):
        notes.append(Note(_LEFT_OUT, {"side": against}))
    return HeldSides(
        before=before,
        after=after,
        baseline=against if against in names else None,
        is_partial=part,
        notes=(*notes, *(_commit_notes(after) if run == _NEWEST else ())),
    )


def _is_part(store: Store, side: Side) -> bool:
    found = store.find(side.run, resolve=None)
    return is_partial(found, lineage(store, found))


def _commit_notes(after: Side) -> Iterator[Note]:
    """Whether the newest run is of what is there now; a build that ran nothing must not pass unseen."""
    head = commit_here("HEAD")
    if head and after.git_commit and head != after.git_commit:
        yield Note(_OTHER_COMMIT, {"commit": after.git_commit[:_SHORT], "head": head[:_SHORT]})


def _baseline(store: Store, name: str, after: Side, more: str) -> Side:
    try:
        return side_of_run(store, name)
    except UnknownRun as error:
        called, colon, _ = name.partition(":")
        if colon and _is_known(store, called):  # only the variant is not
            raise
        lines = [*_missing(store, called, after, error)]
        raise _Told("\n".join(lines) + more) from error


def _is_known(store: Store, name: str) -> bool:
    try:
        store.find(name)
    except UnknownRun:
        return False
    return True


def _missing(store: Store, name: str, after: Side, error: UnknownRun) -> Iterator[str]:
    """That there is no such baseline, which there are, and how to set it."""
    yield f"{str(error).partition('; ')[0].rstrip('.?')}."
    names = [each.name for each in store.baselines()]
    meant = meant_by(name, names)
    listed = f"Baselines: {', '.join(map(repr, names))}" if names else "There is no baseline yet"
    yield f"  {listed}{meant or '.'}"
    other = _newest_whole(store, after)
    if other is None:
        yield "  No other run is complete and has all its answers: run the evaluations of what the"
        yield "  agent should be held against, and then:"
    else:
        yield "  To make it the newest other run that is complete and has all its answers:"
    words = ["baseline", "set", "latest" if other is None else other.id, "--name", name]
    yield f"    {shlex.join(['callscore', *words])}"


def _newest_whole(store: Store, after: Side) -> RunRecord | None:
    runs = store.runs(limit=_LOOKED_THROUGH)
    return next((run for run in runs if run.id != after.run and _is_whole(store, run)), None)


def _is_whole(store: Store, run: RunRecord) -> bool:
    is_well = run.status == "finished" and not run.totals.get("errors")
    return run.command in _WHOLE and is_well and not is_partial(run, lineage(store, run))
