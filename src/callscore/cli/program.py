"""The program: its commands by name, each imported when it is called."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

import click

from callscore import __version__
from callscore.cli.exit_codes import INTERRUPTED
from callscore.cli.groups import SuggestingGroup
from callscore.errors import CallscoreError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

# The commands by task. Each is `command` in the module of that name, which is imported when the
# command is called; for the list of commands these sentences are enough.
_TASKS = {
    "Score": {
        "demo": "Score 200 real trajectories that come with callscore.",
        "score": "Score files of cases or traces.",
        "explain": "Explain the score of one case.",
        "check": "Check calls without expected calls.",
        "receive": "Receive traces over OTLP, and score them.",
        "effects": "List which tools read and which write.",
        "advise": "Recommend settings from runs with success labels.",
    },
    "Run": {
        "init": "Create an example evaluation.",
        "run": "Run evaluations of agents.",
        "rescore": "Score saved answers again.",
    },
    "Look": {
        "show": "Show a saved run, or one case of it.",
        "history": "List saved runs.",
        "view": "Show saved runs in a browser.",
        "extract": "Print the calls in traces.",
        "formats": "List the trace formats.",
    },
    "Compare": {
        "compare": "Compare two runs or files.",
        "metrics": "List metrics of other tools, and where they disagree.",
    },
    "Gate": {
        "baseline": "Manage the runs that others are compared with.",
        "gate": "Pass or fail a run against a baseline.",
    },
    "Maintain": {
        "bless": "Accept the calls of a run as the expected ones.",
        "capture": "Turn traces into cases.",
        "sample": "Sample the cases of a large log.",
        "generate": "Generate cases from tool definitions.",
        "export": "Write a run to a file.",
        "import": "Add exported runs to the history.",
        "upload": "Send the scores of a run to a trace backend.",
        "gc": "Delete old runs.",
        "schema": "Print the JSON Schemas of case files and suites.",
        "validate": "Check case files and suites for mistakes.",
        "mcp": "Serve the scoring tools over MCP.",
    },
}
_SHORT_HELP = {name: text for commands in _TASKS.values() for name, text in commands.items()}
COMMANDS = tuple(_SHORT_HELP)
# The modules of commands whose names are keywords of Python.
_MODULES = {"import": "import_runs"}


def import_command(name: str) -> click.Command:
    """The command of this name, from its module."""
    command: click.Command = import_module(f"callscore.cli.{_MODULES.get(name, name)}").command
    return command


class _Commands(SuggestingGroup):
    """Imports the module of a command only when that command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in COMMANDS:
            return None
        return import_command(cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, grouped by task, without importing them."""
        del ctx
        width = max(map(len, COMMANDS))
        for task, commands in _TASKS.items():
            with formatter.section(task):
                formatter.write_dl([(name.ljust(width), text) for name, text in commands.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands, without importing them, and the options."""
        from click.shell_completion import CompletionItem

        names = [name for name in COMMANDS if name.startswith(incomplete)]
        found = [CompletionItem(name, help=_SHORT_HELP[name]) for name in names]
        return found + click.Command.shell_complete(self, ctx, incomplete)


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="New here? Run: callscore demo",
)
@click.version_option(__version__)  # without reading the metadata of all packages
def cli() -> None:
    """Score the tool calls of an agent against the expected calls."""
    redaction = sys.modules.get("callscore.hiding.redaction")
    if redaction is not None:  # of an earlier command in this process
        redaction.forget_redaction()


def _report(error: Exception | SystemExit) -> int:
    """Print an error; a second Ctrl-C while this is done changes nothing."""
    try:
        from callscore.cli.failures import report_failure  # most commands have no error

        return report_failure(error)
    except KeyboardInterrupt:
        return INTERRUPTED


def run_program() -> int:
    """Run the command, print its error if there is one, and return the exit code."""
    try:
        code: int | None = cli.main(standalone_mode=False)
    except click.exceptions.Exit as error:
        code = error.exit_code
    except KeyboardInterrupt:  # while click prepares the command
        code = INTERRUPTED
    except SystemExit as error:  # code of others, or click, which has completed words of a shell
        if len(sys.argv) == 1:
            raise
        code = _report(error)
    except (click.ClickException, click.Abort, CallscoreError, OSError) as error:
        code = _report(error)
    return code or 0
