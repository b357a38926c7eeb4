"""Writes the tables of options in docs/reference/cli.md: `python docs/cli_options.py --write`."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from callscore.cli.options import is_setting
from callscore.cli.program import COMMANDS, cli

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PAGE = Path(__file__).parent / "reference" / "cli.md"
ALL = "all commands"
_TABLE = re.compile(r"(<!-- options of ([\w ]+) -->\n).*?(<!-- end of options -->)", re.DOTALL)
_SEPARATOR = "  [default: "
_SETTINGS = "settings of a score: see [Settings](settings.md)"


class OptionRow(NamedTuple):
    """One option of one command."""

    command: str
    spelling: str
    default: str
    meaning: str
    option: click.Option


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command by its name, with the subcommands of groups."""
    context = click.Context(cli)
    for name in COMMANDS:
        command = cli.get_command(context, name) or click.Command(name)
        if isinstance(command, click.Group):
            for part in command.list_commands(context):
                yield f"{name} {part}", command.commands[part]
        else:
            yield name, command


def option_rows() -> list[OptionRow]:
    """Every option of every command."""
    return [
        _row(name, parameter)
        for name, command in commands()
        for parameter in command.params
        if isinstance(parameter, click.Option)
    ]


def _row(command: str, option: click.Option) -> OptionRow:
    meaning, _, default = (option.help or "").partition(_SEPARATOR)
    default = default.removesuffix("]")
    if option.show_default and option.default is not None:
        default = f"`{option.default}`"
    return OptionRow(command, ", ".join(_spelled(option)), default, meaning.rstrip("."), option)


def _spelled(option: click.Option) -> list[str]:
    if option.is_flag:
        return [f"`{name}`" for name in option.opts]
    kind = option.type
    if option.metavar or not isinstance(kind, click.Choice):
        value = (option.metavar or kind.name.upper()).replace("|", "\\|")
    else:
        value = "\\|".join(map(str, kind.choices))
    return [f"`{name} {value}`" for name in option.opts]


def _table(labels: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [labels, ["---"] * len(labels), *rows]
    return "".join(f"| {' | '.join(line)} |\n".replace("|  |", "| |") for line in lines)


def table_of(name: str) -> str:
    """The options of a command."""
    found = [row for row in option_rows() if row.command == name]
    rows = [
        [row.spelling, _cell(row.default), _cell(row.meaning)]
        for row in found
        if not is_setting(row.option)
    ]
    settings = ", ".join(f"`{row.option.opts[0]}`" for row in found if is_setting(row.option))
    rows += [[settings, "", _SETTINGS]] if settings else []
    return _table(["option", "default", "meaning"], rows)


def _cell(text: str) -> str:
    """A sentence of the help with its code in backticks."""
    return re.sub(
        r"(?<!`)'([^']+)'|(?<![`\w-])(--format json|--?[a-z][\w-]*)(?!`)", _code, text
    ).replace("|", "\\|")


def _code(match: re.Match[str]) -> str:
    return f"`{match[1] or match[2]}`"


def table_of_all() -> str:
    """Every option with its meaning, and the commands that have it."""
    found: dict[tuple[str, str], list[OptionRow]] = {}
    for row in sorted(option_rows(), key=lambda each: each.option.opts[-1].lstrip("-")):
        found.setdefault((row.option.opts[-1], row.meaning), []).append(row)
    rows = []
    for same in found.values():
        names = ", ".join(f"`{row.command}`" for row in same)
        values = {row.spelling for row in same}
        spelling = same[0].spelling if len(values) == 1 else _without_choices(same[0].option)
        rows.append([spelling, _cell(same[0].meaning), names])
    return _table(["option", "meaning", "commands"], rows)


def _without_choices(option: click.Option) -> str:
    return ", ".join(f"`{name} {option.opts[-1].lstrip('-').upper()}`" for name in option.opts)


def updated(page: str) -> str:
    """The page with current tables."""

    def replace(match: re.Match[str]) -> str:
        table = table_of_all() if match[2] == ALL else table_of(match[2])
        return f"{match[1]}\n{table}\n{match[3]}"

    return _TABLE.sub(replace, page)


if __name__ == "__main__":
    text = PAGE.read_text(encoding="utf-8")
    if "--write" in sys.argv[1:]:
        PAGE.write_text(updated(text), encoding="utf-8")
    elif updated(text) != text:
        sys.exit(f"{PAGE} is stale: python docs/cli_options.py --write")
