"""`callscore receive`: takes traces over OTLP, writes each as a line when it is complete, and scores it."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from callscore.checks.check import FAULT_KINDS
from callscore.cli.exit_codes import OK
from callscore.cli.exits import ANY_FAULT, check_exit_code, score_exit_code
from callscore.cli.inputs import protect_inputs
from callscore.cli.options import (
    SettingsCommand,
    expected_option,
    fail_on_option,
    fail_under_option,
    input_format_option,
    is_setting,
    lang_option,
    max_shown_option,
    max_skipped_option,
    metric_option,
    parse_run_name,
    reading_from,
    reading_options,
    refuse_evaluations,
    require_one_stdin,
    settings_from,
    settings_options,
    store_option,
    tools_from,
    tools_option,
    warn_unknown_defaults,
)
from callscore.cli.output import Output, open_output, print_named_note, print_note, write_report
from callscore.cli.score import print_saved, saving_scores
from callscore.cli.trace_lines import TraceLines
from callscore.cli.upload import print_delivery
from callscore.core.case import Origin
from callscore.core.phrases import Language, Phrase, Plural, count_of, say
from callscore.core.rendering import clip, escape
from callscore.engines.inputs import input_options_for
from callscore.formats.dialect import dialect_named
from callscore.receiving.receiver import (
    DEFAULT_HOST,
    DEFAULT_PORT,
    TOKEN_VARIABLE,
    Receiver,
    spool_of,
)
from callscore.receiving.scoring import Session, read_references
from callscore.receiving.traces import DEFAULT_MATCH, Limits, Trace, TraceReader
from callscore.reports.formatting import LONG_NAME_WIDTH, first_names
from callscore.sources.paths import expand_paths
from callscore.sources.remote import without_credentials
from callscore.uploaders.backends import BACKENDS, backend_named
from callscore.uploaders.evaluations import evaluations_of

if TYPE_CHECKING:
    from callscore.engines.saving import SaveRequest
    from callscore.uploaders.sending import Uploader

_DEFAULT_OUTPUT = "traces.jsonl"
_LAST_PORT = 65_535
_TICK = 0.25
_MEGABYTE = 1 << 20
_FEW = 10
_WAIT_FOR_UPLOAD = 1.0  # seconds
_CANNOT_WRITE_STATUS = 503
_PROBLEM_WIDTH = 200
_LIMITS = Limits()
# Options without an effect unless traces are scored, or unless they are scored or checked; and settings
# that a project may have for other commands.
_OF_SCORES = ("fail_under", "metric", "save", "upload")
_OF_RESULTS = ("max_shown", "max_skipped", "tools")
_OF_PROJECT = ("config", "no_config")

_RECEIVING = Phrase(
    "receiving traces at {address}, writing to {file} (press Ctrl-C to stop)",
    "приём трасс по адресу {address}, запись в {file} (Ctrl-C — остановить)",
)
_RECOVERED = Phrase(
    "{spans} of a receiver that did not end properly were read from its spool",
    "из буфера аварийно завершённого приёмника прочитано: {spans}",
)
_WRITTEN_BEFORE = Phrase(
    "{traces} of it in {file}: counted again, as a part of this session",
    "его записи в {file}: {traces}, учитываются снова как часть этого сеанса",
)
_CANNOT_WRITE = Phrase(
    "cannot write: {problem}. Requests are refused until this is solved",
    "запись невозможна: {problem}. До устранения причины запросы отклоняются",
)
_WRITES_AGAIN = Phrase("writing again", "запись возобновлена")
_NOT_WRITTEN = Phrase(
    "{traces} could not be written. They are kept in {spool}, for the next start",
    "не записано: {traces}. Данные остались в {spool} до следующего запуска",
)
_TOTAL = Phrase("{traces}, {spans} in {file}", "{traces}, {spans} в {file}")
_AGAIN = Phrase("{spans} sent again, kept once", "повторно отправлено: {spans}, сохранены один раз")
_REFUSED = Phrase("{spans} without a valid id, refused", "без корректного id: {spans}, отклонены")
_FIRST_REFUSED = Phrase(
    "a request was refused ({status}): {problem}", "запрос отклонён ({status}): {problem}"
)
_ALL_REFUSED = Phrase("{requests} refused: {counts}", "отклонено: {requests} ({counts})")
_REQUESTS = Plural(("request", "requests"), ("запрос", "запроса", "запросов"))
_TRACES = Plural(("trace", "traces"), ("трасса", "трассы", "трасс"))
_SPANS = Plural(("span", "spans"), ("спан", "спана", "спанов"))
_HELP = f"""Receive traces over OTLP/HTTP from any instrumented agent.

Each trace becomes one line of JSON when it is complete: its calls, and its spans as they were received.
The file can be scored later, or each trace as it comes.

\b
Write traces to traces.jsonl; the agent needs
OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318
  callscore receive
Score each trace against the case that its attribute names:
  callscore receive --expected cases.jsonl --match callscore.case_id
Check calls without expected ones:
  callscore receive --check --tools tools.json

Requests are on the disk before they are acknowledged: after a crash, start the command again.

Only this machine can reach it. For another --host, set {TOKEN_VARIABLE}; exporters send it as
OTEL_EXPORTER_OTLP_HEADERS='Authorization=Bearer ...'. It needs an extra: pip install 'callscore[web]'

Exit codes: 1 with --fail-under or --fail-on, as of score and check; 3 if --expected is given and
nothing could be scored, or --check and nothing could be checked.
"""


_SECONDS = click.FloatRange(min=0, max=86_400)


@click.command(
    cls=SettingsCommand, short_help="Receive traces over OTLP, and score them.", help=_HELP
)
@click.option(
    "--port",
    type=click.IntRange(0, _LAST_PORT),
    default=DEFAULT_PORT,
    show_default=True,
    metavar="N",
    help="Port on this machine; 0 for any free port.",
)
@click.option(
    "--host",
    default=DEFAULT_HOST,
    show_default=True,
    metavar="ADDRESS",
    help="Address to listen on.",
)
@click.option(
    "-o",
    "--output",
    default=_DEFAULT_OUTPUT,
    show_default=True,
    metavar="FILE",
    help="File of JSON lines that traces are appended to.",
)
@expected_option(multiple=True)
@click.option(
    "--match",
    default=DEFAULT_MATCH,
    show_default=True,
    metavar="ATTRIBUTE",
    help="Attribute of a span or a resource that names the case of a trace.",
)
@click.option("--check", is_flag=True, help="Check the calls without expected ones.")
@tools_option
@click.option(
    "--settle",
    type=_SECONDS,
    default=_LIMITS.settle,
    show_default=True,
    metavar="SECONDS",
    help="Close a trace with a root span when no span has come for this long.",
)
@click.option(
    "--close-after",
    type=_SECONDS,
    default=_LIMITS.quiet,
    show_default=True,
    metavar="SECONDS",
    help="Close any trace when no span has come for this long.",
)
@click.option(
    "--max-body",
    type=click.IntRange(1, 1024),
    default=_LIMITS.max_body_bytes // _MEGABYTE,
    show_default=True,
    metavar="MB",
    help="Refuse larger requests, also after decompression.",
)
@click.option(
    "--max-memory",
    type=click.IntRange(min=1),
    default=_LIMITS.max_open_bytes // _MEGABYTE,
    show_default=True,
    metavar="MB",
    help="Make exporters wait while open traces take more than this.",
)
@input_format_option
@reading_options
@settings_options
@metric_option
@fail_under_option
@fail_on_option([ANY_FAULT, *FAULT_KINDS], multiple=True)
@max_skipped_option
@max_shown_option(str(_FEW))
@click.option(
    "--save",
    type=parse_run_name,
    metavar="NAME",
    help="Save the run in the history, under this name.",
)
@click.option(
    "--upload",
    type=click.Choice(BACKENDS),
    help="Send each score to this trace backend, as callscore upload does.",
)
@click.option(
    "--upload-endpoint",
    metavar="URL",
    help="The address of that backend.  [default: as its environment variables say]",
)
@store_option
@lang_option
@click.pass_context
def command(context: click.Context, /, **options: Any) -> int:
    """Receive traces until Ctrl-C, and find the exit code."""
    protect_inputs()
    from callscore.receiving.server import checked_token  # it needs the extra `web`

    _require_used(context)
    require_one_stdin(*options["expected"], options["tools"])
    request = SimpleNamespace(**options)
    request.settings = settings_from(options)
    request.tools = tools_from(options)
    request.read_options = reading_from(options, (request.tools or {}).values())
    request.expected = tuple(expand_paths(request.expected))
    request.inputs = input_options_for(
        None, None, request.read_options, top_k=request.settings.top_k
    )
    request.max_shown = _FEW if request.max_shown is None else request.max_shown
    refuse_evaluations(*request.expected)
    _require_possible(request)
    token = checked_token(request.host, os.environ.get(TOKEN_VARIABLE))
    with open_output(None, "table", request.lang, is_gate=True) as output:
        return _receive(request, output, token)


def _require_used(context: click.Context) -> None:
    """Refuse options that would be ignored: with them, scores are expected."""
    given = context.params
    for parameter in context.command.params:
        name = parameter.name or ""
        if context.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
            continue
        is_of_scores = name in _OF_SCORES or (is_setting(parameter) and name not in _OF_PROJECT)
        if is_of_scores and not given["expected"]:
            raise click.UsageError(f"{parameter.opts[-1]} goes together with --expected.")
        if name in _OF_RESULTS and not (given["expected"] or given["check"]):
            raise click.UsageError(
                f"{parameter.opts[-1]} goes together with --expected or --check."
            )
        if name == "store" and given["save"] is None:
            raise click.UsageError("--store goes together with --save.")


def _require_possible(request: SimpleNamespace) -> None:
    refusals = {
        "--check needs no --expected: pass one of them.": request.check and request.expected,
        "--fail-on goes together with --check.": request.fail_on and not request.check,
        "--upload-endpoint goes together with --upload.": (
            request.upload_endpoint is not None and request.upload is None
        ),
        "--id-from names traces by files. Here --match names them.": (
            request.read_options.id_from is not None
        ),
        "--output must be a file: traces are kept in it before they are acknowledged.": (
            request.output == "-"
        ),
    }
    for problem, is_so in refusals.items():
        if is_so:
            raise click.UsageError(problem)


def _receive(request: SimpleNamespace, output: Output, token: str | None) -> int:
    from callscore.receiving.server import listening, trace_server

    with (
        listening(request.host, request.port) as sock,  # before anything is written
        saving_scores(_about_run(request), request.store, request.lang) as keeper,
        _uploading(request) as uploader,
    ):
        references = read_references(request.expected, request.inputs) if request.expected else {}
        dialect = None if request.input_format is None else dialect_named(request.input_format)
        session = Session(
            TraceReader(request.match, request.read_options, dialect),
            references=references,
            checks=request.check,
            settings=request.settings,
            tools=request.tools,
            metrics=request.metric,
            on_result=None if keeper is None else keeper.save_result,
            max_shown=request.max_shown,
        )
        live = _Live(TraceLines(output, request.match, request.lang, references), uploader)
        limits = Limits(
            settle=request.settle,
            quiet=request.close_after,
            max_body_bytes=request.max_body * _MEGABYTE,
            max_open_bytes=request.max_memory * _MEGABYTE,
        )
        receiver = Receiver(Path(request.output), session, limits=limits, on_written=live.show)
        try:
            with (
                _until_stopped() as stop,
                trace_server(receiver, sock, token=token, on_refused=live.note_refused) as server,
            ):
                _print_start(request, receiver, server.address)
                _work(receiver, server.thread, stop, request.lang)
        except BaseException:
            receiver.finish(ends_session=False)  # there is no report
            raise
        receiver.finish()
        results = session.results()
    print_saved(keeper, request.lang)
    code = _report(request, receiver, output, results, session)
    live.print_refused()
    if receiver.unwritten:
        left = count_of(_TRACES, receiver.unwritten, request.lang)
        spool = spool_of(Path(request.output))
        raise click.ClickException(say(_NOT_WRITTEN, request.lang, traces=left, spool=spool))
    if uploader is not None:
        uploader.close().require_all()
    return code


class _Live:
    """Shows what happens while traces are received."""

    def __init__(self, lines: TraceLines, uploader: Uploader | None) -> None:
        self._lines = lines
        self._uploader = uploader
        self._refused: Counter[int] = Counter()

    def show(self, trace: Trace) -> None:
        """Show a trace that is on the disk, and send its score.

        If the backend takes none, it is counted as lost: traces come first.
        """
        self._lines.show(trace)
        if trace.score is None or self._uploader is None:
            return
        origin = (trace.case and trace.case.origin) or Origin(trace.trace_id)
        for each in evaluations_of(trace.score, origin=origin, case=trace.id):
            self._uploader.send(each, timeout=_WAIT_FOR_UPLOAD)

    def note_refused(self, status: int, problem: str) -> None:
        """Count a request that was refused, and print the first one of each status."""
        self._refused[status] += 1
        if self._refused[status] == 1 and status != _CANNOT_WRITE_STATUS:  # the owner knows
            shown = clip(escape(problem), _PROBLEM_WIDTH)
            print_note(say(_FIRST_REFUSED, self._lines.lang, status=status, problem=shown))

    def print_refused(self) -> None:
        """Print how many requests were refused."""
        lang, counts = self._lines.lang, sorted(self._refused.items())
        if counts:
            requests = count_of(_REQUESTS, self._refused.total(), lang)
            shown = ", ".join(f"{count} × {status}" for status, count in counts)
            print_note(say(_ALL_REFUSED, lang, requests=requests, counts=shown))


def _about_run(request: SimpleNamespace) -> SaveRequest | None:
    """What is saved with the scores; None without --save."""
    if request.save is None:
        return None
    from callscore.engines.saving import SaveRequest

    return SaveRequest(
        name=request.save,
        cases=[*map(without_credentials, request.expected)],
        actual=[request.output],
        settings=request.settings,
        reading=request.read_options,
        tools=request.tools,
        fail_under=request.fail_under,
    )


@contextmanager
def _uploading(request: SimpleNamespace) -> Iterator[Uploader | None]:
    """What sends scores to a trace backend; None without --upload."""
    if request.upload is None:
        yield None
        return
    from callscore.uploaders.sending import Uploader

    uploader = Uploader(backend_named(request.upload), endpoint=request.upload_endpoint)
    try:
        yield uploader
    finally:
        print_delivery(uploader.close(), request.lang)


def _work(receiver: Receiver, server: Thread, stop: Event, lang: Language) -> None:
    """Write traces as they are complete, until the command is stopped."""
    shown = ""
    while not stop.wait(_TICK):
        receiver.work()
        problem = receiver.problem
        if problem != shown:
            phrase = _CANNOT_WRITE if problem else _WRITES_AGAIN
            print_note(say(phrase, lang, problem=problem))
            shown = problem
        if not server.is_alive():
            raise click.ClickException("The server has ended unexpectedly.")


@contextmanager
def _until_stopped() -> Iterator[Event]:
    """An event that Ctrl-C, and signals that ask a process to end, set: nothing is left half-done."""
    stop = Event()
    if (
        signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    ):  # a shell starts the commands of `&` that way
        signal.signal(signal.SIGINT, signal.default_int_handler)
    names = [name for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {}
    for name in names:
        number = getattr(signal, name)
        if signal.getsignal(number) != signal.SIG_IGN:
            before[number] = signal.signal(number, lambda *_: stop.set())
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_IGN if stop.is_set() else handler)


def _print_start(request: SimpleNamespace, receiver: Receiver, address: str) -> None:
    lang, counts = request.lang, receiver.counts
    if counts.recovered or counts.written_before:
        print_note(say(_RECOVERED, lang, spans=count_of(_SPANS, counts.recovered, lang)))
    if counts.written_before:
        traces = count_of(_TRACES, counts.written_before, lang)
        print_note(say(_WRITTEN_BEFORE, lang, traces=traces, file=request.output))
    print_note(say(_RECEIVING, lang, address=address, file=request.output))


def _report(
    request: SimpleNamespace, receiver: Receiver, output: Output, results: Any, session: Session
) -> int:
    """Write the totals, and find the exit code."""
    lang, counts = request.lang, receiver.counts
    code = OK
    if request.check or request.expected:
        output.write_text("\n")
        write_report(
            "check" if request.check else "score",
            (results,),
            output,
            "table",
            is_live=True,
            lang=lang,
        )
    for sentence, noted in session.notes(lang):
        names = first_names(noted.names, noted.count, lang, width=LONG_NAME_WIDTH)
        print_named_note(sentence, names)
    why_none = session.why_none(lang)
    if request.check:
        code = check_exit_code(
            results, request.fail_on, lang, request.max_skipped, why_none=why_none
        )
    elif request.expected:
        warn_unknown_defaults([results.summary], lang)
        code = score_exit_code(
            results,
            request.fail_under,
            lang,
            is_judged=True,
            is_joined=True,
            max_skipped=request.max_skipped,
            why_none=why_none,
        )
    traces = count_of(_TRACES, counts.traces, lang)
    spans = count_of(_SPANS, counts.written_spans, lang)
    print_note(say(_TOTAL, lang, traces=traces, spans=spans, file=request.output))
    for phrase, count in ((_AGAIN, counts.duplicates), (_REFUSED, counts.refused)):
        if count:
            print_note(say(phrase, lang, spans=count_of(_SPANS, count, lang)))
    return code
