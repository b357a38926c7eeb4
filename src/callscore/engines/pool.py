"""Work in several processes, with the same results as in one; a process that dies is replaced.

What was being done when a process dies is done again, alone in a new one. A task that ends three processes at the same
position is lost, or a few more where no position is known, and the others go on.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar, cast

from callscore.core.results import Noted
from callscore.errors import WorkerEnded
from callscore.sources import Batch, Lines

if TYPE_CHECKING:
    from concurrent.futures import Future

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
_MOST_DEATHS_NOWHERE = 6  # of processes that began, in turn; more, because this takes its time
_MOST_TRIES = 20  # of a task, wherever its processes end
_NOWHERE = -1  # the position before a task begins
LOST_RECORD = (
    f"this record ended {MOST_DEATHS} processes, perhaps because memory is short. Look at it, or use"
    " fewer processes: --jobs 1."
)

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


def _do(slot: int | None, message: Any) -> Any:
    """Do the work on a message; None if that is not possible, because the caller then raises the same error."""
    mark_position(_NOWHERE)
    try:
        return _put(slot, _own_work[0](_taken(slot, message)))
    except Exception:  # noqa: BLE001  (whatever it is, the caller does the same work)
        return _put(slot, None)


def mark_position(position: int) -> None:
    """Note how far a process is in its task: it tells a task that ends its process from bad luck."""
    if _own_position:
        _own_position[0].value = position


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


class Done(NamedTuple, Generic[_Task, _Result]):
    """A task, and what a process made of it.

    Attributes:
        result: None if the process could not do the work, which is left to the caller.
        lost_at: if it ended several processes, the position at which they ended, so that the caller must not try it;
            -1 if that is before or outside of the task, or at several.
        deaths: how many processes it ended, if it is lost.
    """

    task: _Task
    result: _Result | None
    lost_at: int | None = None
    deaths: int = 0


class _Given(NamedTuple):
    """A message that processes were given.

    Attributes:
        slot: where it is, and its result will be.
    """

    future: Future[Any]
    slot: int | None


class _Processes:
    """Some processes that do the same work; they start with the first message."""

    def __init__(self, work: Callable[[Any], Any], jobs: int, position: Any = None) -> None:
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        context, is_copied = get_context(START_METHOD), START_METHOD == "fork"
        self._executor = ProcessPoolExecutor(jobs, context, _begin, (work, position))
        self._slots = [
            os.memfd_create("callscore") if is_copied else None for _ in range(jobs * _TASKS_AHEAD)
        ]
        self._free = [*self._slots]

    @property
    def has_room(self) -> bool:
        """Whether they take another message."""
        return bool(self._free)

    def give(self, message: Any) -> _Given | None:
        """Give them a message; None if one of them is dead.

        Raises:
            WorkerEnded: no process can be started.
        """
        from concurrent.futures.process import BrokenProcessPool

        slot = self._free[-1]
        try:
            future = self._executor.submit(_do, slot, _put(slot, message))
        except BrokenProcessPool:
            return None
        except OSError as error:
            raise WorkerEnded(_NOT_STARTED.format(error=error)) from error
        self._free.pop()
        return _Given(future, slot)

    def result(self, given: _Given) -> Any:
        """What they made of a message; waits for it.

        Raises:
            BrokenProcessPool: one of them died.
        """
        from concurrent.futures.process import BrokenProcessPool

        try:
            return _taken(given.slot, given.future.result())
        except BrokenProcessPool:
            raise
        except Exception:  # noqa: BLE001  (the result could not be sent, for one of many reasons)
            return None
        finally:
            self._free.append(given.slot)

    def end(self) -> None:
        """End them, whatever they do."""
        # There is no public way before Python 3.14.
        for process in list((self._executor._processes or {}).values()):  # noqa: SLF001
            process.kill()
        self._executor.shutdown(cancel_futures=True)
        for slot in self._slots:
            if slot is not None:
                os.close(slot)


class _Pending(Generic[_Task, _Result]):
    """A task that is not done, or waits for earlier ones."""

    def __init__(self, task: _Task) -> None:
        self.task = task
        self.given: _Given | None = None  # None if the processes were dead before it began
        self.done: Done[_Task, _Result] | None = None

    def is_dead(self, processes: _Processes) -> bool:
        """Take the result, if there is one; returns whether a process has died instead."""
        from concurrent.futures.process import BrokenProcessPool

        if self.done is not None:
            return False
        if self.given is None:
            return True
        try:
            if self.given.future.done():
                self.done = Done(self.task, processes.result(self.given))
        except BrokenProcessPool:
            return True
        return False


class Pool(Generic[_Task, _Result]):
    """Processes that all do the same work, each on other tasks.

    Args:
        work: what to do with a message; None, or an error, leaves the task to the caller.
        jobs: the number of processes.
        message: what a process is sent for a task, computed when it is sent.

    Attributes:
        deaths: how many processes were killed, and replaced.
    """

    def __init__(
        self,
        work: Callable[[Any], _Result | None],
        jobs: int,
        message: Callable[[_Task], Any] = lambda task: task,
    ) -> None:
        self.deaths = 0
        self._work = work
        self._jobs = jobs
        self._message = message
        self._is_stopped = not _can_be_sent(work)
        self._processes: _Processes | None = None

    def results(self, tasks: Iterator[_Task]) -> Iterator[Done[_Task, _Result]]:
        """What the processes make of the tasks, in their order; each is taken shortly before a process is free.

        Raises:
            WorkerEnded: no process can be started.
        """
        from concurrent.futures import FIRST_COMPLETED, wait

        waiting: deque[_Pending[_Task, _Result]] = deque()
        has_more = True
        while (has_more or waiting) and not self._is_stopped:
            processes = self._processes = self._processes or _Processes(self._work, self._jobs)
            while has_more and processes.has_room and len(waiting) < _TASKS_WAITING * self._jobs:
                task = next(tasks, None)
                has_more = task is not None
                if task is not None:
                    waiting.append(_Pending(task))
                    waiting[-1].given = processes.give(self._message(task))
            # All of them take their results.
            if any([pending.is_dead(processes) for pending in waiting]):  # noqa: C419
                self._repeat(waiting)
            first = waiting[0].done if waiting else None
            if first is not None:
                waiting.popleft()
                yield first
            elif waiting:
                futures = [each.given.future for each in waiting if each.given and not each.done]
                wait(futures, None, FIRST_COMPLETED)
        # Not what is done: it was done before the caller knew what it knows now.
        for each in waiting:
            yield each.done._replace(result=None) if each.done else Done(each.task, None)
        yield from (Done(task, None) for task in tasks)

    def _repeat(self, waiting: Iterable[_Pending[_Task, _Result]]) -> None:
        """Do what was not done when a process died: it may be the cause, so that each is done alone."""
        self.deaths += 1
        self.close()
        for pending in waiting:
            pending.done = pending.done or self.alone(pending.task)

    def alone(self, task: _Task) -> Done[_Task, _Result]:
        """Do a task in a process of its own, and if it dies in another one.

        A process that is killed from outside ends anywhere. One that the task itself ends, ends at the
        same position each time.
        """
        from concurrent.futures.process import BrokenProcessPool
        from multiprocessing import get_context

        deaths: list[int] = []  # their positions
        position = get_context(START_METHOD).RawValue("q", _NOWHERE)
        while True:
            position.value = _NOWHERE
            processes = _Processes(self._work, 1, position)
            try:
                given = processes.give(self._message(task))
                if given is not None:
                    return Done(task, processes.result(given))
            except BrokenProcessPool:
                pass
            finally:
                processes.end()
            self.deaths += 1
            deaths.append(position.value)
            most = _MOST_DEATHS_NOWHERE if deaths[-1] == _NOWHERE else MOST_DEATHS
            is_cause = deaths[-most:] == [deaths[-1]] * most
            if is_cause or len(deaths) == _MOST_TRIES:
                return Done(task, None, deaths[-1] if is_cause else _NOWHERE, len(deaths))

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


def lost_lines(lines: list[Lines], deaths: int) -> Noted:
    """The records of a lost task: how many, and the sentence about them, with their bytes."""
    first, last = lines[0], lines[-1]
    count = sum([len([1 for line in each.data.split(b"\n") if line.strip()]) for each in lines])
    text = (
        f"{first.name}: bytes {first.offset} to {last.offset + len(last.data)} ended {deaths} processes, perhaps"
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
    def state(self) -> Hashable: ...  # noqa: D102  (above)
    def __call__(self, lines: list[Lines], context: int, /) -> _ResultOfLines_co: ...  # noqa: D102  (above)


class LineWork(NamedTuple, Generic[_Result]):
    """How the batches of a file can be given to several processes.

    Attributes:
        work: what they do with lines.
        add: takes what a process found in some lines, unless this would not be the same as doing
            the work here: then it returns False.
        state: what the work depends on here. If some lines change it, they are done here, and so are all that
            follow.
        context: computes the context when a process is given its lines.
        lose: called with lines that end every process which works on them, and how many it ended. Without it, this is an
            error.
    """

    work: WorkOnLines[_Result]
    add: Callable[[_Result], bool]
    state: Callable[[], Hashable]
    context: Callable[[], int] = lambda: 0
    lose: Callable[[list[Lines], int], None] | None = None


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
    pool: Pool[list[Lines], _Result] = Pool(
        _InOneState(given.work), jobs, lambda lines: (lines, given.context())
    )
    try:
        for done in pool.results(_groups(batches)):
            if done.lost_at is not None:
                if given.lose is None:
                    raise WorkerEnded(_ENDED)
                given.lose(done.task, done.deaths)
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
