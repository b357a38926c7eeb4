"""The entry point: runs a command, which imports only what it needs; some in a process of their own."""

from __future__ import annotations

import gc
import os
import sys
from typing import NoReturn

# They run agents and scorers, which may end the process.
_SUPERVISED = ("run", "rescore")


def main() -> NoReturn:
    """Run the program and exit.

    What a program imports lives until it ends. To search it for garbage, while it is imported, again
    and again while the command runs, and at the end, would take a tenth of the time of a short
    command.
    """
    _open_closed_streams()
    gc.disable()
    name = next((word for word in sys.argv[1:] if not word.startswith("-")), None)
    if name not in _SUPERVISED:
        sys.exit(_run(name))
    from callscore.cli.supervision import supervise

    sys.exit(supervise(lambda: _run(name)))


def _open_closed_streams() -> None:
    """Discard what is written to a stream that the parent process has closed, as `2>&-` does.

    The next file that is opened, such as the history, would get its number otherwise. Standard input that
    is closed stays an error of the commands that read it.
    """
    closed = [each for each in ("stdin", "stdout", "stderr") if getattr(sys, each) is None]
    for name in closed:  # each takes the lowest number that is free
        number = os.open(os.devnull, os.O_RDWR)
        os.set_inheritable(number, True)  # noqa: FBT003  (it takes no name)
        if name != "stdin":
            stream = open(number, "w", encoding="utf-8", closefd=False)  # noqa: SIM115  (until the end)
            setattr(sys, name, stream)


def _run(name: str | None) -> int:
    from callscore.cli.program import COMMANDS, import_command

    if name in COMMANDS:
        import_command(name)
    gc.freeze()
    gc.enable()
    return run_command()


def run_command() -> int:
    """Run the command, print its error if there is one, and return the exit code."""
    from callscore.cli.program import run_program

    return run_program()
