"""Scores Arrow data, row by row: what every engine runs on each of its machines.

Each row is read on its own, so that the result does not depend on how the rows are split.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import IO, TYPE_CHECKING, Any, Literal

from msgspec import UNSET, Struct, structs

from callscore.api import score_case
from callscore.core.budget import OverBudget
from callscore.core.settings import DEFAULT, Settings
from callscore.core.totals import InputCounter
from callscore.engines.inputs import (
    CASES,
    NO_JOIN,
    REFERENCES,
    TRACES,
    first_formats,
    input_options_for,
)
from callscore.engines.record_reading import LOST_RECORD, RecordReader, batch_items, split_items
from callscore.engines.result_rows import (
    RowBuilder,
    RowColumns,
    case_text,
    read_case_text,
    require_pyarrow,
)
from callscore.engines.row_totals import batches_of, place_text, require_settings, unreadable
from callscore.engines.tool_definitions import ToolDefinitions
from callscore.errors import InvalidCall, InvalidSettings, UnreadableInput
from callscore.formats.cases import NO_ID, join_case
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions
from callscore.hiding.redaction import Redaction
from callscore.sources import BadRecord

if TYPE_CHECKING:
    from callscore.core.case import Case
    from callscore.core.results import InputFiles, Result
    from callscore.engines.record_reading import Item
    from callscore.engines.splits import Split

    OpenFile = Callable[[str], AbstractContextManager[IO[bytes]]]

_ROWS_AT_ONCE = 512
_ROWS_PER_BATCH = 4096
_BYTES_PER_BATCH = 1 << 23  # of the large columns, which are text


class RowOptions(Struct, frozen=True, kw_only=True):
    """How rows are read and scored; it travels to the machines that do it.

    Attributes:
        settings: how calls are compared.
        fields: the paths of the fields of a case in a row: `{"id": "$.metadata.task_id"}`.
        format: the format of traces; recognized by default.
        read_options: which calls to read from a document with several choices.
        tools: the tool definitions, instead of those in the cases.
        columns: the large columns of the result.
        skips_bad: whether an unreadable row becomes a row of the result, instead of an error.
        redaction: what is hidden in `pairs` and cases beside secrets; None to hide nothing.
    """

    settings: Settings = DEFAULT
    fields: Mapping[str, str] | None = None
    format: str | None = None
    read_options: ReadOptions = DEFAULT_READ_OPTIONS
    tools: Any = None
    columns: RowColumns = RowColumns()
    skips_bad: bool = True
    redaction: Redaction | None = None


def row_options(  # noqa: PLR0913  (all are options)
    settings: Settings = DEFAULT,
    *,
    fields: Mapping[str, str] | None = None,
    format: str | None = None,  # noqa: A002  (as everywhere)
    read_options: ReadOptions = DEFAULT_READ_OPTIONS,
    tools: Any = None,
    pairs: bool = False,
    cases: Literal["none", "failing", "all"] = "none",
    skip_bad: bool = True,
) -> RowOptions:
    """Check the options of a user.

    Raises:
        InvalidSettings: a field, a path or a format is invalid, or the settings need a model.
        InvalidCall: the tool definitions cannot be read.
    """
    require_settings(settings)
    input_options_for(fields, format, read_options, top_k=settings.top_k)  # refuses invalid ones
    if cases not in ("none", "failing", "all"):
        raise InvalidSettings(f"cases: unknown value {cases!r}. Choose from: none, failing, all")
    return RowOptions(
        settings=settings,
        fields=None if fields is None else dict(fields),
        format=format,
        read_options=read_options,
        tools=ToolDefinitions(tools).of_run,
        columns=RowColumns(pairs=pairs, cases=cases),
        skips_bad=skip_bad,
    )


def score_batches(  # noqa: PLR0913  (all are options)
    data: Any,
    settings: Settings = DEFAULT,
    *,
    fields: Mapping[str, str] | None = None,
    format: str | None = None,  # noqa: A002  (as everywhere)
    read_options: ReadOptions = DEFAULT_READ_OPTIONS,
    tools: Any = None,
    pairs: bool = False,
    cases: Literal["none", "failing", "all"] = "none",
    skip_bad: bool = True,
) -> Any:
    """Score the cases in Arrow data, and return the result rows as a `pyarrow.RecordBatchReader`.

    The data is read and scored while the rows are taken, a batch at a time. `row_schema` describes
    the rows, and `results_of` adds them up.

    Args:
        data: a case per row: anything with `__arrow_c_stream__`, such as a pyarrow table or reader, a
            data frame of Polars or pandas 3, or a relation of DuckDB. The columns are the fields of a
            case: `id`, `expected`, `actual` and so on. A column holds calls, messages or a whole trace
            of any known format, as JSON text or as nested data. Without a column `actual`, one of
            the columns `trace`, `messages`, `response`, `output`, `transcript`, `spans` or `events`
            is taken.
        settings: how calls are compared.
        fields: the paths of the fields in a row: `{"id": "$.metadata.task_id"}`.
        format: the format of the traces; recognized by default.
        read_options: which calls to read from a document with several choices.
        tools: the tool definitions, in any form that `read_tools` accepts, instead of those in the
            rows.
        pairs: add the column `pairs`: the case as in the JSON report, with the aligned pairs.
        cases: add the column `case` with the case itself: of all cases, of the `failing` ones, or of
            `none`.
        skip_bad: whether an unreadable row becomes a row with the status `unreadable`. Otherwise it
            is an error.

    Raises:
        InvalidSettings: an option is invalid, or the data is not Arrow data.
        InvalidCall: the tool definitions cannot be read.
        UnreadableInput: while rows are taken, without `skip_bad`: a row cannot be read.
        MissingExtra: pyarrow is not installed.
    """
    arrow = require_pyarrow("Scoring Arrow data")
    options = row_options(
        settings,
        fields=fields,
        format=format,
        read_options=read_options,
        tools=tools,
        pairs=pairs,
        cases=cases,
        skip_bad=skip_bad,
    )
    batches = batches_of(data)
    scorer = RowScorer(options)
    return arrow.RecordBatchReader.from_batches(scorer.schema, score_rows(batches, options, scorer))


def score_rows(
    batches: Iterable[Any], options: RowOptions, scorer: RowScorer | None = None
) -> Iterator[Any]:
    """The result rows of record batches, in record batches."""
    scorer, reader = scorer or RowScorer(options), RecordReader(options, CASES)
    number = 0
    for batch in _small_batches(batches):
        with few_collections():
            for item in batch_items(batch, number, reader):
                scorer.take(item)
            number += batch.num_rows
            full = [*scorer.full_batches()]
        yield from full
    yield from scorer.rest()


def score_split(
    split: Split, reader: RecordReader, scorer: RowScorer, open_file: OpenFile | None = None
) -> Iterator[Any]:
    """The result rows of a split, in record batches: the same on every engine."""
    for item in split_items(split, reader, open_file):
        scorer.take(item)
        yield from scorer.full_batches()
    yield from scorer.rest()


def _small_batches(batches: Iterable[Any]) -> Iterator[Any]:
    """The same rows in small batches: as Python values they take many times the memory.

    Raises:
        InvalidSettings: two columns have the same name.
    """
    for batch in batches:
        _require_unique(batch.schema.names)
        for start in range(0, batch.num_rows, _ROWS_AT_ONCE):
            yield batch.slice(start, _ROWS_AT_ONCE)


def _require_unique(names: list[str]) -> None:
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidSettings(
            f"the data has more than one column {twice!r}. Rename or drop one of them"
        )


@contextmanager
def few_collections() -> Iterator[None]:
    """Look for cycles among objects less often: there are none in cases, and it took a third of the time."""
    before = gc.get_threshold()
    gc.set_threshold(max(before[0], 50_000), *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


_Place = tuple[str | None, int | None]


class RowScorer:
    """Reads and scores records one by one, and collects the result rows."""

    def __init__(
        self,
        options: RowOptions,
        *,
        references: Mapping[str, Case] | None = None,
        max_cases: int | None = None,
    ) -> None:
        self._options = options
        self._definitions = ToolDefinitions(options.tools)
        self._references = references
        self._builder = RowBuilder(
            options.columns,
            pairs_text=None if options.redaction is None else _hidden_pairs(options.redaction),
            max_cases=max_cases,
        )
        self.schema = self._builder.schema

    def take(self, item: Item) -> None:
        """Score what was found in a record; with references, a trace against that with its id.

        Raises:
            UnreadableInput: it cannot be read, and is not to be skipped.
        """
        found, source, offset, _ = item
        references = self._references
        if isinstance(found, BadRecord):
            self.refuse(found.problem, source, offset)
        elif references is None:
            self.take_case(found[1], source, offset)
        elif found[1].id == NO_ID:
            self.refuse(NO_JOIN, source, offset)
        elif found[1].id in references:
            self.take_case(join_case(references[found[1].id], found[1]), source, offset)
        else:
            self.take_unreferenced(found[1], source, offset)

    def take_case(self, case: Case, source: str | None = None, offset: int | None = None) -> None:
        """Score a case.

        Raises:
            UnreadableInput: it contradicts itself, and is not to be skipped.
            InvalidSettings: it does not fit the settings.
        """
        if case.expected is UNSET or case.actual is None:
            status: Any = "not_scored" if case.expected is UNSET else "no_answer"
            self._builder.add_unscored(case, status, source=source, offset=offset)
            return
        options = self._options
        try:
            tools = self._definitions.of(case.tools, place_text(source, offset))
            expected = (
                case.expected if isinstance(case.expected, tuple) else tuple(case.expected or ())
            )
            score = score_case(expected, case.actual, options.settings, tools, others=case.others)
        except UnreadableInput as error:
            self.refuse(error.problem, source, offset, case)
        except (OverBudget, InvalidCall) as error:
            self.refuse(f"case {case.id!r}: {error}", source, offset, case)
        except InvalidSettings as error:
            raise InvalidSettings(f"{place_text(source, offset)}: {error}") from error
        else:
            self._builder.add_score(case, score, source=source, offset=offset)

    def take_unreferenced(self, case: Case, source: str | None, offset: int | None) -> None:
        """Note a trace without a reference."""
        self._builder.add_unscored(case, "no_reference", source=source, offset=offset)

    def refuse(
        self, problem: str, source: str | None, offset: int | None, case: Case | None = None
    ) -> None:
        """Note a record that cannot be read, or a case that cannot be scored.

        Raises:
            UnreadableInput: it is not to be skipped.
        """
        if not self._options.skips_bad and problem != LOST_RECORD:
            raise unreadable(place_text(source, offset), problem)
        self._builder.add_unreadable(problem, case, source=source, offset=offset)

    def full_batches(self) -> Iterator[Any]:
        """The rows since the last batch, as soon as there are enough for one."""
        if len(self._builder) >= _ROWS_PER_BATCH or self._builder.size >= _BYTES_PER_BATCH:
            yield self._builder.batch()

    def rest(self) -> Iterator[Any]:
        """The rows since the last batch, if there are any."""
        if len(self._builder):
            yield self._builder.batch()


def _hidden_pairs(redaction: Redaction) -> Callable[[Result], str]:
    from callscore.hiding.hider import Hider
    from callscore.reports.score_json import jsonl_line

    hider = Hider(redaction, is_live=True)
    return lambda case: jsonl_line(case, hider).decode().rstrip("\n")


def formats_of(
    files: Iterable[str], references: Iterable[str], options: RowOptions
) -> tuple[InputFiles, ...]:
    """The formats of files whose records are read elsewhere, and of their references."""
    counter = InputCounter()
    known = list(references)
    for paths, part in ((known, REFERENCES), (files, TRACES if known else CASES)):
        first_formats(paths, part, RecordReader(options, part).inputs, counter)
    return counter.noted()


# --- two data sets, joined on the id --------------------------------------------------------------

REFERENCE, TRACE, UNREADABLE = 0, 1, 2


def side_schema() -> Any:
    """The Arrow schema of one side of cases: sorted by its first columns, equal ids are together."""
    arrow = require_pyarrow("Joining Arrow data")
    text = arrow.string()
    return arrow.schema(
        [
            ("id", text),
            ("side", arrow.int32()),
            ("source", text),
            ("order", arrow.int64()),
            ("offset", arrow.int64()),
            ("record", text),
        ]
    )


# The columns by which the rows of both sides are sorted: of the references with an id, the first counts.
SIDE_KEYS = ("id", "side", "source", "order", "offset", "record")


def side_rows(
    batches: Iterable[Any], options: RowOptions, side: Literal["expected", "actual"]
) -> Iterator[Any]:
    """The references, or the traces, of record batches: a row each, with its id, to be joined.

    Raises:
        UnreadableInput: a row cannot be read, and is not to be skipped.
    """
    reader = RecordReader(options, REFERENCES if side == "expected" else TRACES)
    number = 0

    def items() -> Iterator[Item]:
        nonlocal number
        for batch in _small_batches(batches):
            yield from batch_items(batch, number, reader)
            number += batch.num_rows

    return rows_of_side(items(), options, side)


def rows_of_side(
    items: Iterable[Item], options: RowOptions, side: Literal["expected", "actual"]
) -> Iterator[Any]:
    """The references, or the traces, that were found; errors as above."""
    arrow = require_pyarrow("Joining Arrow data")
    schema = side_schema()
    kind = REFERENCE if side == "expected" else TRACE
    rows: list[tuple[Any, ...]] = []
    size = 0
    for found, source, offset, order in items:
        row = _side_row(found, kind, options, order, (source, offset))
        rows.append(row)
        size += len(row[-1])
        if len(rows) >= _ROWS_PER_BATCH or size >= _BYTES_PER_BATCH:
            yield _side_batch(arrow, rows, schema)
            rows, size = [], 0
    if rows:
        yield _side_batch(arrow, rows, schema)


def _side_row(
    found: tuple[str, Case] | BadRecord,
    kind: int,
    options: RowOptions,
    order: int | None,
    place: _Place,
) -> tuple[str | None, int, str | None, int | None, int | None, str]:
    """One side of a case, or why there is none."""
    problem = ""
    if isinstance(found, BadRecord):
        problem = found.problem
    elif found[1].id == NO_ID:
        problem = NO_JOIN
    else:
        return found[1].id, kind, place[0], order, place[1], case_text(found[1])
    if not options.skips_bad:
        raise unreadable(place_text(*place), problem)
    return None, UNREADABLE, place[0], order, place[1], problem


def _side_batch(arrow: Any, rows: list[tuple[Any, ...]], schema: Any) -> Any:
    columns = zip(*rows, strict=True)
    arrays = [
        arrow.array(column, field.type) for column, field in zip(columns, schema, strict=True)
    ]
    return arrow.RecordBatch.from_arrays(arrays, schema=schema)


def joined_rows(batches: Iterable[Any], options: RowOptions) -> Iterator[Any]:
    """The result rows of both sides, given as `side_rows`, sorted by `SIDE_KEYS`.

    All rows with the same id must be in these batches, one after another. Of several references with
    the same id, the first counts, and the others are unreadable. A reference without a trace has no
    answer.
    """
    scorer = RowScorer(options)
    current = _Joining(scorer)
    for batch in batches:
        columns = [batch[name].to_pylist() for name in SIDE_KEYS]
        for name, side, source, _, offset, record in zip(*columns, strict=True):
            current.take(name, side, source, offset, record)
            yield from scorer.full_batches()
    current.finish()
    yield from scorer.rest()


class _Joining:
    """The reference of the id that is being read, and whether it has a trace."""

    def __init__(self, scorer: RowScorer) -> None:
        self._scorer = scorer
        self._id: str | None = None
        self._reference: Case | None = None
        self._place: _Place = (None, None)
        self._is_run = False

    def take(
        self, name: str | None, side: int, source: str | None, offset: int | None, record: str
    ) -> None:
        if side == UNREADABLE or name is None:
            self._scorer.refuse(record, source, offset)
            return
        if name != self._id:
            self.finish()
            self._id = name
        case = read_case_text(record)
        if side == TRACE:
            self._take_trace(case, source, offset)
        elif self._reference is None:
            self._reference, self._place = case, (source, offset)
        else:
            first = place_text(*self._place)
            problem = f"duplicate reference id {name!r}, first used at {first}. Keep one of them."
            self._scorer.refuse(problem, source, offset)

    def _take_trace(self, trace: Case, source: str | None, offset: int | None) -> None:
        if self._reference is None:
            self._scorer.take_unreferenced(trace, source, offset)
        else:
            self._is_run = True
            self._scorer.take_case(join_case(self._reference, trace), source, offset)

    def finish(self) -> None:
        """Note the last reference, if it has no trace."""
        if self._reference is not None and not self._is_run:
            case = join_case(self._reference, structs.replace(self._reference, actual=None))
            self._scorer.take_case(case, *self._place)
        self._id, self._reference, self._is_run = None, None, False
