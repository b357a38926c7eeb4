"""The rows that engines write, one for each case: their Arrow schema, and what builds them.

A row holds all that a `Summary` counts, as integers. The totals of any number of rows, from any
number of machines, are therefore those of one machine that scores all cases.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec import UNSET, Struct

from callscore.core.call import Tool, ToolCall
from callscore.core.case import Case, Origin
from callscore.core.large_number import decode_json, encode_large
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
from callscore.hiding.hider import Hider
from callscore.history.saved_scores import calls_payload
from callscore.reports.html.case_view import problems_of
from callscore.words.value_text import json_safe

if TYPE_CHECKING:
    from callscore.hiding.redaction import Redaction

ROW_VERSION = 3
VERSION_KEY = b"callscore.rows"

# `scored`; `no_answer`: expected, but without actual calls, it counts as 0; `not_scored`: nothing is
# expected; `no_reference`: of two data sets, only that with the traces has the case; `unreadable`: the
# record, which `problem` is about.
RowStatus = Literal["scored", "no_answer", "not_scored", "no_reference", "unreadable"]

CALL_COUNTS = ("correct", "incorrect", "missed", "extra", "expected", "actual", "forbidden")
TOOL_COUNTS = ("correct", "incorrect", "missed", "extra", "forbidden", "free", "assumed")
_NOT_MARKED = [0] * len(TOOL_COUNTS)
_MAX_KNOWN = 4096  # different counts of cases


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


def row_schema(*, pairs: bool = False, cases: bool = False) -> Any:
    """The Arrow schema of the rows; its metadata has the version of the schema.

    Args:
        pairs: whether rows have the case as in the JSON report, with the aligned pairs and their differences.
        cases: whether rows have the case itself.
    """
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
    if pairs:
        fields.append(("pairs", text))
    if cases:
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
        return msgspec.json.encode(record, enc_hook=encode_large).decode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return msgspec.json.encode(json_safe(record, exact=True), enc_hook=encode_large).decode()


def read_case_text(text: str) -> Case:
    """The case of a text that `case_text` wrote.

    Raises:
        InvalidCall: it is another text.
    """
    from callscore.formats.case_sides import read_expected_side

    try:
        try:
            record = msgspec.json.decode(text, type=_CaseRecord)
        except msgspec.ValidationError:  # numbers that are out of range of the decoder, at least
            record = msgspec.convert(decode_json(text), _CaseRecord)
    except (msgspec.MsgspecError, ValueError) as error:
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
    """Collects rows, and makes Arrow record batches of them.

    Args:
        pairs: whether rows have the column `pairs`.
        cases: of which cases rows have the case itself.
        redaction: what is hidden in `pairs` beside secrets; None to hide nothing.
        max_cases: the column `case` has at most this many cases; None for no limit.
        hides_cases: whether the same is hidden in the column `case`.

    Attributes:
        schema: that of the record batches.
        size: how many characters there are in the large columns of the rows that are not in a batch yet.
    """

    def __init__(
        self,
        *,
        pairs: bool = False,
        cases: Literal["none", "failing", "all"] = "none",
        redaction: Redaction | None = None,
        max_cases: int | None = None,
        hides_cases: bool = False,
    ) -> None:
        self.schema = row_schema(pairs=pairs, cases=cases != "none")
        self.size = 0
        self._has_pairs = pairs
        self._cases = cases
        self._cases_left = max_cases
        self._hider = None if redaction is None else Hider(redaction, is_live=True)
        self._hides_cases = hides_cases
        self._rows: list[tuple[Any, ...]] = []
        self._large = [name for name in ("pairs", "case") if name in self.schema.names]
        # What follows from the counts of a case; many cases have the same.
        self._numbers: dict[tuple[int, ...], tuple[Any, ...]] = {}

    def __len__(self) -> int:
        """The number of rows that are not in a batch yet."""
        return len(self._rows)

    def add_score(
        self, case: Case, score: Score, source: str | None = None, offset: int | None = None
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
        large: dict[str, Any] = {}
        if self._has_pairs:
            large["pairs"] = self._pairs_text(case, score)
            self.size += len(large["pairs"])
        if self._cases_left != 0 and self._keeps(is_failing=not numbers[-1]):
            large["case"] = self._case_text(case)
            self._cases_left = None if self._cases_left is None else self._cases_left - 1
        # In the order of the schema: a dictionary of the columns would take half as long again.
        self._rows.append(
            (
                case.id,
                None if case.trial is None else str(case.trial),
                case.tags,
                *numbers,
                *_lists_of(score, is_flawless=is_flawless),
                *(_NOT_CHECKED if faults is None else _checked(score, faults)),
                has_no_counted_calls(score),
                score.is_exact,
                *(_NO_TURNS if score.expectation is None else _turns_of(score)),
                source,
                offset,
                case.unread,
                *[large.get(name) for name in self._large],
            )
        )

    def _pairs_text(self, case: Case, score: Score) -> str:
        shown = Result(case=case, score=score)
        if self._hider is not None:
            from callscore.reports.score_json import jsonl_line

            return jsonl_line(shown, self._hider).decode().rstrip("\n")
        from callscore.words.case_json import case_to_json

        return case_to_json(shown).decode()

    def _keeps(self, *, is_failing: bool) -> bool:
        return self._cases == "all" or (is_failing and self._cases == "failing")

    def _case_text(self, case: Case) -> str:
        text = case_text(case)
        hider = self._hider if self._hides_cases else None
        if hider is not None and hider.occurs_in(text):
            hidden = hider.data(decode_json(text))
            text = msgspec.json.encode(hidden, enc_hook=encode_large).decode()
        self.size += len(text)
        return text

    def add_unscored(
        self,
        case: Case,
        status: RowStatus,
        source: str | None = None,
        offset: int | None = None,
    ) -> None:
        """Add the row of a case without a score: nothing is expected, or there is no answer."""
        columns: dict[str, Any] = {}
        if status == "no_answer":
            columns = {
                "precision": 0.0,
                "recall": 0.0,
                "f1": 0.0,
                "passed": False,
                "failures": ["error"],
            }
        if self._cases_left is None and self._keeps(is_failing=status == "no_answer"):
            columns["case"] = self._case_text(case)
        self._add(
            case,
            status=status,
            source=source,
            offset=offset,
            problem=case.unread,
            tags=case.tags,
            **columns,
        )

    def add_unreadable(
        self,
        problem: str,
        case: Case | None = None,
        source: str | None = None,
        offset: int | None = None,
    ) -> None:
        """Add the row of a record that cannot be read, or of a case that cannot be scored."""
        self._add(case, status="unreadable", source=source, offset=offset, problem=problem)

    def _add(self, case: Case | None, /, **columns: Any) -> None:
        """Add a row of which all other columns are null."""
        if case is not None:
            columns["id"] = case.id
            columns["trial"] = None if case.trial is None else str(case.trial)
        self._rows.append(tuple([columns.get(name) for name in self.schema.names]))

    def batch(self) -> Any:
        """The rows since the last batch, as an Arrow record batch."""
        columns = [*zip(*self._rows, strict=True)] or [()] * len(self.schema)
        arrays = [
            _array(column, field.type) for column, field in zip(columns, self.schema, strict=True)
        ]
        self._rows, self.size = [], 0
        arrow = require_pyarrow("Writing result rows")
        return arrow.RecordBatch.from_arrays(arrays, schema=self.schema)


_NOTHING = ((),) * 3
_NOT_CHECKED = _NO_TURNS = (None, None)


def _lists_of(score: Score, *, is_flawless: bool) -> tuple[Any, ...]:
    """The columns from `failures` to `faults`."""
    if is_flawless:
        return (), _tools(tool_outcomes(score)), *_NOTHING
    counted = Summary()
    counted.add(score)
    counts = counted.wrong_arguments, counted.confusion, counted.faults
    return (
        failure_classes(score),
        _tools(counted.tool_outcomes),
        *[[(*key, times) for key, times in found.items()] for found in counts],
    )


def _tools(outcomes: Mapping[str, Sequence[int]]) -> list[tuple[Any, ...]]:
    return [(name, *counts, *_NOT_MARKED[len(counts) :]) for name, counts in outcomes.items()]


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
    counted = (correct, expected, actual, forbidden)
    missed = expected - correct - incorrect
    precision = correct / actual if actual else 1.0
    recall = correct / expected if expected else 1.0
    counts = (correct, incorrect, missed, extra, expected, actual, forbidden)
    rates = (precision, recall, outcome_f1(counted), is_passing(counted, pass_mark))
    return ("scored", *counts, *rates)


def _array(values: Sequence[Any], kind: Any) -> Any:
    """A column; one of lists is made of its flat columns, many times as fast as from nested values."""
    arrow = require_pyarrow("Writing result rows")
    if arrow.types.is_list(kind):
        offsets = arrow.array(
            [0, *accumulate([len(row) if row else 0 for row in values])], arrow.int32()
        )
        flat = [item for row in values if row for item in row]
        return arrow.ListArray.from_arrays(offsets, _array(flat, kind.value_type))
    if arrow.types.is_struct(kind):
        fields = [*kind]
        columns = [*zip(*values, strict=True)] or [()] * len(fields)
        arrays = [_array(column, field.type) for field, column in zip(fields, columns, strict=True)]
        return arrow.StructArray.from_arrays(arrays, fields=fields)
    try:
        return arrow.array(values, kind)
    except UnicodeEncodeError:  # half of a surrogate pair, which Arrow does not take
        texts = [text and text.encode("utf-8", "backslashreplace").decode() for text in values]
        return arrow.array(texts, kind)
