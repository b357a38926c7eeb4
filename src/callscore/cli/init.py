"""`callscore init`: writes an example evaluation that runs as it is."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import click

from callscore.cli.options import lang_option
from callscore.cli.output import next_steps
from callscore.core.phrases import Phrase, say

if TYPE_CHECKING:
    from callscore.core.phrases import Language

__all__ = ["command"]

_WRITTEN = Phrase(
    "Written, with recorded answers, so that it needs no key:",
    "Записано; ответы уже есть, поэтому ключ не нужен:",
)


_SCHEMA = "suite.schema.json"
_SUITE = ("eval_assistant.yaml", "tools.json", "answers.jsonl", _SCHEMA)
_PYTHON = ("eval_assistant.py", "answers.jsonl")


@click.command(short_help="Write an evaluation to start from.")
@click.argument("folder", default="evals", metavar="[FOLDER]")
@click.option("--python", is_flag=True, help="Write a Python file, not a suite in YAML.")
@lang_option
def command(*, folder: str, python: bool, lang: Language) -> None:
    """Write an evaluation to start from into FOLDER, by default `evals`.

    It asks for the weather, a sum and nothing at all, and it needs no key: the answers are recorded.
    Nothing that is there already is written over.
    """
    target = Path(folder)
    names = _PYTHON if python else _SUITE
    taken = [target / name for name in names if (target / name).exists()]
    if taken:
        remedy = "Nothing was written. Name another folder, or move it away."
        raise click.UsageError(f"{taken[0]} is there already. {remedy}")
    try:
        target.mkdir(parents=True, exist_ok=True)
        for name in names:
            with (target / name).open("x", encoding="utf-8", newline="\n") as file:
                file.write(_content(name))
    except OSError as error:
        raise click.UsageError(f"Cannot write {error.filename}: {error.strerror}.") from error
    written = [f"  {target / name}" for name in names]
    steps = next_steps([f"run {quote(str(target))}"], lang)
    click.echo("\n".join([say(_WRITTEN, lang), *written, "", *steps]))


def _content(name: str) -> str:
    if name == _SCHEMA:
        from callscore.cli.schema import schema_text

        return schema_text("suite")
    folder = files("callscore") / "data" / "init"
    # It is stored under another name, so that it is not taken for a module of the package.
    stored = f"{name}.txt" if name.endswith(".py") else name
    return (folder / stored).read_text(encoding="utf-8")
