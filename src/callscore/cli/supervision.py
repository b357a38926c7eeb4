"""Runs a command in a process of its own, whose parent notices when it ends without having finished.

An agent or a scorer can end the process, with exit code 0 too, without an error that Python could
catch. So the parent exits with 0 only if the command has declared that it finished. The declaration,
and the progress of a run, are in memory that both processes share: no file descriptor is needed that
an agent could close or write to.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from mmap import mmap
from typing import TYPE_CHECKING

from msgspec import Struct, msgpack
from msgspec.structs import replace

from callscore.cli.exit_codes import ENDED, INTERRUPTED
from callscore.core.phrases import Language, Phrase, say

if TYPE_CHECKING:
    from callscore.core.results import Result
    from callscore.evaluations.evaluation import Question
    from callscore.runner.running import RunHooks

_PR_SET_PDEATHSIG = 1
_NAMES_SHOWN = 5
_LONGEST_NAME = 200


class Progress(Struct):
    """How far a command is; it changes with every case, and copies would cost time.

    Attributes:
        command: continues the run; empty if the history cannot be used.
        file: the file that is being imported; then the run has not begun.
        total: the number of questions.
        saved: how many of them have a saved result.
        current: the cases that are being answered: the first of them, and how many more.
    """

    command: str
    lang: Language
    file: str = ""
    total: int = 0
    saved: int = 0
    current: tuple[str, ...] = ()


# Shared with the parent: the length of what was reported, and this. Only the process that is the owner
# reports, not the copies that an agent makes of it.
_memory: mmap | None = None
_owner = 0
_SIZE = 32_768
_HEAD = 4


def report(state: Progress | int | None) -> None:
    """Tell the parent, if there is one, how far the command is, or at last its exit code."""
    global _owner  # noqa: PLW0603  (there is one command in a process)
    data = msgpack.encode(state)
    if _memory is not None and _owner == os.getpid() and len(data) <= _SIZE - _HEAD:
        _memory[:_HEAD] = bytes(_HEAD)  # a process that ends meanwhile has reported nothing
        _memory[_HEAD : _HEAD + len(data)] = data
        _memory[:_HEAD] = len(data).to_bytes(_HEAD, "big")
        if isinstance(state, int):
            _owner = 0


@contextmanager
def tracked_run(hooks: RunHooks, begun: Progress) -> Iterator[RunHooks]:
    """The hooks, which also tell the parent how far the run is."""
    from callscore.hiding.hider import Hider  # not before the parent waits

    current: dict[int, str] = {}
    hide = Hider().text  # here: code may have set variables that the parent does not have

    def write() -> None:
        more = len(current) - _NAMES_SHOWN
        names = islice(current.values(), _NAMES_SHOWN)
        begun.current = (*names, f"+{more}") if more > 0 else tuple(names)
        report(begun)

    def on_plan(total: int) -> None:
        begun.total = total
        write()
        hooks.on_plan(total)

    def on_started(question: Question) -> None:
        name = hide(question.case.id)[:_LONGEST_NAME]
        variant = f" [{hide(question.variant)[:_LONGEST_NAME]}]" if question.variant else ""
        current[id(question)] = name + variant
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
        report(None)


def supervise(work: Callable[[], int]) -> int:
    """Run a command in a child process, and return its exit code, in both processes.

    If the child does not finish, a sentence says so, and the code is `ENDED`, or 128 plus the number
    of the signal that ended it. Signals to the parent are passed on. On Linux, the child ends with the
    parent. A process with threads cannot be copied: then the command runs in this one.
    """
    global _memory, _owner  # noqa: PLW0603  (there is one command in a process)
    if not hasattr(os, "fork") or _memory is not None or threading.active_count() > 1:
        return work()
    _memory = mmap(-1, _SIZE)
    names = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")
    every = [signal.Signals[name] for name in names]
    passed_on = {each for each in every if signal.getsignal(each) != signal.SIG_IGN}
    for stream in (sys.stdout, sys.stderr):
        stream.flush()  # or both processes would write what is in its buffer
    before = signal.pthread_sigmask(signal.SIG_BLOCK, passed_on)
    child = os.fork()
    if child:
        if passed_on:
            threading.Thread(target=_pass_on, args=(passed_on, child), daemon=True).start()
        ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        os._exit(_exit_code(ended, bytes(_memory)))  # there is nothing to clean up
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    with suppress(ImportError, OSError, AttributeError):  # other systems
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    _owner = os.getpid()
    try:
        code = work()
    except (KeyboardInterrupt, Exception) as error:  # Python prints it
        report(INTERRUPTED if isinstance(error, KeyboardInterrupt) else 1)
        raise
    report(code)
    return code


# --- the parent ---------------------------------------------------------------------------------


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


def _exit_code(ended: int, memory: bytes) -> int:
    """The exit code of the parent, from that of the child; prints why it did not finish."""
    end = _HEAD + int.from_bytes(memory[:_HEAD], "big")
    state = msgpack.decode(memory[_HEAD:end] or msgpack.encode(None), type=Progress | int | None)
    shown = ended if ended >= 0 else 128 - ended
    if isinstance(state, int):
        return state or shown  # 120 if standard output could not be written, as Python says
    from callscore.cli.output import print_note  # no other parent prints anything

    with suppress(OSError):
        if sys.stderr.isatty():
            sys.stderr.write("\x1b[?25h\n")  # a progress bar hides the cursor
        print_note(_unfinished_note(ended, state or Progress("", "en")))
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
_WITH_CODE = Phrase("ended with exit code {code}", "закончился с кодом {code}")
_BY_SIGNAL = Phrase("was ended by {name}", "прерван сигналом {name}")
_OF_MEMORY = Phrase(" (perhaps too little memory)", " (возможно, не хватило памяти)")
_ANSWERING = Phrase(" while answering {names}", " во время ответа на {names}")
_IMPORTING = Phrase(" while importing {file}", " при импорте {file}")


def _unfinished_note(ended: int, state: Progress) -> str:
    """What to print about a process that ended with a code, or minus the number of a signal."""
    lang = state.lang
    how = say(_WITH_CODE, lang, code=ended)
    if ended < 0:
        names = {each.value: each.name for each in signal.Signals}
        how = say(_BY_SIGNAL, lang, name=names.get(-ended, f"signal {-ended}"))
        how += say(_OF_MEMORY, lang) if -ended == signal.SIGKILL else ""
    if not state.total:
        current = say(_IMPORTING, lang, file=state.file) if state.file else ""
        return say(_COMMAND_UNFINISHED, lang, ended=how, current=current)
    current = say(_ANSWERING, lang, names=", ".join(state.current)) if state.current else ""
    counts = {"saved": f"{state.saved:,}", "total": f"{state.total:,}"}
    go_on = say(_GO_ON, lang, command=state.command) if state.command else ""
    return say(_RUN_UNFINISHED, lang, ended=how, current=current, **counts) + go_on
