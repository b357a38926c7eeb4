"""Scores Arrow data, row by row: what every engine runs on each of its machines.

Each row is read on its own, so that the result does not depend on how the rows are split.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

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
from callscore.engines.pool import LOST_RECORD
from callscore.engines.record_reading import RecordReader, batch_items, split_items
from callscore.engines.result_rows import (
    RowBuilder,
    RowStatus,
    require_pyarrow,
    row_schema,
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
    from callscore.core.results import InputFiles
    from callscore.engines.record_reading import Item, OpenFile
    from callscore.engines.splits import Split

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
        pairs: whether rows have the column `pairs`.
        cases: of which cases rows have the case itself.
        skip_bad: whether an unreadable row becomes a row of the result, instead of an error.
        redaction: what is hidden in `pairs` and cases beside secrets; None to hide nothing.

    Raises:
        InvalidSettings: a field, a path or a format is invalid, or the settings need a model.
        InvalidCall: the tool definitions cannot be read.
    """

    settings: Settings = DEFAULT
    fields: Mapping[str, str] | None = None
    format: str | None = None
    read_options: ReadOptions = DEFAULT_READ_OPTIONS
    tools: Any = None
    pairs: bool = False
    cases: Literal["none", "failing", "all"] = "none"
    skip_bad: bool = True
    redaction: Redaction | None = None

    def __post_init__(self) -> None:
        require_settings(self.settings)
        top_k = self.settings.top_k
        input_options_for(self.fields, self.format, self.read_options, top_k=top_k)  # refuses some
        if self.cases not in ("none", "failing", "all"):
            raise InvalidSettings(
                f"cases: unknown value {self.cases!r}. Choose from: none, failing, all"
            )
        structs.force_setattr(self, "tools", ToolDefinitions(self.tools).of_run)

    @property
    def schema(self) -> Any:
        """The schema of the rows."""
        return row_schema(pairs=self.pairs, cases=self.cases != "none")


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
    options = RowOptions(
        settings=settings,
        fields=fields,
        format=format,
        read_options=read_options,
        tools=tools,
        pairs=pairs,
        cases=cases,
        skip_bad=skip_bad,
    )
    items = batch_items(batches_of(data), RecordReader(options, CASES), numbered=True)
    scorer = RowScorer(options)
    return arrow.RecordBatchReader.from_batches(options.schema, score_items(items, scorer))


def score_split(
    split: Split, reader: RecordReader, scorer: RowScorer, open_file: OpenFile | None = None
) -> Iterator[Any]:
    """The result rows of a split, in record batches: the same on every engine."""
    return score_items(split_items(split, reader, open_file), scorer)


def score_items(items: Iterable[Item], scorer: RowScorer) -> Iterator[Any]:
    """The result rows of what was found, in record batches."""
    items = iter(items)
    while batch := scorer.next_batch(items):
        yield batch


@contextmanager
def few_collections() -> Iterator[None]:
    """Look for cycles among objects less often: there are none in cases, and it took a third of the time."""
    before = gc.get_threshold()
    gc.set_threshold(max(before[0], 50_000), *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


class RowScorer:
    """Scores what was found, one by one, and makes result rows of it.

    Args:
        options: how it is scored.
        references: what traces are compared with, by id; without them, cases have both sides.
        max_cases: the column `case` has at most this many cases; None for no limit.
        hides_cases: whether `options.redaction` is for the column `case`, too.
    """

    def __init__(
        self,
        options: RowOptions,
        *,
        references: Mapping[str, Case] | None = None,
        max_cases: int | None = None,
        hides_cases: bool = False,
    ) -> None:
        self._options = options
        self._definitions = ToolDefinitions(options.tools)
        self._references = references
        self._builder = RowBuilder(
            pairs=options.pairs,
            cases=options.cases,
            redaction=options.redaction,
            max_cases=max_cases,
            hides_cases=hides_cases,
        )

    def next_batch(self, items: Iterator[Item]) -> Any:
        """The rows of the next of these, as many as fit into a record batch; None if there are no more.

        Raises:
            UnreadableInput: one cannot be read, and is not to be skipped.
            InvalidSettings: a case does not fit the settings.
        """
        builder = self._builder
        with few_collections():
            for found, source, offset in items:
                if isinstance(found, BadRecord):
                    self._refuse(found.problem, source, offset)
                elif self._references is None:
                    self._take(found[1], source, offset)
                else:
                    self._take_trace(found[1], self._references, source, offset)
                if len(builder) >= _ROWS_PER_BATCH or builder.size >= _BYTES_PER_BATCH:
                    break
        return builder.batch() if len(builder) else None

    def _take_trace(
        self,
        trace: Case,
        references: Mapping[str, Case],
        source: str | None,
        offset: int | None,
    ) -> None:
        if trace.id == NO_ID:
            self._refuse(NO_JOIN, source, offset)
        elif trace.id in references:
            self._take(join_case(references[trace.id], trace), source, offset)
        else:
            self._builder.add_unscored(trace, "no_reference", source, offset)

    def _take(self, case: Case, source: str | None, offset: int | None) -> None:
        if case.expected is UNSET or case.actual is None:
            status: RowStatus = "not_scored" if case.expected is UNSET else "no_answer"
            self._builder.add_unscored(case, status, source, offset)
            return
        options = self._options
        try:
            tools = self._definitions.of(case.tools, place_text(source, offset))
            expected = (
                case.expected if isinstance(case.expected, tuple) else tuple(case.expected or ())
            )
            score = score_case(expected, case.actual, options.settings, tools, others=case.others)
        except UnreadableInput as error:
            self._refuse(error.problem, source, offset, case)
        except (OverBudget, InvalidCall) as error:
            self._refuse(f"case {case.id!r}: {error}", source, offset, case)
        except InvalidSettings as error:
            raise InvalidSettings(f"{place_text(source, offset)}: {error}") from error
        else:
            self._builder.add_score(case, score, source, offset)

    def _refuse(
        self, problem: str, source: str | None, offset: int | None, case: Case | None = None
    ) -> None:
        """Note a record that cannot be read, or a case that cannot be scored."""
        if not self._options.skip_bad and problem != LOST_RECORD:
            raise unreadable(place_text(source, offset), problem)
        self._builder.add_unreadable(problem, case, source, offset)


def formats_of(
    files: Iterable[str], references: Iterable[str], options: RowOptions
) -> tuple[InputFiles, ...]:
    """The formats of files whose records are read elsewhere, and of their references."""
    counter = InputCounter()
    known = list(references)
    for paths, part in ((known, REFERENCES), (files, TRACES if known else CASES)):
        first_formats(paths, part, RecordReader(options, part).inputs, counter)
    return counter.noted()
