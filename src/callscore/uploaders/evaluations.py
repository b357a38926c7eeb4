"""What is uploaded: one number of one answer, with the ids of the trace that it belongs to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid5

import msgspec
from msgspec import Struct, structs

from callscore.core.case import Origin, origin_in
from callscore.core.rendering import clip
from callscore.core.results import MetricValue, Result, Results, answer_passes
from callscore.core.score import Score
from callscore.errors import CallscoreError, InvalidSettings
from callscore.hiding.hider import Hider, hide_for_report
from callscore.words.reasons import difference_reason, fault_sentence

if TYPE_CHECKING:
    from callscore.history.records import EvaluationRecord, RunRecord
    from callscore.history.store import Store

DEFAULT_PREFIX = "callscore."
SCORER = "accuracy"  # the name of the score of the calls, as in a saved run
_MAX_REASONS = 5
_MAX_EXPLANATION = 1_000  # characters
_MAX_ID = 500
_PASS, _FAIL = "pass", "fail"
_NAMESPACE = UUID("6f0f6a1e-5b0c-4c55-9a53-9d1c1f6f7b21")  # of these ids, chosen once


class Evaluation(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One number of one answer, or the error in its place.

    Attributes:
        name: the name of the scorer, with a prefix: `callscore.accuracy`.
        value: the number; None if the answer could not be scored.
        label: `pass` or `fail`; None without a number.
        explanation: what differs from what is expected, in a few sentences.
        case: the id of the case.
        trial: which repetition of the case, if there are several.
        origin: the ids of the trace, the span and the response.
        run: the id of the saved run; None if it is not saved.
        error: the kind of failure of the agent or of the scorer: `timeout`, `unscored`.
        scored_at: when the answer was scored, in seconds since 1970; None if that is not known.
        metadata: what else is known of it, such as the name of the evaluation.
    """

    name: str
    value: float | None = None
    label: str | None = None
    explanation: str | None = None
    case: str = ""
    trial: int | str | None = None
    origin: Origin = Origin()
    run: str | None = None
    error: str | None = None
    scored_at: float | None = None
    metadata: dict[str, str] = {}

    @property
    def id(self) -> str:
        """An id that is the same for every upload of it, so that a second one replaces the first."""
        about = self.metadata.get("evaluation"), self.metadata.get("variant")
        key = [self.run, *about, self.case, str(self.trial), self.name]
        if self.run is None:
            key += [self.origin.trace_id, self.origin.span_id, self.origin.response_id]
        text = msgspec.json.encode([part and _well_formed(part) for part in key])
        return str(uuid5(_NAMESPACE, text.decode()))

    @property
    def is_linked(self) -> bool:
        """Whether it says which trace or response it belongs to."""
        return self.origin.trace_id is not None or self.origin.response_id is not None


def _well_formed(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


class NamingOptions(Struct, frozen=True, kw_only=True):
    """How results become evaluations.

    Attributes:
        prefix: put before the name of each scorer.
        explains: whether the explanations are sent; they have values from the calls.
    """

    prefix: str = DEFAULT_PREFIX
    explains: bool = True


_OPTIONS = NamingOptions()


def evaluations_of(
    scored: Any,
    *,
    options: NamingOptions = _OPTIONS,
    origin: Origin | None = None,
    case: str = "",
) -> list[Evaluation]:
    """The evaluations of a `Score`, of `Results`, of results, or of a list of these.

    `origin` and `case` are about a single `Score`.

    Raises:
        InvalidSettings: the value is something else, or the results do not have all cases.
    """
    if isinstance(scored, Evaluation):
        return [scored]
    if isinstance(scored, Iterable) and not isinstance(scored, str | bytes | Mapping):
        return [each for one in scored for each in evaluations_of(one, options=options)]
    answers = _answers_in(scored, origin, case)
    return [each for answer in answers for each in answer.evaluations(options)]


def _answers_in(scored: Any, origin: Origin | None, case: str) -> list[_Answer]:
    if isinstance(scored, Score):
        value = MetricValue(SCORER, scored.f1)
        return [_Answer(case=case, origin=origin, values=(value,), score=scored)]
    if isinstance(scored, Result):
        return [_of_result(scored)]
    if isinstance(scored, Results):
        _require_all_cases(scored)
        return [_of_result(one) for one in scored.cases]
    kind = type(scored).__name__
    raise InvalidSettings(f"expected a Score, Results or a list of them, got {kind}")


def _require_all_cases(results: Results) -> None:
    missing = results.summary.cases - len(results.cases)
    if missing > 0:
        raise InvalidSettings(
            f"the results have {len(results.cases)} of {results.summary.cases} cases."
            " Score with show='all' and max_shown=None, so that they have all"
        )


class _Answer(Struct, frozen=True, kw_only=True):
    """What is known of one answer, from any source."""

    case: str
    trial: int | str | None = None
    origin: Origin | None = None
    values: tuple[MetricValue, ...] = ()
    score: Score | None = None
    has_forbidden: bool = False
    pass_mark: float = 1.0
    failure: tuple[str, str] | None = None
    run: str | None = None
    scored_at: float | None = None
    metadata: dict[str, str] = {}

    def evaluations(self, options: NamingOptions) -> list[Evaluation]:
        """One for each scorer; one for the error if there is no answer."""
        if self.failure is not None:
            return [self._failed(*self.failure, options)]
        return [
            self._made(
                value.name,
                options,
                value=value.value,
                label=self._label(value),
                explanation=_clipped(Hider().text, self._reason(value)),
                error="unscored" if value.value is None else None,
            )
            for value in self.values
            if value.value is not None or value.is_broken
        ]

    def _failed(self, kind: str, problem: str, options: NamingOptions) -> Evaluation:
        """A missing answer counts as 0; an answer that could not be scored has no number."""
        is_scored = kind != "unscored"
        return self._made(
            SCORER,
            options,
            value=0.0 if is_scored else None,
            label=_FAIL if is_scored else None,
            explanation=_clipped(Hider(is_live=self.run is None).text, problem),
            error=kind,
        )

    def _made(self, name: str, options: NamingOptions, **fields: Any) -> Evaluation:
        if not options.explains:
            fields["explanation"] = None
        return Evaluation(
            name=f"{options.prefix}{name}",
            case=Hider(is_live=self.run is None).text(self.case),
            trial=self.trial,
            origin=self.origin or Origin(),
            run=self.run,
            scored_at=self.scored_at,
            metadata=self.metadata,
            **fields,
        )

    def _label(self, value: MetricValue) -> str | None:
        has_forbidden = self.has_forbidden or (
            self.score is not None and bool(self.score.forbidden)
        )
        mark = self.pass_mark if self.score is None else self.score.settings.pass_mark
        passes = answer_passes([value], mark, has_forbidden=has_forbidden)
        return None if passes is None or value.value is None else (_PASS if passes else _FAIL)

    def _reason(self, value: MetricValue) -> str | None:
        if value.reason is not None or value.name != SCORER:
            return value.reason
        if self.score is None:
            return None
        return explain_briefly(hide_for_report(self.score, is_live=self.run is None))


def _clipped(hide: Any, text: str | None) -> str | None:
    return None if not text else clip(hide(text), _MAX_EXPLANATION)


def _of_result(result: Result) -> _Answer:
    """A result; one of a file has its own score beside the values, one of an agent among them."""
    values, score, failure = result.values, result.score, result.failure
    if score is not None and all(value.name != SCORER for value in values):
        values = (MetricValue(SCORER, score.f1), *values)
    return _Answer(
        case=result.case.id,
        trial=result.case.trial,
        origin=result.origin,
        values=values,
        score=score,
        failure=None if failure is None else (failure.kind, failure.problem),
    )


# --- explanations ------------------------------------------------------------------------------


def explain_briefly(score: Score) -> str:
    """What differs from what is expected, in a few sentences."""
    reasons = list(_reasons(score))
    if not reasons:
        calls = len(score.expected)
        return (
            f"all {calls} expected calls were made" if calls != 1 else "the expected call was made"
        )
    shown = reasons[:_MAX_REASONS]
    if len(reasons) > len(shown):
        shown.append(f"{len(reasons) - len(shown)} more")
    return "; ".join(shown)


def _reasons(score: Score) -> Iterator[str]:
    yield from [f"forbidden call: {score.actual[at].name}" for at in score.forbidden]
    missed, extra = score.unpaired
    forbidden = {id(score.actual[at]) for at in score.forbidden}
    yield from [f"missing call: {call.name}" for call in missed]
    yield from [f"extra call: {call.name}" for call in extra if id(call) not in forbidden]
    for pair in score.incorrect:
        for difference in pair.differences:
            reason = difference_reason(difference, others=pair.differences)
            yield f"{pair.expected.name}: {reason}"
    yield from [fault_sentence(fault) for fault in score.faults or ()]


def stored_evaluations(
    store: Store,
    run: RunRecord,
    variant: str | None = None,
    *,
    options: NamingOptions = _OPTIONS,
) -> Iterator[Evaluation]:
    """The evaluations of a saved run, read one result after the other.

    Raises:
        UnknownRun: the run has no such variant.
    """
    from callscore.history.run_metadata import lineage
    from callscore.history.saved_scores import stored_result
    from callscore.runner.stored_runs import (
        evaluations_of_variant,
        settings_by_number,
    )

    records = {each.number: each for each in evaluations_of_variant(store, run, variant)}
    settings = settings_by_number(records.values())
    trials = store.trials(run.id)
    # A case that an agent was run on may say where an earlier answer was recorded.
    is_of_files = [*lineage(store, run).values()][-1].command == "score"
    for found in store.results(run.id):
        record = records.get(found.evaluation)
        if record is None:
            continue
        result, saved = stored_result(found, settings[found.evaluation]), found.counts
        answer = structs.replace(
            _of_result(result),
            trial=found.trial if trials.get(found.evaluation, 1) > 1 else None,
            origin=result.origin
            if is_of_files
            else result.case.origin or _answer_origin(found.answer),
            values=found.values,
            has_forbidden=bool(saved and saved[-1]),
            pass_mark=settings[found.evaluation].pass_mark,
            run=run.id,
            scored_at=found.finished_at or run.started_at,
            metadata=_metadata(run, record),
        )
        yield from answer.evaluations(options)


def _metadata(run: RunRecord, record: EvaluationRecord) -> dict[str, str]:
    """What is known of the run, with the evaluation of the result."""
    known = {
        "evaluation": record.name,
        "variant": record.variant,
        "run_name": run.name,
        "git_commit": run.git_commit,
    }
    return {name: clip(value, _MAX_ID) for name, value in known.items() if value}


def _answer_origin(document: Any) -> Origin | None:
    """Where the answer of an agent was recorded: by its own fields, or by the trace that it is."""
    found = origin_in(document)
    if found is not None or not isinstance(document, dict | list) or not document:
        return found
    from callscore.formats.case_sides import join_traces
    from callscore.formats.reading import find_dialect, read_as
    from callscore.formats.trace import DEFAULT_READ_OPTIONS

    dialect = find_dialect(document)
    if dialect is None:
        return None
    try:
        traces = read_as(dialect, document, DEFAULT_READ_OPTIONS)
        return join_traces(traces, where="answer").origin
    except CallscoreError:  # it was read when the run was scored; here only its ids matter
        return None
