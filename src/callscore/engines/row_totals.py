"""Adds result rows up: to `Totals`, which merge exactly, and to the `Results` that reports show."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import msgspec
from msgspec import UNSET, Struct, field, structs

from callscore.core.case import Case
from callscore.core.results import Failure, Noted, Result, Results
from callscore.core.score import UNANSWERED, is_passing
from callscore.core.settings import DEFAULT, Settings
from callscore.core.summary import Summary, add_counts
from callscore.core.totals import MOST_NAMES, Totals
from callscore.engines.result_rows import (
    ROW_VERSION,
    TOOL_COUNTS,
    VERSION_KEY,
    RowStatus,
    read_case_text,
    require_pyarrow,
    row_schema,
)
from callscore.engines.tool_definitions import ToolDefinitions
from callscore.errors import InvalidSettings, UnreadableInput
from callscore.formats.cases import CONTENT_ID_PREFIX

_NOT_COUNTED = ("tags", "incorrect", "missed", "extra", "precision", "recall", "f1", "failures")
NO_ANSWER = "there is no answer for this case"

# The id, trial, file and offset of a case that failed, by which it is sorted, and the case.
_Shown = tuple[str, str, str, int, str]


# --- rows to totals -------------------------------------------------------------------------------


def batches_of(rows: Any) -> Iterator[Any]:
    """The record batches of anything with `__arrow_c_stream__`, such as a table or a data frame.

    Raises:
        InvalidSettings: it has no such method.
        MissingExtra: pyarrow is not installed.
    """
    arrow = require_pyarrow("Reading Arrow data")
    if not hasattr(rows, "__arrow_c_stream__"):
        raise InvalidSettings(
            f"expected Arrow data, an object with __arrow_c_stream__; got {type(rows).__name__}."
            " Pass a pyarrow table, a data frame of Polars or pandas 3, or a relation of DuckDB"
        )
    # A reader is read as it is: through its stream, errors of callscore would be errors of Arrow.
    is_reader = isinstance(rows, arrow.RecordBatchReader)
    return iter(rows if is_reader else arrow.RecordBatchReader.from_stream(rows))


def counted_schema() -> Any:
    """The columns of result rows that are counted."""
    arrow = require_pyarrow("Reading Arrow data")
    return arrow.schema([field for field in row_schema() if field.name not in _NOT_COUNTED])


def _totals_of_batch(batch: Any, settings: Settings, *, by_name: bool) -> Totals:
    """The totals of the rows of one record batch, with the first names of each kind of note.

    `by_name` takes those that sort first.

    Raises:
        InvalidSettings: they are not result rows, or of other settings.
    """
    rows = _as_rows(batch)
    summary = Summary(pass_mark=settings.pass_mark)
    _add_outcomes(rows, summary)
    _add_lists(rows, summary)
    _add_trials(rows, summary)
    totals = Totals.of(settings)
    totals.add_summary(summary)
    _note_others(rows, totals, by_name=by_name)
    totals.answered += totals.not_scored.count
    totals.undecided += totals.not_scored.count
    return totals


def _as_rows(batch: Any) -> Any:
    """The columns that are counted, in the types of result rows: other libraries have types of their own."""
    arrow = require_pyarrow("Reading Arrow data")
    version = (batch.schema.metadata or {}).get(VERSION_KEY)
    if version is not None and version != str(ROW_VERSION).encode():
        raise InvalidSettings(
            f"the result rows have version {version.decode(errors='replace')}, this version of"
            f" callscore reads {ROW_VERSION}. Score the data again"
        )
    schema = counted_schema()
    for name in schema.names:
        if name not in batch.schema.names:
            raise InvalidSettings(
                f"these are not result rows: the column {name!r} is missing. Pass the rows that"
                " score_batches returns"
            )
    try:
        return arrow.Table.from_batches([batch]).select(schema.names).cast(schema)
    except (arrow.ArrowInvalid, arrow.ArrowNotImplementedError) as error:
        raise InvalidSettings(
            f"these are not result rows: a column has another type ({error}). Pass the rows that"
            " score_batches returns"
        ) from error


def _grouped(rows: Any, keys: Sequence[str], sums: Sequence[str] = ()) -> list[tuple[Any, ...]]:
    """The different values of some columns, with the sums of others, or how often they occur."""
    if not rows.num_rows:
        return []
    wanted: list[Any] = [(name, "sum") for name in sums] or [([], "count_all")]
    found = rows.group_by([*keys], use_threads=False).aggregate(wanted)
    names = [*keys, *([f"{name}_sum" for name in sums] or ["count_all"])]
    return list(zip(*[found[name].to_pylist() for name in names], strict=True))


def _add_outcomes(rows: Any, summary: Summary) -> None:
    """Count the cases with each outcome, and with each first turn that did not pass.

    Raises:
        InvalidSettings: the rows were scored with another pass mark.
    """
    keys = ("status", "passed", "is_exact", "correct", "expected", "actual", "forbidden")
    for status, passed, is_exact, correct, expected, actual, forbidden, times in _grouped(
        rows, keys
    ):
        found = correct, expected, actual, forbidden
        if status == "no_answer":
            add_counts(summary.outcomes, {UNANSWERED: times})
        elif status == "scored":
            if is_passing(found, summary.pass_mark) is not passed:
                raise InvalidSettings(
                    "the rows were scored with another 'pass_mark'. Pass the settings with which"
                    " they were scored"
                )
            add_counts(summary.outcomes, {found: times})
            if correct == expected == actual and not is_exact:
                summary.differing_cases += times
    if rows["turns"].null_count < rows.num_rows:
        for turns, first_wrong, times in _grouped(rows, ("turns", "first_wrong_turn")):
            summary.add_turns(turns, first_wrong, times)


def _add_lists(rows: Any, summary: Summary) -> None:
    """Add the counts of tools, arguments and pairs of tools, and those of the schemas."""
    from pyarrow import Table, compute

    tools = Table.from_struct_array(rows["tools"].combine_chunks().flatten())
    for name, *counts in _grouped(tools, ["tool"], TOOL_COUNTS):
        summary.tool(name).add(tuple(counts))
    for column in ("wrong_arguments", "confusion", "faults"):
        table = Table.from_struct_array(rows[column].combine_chunks().flatten())
        for *key, calls in _grouped(table, table.schema.names[:-1], ["calls"]):
            add_counts(getattr(summary, column), {tuple(key): calls})
    summary.checked_cases += rows.num_rows - rows["checked_calls"].null_count
    summary.checked_calls += compute.sum(rows["checked_calls"]).as_py() or 0
    summary.valid_calls += compute.sum(rows["valid_calls"]).as_py() or 0
    summary.uncounted_cases += compute.sum(rows["is_uncounted"]).as_py() or 0


def _add_trials(rows: Any, summary: Summary) -> None:
    """Count the outcomes of the cases that say which trial they are."""
    found = rows.filter(rows["trial"].is_valid())
    names = ["id", "status", "correct", "expected", "actual", "forbidden"]
    for case, status, *outcome in zip(*[found[name].to_pylist() for name in names], strict=True):
        if status in ("scored", "no_answer"):
            correct, expected, actual, forbidden = outcome
            is_scored = status == "scored"
            summary.add_trial(
                case, (correct, expected, actual, forbidden) if is_scored else UNANSWERED
            )


# Where the rows of each status without a score are counted.
_NOTES: tuple[tuple[RowStatus, str], ...] = (
    ("not_scored", "not_scored"),
    ("no_answer", "not_run"),
    ("no_reference", "without_reference"),
    ("unreadable", "skipped"),
)


def _note_others(rows: Any, totals: Totals, *, by_name: bool) -> None:
    """Note the rows without a score: how many there are, and the first of them."""
    from pyarrow import compute

    status = rows["status"]
    masks = {name: compute.equal(status, kind) for kind, name in _NOTES}
    masks["unread"] = compute.and_(rows["problem"].is_valid(), compute.invert(masks["skipped"]))
    for note, mask in masks.items():
        found = rows.filter(mask)
        if found.num_rows:
            names = tuple(_names_of(found if by_name else found.slice(0, MOST_NAMES)))
            getattr(totals, note).add_noted(Noted(found.num_rows, names), by_name=by_name)


def _names_of(rows: Any) -> Iterator[str]:
    """The names of cases without a score, and the places and problems of unreadable records."""
    names = [rows[name].to_pylist() for name in ("id", "source", "offset", "problem")]
    for case, source, offset, problem in zip(*names, strict=True):
        place = place_text(source, offset)
        is_placed = source is not None or offset is not None
        if problem is not None:
            yield f"{place}: {problem}"
        elif case is None or (is_placed and case.startswith(CONTENT_ID_PREFIX)):
            yield place  # it says more than an id that was made of the content of the case
        else:
            yield case


def place_text(source: str | None, offset: int | None) -> str:
    """Where a record is, for messages: the file, and the number of bytes or rows before it."""
    where = source or "data"
    return where if offset is None else f"{where}@{offset}"


class RowRun(Struct, frozen=True, kw_only=True):
    """The outcome of a large run.

    Attributes:
        results: the totals, and the failing cases to show.
        rows: the number of rows.
        lost: the places of splits that could not be scored.
        deaths: how many processes were killed, and replaced.
        resumed: how many splits were done before, by a run that this one continues.
        failing: yields the failing cases and those without an answer, or all cases, if they were kept;
            then call `close`.
        close: removes what is not needed any more.
    """

    results: Results
    rows: int
    lost: tuple[str, ...] = ()
    deaths: int = 0
    resumed: int = 0
    failing: Callable[[], Iterator[Case]] = lambda: iter(())
    close: Callable[[], None] = lambda: None


class RowTotals(Struct, kw_only=True):
    """Result rows, added up: the same for any split of them, on any machines.

    Attributes:
        settings: those with which the cases were scored.
        max_shown: how many failing cases to keep, so that they can be shown; None for all.
        by_name: whether to keep the cases, and the names in notes, that sort first, instead of those
            that come first: a cluster finishes its parts in any order.
        shown: the cases to show, as text, each with what it is sorted by.
    """

    settings: Settings = DEFAULT
    max_shown: int | None = 10
    by_name: bool = False
    totals: Totals = field(default_factory=Totals)
    shown: list[_Shown] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.totals.summary.pass_mark = self.settings.pass_mark

    def add(self, batch: Any) -> None:
        """Add the rows of a record batch.

        Raises:
            InvalidSettings: they are not result rows, or of other settings.
        """
        totals = _totals_of_batch(batch, self.settings, by_name=self.by_name)
        is_full = not self.by_name and len(self.shown) == self.max_shown
        has_cases = "case" in batch.schema.names and self.max_shown != 0 and not is_full
        self.add_totals(totals, _shown(batch) if has_cases else [])

    def add_totals(self, totals: Totals, shown: Iterable[_Shown]) -> None:
        """Add the totals of other rows, which come after these, and their cases to show."""
        self.totals.merge(totals, by_name=self.by_name)
        self.shown += shown
        if self.by_name:
            self.shown.sort()
        del self.shown[len(self.shown) if self.max_shown is None else self.max_shown :]

    def encode(self) -> bytes:
        """What was added up, as JSON."""
        return msgspec.json.encode([self.totals.to_dict(), self.shown])

    def add_encoded(self, data: bytes) -> None:
        """Add what `encode` has written elsewhere."""
        totals, shown = msgspec.json.decode(data, type=tuple[dict[str, Any], list[_Shown]])
        self.add_totals(Totals.from_dict(totals), shown)

    def results(self, tools: Any = None) -> Results:
        """The results, with the cases to show scored again."""
        totals, summary = self.totals, self.totals.summary
        if self.by_name:
            summary = summary.in_key_order()
            totals = structs.replace(totals, summary=summary)
        definitions = ToolDefinitions(tools)
        scored = [
            result_of_case(read_case_text(text), self.settings, definitions)
            for *_, text in self.shown
        ]
        failing = summary.cases - summary.passed - summary.unanswered
        only = scored[0] if summary.cases == summary.scored == len(scored) == 1 else None
        return totals.results(
            self.settings,
            shown=tuple(scored),
            not_shown=max(failing - len(scored), 0),
            only=only,
            title="" if only is None else only.label,
        )


def _shown(batch: Any) -> list[_Shown]:
    rows = failing_rows(batch)
    columns = [rows[name].to_pylist() for name in ("id", "trial", "source", "offset", "case")]
    return [
        (case, trial or "", source or "", -1 if offset is None else offset, text)
        for case, trial, source, offset, text in zip(*columns, strict=True)
    ]


def failing_rows(batch: Any, *, unanswered: bool = False) -> Any:
    """The rows that have a case that failed; with `unanswered`, also those without an answer."""
    from pyarrow import compute

    status = batch["status"]
    is_failing = compute.equal(status, "scored")
    if unanswered:
        is_failing = compute.or_(is_failing, compute.equal(status, "no_answer"))
    for column in (compute.invert(batch["passed"]), batch["case"].is_valid()):
        is_failing = compute.and_(is_failing, column)
    return batch.filter(is_failing)


def summary_of(rows: Any, settings: Settings = DEFAULT) -> Summary:
    """The summary of result rows: the same as of a local score of all their cases.

    Args:
        rows: what `score_batches` returns, or the same rows from a file or another engine.
        settings: those with which the cases were scored.

    Raises:
        InvalidSettings: they are not result rows, or of other settings.
    """
    return results_of(rows, settings, max_shown=0).summary


def results_of(
    rows: Any, settings: Settings = DEFAULT, *, tools: Any = None, max_shown: int | None = 10
) -> Results:
    """The results of result rows, which print and report like those of `score_files`.

    Args:
        rows: what `score_batches` returns, or the same rows from a file or another engine. The
            cases that failed are shown if the rows have them: `score_batches(..., cases="failing")`.
        settings: those with which the cases were scored.
        tools: the definitions of the tools, as for the scoring.
        max_shown: the maximum number of cases to show; None for all.

    Raises:
        InvalidSettings: they are not result rows, or of other settings.
    """
    found = RowTotals(settings=settings, max_shown=max_shown)
    for batch in batches_of(rows):
        found.add(batch)
    return found.results(tools)


def result_of_case(case: Case, settings: Settings, definitions: ToolDefinitions) -> Result:
    """The result of a case of a row, scored again, as a history saves it."""
    if case.expected is UNSET or case.actual is None:
        return no_answer(case)
    from callscore.api import score_case

    tools = definitions.of(case.tools, f"case {case.id}")
    score = score_case(tuple(case.expected or ()), case.actual, settings, tools, others=case.others)
    return Result(case=case, score=score, passed=score.passed)


def no_answer(case: Case) -> Result:
    """The result of a case without an answer, or without anything expected."""
    if case.expected is UNSET:
        return Result(case=case, status="not_scored")
    failure = Failure(case=case.id, kind="missing", problem=NO_ANSWER)
    return Result(case=structs.replace(case, actual=None), status="error", failure=failure)


def require_settings(settings: Settings) -> None:
    """Refuse settings that need a model: workers ask none.

    Raises:
        InvalidSettings: the settings have a judge, or are something else.
    """
    if not isinstance(settings, Settings):
        raise InvalidSettings(
            f"settings: expected Settings, got {type(settings).__name__}. Pass"
            " callscore.Settings(...), or Settings.preset(...)"
        )
    if settings.judge is not None:
        raise InvalidSettings(
            "a judge cannot be used here: workers do not ask models. Score without `judge`,"
            " or a sample of the data with `callscore score --judge`"
        )


def unreadable(place: str, problem: str) -> UnreadableInput:
    """The error about a record that is not to be skipped."""
    error = UnreadableInput(place, problem)
    error.is_one_record = True
    return error
