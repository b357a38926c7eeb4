"""The options that several commands share."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import click

from callscore.core.settings import NamePart, Settings

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["SHARE", "lang_option", "settings_from", "settings_options"]

_Command = TypeVar("_Command", bound="Callable[..., Any]")

_DEFAULT = Settings()


class _Share(click.FloatRange):
    """A number from 0 to 1."""

    def __init__(self) -> None:
        super().__init__(0, 1)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value} is not a number from 0 to 1.", param, ctx)
        return number


SHARE = _Share()


def settings_options(command: _Command) -> _Command:
    """Add one option for each setting."""
    for option in reversed(
        (
            click.option(
                "--mode",
                type=click.Choice(["strict", "flexible"]),
                default="strict",
                show_default=True,
                help="Want equal arguments, or enough of them.",
            ),
            click.option(
                "--threshold",
                type=SHARE,
                default=_DEFAULT.argument_match_threshold,
                show_default=True,
                help="The overlap from which a flexible pair is correct.",
            ),
            click.option(
                "--order",
                type=click.Choice(["any", "in_order", "exact"]),
                default=_DEFAULT.order,
                show_default=True,
                help="Which pairings are allowed.",
            ),
            click.option(
                "--extra-arguments",
                type=click.Choice(["ignore", "count"]),
                default=_DEFAULT.extra_arguments,
                show_default=True,
                help="Whether arguments that nobody expected lower a flexible overlap.",
            ),
            click.option(
                "--at-least",
                type=SHARE,
                default=_DEFAULT.at_least,
                show_default=True,
                help="The score from which a case passes.",
            ),
            click.option(
                "--strip-prefix",
                multiple=True,
                metavar="PATTERN",
                help='Take this off the front of tools\' names, as in "mcp__*__".',
            ),
            click.option(
                "--normalise-name",
                multiple=True,
                type=click.Choice(get_args(NamePart)),
                help="What not to mind in tools' names.",
            ),
        )
    ):
        command = option(command)
    return command


def settings_from(options: dict[str, Any]) -> Settings:
    """Take the settings out of the options of a command."""
    return Settings(
        mode=options.pop("mode"),
        argument_match_threshold=options.pop("threshold"),
        order=options.pop("order"),
        extra_arguments=options.pop("extra_arguments"),
        at_least=options.pop("at_least"),
        strip_prefix=options.pop("strip_prefix"),
        normalise_name=options.pop("normalise_name"),
    )


def lang_option(command: _Command) -> _Command:
    """Add the option for the language of what is shown."""
    return click.option(
        "--lang",
        type=click.Choice(["en", "ru"]),
        default="en",
        show_default=True,
        help="The language of the report.",
    )(command)
