"""The rows that engines write, one for each case: their Arrow schema, and what builds them.

A row holds all that a `Summary` counts, as integers. The totals of any number of rows, from any
number of machines, are therefore those of one machine that scores all cases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any, Literal

import msgspec
from msgspec import UNSET, Struct

from callscore.core.call import Tool, ToolCall
from callscore.core.case import Case, Origin
from callscore.core.results import Result
from callscore.core.score import (
    Fault,
    Score,
    count_faulty_calls,
    has_no_counted_calls,
    is_passing,
    outcome_f1,
    outcome_of,
    total_calls,
    turn_count,
)
from callscore.core.summary import Summary, tool_outcomes
from callscore.engines.payloads import case_payload
from callscore.errors import InvalidCall, MissingExtra
from callscore.history.saved_scores import calls_payload
from callscore.reports.html.case_view import problems_of
from callscore.words.value_text import json_safe

ROW_VERSION = 3
VERSION_KEY = b"callscore.rows"

# `scored`; `no_answer`: expected, but without actual calls, it counts as 0; `not_scored`: nothing is
# expected; `no_reference`: of two data sets, only that with the traces has the case; `unreadable`: the
# record, which `problem` is about.
RowStatus = Literal["scored", "no_answer", "not_scored", "no_reference", "unreadable"]

CALL_COUNTS = ("correct", "incorrect", "missed", "extra", "expected", "actual", "forbidden")
TOOL_COUNTS = ("correct", "incorrect", "missed", "extra", "forbidden", "free", "assumed")
_NOT_MARKED = [0] * len(TOOL_COUNTS)


def require_pyarrow(purpose: str, extra: str = "parquet") -> Any:
    """The module `pyarrow`.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        import pyarrow as pa
    except ImportError:
        raise MissingExtra(purpose, extra) from None
    return pa


class RowColumns(Struct, frozen=True, gc=False):
    """Which of the large columns a row has.

    Attributes:
        pairs: the case as in the JSON report, with the aligned pairs and their differences.
        cases: of which cases the row has the case itself: `none`, `failing` or `all`.
    """

    pairs: bool = False
    cases: Literal["none", "failing", "all"] = "none"


DEFAULT_COLUMNS = RowColumns()


def row_schema(columns: RowColumns = DEFAULT_COLUMNS) -> Any:
    """The Arrow schema of the rows; its metadata has the version of the schema."""
    arrow = require_pyarrow("Writing result rows")
    text, whole, real = arrow.string(), arrow.int64(), arrow.float64()

    def items(**fields: Any) -> Any:
        return arrow.list_(arrow.struct([*fields.items()]))

    fields = [
        ("id", text),
        ("trial", text),
        ("tags", arrow.list_(text)),
        ("status", text),
        *[(count, whole) for count in CALL_COUNTS],
        ("precision", real),
        ("recall", real),
        ("f1", real),
        ("passed", arrow.bool_()),
        ("failures", arrow.list_(text)),
        ("tools", items(tool=text, **dict.fromkeys(TOOL_COUNTS, whole))),
        ("wrong_arguments", items(tool=text, argument=text, calls=whole)),
        ("confusion", items(expected=text, actual=text, calls=whole)),
        ("faults", items(tool=text, kind=text, calls=whole)),
        ("checked_calls", whole),
        ("valid_calls", whole),
        ("is_uncounted", arrow.bool_()),
        ("is_exact", arrow.bool_()),
        ("turns", whole),
        ("first_wrong_turn", whole),
        ("source", text),
        ("offset", whole),
        ("problem", text),
    ]
    if columns.pairs:
        fields.append(("pairs", text))
    if columns.cases != "none":
        fields.append(("case", text))
    return arrow.schema(fields, metadata={VERSION_KEY: str(ROW_VERSION).encode()})


def failure_classes(score: Score) -> list[str]:
    """Why a case lost points: the classes by which the HTML report sorts cases, worst first."""
    return list(dict.fromkeys([problem.kind for problem in problems_of(score, "en")]))


def case_text(case: Case) -> str:
    """A case as JSON, from which `read_case_text` makes the same case."""
    record = {"id": case.id, "trial": case.trial, **case_payload(case)}
    if _are_of_trace(case.tools):
        record["trace_tools"] = record.pop("tools")
    if case.actual is not None:
        record["actual"] = calls_payload(case.actual)
    if case.others:
        record["others"] = [calls_payload(calls) for calls in case.others]
    if case.unread is not None:
        record["unread"] = case.unread
    try:
        return msgspec.json.encode(record).decode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return msgspec.json.encode(json_safe(record, exact=True)).decode()


def read_case_text(text: str) -> Case:
    """The case of a text that `case_text` wrote.

    Raises:
        InvalidCall: it is another text.
    """
    from callscore.formats.case_sides import read_expected_side

    try:
        record = msgspec.json.decode(text, type=_CaseRecord)
    except msgspec.MsgspecError as error:
        raise InvalidCall(f"the column 'case' does not have a case ({error})") from error
    expected = record.expected
    return Case(
        record.input,
        id=record.id,
        trial=record.trial,
        expected=UNSET
        if expected is None
        else read_expected_side(expected, where=f"case {record.id}", spelled=True),
        actual=None if record.actual is None else tuple(record.actual),
        others=tuple([tuple(calls) for calls in record.others]),
        tools=record.tools if record.trace_tools is None else record.trace_tools,
        tags=tuple(record.tags),
        metadata=record.metadata,
        unread=record.unread,
        origin=record.origin,
    )


def _are_of_trace(tools: Any) -> bool:
    is_list = isinstance(tools, list) and bool(tools)
    return is_list and all(isinstance(each, Tool) for each in tools)


class _CaseRecord(Struct, frozen=True, gc=False):
    id: str
    trial: int | str | None = None
    input: Any = None
    expected: list[Any] | None = None
    actual: list[ToolCall] | None = None
    others: list[list[ToolCall]] = []
    tools: Any = None  # as in the case file, in any form
    trace_tools: list[Tool] | None = None  # those of a trace may have unusable schemas
    tags: list[str] = []
    metadata: Any = None
    unread: str | None = None
    origin: Origin | None = None


class RowBuilder:
    """Collects rows, column by column, and makes Arrow record batches of them.

    Args:
        columns: which large columns the rows have.
        pairs_text: writes the pairs of a case as JSON; by default as in the JSON report, with the
            real values.
        max_cases: the column `case` has at most this many cases; None for no limit.
    """

    def __init__(
        self,
        columns: RowColumns = DEFAULT_COLUMNS,
        *,
        pairs_text: Callable[[Result], str] | None = None,
        max_cases: int | None = None,
    ) -> None:
        self._columns = columns
        self._cases_left = max_cases
        self._pairs_text = pairs_text or _pairs_text
        self.schema = row_schema(columns)
        self._has_large = columns.pairs or columns.cases != "none"
        # What follows from the counts of a case; many cases have the same.
        self._numbers: dict[tuple[int, ...], tuple[Any, ...]] = {}
        self._begin()

    def _begin(self) -> None:
        self.size = 0  # characters in the large columns
        self._rows: list[tuple[Any, ...]] = []
        self._tags: list[Sequence[str]] = []
        self._failures: list[Sequence[str]] = []
        self._tools: list[Sequence[tuple[Any, ...]]] = []
        self._arguments: list[Sequence[tuple[Any, ...]]] = []
        self._confusion: list[Sequence[tuple[Any, ...]]] = []
        self._faults: list[Sequence[tuple[Any, ...]]] = []

    def __len__(self) -> int:
        """The number of rows that are not in a batch yet."""
        return len(self._rows)

    def add_score(
        self, case: Case, score: Score, *, source: str | None = None, offset: int | None = None
    ) -> None:
        """Add the row of a scored case."""
        correct, expected, actual, forbidden = outcome_of(score)
        incorrect, faults = len(score.incorrect), score.faults
        extra = len(score.actual) - correct - incorrect
        outcome = (correct, incorrect, extra, expected, actual, forbidden)
        numbers = self._numbers.get(outcome)
        if numbers is None:
            if len(self._numbers) == _MAX_KNOWN:
                self._numbers.clear()
            numbers = self._numbers[outcome] = _numbers_of(outcome, score.settings.pass_mark)
        is_flawless = correct == expected == actual and not faults
        counted = _NOTHING
        if not is_flawless:
            counted = Summary()
            counted.add(score)
        tools = tool_outcomes(score) if is_flawless else counted.tool_outcomes
        self._tools.append(
            [(name, *counts, *_NOT_MARKED[len(counts) :]) for name, counts in tools.items()]
        )
        self._arguments.append(_counted(counted.wrong_arguments))
        self._confusion.append(_counted(counted.confusion))
        self._faults.append(_counted(counted.faults))
        self._failures.append(() if is_flawless else failure_classes(score))
        self._tags.append(_texts(case.tags))
        large = self._large(case, score, passed=numbers[-1]) if self._has_large else ()
        self._rows.append(
            (
                *_names(case),
                *numbers,
                *(_NOT_CHECKED if faults is None else _checked(score, faults)),
                has_no_counted_calls(score),
                score.is_exact,
                *(_NO_TURNS if score.expectation is None else _turns_of(score)),
                source,
                offset,
                case.unread and _text(case.unread),
                *large,
            )
        )

    def _large(self, case: Case, score: Score, *, passed: bool) -> tuple[str | None, ...]:
        """The values of the large columns."""
        found: list[str | None] = []
        columns = self._columns
        if columns.pairs:
            found.append(self._pairs_text(Result(case=case, score=score)))
        if columns.cases != "none":
            found.append(self._case_text(case, is_wanted=columns.cases == "all" or not passed))
        self.size += sum([len(text) for text in found if text])
        return tuple(found)

    def _case_text(self, case: Case, *, is_wanted: bool) -> str | None:
        if not is_wanted or self._cases_left == 0:
            return None
        if self._cases_left is not None:
            self._cases_left -= 1
        return case_text(case)

    def add_unscored(
        self,
        case: Case,
        status: RowStatus,
        *,
        source: str | None = None,
        offset: int | None = None,
    ) -> None:
        """Add the row of a case without a score: nothing is expected, or there is no answer."""
        is_unanswered = status == "no_answer"
        cases = self._columns.cases
        is_kept = cases == "all" or (is_unanswered and cases == "failing")
        self._add_empty(
            (*_names(case), status),
            score=0.0 if is_unanswered else None,
            place=(source, offset, case.unread and _text(case.unread)),
            case=case_text(case) if is_kept and self._cases_left is None else None,
            tags=_texts(case.tags),
            failures=("error",) if is_unanswered else (),
        )

    def add_unreadable(
        self,
        problem: str,
        case: Case | None = None,
        *,
        source: str | None = None,
        offset: int | None = None,
    ) -> None:
        """Add the row of a record that cannot be read, or of a case that cannot be scored."""
        names = (None, None) if case is None else _names(case)
        place = (source, offset, _text(problem))
        self._add_empty((*names, "unreadable"), score=None, place=place)

    def _add_empty(  # noqa: PLR0913  (the columns of a row)
        self,
        names: tuple[Any, ...],
        *,
        score: float | None,
        place: tuple[Any, ...],
        case: str | None = None,
        tags: Sequence[str] = (),
        failures: Sequence[str] = (),
    ) -> None:
        passed = None if score is None else False
        rates = (score, score, score, passed)
        counts = [None] * len(CALL_COUNTS)
        large = [None] * self._columns.pairs + [case] * (self._columns.cases != "none")
        self._rows.append((*names, *counts, *rates, *[None] * 6, *place, *large))
        self._tags.append(tags)
        self._failures.append(failures)
        for column in (self._tools, self._arguments, self._confusion, self._faults):
            column.append(())

    def batch(self) -> Any:
        """The rows since the last batch, as an Arrow record batch."""
        arrow = require_pyarrow("Writing result rows")
        plain = list(zip(*self._rows, strict=True)) if self._rows else [()] * (_PLAIN + self._width)
        lists: dict[str, Sequence[Sequence[Any]]] = {
            "tags": self._tags,
            "failures": self._failures,
            "tools": self._tools,
            "wrong_arguments": self._arguments,
            "confusion": self._confusion,
            "faults": self._faults,
        }
        columns = iter(plain)
        arrays = [
            _list_array(arrow, lists[field.name], field.type)
            if field.name in lists
            else arrow.array(next(columns), field.type)
            for field in self.schema
        ]
        self._begin()
        return arrow.RecordBatch.from_arrays(arrays, schema=self.schema)

    @property
    def _width(self) -> int:
        return self._columns.pairs + (self._columns.cases != "none")


_PLAIN = 23  # columns that hold no lists, without the large ones


def _names(case: Case) -> tuple[str, str | None]:
    return _text(case.id), None if case.trial is None else _text(str(case.trial))


def _text(text: str) -> str:
    """The text as Arrow takes it: half of a surrogate pair is escaped."""
    if text.isascii():
        return text
    return text.encode("utf-8", "backslashreplace").decode()


def _texts(texts: Sequence[str]) -> Sequence[str]:
    return [_text(text) for text in texts] if texts else ()


_NOTHING = Summary()
_NOT_CHECKED = (None, None)
_NO_TURNS = (None, None)
_MAX_KNOWN = 4096  # different counts of cases


def _checked(score: Score, faults: Sequence[Fault]) -> tuple[int, int]:
    """How many calls of a case were checked by the schemas of their tools, and how many are valid."""
    checked = total_calls("actual", score.actual, score.ignored)
    return checked, checked - count_faulty_calls(faults)


def _turns_of(score: Score) -> tuple[int | None, int | None]:
    """How many turns were scored, and which is the first that did not pass."""
    return turn_count(score), score.first_wrong_turn


def _numbers_of(outcome: tuple[int, int, int, int, int, int], pass_mark: float) -> tuple[Any, ...]:
    """The columns from `status` to `passed` of a scored case."""
    correct, incorrect, extra, expected, actual, forbidden = outcome
    missed = expected - correct - incorrect
    counted = (correct, expected, actual, forbidden)
    counts = (correct, incorrect, missed, extra, expected, actual, forbidden)
    rates = (
        correct / actual if actual else 1.0,
        correct / expected if expected else 1.0,
        outcome_f1(counted),
        is_passing(counted, pass_mark),
    )
    return ("scored", *counts, *rates)


def _counted(counts: Mapping[Any, int]) -> Sequence[tuple[Any, ...]]:
    return [(*key, times) for key, times in counts.items()] if counts else ()


def _list_array(arrow: Any, rows: Sequence[Sequence[Any]], kind: Any) -> Any:
    """A column of lists, made of its flat columns: many times as fast as from nested values."""
    offsets = arrow.array([0, *accumulate(map(len, rows))], arrow.int32())
    flat = [item for row in rows for item in row]
    if not arrow.types.is_struct(kind.value_type):
        return arrow.ListArray.from_arrays(offsets, arrow.array(flat, kind.value_type))
    fields = list(kind.value_type)
    columns: Iterator[Any] = zip(*flat, strict=True) if flat else iter([()] * len(fields))
    arrays = [
        arrow.array(_texts_of(column) if arrow.types.is_string(field.type) else column, field.type)
        for field, column in zip(fields, columns, strict=True)
    ]
    return arrow.ListArray.from_arrays(
        offsets, arrow.StructArray.from_arrays(arrays, fields=fields)
    )


def _texts_of(column: Sequence[str | None]) -> Sequence[str | None]:
    return [None if text is None else _text(text) for text in column]


def _pairs_text(case: Result) -> str:
    from callscore.words.case_json import case_to_json

    return case_to_json(case).decode()
