"""The options for the model that answers `$judge` rules: `--judge` and `--allow-server`."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import replace

from callscore.cli.options import settings_from, stacked
from callscore.errors import CallscoreError, InvalidSettings
from callscore.evaluations.project_config import config_for

if TYPE_CHECKING:
    from callscore.core.settings import Settings
    from callscore.models.consent import Server
    from callscore.models.judging import Judge


def _parse_server(value: str) -> Server:
    """Parse `ADDRESS=VARIABLE`."""
    from callscore.models.consent import parse_server  # models are imported only if they are used

    try:
        return parse_server(value)
    except InvalidSettings as error:
        raise click.BadParameter(f"{error}.") from error


judge_option = stacked(
    click.option(
        "--judge",
        metavar="MODEL",
        help="Model that answers $judge rules; OPENAI_BASE_URL and OPENAI_API_KEY configure it."
        "  [default: the judge in the settings of the project]",
    ),
    click.option(
        "--allow-server",
        "allow_servers",
        type=_parse_server,
        multiple=True,
        metavar="ADDRESS=VARIABLE",
        help="Server that a file may name, with the variable whose value is sent to it; repeatable."
        "  [default: CALLSCORE_ALLOW_SERVERS, and those in your own configuration]",
    ),
)


def judge_from(options: dict[str, Any]) -> Judge | None:
    """Remove the judge from the options of a command; by default, that of the project, or None.

    Its answers are stored in the history, which is opened for the first question. Call this before
    `settings_from`, which removes `--config` from the options.
    """
    named = options.pop("judge", None)
    allowed = options.pop("allow_servers", ())
    config = config_for(options.get("config"), is_wanted=not options.get("no_config", False))
    given = dict(config.judge) if named is None else {"name": named}
    if not given:
        return None
    from callscore.history.opening import StoreOpener, open_store
    from callscore.models.consent import Origin
    from callscore.models.judging import judge

    try:
        found = judge(given.pop("name"), **given)
    except CallscoreError as error:
        place = "" if named is not None else f"{config.place}: "
        raise InvalidSettings(f"{place}{error}") from error
    if named is not None:  # the judge of a project may not be needed for these cases
        found.require()
    else:
        file = str(config.place).removeprefix(f"{Path.cwd()}{os.sep}")
        found.origin = Origin(file, allowed)
    history = StoreOpener(partial(open_store, options.get("store") or None))
    found.remember_in(history)
    context = click.get_current_context(silent=True)
    if context is not None:
        context.call_on_close(found.close)
        context.call_on_close(history.close)
    return found


def judged_settings_from(options: dict[str, Any]) -> tuple[Settings, Judge | None]:
    """Remove the settings and the judge from the options of a command; the settings include it."""
    judge = judge_from(options)
    if judge is not None:  # whether the cases need it is only known when they have been scored
        from callscore.models.consent import require_consent

        require_consent(judge.base_url, judge.key_variable, judge.origin)
    settings = settings_from(options)
    return settings if judge is None else replace(settings, judge=judge), judge
