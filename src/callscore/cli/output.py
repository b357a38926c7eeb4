"""Output to the terminal, a pipe, a file that is replaced as a whole, or the log on GitHub."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, redirect_stdout, suppress
from importlib import import_module
from pathlib import Path
from shlex import quote
from time import monotonic
from typing import IO, TYPE_CHECKING, Any, Protocol, TypeVar, cast

import click
from msgspec.structs import replace

from callscore.core.phrases import Language, Phrase, count_of, say
from callscore.core.rendering import escape
from callscore.reports.inert import escape_commands, inert_block, inert_bytes, inert_text

if TYPE_CHECKING:
    from rich.console import Console

    from callscore.cli.waiting_cases import WaitingCases
    from callscore.core.results import Noted, Results, RunResults
    from callscore.hiding.hider import Hider
    from callscore.reports.html.document import Heading

_Shown = TypeVar("_Shown")

# The functions of a report are imported when they are used: SUBJECT.write_FORMAT returns its text,
# and SUBJECT_terminal.render prints it. These are the exceptions.
_WRITERS = {
    ("score", "json"): ("score_json", "write_json"),
    ("score", "junit"): ("score_junit", "write_junit"),
    ("score", "markdown"): ("score_markdown", "write_markdown"),
    ("run", "json"): ("run_json", "write_json"),
    ("run", "junit"): ("run_junit", "write_junit"),
    ("gate", "junit"): ("gate_terminal", "write_junit"),
    ("history", "table"): ("history_terminal", "write_text"),
}
_WRITTEN = Phrase(
    "{file} is written. Open it in a browser", "файл {file} записан, откройте его в браузере"
)
_HTML = "html"  # SUBJECT.html_parts in `reports.html`
_RENDERERS = {
    "saved run": ("run_terminal", "render_saved_run"),
    "baselines": ("history_terminal", "render_baselines"),
}

_BLOCK = 1 << 16  # bytes of lines that are written together
_SOON = 0.1  # seconds; lines that come more slowly are written at once


@contextmanager
def open_output(
    path: str | None,
    output_format: str,
    lang: Language,
    *,
    is_gate: bool = False,
    is_all_or_nothing: bool = False,
    is_prompt: bool = False,
) -> Iterator[Output]:
    """The output of a report; without a path, or with `-`, it is standard output.

    A file keeps its old content until the report is complete, also if the command is interrupted. After
    an error it has what was written by then, unless `is_all_or_nothing`. When the reader closes standard output the program exits,
    unless `is_gate`, because it still has to find its exit code. With `is_prompt`, each line of JSON
    lines is written at once, because the next one may be long in coming.
    """
    options = output_format, lang
    if path is None or path == "-":
        standard = _StandardOutput(is_gate=is_gate)
        is_prompt = is_prompt or standard.is_terminal
        with closing(Output(standard, *options, is_prompt=is_prompt)) as output:
            yield output
        return
    target = Path(path).resolve()  # the target of a link is written, and the link stays
    if target.is_dir():
        raise click.UsageError(f"Cannot write {path}: it is a directory.")
    try:
        if target.exists() and not target.is_file():  # a device or a pipe is not replaced
            with (
                target.open("wb") as stream,
                closing(Output(stream, *options, is_prompt=is_prompt)) as output,
            ):
                yield output
            return
        with (
            _replacing(target, is_all_or_nothing=is_all_or_nothing) as file,
            closing(Output(file, *options)) as output,
        ):
            yield output
        if output_format == _HTML and sys.stderr.isatty():
            print_note(say(_WRITTEN, lang, file=path))
    except OSError as error:
        is_wrong = isinstance(error, FileNotFoundError | NotADirectoryError | PermissionError)
        kind = click.UsageError if is_wrong else click.ClickException  # such as a full disk
        raise kind(f"Cannot write {path}: {error.strerror}.") from error


@contextmanager
def _replacing(target: Path, *, is_all_or_nothing: bool) -> Iterator[Any]:
    """A file that replaces another one when it is complete, or after an error if it may."""
    with _temporary_file(target) as file:
        temporary = Path(file.name)
        try:
            yield file
        except BaseException as error:
            is_kept = isinstance(error, Exception) and not is_all_or_nothing
            if is_kept and file.tell():
                _replace_file(temporary, target)
            else:
                temporary.unlink()
            raise
    _replace_file(temporary, target)


def _temporary_file(target: Path) -> Any:
    """A new file beside the one that it will replace."""
    from tempfile import NamedTemporaryFile  # not needed for standard output

    return NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False)


def _replace_file(temporary: Path, target: Path) -> None:
    mode = target.stat().st_mode if target.exists() else 0o644
    temporary.chmod(mode & 0o777)
    temporary.replace(target)


class _Writable(Protocol):
    def write(self, data: bytes, /) -> object: ...


class _StandardOutput:
    """Standard output; its reader, such as `head`, may close it at any time."""

    def __init__(self, *, is_gate: bool) -> None:
        self._is_gate = is_gate

    @property
    def is_terminal(self) -> bool:
        return sys.stdout.isatty()

    def write(self, data: bytes, /) -> None:
        try:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            # Without this, Python prints an error when it flushes at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            if not self._is_gate:
                raise click.exceptions.Exit(0) from None
        except OSError as error:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise click.ClickException(f"Cannot write the output: {error.strerror}.") from error


class Output:
    """Writes one report in one format."""

    def __init__(
        self, target: _Writable, output_format: str, lang: Language, *, is_prompt: bool = False
    ) -> None:
        self._target = target
        self._format = output_format
        self._lang = lang
        self._is_prompt = is_prompt
        self._cases: WaitingCases | None = None  # of a document that they are a part of
        self._lines: list[bytes] = []  # of JSON lines, not written yet
        self._lines_size = 0
        self._last_time = 0.0
        self._line_of = _LineOfCase(lang)
        self.heading: Heading | None = None  # of an HTML report

    @property
    def takes_unanswered(self) -> bool:
        """Whether `on_case` takes cases without an answer, too."""
        return self._format in ("json", "jsonl")

    @property
    def on_case(self) -> Callable[[Any], None] | None:
        """The function that takes a case as soon as it is scored; None if the report needs all of them."""
        if self._format == "jsonl":
            return self._write_case
        from callscore.reports.case_by_case import case_format

        form = case_format(self._format)
        if form is None or (self._format == "table" and self.console() is not None):
            return None
        from callscore.cli.waiting_cases import WaitingCases

        if self._cases is None:
            self._cases = WaitingCases(form, self._format, self._lang)
        return self._cases.add

    @property
    def render(self) -> Callable[[Any], Any] | None:
        """How another process writes a case for `on_case`, which must be asked for before."""
        return self._line_of if self._cases is None else self._cases.render

    def _write_case(self, case: Any) -> None:
        """Write a case as a line of JSON."""
        self._write_line(case if isinstance(case, bytes) else self._line_of(case))

    def _write_line(self, line: bytes) -> None:
        """Write a line soon: many lines are written together, which takes less time."""
        self._lines.append(line)
        self._lines_size += len(line)
        if self._is_prompt or self._lines_size >= _BLOCK or monotonic() > self._last_time + _SOON:
            self._write_lines()

    def _write_lines(self) -> None:
        if self._lines:
            self._target.write(inert_block(self._lines, self._format))
            self._lines.clear()
            self._lines_size = 0
            self._last_time = monotonic()

    def close(self) -> None:
        """Write the last lines, and remove what was stored for the report."""
        try:
            self._write_lines()
        finally:
            if self._cases is not None:
                self._cases.close()

    def write(self, results: Results) -> None:
        """Write the report, with the cases that were taken; of JSON lines only the notes are printed."""
        if self._format == "jsonl":
            from callscore.reports.score import incomplete_lines, note_lines

            shown = without_secrets(results)
            for note in incomplete_lines(shown, self._lang) + note_lines(shown, self._lang):
                print_named_note(*note)
            return
        cases = self._cases
        if cases is None or cases.shown.count <= 1:
            only = None if cases is None else cases.only
            if only is not None:
                results = replace(results, shown=(*results.shown, only))
            write_report("score", (results,), self, self._format, is_live=True, lang=self._lang)
        else:
            self._write_around(cases, without_secrets(results, is_live=True))

    def _write_around(self, cases: WaitingCases, results: Results) -> None:
        if cases.form.assemble is not None:
            lines = cases.lines()
            for part in cases.form.assemble(results, lines, self._lang, self.heading):
                self.write_unchanged(part)
            return
        before, after = cases.form.around(results, cases.shown, self._lang)
        self.write_text(before)
        for block in cases.written():
            self.write_unchanged(block)
        self.write_text(after)

    def console(self) -> Console | None:
        """The terminal that the output goes to; None if it is not a terminal.

        With FORCE_COLOR, a build server has one, too, so that this text passes through as well.
        """
        if not isinstance(self._target, _StandardOutput) or not _may_be_terminal():
            return None
        from rich.console import Console

        console = Console(file=cast("IO[str]", _ConsoleFile(self)))  # it respects NO_COLOR
        return console if console.is_terminal else None

    def width(self) -> int:
        """The width of the terminal, or of a report in a file or a pipe."""
        from callscore.reports.formatting import file_width
        from callscore.reports.terminal import report_width

        console = self.console()
        return file_width() if console is None else report_width(console)

    def write_text(self, text: str, *, is_coloured: bool = False) -> None:
        """Write whole lines of the report."""
        self.write_unchanged(inert_text(text, self._format, is_coloured=is_coloured).encode())

    def write_bytes(self, data: bytes) -> None:
        """Write whole lines of the report, which are encoded already."""
        self.write_unchanged(inert_bytes(data, self._format))

    def write_unchanged(self, data: bytes) -> None:
        """Write data that is not text, such as a compressed report."""
        self._write_lines()  # of other processes, which come before
        self._target.write(data)


class _LineOfCase:
    """Writes a case as a line of JSON, in any process."""

    def __init__(self, lang: Language) -> None:
        self._lang = lang
        self._hider: Hider | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return _LineOfCase, (self._lang,)

    def __call__(self, case: Any) -> bytes:
        from callscore.reports.score_json import jsonl_line

        if self._hider is None:
            from callscore.hiding.hider import Hider

            self._hider = Hider(is_live=True)
        return jsonl_line(case, self._hider, lang=self._lang)


def _may_be_terminal() -> bool:
    """Whether standard output is a terminal, or rich may take it for one."""
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    return is_terminal or "FORCE_COLOR" in os.environ or "TTY_COMPATIBLE" in os.environ


class _ConsoleFile:
    """The file of a console: whole lines are written to the output, so that none is a command."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._rest = ""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return sys.stdout.isatty()

    def write(self, text: str) -> int:
        lines, separator, self._rest = (self._rest + text).rpartition("\n")
        if separator:
            self._output.write_text(f"{lines}\n", is_coloured=True)
        return len(text)

    def flush(self) -> None:
        rest, self._rest = self._rest, ""
        if rest:
            self._output.write_text(rest, is_coloured=True)


def without_secrets(shown: _Shown, *, is_live: bool = False) -> _Shown:
    """A value, or a text, as it is shown; for `is_live` see `Hider`."""
    from callscore.hiding.hider import hide_for_report

    return hide_for_report(shown, is_live=is_live)


def write_report(
    subject: str,
    about: tuple[Any, ...],
    output: Output,
    output_format: str,
    *,
    is_live: bool = False,
    **options: Any,
) -> bool:
    """Write a report without secrets, in colour on a terminal; returns whether it is on a terminal.

    `subject` is the kind of the report (`score`, `run`, `check` ...), `about` and `options` are the
    arguments of its functions; for `is_live` see `Hider`.
    """
    about = without_secrets(about, is_live=is_live)
    console = output.console() if output_format == "table" else None
    if output_format == _HTML:
        parts = _report_function(f"html.{subject}", "html_parts")
        for part in parts(*about, heading=output.heading, **options):
            output.write_unchanged(part)
        return False
    if console is None:
        output.write_text(report_text(subject, output_format, *about, **options))
        return False
    report_renderer(subject)(*about, console=console, **options)
    return True


def report_text(subject: str, output_format: str, *about: Any, **options: Any) -> str:
    """A report as text."""
    if output_format == "table" and (subject, output_format) not in _WRITERS:
        from callscore.reports.terminal import printed_text

        return printed_text(report_renderer(subject), *about, **options)
    place = _WRITERS.get((subject, output_format), (subject, f"write_{output_format}"))
    text: str = _report_function(*place)(*about, **options)
    return text


def report_renderer(subject: str) -> Callable[..., None]:
    """The function that prints a report on a terminal."""
    return _report_function(*_RENDERERS.get(subject, (f"{subject}_terminal", "render")))


def _report_function(module: str, name: str) -> Callable[..., Any]:
    function: Callable[..., Any] = getattr(import_module(f"callscore.reports.{module}"), name)
    return function


def print_note(sentence: str) -> None:
    """Print a sentence to standard error."""
    click.echo(f"callscore: {escape_commands(escape(without_secrets(sentence)))}", err=True)


def print_named_note(sentence: str, names: str) -> None:
    """Print a sentence and the first names that it is about."""
    print_note(sentence + (f" ({names})" if names else ""))


def print_skipped(place: str, problem: str) -> None:
    """Print that an input was skipped."""
    print_note(f"skipped {place}: {problem}")


def print_unread(unread: Noted, lang: Language = "en") -> None:
    """Print that there is something that looks like calls and was not read, if there is."""
    if unread.count:
        from callscore.reports.formatting import UNREAD_NOTE, unread_places

        sentence = say(UNREAD_NOTE[1], lang, count=count_of(UNREAD_NOTE[0], unread.count, lang))
        print_named_note(sentence, unread_places(unread, lang))


# Of cases that were captured or generated.
HIDDEN_SECRETS = Phrase(
    'with hidden values: {count}. Replace the markers by hand, for example with {{"$any": true}}',
    'со скрытыми значениями: {count}. Замените маркеры вручную, например на {{"$any": true}}',
)
_NO_SUMMARY = Phrase(
    "the step summary was not written: {file}: {problem}",
    "сводка шага не записана: {file}: {problem}",
)


def is_on_github() -> bool:
    """Whether a GitHub runner reads the output, and shows annotations."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def path_in_repository(file: str) -> str:
    """The path relative to the repository of a file whose path is relative to the project."""
    top = os.environ.get("GITHUB_WORKSPACE")
    if not top or not file:
        return file
    from callscore.history.opening import default_path

    try:
        path = (default_path().parent.parent / file).resolve()
        return path.relative_to(Path(top).resolve()).as_posix()
    except (OSError, RuntimeError, ValueError):  # outside of the repository, or unknown
        return file


def add_step_summary(write: Callable[[], str], lang: Language = "en") -> None:
    """Add Markdown to the summary of the step, if a GitHub runner asks for one."""
    name = os.environ.get("GITHUB_STEP_SUMMARY")
    if not name:
        return
    try:
        with Path(name).open("a", encoding="utf-8") as file:
            file.write(inert_text(write(), "markdown"))
    except OSError as error:  # the gate does not depend on it
        print_note(say(_NO_SUMMARY, lang, file=name, problem=error.strerror))


_FOR_PROGRAMS = ("json", "junit")


@contextmanager
def stdout_to_stderr() -> Iterator[None]:
    """Redirect what evaluations and their processes print: standard output is for the report."""
    saved = None
    with suppress(AttributeError, OSError, ValueError):  # it is closed, or no file
        sys.stdout.flush()
        saved = os.dup(1)
        os.dup2(2, 1)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        if saved is not None:
            os.dup2(saved, 1)
            os.close(saved)


def write_run(
    run: RunResults,
    output: Output,
    output_format: str,
    lang: Language,
    *,
    is_quiet: bool = False,
    is_live: bool = False,
) -> bool:
    """Write the report of a run; formats for programs do not include the warnings, which are printed.

    Returns whether the report is on the same terminal as standard error.
    """
    if output_format in _FOR_PROGRAMS:
        for warning in run.warnings:
            print_note(warning)
    options: dict[str, Any] = {"is_quiet": True} if is_quiet and output_format == "table" else {}
    about = (run,)
    is_shown = write_report(
        "run", about, output, output_format, is_live=is_live, lang=lang, **options
    )
    return is_shown and sys.stderr.isatty()


_NEXT_STEPS = Phrase("Next steps:", "Что дальше:")


def next_steps(commands: Iterable[str], lang: Language) -> list[str]:
    """Lines that say what to type next, with the program as it can be called here."""
    return [say(_NEXT_STEPS, lang), *[f"  {program_name()} {command}" for command in commands]]


def program_name() -> str:
    """How the program can be called here: by its name, or by the path of its script."""
    from shutil import which

    if which("callscore"):
        return "callscore"
    script = which("callscore", path=os.path.dirname(sys.executable))  # noqa: PTH120  (may be empty)
    if script is None:
        return f"{quote(sys.executable)} -m callscore"
    try:
        here = os.path.relpath(script)
    except (OSError, ValueError):  # the folder was deleted, or is on another drive
        here = os.pardir
    return quote(script if here.startswith(os.pardir) else here)
