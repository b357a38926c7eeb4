"""A stratified sample of the cases of a log, in one pass and in bounded memory: as lines, or scored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import fsum
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from msgspec import Struct, structs

from callscore.core.call import malformed_part
from callscore.core.results import Noted, Results
from callscore.core.sample_estimate import SampledStratum, estimate_mean
from callscore.core.score import outcome_f1, outcome_of
from callscore.core.settings import DEFAULT, Settings
from callscore.core.statistics import Cluster, Interval
from callscore.core.totals import NameCounter, Show
from callscore.engines.collector import NO_HOOKS, Collector, ScoreHooks
from callscore.engines.inputs import CaseReader, InputOptions, input_options_for
from callscore.engines.log_reading import ANY_SIDE, Log, Taken, case_notation, parse_strata
from callscore.engines.stratified_pool import ChosenStratum, StratifiedPool
from callscore.errors import (
    CallscoreError,
    ModelFailed,
    UnreadableInput,
)
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions
from callscore.sources import BadRecord
from callscore.sources.paths import display_paths
from callscore.sources.text_document import decode_line
from callscore.words.value_text import encode_json

if TYPE_CHECKING:
    from callscore.core.case import Case
    from callscore.engines.collector import Metrics
    from callscore.formats.plain_cases import PlainCase

    Paths = str | PathLike[str] | Iterable[str | PathLike[str]]


class StratumCount(Struct, frozen=True, gc=False):
    """One stratum, with its cases in the log and in the sample.

    Attributes:
        name: its name; empty for the cases without a tool, a tag, or a value at the path.
        cases: the number of its cases in the log.
        sampled: the number of its cases in the sample.
        trials: the number of its records in the log.
        is_other: whether it holds all strata beyond the first 1,000.
    """

    name: str
    cases: int
    sampled: int
    trials: int
    is_other: bool = False


class Sample(Struct, frozen=True, kw_only=True):
    """A sample of the cases of a log.

    Attributes:
        lines: the sampled records in the order of the log, each as one line of JSON without its line
            break.
        strata: the strata; a single one with an empty name without `by`.
        by: how the strata were chosen; None if there is only one.
        seed: the seed of the choice.
        is_exact: whether the cases of the log were counted. Otherwise their number is estimated from the
            number of records, which is always exact.
        skipped: the records that cannot be read; they are in no stratum.
        rewritten: how many of the lines are in the notation of case files, because the case has no line
            of its own in the log.
        divided: how many cases have trials in several strata; these are chosen one by one.
    """

    lines: tuple[bytes, ...]
    strata: tuple[StratumCount, ...]
    by: str | None
    seed: int
    is_exact: bool
    skipped: Noted = Noted()
    rewritten: int = 0
    divided: int = 0

    @property
    def population(self) -> int:
        """The number of cases in the log."""
        return sum(stratum.cases for stratum in self.strata)

    @property
    def sampled(self) -> int:
        """The number of cases in the sample."""
        return sum(stratum.sampled for stratum in self.strata)


class SampledResults(Struct, frozen=True, kw_only=True):
    """The results of a sample of cases, and what they say about the whole log.

    Attributes:
        results: the results of the sampled cases. Their means are not those of the log: rare strata have
            a larger share in the sample.
        strata: the strata, of the cases that can be scored.
        by: how the strata were chosen; None if there is only one.
        seed: the seed of the choice.
        is_exact: as in `Sample`.
        estimate: the estimated macro F1 of the log; None if no sampled case was scored.
        interval: its 95 % interval.
        population: the number of cases in the log that the estimate is about: those with expected calls
            that could be read.
        sampled: the number of these that were scored.
        population_trials: the number of their records; a case has one per trial.
        sampled_trials: the number of records that were scored.
    """

    results: Results
    strata: tuple[StratumCount, ...]
    by: str | None
    seed: int
    is_exact: bool
    estimate: float | None
    interval: Interval | None
    population: int
    sampled: int
    population_trials: int
    sampled_trials: int


def sample_files(  # noqa: PLR0913  (all are options)
    paths: Paths,
    *,
    n: int,
    by: str | None = None,
    seed: int = 0,
    skip_bad: bool = False,
    fields: Mapping[str, str] | None = None,
    format: str | None = None,  # noqa: A002  (as everywhere)
    read_options: ReadOptions = DEFAULT_READ_OPTIONS,
    on_bytes: Callable[[int], None] | None = None,
) -> Sample:
    """Sample the cases of files, with all trials of each case.

    Every stratum gives the same number of cases, as far as it has them. The same cases are chosen
    whatever the order of the files.

    Args:
        paths: one file or several; `-` is standard input.
        n: the number of cases; all of them if there are fewer.
        by: the strata: `tool` for the first expected tool, or the first called one of a case without a
            reference; `tag` for the first tag; or a path to a value in each record,
            `$.metadata.model`. By default there is only one stratum.
        seed: another seed gives another sample.
        skip_bad: count and skip unreadable records instead of raising.
        fields: as in `score_files`, like the other options.
        format: the format of the files; detected by default.
        read_options: which calls to read from a document with several choices.
        on_bytes: called with the number of bytes that were read since the last call.

    Raises:
        UnreadableInput: a file, or with `skip_bad` off a record in it, cannot be read; there is no case;
            or no record has a value at the path.
        InvalidSettings: `n` is not positive, or `by` or another option is not valid.
        MissingExtra: a file needs an optional dependency.
    """
    inputs = input_options_for(fields, format, read_options, keeps_tools=True)
    skipped = NameCounter()
    refuse = _refuser(skipped, skip_bad=skip_bad)
    log = Log(inputs, parse_strata(by), StratifiedPool(n, seed=seed), refuse)
    found = _paths(paths)
    for path in found:
        log.read(path, on_bytes=on_bytes)
    log.require_values(found)
    strata = log.pool.chosen()
    if not strata:
        first = f" Skipped, among others: {skipped.noted().names[0]}" if skipped.count else ""
        raise UnreadableInput(display_paths(found), f"no cases found.{first}")
    lines, rewritten = _written(_in_order(strata), inputs)
    return Sample(
        lines=tuple(lines),
        strata=_counts(strata),
        by=by,
        seed=seed,
        is_exact=all(stratum.is_exact for stratum in strata),
        skipped=skipped.noted(),
        rewritten=rewritten,
        divided=log.pool.divided(),
    )


def score_sample(  # noqa: PLR0913  (all are options)
    paths: Paths,
    *,
    n: int,
    by: str | None = None,
    seed: int = 0,
    settings: Settings = DEFAULT,
    show: Show = "failing",
    max_shown: int | None = 10,
    skip_bad: bool = False,
    fields: Mapping[str, str] | None = None,
    format: str | None = None,  # noqa: A002  (as everywhere)
    read_options: ReadOptions = DEFAULT_READ_OPTIONS,
    tools: Any = None,
    metrics: Metrics = (),
    hooks: ScoreHooks = NO_HOOKS,
) -> SampledResults:
    """Score a sample of the cases of files, and estimate the macro F1 of all of them.

    Cases without expected calls are counted and named in the results, but neither sampled nor part of the
    estimate. The options are those of `sample_files` and `score_files`, as are the errors.
    """
    collector = Collector(
        settings, show, max_shown, hooks, tools=tools, metrics=metrics, skip_bad=skip_bad
    )
    inputs = input_options_for(
        fields, format, read_options, top_k=settings.top_k, keeps_tools=tools is None
    )
    log = Log(
        inputs,
        parse_strata(by),
        StratifiedPool(n, seed=seed),
        collector.refuse,
        unscored=lambda case, place: collector.take_found((place, case)),
    )
    found = _paths(paths)
    for path in found:
        if hooks.on_file is not None:
            hooks.on_file(path)
        collector.file = path
        if not log.read(path, on_bytes=hooks.on_bytes):
            collector.empty_files.append(path)
    log.require_values(found)
    collector.inputs = log.inputs
    strata = log.pool.chosen()
    scores = {record.position: _score(collector, record) for record in _in_order(strata)}
    clusters = [_clusters(stratum, scores) for stratum in strata]
    sampled = [
        SampledStratum(stratum.cases, kinds)
        for stratum, kinds in zip(strata, clusters, strict=True)
    ]
    estimate = estimate_mean(sampled)
    scored = [kind for kinds in clusters for kind in kinds if kind.size]
    return SampledResults(
        results=collector.results(),
        strata=_counts(strata),
        by=by,
        seed=seed,
        is_exact=all(stratum.is_exact for stratum in strata),
        estimate=None if estimate is None else estimate.mean,
        interval=None if estimate is None else estimate.interval,
        population=sum(stratum.cases for stratum in strata),
        sampled=sum(kind.times for kind in scored),
        population_trials=sum(stratum.records for stratum in strata),
        sampled_trials=sum(kind.size * kind.times for kind in scored),
    )


def _paths(paths: Paths) -> list[str]:
    if isinstance(paths, str | PathLike):
        return [fspath(paths)]
    return [fspath(path) for path in paths]


def _refuser(skipped: NameCounter, *, skip_bad: bool) -> Callable[[str, str], None]:
    """What is done with a record that cannot be read: count it, or raise."""

    def refuse(place: str, problem: str) -> None:
        if skip_bad:
            skipped.add(f"{place}: {problem}")
            return
        error = UnreadableInput(place, problem)
        error.is_one_record = True
        raise error

    return refuse


def _in_order(strata: Sequence[ChosenStratum[Taken]]) -> list[Taken]:
    """The chosen records in the order of the log."""
    chosen = [record for stratum in strata for records in stratum.chosen for record in records]
    return sorted(chosen, key=lambda record: record.position)


def _counts(strata: Sequence[ChosenStratum[Taken]]) -> tuple[StratumCount, ...]:
    return tuple(
        [
            StratumCount(each.name, each.cases, len(each.chosen), each.records, each.is_other)
            for each in strata
        ]
    )


# --- writing -----------------------------------------------------------------------------------


def _written(records: Iterable[Taken], inputs: InputOptions) -> tuple[list[bytes], int]:
    """The lines of a sample, and how many of them are in the notation of case files.

    A line stays as it is if it means the same in the sample, where other lines precede it.
    """
    lines: list[bytes] = []
    rewritten = 0
    reader = CaseReader("sample", ANY_SIDE, inputs)
    for record in records:
        line = _line_of(record)
        if line is None or not _means(line, record.case, reader):
            line = encode_json(case_notation(record.case))
            reader = CaseReader("sample", ANY_SIDE, inputs)  # without the line that was not used
            rewritten += 1
        lines.append(line)
    return lines, rewritten


def _line_of(record: Taken) -> bytes | None:
    """The line of a record, or its value as one; None if it has neither."""
    if record.line is not None or record.value is None or malformed_part(record.value) is not None:
        return record.line
    return encode_json(record.value)


def _means(line: bytes, case: Case, reader: CaseReader) -> bool:
    """Whether the next line of a file is read as this case and no other, at once."""
    found = [*reader.take(decode_line(line, "sample"))]
    return len(found) == 1 and not isinstance(found[0], BadRecord) and found[0][1] == case


# --- scoring -----------------------------------------------------------------------------------


def _score(collector: Collector, record: Taken) -> float | None:
    """The score of a record; None if it could not be scored."""
    result = collector.take_found((record.place, record.case))
    if result is None:
        return None
    return 0.0 if result.score is None else outcome_f1(outcome_of(result.score))


def _clusters(stratum: ChosenStratum[Taken], scores: Mapping[int, float | None]) -> list[Cluster]:
    """The sampled cases of a stratum; equal ones are counted together."""
    kinds: Counter[tuple[float, int]] = Counter()
    for records in stratum.chosen:
        found = [scores[record.position] for record in records]
        scored = [score for score in found if score is not None]
        kinds[fsum(scored), len(scored)] += 1
    return [Cluster(total, size, times) for (total, size), times in kinds.items()]
