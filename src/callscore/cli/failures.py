"""Errors that end a command: what is printed, and the exit code."""

from __future__ import annotations

import errno
import shlex
import sys
from io import StringIO

import click

from callscore.cli.exit_codes import ENDED, UNREADABLE
from callscore.cli.exits import error_exit_code
from callscore.cli.output import print_note, program_name, without_secrets
from callscore.core.rendering import mention
from callscore.errors import MissingConsent
from callscore.hiding.redaction import ignore_unreadable_redaction
from callscore.reports.inert import inert_lines


def report_failure(error: Exception | SystemExit) -> int:
    """Print an error of a command, and return the exit code; raises what is not an error of a command."""
    ignore_unreadable_redaction()
    if isinstance(error, SystemExit):
        print_note(
            f"the command did not finish: its process ended with exit code {error.code or 0}"
        )
        return ENDED
    if isinstance(error, OSError):
        return _long_name_code(error)
    if isinstance(error, click.ClickException):
        shown = StringIO()
        error.show(shown)
        text = shown.getvalue().expandtabs(2)  # click lists choices behind tabs
        click.echo(inert_lines(without_secrets(text)), err=True, nl=False)
    elif isinstance(error, MissingConsent):
        for line in consent_lines(error):
            print_note(line)
    elif not isinstance(error, click.Abort):
        print_note(str(error))
    return error_exit_code(error)


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


def _long_name_code(error: OSError) -> int:
    """Whatever asks about a path may be the first to hear that its name is too long."""
    if error.errno != errno.ENAMETOOLONG:
        raise error
    print_note(f"the name of a file is too long: {mention(error.filename)}")
    return UNREADABLE
