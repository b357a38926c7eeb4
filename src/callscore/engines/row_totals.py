"""Adds result rows up: to `Totals`, which merge exactly, and to the `Results` that reports show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from msgspec import UNSET, structs

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

if TYPE_CHECKING:
    from callscore.core.case import Case

_COLUMNS = (
    "id",
    "trial",
    "status",
    "correct",
    "expected",
    "actual",
    "forbidden",
    "passed",
    "tools",
    "wrong_arguments",
    "confusion",
    "faults",
    "checked_calls",
    "valid_calls",
    "is_uncounted",
    "is_exact",
    "turns",
    "first_wrong_turn",
    "source",
    "offset",
    "problem",
)
NO_ANSWER = "there is no answer for this case"


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


def totals_of_batch(batch: Any, settings: Settings = DEFAULT, *, by_name: bool = False) -> Totals:
    """The totals of the rows of one record batch, with the first names of each kind of note.

    `by_name` takes those that sort first.

    Raises:
        InvalidSettings: they are not result rows, or of other settings.
    """
    batch = _as_rows(batch)
    summary = Summary(pass_mark=settings.pass_mark)
    _add_outcomes(batch, summary)
    _add_lists(batch, summary)
    _add_turns(batch, summary)
    _add_trials(batch, summary)
    totals = Totals.of(settings)
    totals.add_summary(summary)
    _note_others(batch, totals, by_name=by_name)
    totals.answered += totals.not_scored.count
    totals.undecided += totals.not_scored.count
    return totals


def _as_rows(batch: Any) -> Any:
    """The columns that are counted, in the types of result rows: other libraries have types of their own."""
    _require_rows(batch.schema)
    arrow = require_pyarrow("Reading Arrow data")
    kinds = row_schema()
    columns = {name: batch[name] for name in _COLUMNS}
    try:
        arrays = [
            column if column.type == kinds.field(name).type else column.cast(kinds.field(name).type)
            for name, column in columns.items()
        ]
    except (arrow.ArrowInvalid, arrow.ArrowNotImplementedError) as error:
        raise InvalidSettings(
            f"these are not result rows: a column has another type ({error}). Pass the rows that"
            " score_batches returns"
        ) from error
    return arrow.RecordBatch.from_arrays(arrays, list(columns))


def _require_rows(schema: Any) -> None:
    version = (schema.metadata or {}).get(VERSION_KEY)
    if version is not None and version != str(ROW_VERSION).encode():
        raise InvalidSettings(
            f"the result rows have version {version.decode(errors='replace')}, this version of"
            f" callscore reads {ROW_VERSION}. Score the data again"
        )
    missing = [name for name in _COLUMNS if name not in schema.names]
    if missing:
        raise InvalidSettings(
            f"these are not result rows: the column {missing[0]!r} is missing. Pass the rows that"
            " score_batches returns"
        )


def _grouped(columns: list[Any], names: list[str]) -> list[tuple[Any, ...]]:
    """The different rows of some columns, each with how often it occurs."""
    arrow = require_pyarrow("Reading Arrow data")
    table = arrow.Table.from_arrays(columns, names)
    found = table.group_by(names, use_threads=False).aggregate([([], "count_all")])
    return list(zip(*[found[name].to_pylist() for name in [*names, "count_all"]], strict=True))


def _add_outcomes(batch: Any, summary: Summary) -> None:
    """Count the cases with each outcome.

    Raises:
        InvalidSettings: the rows were scored with another pass mark.
    """
    names = ["status", "correct", "expected", "actual", "forbidden", "passed", "is_exact"]
    for status, *outcome, passed, is_exact, times in _grouped(
        [batch[name] for name in names], names
    ):
        if status == "no_answer":
            add_counts(summary.outcomes, {UNANSWERED: times})
        elif status == "scored":
            correct, expected, actual, forbidden = outcome
            found = (correct, expected, actual, forbidden)
            if is_passing(found, summary.pass_mark) is not passed:
                raise InvalidSettings(
                    "the rows were scored with another 'pass_mark'. Pass the settings with which"
                    " they were scored"
                )
            add_counts(summary.outcomes, {found: times})
            if correct == expected == actual and not is_exact:
                summary.differing_cases += times


def _add_lists(batch: Any, summary: Summary) -> None:
    """Add the counts of tools, arguments and pairs of tools, and those of the schemas."""
    from pyarrow import compute

    for name, *counts in _summed(batch["tools"], ["tool"], TOOL_COUNTS):
        summary.tool(name).add(tuple(counts))
    for tool, argument, calls in _summed(batch["wrong_arguments"], ["tool", "argument"]):
        add_counts(summary.wrong_arguments, {(tool, argument): calls})
    for expected, actual, calls in _summed(batch["confusion"], ["expected", "actual"]):
        add_counts(summary.confusion, {(expected, actual): calls})
    for tool, kind, calls in _summed(batch["faults"], ["tool", "kind"]):
        add_counts(summary.faults, {(tool, kind): calls})
    checked = batch["checked_calls"]
    summary.checked_cases += len(checked) - checked.null_count
    summary.checked_calls += compute.sum(checked).as_py() or 0
    summary.valid_calls += compute.sum(batch["valid_calls"]).as_py() or 0
    summary.uncounted_cases += compute.sum(batch["is_uncounted"]).as_py() or 0


def _add_turns(batch: Any, summary: Summary) -> None:
    """Count the cases with turns, and those in which each turn is the first that did not pass."""
    if batch["turns"].null_count == batch.num_rows:
        return
    names = ["turns", "first_wrong_turn"]
    for turns, first_wrong, times in _grouped([batch[name] for name in names], names):
        summary.add_turns(turns, first_wrong, times)


def _summed(
    column: Any, keys: list[str], sums: tuple[str, ...] = ("calls",)
) -> list[tuple[Any, ...]]:
    """The sums of the counts in a column of lists of structs, for each key."""
    arrow = require_pyarrow("Reading Arrow data")
    table = arrow.Table.from_struct_array(column.flatten())
    if not table.num_rows:
        return []
    found = table.group_by(keys, use_threads=False).aggregate([(name, "sum") for name in sums])
    names = [*keys, *[f"{name}_sum" for name in sums]]
    return list(zip(*[found[name].to_pylist() for name in names], strict=True))


def _add_trials(batch: Any, summary: Summary) -> None:
    """Count the outcomes of the cases that say which trial they are."""
    from pyarrow import compute

    is_trial = compute.and_(
        batch["trial"].is_valid(),
        compute.is_in(batch["status"], value_set=_array(["scored", "no_answer"])),
    )
    found = batch.filter(is_trial)
    names = ["id", "status", "correct", "expected", "actual", "forbidden"]
    columns = [found[name].to_pylist() for name in names]
    for case, status, correct, expected, actual, forbidden in zip(*columns, strict=True):
        is_scored = status == "scored"
        summary.add_trial(case, (correct, expected, actual, forbidden) if is_scored else UNANSWERED)


# Where the rows of each status without a score are counted.
_NOTES: tuple[tuple[RowStatus, str], ...] = (
    ("not_scored", "not_scored"),
    ("no_answer", "not_run"),
    ("no_reference", "without_reference"),
    ("unreadable", "skipped"),
)


def _note_others(batch: Any, totals: Totals, *, by_name: bool) -> None:
    """Note the rows without a score: how many there are, and the first of them."""
    from pyarrow import compute

    rows = {name: batch.filter(compute.equal(batch["status"], status)) for status, name in _NOTES}
    is_unread = compute.and_(
        batch["problem"].is_valid(), compute.not_equal(batch["status"], "unreadable")
    )
    rows["unread"] = batch.filter(is_unread)
    for note, found in rows.items():
        if found.num_rows:
            names = tuple(row_names(found if by_name else found.slice(0, MOST_NAMES)))
            getattr(totals, note).add_noted(Noted(found.num_rows, names), by_name=by_name)


def row_names(rows: Any) -> Iterator[str]:
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


def _array(values: list[str]) -> Any:
    return require_pyarrow("Reading Arrow data").array(values)


def summary_of(rows: Any, settings: Settings = DEFAULT) -> Summary:
    """The summary of result rows: the same as of a local score of all their cases.

    Args:
        rows: what `score_batches` returns, or the same rows from a file or another engine.
        settings: those with which the cases were scored.

    Raises:
        InvalidSettings: they are not result rows, or of other settings.
    """
    totals = Totals.of(settings)
    for batch in batches_of(rows):
        totals.merge(totals_of_batch(batch, settings))
    return totals.summary


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
    totals = Totals.of(settings)
    shown: list[Result] = []
    definitions = ToolDefinitions(tools)
    for batch in batches_of(rows):
        totals.merge(totals_of_batch(batch, settings))
        texts = failing_cases(batch, None if max_shown is None else max_shown - len(shown))
        shown += [scored_case(read_case_text(text), settings, definitions) for text in texts]
    return results_with(totals, settings, shown)


def results_with(totals: Totals, settings: Settings, shown: Iterable[Result]) -> Results:
    """The results with these totals, and these cases to show."""
    summary, cases = totals.summary, tuple(shown)
    failing = summary.cases - summary.passed - summary.unanswered
    only = cases[0] if summary.cases == summary.scored == len(cases) == 1 else None
    return totals.results(
        settings,
        shown=cases,
        not_shown=max(failing - len(cases), 0),
        only=only,
        title="" if only is None else only.label,
    )


def failing_cases(batch: Any, limit: int | None) -> list[str]:
    """The cases that failed, as text, where the rows have them."""
    if "case" not in batch.schema.names or limit == 0:
        return []
    from pyarrow import compute

    is_failing = compute.and_(
        compute.equal(batch["status"], "scored"),
        compute.and_(compute.invert(batch["passed"]), batch["case"].is_valid()),
    )
    texts: list[str] = batch.filter(is_failing)["case"].slice(0, limit).to_pylist()
    return texts


def scored_case(case: Case, settings: Settings, definitions: ToolDefinitions) -> Result:
    """A case of a row, scored again to be shown."""
    return result_of_case(case, settings, definitions)


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
