"""`callscore bless`: what a run has observed becomes what is expected."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct
from msgspec.structs import replace

from callscore.cli.completion import complete_run
from callscore.cli.exits import bless_exit_code, unblessed_exit_code
from callscore.cli.options import (
    dry_run_option,
    keyword_option,
    lang_option,
    open_existing_store,
    proposals_option,
    store_option,
    trial_option,
)
from callscore.cli.output import Output, open_output, print_note, stdout_to_stderr
from callscore.core.phrases import Language, Phrase, Plural, count_of, say
from callscore.core.rendering import escape, wrap_hanging
from callscore.hiding.hider import hide_for_report, hide_text
from callscore.words.value_text import CASES, FILES

if TYPE_CHECKING:
    from callscore.history.store import Store
    from callscore.rewriting.applying import Refused, Rewritten
    from callscore.rewriting.blessing import Blessings, Unblessed

_MOST_NAMED = 10

_EXPECTATIONS = Plural(("expectation", "expectations"), ("эталон", "эталона", "эталонов"))
_QUESTION = Phrase("Write {expectations} to {files}?", "Записать {expectations} в {files}?")
_WRITTEN = Phrase("written: {file} ({expectations})", "записано: {file} ({expectations})")
_REFUSED = Phrase("not changed: {label}: {problem}", "не изменено: {label}: {problem}")
_UNANSWERED = Phrase(
    "not changed, because they have no answer or no score: {count} ({names})",
    "не изменено, потому что нет ответа или оценки: {count} ({names})",
)
_NOTHING = Phrase(
    "nothing to bless: the calls are as expected ({cases})",
    "принимать нечего: вызовы совпадают с ожидаемыми ({cases})",
)
_EXPECT_NOTHING = Phrase("; {cases} without expected calls", "; без ожидаемых вызовов: {cases}")
_ALL_ACCEPTED = Phrase(
    "nothing to bless: all alternatives are accepted already ({cases})",
    "принимать нечего: все варианты уже приняты ({cases})",
)
_ACCEPTED = Phrase("accepted already: {count} ({names})", "уже приняты: {count} ({names})")
_NOTHING_EXPECTED = Phrase(
    "nothing to bless: no case has expected calls ({cases})",
    "принимать нечего: ни у одного случая нет ожидаемых вызовов ({cases})",
)
_OTHERS = Phrase(
    "calls as expected, but failed by another scorer: {count} ({names})",
    "вызовы совпадают с ожидаемыми, но не пройдено по другой метрике: {count} ({names})",
)
_RENAMED = Phrase(
    "{cases} without an id: the name is derived from the expected calls, so it changes in the next run",
    "{cases} без id: имя строится по ожидаемым вызовам, поэтому в следующем прогоне оно изменится",
)
_NOTHING_WRITABLE = Phrase("nothing can be written", "ничего нельзя записать")


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
    """The cases that need no change, or fail for another reason, or have no answer."""
    for phrase, labels in (
        (_ACCEPTED, found.accepted),
        (_OTHERS, found.others),
        (_UNANSWERED, found.unanswered),
    ):
        names = [escape(label) for label in labels[:_MOST_NAMED]]
        if len(labels) > _MOST_NAMED:
            names.append("...")
        if names:
            yield say(phrase, lang, count=len(labels), names=", ".join(names))


def nothing_line(found: Blessings, lang: Language) -> str:
    """That there is nothing to write, and why."""
    if found.refused:
        return say(_NOTHING_WRITABLE, lang)
    if found.accepted:
        return say(_ALL_ACCEPTED, lang, cases=count_of(CASES, len(found.accepted), lang))
    right = found.cases - len(found.unanswered) - found.unexpecting
    silent = count_of(CASES, found.unexpecting, lang)
    if not right and found.unexpecting:
        return say(_NOTHING_EXPECTED, lang, cases=silent)
    line = say(_NOTHING, lang, cases=count_of(CASES, right, lang))
    return line + (say(_EXPECT_NOTHING, lang, cases=silent) if found.unexpecting else "")


_HELP = """Accept the calls of RUN as the expected ones, and write them to the files of the cases.

RUN is an id or the beginning of one, a name, a baseline, latest, or a git commit. For each case whose
calls differ from the expected ones, the difference is written to its file: YAML, JSONL, JSON, TOML, or
cases in Python. Calls and arguments that match are not changed, nor is anything else in the file. The
changes are shown first.

\b
  callscore bless latest --dry-run
  callscore bless latest -k weather

\b
With --proposals, it writes the alternatives to suspect references that callscore advise found:
  callscore advise runs.jsonl --proposals suspects.jsonl
  callscore bless --proposals suspects.jsonl --dry-run

Without --trial, all trials of a case must agree. Some cases are not changed, and the reason is shown:
cases whose trials differ, cases that changed since the run, groups with missing calls, and calls that
are forbidden or do not match the schemas of their tools.
"""


class _Request(Struct, frozen=True, kw_only=True):
    """The options of the command."""

    run: str | None
    proposals: str | None
    keyword: str
    trial: int | None
    dry_run: bool
    yes: bool
    store: str | None
    lang: Language


@click.command(help=_HELP)
@click.argument("run", required=False, shell_complete=complete_run)
@proposals_option
@keyword_option
@trial_option
@dry_run_option
@click.option("-y", "--yes", is_flag=True, help="Write without asking.")
@store_option
@lang_option
def command(**options: Any) -> int:
    """Show what would be written, ask, write it, and find the exit code."""
    from callscore.history.opening import default_path

    request = _Request(**{**options, "trial": _trial_number(options["trial"])})
    _require_source(request)
    root = default_path().parent.parent  # the history has paths relative to it
    if request.proposals is not None:
        found, root = _read_proposals(request.proposals, request.keyword), Path.cwd()
    else:
        with (
            open_existing_store(request.store) as store,
            stdout_to_stderr(),
        ):  # evaluations may print
            found = _find_blessings(store, request, root)
    if request.keyword and not found.cases:
        return unblessed_exit_code("unselected", request.lang)
    # Even if the reader closes the output, as `head` does, the files are written.
    with open_output(None, "table", request.lang, is_gate=True) as output:
        return _bless(found, request, root, output)


def _require_source(request: _Request) -> None:
    """Require a run, or proposals, and not both."""
    if (request.run is None) == (request.proposals is None):
        raise click.UsageError("Pass either a RUN or --proposals FILE.")
    if request.proposals is not None and request.trial is not None:
        raise click.UsageError("--trial goes with a RUN: proposals are about all trials.")


def _read_proposals(file: str, keyword: str) -> Blessings:
    from callscore.evaluations.plan import keyword_filter
    from callscore.rewriting.proposals import read_proposals

    return read_proposals(Path(file), keyword_filter(keyword))


def _trial_number(trial: str | None) -> int | None:
    """The number of a trial of a run."""
    if trial is None:
        return None
    if not trial.isdecimal() or int(trial) < 1:
        raise click.UsageError(f"--trial: {trial!r} is not the number of a trial: 1, 2, 3, ...")
    return int(trial)


def _find_blessings(store: Store, request: _Request, root: Path) -> Blessings:
    from callscore.history.saved_scores import read_calls
    from callscore.history.saved_totals import require_every_case, saved_counts
    from callscore.rewriting.blessing import CaseLocator, StoredRun, find_blessings
    from callscore.runner.answers import plain_case_payload
    from callscore.runner.stored_runs import score_reader

    run = store.find(request.run or "")
    evaluations = store.evaluations(run.id)
    counts = [saved_counts(each.summary) for each in evaluations]
    if any(each is not None and each.summary.trial_cases for each in counts):
        # Of a case with several trials, those that passed are not saved: it may be flaky.
        require_every_case(run, "bless")
    kept = StoredRun(
        evaluations=evaluations,
        results=store.results(run.id),
        score_of=score_reader(evaluations, store),
        payload_of=plain_case_payload,
        calls_of=lambda record: read_calls(record.calls),
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
    width = output.width()
    parts = [part for line in lines for part in wrap_hanging(line, width)]
    output.write_text("".join(f"{part}\n" for part in parts))
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
    from callscore.reports.styled import Text, diff_text
    from callscore.reports.terminal import heading_line
    from callscore.words.diff import call_lines
    from callscore.words.diff_rows import plain_text

    places = {id(each.change): each for each in written}
    console, width = output.console(), output.width()
    for each in found.changes:
        place = places.get(id(each.change))
        if place is None:  # it was refused
            continue
        heading = heading_line(each.change.label, [Text(escape(place.place), "dim")], width)
        diff = call_lines(hide_for_report(each.score), width=width, lang=lang)
        # A long line is wrapped, not cut: everything that is written is shown.
        changed = [
            (part, "red" if line.startswith("-") else "green")
            for line in place.lines
            for part in wrap_hanging(escape(hide_text(line)), width)
        ]
        if console is None:
            parts = "".join(f"{part}\n" for part, _ in changed)
            output.write_text(f"{heading.plain}\n{plain_text(diff)}\n{parts}\n")
            continue
        console.print(heading, soft_wrap=True)
        console.print(diff_text(diff))
        for part, style in changed:
            console.print(Text(part, style), soft_wrap=True)
        console.print()
