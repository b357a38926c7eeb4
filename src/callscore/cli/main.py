"""The program: finds the command, and turns errors into a message and an exit code."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import NoReturn

import click

from callscore.cli.exits import error_exit_code
from callscore.cli.output import print_note
from callscore.errors import CallscoreError

__all__ = ["COMMANDS", "cli", "main"]

# Each is `command` in the module of that name, which is imported when the command is called.
COMMANDS = (
    *("baseline", "bless", "capture", "check", "compare", "demo", "explain", "export", "extract"),
    *("formats", "gate", "gc", "generate", "history", "import", "init", "mcp", "metrics"),
    *("rescore", "run", "schema", "score", "show"),
)
# The modules of commands whose names are keywords of Python.
_MODULES = {"import": "import_runs"}


class _Commands(click.Group):
    """Imports the module of a command only when that command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module = _MODULES.get(cmd_name, cmd_name)
        command: click.Command = import_module(f"callscore.cli.{module}").command
        return command


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Begin with: callscore demo",
)
@click.version_option(package_name="callscore")
def cli() -> None:
    """Score the tool calls of an agent against the calls that were expected."""


def main() -> NoReturn:
    """Run the program and exit."""
    try:
        code = cli.main(standalone_mode=False)
    except click.exceptions.Exit as error:
        code = error.exit_code
    except click.ClickException as error:
        error.show()
        code = error_exit_code(error)
    except click.Abort as error:
        code = error_exit_code(error)
    except CallscoreError as error:
        print_note(str(error))
        code = error_exit_code(error)
    sys.exit(code or 0)
