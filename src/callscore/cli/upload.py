"""`callscore upload`: the scores of a saved run, sent to a trace backend."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click
import msgspec

from callscore.cli.completion import complete_run
from callscore.cli.options import dry_run_option, lang_option, open_existing_store, store_option
from callscore.cli.output import open_output, print_note
from callscore.core.phrases import Language, Phrase, Plural, count_of, say
from callscore.errors import InvalidSettings
from callscore.history.run_metadata import find_run_and_variant
from callscore.history.saved_totals import saved_cases_of
from callscore.uploaders.backends import BACKENDS, backend_named
from callscore.uploaders.evaluations import (
    DEFAULT_PREFIX,
    Evaluation,
    NamingOptions,
    stored_evaluations,
)

if TYPE_CHECKING:
    from callscore.uploaders.sending import Backend, Delivery

_HELP = """Send the scores of a saved RUN to a trace backend, each to the trace that was scored.

\b
  otel        events gen_ai.evaluation.result, to any OTLP endpoint: OTEL_EXPORTER_OTLP_ENDPOINT
  langfuse    scores: LANGFUSE_PUBLIC_KEY, LANGFUSE_SECRET_KEY, LANGFUSE_BASE_URL
  langsmith   feedback: LANGSMITH_API_KEY, LANGSMITH_ENDPOINT
  mlflow      feedback: MLFLOW_TRACKING_URI
  phoenix     span annotations: PHOENIX_API_KEY, PHOENIX_COLLECTOR_ENDPOINT

A score has the ids of its trace if traces were scored that have them, or if the metadata of its case has
trace_id, span_id or response_id. A second upload of a run replaces the scores of the first where the
backend can do that. With --dry-run, the scores are printed as JSON lines, and nothing is sent.

RUN is an id or the beginning of one, a name, a baseline, latest, latest~2, or a git commit. RUN:VARIANT is
one variant.

\b
  callscore score traces.jsonl --expected cases.yaml --save
  callscore upload latest --to langfuse --dry-run
  callscore upload latest --to langfuse
"""
_SCORES = Plural(("score", "scores"), ("оценка", "оценки", "оценок"))
_SENT = Phrase("{scores} sent to {place}", "отправлено в {place}: {scores}")
_WOULD_BE_SENT = Phrase(
    "{scores} would be sent to {place}; nothing was sent",
    "к отправке в {place}: {scores}; ничего не отправлено",
)
_NOT_SENT = Phrase(
    "{scores} not sent, {reason}: {cases}", "не отправлено: {scores}, {reason}: {cases}"
)
# By the reason as a backend says it.
_REASONS = {
    "no trace id": Phrase("no trace id", "нет идентификатора трассы"),
    "no span id": Phrase("no span id", "нет идентификатора спана"),
    "no number": Phrase("no number", "нет числа"),
    "a trace id that is not of LangSmith": Phrase(
        "a trace id that is not of LangSmith", "идентификатор трассы не из LangSmith"
    ),
}
_UNLINKED = Phrase(
    "{scores} sent without the id of a trace or a response. {advice}",
    "без идентификатора трассы или ответа: {scores}. {advice}",
)
_ADVICE = Phrase(
    "To link them, score traces that have ids, or add trace_id and span_id to the metadata of the cases",
    "Чтобы связать их, оценивайте трассы с идентификаторами или добавьте trace_id и span_id в metadata"
    " случаев",
)
_FAILING_ONLY = Phrase(
    "only the failing cases of this run are saved: the scores of the others are not sent",
    "в прогоне сохранены только непройденные случаи: оценки остальных не отправляются",
)


@click.command(help=_HELP)
@click.argument("run", shell_complete=complete_run)
@click.option("--to", "to", type=click.Choice(BACKENDS), required=True, help="The backend.")
@click.option(
    "--endpoint",
    metavar="URL",
    help="The address of the backend.  [default: as its environment variables say]",
)
@click.option(
    "--prefix",
    metavar="TEXT",
    default=DEFAULT_PREFIX,
    show_default=True,
    help="Put before the name of each scorer.",
)
@click.option(
    "--no-explanations",
    is_flag=True,
    help="Send no explanations, which have values from the calls.",
)
@dry_run_option
@store_option
@lang_option
def command(
    *,
    run: str,
    to: str,
    endpoint: str | None,
    prefix: str,
    no_explanations: bool,
    dry_run: bool,
    store: str | None,
    lang: Language,
) -> None:
    """Send the scores of a run."""
    backend = backend_named(to)
    options = NamingOptions(prefix=prefix, explains=not no_explanations)
    with open_existing_store(store) as opened:
        found, variant = find_run_and_variant(opened, run)
        evaluations = stored_evaluations(opened, found, variant, options=options)
        if dry_run:
            _print_evaluations(backend, evaluations, lang)
            return
        from callscore.uploaders.sending import upload_evaluations

        delivery = upload_evaluations(backend, evaluations, endpoint=endpoint)
    print_delivery(delivery, lang)
    if saved_cases_of(found) != "all":
        print_note(say(_FAILING_ONLY, lang))
    delivery.require_all()


def _print_evaluations(backend: Backend, evaluations: Iterable[Evaluation], lang: Language) -> None:
    """Print each score that would be sent as a line of JSON."""
    count = 0
    refused: dict[str, list[str]] = {}
    with open_output(None, "jsonl", lang) as output:
        for each in evaluations:
            refusal = backend.refusal(each)
            if refusal is not None:
                refused.setdefault(refusal, []).append(each.case)
                continue
            count += 1
            output.write_bytes(msgspec.json.encode({"id": each.id, **msgspec.to_builtins(each)}))
            output.write_bytes(b"\n")
    scores = count_of(_SCORES, count, lang)
    print_note(say(_WOULD_BE_SENT, lang, scores=scores, place=backend.title))
    for reason, cases in refused.items():
        _print_refused(reason, len(cases), cases, lang)
    if refused and not count:
        from callscore.uploaders.sending import nothing_to_send

        counts = {reason: len(cases) for reason, cases in refused.items()}
        raise InvalidSettings(nothing_to_send(backend, counts))


def print_delivery(delivery: Delivery, lang: Language) -> None:
    """Print what was sent, and what was not."""
    place = f"{delivery.title} ({delivery.place})" if delivery.place else delivery.title
    print_note(say(_SENT, lang, scores=count_of(_SCORES, delivery.sent, lang), place=place))
    for reason, count in delivery.refused.items():
        _print_refused(reason, count, delivery.refused_cases, lang)
    if delivery.unlinked:
        scores, advice = count_of(_SCORES, delivery.unlinked, lang), say(_ADVICE, lang)
        print_note(say(_UNLINKED, lang, scores=scores, advice=advice))


_MAX_NAMES = 5


def _print_refused(reason: str, count: int, cases: Iterable[str], lang: Language) -> None:
    names = list(dict.fromkeys(cases))
    shown = ", ".join(names[:_MAX_NAMES]) + (", …" if len(names) > _MAX_NAMES else "")
    scores = count_of(_SCORES, count, lang)
    said = say(_REASONS[reason], lang)
    print_note(say(_NOT_SENT, lang, scores=scores, reason=said, cases=shown))
    print_note(say(_ADVICE, lang))
