"""What Spark and Ray run on each part of the data, and how what they find is put together.

A part is scored or added up on the machine that has it. What comes back of it is small, and merging
gives the same in any order, because a cluster finishes its parts in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import nsmallest
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec import Struct

from callscore.core.case import Case
from callscore.core.results import Noted, Results
from callscore.core.summary import Summary
from callscore.engines.batches import joined_rows, score_rows, side_rows
from callscore.engines.result_rows import read_case_text
from callscore.engines.row_totals import (
    NOTES,
    RowTotals,
    results_with,
    row_names,
    scored_case,
    totals_of_batch,
)
from callscore.engines.tool_definitions import ToolDefinitions
from callscore.errors import InvalidSettings
from callscore.hiding.hider import Hider
from callscore.hiding.redaction import NO_REDACTION

if TYPE_CHECKING:
    from collections.abc import Iterable

    from callscore.core.settings import Settings
    from callscore.engines.batches import RowOptions

__all__ = [
    "ClusterRun",
    "PartTotals",
    "failing_texts",
    "join_part",
    "merge_parts",
    "require_kind",
    "results_of_totals",
    "score_part",
    "side_part",
    "sum_part",
]

_MOST_NAMED = 20  # as many as other results have


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
    totals = PartTotals(settings, max_shown)
    for batch in batches:
        totals.add_rows(batch)
    return totals.encode()


def merge_parts(encoded: Iterable[bytes], settings: Settings, max_shown: int | None) -> PartTotals:
    """The totals of all parts."""
    totals = PartTotals(settings, max_shown)
    for data in encoded:
        totals.merge(data)
    return totals


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


class _Encoded(Struct, frozen=True):
    totals: msgspec.Raw
    names: dict[str, list[str]]
    shown: list[_Shown]


class PartTotals:
    """The totals of a part of the result rows, the same for any split and order of the rows.

    Of the cases to show and the names to list it keeps those that sort first.
    """

    def __init__(self, settings: Settings, max_shown: int | None) -> None:
        self._settings = settings
        self._max_shown = max_shown
        self.totals = RowTotals(Summary(pass_mark=settings.pass_mark))
        self._names: dict[str, list[str]] = {note: [] for note in NOTES.values()}
        self.shown: list[_Shown] = []

    def add_rows(self, batch: Any) -> None:
        """Add a record batch of result rows.

        Raises:
            InvalidSettings: they are not result rows, or of other settings.
        """
        if not batch.num_rows:
            return
        self.totals.merge(totals_of_batch(batch, self._settings))
        self._add_names(_names(batch))
        if self._max_shown != 0:
            self._add_shown(_shown(batch))

    def _add_names(self, names: dict[str, list[str]]) -> None:
        for note, found in names.items():
            if found:
                self._names[note] = nsmallest(_MOST_NAMED, [*self._names[note], *found])

    def _add_shown(self, found: list[_Shown]) -> None:
        if not found:
            return
        found += self.shown
        self.shown = sorted(found) if self._max_shown is None else nsmallest(self._max_shown, found)

    def encode(self) -> bytes:
        """The totals as JSON."""
        totals = msgspec.Raw(self.totals.encode())
        return msgspec.json.encode(_Encoded(totals, self._names, self.shown))

    def merge(self, data: bytes) -> None:
        """Add the totals of another part, as JSON."""
        other = msgspec.json.decode(data, type=_Encoded)
        self.totals.merge(RowTotals.decode(bytes(other.totals)))
        self._add_names(other.names)
        self._add_shown([*other.shown])

    def noted(self) -> RowTotals:
        """The totals, with the names that sort first, and all counts in the order of their keys."""
        totals = self.totals
        for note, names in self._names.items():
            count = getattr(totals, note).count
            setattr(totals, note, Noted(count, tuple(names)))
        summary = totals.summary
        for counts in ("outcomes", "tools", "wrong_arguments", "confusion", "trials", "faults"):
            setattr(summary, counts, _sorted_counts(getattr(summary, counts)))
        return totals


def _sorted_counts(counts: dict[Any, Any]) -> dict[Any, Any]:
    def key(item: tuple[Any, Any]) -> Any:
        name = item[0]
        # Of two tools, one may be missing.
        return [(each is not None, each) for each in name] if isinstance(name, tuple) else name

    return dict(sorted(counts.items(), key=key))


def _names(batch: Any) -> dict[str, list[str]]:
    """The names of all rows without a score: cases, or places and problems."""
    from pyarrow import compute

    found: dict[str, list[str]] = {}
    rows = batch.filter(compute.not_equal(batch["status"], "scored"))
    for status, name in zip(rows["status"].to_pylist(), row_names(rows), strict=True):
        found.setdefault(NOTES[status], []).append(name)
    return found


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
    return results_with(totals.noted(), settings, shown)
