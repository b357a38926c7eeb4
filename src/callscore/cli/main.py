"""The entry point: runs the program in a process of its own, which imports only what it needs."""

from __future__ import annotations

import gc
import sys
from typing import NoReturn

from callscore.cli.supervision import can_supervise, command_name, supervise

__all__ = ["main", "run_command"]


def main() -> NoReturn:
    """Run the program and exit."""
    sys.exit(supervise(_run) if can_supervise(sys.argv[1:]) else _run())


def _run() -> int:
    """Import the command and run it.

    What a program imports lives until it ends. To search it for garbage, while it is imported, again
    and again while the command runs, and at the end, would take a tenth of the time of a short
    command.
    """
    gc.disable()
    from callscore.cli.program import COMMANDS, import_command

    name = command_name(sys.argv[1:])
    if name in COMMANDS:
        import_command(name)
    gc.freeze()
    gc.enable()
    return run_command()


def run_command() -> int:
    """Run the command, print its error if there is one, and return the exit code."""
    from callscore.cli.program import run_program

    return run_program()
