"""The options that several commands share."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import click
import msgspec

from callscore.api import tools_by_name
from callscore.cli.config import config_for
from callscore.core import settings as words
from callscore.core.argument_rules import ArgumentRule
from callscore.core.presets import PRESETS, preset_named
from callscore.core.settings import DEFAULT, Settings
from callscore.errors import UnreadableInput

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from callscore.core.tool import Tool

__all__ = [
    "SHARE",
    "AnyCommand",
    "SettingsCommand",
    "lang_option",
    "metric_option",
    "overrides_from",
    "report_options",
    "settings_from",
    "settings_options",
    "tools_from",
    "tools_option",
]

AnyCommand = TypeVar("AnyCommand", bound="Callable[..., Any]")


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


class _Effect(click.ParamType[tuple[str, str]]):
    """`PATTERN=read` or `PATTERN=write`."""

    name = "effect"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        pattern, equals, effect = value.rpartition("=")
        if not equals:
            self.fail(f"{value!r} is not like 'get_*=read'.", param, ctx)
        return pattern.strip(), effect.strip()


class _Argument(click.ParamType[ArgumentRule]):
    """`TOOL.ARGUMENT=RULE`, with the rule's options behind a colon, as JSON."""

    name = "argument"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> ArgumentRule:
        pattern, equals, rest = value.partition("=")
        rule, colon, options = rest.partition(":")
        if not equals:
            self.fail(f"{value!r} is not like 'book_flight.date=date'.", param, ctx)
        try:
            known = msgspec.json.decode(options, type=dict[str, Any]) if colon else {}
        except (ValueError, RecursionError):
            example = """'*.query=text:{"similarity": 0.85}'"""
            self.fail(f"the options in {value!r} are not JSON, as in {example}.", param, ctx)
        return ArgumentRule(pattern.strip(), rule.strip(), known)


class _Setting(click.Option):
    """An option that is a setting, or that says where settings come from."""


class SettingsCommand(click.Command):
    """A command whose help shows the settings of a score apart from its other options."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, and then the settings."""
        sections: dict[str, list[tuple[str, str]]] = {"Options": [], "Settings": []}
        for parameter in self.get_params(ctx):
            row = parameter.get_help_record(ctx)
            if row is not None and isinstance(parameter, click.Option):
                title = "Settings" if isinstance(parameter, _Setting) else "Options"
                sections[title].append(row)
        for title, rows in sections.items():
            with formatter.section(title):
                formatter.write_dl(rows)


def _setting(*names: str, help: str, **attributes: Any) -> Callable[[AnyCommand], AnyCommand]:  # noqa: A002  (as click calls it)
    return click.option(*names, cls=_Setting, help=help, **attributes)


def _choice(name: str, kind: Any, help: str) -> Callable[[AnyCommand], AnyCommand]:  # noqa: A002  (likewise)
    """An option for a setting that is one of several words."""
    setting = name.removeprefix("--").replace("-", "_")
    default = getattr(DEFAULT, setting)
    return _setting(name, type=click.Choice(_words(kind)), help=f"{help}  [default: {default}]")


def _words(kind: Any) -> list[str]:
    return [str(word) for word in get_args(kind) or kind]


# Each has no default of its own: what is not given is as the project has it, or as it always is.
_OPTIONS = (
    _setting(
        "--config",
        metavar="FILE",
        help="Settings of a project.  [default: callscore.toml or"
        " pyproject.toml, in this folder or above]",
    ),
    _setting("--no-config", is_flag=True, help="Look for no such file."),
    _setting(
        "--preset",
        type=click.Choice(PRESETS),
        help="Settings that go together; single ones override it.  [default: strict]",
    ),
    _choice("--mode", words.Mode, "Want equal arguments, or enough of them."),
    _setting(
        "--threshold",
        "argument_match_threshold",
        type=SHARE,
        help="The overlap from which a"
        f" flexible pair is correct.  [default: {DEFAULT.argument_match_threshold}]",
    ),
    _choice("--order", words.Order, "Which pairings are allowed."),
    _choice(
        "--extra-arguments",
        words.ExtraArguments,
        "Whether arguments that nobody expected lower a flexible overlap.",
    ),
    _setting(
        "--at-least",
        type=SHARE,
        help=f"The score from which a case passes.  [default: {DEFAULT.at_least}]",
    ),
    _setting(
        "--strip-prefix",
        multiple=True,
        metavar="PATTERN",
        help='Take this off the front of tools\' names, as in "mcp__*__".',
    ),
    _setting(
        "--normalise-name",
        multiple=True,
        type=click.Choice(_words(words.NamePart)),
        help="What not to mind in tools' names.",
    ),
    _choice("--count-calls", words.CountCalls, "All calls, or those that change something."),
    _choice("--failed-calls", words.FailedCalls, "Whether calls that failed count."),
    _choice(
        "--repeated-calls",
        words.RepeatedCalls,
        "Whether calls that were made before, just so, count.",
    ),
    _choice("--arrays", words.Arrays, "Whether the order of an array's items matters."),
    _choice(
        "--nested-objects",
        words.NestedObjects,
        "Whether objects inside arguments may have more keys than expected.",
    ),
    _setting(
        "--effect",
        "effects",
        type=_Effect(),
        multiple=True,
        metavar="PATTERN=read|write",
        help="What tools do, as in 'get_*=read'.",
    ),
    _setting(
        "--argument",
        "arguments",
        type=_Argument(),
        multiple=True,
        metavar="TOOL.ARGUMENT=RULE",
        help="How an argument is compared, as in"
        """ 'book_flight.date=date' or '*.query=text:{"similarity": 0.85}'.""",
    ),
    _setting(
        "--top-k",
        type=click.IntRange(min=1),
        help="Of how many of the answers to the same"
        f" question the best counts.  [default: {DEFAULT.top_k}]",
    ),
)


def settings_options(command: AnyCommand) -> AnyCommand:
    """Add one option for each setting."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def settings_from(options: dict[str, Any]) -> Settings:
    """Take the settings out of the options of a command, over those of the project.

    Raises:
        InvalidSettings: a setting has a value that it cannot have, here or in a file.
    """
    path, no_config = options.pop("config"), options.pop("no_config")
    if path is not None and no_config:
        raise click.UsageError("--config and --no-config exclude each other.")
    project = config_for(path, is_wanted=not no_config).values
    preset = options.pop("preset")
    chosen = {} if preset is None else preset_named(preset)
    given = _given(options)
    for name in ("effects", "arguments"):  # the first that fits decides
        if name in given and name in project:
            given[name] = (*given[name], *getattr(words.settings_from(project), name))
    return words.settings_from({**project, **chosen, **given})


def overrides_from(options: dict[str, Any]) -> tuple[str | None, dict[str, Any]]:
    """Take the settings out of the options of a command that changes some: a preset, and single ones.

    A file of settings counts only where it is named: what is not said here stays as it is.

    Raises:
        InvalidSettings: a setting has a value that it cannot have, here or in the file.
    """
    path, no_config = options.pop("config"), options.pop("no_config")
    if path is not None and no_config:
        raise click.UsageError("--config and --no-config exclude each other.")
    project = {} if path is None else config_for(path, is_wanted=True).values
    preset = options.pop("preset")
    chosen = {} if preset is None else preset_named(preset)
    single = {name: value for name, value in project.items() if name not in chosen}
    overrides = {**single, **_given(options)}
    words.settings_from({**chosen, **overrides})  # which says what is wrong with them
    return preset, overrides


def _given(options: dict[str, Any]) -> dict[str, Any]:
    """The settings that were given on the command line."""
    named = {name: options.pop(name) for name in Settings.__struct_fields__ if name in options}
    return {name: value for name, value in named.items() if value not in (None, ())}


def tools_option(command: AnyCommand) -> AnyCommand:
    """Add the option that names a file of tools' definitions."""
    return click.option(
        "--tools",
        metavar="FILE",
        help="Tools' definitions, in any format: they tell what changes something, and by their"
        " schemas calls are checked.  [default: those of each case]",
    )(command)


def tools_from(options: dict[str, Any]) -> dict[str, Tool] | None:
    """Take the tools by name out of the options of a command; None where no file was named.

    Raises:
        InvalidCall: there is no such format.
        UnreadableInput: the file cannot be read, or defines no tool.
    """
    file = options.pop("tools")
    if file is None:
        return None
    tools = tools_by_name(Path(file))
    if not tools:
        raise UnreadableInput(file, "there is no definition of a tool in it.")
    return tools


def metric_option(command: AnyCommand) -> AnyCommand:
    """Add the option that asks for metrics of other tools."""
    return click.option(
        "--metric",
        multiple=True,
        metavar="NAME[:OPTION=VALUE,...]",
        help="Another tool's number, as in 'ragas.tool_call_f1': see `callscore metrics`; may be"
        " given several times.",
    )(command)


def report_options(formats: Sequence[str]) -> Callable[[AnyCommand], AnyCommand]:
    """Add the options for what is written, a table by default, and where it goes."""

    def add(command: AnyCommand) -> AnyCommand:
        to_file = click.option(
            "-o", "--output", metavar="FILE", help="Write it there, not to the terminal."
        )
        as_format = click.option(
            "--format",
            "output_format",
            type=click.Choice(formats),
            default="table",
            show_default=True,
            help="What to write.",
        )
        return as_format(to_file(command))

    return add


def lang_option(command: AnyCommand) -> AnyCommand:
    """Add the option for the language of what is shown."""
    return click.option(
        "--lang",
        type=click.Choice(["en", "ru"]),
        default="en",
        show_default=True,
        help="The language of the report.",
    )(command)
