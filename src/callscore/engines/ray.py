"""Scores data sets and files on Ray: the same rows and the same results as on one machine.

from callscore.engines import ray

rows = ray.score(dataset)
print(ray.results(rows))
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from callscore.engines.cluster_errors import not_started, require_reachable, short_reason
from callscore.engines.clusters import BUCKET, SIDE_KEYS, SPLIT, Cluster
from callscore.errors import EngineFailed, InvalidSettings, MissingExtra

if TYPE_CHECKING:
    from contextlib import ExitStack

    from callscore.engines.clusters import Work

ENGINE = "Ray"
_PART_BYTES = 1 << 25  # of the files, for each part of a join
_MOST_PARTS = 4096
_PICKLED = "ray.data.arrow_pickled_object"


class _Ray(Cluster):
    name = ENGINE
    extra = "ray"
    data = ("a Dataset of Ray", "map_batches")

    def require(self) -> Any:
        try:
            import pyarrow  # noqa: F401, ICN001  (Ray Data needs it)
            import ray
            import ray.data
        except ImportError:
            raise MissingExtra("Scoring on Ray", self.extra) from None
        return ray

    def errors(self) -> tuple[type[BaseException], ...]:
        from ray.exceptions import RayError

        return (RayError,)

    def processors(self) -> int:
        return max(int(self.require().cluster_resources().get("CPU", 1)), 1)

    def partitions(self, size: int | None) -> int:
        if size is not None:
            return min(max(size // _PART_BYTES, self.processors()), _MOST_PARTS)
        context = self.require().data.DataContext.get_current()
        return int(context.default_hash_shuffle_parallelism)

    def of_splits(self, splits: Sequence[str]) -> Any:
        import pyarrow as pa

        return self.require().data.from_arrow([pa.table({SPLIT: [split]}) for split in splits])

    def mapped(self, data: Any, work: Work, schema: Any) -> Any:
        return data.map_batches(
            work_on_block,
            batch_size=None,
            batch_format="pyarrow",
            zero_copy_batch=True,
            fn_kwargs={"work": work, "schema": schema},
        )

    def joined(self, sides: Sequence[Any], work: Work, schema: Any, partitions: int) -> Any:
        first, *others = sides
        grouped = first.union(*others).groupby(BUCKET, num_partitions=partitions)
        join = partial(_join_bucket, work=work, schema=schema)
        return grouped.map_groups(join, batch_format="pyarrow")

    def summed(self, rows: Any, work: Work, schema: Any) -> Any:
        return self.mapped(rows, work, schema)  # the driver takes one block after another

    def values(self, data: Any) -> Iterator[Any]:
        for table in data.iter_batches(batch_size=None, batch_format="pyarrow"):
            if table.num_rows:
                yield from table.column(0).to_pylist()

    def kept(self, data: Any, ends: ExitStack) -> Any:
        del ends
        return data.materialize()  # in the object store of the cluster, which spills to its disks

    def write(self, data: Any, folder: str) -> None:
        data.write_parquet(folder)

    def read(self, folder: str) -> Any:
        return self.require().data.read_parquet(folder)

    def connect(self, cluster: str | None, ends: ExitStack) -> None:
        library = self.require()
        if library.is_initialized():
            address = library.get_runtime_context().gcs_address
            if cluster not in (None, "auto", address):
                raise InvalidSettings(
                    f"cluster: a connection to {address} is open, and {cluster!r} is specified. Call"
                    " ray.shutdown(), or do not specify a cluster"
                )
            return
        if cluster is not None:
            require_reachable(self.name, cluster)
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # callscore sends nothing anywhere
        _silence(library, ends)
        address = cluster or (None if "RAY_ADDRESS" in os.environ else "local")
        local = {"include_dashboard": False} if address == "local" else {}
        try:
            library.init(address, log_to_driver=False, logging_level=logging.CRITICAL, **local)
        except (
            OSError,
            RuntimeError,
            ValueError,
            ImportError,
            library.exceptions.RayError,
        ) as error:
            place = address or os.environ["RAY_ADDRESS"]
            raise EngineFailed(self.name, not_started(place, short_reason(error))) from error
        ends.callback(library.shutdown)


def _silence(library: Any, ends: ExitStack) -> None:
    """Let Ray write nothing, but for a bar on a terminal, until `ends`."""
    logger = logging.getLogger("ray.data")
    context = library.data.DataContext.get_current()
    ends.callback(logger.setLevel, logger.level)
    ends.callback(setattr, context, "enable_progress_bars", context.enable_progress_bars)
    logger.setLevel(logging.CRITICAL + 1)
    context.enable_progress_bars = sys.stderr is not None and sys.stderr.isatty()


# --- what tasks do with a block -------------------------------------------------------------------


def work_on_block(table: Any, work: Work, schema: Any) -> Iterator[Any]:
    """What the work makes of a block; its name is that of the task."""
    import pyarrow as pa

    is_empty = True
    for batch in work(_batches(table)):
        is_empty = False
        yield pa.Table.from_batches([batch])
    if is_empty:  # every block must have the columns
        yield schema.empty_table()


def _join_bucket(table: Any, work: Work, schema: Any) -> Iterator[Any]:
    order = [(name, "ascending") for name in SIDE_KEYS]
    return work_on_block(table.select([*SIDE_KEYS]).sort_by(order), work, schema)


def _batches(table: Any) -> Iterable[Any]:
    """The record batches of a block; Python objects, which Ray pickles, become JSON text."""
    for position, field in enumerate(table.schema):
        if getattr(field.type, "extension_name", "") == _PICKLED:
            table = table.set_column(position, field.name, _texts(table[field.name].to_pylist()))
    batches: Iterable[Any] = table.to_batches()
    return batches


def _texts(values: list[Any]) -> Any:
    import msgspec
    import pyarrow as pa

    texts = [
        value if value is None or isinstance(value, str) else msgspec.json.encode(value).decode()
        for value in values
    ]
    return pa.array(texts, pa.string())


_RAY = _Ray()
score = _RAY.score
results = _RAY.results
failing = _RAY.failing
score_paths = _RAY.score_paths
