"""Runs a command in a process of its own, whose parent notices when it ends without having finished.

An agent or a scorer can end the process, with exit code 0 too, without an error that Python could
catch. So the parent exits with 0 only if the command has declared that it finished. The declaration,
and the progress of a run, are in memory that both processes share: no file descriptor is needed that
an agent could close or write to.
"""

from __future__ import annotations

import os
import shlex
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from mmap import mmap
from time import sleep
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
_TICK = 0.5  # seconds between two looks at the parent
_NAMES_SHOWN = 5
_LONGEST_NAME = 200


class Progress(Struct):
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


def _reported(memory: mmap) -> Progress | int | None:
    length = int.from_bytes(memory[:_HEAD], "big")
    data = memory[_HEAD : _HEAD + length]
    return msgpack.decode(data, type=Progress | int | None) if data else None


# --- both processes -----------------------------------------------------------------------------


def supervise(work: Callable[[], int]) -> int:
    """Run a command in a child process, and return its exit code, in both processes.

    If the child does not finish, a sentence says so, and the code is `ENDED`, or 128 plus the number
    of the signal that ended it. Signals to the parent are passed on. The child ends with the parent.
    A process with threads cannot be copied: then the command runs in this one.
    """
    global _memory, _owner  # noqa: PLW0603  (there is one command in a process)
    if not hasattr(os, "fork") or _memory is not None or threading.active_count() > 1:
        return work()
    _memory = mmap(-1, _SIZE)
    passed_on = _signals_to_pass_on()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()  # or both processes would write what is in its buffer
    before = signal.pthread_sigmask(signal.SIG_BLOCK, passed_on)
    parent = os.getpid()
    child = os.fork()
    if not child:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        _end_with(parent)
        _owner = os.getpid()
        return _work(work)
    if passed_on:
        threading.Thread(target=_pass_on, args=(passed_on, child), daemon=True).start()
    os._exit(_code(os.waitpid(child, 0)[1], _reported(_memory)))  # there is nothing to clean up


# --- the child ----------------------------------------------------------------------------------


def _work(work: Callable[[], int]) -> int:
    try:
        code = work()
    except (KeyboardInterrupt, Exception) as error:  # Python prints it
        report(INTERRUPTED if isinstance(error, KeyboardInterrupt) else 1)
        raise
    report(code)
    return code


def _end_with(parent: int) -> None:
    """Make this process end when its parent does, even by `kill -9`.

    Linux does it, even while code in C does not release the interpreter; elsewhere a thread looks.
    """
    with suppress(ImportError, OSError, AttributeError):
        import ctypes

        is_refused = ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if not is_refused and os.getppid() == parent:
            return
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())  # they are for other threads
    while os.getppid() == parent:
        sleep(_TICK)
    os.kill(os.getpid(), signal.SIGKILL)


@contextmanager
def tracked_run(hooks: RunHooks, begun: Progress) -> Iterator[RunHooks]:
    """The hooks, which also tell the parent how far the run is."""
    from callscore.hiding.hider import Hider  # not before the parent waits

    current: dict[int, tuple[str, str]] = {}
    hide = Hider().text  # here: code may have set variables that the parent does not have

    def write() -> None:
        begun.current = len(current)
        begun.names = tuple(islice(current.values(), _NAMES_SHOWN))
        report(begun)

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
        report(None)


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


def _code(status: int, state: Progress | int | None) -> int:
    """The exit code of the parent, from the status of the child; prints why it did not finish."""
    ended = os.waitstatus_to_exitcode(status)
    shown = ended if ended >= 0 else 128 - ended
    if isinstance(state, int) and ended >= 0:
        return state or shown  # 120 if standard output could not be written, as Python says
    from callscore.cli.output import print_note  # no other parent prints anything

    if isinstance(state, int):
        print_note(f"the command finished, but its process was ended by {_signal_name(-ended)}")
        return state or shown
    with suppress(OSError):
        if sys.stderr.isatty():
            sys.stderr.write("\x1b[?25h\n")  # a progress bar hides the cursor
        print_note(_unfinished_text(ended, state))
        advice = advice_text(ended, state)
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


def _unfinished_text(ended: int, progress: Progress | None) -> str:
    """What to print about a process that ended with a code, or minus the number of a signal."""
    lang = "en" if progress is None else progress.lang
    how = _how_it_ended(ended, lang)
    if progress is None or progress.file:
        current = "" if progress is None else say(_IMPORTING, lang, file=progress.file)
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
    from callscore.hiding.finding import OPENING

    is_of_user = ended < 0 and _signal_name(-ended) in _OF_USERS
    if progress is None or is_of_user or not (progress.command and progress.names):
        return None
    if progress.current > 1:
        return say(_FIND_OUT, progress.lang)
    ((case, _),) = progress.names
    quote = next((mark for mark in "\"'" if mark not in case), None)
    if quote is None or OPENING in case:  # no expression has such a word
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
