"""`callscore gate`: decides for a build server whether a run passes, compared with a baseline."""

from __future__ import annotations

import shlex
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import click
from msgspec import Struct
from msgspec.structs import replace

from callscore.cli.compare import require_cases_for_html
from callscore.cli.completion import complete_run
from callscore.cli.exits import gate_exit_code, print_gate_reasons
from callscore.cli.options import (
    DEFAULT_MAX_SHOWN,
    fail_on_option,
    lang_option,
    max_shown_option,
    max_skipped_option,
    measure_option,
    open_existing_store,
    removals_from,
    removed_option,
    store_option,
)
from callscore.cli.output import (
    add_step_summary,
    is_on_github,
    open_output,
    path_in_repository,
    write_report,
)
from callscore.cli.output_formats import FORMATS, report_options
from callscore.cli.unpacking import max_unpacked_option
from callscore.comparing.comparison import compare_sides
from callscore.comparing.gating import FAIL_ON, Gate, gate
from callscore.comparing.sides import Side
from callscore.core.phrases import Note, Phrase
from callscore.core.suggestions import did_you_mean
from callscore.engines.comparing_runs import (
    is_case_file,
    side_of_run,
    with_changed_expectations,
)
from callscore.errors import UnknownRun, UnusableStore
from callscore.evaluations.locations import file_of_location
from callscore.hiding.hider import hide_for_report
from callscore.history.postgres import store_arguments
from callscore.history.run_metadata import (
    is_partial,
    lineage,
    name_problem,
    resolve_commit_here,
)
from callscore.history.writer import unsaved_file_after
from callscore.reports.gate import annotation_lines, suggested_command, write_markdown
from callscore.reports.inert import inert_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from callscore.cli.output import Output
    from callscore.core.phrases import Language
    from callscore.history.records import RunRecord
    from callscore.history.store import Store

__all__ = ["command"]

_NEWEST = "latest"
_BASELINE = "main"
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
    "the run that was saved last, {saved}, is older by its time: a clock was set back, or the run was"
    " imported. Pass the run to check",
    "последним сохранён прогон {saved}, но по времени он старше: часы переведены назад или прогон"
    " импортирован. Укажите нужный прогон",
)


class GateSides(Struct, frozen=True):
    """The two runs of a gate.

    Attributes:
        baseline: the name of the baseline; None if `before` is another run.
        is_partial: whether `after` left cases out on request.
    """

    before: Side
    after: Side
    baseline: str | None
    is_partial: bool
    notes: tuple[Note, ...]


class _UsageMessage(click.ClickException):
    """Wrong usage, in several lines."""

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the lines, escaped."""
        click.echo(inert_lines(f"callscore: {self.message}"), file=file, err=file is None)


def require_runs(run: str, against: str) -> None:
    """Refuse files, and name the command that compares them."""
    files = [word for word in (against, run) if is_case_file(word)]
    if files:
        instead = shlex.join(["callscore", "compare", against, run, "--fail-on", "regressed"])
        raise _UsageMessage(
            f"{files[0]!r} is a file, and the gate compares runs. To compare files:\n  {instead}"
        )


def gate_sides(store: Store, run: str, against: str, *, more: str = "") -> GateSides:
    """Find the two runs; if there is no such baseline, the error says how to set one.

    `more` are the arguments with which a suggested command finds the same history.
    """
    after = side_of_run(store, run)
    before = _baseline(store, against, after, more)
    names = [each.name for each in store.baselines(is_strict=False)]  # a run may be named by its id
    notes: list[Note] = []
    called = against.partition(":")[0]
    if _is_branch(store, called):
        values = {"name": called, "run": before.run, "typed": shlex.quote(called)}
        notes.append(Note(_NO_BASELINE, values))
    partial = {}
    for name, side in ((run, after), (against, before)):
        found = store.find(side.run, resolve=None)
        partial[side.run] = is_partial(found, lineage(store, found))
        if partial[side.run]:
            notes.append(Note(_LEFT_OUT, {"side": name}))
    saved = store.last_saved() if run == _NEWEST else after.run
    if saved != after.run:
        notes.append(Note(_OTHER_CLOCK, {"saved": saved}))
    head = resolve_commit_here("HEAD") if run == _NEWEST else None
    if head and after.git_commit and head != after.git_commit:
        # A build that has run nothing must not pass unnoticed.
        commits = {"commit": after.git_commit[:_COMMIT_WIDTH], "head": head[:_COMMIT_WIDTH]}
        notes.append(Note(_OTHER_COMMIT, commits))
    return GateSides(
        before=before,
        after=after,
        baseline=against if against in names else None,
        is_partial=partial[after.run],
        notes=tuple(notes),
    )


def _baseline(store: Store, name: str, after: Side, more: str) -> Side:
    called, colon, _ = name.partition(":")
    try:
        before = side_of_run(store, name)
    except UnknownRun as error:
        is_variant = colon and _is_known(store, called)  # only the variant is unknown
        is_reserved = called.isprintable() and name_problem(called) is not None
        if is_variant or is_reserved:  # `latest~1`: no baseline can have this name
            raise
        lines = [*_missing_baseline_lines(store, called, after)]
        raise _UsageMessage("\n".join(lines) + more) from error
    if before.run == after.run and not colon and _is_branch(store, called):
        # Running it again does not help: the new run is the newest of the branch, too.
        lines = [*_missing_baseline_lines(store, called, after, is_branch=True)]
        raise _UsageMessage("\n".join(lines) + more)
    return before


def _is_branch(store: Store, name: str) -> bool:
    """Whether a name that could be that of a baseline is only the name of a branch or a tag."""
    if name_problem(name) is not None or _is_known(store, name, resolve=None):
        return False
    commit = resolve_commit_here(name)
    return commit is not None and not commit.startswith(name.lower())


def _is_known(
    store: Store, name: str, resolve: Callable[[str], str | None] | None = resolve_commit_here
) -> bool:
    try:
        store.find(name, resolve=resolve)
    except UnknownRun:
        return False
    return True


def _missing_baseline_lines(
    store: Store, name: str, after: Side, *, is_branch: bool = False
) -> Iterator[str]:
    """A message that there is no such baseline, which ones there are, and how to set it.

    `is_branch` means that the run to check is the one of the branch of this name.
    """
    yield f"unknown baseline or run {name!r}."
    if is_branch:
        yield f"  The run of the branch or tag {name!r} is {after.run}, which is the run to check."
    names = [each.name for each in store.baselines()]
    meant = did_you_mean(name, names)
    listed = f"Baselines: {', '.join(map(repr, names))}" if names else "There are no baselines yet"
    yield f"  {listed}{meant or '.'}"
    others = [run for run in store.runs(limit=_MOST_RUNS_SEARCHED) if run.id != after.run]
    other = next((run for run in others if _is_complete(store, run)), None)
    if other is None:
        yield "  No other run is complete, with an answer to every question. Run the evaluations of the"
        yield "  version to compare with, and then set the baseline:"
    else:
        yield "  To set it to the newest other complete run:"
    words = ["baseline", "set", "latest" if other is None else other.id, "--name", name]
    yield f"    {shlex.join(['callscore', *words])}"


def _is_complete(store: Store, run: RunRecord) -> bool:
    """Whether a run has an agent's answer to every question."""
    is_answered = run.status == "finished" and not run.totals.get("errors")
    is_asked = run.command in ("run", "rescore")
    return is_asked and is_answered and not is_partial(run, lineage(store, run))


_HELP = """Compare a RUN with a baseline, and exit with code 1 if it got worse.

RUN is the newest one by default, and the baseline is main. Set it with 'callscore baseline set'.

\b
  callscore run
  callscore gate

The gate fails if the agent got worse beyond chance, overall or on one tool or tag; or if there are too few
cases to decide and the loss is 10 points or more. It always fails on cases of the baseline that are missing,
on records that could not be read, on a new forbidden call or schema error, on a mean score below fail_under,
on a run that did not finish, and on a run that is compared with itself.

Cases that were removed on purpose are listed with a reason, in the table [gate.removed] of callscore.toml or
with --removed.

On GitHub it adds a summary to the step, and annotations.

\b
Exit codes: 0 passed, 1 failed, 2 no such run or baseline, 3 the history cannot
be read.
"""


@click.command(help=_HELP)
@click.argument("run", default=_NEWEST, shell_complete=complete_run)
@click.option(
    "--against",
    default=_BASELINE,
    show_default=True,
    metavar="NAME",
    shell_complete=complete_run,
    help="Baseline or run to compare with.",
)
@fail_on_option(FAIL_ON, default="regressed")
@measure_option
@removed_option
@max_skipped_option
@max_shown_option(f"{DEFAULT_MAX_SHOWN} of each kind; all in json and html")
@report_options(FORMATS)
@max_unpacked_option
@lang_option
@store_option
def command(*, lang: Language, output_format: str, **options: Any) -> int:
    """Compare a run with a baseline, write the report, and find the exit code."""
    require_runs(options["run"], options["against"])
    with open_output(options["output"], output_format, lang, is_gate=True) as output:
        decision = _decide(options)
        found = hide_for_report(decision.gate)
        most = DEFAULT_MAX_SHOWN if options["max_shown"] is None else options["max_shown"]
        following = decision.next_command
        shown: dict[str, Any] = {"next_command": following, "max_shown": most, "lang": lang}
        if output_format == "html":
            require_cases_for_html(decision.gate.comparison)
            _write_html(decision, options["store"], output, lang)
        else:
            write_report("gate", (found,), output, output_format, **shown)
    if output_format != "table" or options["output"] not in (None, "-"):
        print_gate_reasons(found, lang)
    add_step_summary(lambda: write_markdown(found, **shown), lang)
    if is_on_github():
        for line in annotation_lines(found, files=decision.files, lang=lang):
            click.echo(line, err=True)  # standard output is for the report
    return gate_exit_code(found)


def _require_saved(run: str, place: str, store: str | None, more: str) -> None:
    """Refuse to judge an earlier run in place of one that could not be saved."""
    newer = unsaved_file_after(run, store)
    if newer is not None:
        name, path = newer
        command = shlex.join(["callscore", "import", str(path)]) + more
        raise UnusableStore(
            place,
            f"the newest run, {name}, could not be saved in it. Import it first: {command}. Or pass the"
            " run to check.",
        )


class _Decision(NamedTuple):
    """A gate, the command to type next, the file of each evaluation by its name, and the two runs."""

    gate: Gate
    next_command: str
    files: dict[str, str]
    runs: tuple[Side, Side]


def _write_html(decision: _Decision, place: str | None, output: Output, lang: Language) -> None:
    """Write the report with every case of both runs, for which the history is read again."""
    from callscore.cli.html_comparison import compared_runs
    from callscore.reports.html.gate import html_parts

    found, following = decision.gate, decision.next_command
    with open_existing_store(place) as store:
        more = store_arguments(place)
        runs, cases = compared_runs(store, decision.runs, found.comparison, lang, more)
        for part in html_parts(found, runs, cases, next_command=following, lang=lang):
            output.write_unchanged(part)


def _decide(options: dict[str, Any]) -> _Decision:
    more = store_arguments(options["store"])
    with open_existing_store(options["store"]) as store:
        sides = gate_sides(store, options["run"], options["against"], more=more)
        if options["run"] == _NEWEST:
            _require_saved(sides.after.run, store.place, options["store"], more)
        runs = with_changed_expectations(sides.before, sides.after, lambda: store)
    removals = removals_from(options["removed"])
    comparison = compare_sides(*runs, measure=options["measure"], removals=removals)
    notes = [
        note
        for note in sides.notes
        # The reasons of the gate state it already.
        if not (
            sides.is_partial and comparison.missing and note.values.get("side") == options["run"]
        )
    ]
    comparison = replace(comparison, notes=(*comparison.notes, *notes))
    found = gate(comparison, options["fail_on"], max_skipped=options["max_skipped"])
    found = replace(found, is_partial=sides.is_partial)
    following = suggested_command(
        found,
        baseline=sides.baseline,
        is_partial=sides.is_partial,
        is_removed_once=bool(options["removed"]),
    )
    files = {
        each.label: path_in_repository(file_of_location(each.place))
        for each in sides.after.evaluations
    }
    return _Decision(found, following + more, files, runs)
