"""The options that say how documents are read, for the commands that read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import click

from callscore.formats.trace import DEFAULT as DEFAULT_READING
from callscore.formats.trace import Part, View, wanted_for

if TYPE_CHECKING:
    from callscore.cli.options import AnyCommand
    from callscore.formats.trace import Wanted

__all__ = [
    "fields_option",
    "input_format_option",
    "reading_options",
    "require_inputs",
    "sides_options",
    "wanted_from",
]


_NOBODY = "none"


def reading_options(command: AnyCommand) -> AnyCommand:
    """Add the options that choose among what a document offers."""
    for option in reversed(
        (
            click.option(
                "--view",
                type=click.Choice(get_args(View)),
                help="The calls that the model requested, or those that were executed."
                "  [default: the first of the two that are there]",
            ),
            click.option(
                "--candidate",
                type=click.IntRange(min=0),
                default=0,
                show_default=True,
                help="Which of several answers to the same question to read.",
            ),
            click.option(
                "--leave-out",
                type=click.Choice([*get_args(Part), _NOBODY]),
                multiple=True,
                help="Whose calls to leave out, besides those of a simulated user; none keeps all.",
            ),
            click.option(
                "--failure-pattern",
                metavar="REGEX",
                default=DEFAULT_READING.failure.pattern,
                show_default=True,
                help="What the text of a failed call's result matches, where nothing else tells.",
            ),
        )
    ):
        command = option(command)
    return command


def wanted_from(options: dict[str, Any], tools: Any = ()) -> Wanted:
    """Take what is wanted out of the options of a command."""
    return wanted_for(
        view=options.pop("view"),
        candidate=options.pop("candidate"),
        leave_out=_left_out(options.pop("leave_out")),
        failure=options.pop("failure_pattern"),
        tools=tools,
    )


def _left_out(parts: tuple[str, ...]) -> tuple[str, ...]:
    if _NOBODY not in parts:
        return (*DEFAULT_READING.leave_out, *parts)
    if len(parts) > 1:
        raise click.UsageError("--leave-out none goes with no other --leave-out.")
    return ()


class _Field(click.ParamType[tuple[str, str]]):
    """`FIELD=PATH`."""

    name = "field"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        field, equals, path = value.partition("=")
        if not equals or not path:
            self.fail(f"{value!r} is not like id=$.metadata.task_id.", param, ctx)
        return field.strip(), path.strip()


def fields_option(command: AnyCommand) -> AnyCommand:
    """Add the option that says where the fields of a case stand."""
    return click.option(
        "--map",
        "fields",
        type=_Field(),
        multiple=True,
        metavar="FIELD=PATH",
        help="Where id, expected, actual, trial or input stand in a record: id=$.metadata.task_id.",
    )(command)


def input_format_option(command: AnyCommand) -> AnyCommand:
    """Add the option that names the format of the input."""
    return click.option(
        "--input-format",
        metavar="NAME",
        help="What the input is written in: see `callscore formats`.  [default: by content]",
    )(command)


def sides_options(command: AnyCommand) -> AnyCommand:
    """Add the options that name the two sides of cases, in files of their own."""
    for name, what, other in (
        ("--actual", "Traces", "--expected"),
        ("--expected", "References", "--actual"),
    ):
        text = f"{what}, to be joined with {other} on id."
        command = click.option(name, metavar="FILE", multiple=True, help=text)(command)
    return command


def require_inputs(
    files: tuple[str, ...], expected: tuple[str, ...], actual: tuple[str, ...]
) -> None:
    """Refuse anything but files of cases, or both sides of them."""
    is_joined = bool(expected or actual)
    if is_joined and not (expected and actual):
        raise click.UsageError("--expected and --actual go together: name both files.")
    if is_joined and files:
        raise click.UsageError("Name files of cases, or --expected and --actual, not both.")
    if not is_joined and not files:
        raise click.UsageError("Name a file of cases, or --expected and --actual.")
    if [*files, *expected, *actual].count("-") > 1:
        raise click.UsageError("Standard input can be read only once.")
