"""`callscore receive`: takes traces over OTLP, writes each as a line when it is complete, and scores it."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource
from msgspec import Struct

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
    open_store_to_write,
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
from callscore.cli.output import open_output, print_named_note, print_note, write_report
from callscore.cli.score import print_saved
from callscore.cli.supervision import heed_interrupts
from callscore.cli.trace_lines import TraceLines
from callscore.cli.upload import print_delivery
from callscore.core.call import Tool
from callscore.core.case import Origin
from callscore.core.phrases import Language, Phrase, Plural, count_of, say
from callscore.core.rendering import clip, escape
from callscore.core.settings import Settings
from callscore.engines.inputs import InputOptions, input_options_for
from callscore.formats.dialect import dialect_named
from callscore.formats.trace import ReadOptions
from callscore.receiving.closed_traces import DEFAULT_MATCH, ClosedTrace, TraceReader
from callscore.receiving.open_traces import Limits
from callscore.receiving.receiver import Receiver, journal_folder
from callscore.receiving.refusals import Refusals
from callscore.receiving.remarks import Remarks
from callscore.receiving.scoring import (
    Checker,
    Scorer,
    read_references,
    reason_text,
    result_fields,
)
from callscore.receiving.server import (
    DEFAULT_HOST,
    DEFAULT_PORT,
    PATH,
    TOKEN_VARIABLE,
    checked_token,
    listening,
    require_extra,
    trace_server,
)
from callscore.reports.formatting import LONG_NAME_WIDTH, first_names
from callscore.sources.paths import expand_paths
from callscore.sources.remote import without_credentials
from callscore.uploaders.backends import BACKENDS, backend_named
from callscore.uploaders.evaluations import evaluations_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from callscore.cli.output import Output
    from callscore.core.results import Result
    from callscore.core.score import Score
    from callscore.engines.saving import ScoreSaver
    from callscore.receiving.scoring import Outcome
    from callscore.receiving.server import TraceServer

__all__ = ["command"]

_DEFAULT_OUTPUT = "traces.jsonl"
_LAST_PORT = 65_535
_TICK = 0.25
_MEGABYTE = 1 << 20
_RESULTS_OF_RUN = 10_000
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
    "{spans} of a receiver that did not end properly were read from its journal",
    "из журнала аварийно завершённого приёмника прочитано: {spans}",
)
_WRITTEN_BEFORE = Phrase(
    "{traces} of it in {file}: counted again, as a part of this session",
    "его записи в {file}: {traces}, учитываются снова как часть этого сеанса",
)
_OTHER_OUTPUT = Phrase(
    "{file} is not the file that the journal belongs to: some traces may be written a second time",
    "журнал относится не к файлу {file}: некоторые трассы могут быть записаны второй раз",
)
_CANNOT_WRITE = Phrase(
    "cannot write: {problem}. Requests are refused until this is solved",
    "запись невозможна: {problem}. До устранения причины запросы отклоняются",
)
_WRITES_AGAIN = Phrase("writing again", "запись возобновлена")
_NOT_WRITTEN = Phrase(
    "{traces} could not be written. They are kept in {journal}, for the next start",
    "не записано: {traces}. Данные остались в {journal} до следующего запуска",
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


class _Request(Struct, frozen=True, kw_only=True):
    """The options of the command."""

    host: str
    port: int
    output: str
    settle: float
    close_after: float
    max_body: int
    max_memory: int
    expected: tuple[str, ...]
    match: str
    check: bool
    tools: Mapping[str, Tool] | None
    inputs: InputOptions
    input_format: str | None
    read_options: ReadOptions
    settings: Settings
    metric: tuple[str, ...]
    fail_under: float | None
    fail_on: tuple[str, ...]
    max_skipped: int
    max_shown: int
    save: str | None
    upload: str | None
    upload_endpoint: str | None
    store: str | None
    lang: Language

    @property
    def limits(self) -> Limits:
        """What the receiver keeps in memory, and how long."""
        return Limits(
            settle=self.settle,
            quiet=self.close_after,
            max_body_bytes=self.max_body * _MEGABYTE,
            max_open_bytes=self.max_memory * _MEGABYTE,
        )


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
    require_extra()
    _require_used(context)
    require_one_stdin(*options["expected"], options["tools"])
    settings = settings_from(options)
    tools = tools_from(options)
    read_options = reading_from(options, (tools or {}).values())
    expected = tuple(expand_paths(options.pop("expected")))
    max_shown = options.pop("max_shown")
    refuse_evaluations(*expected)
    request = _Request(
        settings=settings,
        tools=tools,
        inputs=input_options_for(None, None, read_options, top_k=settings.top_k),
        read_options=read_options,
        expected=expected,
        max_shown=_FEW if max_shown is None else max_shown,
        **options,
    )
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


def _require_possible(request: _Request) -> None:
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


def _receive(request: _Request, output: Output, token: str | None) -> int:
    with (
        listening(request.host, request.port) as sock,  # before anything is written
        _saving(request) as on_result,
        _uploading(request) as uploads,
    ):
        session = _Session(request, output, on_result)
        session.on_scored = None if uploads is None else uploads.send
        dialect = None if request.input_format is None else dialect_named(request.input_format)
        receiver = Receiver(
            Path(request.output),
            TraceReader(request.match, request.read_options, dialect),
            limits=request.limits,
            fields_of=session.fields_of,
            on_written=session.show,
        )
        try:
            with _until_stopped() as stop:
                for trace in receiver.written_before():
                    session.take_again(trace)
                with trace_server(receiver, sock, token=token, refusals=session.refusals) as server:
                    _print_start(request, receiver, server)
                    _work(receiver, server, stop, session)
        except BaseException:
            receiver.finish(ends_session=False)  # there is no report
            raise
        receiver.finish()
        results = session.results()
    code = _report(request, receiver, output, results, session.remarks)
    session.print_refusals()
    _require_written(request, receiver)
    if uploads is not None:
        uploads.require_all()
    return code


def _work(receiver: Receiver, server: TraceServer, stop: Event, session: _Session) -> None:
    """Write traces as they are complete, until the command is stopped."""
    shown = ""
    while not stop.wait(_TICK):
        receiver.work()
        problem = receiver.problem
        if problem != shown:
            phrase = _CANNOT_WRITE if problem else _WRITES_AGAIN
            print_note(say(phrase, session.lang, problem=problem))
            shown = problem
        session.print_new_refusals()
        if not server.is_running:
            raise click.ClickException("The server has ended unexpectedly.")


@contextmanager
def _until_stopped() -> Iterator[Event]:
    """An event that Ctrl-C, and signals that ask a process to end, set: nothing is left half-done."""
    stop = Event()
    heed_interrupts()
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
            # The same Ctrl-C may arrive a second time, from the process that supervises this one.
            signal.signal(number, signal.SIG_IGN if stop.is_set() else handler)


def _print_start(request: _Request, receiver: Receiver, server: TraceServer) -> None:
    lang = request.lang
    address = f"{server.address}{PATH}"
    if not receiver.is_known_output:
        print_note(say(_OTHER_OUTPUT, lang, file=request.output))
    if receiver.counts.recovered or receiver.counts.written_before:
        spans = count_of(_SPANS, receiver.counts.recovered, lang)
        print_note(say(_RECOVERED, lang, spans=spans))
    if receiver.counts.written_before:
        traces = count_of(_TRACES, receiver.counts.written_before, lang)
        print_note(say(_WRITTEN_BEFORE, lang, traces=traces, file=request.output))
    print_note(say(_RECEIVING, lang, address=address, file=request.output))


def _report(
    request: _Request, receiver: Receiver, output: Output, results: Any, remarks: Remarks
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
    for sentence, noted in remarks.notes(lang):
        names = first_names(noted.names, noted.count, lang, width=LONG_NAME_WIDTH)
        print_named_note(sentence, names)
    if request.check:
        code = check_exit_code(
            results,
            request.fail_on,
            lang,
            request.max_skipped,
            why_none=remarks.why_nothing(lang),
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
            why_none=remarks.why_unscored(results, lang),
        )
    traces = count_of(_TRACES, counts.traces, lang)
    spans = count_of(_SPANS, counts.written_spans, lang)
    print_note(say(_TOTAL, lang, traces=traces, spans=spans, file=request.output))
    for phrase, count in ((_AGAIN, counts.duplicates), (_REFUSED, counts.refused)):
        if count:
            print_note(say(phrase, lang, spans=count_of(_SPANS, count, lang)))
    return code


def _require_written(request: _Request, receiver: Receiver) -> None:
    if receiver.open_traces:
        left = count_of(_TRACES, receiver.open_traces, request.lang)
        journal = journal_folder(Path(request.output))
        raise click.ClickException(say(_NOT_WRITTEN, request.lang, traces=left, journal=journal))


class _Session:
    """Scores or checks each trace, and shows it in a line.

    Attributes:
        remarks: about all traces so far.
        refusals: the requests that were refused.
        on_scored: called with each trace that has a score, when it is on the disk.
    """

    def __init__(
        self, request: _Request, output: Output, on_result: Callable[[Result], None] | None
    ) -> None:
        self._request = request
        self.lang = request.lang
        self.remarks = Remarks(request.match)
        self.refusals = Refusals()
        references = read_references(request.expected, request.inputs) if request.expected else {}
        self._lines = TraceLines(output, request.match, request.lang, references)
        self._outcomes: dict[tuple[str, int], Outcome] = {}  # until they are shown
        self.on_scored: Callable[[ClosedTrace, Score], None] | None = None
        self._judge: Checker | Scorer
        if request.check:
            self._judge = Checker(request.tools, max_shown=request.max_shown)
            return
        self._judge = Scorer(
            references,
            settings=request.settings,
            tools=request.tools,
            metrics=request.metric,
            on_result=on_result,
            max_shown=request.max_shown,
        )

    def fields_of(self, trace: ClosedTrace) -> dict[str, Any]:
        """Score a trace: what its line says about that."""
        outcome = self._judge.take(trace)
        self.remarks.take(trace, outcome)
        self._outcomes[trace.trace_id, trace.part] = outcome
        return result_fields(outcome, reason_text(trace, outcome, self._request.match))

    def results(self) -> Any:
        """The results of all traces."""
        return self._judge.results()

    def take_again(self, trace: ClosedTrace) -> None:
        """Score a trace that was written, shown and handed on before."""
        self.remarks.take(trace, self._judge.take(trace))

    def print_new_refusals(self) -> None:
        """Print the first refusal of each kind."""
        for status, problem in self.refusals.pop_new():
            if status != _CANNOT_WRITE_STATUS:  # the owner knows
                shown = clip(escape(problem), _PROBLEM_WIDTH)
                print_note(say(_FIRST_REFUSED, self.lang, status=status, problem=shown))

    def print_refusals(self) -> None:
        """Print how many requests were refused."""
        self.print_new_refusals()
        counts = self.refusals.counts
        if counts:
            requests = count_of(_REQUESTS, sum(counts.values()), self.lang)
            shown = ", ".join(f"{count} × {status}" for status, count in counts.items())
            print_note(say(_ALL_REFUSED, self.lang, requests=requests, counts=shown))

    def show(self, trace: ClosedTrace) -> None:
        """Show a trace that is on the disk, and hand its score on."""
        outcome = self._outcomes.pop((trace.trace_id, trace.part))
        self._lines.show(trace, outcome)
        if outcome.score is not None and self.on_scored is not None:
            self.on_scored(trace, outcome.score)


@contextmanager
def _saving(request: _Request) -> Iterator[Callable[[Result], None] | None]:
    """What saves results in the history, in runs of a limited size; None without --save."""
    if request.save is None:
        yield None
        return
    runs = _Runs(request)
    try:
        yield runs.take
    finally:
        runs.end()


class _Runs:
    """Saves results as one run after another: a receiver may never end."""

    def __init__(self, request: _Request) -> None:
        self._request = request
        self._saver: ScoreSaver | None = None
        self._count = 0

    def take(self, result: Result) -> None:
        """Save a result."""
        if self._saver is None:
            self._saver = self._begin()
        self._saver.save_result(result)
        self._count += 1
        if self._count >= _RESULTS_OF_RUN:
            self.end()

    def _begin(self) -> ScoreSaver:
        from callscore.engines.saving import SaveRequest, ScoreSaver
        from callscore.history.writer import fallback_store_for

        request, store = self._request, self._request.store
        about = SaveRequest(
            name=request.save or "",
            cases=[*map(without_credentials, request.expected)],
            actual=[request.output],
            settings=request.settings,
            reading=request.read_options,
            tools=request.tools,
            fail_under=request.fail_under,
        )
        return ScoreSaver(about, lambda: open_store_to_write(store), fallback_store_for(store))

    def end(self) -> None:
        """End the run, if there is one."""
        saver, self._saver, self._count = self._saver, None, 0
        if saver is not None:
            saver.finish()
            print_saved(saver, self._request.lang)


@contextmanager
def _uploading(request: _Request) -> Iterator[_Uploads | None]:
    """What sends scores to a trace backend; None without --upload."""
    if request.upload is None:
        yield None
        return
    uploads = _Uploads(request)
    try:
        yield uploads
    finally:
        uploads.close()


class _Uploads:
    """Sends the score of each trace to a backend, beside the receiver.

    Raises:
        MissingExtra: the client library of the backend is not installed. This is raised at the start.
    """

    def __init__(self, request: _Request) -> None:
        from callscore.uploaders.sending import Uploader

        backend = backend_named(request.upload or "")
        self._lang = request.lang
        self._uploader = Uploader(backend, endpoint=request.upload_endpoint)

    def send(self, trace: ClosedTrace, score: Score) -> None:
        """Queue a score. If the backend takes none, it is counted as lost: traces come first."""
        for each in evaluations_of(score, origin=_origin_of(trace), case=trace.id):
            self._uploader.send(each, timeout=_WAIT_FOR_UPLOAD)

    def close(self) -> None:
        """Send what waits, and say what arrived."""
        print_delivery(self._uploader.close(), self._lang)

    def require_all(self) -> None:
        """Raise `UploadFailed` unless all scores arrived."""
        self._uploader.close().require_all()


def _origin_of(trace: ClosedTrace) -> Origin:
    """The span of the agent if the trace has one, or else its root."""
    found = None if trace.case is None else trace.case.origin
    return Origin(
        trace_id=trace.trace_id,
        span_id=(found.span_id if found else None) or trace.root_span_id or None,
        response_id=trace.response_id or None,
    )
