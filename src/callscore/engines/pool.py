"""Work in several processes, with the same results as in one; a process that dies is replaced.

What was being done when a process dies is done again, alone in a new one. A record that ends three processes is skipped;
if it is not known which one does, all of its task is lost, and the others go on.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar, cast

from msgspec import Struct, structs

from callscore.core.results import Noted
from callscore.errors import WorkerEnded
from callscore.sources import Array, BadRecord, Entry, Lines, Record

if TYPE_CHECKING:
    from concurrent.futures import Future

    Batch = Lines | Array | Record | BadRecord | Entry

_Result = TypeVar("_Result")
_Task = TypeVar("_Task", bound="Task")
# How processes are started: copies need no imports, and are safe on Linux alone. Whatever is sent to a process can be pickled,
# or else the work is done in this one.
START_METHOD = "fork" if sys.platform == "linux" else "spawn"
# What one process is given at a time: little enough to be held many times over, and enough that
# handing it over takes no time in comparison.
_TASK_SIZE = 1 << 20
# The beginning of a file, which is always done here: for less, it is not worth starting processes.
_BYTES_BEFORE = 1 << 21
_FEWEST = 4  # processes that are started even on a smaller machine
_TASKS_AHEAD = 3  # for each process, so that it never waits
MOST_DEATHS = 3  # of processes at the same position of a task
_MOST_DEATHS_NOWHERE = 6  # before its first record, where a process takes long to start
_MOST_TRIES = 20  # of a task, wherever its processes end
_NOWHERE = -1  # the position before a task begins
LOST_RECORD = (
    f"this record ended {MOST_DEATHS} processes, perhaps because memory is short. Look at it, or use"
    " fewer processes: --jobs 1."
)


def process_count(jobs: int) -> int:
    """How many processes to use: no more than there are processors."""
    return min(jobs, max(os.cpu_count() or 1, _FEWEST))


# --- in a process ---------------------------------------------------------------------------------

_own_work: list[Callable[[Any], Any]] = []  # of this process, if it is one of a pool
_own_position: list[Any] = []  # where it is in its task, in memory that it shares with its parent


def mark_position(position: int) -> None:
    """Note how far a process is in its task: it tells a task that ends its process from bad luck."""
    if _own_position:
        _own_position[0].value = position


def is_suspected() -> bool:
    """Whether this process repeats what may have ended another one: then it should mark the position of each record."""
    return bool(_own_position)


def _begin(work: Callable[[Any], Any], position: Any) -> None:
    """Prepare a process of a pool."""
    import signal
    from threading import Thread

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends its processes
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _own_work[:] = [work]
    _own_position[:] = [] if position is None else [position]
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _do(slot: int | None, sent: Any) -> Any:
    """Do the work on a task; None if that is not possible, because the caller then raises the same error."""
    try:
        return _put(slot, _own_work[0](_taken(slot, sent)))
    except Exception:  # noqa: BLE001  (whatever it is, the caller does the same work)
        return _put(slot, None)


# Through a pipe, a process that is killed may send half of a value, and this one would wait for the rest for
# ever. Where processes are copies, values are in memory that they share, and only their sizes are sent.


def _put(slot: int | None, value: Any) -> Any:
    """Store a value in a slot; returns what is sent instead of it."""
    if slot is None:
        return value
    data = memoryview(pickle.dumps(value, pickle.HIGHEST_PROTOCOL))
    os.ftruncate(slot, 0)
    size = 0
    while size < len(data):
        size += os.pwrite(slot, data[size:], size)
    return size


def _taken(slot: int | None, sent: Any) -> Any:
    return sent if slot is None else pickle.loads(os.pread(slot, sent, 0))  # noqa: S301  (from `_put`)


# --- their parent ---------------------------------------------------------------------------------


class Task(Struct, frozen=True, kw_only=True, gc=False):
    """Something to do; `skipped` are the positions of records that end every process which reads them."""

    skipped: tuple[int, ...] = ()


class Done(NamedTuple, Generic[_Task, _Result]):
    """A task, and what a process made of it.

    Attributes:
        task: the task; if some of its records ended several processes, with their positions in `skipped`.
        result: None if the process could not do the work, which is left to the caller.
        deaths: if all of the task is lost, and the caller must not try it: how many processes it ended.
    """

    task: _Task
    result: _Result | None
    deaths: int = 0


class _Processes:
    """Some processes that do the same work."""

    def __init__(self, work: Callable[[Any], Any], jobs: int, position: Any = None) -> None:
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        self._executor = ProcessPoolExecutor(
            jobs, get_context(START_METHOD), _begin, (work, position)
        )
        is_copied = START_METHOD == "fork"
        self._slots = [
            os.memfd_create("callscore") if is_copied else None for _ in range(jobs * _TASKS_AHEAD)
        ]
        self._free = [*self._slots]

    def give(self, task: Any) -> tuple[Future[Any] | None, int | None]:
        """Give them a task, for which there is a free slot; no future if one of them is dead.

        Raises:
            WorkerEnded: no process can be started.
        """
        from concurrent.futures.process import BrokenProcessPool

        slot = self._free.pop()
        try:
            return self._executor.submit(_do, slot, _put(slot, task)), slot
        except BrokenProcessPool:
            return None, slot
        except OSError as error:
            problem = f"no process can be started ({error}). Use fewer of them: --jobs 1."
            raise WorkerEnded(problem) from error

    def result(self, future: Future[Any] | None, slot: int | None) -> Any:
        """What they made of a task; waits for it.

        Raises:
            BrokenProcessPool: one of them died.
        """
        from concurrent.futures.process import BrokenProcessPool

        self._free.append(slot)
        if future is None:
            raise BrokenProcessPool
        try:
            return _taken(slot, future.result())
        except BrokenProcessPool:
            raise
        except Exception:  # noqa: BLE001  (the result could not be sent, for one of many reasons)
            return None

    def end(self) -> None:
        """End them, whatever they do."""
        # There is no public way before Python 3.14.
        for process in list((self._executor._processes or {}).values()):  # noqa: SLF001
            process.kill()
        self._executor.shutdown(cancel_futures=True)
        for slot in self._slots:
            if slot is not None:
                os.close(slot)


class Pool(Generic[_Task, _Result]):
    """Processes that all do the same work, each on other tasks.

    Args:
        work: what to do with a task; None, or an error, leaves the task to the caller.
        jobs: the number of processes.

    Attributes:
        deaths: how many processes were killed, and replaced.
    """

    def __init__(self, work: Callable[[_Task], _Result | None], jobs: int) -> None:
        self.deaths = 0
        self._work = work
        self._jobs = jobs
        self._is_stopped = not _can_be_sent(work)
        self._processes: _Processes | None = None

    def results(self, tasks: Iterator[_Task]) -> Iterator[Done[_Task, _Result]]:
        """What the processes make of the tasks, in their order; each is taken shortly before a process is free.

        Raises:
            WorkerEnded: no process can be started.
        """
        from concurrent.futures.process import BrokenProcessPool

        waiting: deque[tuple[_Task, tuple[Any, Any]]] = deque()
        while not self._is_stopped:
            while (
                len(waiting) < self._jobs * _TASKS_AHEAD and (task := next(tasks, None)) is not None
            ):
                self._processes = self._processes or _Processes(self._work, self._jobs)
                waiting.append((task, self._processes.give(task)))
            if not waiting:
                return
            processes = cast("_Processes", self._processes)
            try:
                done = Done(waiting[0][0], processes.result(*waiting[0][1]))
            except BrokenProcessPool:
                yield from self._repeated(waiting)
            else:
                waiting.popleft()
                yield done
        # Not what is done: it was done before the caller knew what it knows now.
        yield from (Done(task, None) for task in chain([task for task, _ in waiting], tasks))

    def _repeated(
        self, waiting: deque[tuple[_Task, tuple[Any, Any]]]
    ) -> Iterator[Done[_Task, _Result]]:
        """What was not done when a process died: it may be the cause, so that each is done alone."""
        self.deaths += 1
        processes = cast("_Processes", self._processes)
        known = []
        for task, given in waiting:
            future = given[0]
            is_done = future is not None and future.done() and future.exception() is None
            known.append(Done(task, processes.result(*given) if is_done else None))
        waiting.clear()
        self.close()
        for done in known:
            is_known = done.result is not None or self._is_stopped
            yield done if is_known else self.alone(done.task)

    def alone(self, task: _Task) -> Done[_Task, _Result]:
        """Do a task in a process of its own, and if it dies in another one.

        A process that is killed from outside ends anywhere. One that the task itself ends, ends at the
        same position each time.
        """
        from concurrent.futures.process import BrokenProcessPool
        from multiprocessing import get_context

        deaths: list[int] = []  # their positions
        position = get_context(START_METHOD).RawValue("q")
        while True:
            position.value = _NOWHERE
            processes = _Processes(self._work, 1, position)
            try:
                return Done(task, processes.result(*processes.give(task)))
            except BrokenProcessPool:
                self.deaths += 1
            finally:
                processes.end()
            at = position.value
            deaths.append(at)
            # In a row: at random, a process ends at the same position from time to time.
            most = _MOST_DEATHS_NOWHERE if at == _NOWHERE else MOST_DEATHS
            is_cause = deaths[-most:] == [at] * most
            if is_cause and at != _NOWHERE and at not in task.skipped:
                task = structs.replace(task, skipped=(*task.skipped, at))
                deaths.clear()
            elif is_cause or len(deaths) == _MOST_TRIES:
                return Done(task, None, len(deaths))

    def stop(self) -> None:
        """Leave all further tasks to the caller."""
        self._is_stopped = True

    def close(self) -> None:
        """End the processes."""
        processes, self._processes = self._processes, None
        if processes is not None:
            processes.end()


def _can_be_sent(work: Callable[[Any], Any]) -> bool:
    """Whether another process can be given this work."""
    if START_METHOD == "fork":
        return True
    try:
        pickle.dumps(work)
    except (pickle.PicklingError, AttributeError, TypeError):  # only this process has what it needs
        return False
    return True


# --- the lines of a file --------------------------------------------------------------------------


class LineTask(Task, frozen=True, kw_only=True):
    """Some lines of a file."""

    lines: list[Lines]

    def lost(self, deaths: int) -> Noted:
        """How many records are lost with this task, and the sentence about them, with their bytes."""
        first, last = self.lines[0], self.lines[-1]
        count = sum([bool(line.strip()) for each in self.lines for line in each.data.split(b"\n")])
        text = (
            f"{first.name}: bytes {first.offset} to {last.offset + len(last.data)} ended {deaths} processes, perhaps"
            " because memory is short. Look at these lines, or use fewer processes: --jobs 1."
        )
        return Noted(count, (text,))


def spread(
    batches: Iterator[Batch], work: Callable[[LineTask], _Result | None], jobs: int
) -> Iterator[Batch | Done[LineTask, _Result]]:
    """What several processes make of the lines of a large file, and in between the batches that are left to this one.

    The caller does the work on each batch before it takes the next. If a process cannot do some lines, because they
    depend on others, or so that this one raises the error, they are left to this one with all that follow.
    """
    size = 0
    for batch in batches:
        yield batch
        size += len(batch.data) if isinstance(batch, Lines) else 0
        if size >= _BYTES_BEFORE and jobs > 1:
            pool: Pool[LineTask, _Result] = Pool(work, jobs)
            try:
                for done in pool.results(_line_tasks(cast("Iterator[Lines]", batches))):
                    if done.result is not None or done.deaths:
                        yield done
                    else:
                        pool.stop()
                        yield from done.task.lines
            finally:
                pool.close()


def _line_tasks(batches: Iterable[Lines]) -> Iterator[LineTask]:
    """The batches in groups that take about the same time."""
    group: list[Lines] = []
    size = 0
    for batch in batches:
        group.append(batch)
        size += len(batch.data)
        if size >= _TASK_SIZE:
            yield LineTask(lines=group)
            group, size = [], 0
    if group:
        yield LineTask(lines=group)
