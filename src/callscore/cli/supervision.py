"""Runs a command in a process of its own, whose parent notices when it ends without having finished.

A command runs code of others: agents, scorers, plugins. Such code can end the process, with exit
code 0 too, without an error that Python could catch. So the parent exits with 0 only if the command
has declared that it finished. The declaration is in memory that both processes share: no file
descriptor is needed that an agent could close or write to.
"""

from __future__ import annotations

import os
import shlex
import signal
import sys
import threading
from contextlib import contextmanager, suppress
from itertools import islice
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from callscore.cli.exits import ENDED, INTERRUPTED
from callscore.cli.output import print_note
from callscore.core.phrases import Language, Phrase, say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from callscore.core.results import Result
    from callscore.evaluations.evaluation import Question
    from callscore.runner.running import RunHooks

__all__ = ["Progress", "can_supervise", "supervise", "tracked_run", "tracking_files"]

# A server, whose result is not its exit code, and whose tools run in processes of their own.
_UNSUPERVISED = "mcp"
_COMPLETION = "_CALLSCORE_COMPLETE"
_NAMES_SHOWN = 5
_LONGEST_NAME = 200
_LONGEST_PATH = 4_096


class Progress(msgspec.Struct):
    """How far a command is; it changes with every case, and copies would cost time.

    Attributes:
        command: continues the run; empty if the history cannot be used.
        keyword: the `-k` of the run.
        file: the file that is being imported; then the run has not begun.
        total: the number of questions.
        saved: how many of them have a saved result.
        current: the number of questions that are being answered.
        names: the case and the variant of the first of these; without variants, "".
    """

    command: str
    lang: Language
    keyword: str = ""
    file: str = ""
    total: int = 0
    saved: int = 0
    current: int = 0
    names: tuple[tuple[str, str], ...] = ()


_ENCODER = msgspec.msgpack.Encoder()


class Board:
    """Memory of a supervised process that its parent can still read after it has ended.

    A byte for whether the command finished, one for its exit code, and one for which of the two
    slots with the progress is valid: a process that ends while it writes leaves the other one.
    """

    _FINISHED, _CODE, _SLOT, _SLOTS = 0, 1, 2, 8
    _SIZE = 32_768  # of a slot
    _LENGTH = 4  # bytes for the length of what a slot holds

    def __init__(self) -> None:
        from mmap import mmap

        self._memory = mmap(-1, self._SLOTS + 2 * self._SIZE)
        self._owner = 0

    def claim(self) -> None:
        """Make this process the only one that writes; copies that an agent makes of it do not."""
        self._owner = os.getpid()

    def finish(self, code: int) -> None:
        """Declare that the command finished with an exit code."""
        if self._owner == os.getpid():
            self._memory[self._CODE] = code & 0xFF
            self._memory[self._FINISHED] = 1

    @property
    def code(self) -> int | None:
        """The exit code; None if the command did not finish."""
        return self._memory[self._CODE] if self._memory[self._FINISHED] else None

    def write(self, progress: Progress | None) -> None:
        """Replace the progress."""
        data = _ENCODER.encode(progress)
        if self._owner != os.getpid() or len(data) > self._SIZE - self._LENGTH:
            return
        slot = 1 - self._memory[self._SLOT]
        start = self._SLOTS + slot * self._SIZE
        content = len(data).to_bytes(self._LENGTH, "big") + data
        self._memory[start : start + len(content)] = content
        self._memory[self._SLOT] = slot

    def read(self) -> Progress | None:
        """The progress; None if there is none."""
        start = self._SLOTS + self._memory[self._SLOT] * self._SIZE
        begin = start + self._LENGTH
        length = int.from_bytes(self._memory[start:begin], "big")
        if not length:
            return None
        return msgspec.msgpack.decode(self._memory[begin : begin + length], type=Progress | None)


# The board of this process, if it is supervised.
_own_board: Board | None = None


def can_supervise(arguments: Sequence[str]) -> bool:
    """Whether a command can and should have a parent: a copy of a process has only one thread."""
    name = next((word for word in arguments if not word.startswith("-")), None)
    return (
        hasattr(os, "fork")
        and name not in (None, _UNSUPERVISED)
        and _COMPLETION not in os.environ
        and _own_board is None
        and threading.active_count() == 1
        and threading.current_thread() is threading.main_thread()
    )


def supervise(work: Callable[[], int]) -> int:
    """Run a command in a child process, and return its exit code, in both processes.

    If the child does not finish, a sentence says so, and the code is `ENDED`, or 128 plus the number
    of the signal that ended it. Signals to the parent are passed on. The child ends with the parent.
    """
    board = Board()
    passed_on = _signals_to_pass_on()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()  # or both processes would write what is in its buffer
    before = signal.pthread_sigmask(signal.SIG_BLOCK, passed_on)
    alive, parent = os.pipe()
    own = os.getpid()
    child = os.fork()
    if not child:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        os.close(parent)
        _end_with_parent(own, alive)
        return _work(work, board)
    os.close(alive)
    if passed_on:
        threading.Thread(target=_pass_on, args=(passed_on, child), daemon=True).start()
    os._exit(_code(os.waitpid(child, 0)[1], board))  # there is nothing to clean up


def _work(work: Callable[[], int], board: Board) -> int:
    """Run the command in the child."""
    global _own_board  # noqa: PLW0603  (there is one command in a process)
    _own_board = board
    board.claim()
    try:
        code = work()
    except KeyboardInterrupt:
        board.finish(INTERRUPTED)
        raise
    except Exception:  # Python prints it
        board.finish(1)
        raise
    board.finish(code)
    return code


# --- the child ----------------------------------------------------------------------------------

_PR_SET_PDEATHSIG = 1


def _end_with_parent(parent: int, alive: int) -> None:
    """Make this process end when its parent does, even by `kill -9`.

    `alive` is a pipe that only the parent holds open. The thread that waits for its end cannot run
    while code in C does not release the interpreter; Linux can end the process without it.
    """
    if sys.platform == "linux":
        with suppress(ImportError, OSError, AttributeError):
            import ctypes

            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    threading.Thread(target=_wait_for_end, args=(parent, alive), daemon=True).start()


def _wait_for_end(parent: int, alive: int) -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())  # they are for other threads
    with suppress(OSError):  # an agent closed it
        os.read(alive, 1)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


# --- the parent ---------------------------------------------------------------------------------


def _signals_to_pass_on() -> set[signal.Signals]:
    """Signals by which a process is asked to end or to do something, unless they are ignored."""
    names = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")
    return {
        each for name in names if signal.getsignal(each := signal.Signals[name]) != signal.SIG_IGN
    }


def _pass_on(numbers: set[signal.Signals], child: int) -> None:
    """Pass signals on to the child, except those of the terminal, which sends them to both."""
    while True:
        if hasattr(signal, "sigwaitinfo"):
            found = signal.sigwaitinfo(numbers)
            number, is_of_terminal = found.si_signo, found.si_code > 0
        else:  # on macOS; a run takes two within a moment for one
            number, is_of_terminal = signal.sigwait(numbers), False
        if not is_of_terminal:
            with suppress(ProcessLookupError):
                os.kill(child, number)


def _code(status: int, board: Board) -> int:
    """The exit code of the parent, from the status of the child; prints why it did not finish."""
    ended = os.waitstatus_to_exitcode(status)
    shown = ended if ended >= 0 else 128 - ended
    if board.code is not None:
        if ended < 0:  # of 120, for standard output that could not be written, Python says why
            print_note(f"the command finished, but its process was ended by {_signal_name(-ended)}")
        return board.code or shown
    with suppress(OSError):
        if sys.stderr is not None and sys.stderr.isatty():
            sys.stderr.write("\x1b[?25h\n")  # a progress bar hides the cursor
        progress = board.read()
        print_note(unfinished_text(ended, progress))
        advice = advice_text(ended, progress)
        if advice is not None:
            print_note(advice)
    return ENDED if ended >= 0 else shown


_COMMAND_UNFINISHED = Phrase(
    "the command did not finish: its process {ended}{current}",
    "команда не завершена: процесс {ended}{current}",
)
_RUN_UNFINISHED = Phrase(
    "the run did not finish: its process {ended}{current}; {saved} of {total} results are saved",
    "прогон не завершён: процесс {ended}{current}; сохранено результатов: {saved} из {total}",
)
_GO_ON = Phrase(". To continue: {command}", ". Продолжить: {command}")
_LEAVE_OUT = Phrase(
    "if {name} ends it again, leave it out: -k {keyword}",
    "если {name} снова завершит процесс, исключите его: -k {keyword}",
)
_FIND_OUT = Phrase(
    "if it ends again, find out which case ends it: --jobs 1",
    "если процесс снова завершится, найдите случай, который его завершает: --jobs 1",
)
_WITH_CODE = Phrase("ended with exit code {code}", "закончился с кодом {code}")
_BY_SIGNAL = Phrase("was ended by {name}", "прерван сигналом {name}")
_BY_SIGKILL = Phrase(
    "was ended by SIGKILL (perhaps too little memory)",
    "прерван сигналом SIGKILL (возможно, не хватило памяти)",
)
_ANSWERING = Phrase(" while answering {names}", " во время ответа на {names}")
_IMPORTING = Phrase(" while importing {file}", " при импорте {file}")
# By which users end a process: no case is the cause.
_OF_USERS = frozenset(("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"))


def unfinished_text(ended: int, progress: Progress | None) -> str:
    """What to print about a process that ended with a code, or minus the number of a signal."""
    lang = "en" if progress is None else progress.lang
    how = _how_it_ended(ended, lang)
    if progress is None or progress.file:
        current = say(_IMPORTING, lang, file=progress.file) if progress is not None else ""
        return say(_COMMAND_UNFINISHED, lang, ended=how, current=current)
    more = progress.current - len(progress.names)
    names = ", ".join(map(_name_text, progress.names)) + (f", +{more}" if more > 0 else "")
    sentence = say(
        _RUN_UNFINISHED,
        lang,
        ended=how,
        current=say(_ANSWERING, lang, names=names) if progress.names else "",
        saved=f"{progress.saved:,}",
        total=f"{progress.total:,}",
    )
    return sentence + (say(_GO_ON, lang, command=progress.command) if progress.command else "")


def advice_text(ended: int, progress: Progress | None) -> str | None:
    """What to do if a case ends the process each time; None if no case may be the cause."""
    from callscore.hiding.markers import has_marker

    is_of_user = ended < 0 and _signal_name(-ended) in _OF_USERS
    if progress is None or is_of_user or not (progress.command and progress.names):
        return None
    if progress.current > 1:
        return say(_FIND_OUT, progress.lang)
    ((case, _),) = progress.names
    quote = next((mark for mark in "\"'" if mark not in case), None)
    if quote is None or has_marker(case):  # no expression has such a word
        return None
    leave_out = f"not {case if case.isidentifier() else quote + case + quote}"
    if progress.keyword:
        leave_out = f"({progress.keyword}) and {leave_out}"
    return say(_LEAVE_OUT, progress.lang, name=case, keyword=shlex.quote(leave_out))


def _name_text(name: tuple[str, str]) -> str:
    case, variant = name
    return f"{case} [{variant}]" if variant else case


def _how_it_ended(ended: int, lang: Language) -> str:
    if ended >= 0:
        return say(_WITH_CODE, lang, code=ended)
    name = _signal_name(-ended)
    return say(_BY_SIGKILL, lang) if name == "SIGKILL" else say(_BY_SIGNAL, lang, name=name)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # of real time
        return f"signal {number}"


# --- the progress of a run ----------------------------------------------------------------------


@contextmanager
def tracking_files(lang: Language) -> Iterator[Callable[[Path], None]]:
    """A function for the file that is imported next, which its parent names if the process ends."""
    board = _own_board
    if board is None:
        yield lambda _: None
        return
    try:
        yield lambda file: board.write(Progress("", lang, file=str(file)[-_LONGEST_PATH:]))
    finally:
        board.write(None)


@contextmanager
def tracked_run(hooks: RunHooks, begun: Progress) -> Iterator[RunHooks]:
    """The hooks, which also write the progress to the board if this process is supervised."""
    board = _own_board
    if board is None:
        yield hooks
        return
    from callscore.hiding.hider import Hider

    current: dict[int, tuple[str, str]] = {}
    hide = Hider().text  # here: code may have set variables that the parent does not have

    def write() -> None:
        begun.current = len(current)
        begun.names = tuple(islice(current.values(), _NAMES_SHOWN))
        board.write(begun)

    def on_plan(total: int) -> None:
        begun.total = total
        write()
        hooks.on_plan(total)

    def on_started(question: Question) -> None:
        case, variant = hide(question.case.id or ""), hide(question.variant or "")
        current[id(question)] = case[:_LONGEST_NAME], variant[:_LONGEST_NAME]
        write()
        hooks.on_started(question)

    def on_done(question: Question, result: Result) -> None:
        current.pop(id(question), None)
        begun.saved += 1
        write()
        hooks.on_done(question, result)

    try:
        yield replace(hooks, on_plan=on_plan, on_started=on_started, on_done=on_done)
    finally:
        board.write(None)
