"""A process of a cluster that is killed while it scores: its part is scored again, and counted once."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.cluster import local

from callscore.engines.batches import RowOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.cluster.lake import Lake

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")

OPTIONS = RowOptions(cases="failing")
_MOST_ATTEMPTS = 5
_BUSY = 0.1  # seconds of processor time after which a process has scored a part of its cases
_PATIENCE = 120  # seconds
_PATIENCE_WITH_ONE = 5
_MOST_KILLS = 3  # Spark tries a part four times


def test_a_part_whose_process_was_killed_is_scored_again_and_counted_once(
    engine: Any, lake: Lake, tmp_path: Path
) -> None:
    paths = [str(path) for path in local.files_of(lake.parquet[:1])]
    cluster = _Spark(engine) if engine.ENGINE == "Spark" else _Ray(engine)
    expected = local.scored(lake.parquet[:1], OPTIONS)
    places = ("source", "offset")  # data without files has none
    is_noticed = False
    for attempt in range(_MOST_ATTEMPTS):  # the run may be over before a process is found to kill
        notes, folder = tmp_path / f"notes {attempt}", tmp_path / f"rows {attempt}"
        notes.mkdir()
        rows = engine.score(cluster.noted(paths, notes), cases="failing")
        run = threading.Thread(target=cluster.write, args=(rows, folder))
        run.start()
        killed = _kill_until_repeated(cluster, notes, run)
        run.join()
        found = local.in_order(local.read_results(folder), without=places)
        assert found.equals(local.in_order(expected, without=places))
        summary = engine.results(cluster.read(folder)).summary
        assert summary == local.results_in_order(expected).summary
        is_noticed = bool(killed) and cluster.has_noticed(killed, _begun(notes))
        if is_noticed:
            break

    assert is_noticed, "no process was killed while the data was scored"


def _kill_until_repeated(cluster: _Spark | _Ray, notes: Path, run: threading.Thread) -> list[int]:
    """Kill a process that scores; another one if the first had not noted its part yet."""
    killed: list[int] = []
    while len(killed) < _MOST_KILLS and not _is_repeated(_begun(notes)):
        pid = _kill(lambda: cluster.scoring(notes), run)
        if pid is None:
            break
        killed.append(pid)
        deadline = time.monotonic() + _PATIENCE_WITH_ONE
        while run.is_alive() and time.monotonic() < deadline and not _is_repeated(_begun(notes)):
            threading.Event().wait(0.05)
    return killed


def _is_repeated(begun: dict[str, list[int]]) -> bool:
    return any(len(pids) > 1 for pids in begun.values())


def _kill(candidates: Callable[[], list[int]], run: threading.Thread) -> int | None:
    """Kill the first process that has scored for a while; None if the run was over before."""
    before: dict[int, float] = {}
    deadline = time.monotonic() + _PATIENCE
    while run.is_alive() and time.monotonic() < deadline:
        for pid in candidates():
            seconds = _processor_time(pid)
            if seconds is not None and seconds - before.setdefault(pid, seconds) >= _BUSY:
                os.kill(pid, signal.SIGKILL)
                return pid
        threading.Event().wait(0.01)
    return None


def _processor_time(pid: int) -> float | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    user, system = stat.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def _note(folder: Path, first_id: str) -> None:
    """Note that this process has begun with a part, which is known by its first id."""
    (folder / f"{first_id}.{os.getpid()}.{time.monotonic_ns()}").touch()


def _begun(folder: Path) -> dict[str, list[int]]:
    """The parts that were begun, each with the processes that began it."""
    found: dict[str, list[int]] = {}
    for path in folder.iterdir():
        part, pid, _ = path.name.split(".")
        found.setdefault(part, []).append(int(pid))
    return found


class _Spark:
    """Spark runs what notes a part in one process, and what scores it in another."""

    def __init__(self, engine: Any) -> None:
        from pyspark.sql import SparkSession

        self.engine = engine
        self.session: Any = SparkSession.getActiveSession()
        self._failed_before = 0

    def noted(self, paths: list[str], notes: Path) -> Any:
        def note(batches: Iterator[Any]) -> Iterator[Any]:
            is_first = True
            for batch in batches:
                if is_first and batch.num_rows:
                    _note(notes, batch["id"][0].as_py())
                    is_first = False
                yield batch

        self._failed_before = self._failed_tasks()
        frame = self.session.read.parquet(*paths)
        return frame.mapInArrow(note, frame.schema)

    def write(self, rows: Any, folder: Path) -> None:
        rows.write.parquet(str(folder))

    def read(self, folder: Path) -> Any:
        return self.session.read.parquet(str(folder))

    def scoring(self, notes: Path) -> list[int]:
        """The Python processes of Spark, but for those that note parts."""
        noting = {pid for pids in _begun(notes).values() for pid in pids}
        if not noting:
            return []
        daemons = [pid for pid in _processes() if "pyspark.daemon" in _command(pid)]
        return [pid for pid in daemons if _parent(pid) in daemons and pid not in noting]

    def has_noticed(self, killed: list[int], begun: dict[str, list[int]]) -> bool:
        """Whether a task failed, since the parts were noted."""
        del killed, begun
        return self._failed_tasks() > self._failed_before

    def _failed_tasks(self) -> int:
        tracker = self.session.sparkContext.statusTracker()
        jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(None)]
        stages = [tracker.getStageInfo(stage) for job in jobs if job for stage in job.stageIds]
        return sum(stage.numFailedTasks for stage in stages if stage is not None)


class _Ray:
    """Ray runs both in the same process, whose title says what it does."""

    def __init__(self, engine: Any) -> None:
        self.engine = engine

    def noted(self, paths: list[str], notes: Path) -> Any:
        import ray

        def note(table: Any) -> Any:
            _note(notes, table["id"][0].as_py())
            return table

        return ray.data.read_parquet(paths).map_batches(
            note, batch_format="pyarrow", batch_size=None
        )

    def write(self, rows: Any, folder: Path) -> None:
        rows.write_parquet(str(folder))

    def read(self, folder: Path) -> Any:
        import ray

        return ray.data.read_parquet(str(folder))

    def scoring(self, notes: Path) -> list[int]:
        """The processes that have begun with a part, and are still at it."""
        noting = {pid for pids in _begun(notes).values() for pid in pids}
        return [pid for pid in noting if "work_on_block" in _command(pid)]

    def has_noticed(self, killed: list[int], begun: dict[str, list[int]]) -> bool:
        """Whether another process began the part of a killed one again."""
        return any(set(killed) & set(pids) and set(pids) - set(killed) for pids in begun.values())


def _processes() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
    except OSError:
        return ""


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0
