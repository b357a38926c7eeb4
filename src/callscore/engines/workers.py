"""Work in several processes, with the same results as in one; a process that dies is replaced.

This process reads the input, and forked copies of it do the work: all that they need is in them
already. A task whose process was killed, by the system perhaps because memory is short, is given to another
one. A task that ends three processes at the same position is lost, and the others go on.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter, deque
from collections.abc import Callable
from contextlib import suppress
from mmap import mmap
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar, cast

from callscore.core.results import Noted
from callscore.errors import WorkerEnded
from callscore.sources import Lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from multiprocessing.connection import Connection

    from callscore.sources import Array, BadRecord, Entry, Record

    Batch = Lines | Array | Record | BadRecord | Entry

__all__ = [
    "MOST_DEATHS",
    "Done",
    "Parts",
    "Split",
    "Workers",
    "left_by_workers",
    "lost_lines",
    "lost_text",
    "mark_position",
    "process_count",
]

_Result = TypeVar("_Result")
_Task = TypeVar("_Task")
_LinesWork = Callable[[list[Lines], int], _Result | None]
# What one process is given at a time: little enough to be held many times over, and enough that
# handing it over takes no time in comparison.
_TASK_SIZE = 1 << 20
# The beginning of a file, which is always done here: for less, it is not worth starting processes.
_BYTES_BEFORE = 1 << 21
_FEWEST = 4  # processes that are started even on a smaller machine
_TASKS_WAITING = 4  # for each process: results that wait for an earlier one
MOST_DEATHS = 3  # of processes at the same position of a task, before it is lost
_MOST_TRIES = 20  # of a task, wherever its processes end

_ENDED = (
    "the processes that work on the same part of the input are ended from outside, perhaps because"
    " memory is short. Use fewer of them: --jobs 1."
)
_NOT_STARTED = "no process can be started ({error}). Use fewer of them: --jobs 1."


def process_count(jobs: int) -> int:
    """How many processes to use: no more than there are processors, and one if they cannot be forked."""
    return min(jobs, max(os.cpu_count() or 1, _FEWEST)) if hasattr(os, "fork") else 1


class Done(NamedTuple, Generic[_Task, _Result]):
    """A task, and what a process made of it.

    Attributes:
        result: None if the process could not do the work, which is left to the caller.
        is_lost: whether it ended several processes, so that the caller must not try it.
    """

    task: _Task
    result: _Result | None
    is_lost: bool = False


def lost_lines(lines: list[Lines]) -> Noted:
    """The records of a lost task: how many, and the sentence about them, with their bytes."""
    first, last = lines[0], lines[-1]
    count = sum([len([1 for line in each.data.split(b"\n") if line.strip()]) for each in lines])
    return Noted(count, (lost_text(first.name, first.offset, last.offset + len(last.data)),))


def lost_text(name: str, start: int, end: int) -> str:
    """The sentence about a part of a file that ended every process which worked on it."""
    return (
        f"{name}: bytes {start} to {end} ended {MOST_DEATHS} processes, perhaps because memory is"
        " short. Look at these lines, or use fewer processes: --jobs 1."
    )


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


class Split(NamedTuple, Generic[_Result]):
    """How the batches of a file can be given to several processes.

    Attributes:
        work: what to do with some lines and a number, the context; see `Workers`.
        add: takes what a process found in some lines, unless this would not be the same as doing
            the work here: then it returns False.
        state: what the work depends on besides the lines. If some lines change it, they are done
            here, and so are all that follow.
        context: computes the context when a process is given its lines.
        lose: called with lines that end every process which works on them. Without it, this is an
            error.
    """

    work: _LinesWork[_Result]
    add: Callable[[_Result], bool]
    state: Callable[[], object]
    context: Callable[[], int] = lambda: 0
    lose: Callable[[list[Lines]], None] | None = None


def left_by_workers(batches: Iterator[Batch], split: Split[_Result], jobs: int) -> Iterator[Batch]:
    """Give the batches of a large file to several processes, and yield those left to this one.

    The caller does the work on each batch before it takes the next.
    """
    size = 0
    for batch in batches:
        yield batch
        size += len(batch.data) if isinstance(batch, Lines) else 0
        if size >= _BYTES_BEFORE and jobs > 1:
            yield from _left_by_workers(cast("Iterator[Lines]", batches), split, jobs)


def _left_by_workers(batches: Iterator[Lines], split: Split[_Result], jobs: int) -> Iterator[Batch]:
    state = split.state()

    def work(message: tuple[list[Lines], int]) -> _Result | None:
        result = split.work(*message)
        return result if split.state() == state else None

    workers: Workers[list[Lines], _Result] = Workers(work, jobs)
    try:
        for done in workers.results(_groups(batches), lambda lines: (lines, split.context())):
            if done.is_lost:
                if split.lose is None:
                    raise WorkerEnded(_ENDED)
                split.lose(done.task)
            elif done.result is None or not split.add(done.result):
                yield from done.task
                if split.state() != state:
                    workers.stop()
    finally:
        workers.close()


def _groups(batches: Iterator[Lines]) -> Iterator[list[Lines]]:
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


_POSITION_SIZE = 8  # bytes of a number
_own_position: list[memoryview[int]] = []  # of this process, if it is a worker


def mark_position(position: int) -> None:
    """Note how far a process is in its task, from 0 on: it tells a task that ends its process from bad luck."""
    if _own_position:
        _own_position[0][0] = position


class _Worker(NamedTuple):
    pid: int
    connection: Connection[Any, Any]


class _Pending(Generic[_Task, _Result]):
    """A task that is not done, or waits for earlier ones."""

    def __init__(self, task: _Task) -> None:
        self.task = task
        self.deaths: Counter[int] = Counter()  # by the position at which a process ended
        self.done: Done[_Task, _Result] | None = None

    def note_death(self, position: int) -> None:
        """Note that a process ended at a position; the task may be lost now.

        A process that is killed from outside ends anywhere. One that the task itself ends, ends at the
        same position each time.
        """
        self.deaths[position] += 1
        if self.deaths[position] == MOST_DEATHS or self.deaths.total() == _MOST_TRIES:
            self.done = Done(self.task, None, is_lost=True)

    @property
    def is_lost(self) -> bool:
        return self.done is not None and self.done.is_lost


class Workers(Generic[_Task, _Result]):
    """Processes that all do the same work, each on other tasks.

    Args:
        work: what to do with a message; None, or an error, leaves the task to the caller.
        jobs: the number of processes. Where they cannot be forked, all is left to the caller.

    Attributes:
        deaths: how many processes were killed, and replaced.
    """

    def __init__(self, work: Callable[[Any], _Result | None], jobs: int) -> None:
        self.deaths = 0
        self._work = work
        self._is_stopped = False
        self._workers: dict[int, _Worker] = {}
        # Where each process is in its task, in memory that it shares with this one.
        self._positions = memoryview(mmap(-1, jobs * _POSITION_SIZE)).cast("q")
        for number in range(jobs) if hasattr(os, "fork") else ():
            self._start(number)

    @property
    def pids(self) -> list[int]:
        """The processes that are running."""
        return [worker.pid for worker in self._workers.values()]

    def _start(self, number: int) -> None:
        """Start a process; a new one of the same number takes the place of one that died."""
        from multiprocessing import Pipe  # most commands start no process

        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()  # what waits to be written would be written by every process
        ours, theirs = Pipe()
        try:
            pid = os.fork()
        except OSError as error:
            raise WorkerEnded(_NOT_STARTED.format(error=error)) from error
        if pid:
            theirs.close()
            self._workers[number] = _Worker(pid, ours)
            return
        try:
            # Without these, a process whose parent is killed finds the end of its input, and ends.
            for connection in (ours, *[worker.connection for worker in self._workers.values()]):
                connection.close()
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends its workers
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            _own_position.append(self._positions[number : number + 1])
            _serve(theirs, self._work)
        finally:
            os._exit(0)  # nothing of the parent is to be cleaned up twice

    def results(
        self,
        tasks: Iterator[_Task],
        message: Callable[[_Task], Any] = lambda task: task,
        *,
        in_order: bool = True,
    ) -> Iterator[Done[_Task, _Result]]:
        """What the processes make of the tasks; each task is taken when a process is free.

        Args:
            tasks: the tasks.
            message: what a process is sent for a task, computed when it is sent.
            in_order: whether results come in the order of the tasks, or as soon as they are there.

        Raises:
            WorkerEnded: no process can be started.
        """
        waiting: deque[_Pending[_Task, _Result]] = deque()  # in the order of the tasks
        busy: dict[int, _Pending[_Task, _Result]] = {}  # by the number of the worker
        has_more = True
        while has_more or waiting:
            if self._is_stopped or not self._workers:
                # Not what is done: it was done before the caller knew what it knows now.
                yield from [Done(pending.task, None, pending.is_lost) for pending in waiting]
                yield from (Done(task, None) for task in tasks)
                return
            while has_more and len(busy) < len(self._workers):
                if len(waiting) >= _TASKS_WAITING * len(self._workers):
                    break
                task = next(tasks, None)
                has_more = task is not None
                if task is not None:
                    pending: _Pending[_Task, _Result] = _Pending(task)
                    waiting.append(pending)
                    self._give(busy, pending, message)
            for number in self._finished(busy) if busy else ():
                self._take(busy, number, message)
            yield from self._ready(waiting, in_order=in_order)

    def _ready(
        self, waiting: deque[_Pending[_Task, _Result]], *, in_order: bool
    ) -> Iterator[Done[_Task, _Result]]:
        """Take what is done from the waiting tasks; in order, only what no earlier task delays."""
        for pending in list(waiting):
            if self._is_stopped or (in_order and pending.done is None):
                return
            if pending.done is not None:
                waiting.remove(pending)
                yield pending.done

    def _give(
        self,
        busy: dict[int, _Pending[_Task, _Result]],
        pending: _Pending[_Task, _Result],
        message: Callable[[_Task], Any],
    ) -> None:
        """Give a task to a free process; one that turns out to be dead is replaced."""
        number = min(self._workers.keys() - busy.keys())
        if self._workers[number].connection.poll():  # it owes no result, so that this is its end
            self._replace(number)  # and the task has no part in it
        while True:
            try:
                self._workers[number].connection.send(message(pending.task))
            except OSError:
                self._end_of(number, pending)
                if pending.is_lost:
                    return
            else:
                busy[number] = pending
                return

    def _take(
        self,
        busy: dict[int, _Pending[_Task, _Result]],
        number: int,
        message: Callable[[_Task], Any],
    ) -> None:
        """Take the result of a process, or replace the process if it died."""
        pending = busy.pop(number)
        try:
            result: _Result | None = self._workers[number].connection.recv()
        except (EOFError, OSError):
            self._end_of(number, pending)
            if not pending.is_lost:
                self._give(busy, pending, message)
        else:
            pending.done = Done(pending.task, result)

    def _end_of(self, number: int, pending: _Pending[_Task, _Result]) -> None:
        """Note that a process ended with a task, and start another one."""
        pending.note_death(self._positions[number])
        self._replace(number)

    def _replace(self, number: int) -> None:
        """Start a process in place of one that died."""
        worker = self._workers.pop(number)
        worker.connection.close()
        with suppress(ProcessLookupError):  # it may have closed its pipe without ending
            os.kill(worker.pid, signal.SIGKILL)
        os.waitpid(worker.pid, 0)
        self.deaths += 1
        self._positions[number] = 0
        self._start(number)

    def _finished(self, numbers: Iterable[int]) -> list[int]:
        """Wait until at least one of these workers has a result; returns those that do."""
        from multiprocessing.connection import wait

        connections = {self._workers[number].connection: number for number in numbers}
        return [connections[found] for found in wait(connections) if found in connections]

    def stop(self) -> None:
        """Leave all further tasks to the caller."""
        self._is_stopped = True

    def close(self) -> None:
        """End the processes."""
        for worker in self._workers.values():
            worker.connection.close()
            os.kill(worker.pid, signal.SIGTERM)
            os.waitpid(worker.pid, 0)
        self._workers = {}


def _serve(connection: Connection[Any, Any], work: Callable[[Any], _Result | None]) -> None:
    """Do the work on all messages that arrive, until the other end is closed."""
    while True:
        try:
            message = connection.recv()
        except (EOFError, OSError):
            return
        mark_position(0)
        result: _Result | None = None
        with suppress(Exception):  # the caller does the same work, and raises the same error
            result = work(message)
        try:
            connection.send(result)
        except OSError:
            return
        except Exception:  # noqa: BLE001  (it cannot be sent, for one of many reasons)
            connection.send(None)
