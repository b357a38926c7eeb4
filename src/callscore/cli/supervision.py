"""Runs a command in a process of its own, whose parent notices when it ends without having finished.

A command runs code of others: agents, scorers, plugins. Such code can end the process, with exit
code 0 too, without an error that Python could catch. So the parent exits with 0 only if the command
has declared that it finished. The declaration is in memory that both processes share: no file
descriptor is needed that an agent could close or write to.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress
from select import select
from typing import TYPE_CHECKING

from callscore.cli.board import Board, own_board, use_board
from callscore.cli.exit_codes import ENDED, INTERRUPTED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["can_supervise", "command_name", "heed_interrupts", "supervise"]

# A server, whose result is not its exit code, and whose tools run in processes of their own.
_UNSUPERVISED = "mcp"
# It ends only when it is asked to.
_ENDLESS = "receive"
# They run no agents, and end within a moment.
_READING = ("baseline", "compare", "gate", "history", "show")
_COMPLETION = "_CALLSCORE_COMPLETE"


def command_name(arguments: Sequence[str]) -> str | None:
    """The name of the command in the arguments of the program; None without one."""
    return next((word for word in arguments if not word.startswith("-")), None)


def can_supervise(arguments: Sequence[str]) -> bool:
    """Whether a command can and should have a parent: a copy of a process has only one thread."""
    return (
        hasattr(os, "fork")
        and command_name(arguments) not in (None, _UNSUPERVISED)
        and _COMPLETION not in os.environ
        and own_board() is None
        and threading.active_count() == 1
        and threading.current_thread() is threading.main_thread()
    )


def supervise(work: Callable[[], int]) -> int:
    """Run a command in a child process, and return its exit code, in both processes.

    If the child does not finish, a sentence says so, and the code is `ENDED`, or 128 plus the number
    of the signal that ended it. Signals to the parent are passed on. The child ends with the parent.
    """
    board = Board()
    if command_name(sys.argv[1:]) == _ENDLESS:
        heed_interrupts()
    passed_on = _signals_to_pass_on()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()  # or both processes would write what is in its buffer
    before = signal.pthread_sigmask(signal.SIG_BLOCK, passed_on)
    alive, parent = os.pipe()
    own = os.getpid()
    child = os.fork()
    if not child:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        os.close(parent)
        is_short = command_name(sys.argv[1:]) in _READING
        _end_with_parent(own, alive, after=_MOMENT if is_short else 0)
        return _work(work, board)
    os.close(alive)
    if passed_on:
        threading.Thread(target=_pass_on, args=(passed_on, child), daemon=True).start()
    os._exit(_code(os.waitpid(child, 0)[1], board))  # there is nothing to clean up


def heed_interrupts() -> None:
    """Let SIGINT end this process, even if it is ignored: a shell starts the commands of `&` that way."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _work(work: Callable[[], int], board: Board) -> int:
    """Run the command in the child."""
    use_board(board)
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


_MOMENT = 1.0  # seconds


def _end_with_parent(parent: int, alive: int, *, after: float) -> None:
    """Make this process end when its parent does, even by `kill -9`.

    `alive` is a pipe that only the parent holds open. The thread that waits for its end cannot run
    while code in C does not release the interpreter; Linux can end the process without it. Linux is
    asked `after` some seconds: importing what asks it takes longer than many short commands work.
    """
    if not after:
        _ask_to_be_ended()
    wait = threading.Thread(target=_wait_for_end, args=(parent, alive, after), daemon=True)
    wait.start()


def _ask_to_be_ended() -> None:
    """Ask Linux to end this process with its parent."""
    if sys.platform == "linux":
        with suppress(ImportError, OSError, AttributeError):
            import ctypes

            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _wait_for_end(parent: int, alive: int, after: float) -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())  # they are for other threads
    with suppress(OSError, ValueError):  # an agent closed it
        if after and not select([alive], [], [], after)[0]:
            _ask_to_be_ended()
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
    finished = board.code
    if finished is not None and ended >= 0:
        return (
            finished or shown
        )  # of 120, for standard output that could not be written, Python says why
    # Imported only here: while a command finishes, its parent prints nothing.
    from callscore.cli.output import print_note
    from callscore.cli.unfinished import advice_text, read_progress, signal_name, unfinished_text

    if finished is not None:
        print_note(f"the command finished, but its process was ended by {signal_name(-ended)}")
        return finished or shown
    with suppress(OSError):
        if sys.stderr.isatty():
            sys.stderr.write("\x1b[?25h\n")  # a progress bar hides the cursor
        progress = read_progress(board)
        print_note(unfinished_text(ended, progress))
        advice = advice_text(ended, progress)
        if advice is not None:
            print_note(advice)
    return ENDED if ended >= 0 else shown
