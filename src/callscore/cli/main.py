"""The program: finds the command, and turns every expected failure into a sentence and a code."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import NoReturn

import click

from callscore.cli.exits import INTERRUPTED, NO_ANSWER, UNREADABLE, USAGE
from callscore.errors import (
    CallscoreError,
    InvalidSettings,
    MissingKey,
    ModelFailed,
)

__all__ = ["COMMANDS", "cli", "main"]

# Each is the one click command of the module of its name, imported when it is called.
COMMANDS = (
    *("baseline", "bless", "capture", "check", "compare", "demo", "explain", "export", "extract"),
    *("formats", "gate", "gc", "generate", "history", "import", "init", "mcp", "metrics"),
    *("rescore", "run", "schema", "score", "show"),
)
# The modules of those whose names Python could not import.
_MODULES = {"import": "import_runs"}


class _Commands(click.Group):
    """The commands by name, so that one does not pay for the imports of the others."""

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
        code = USAGE
    except click.Abort:
        code = INTERRUPTED
    except (InvalidSettings, MissingKey) as error:
        code = _print_error(error, USAGE)
    except ModelFailed as error:
        code = _print_error(error, NO_ANSWER)
    except CallscoreError as error:
        code = _print_error(error, UNREADABLE)
    sys.exit(code or 0)


def _print_error(error: Exception, code: int) -> int:
    from callscore.core.rendering import escape

    click.echo(f"callscore: {escape(str(error))}", err=True)
    return code
