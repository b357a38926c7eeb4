"""Batches of lines in several processes, with the same results in the same order as in one.

This process reads the input, and forked copies of it do the work: all that they need is in them
already. Each result is taken back in the order of the input, so that nothing depends on which process
is done first.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar, cast

from callscore.errors import WorkerEnded
from callscore.sources import Lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from multiprocessing.connection import Connection

    from callscore.sources import Array, BadRecord, Record

    Batch = Lines | Array | Record | BadRecord

__all__ = ["Done", "Parts", "Split", "Workers", "left_by_workers", "process_count"]

_Result = TypeVar("_Result")
_Work = Callable[[list[Lines], int], _Result | None]
# What one process is given at a time: little enough to be held many times over, and enough that
# handing it over takes no time in comparison.
_TASK_SIZE = 1 << 20
# The beginning of a file, which is always done here: for less, it is not worth starting processes.
_BYTES_BEFORE = 1 << 21
_FEWEST = 4  # processes that are started even on a smaller machine
_TASKS_WAITING = 4  # for each process: results that wait for an earlier one


_ENDED = (
    "one of the processes was ended from outside, perhaps because memory was short."
    " Use fewer of them: --jobs 1."
)


def process_count(jobs: int) -> int:
    """How many processes to use: no more than there are processors, and one if they cannot be forked."""
    return min(jobs, max(os.cpu_count() or 1, _FEWEST)) if hasattr(os, "fork") else 1


class Done(NamedTuple, Generic[_Result]):
    """Some lines, and what a process found in them; None if it could not do the work."""

    lines: list[Lines]
    result: _Result | None


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
        work: see `Workers`.
        add: takes what a process found in some lines, unless this would not be the same as doing
            the work here: then it returns False.
        state: what the work depends on besides the lines. If some lines change it, they are done
            here, and so are all that follow.
        context: see `Workers.results`.
    """

    work: _Work[_Result]
    add: Callable[[_Result], bool]
    state: Callable[[], object]
    context: Callable[[], int] = lambda: 0


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

    def work(lines: list[Lines], context: int) -> _Result | None:
        result = split.work(lines, context)
        return result if split.state() == state else None

    workers = Workers(work, jobs)
    try:
        for done in workers.results(batches, split.context):
            if done.result is None or not split.add(done.result):
                yield from done.lines
                if split.state() != state:
                    workers.stop()
    finally:
        workers.close()


class _Worker(NamedTuple):
    pid: int
    connection: Connection[Any, Any]


class Workers(Generic[_Result]):
    """Processes that all do the same work, each on other lines.

    Args:
        work: what to do with some lines and a number, the context of the work; None, or an error,
            leaves the lines to the caller.
        jobs: the number of processes.
    """

    def __init__(self, work: _Work[_Result], jobs: int) -> None:
        from callscore.hiding.markers import current_markers

        current_markers()  # of all processes, so that a secret has the same marker everywhere
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()  # what waits to be written would be written by every process
        self._is_stopped = False
        self._workers: list[_Worker] = []
        for _ in range(jobs):
            self._workers.append(self._start(work))

    def _start(self, work: _Work[_Result]) -> _Worker:
        from multiprocessing import Pipe  # most commands start no process

        ours, theirs = Pipe()
        pid = os.fork()
        if pid:
            theirs.close()
            return _Worker(pid, ours)
        try:
            # Without these, a process whose parent is killed finds the end of its input, and ends.
            for connection in (ours, *[worker.connection for worker in self._workers]):
                connection.close()
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends its workers
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            _serve(theirs, work)
        finally:
            os._exit(0)  # nothing of the parent is to be cleaned up twice

    def results(
        self, batches: Iterator[Lines], context: Callable[[], int] = lambda: 0
    ) -> Iterator[Done[_Result]]:
        """What the processes find in the lines, in the order of the lines.

        The context is computed when a process is given its lines.

        Raises:
            WorkerEnded: a process was killed.
        """
        tasks = _tasks(batches)
        waiting: deque[_Task[_Result]] = deque()  # in the order of the input
        busy: dict[int, _Task[_Result]] = {}  # by the number of the worker
        has_more = True
        while has_more or waiting:
            if self._is_stopped:
                yield from [Done(task.lines, None) for task in waiting]
                yield from (Done(lines, None) for lines in tasks)
                return
            while has_more and len(busy) < len(self._workers):
                if len(waiting) >= _TASKS_WAITING * len(self._workers):
                    break
                lines = next(tasks, None)
                has_more = lines is not None
                if lines is not None:
                    number = min(set(range(len(self._workers))) - busy.keys())
                    busy[number] = _Task(lines)
                    waiting.append(busy[number])
                    self._send(number, (lines, context()))
            for number in self._finished(busy) if busy else ():
                task = busy.pop(number)
                task.result = self._receive(number)
                task.is_done = True
            while waiting and waiting[0].is_done and not self._is_stopped:
                task = waiting.popleft()
                yield Done(task.lines, task.result)

    def _finished(self, numbers: Iterable[int]) -> list[int]:
        """Wait until at least one of these workers has a result; returns those that do."""
        from multiprocessing.connection import wait

        connections = {self._workers[number].connection: number for number in numbers}
        return [connections[found] for found in wait(connections) if found in connections]

    def _send(self, number: int, task: tuple[list[Lines], int]) -> None:
        try:
            self._workers[number].connection.send(task)
        except OSError as error:
            raise WorkerEnded(_ENDED) from error

    def _receive(self, number: int) -> _Result | None:
        try:
            result: _Result | None = self._workers[number].connection.recv()
        except (EOFError, OSError) as error:
            raise WorkerEnded(_ENDED) from error
        return result

    def stop(self) -> None:
        """Leave all further lines to the caller."""
        self._is_stopped = True

    def close(self) -> None:
        """End the processes."""
        for worker in self._workers:
            worker.connection.close()
            os.kill(worker.pid, signal.SIGTERM)
            os.waitpid(worker.pid, 0)
        self._workers = []


class _Task(Generic[_Result]):
    def __init__(self, lines: list[Lines]) -> None:
        self.lines = lines
        self.result: _Result | None = None
        self.is_done = False


def _tasks(batches: Iterator[Lines]) -> Iterator[list[Lines]]:
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


def _serve(connection: Connection[Any, Any], work: _Work[_Result]) -> None:
    """Do the work on all lines that arrive, until the other end is closed."""
    while True:
        try:
            lines, context = connection.recv()
        except (EOFError, OSError):
            return
        result: _Result | None = None
        with suppress(Exception):  # the caller does the same work, and raises the same error
            result = work(lines, context)
        try:
            connection.send(result)
        except OSError:
            return
        except Exception:  # noqa: BLE001  (it cannot be sent, for one of many reasons)
            connection.send(None)
