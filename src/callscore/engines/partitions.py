"""What Spark and Ray run on each part of the data, and how what they find is put together.

A part is scored or added up on the machine that has it. What comes back of it is small, and merging
gives the same in any order, because a cluster finishes its parts in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from heapq import nsmallest
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec
from msgspec import Struct, structs

from callscore.core.case import Case
from callscore.core.results import Results
from callscore.core.totals import Totals
from callscore.engines.batches import (
    RowOptions,
    RowScorer,
    few_collections,
    joined_rows,
    rows_of_side,
    score_rows,
    score_split,
    side_rows,
)
from callscore.engines.cluster_files import open_cluster_file
from callscore.engines.inputs import CASES, REFERENCES, TRACES
from callscore.engines.record_reading import RecordReader, split_items
from callscore.engines.result_rows import read_case_text
from callscore.engines.row_totals import results_with, scored_case, totals_of_batch
from callscore.engines.splits import Split, row_groups_between
from callscore.engines.tool_definitions import ToolDefinitions
from callscore.errors import InvalidSettings
from callscore.hiding.hider import Hider
from callscore.hiding.redaction import NO_REDACTION

if TYPE_CHECKING:
    from callscore.core.settings import Settings


class ClusterRun(Struct, frozen=True, kw_only=True):
    """The outcome of scoring files on a cluster.

    Attributes:
        results: the totals, and the failing cases to show.
        rows: the number of result rows.
        failing: yields the failing cases and those without an answer, if they were kept.
        close: ends what was started for this run; `failing` yields nothing afterwards.
    """

    results: Results
    rows: int
    failing: Callable[[], Iterator[Case]] = lambda: iter(())
    close: Callable[[], None] = lambda: None


# --- on the workers -------------------------------------------------------------------------------


def _require_version(version: str) -> None:
    """Refuse a worker with another version of callscore: its rows might differ.

    Raises:
        InvalidSettings: it has another version.
    """
    from callscore import __version__

    if __version__ != version:
        raise InvalidSettings(
            f"a worker has callscore {__version__}, and the driver has {version}. Install the same"
            " version on all machines of the cluster"
        )


def require_kind(kind: str, method: str, *given: Any) -> None:
    """Refuse what is not data of an engine, such as the path of a file; None is allowed.

    Raises:
        InvalidSettings: one of them is something else.
    """
    for data in given:
        if data is not None and not hasattr(data, method):
            raise InvalidSettings(
                f"expected {kind}, got {type(data).__name__}. Read the files with the engine first,"
                " or score them with `callscore score --engine`"
            )


def score_part(batches: Iterable[Any], options: RowOptions, version: str) -> Iterator[Any]:
    """The result rows of a part of the cases."""
    _require_version(version)
    return _unnumbered(_without_secrets(score_rows(batches, options), options), "offset")


def score_file_part(splits: Iterable[Split], options: RowOptions, version: str) -> Iterator[Any]:
    """The result rows of a part of the files."""
    _require_version(version)
    reader, scorer = RecordReader(options, CASES), RowScorer(options)
    with few_collections():
        for split in splits:
            rows = score_split(split, reader, scorer, open_cluster_file)
            yield from _without_secrets(rows, options)


def side_file_part(
    splits: Iterable[Split], options: RowOptions, version: str, side: Literal["expected", "actual"]
) -> Iterator[Any]:
    """A part of the files with references or traces, to be joined."""
    _require_version(version)
    reader = RecordReader(options, REFERENCES if side == "expected" else TRACES)
    for split in splits:
        yield from rows_of_side(split_items(split, reader, open_cluster_file), options, side)


def file_part_rows(splits: Iterable[Split]) -> Iterator[Any]:
    """The result rows in a part of the files that have them."""
    for split in splits:
        for path in split.files:
            with open_cluster_file(path) as file:
                for _, rows in row_groups_between(file, path, split.start, split.end):
                    yield rows


def side_part(
    batches: Iterable[Any], options: RowOptions, version: str, side: Literal["expected", "actual"]
) -> Iterator[Any]:
    """A part of the references or traces, to be joined."""
    _require_version(version)
    return _unnumbered(side_rows(batches, options, side), "offset")


def join_part(batches: Iterable[Any], options: RowOptions, version: str) -> Iterator[Any]:
    """The result rows of both sides of some cases, sorted by `SIDE_KEYS`."""
    _require_version(version)
    return _without_secrets(joined_rows(batches, options), options)


def _without_secrets(batches: Iterable[Any], options: RowOptions) -> Iterator[Any]:
    """The rows with markers in place of secrets in their cases, if that is asked for."""
    hider = Hider(options.redaction or NO_REDACTION, is_live=True)
    is_needed = options.redaction is not None and options.columns.cases != "none"
    for batch in batches:
        texts = batch["case"].to_pylist() if is_needed else []
        if not any(text is not None and hider.occurs_in(text) for text in texts):
            yield batch
            continue
        hidden = [None if text is None else _hidden(text, hider) for text in texts]
        position = batch.schema.get_field_index("case")
        yield batch.set_column(position, batch.schema.field(position), _strings(hidden))


def _hidden(text: str, hider: Hider) -> str:
    if not hider.occurs_in(text):
        return text
    return msgspec.json.encode(hider.data(msgspec.json.decode(text))).decode()


def _strings(texts: list[str | None]) -> Any:
    import pyarrow as pa

    return pa.array(texts, pa.string())


def _unnumbered(batches: Iterable[Any], name: str) -> Iterator[Any]:
    """The rows without offsets where no file is known: they count the rows of an arbitrary part."""
    from pyarrow import compute, scalar

    for batch in batches:
        offsets = batch[name]
        if offsets.null_count == len(offsets):
            yield batch
            continue
        known = compute.if_else(batch["source"].is_valid(), offsets, scalar(None, offsets.type))
        yield batch.set_column(batch.schema.get_field_index(name), batch.schema.field(name), known)


def sum_part(
    batches: Iterable[Any], settings: Settings, max_shown: int | None, version: str
) -> bytes:
    """The totals of a part of the result rows, as JSON."""
    _require_version(version)
    found = PartTotals(Totals.of(settings), [])
    for batch in batches:
        if batch.num_rows:
            totals = totals_of_batch(batch, settings, by_name=True)
            found.merge(PartTotals(totals, [] if max_shown == 0 else _shown(batch)), max_shown)
    return found.encode()


def merge_parts(encoded: Iterable[bytes], settings: Settings, max_shown: int | None) -> PartTotals:
    """The totals of all parts."""
    found = PartTotals(Totals.of(settings), [])
    for data in encoded:
        totals, shown = msgspec.json.decode(data, type=tuple[dict[str, Any], list[_Shown]])
        found.merge(PartTotals(Totals.from_dict(totals), shown), max_shown)
    return found


def failing_texts(batch: Any) -> list[str]:
    """The failing cases of result rows, and those without an answer, where the rows have them."""
    if "case" not in batch.schema.names:
        return []
    from pyarrow import compute

    is_failing = compute.or_(
        compute.equal(batch["status"], "no_answer"),
        compute.and_(
            compute.equal(batch["status"], "scored"),
            compute.invert(compute.fill_null(batch["passed"], fill_value=True)),
        ),
    )
    texts: list[str] = batch.filter(is_failing)["case"].drop_null().to_pylist()
    return texts


# --- the totals of a part -------------------------------------------------------------------------

# The id, trial, file and offset of a case that failed, by which it is sorted, and the case.
_Shown = tuple[str, str, str, int, str]


class PartTotals(NamedTuple):
    """The totals of a part of the result rows, the same for any split and order of the rows.

    Of the cases to show and the names to list it keeps those that sort first.
    """

    totals: Totals
    shown: list[_Shown]

    def merge(self, other: PartTotals, max_shown: int | None) -> None:
        """Add the totals of another part."""
        self.totals.merge(other.totals, by_name=True)
        found = [*self.shown, *other.shown]
        self.shown[:] = sorted(found) if max_shown is None else nsmallest(max_shown, found)

    def encode(self) -> bytes:
        """The totals as JSON."""
        return msgspec.json.encode([self.totals.to_dict(), self.shown])


def _shown(batch: Any) -> list[_Shown]:
    """The failing cases of the rows, with what they are sorted by."""
    if "case" not in batch.schema.names:
        return []
    from pyarrow import compute

    is_failing = compute.and_(
        compute.equal(batch["status"], "scored"),
        compute.and_(
            compute.invert(compute.fill_null(batch["passed"], fill_value=True)),
            batch["case"].is_valid(),
        ),
    )
    rows = batch.filter(is_failing)
    columns = [rows[name].to_pylist() for name in ("id", "trial", "source", "offset", "case")]
    return [
        (case, trial or "", source or "", -1 if offset is None else offset, text)
        for case, trial, source, offset, text in zip(*columns, strict=True)
    ]


def results_of_totals(totals: PartTotals, settings: Settings, tools: Any) -> Results:
    """The results of all parts, with the cases to show scored again."""
    definitions = ToolDefinitions(tools)
    shown = [scored_case(read_case_text(text), settings, definitions) for *_, text in totals.shown]
    in_order = structs.replace(totals.totals, summary=totals.totals.summary.in_key_order())
    return results_with(in_order, settings, shown)
