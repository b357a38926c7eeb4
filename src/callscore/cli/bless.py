"""`callscore bless`: what a run has observed becomes what is expected."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct
from msgspec.structs import replace

from callscore.cli.bless_text import (
    nothing_line,
    others_line,
    question,
    refused_lines,
    renamed_line,
    unanswered_line,
    unselected_line,
    unwritten_line,
    without_yes,
    written_lines,
)
from callscore.cli.exits import BELOW, FINE, USAGE
from callscore.cli.options import lang_option
from callscore.cli.output import note, open_output
from callscore.cli.run_report import output_aside
from callscore.cli.store_option import existing_store, store_option
from callscore.core.phrase import Language
from callscore.core.text import escape

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from callscore.cli.output import Output
    from callscore.history.store import Store
    from callscore.rewriting.applying import Refused, Rewritten
    from callscore.rewriting.blessing import Blessed, Blessings, Unblessed

__all__ = ["command"]

_WIDTH = 100
_HELP = """Make what RUN has observed what is expected, in the files where that stands.

RUN is its id, or the beginning of one, its name, a baseline, `latest`, or a git ref. Of every case whose
calls are not what is expected, what was wrong is written anew in its file: YAML, JSONL, JSON, TOML, or
cases in Python. Arguments and calls that were right stay as they are written, with their rules, and so
does everything else in the file, to the byte. The changes are shown first.

\b
  callscore bless latest --dry-run
  callscore bless latest -k weather

Left as they are, with the reason: cases whose trials do not agree, or that have changed since the run,
groups of which some calls are missing, and calls that are forbidden or do not fit the schemas of their
tools.
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
    written, refused = rewrite([each.change for each in found.changes], root, is_dry=True)
    stays = [*found.refused, *map(_unblessed, refused)]
    _show(found, written, output, lang)
    for line in _left_lines(found, stays, lang):
        output.write_text(f"{line}\n")
    if not written:
        note(nothing_line(replace(found, refused=tuple(stays)), lang))
        return BELOW if stays else FINE
    code = _asked(written, request)
    if code is not None:
        return BELOW if stays and not code else code
    return _write(written, root, output, request) or (BELOW if stays else FINE)


def _left_lines(found: Blessings, stays: list[Unblessed], lang: Language) -> Iterator[str]:
    """What stays as it is, and why; each once."""
    yield from dict.fromkeys(refused_lines(stays, lang))
    if found.others:
        yield others_line(found, lang)
    if found.unanswered:
        yield unanswered_line(found, lang)


def _asked(written: list[Rewritten], request: _Request) -> int | None:
    """The exit code where nothing is to be written; None where all of it is."""
    if request.dry_run:
        code, line = FINE, unwritten_line(request.lang)
    elif request.yes:
        return None
    elif not _is_on_terminal():
        code, line = USAGE, without_yes(request.lang)
    elif click.confirm(question(written, request.lang), err=True):
        return None
    else:
        code, line = BELOW, unwritten_line(request.lang)
    note(line)
    return code


def _unblessed(refused: Refused) -> Unblessed:
    from callscore.rewriting.blessing import Unblessed

    return Unblessed(refused.change.label, refused.problem, refused.reason)


def _is_on_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def _write(shown: list[Rewritten], root: Path, output: Output, request: _Request) -> int:
    """Write what was shown; whether something of it could not be written after all."""
    from callscore.rewriting.applying import rewrite

    written, refused = rewrite([each.change for each in shown], root)
    for line in written_lines(written, request.lang):
        output.write_text(f"{line}\n")
    renamed = [each for each in written if not each.has_id]
    if renamed:
        output.write_text(f"{renamed_line(len(renamed), request.lang)}\n")
    for line in refused_lines([*map(_unblessed, refused)], request.lang):
        note(line)
    return BELOW if refused else FINE


def _show(found: Blessings, written: list[Rewritten], output: Output, lang: Language) -> None:
    """Show what is expected and what was called, and below that every line that would change."""
    places = {id(each.change): each for each in written}
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
            heading.append(f"  {escape(place.place)}", "dim")
            console.print(heading, soft_wrap=True)
            lines = call_lines(each.score, width=console.width, lang=lang)
            console.print(rich_text(lines))
            for line in place.lines:
                style = "red" if line.startswith("-") else "green"
                console.print(Text(escape(line), style), soft_wrap=True)
            console.print()


def _plain(blessed: Blessed, place: Rewritten, lang: Language) -> str:
    from callscore.core.diff import call_lines, plain_text

    calls = plain_text(call_lines(blessed.score, width=_WIDTH, lang=lang))
    lines = "".join(f"{escape(line)}\n" for line in place.lines)
    return f"{escape(blessed.change.label)}  {escape(place.place)}\n{calls}\n{lines}\n"
