"""`callscore init`: writes an example evaluation that runs as it is."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from shlex import quote

import click

from callscore.cli.options import lang_option
from callscore.cli.output import next_steps
from callscore.cli.output_formats import force_option
from callscore.core.phrases import Language, Phrase, say
from callscore.reports.inert import inert_lines

_WRITTEN = Phrase(
    "Created, with recorded answers, so no API key is needed:",
    "Созданы файлы с записанными ответами, ключ API не нужен:",
)


_SCHEMA = "suite.schema.json"
_SUITE = ("eval_assistant.yaml", "tools.json", "answers.jsonl", _SCHEMA)
_PYTHON = ("eval_assistant.py", "answers.jsonl")


@click.command()
@click.argument("folder", default="evals", metavar="[FOLDER]")
@click.option("--python", is_flag=True, help="Write an evaluation in Python instead of YAML.")
@force_option
@lang_option
def command(*, folder: str, python: bool, force: bool, lang: Language) -> None:
    """Create an example evaluation in FOLDER, by default evals.

    It has recorded answers and needs no API key. Existing files are not overwritten without --force.
    """
    target = Path(folder)
    names = _PYTHON if python else _SUITE
    taken = [target / name for name in names if (target / name).exists()]
    if taken and not force:
        raise click.UsageError(
            f"{taken[0]} already exists. Pass another folder, or --force to overwrite it."
        )
    try:
        target.mkdir(parents=True, exist_ok=True)
        for name in names:
            with (target / name).open(
                "w" if force else "x", encoding="utf-8", newline="\n"
            ) as file:
                file.write(_content(name))
    except OSError as error:
        raise click.UsageError(f"Cannot write {error.filename}: {error.strerror}.") from error
    written = [f"  {target / name}" for name in names]
    steps = next_steps([f"run {quote(str(target))}"], lang)
    click.echo(inert_lines("\n".join([say(_WRITTEN, lang), *written, "", *steps])))


def _content(name: str) -> str:
    if name == _SCHEMA:
        from callscore.cli.schema import schema_text

        return schema_text("suite")
    folder = files("callscore") / "data" / "init"
    # It is stored under another name, so that it is not taken for a module of the package.
    stored = f"{name}.txt" if name.endswith(".py") else name
    return (folder / stored).read_text(encoding="utf-8")
