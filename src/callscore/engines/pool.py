"""Work in several processes, with the same results as in one; a process that dies is replaced.

What was being done when a process dies is done again, alone in a new one. A task that ends three processes at the same
position is lost, and the others go on.
"""

from __future__ import annotations

import os
import sys
from collections import Counter, deque
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar, cast

from callscore.core.results import Noted
from callscore.errors import WorkerEnded
from callscore.sources import Lines

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator
    from concurrent.futures import Future, ProcessPoolExecutor

    from callscore.sources import Array, BadRecord, Entry, Record

    Batch = Lines | Array | Record | BadRecord | Entry

__all__ = [
    "MOST_DEATHS",
    "Done",
    "LineWork",
    "Parts",
    "Pool",
    "left_by_pool",
    "lost_lines",
    "mark_position",
    "process_count",
]

_Result = TypeVar("_Result")
_ResultOfLines_co = TypeVar("_ResultOfLines_co", covariant=True)
_Task = TypeVar("_Task")
# How processes are started: copies need no imports, and are safe on Linux alone. Whatever is sent to a process can be pickled,
# or else the work is done in this one.
START_METHOD = "fork" if sys.platform == "linux" else "spawn"
# What one process is given at a time: little enough to be held many times over, and enough that
# handing it over takes no time in comparison.
_TASK_SIZE = 1 << 20
# The beginning of a file, which is always done here: for less, it is not worth starting processes.
_BYTES_BEFORE = 1 << 21
_FEWEST = 4  # processes that are started even on a smaller machine
_TASKS_AHEAD = 2  # for each process: given to it, so that it never waits
_TASKS_WAITING = 4  # for each process: results that wait for an earlier one
MOST_DEATHS = 3  # of processes at the same position of a task, before it is lost
_MOST_TRIES = 20  # of a task, wherever its processes end
_NOWHERE = -1  # the position before a task begins

_ENDED = (
    "the processes that work on the same part of the input are ended from outside, perhaps because"
    " memory is short. Use fewer of them: --jobs 1."
)
_NOT_STARTED = "no process can be started ({error}). Use fewer of them: --jobs 1."


def process_count(jobs: int) -> int:
    """How many processes to use: no more than there are processors."""
    return min(jobs, max(os.cpu_count() or 1, _FEWEST))


# --- in a process ---------------------------------------------------------------------------------

_own_work: list[Callable[[Any], Any]] = []  # of this process, if it is one of a pool
_own_position: list[Any] = []  # where it is in its task, in memory that it shares with its parent


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


def _do(message: Any) -> Any:
    """Do the work on a message; None if that is not possible, because the caller then raises the same error."""
    mark_position(_NOWHERE)
    try:
        return _own_work[0](message)
    except Exception:  # noqa: BLE001  (whatever it is, the caller does the same work)
        return None


def mark_position(position: int) -> None:
    """Note how far a process is in its task: it tells a task that ends its process from bad luck."""
    if _own_position:
        _own_position[0].value = position


# --- their parent ---------------------------------------------------------------------------------


class Done(NamedTuple, Generic[_Task, _Result]):
    """A task, and what a process made of it.

    Attributes:
        result: None if the process could not do the work, which is left to the caller.
        lost_at: if it ended several processes, the position at which they ended, so that the caller must not try it;
            -1 if that is before or outside of the task.
    """

    task: _Task
    result: _Result | None
    lost_at: int | None = None

    @property
    def is_lost(self) -> bool:
        """Whether the caller must not do the work."""
        return self.lost_at is not None


class _Pending(Generic[_Task, _Result]):
    """A task that is not done, or waits for earlier ones."""

    def __init__(self, task: _Task, future: Future[Any] | None) -> None:
        self.task = task
        self.future = future  # None if the processes were dead before it began
        self.done: Done[_Task, _Result] | None = None

    @property
    def is_running(self) -> bool:
        return self.done is None and self.future is not None and not self.future.done()

    def settle(self) -> bool:
        """Take the result, if there is one; returns whether a process has died."""
        from concurrent.futures.process import BrokenProcessPool

        if self.done is not None or self.is_running:
            return False
        error = None if self.future is None else self.future.exception()
        if self.future is None or isinstance(error, BrokenProcessPool):
            return True
        # Any other error says that the result could not be sent.
        self.done = Done(self.task, None if error else self.future.result())
        return False


class Pool(Generic[_Task, _Result]):
    """Processes that all do the same work, each on other tasks.

    Args:
        work: what to do with a message; None, or an error, leaves the task to the caller.
        jobs: the number of processes.

    Attributes:
        deaths: how many processes were killed, and replaced.
    """

    def __init__(self, work: Callable[[Any], _Result | None], jobs: int) -> None:
        self.deaths = 0
        self._work = work
        self._jobs = jobs
        self._is_stopped = False
        self._executor: ProcessPoolExecutor | None = None

    def results(
        self,
        tasks: Iterator[_Task],
        message: Callable[[_Task], Any] = lambda task: task,
        *,
        in_order: bool = True,
    ) -> Iterator[Done[_Task, _Result]]:
        """What the processes make of the tasks; each task is taken shortly before a process is free.

        Args:
            tasks: the tasks.
            message: what a process is sent for a task, computed when it is sent.
            in_order: whether results come in the order of the tasks, or as soon as they are there.

        Raises:
            WorkerEnded: no process can be started.
        """
        from concurrent.futures import FIRST_COMPLETED, wait

        waiting: deque[_Pending[_Task, _Result]] = deque()  # in the order of the tasks
        has_more = True
        while (has_more or waiting) and not self._is_stopped:
            while has_more and self._has_room(waiting):
                task = next(tasks, None)
                has_more = task is not None
                if task is not None:
                    waiting.append(_Pending(task, self._submit(message(task))))
            # All of them take their results.
            if any([pending.settle() for pending in waiting]):  # noqa: C419
                self._repeat(waiting, message)
            ready = self._ready(waiting, in_order=in_order)
            if ready is not None:
                waiting.remove(ready)
                yield cast("Done[_Task, _Result]", ready.done)
            elif waiting:
                futures = [each.future for each in waiting if each.is_running and each.future]
                wait(futures, None, FIRST_COMPLETED)
        # Not what is done: it was done before the caller knew what it knows now.
        yield from [Done(each.task, None, each.done and each.done.lost_at) for each in waiting]
        yield from (Done(task, None) for task in tasks)

    def _has_room(self, waiting: deque[_Pending[_Task, _Result]]) -> bool:
        """Whether another task can be given to the processes."""
        running = sum([pending.is_running for pending in waiting])
        is_room = len(waiting) < _TASKS_WAITING * self._jobs
        return is_room and running < _TASKS_AHEAD * self._jobs and not self._is_stopped

    @staticmethod
    def _ready(
        waiting: deque[_Pending[_Task, _Result]], *, in_order: bool
    ) -> _Pending[_Task, _Result] | None:
        """A task that is done; in order, only one that no earlier task delays."""
        for pending in waiting:
            if pending.done is not None:
                return pending
            if in_order:
                return None
        return None

    def _submit(self, message: Any) -> Future[Any] | None:
        """Give a message to the processes, which are started with the first; None if they are dead."""
        from concurrent.futures.process import BrokenProcessPool
        from pickle import PicklingError

        self._executor = self._executor or self._started(self._jobs)
        try:
            return self._executor.submit(_do, message)
        except BrokenProcessPool:
            return None
        except OSError as error:
            raise WorkerEnded(_NOT_STARTED.format(error=error)) from error
        except (PicklingError, AttributeError, TypeError):  # only this process has what it needs
            self._is_stopped = True
            return None

    def _started(self, jobs: int, position: Any = None) -> ProcessPoolExecutor:
        from concurrent.futures import ProcessPoolExecutor

        return ProcessPoolExecutor(jobs, _context(), _begin, (self._work, position))

    def _repeat(
        self, waiting: deque[_Pending[_Task, _Result]], message: Callable[[_Task], Any]
    ) -> None:
        """Do what was not done when a process died: it may be the cause, so that each is done alone."""
        self.close()
        if self._is_stopped:  # there are no processes
            return
        self.deaths += 1
        for pending in waiting:
            if pending.done is None:
                pending.done = self._alone(pending.task, message)

    def _alone(self, task: _Task, message: Callable[[_Task], Any]) -> Done[_Task, _Result]:
        """Do a task in a process of its own, and if it dies in another one.

        A process that is killed from outside ends anywhere. One that the task itself ends, ends at the
        same position each time.
        """
        deaths: Counter[int] = Counter()  # by position
        position = _context().RawValue("q", _NOWHERE)
        while True:
            self._executor = self._started(1, position)
            pending: _Pending[_Task, _Result] = _Pending(task, self._submit(message(task)))
            if pending.future is not None:
                pending.future.exception()  # waits
            is_dead = pending.settle()
            self.close()
            if not is_dead and pending.done is not None:
                return pending.done
            self.deaths += 1
            deaths[position.value] += 1
            if deaths[position.value] == MOST_DEATHS or deaths.total() == _MOST_TRIES:
                return Done(task, None, position.value)

    def stop(self) -> None:
        """Leave all further tasks to the caller."""
        self._is_stopped = True

    def close(self) -> None:
        """End the processes."""
        executor, self._executor = self._executor, None
        if executor is not None:
            # What they do is not needed any more. There is no public way to end them before Python 3.14.
            for process in list((executor._processes or {}).values()):  # noqa: SLF001
                process.kill()
            executor.shutdown(cancel_futures=True)


def _context() -> Any:
    from multiprocessing import get_context

    return get_context(START_METHOD)


# --- the lines of a file --------------------------------------------------------------------------


def lost_lines(lines: list[Lines]) -> Noted:
    """The records of a lost task: how many, and the sentence about them, with their bytes."""
    first, last = lines[0], lines[-1]
    count = sum([len([1 for line in each.data.split(b"\n") if line.strip()]) for each in lines])
    text = (
        f"{first.name}: bytes {first.offset} to {last.offset + len(last.data)} ended {MOST_DEATHS} processes, perhaps"
        " because memory is short. Look at these lines, or use fewer processes: --jobs 1."
    )
    return Noted(count, (text,))


class Parts(NamedTuple):
    """How a report is written where several processes find what is in it.

    Attributes:
        begin: called in another process before a part of the input.
        take: called there after it; returns all that was written meanwhile.
        add: called with that in this process, in the order of the input.
    """

    begin: Callable[[], None]
    take: Callable[[], Any]
    add: Callable[[Any], None]


class WorkOnLines(Protocol[_ResultOfLines_co]):
    """What another process does with lines and a number, the context.

    Attributes:
        state: what it depends on besides the lines.
    """

    @property
    def state(self) -> Hashable: ...
    def __call__(self, lines: list[Lines], context: int, /) -> _ResultOfLines_co: ...


class LineWork(NamedTuple, Generic[_Result]):
    """How the batches of a file can be given to several processes.

    Attributes:
        work: what they do with lines.
        add: takes what a process found in some lines, unless this would not be the same as doing
            the work here: then it returns False.
        state: what the work depends on here. If some lines change it, they are done here, and so are all that
            follow.
        context: computes the context when a process is given its lines.
        lose: called with lines that end every process which works on them. Without it, this is an
            error.
    """

    work: WorkOnLines[_Result]
    add: Callable[[_Result], bool]
    state: Callable[[], Hashable]
    context: Callable[[], int] = lambda: 0
    lose: Callable[[list[Lines]], None] | None = None


class _InOneState(Generic[_Result]):
    """Work that says nothing where it depends on other lines."""

    def __init__(self, work: WorkOnLines[_Result]) -> None:
        self._work = work
        self._state = work.state

    def __call__(self, message: tuple[list[Lines], int]) -> _Result | None:
        result = self._work(*message)
        return result if self._work.state == self._state else None


def left_by_pool(batches: Iterator[Batch], lines: LineWork[_Result], jobs: int) -> Iterator[Batch]:
    """Give the batches of a large file to several processes, and yield those left to this one.

    The caller does the work on each batch before it takes the next.
    """
    size = 0
    for batch in batches:
        yield batch
        size += len(batch.data) if isinstance(batch, Lines) else 0
        if size >= _BYTES_BEFORE and jobs > 1:
            yield from _left_by_pool(cast("Iterator[Lines]", batches), lines, jobs)


def _left_by_pool(batches: Iterator[Lines], given: LineWork[_Result], jobs: int) -> Iterator[Batch]:
    state = given.state()
    pool: Pool[list[Lines], _Result] = Pool(_InOneState(given.work), jobs)
    try:
        for done in pool.results(_groups(batches), lambda lines: (lines, given.context())):
            if done.is_lost:
                if given.lose is None:
                    raise WorkerEnded(_ENDED)
                given.lose(done.task)
            elif done.result is None or not given.add(done.result):
                yield from done.task
                if given.state() != state:
                    pool.stop()
    finally:
        pool.close()


def _groups(batches: Iterable[Lines]) -> Iterator[list[Lines]]:
    """The batches in groups that take about the same time."""
    group: list[Lines] = []
    size = 0
    for batch in batches:
        group.append(batch)
        size += len(batch.data)
        if size >= _TASK_SIZE:
            yield group
            group, size = [], 0
    if group:
        yield group
