"""`callscore bless`: what a run has observed becomes what is expected."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct
from msgspec.structs import replace

from callscore.cli.bless_text import (
    nothing_line,
    question,
    refused_lines,
    unanswered_line,
    unselected_line,
    unwritten_line,
    without_yes,
    written_lines,
)
from callscore.cli.exits import BELOW, FINE, USAGE
from callscore.cli.options import lang_option
from callscore.cli.output import open_output
from callscore.cli.run_progress import note
from callscore.cli.run_report import output_aside
from callscore.cli.store_option import existing_store, store_option
from callscore.core.phrase import Language
from callscore.core.text import escape

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.cli.output import Output
    from callscore.history.store import Store
    from callscore.rewriting.applying import Refused, Rewritten
    from callscore.rewriting.blessing import Blessed, Blessings, Unblessed
    from callscore.rewriting.change import Change

__all__ = ["command"]

_WIDTH = 100
_HELP = """Make what RUN has observed what is expected, in the files where that stands.

RUN is its id, or the beginning of one, its name, a baseline, `latest`, or a git ref. Of every case whose
calls are not what is expected, the calls that were made are written into its file: YAML, JSONL, JSON,
TOML, or cases in Python. Everything else in the file stays to the byte. The changes are shown first.

\b
  callscore bless latest --dry-run
  callscore bless latest -k weather

Left as they are, with the reason: cases whose trials do not agree, or whose expectation has changed since
the run, and calls that are forbidden or do not fit the schemas of their tools.
"""


class _Request(Struct, frozen=True, kw_only=True):
    """What the user asked for."""

    run: str
    keyword: str
    trial: int | None
    dry_run: bool
    yes: bool
    store: str | None
    lang: Language


@click.command(short_help="Accept what a run has observed.", help=_HELP)
@click.argument("run")
@click.option(
    "-k",
    "keyword",
    default="",
    metavar="WORDS",
    help="Only what has these words in the name of its evaluation, its variant or its case;"
    " with and, or, not, as in 'weather and not slow'.",
)
@click.option(
    "--trial",
    type=click.IntRange(min=1),
    metavar="N",
    help="Take the calls of this trial.  [default: all trials must agree]",
)
@click.option("--dry-run", is_flag=True, help="Show what would be written, and write nothing.")
@click.option("-y", "--yes", is_flag=True, help="Write without asking.")
@store_option
@lang_option
def command(**options: Any) -> int:
    """Show what would be written, ask, write it, and find the exit code."""
    request = _Request(**options)
    root = _root()
    with existing_store(request.store) as store, output_aside():  # evaluations may print
        found = _found(store, request, root)
    if request.keyword and not found.cases:
        note(unselected_line(request.lang))
        return USAGE
    # Who stops reading, as `head` does, does not keep it from being written.
    with open_output(None, "table", request.lang, is_gate=True) as output:
        return _bless(found, request, root, output)


def _root() -> Path:
    """The folder of the project, from which the history knows its files."""
    from callscore.history.opening import default_path

    return default_path().parent.parent


def _found(store: Store, request: _Request, root: Path) -> Blessings:
    from callscore.rewriting.blessing import KeptRun, blessings
    from callscore.rewriting.standing import Standings
    from callscore.runner.kept_scores import KeptScores, NeverJudgedError, kept_calls
    from callscore.runner.result_records import case_payload

    run = store.find(request.run)
    evaluations = store.evaluations(run.id)
    kept = KeptRun(
        evaluations=evaluations,
        results=store.results(run.id),
        score_of=KeptScores(store, evaluations).score_of,
        payload_of=case_payload,
        calls_of=kept_calls,
        untold=(NeverJudgedError,),
    )
    files = [each for each in run.arguments.get("cases") or () if isinstance(each, str)]
    standings = Standings(root, files)
    return blessings(kept, standings, root, keyword=request.keyword, trial=request.trial)


def _bless(found: Blessings, request: _Request, root: Path, output: Output) -> int:
    from callscore.rewriting.applying import rewrite

    lang = request.lang
    changes = [each.change for each in found.changes]
    written, refused = rewrite(changes, root, is_dry=True)
    stays = [*found.refused, *map(_unblessed, refused)]
    _show(found, written, output, lang)
    for line in refused_lines(stays, lang):
        output.write_text(f"{line}\n")
    if found.unanswered:
        output.write_text(f"{unanswered_line(found, lang)}\n")
    code = BELOW if stays else FINE
    if not written:
        note(nothing_line(replace(found, refused=tuple(stays)), lang))
        return code
    if not request.dry_run and not request.yes and not _is_on_terminal():
        note(without_yes(lang))
        return USAGE
    if request.dry_run or not (request.yes or click.confirm(question(written, lang), err=True)):
        note(unwritten_line(lang))
        return code
    return _write(changes, root, output, request) or code


def _unblessed(refused: Refused) -> Unblessed:
    from callscore.rewriting.blessing import Unblessed

    return Unblessed(refused.change.label, refused.problem)


def _is_on_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def _write(changes: list[Change], root: Path, output: Output, request: _Request) -> int:
    """Write all of it; whether something could not be written after all."""
    from callscore.rewriting.applying import rewrite

    written, refused = rewrite(changes, root)
    for line in written_lines(written, request.lang):
        output.write_text(f"{line}\n")
    for line in refused_lines([*map(_unblessed, refused)], request.lang):
        note(line)
    return BELOW if refused else FINE


def _show(found: Blessings, written: list[Rewritten], output: Output, lang: Language) -> None:
    """Show what is expected and what was called of everything that would be written."""
    places = {id(each.change): each.place for each in written}
    console = output.console()
    for each in found.changes:
        place = places.get(id(each.change))
        if place is None:
            continue
        if console is None:
            output.write_text(_plain(each, place, lang))
        else:
            from rich.text import Text

            from callscore.core.diff import call_lines, rich_text

            heading = Text().append(escape(each.change.label), "bold")
            heading.append(f"  {escape(place)}", "dim")
            console.print(heading, soft_wrap=True)
            lines = call_lines(each.score, width=console.width, lang=lang)
            console.print(rich_text(lines))
            console.print()


def _plain(blessed: Blessed, place: str, lang: Language) -> str:
    from callscore.core.diff import call_lines, plain_text

    calls = plain_text(call_lines(blessed.score, width=_WIDTH, lang=lang))
    return f"{escape(blessed.change.label)}  {escape(place)}\n{calls}\n\n"
