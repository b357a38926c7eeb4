"""`callscore bless`: what a run has observed becomes what is expected."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct
from msgspec.structs import replace

from callscore.cli.exits import bless_exit_code, unblessed_exit_code
from callscore.cli.options import (
    KEYWORD_HELP,
    keyword_option,
    lang_option,
    open_existing_store,
    store_option,
)
from callscore.cli.output import open_output, print_note, stdout_to_stderr
from callscore.core.phrases import Language, Phrase, Plural, count_of, say
from callscore.core.rendering import escape
from callscore.words.value_text import CASES, FILES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from callscore.cli.output import Output
    from callscore.history.store import Store
    from callscore.rewriting.applying import Refused, Rewritten
    from callscore.rewriting.blessing import Blessings, Unblessed

__all__ = ["command"]

_MOST_NAMED = 10

_EXPECTATIONS = Plural(("expectation", "expectations"), ("ожидание", "ожидания", "ожиданий"))
_QUESTION = Phrase("Write {expectations} into {files}?", "Записать: {expectations} в {files}?")
_WRITTEN = Phrase("written: {file} ({expectations})", "записано: {file} ({expectations})")
_REFUSED = Phrase("stays as it is: {label}: {problem}", "остаётся как есть: {label}: {problem}")
_UNANSWERED = Phrase(
    "without an answer, and left as they are: {count} ({names})",
    "без ответа, остаются как есть: {count} ({names})",
)
_NOTHING = Phrase(
    "nothing to bless: the calls of {cases} are what is expected",
    "принимать нечего: вызовы совпадают с ожидаемыми ({cases})",
)
_EXPECT_NOTHING = Phrase("; {cases} without expected calls", "; без ожидаемых вызовов: {cases}")
_NOTHING_EXPECTED = Phrase(
    "nothing to bless: no case says which calls are expected ({cases})",
    "принимать нечего: ни один случай не говорит, каких вызовов ждать ({cases})",
)
_OTHERS = Phrase(
    "calls as expected, but another scorer is not content: {count} ({names})",
    "вызовы совпадают с ожидаемыми, но недоволен другой оценщик: {count} ({names})",
)
_RENAMED = Phrase(
    "{cases} without an id: named for what is expected, so the next run calls it otherwise",
    "без своего id: {cases}; имя берётся из ожидаемого, поэтому в следующем запуске оно другое",
)
_NOTHING_WRITABLE = Phrase("nothing can be written", "записать ничего нельзя")


def confirmation_text(written: Sequence[Rewritten], lang: Language) -> str:
    """The question whether to write all this."""
    expectations = count_of(_EXPECTATIONS, len(written), lang)
    files = count_of(FILES, len({_file_of(each) for each in written}), lang)
    return say(_QUESTION, lang, expectations=expectations, files=files)


def written_lines(written: Sequence[Rewritten], lang: Language) -> Iterator[str]:
    """How much was written to each file, and how many cases have another name from now on."""
    for file, count in Counter(_file_of(each) for each in written).items():
        expectations = count_of(_EXPECTATIONS, count, lang)
        yield say(_WRITTEN, lang, file=escape(file), expectations=expectations)
    renamed = [each for each in written if not each.has_id]
    if renamed:
        yield say(_RENAMED, lang, cases=count_of(CASES, len(renamed), lang))


def _file_of(written: Rewritten) -> str:
    return written.place.rpartition(":")[0]


def refused_lines(refused: Sequence[Unblessed], lang: Language) -> Iterator[str]:
    """What is not written, and why."""
    for label, problem, reason in refused:
        why = problem if reason is None else reason.text(lang)
        yield say(_REFUSED, lang, label=escape(label), problem=escape(why))


def unwritten_lines(found: Blessings, lang: Language) -> Iterator[str]:
    """The cases that fail for another reason than their calls, and those without an answer."""
    for phrase, labels in ((_OTHERS, found.others), (_UNANSWERED, found.unanswered)):
        names = [escape(label) for label in labels[:_MOST_NAMED]]
        if len(labels) > _MOST_NAMED:
            names.append("...")
        if names:
            yield say(phrase, lang, count=len(labels), names=", ".join(names))


def nothing_line(found: Blessings, lang: Language) -> str:
    """That there is nothing to write, and why."""
    if found.refused:
        return say(_NOTHING_WRITABLE, lang)
    right = found.cases - len(found.unanswered) - found.unexpecting
    silent = count_of(CASES, found.unexpecting, lang)
    if not right and found.unexpecting:
        return say(_NOTHING_EXPECTED, lang, cases=silent)
    line = say(_NOTHING, lang, cases=count_of(CASES, right, lang))
    return line + (say(_EXPECT_NOTHING, lang, cases=silent) if found.unexpecting else "")


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
    """The options of the command."""

    run: str
    keyword: str
    trial: int | None
    dry_run: bool
    yes: bool
    store: str | None
    lang: Language


@click.command(short_help="Accept what a run has observed.", help=_HELP)
@click.argument("run")
@keyword_option(f"{KEYWORD_HELP}, as in 'weather and not slow'.")
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
    from callscore.history.opening import default_path

    request = _Request(**options)
    root = default_path().parent.parent  # the history has paths relative to it
    with open_existing_store(request.store) as store, stdout_to_stderr():  # evaluations may print
        found = _find_blessings(store, request, root)
    if request.keyword and not found.cases:
        return unblessed_exit_code("unselected", request.lang)
    # Even if the reader closes the output, as `head` does, the files are written.
    with open_output(None, "table", request.lang, is_gate=True) as output:
        return _bless(found, request, root, output)


def _find_blessings(store: Store, request: _Request, root: Path) -> Blessings:
    from callscore.rewriting.blessing import CaseLocator, StoredRun, find_blessings
    from callscore.runner.recorder import plain_case_payload
    from callscore.runner.stored_runs import NeverJudgedError, StoredScores, stored_calls

    run = store.find(request.run)
    evaluations = store.evaluations(run.id)
    kept = StoredRun(
        evaluations=evaluations,
        results=store.results(run.id),
        score_of=StoredScores(store, evaluations).score_of,
        payload_of=plain_case_payload,
        calls_of=stored_calls,
        not_stored_errors=(NeverJudgedError,),
    )
    files = [each for each in run.arguments.get("cases") or () if isinstance(each, str)]
    locator = CaseLocator(root, files)
    return find_blessings(kept, locator, root, keyword=request.keyword, trial=request.trial)


def _bless(found: Blessings, request: _Request, root: Path, output: Output) -> int:
    from callscore.rewriting.applying import rewrite

    lang = request.lang
    written, refused = rewrite([each.change for each in found.changes], root, is_dry=True)
    stays = [*found.refused, *map(_unblessed, refused)]
    _show(found, written, output, lang)
    lines = [*dict.fromkeys(refused_lines(stays, lang)), *unwritten_lines(found, lang)]
    output.write_text("".join(f"{line}\n" for line in lines))
    if not written:
        print_note(nothing_line(replace(found, refused=tuple(stays)), lang))
        return bless_exit_code(stays)
    why = _reason_not_to_write(written, request)
    code = unblessed_exit_code(why, lang) if why else _write(written, root, output, request)
    return bless_exit_code(stays, code)


def _reason_not_to_write(written: list[Rewritten], request: _Request) -> str:
    """Why nothing is written; empty if the files are written. Asks the user if necessary."""
    if request.dry_run:
        return "dry run"
    if request.yes:
        return ""
    if sys.stdin is None or not sys.stdin.isatty():
        return "no terminal"
    is_confirmed = click.confirm(confirmation_text(written, request.lang), err=True)
    return "" if is_confirmed else "declined"


def _unblessed(refused: Refused) -> Unblessed:
    from callscore.rewriting.blessing import Unblessed

    return Unblessed(refused.change.label, refused.problem, refused.reason)


def _write(shown: list[Rewritten], root: Path, output: Output, request: _Request) -> int:
    """Write the files, and return the exit code; a file that has changed meanwhile is refused."""
    from callscore.rewriting.applying import rewrite

    written, refused = rewrite([each.change for each in shown], root)
    for line in written_lines(written, request.lang):
        output.write_text(f"{line}\n")
    for line in refused_lines([*map(_unblessed, refused)], request.lang):
        print_note(line)
    return bless_exit_code(refused)


def _show(found: Blessings, written: list[Rewritten], output: Output, lang: Language) -> None:
    """Print the diff of each case, and below it every line that would change."""
    from rich.text import Text

    from callscore.words.diff import call_lines, plain_text, rich_text

    places = {id(each.change): each for each in written}
    console = output.console()
    for each in found.changes:
        place = places.get(id(each.change))
        if place is None:  # it was refused
            continue
        label, where = escape(each.change.label), f"  {escape(place.place)}"
        diff = call_lines(each.score, width=console.width if console else _WIDTH, lang=lang)
        if console is None:
            changed = "".join(f"{escape(line)}\n" for line in place.lines)
            output.write_text(f"{label}{where}\n{plain_text(diff)}\n{changed}\n")
            continue
        console.print(Text().append(label, "bold").append(where, "dim"), soft_wrap=True)
        console.print(rich_text(diff))
        for line in place.lines:
            style = "red" if line.startswith("-") else "green"
            console.print(Text(escape(line), style), soft_wrap=True)
        console.print()
