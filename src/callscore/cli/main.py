"""The program: finds the command, and turns errors into a message and an exit code."""

from __future__ import annotations

import errno
import shlex
import sys
from importlib import import_module
from io import StringIO
from typing import TYPE_CHECKING, NoReturn

import click

from callscore.cli.exits import UNREADABLE, error_exit_code
from callscore.cli.groups import SuggestingGroup
from callscore.cli.output import print_note, program_name, without_secrets
from callscore.cli.supervision import can_supervise, supervise
from callscore.core.rendering import mention
from callscore.errors import CallscoreError, MissingConsent
from callscore.reports.inert import inert_lines

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

__all__ = ["COMMANDS", "cli", "main", "run_command"]

# The commands by task. Each is `command` in the module of that name, which is imported when the
# command is called; for the list of commands these sentences are enough.
_TASKS = {
    "Score": {
        "demo": "Score 200 real trajectories that come with callscore.",
        "score": "Score files of cases or traces.",
        "explain": "Explain the score of one case.",
        "check": "Check calls without expected calls.",
    },
    "Run": {
        "init": "Create an example evaluation.",
        "run": "Run evaluations of agents.",
        "rescore": "Score saved answers again.",
    },
    "Look": {
        "show": "Show a saved run, or one case of it.",
        "history": "List saved runs.",
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
        "generate": "Generate cases from tool definitions.",
        "export": "Write a run to a file.",
        "import": "Add exported runs to the history.",
        "gc": "Delete old runs.",
        "schema": "Print the JSON Schemas of case files and suites.",
        "mcp": "Serve the scoring tools over MCP.",
    },
}
_SHORT_HELP = {name: text for commands in _TASKS.values() for name, text in commands.items()}
COMMANDS = tuple(_SHORT_HELP)
# The modules of commands whose names are keywords of Python.
_MODULES = {"import": "import_runs"}


class _Commands(SuggestingGroup):
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
@click.version_option(package_name="callscore")
def cli() -> None:
    """Score the tool calls of an agent against the expected calls."""


# Commands that ask for consent to the judge of a project even if no case needs it.
_WITH_OWN_JUDGE = ("score", "explain", "compare")


def consent_lines(error: MissingConsent) -> list[str]:
    """Which consent is missing, this command with the options that give it, and how to give it for good."""
    from callscore.models.secrets import hide_secrets  # it imports much

    name, *rest = sys.argv[1:] or [""]
    given = [part for pair in error.pairs for part in ("--allow-server", pair)]
    command = hide_secrets(shlex.join([name, *given, *rest]))
    for_good = (
        "to allow it for good, add it to allow_servers in ~/.config/callscore/config.toml,"
        " or to the environment variable CALLSCORE_ALLOW_SERVERS."
    )
    if name in _WITH_OWN_JUDGE and not any(part.startswith("--config") for part in rest):
        for_good += " To score without the judge of the project: --no-config"
    consent = "This needs your consent. If you trust the server, run"
    return [f"{error.problem}. {consent}: {program_name()} {command}", for_good]


def main() -> NoReturn:
    """Run the program and exit."""
    sys.exit(supervise(run_command) if can_supervise(sys.argv[1:]) else run_command())


def run_command() -> int:
    """Run the command, print its error if there is one, and return the exit code."""
    try:
        code: int | None = cli.main(standalone_mode=False)
    except click.exceptions.Exit as error:
        code = error.exit_code
    except click.ClickException as error:
        shown = StringIO()
        error.show(shown)
        click.echo(inert_lines(without_secrets(shown.getvalue())), err=True, nl=False)
        code = error_exit_code(error)
    except click.Abort as error:
        code = error_exit_code(error)
    except MissingConsent as error:
        for line in consent_lines(error):
            print_note(line)
        code = error_exit_code(error)
    except CallscoreError as error:
        print_note(str(error))
        code = error_exit_code(error)
    except OSError as error:
        code = _long_name_code(error)
    return code or 0


def _long_name_code(error: OSError) -> int:
    """Whatever asks about a path may be the first to hear that its name is too long."""
    if error.errno != errno.ENAMETOOLONG:
        raise error
    print_note(f"the name of a file is too long: {mention(error.filename)}")
    return UNREADABLE
