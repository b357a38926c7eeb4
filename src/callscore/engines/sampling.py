"""A stratified sample of the cases of a log, in one pass and in bounded memory: as lines, or scored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import repeat
from math import fsum
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, cast

import msgspec
from msgspec import UNSET, Struct, structs

from callscore.core.call import Tool, malformed_part
from callscore.core.case import Case, calls_in
from callscore.core.rendering import mention
from callscore.core.results import OWN_FORMAT, Noted, Results
from callscore.core.sample_estimate import SampledStratum, estimate_mean
from callscore.core.settings import DEFAULT, Settings
from callscore.core.statistics import Cluster, Interval
from callscore.core.totals import InputCounter, NameCounter, Show
from callscore.engines.collector import NO_HOOKS, Collector, ScoreHooks
from callscore.engines.inputs import (
    CASES,
    CaseReader,
    FileContent,
    Found,
    InputOptions,
    decoded_lines,
    input_options_for,
    read_batch,
)
from callscore.engines.stratified_pool import ChosenStratum, StratifiedPool, StratumCount
from callscore.errors import InvalidSettings, UnreadableInput
from callscore.formats.case_fields import (
    ACTUAL_FIELDS,
    EITHER_SIDE_FIELDS,
    EXPECTED_FIELDS,
    parse_json_path,
)
from callscore.formats.cases import (
    CONTENT_ID_PREFIX,
    case_from_trace,
    case_record,
    expected_records,
    has_own_id,
    read_case,
    read_reference,
    read_trace,
)
from callscore.formats.plain_cases import PlainCase, decode_plain
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions
from callscore.sources import Array, BadRecord, Batch, Lines, Record, read_batches
from callscore.sources.files import display_path
from callscore.sources.paths import display_paths
from callscore.sources.text_document import decode_line
from callscore.words.plain_data import call_to_dict, tool_to_dict
from callscore.words.value_text import encode_json

if TYPE_CHECKING:
    from callscore.engines.collector import Metrics

    Paths = str | PathLike[str] | Iterable[str | PathLike[str]]
    # The name of the stratum of a case, given the value of its record; None if it has none of its own.
    FindStratum = Callable[[Case | PlainCase, Any], str | None]

# An id of the content: several cases may have the same.
_CONTENT_ID = f'"{CONTENT_ID_PREFIX}'.encode()
_MAX_NAME = 200  # characters of the name of a stratum
_decode_lines = msgspec.json.Decoder().decode_lines


class Sample(Struct, frozen=True, kw_only=True):
    """A sample of the cases of a log.

    Attributes:
        lines: the sampled records in the order of the log, each as one line of JSON without its line
            break.
        strata: the strata; a single one with an empty name without `by`.
        by: how the strata were chosen; None if there is only one.
        seed: the seed of the choice.
        skipped: the records that cannot be read; they are in no stratum.
        rewritten: how many of the lines are in the notation of case files, because the case has no line
            of its own in the log.
        divided: how many cases have trials in several strata; these are chosen one by one.
    """

    lines: tuple[bytes, ...]
    strata: tuple[StratumCount, ...]
    by: str | None
    seed: int
    skipped: Noted = Noted()
    rewritten: int = 0
    divided: int = 0


class SampledResults(Struct, frozen=True, kw_only=True):
    """The results of a sample of cases, and what they say about the whole log.

    Attributes:
        results: the results of the sampled cases. Their means are not those of the log: rare strata have
            a larger share in the sample.
        strata: the strata, of the cases that can be scored: those with expected calls.
        by: how the strata were chosen; None if there is only one.
        seed: the seed of the choice.
        estimate: the estimated macro F1 of the log; None if no sampled case was scored.
        interval: its 95 % interval.
        sampled: the number of cases that were scored.
        sampled_trials: the number of their records that were scored.
    """

    results: Results
    strata: tuple[StratumCount, ...]
    by: str | None
    seed: int
    estimate: float | None
    interval: Interval | None
    sampled: int
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
    whatever the order of the files, if there are at most 1,000 strata.

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
    log = _Log(inputs, by, StratifiedPool(n, seed=seed), refuse)
    found = _paths(paths)
    for path in found:
        log.read(path, on_bytes)
    log.require_values(found)
    strata = log.pool.chosen()
    if not strata:
        first = f" Skipped, among others: {skipped.noted().names[0]}" if skipped.count else ""
        raise UnreadableInput(display_paths(found), f"no cases found.{first}")
    lines, rewritten = _written(_in_order(strata), inputs)
    return Sample(
        lines=tuple(lines),
        strata=tuple([stratum.counts for stratum in strata]),
        by=by,
        seed=seed,
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
    pool = StratifiedPool[_Taken](n, seed=seed)
    log = _Log(inputs, by, pool, collector.refuse, unscored=collector.take)
    found = _paths(paths)
    for path in found:
        if hooks.on_file is not None:
            hooks.on_file(path)
        collector.file = path
        if not log.read(path, hooks.on_bytes):
            collector.empty_files.append(path)
    log.require_values(found)
    collector.inputs = log.inputs
    strata = log.pool.chosen()
    scores: dict[int, float] = {}  # by the position of the record; a case without an answer has 0
    for record in _in_order(strata):
        for item in _found_in(record, inputs):
            result = collector.take_found(item)
            if result is not None:
                scores[record.position] = 0.0 if result.score is None else result.score.f1
    clusters = [_clusters(stratum, scores) for stratum in strata]
    estimate = estimate_mean(
        [
            SampledStratum(stratum.counts.cases, kinds)
            for stratum, kinds in zip(strata, clusters, strict=True)
        ]
    )
    scored = [kind for kinds in clusters for kind in kinds if kind.size]
    return SampledResults(
        results=collector.results(),
        strata=tuple([stratum.counts for stratum in strata]),
        by=by,
        seed=seed,
        estimate=None if estimate is None else estimate.mean,
        interval=None if estimate is None else estimate.interval,
        sampled=sum(kind.times for kind in scored),
        sampled_trials=sum(kind.size * kind.times for kind in scored),
    )


def _paths(paths: Paths) -> list[str]:
    given = [paths] if isinstance(paths, str | PathLike) else paths
    return [fspath(path) for path in given]


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


def _found_in(record: _Taken, inputs: InputOptions) -> Iterator[Found]:
    """The case of a record; a plain line was not decoded."""
    if record.case is not None:
        yield record.place, record.case
    else:
        reader = CaseReader(record.place, CASES, inputs)
        yield from reader.take(decode_line(cast("bytes", record.line), record.place))


def _clusters(stratum: ChosenStratum[_Taken], scores: Mapping[int, float]) -> list[Cluster]:
    """The sampled cases of a stratum; equal ones are counted together."""
    kinds: Counter[tuple[float, int]] = Counter()
    for records in stratum.chosen:
        scored = [scores[each.position] for each in records if each.position in scores]
        kinds[fsum(scored), len(scored)] += 1
    return [Cluster(total, size, times) for (total, size), times in kinds.items()]


# --- reading -----------------------------------------------------------------------------------


class _Taken(Struct, frozen=True, gc=False):
    """A record that may be in the sample.

    Attributes:
        position: its position in the log.
        line: its bytes, if it is one line of JSON lines.
        case: its case; None if the line is in the simplest notation, and was not decoded.
        value: the value of a record that is not a line; None if the case has no record of its own.
    """

    position: int
    place: str
    line: bytes | None = None
    case: Case | None = None
    value: Any = None


def _in_order(strata: Sequence[ChosenStratum[_Taken]]) -> list[_Taken]:
    """The chosen records in the order of the log."""
    chosen = [record for stratum in strata for records in stratum.chosen for record in records]
    return sorted(chosen, key=lambda record: record.position)


class _Log:
    """One pass over the log: each record is given to its stratum, which keeps it or not.

    With `unscored`, the log is read to be scored, and this takes the cases without expected calls. Without
    it, they are sampled like the others.
    """

    def __init__(
        self,
        inputs: InputOptions,
        by: str | None,
        pool: StratifiedPool[_Taken],
        refuse: Callable[[str, str], None],
        unscored: Callable[[Case, str], object] | None = None,
    ) -> None:
        self.pool = pool
        self.inputs = InputCounter()
        self._options = inputs
        self._path = by if by is not None and by.startswith("$") else None
        self._stratum_of = _stratum_finder(by)
        self._refuse = refuse
        self._unscored = unscored
        self._position = 0
        self._file, self._start = "", 0  # the position at which the file begins
        self._has_values = False

    def read(self, path: str, on_bytes: Callable[[int], None] | None) -> bool:
        """Read a file; returns whether it has any record."""
        self._file, self._start = display_path(path), self._position
        reader = None
        for batch in read_batches(path, on_bytes=on_bytes, allow_remote=True):
            if reader is None:
                reader = CaseReader(self._file, self._content_of(batch), self._options)
            if isinstance(batch, Lines) and self._take_plain(batch, reader):
                continue
            values = _values_of(batch)
            for position, place, found in read_batch(batch, reader):
                if isinstance(batch, Lines):
                    line = batch.line_at(position)
                    value = None if self._path is None else _value_of(line, place)
                    self._take(found, {place: value}, line)
                else:
                    self._take(found, values)
        for found in () if reader is None else reader.finish():
            self._take(found, {})
        if reader is not None:
            self.inputs.add(self._file, reader.formats)
        return self._position > self._start

    def _content_of(self, batch: Batch) -> FileContent:
        """What a file contains that begins with this batch: a list of lists may be an event stream."""
        is_list = isinstance(batch, Array) and not isinstance(next(iter(batch.items), None), dict)
        return CASES if is_list or self._unscored is not None else _ANY_SIDE

    def require_values(self, paths: Sequence[str]) -> None:
        """Raise an error if there are records, but none has a value at the path of the strata."""
        if self._path is not None and self._position and not self._has_values:
            problem = f"no record has a value at {self._path}, the path of the strata."
            raise UnreadableInput(display_paths(paths), f"{problem} Check its spelling.")

    def _take_plain(self, lines: Lines, reader: CaseReader) -> bool:
        """Take cases in the simplest notation; returns False if these lines may be in another one.

        Decoding every line of a long log takes seven times as long.
        """
        is_plain = self._options.says_nothing and not reader.is_joining
        is_plain = is_plain and _CONTENT_ID not in lines.data
        cases = decoded_lines(decode_plain, lines) if is_plain else None
        if cases is None:
            return False
        values = repeat(None) if self._path is None else _decode_lines(lines.data)
        split: list[bytes] = []
        for at, (case, value) in enumerate(zip(cases, values, strict=False)):
            self._position += 1
            records = self._records_for(case, value, self.pool.case_key(str(case.id)))
            if records is not None:
                split = split or lines.data.split(b"\n")
                records.append(_Taken(self._position, lines.place(at), line=split[at]))
        reader.note_formats([OWN_FORMAT])
        return True

    def _records_for(self, case: Case | PlainCase, value: Any, key: int) -> list[_Taken] | None:
        name = self._stratum_of(case, value)
        self._has_values = self._has_values or name is not None
        return self.pool.records_for(name or "", key)

    def _take(self, found: Found, known: Mapping[str, Any], line: bytes | None = None) -> None:
        """Take a case; one at a known place has a record of its own, and this line if it is one."""
        self._position += 1
        if isinstance(found, BadRecord):
            self._refuse(found.place, found.problem)
            return
        place, case = found
        if case.expected is UNSET and self._unscored is not None:
            self._unscored(case, place)
            return
        value = known.get(place)
        if case.id and has_own_id(case):
            key = self.pool.case_key(case.id)
        else:
            key = self.pool.place_key(f"{self._file}:{self._position - self._start}")
        records = self._records_for(case, value, key)
        if records is not None:
            own = line if place in known else None
            value = value if own is None else None
            records.append(_Taken(self._position, place, line=own, case=case, value=value))


def _value_of(line: bytes, place: str) -> Any:
    record = decode_line(line, place)
    return None if isinstance(record, BadRecord) else record.value


def _values_of(batch: Batch) -> dict[str, Any]:
    """The values of the records in a batch by their places, if these tell them apart."""
    if isinstance(batch, Record):
        return {batch.place: batch.value}
    if not isinstance(batch, Array):
        return {}
    records = list(batch.records())
    known = {batch.place: batch.items} | {record.place: record.value for record in records}
    return known if len(known) > len(records) else {}  # or several are on one line


def _stratum_finder(by: str | None) -> FindStratum:
    """How cases are divided: by `tool`, by `tag`, by the value at a path, or by None not at all.

    Raises:
        InvalidSettings: it is none of these.
    """
    if by is None:
        return lambda *_: ""
    if by == "tool":
        return lambda case, _: _tool_of(case)
    if by == "tag":
        return lambda case, _: next(iter(case.tags), "")
    if not by.startswith("$"):
        raise InvalidSettings(
            f"by: unknown value {mention(by)}. Choose from: tool, tag, or a path such as $.metadata.model."
        )
    find = parse_json_path(by).find

    def value_of(case: Case | PlainCase, value: Any) -> str | None:
        found = find(_case_notation(cast("Case", case)) if value is None else value)
        return _name_of_value(found[0]) if found else None

    return value_of


def _tool_of(case: Case | PlainCase) -> str:
    """The first expected tool; only without a reference the first called one.

    The calls of trials differ, and these would be in different strata.
    """
    calls: Any = case.expected or ()
    calls = case.actual or () if case.expected is UNSET else calls_in(calls)
    return next((call.name for call in calls), "")


def _name_of_value(value: Any) -> str:
    """A value as the name of a stratum; a long one is cut, and stays different from others."""
    text = value if isinstance(value, str) else encode_json(value).decode()
    if len(text) <= _MAX_NAME:
        return text
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    return f"{text[:_MAX_NAME]}… {digest}"


def _read_any_side(value: Any, *, place: str, **options: Any) -> Case:
    """A case, or one side of it: `calls` are the actual ones, or expected ones if they have groups."""
    keys = value if isinstance(value, dict) else ()
    if any(field in keys for field in EXPECTED_FIELDS + ACTUAL_FIELDS) or not any(
        field in keys for field in EITHER_SIDE_FIELDS
    ):
        return read_case(value, place=place, takes_trace=True, **options)
    try:
        return read_trace(value, place=place, is_alone=True, **options)
    except UnreadableInput:
        return read_reference(value, place=place, **options)


# A log may have both sides of its cases, or one of them.
_ANY_SIDE = FileContent(_read_any_side, case_from_trace, "", is_compared=True)


# --- writing -----------------------------------------------------------------------------------


def _written(records: Iterable[_Taken], inputs: InputOptions) -> tuple[list[bytes], int]:
    """The lines of a sample, and how many of them are in the notation of case files.

    A line stays as it is if it means the same in the sample, where other lines precede it.
    """
    lines: list[bytes] = []
    rewritten = 0
    reader = CaseReader("sample", _ANY_SIDE, inputs)
    for record in records:
        case, line = record.case, record.line
        if case is not None:
            line = _line_of(record)
            if line is None or not _means(line, case, reader):
                line = encode_json(_case_notation(case))
                reader = CaseReader(
                    "sample", _ANY_SIDE, inputs
                )  # without the line that was not used
                rewritten += 1
        lines.append(cast("bytes", line))
    return lines, rewritten


def _line_of(record: _Taken) -> bytes | None:
    """The line of a record, or its value as one; None if it has neither."""
    if record.line is not None or record.value is None or malformed_part(record.value) is not None:
        return record.line
    return encode_json(record.value)


def _means(line: bytes, case: Case, reader: CaseReader) -> bool:
    """Whether the next line of a file is read as this case and no other, at once."""
    found = [*reader.take(decode_line(line, "sample"))]
    return len(found) == 1 and not isinstance(found[0], BadRecord) and found[0][1] == case


def _case_notation(case: Case) -> dict[str, Any]:
    """A case as a record of a case file; without the id that follows from its content."""
    record = case_record(structs.replace(case, others=()))
    for field in ("others", "only", "skip"):
        if not record.get(field):
            record.pop(field, None)
    if not has_own_id(case):
        record.pop("id")
    if case.expected is not UNSET:
        record["expected"] = expected_records(case.expected or ())
    if case.actual is not None:
        record["actual"] = [call_to_dict(call) for call in case.actual]
    if isinstance(case.tools, list):
        record["tools"] = [
            tool_to_dict(tool) if isinstance(tool, Tool) else tool for tool in case.tools
        ]
    return {field: value for field, value in record.items() if field != "tags" or value}
