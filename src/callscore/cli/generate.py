"""`callscore generate`: cases from the definitions of tools, with a model's help or without."""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones are meant)

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from callscore.api import tools_by_name
from callscore.cli.new_file import new_file_options, require_new_file
from callscore.cli.options import lang_option
from callscore.cli.output import open_output
from callscore.core.phrase import Phrase, Plural, count_of, say
from callscore.core.text import clip, escape
from callscore.datasets.cases import KINDS, generate_cases
from callscore.datasets.records import record_line
from callscore.documents import stop
from callscore.errors import InvalidSettings, UnreadableInput

if TYPE_CHECKING:
    from callscore.core.phrase import Language
    from callscore.core.tool import Tool
    from callscore.datasets.asking import Asked
    from callscore.datasets.cases import Generated

__all__ = ["command"]

_HELP = """Make cases from the definitions of tools, one JSON object a line.

Each has a question, the calls that it asks for, with arguments that the tools' schemas accept, and
tags: `single` and `several` calls, `negative` where nothing is to be called, and `near-miss`, which
carries an `actual` that fails in one way and is tagged with the class of that failure.

\b
No model is asked, and the same seed gives the same cases:
  callscore generate --tools tools.json -n 100 -o cases.jsonl
Or a model writes the questions, and each is checked:
  callscore generate --tools tools.json -n 100 --model gpt-4.1-mini -o cases.jsonl
"""
_NAMED = 5
_LONGEST = 120
_CASES = Plural(("case", "cases"), ("случай", "случая", "случаев"))
_MADE = Phrase("{cases} from {tools}", "{cases}, {tools}")
_TOOLS = Plural(("tool", "tools"), ("инструмент", "инструмента", "инструментов"))
_FEWER = Phrase(
    "{count} fewer than asked for: the tools do not give more different ones",
    "на {count} меньше, чем просили: больше разных из этих инструментов не выходит",
)
_IMPOSSIBLE = Phrase(
    "no near misses of these classes, which none of the tools can show: {names}",
    "нет промахов этих видов, на них не способен ни один инструмент: {names}",
)
_ASKED = Phrase(
    "{count} of {total} questions by {model}; the others keep their plain ones: {names}",
    "вопросов от {model}: {count} из {total}; у остальных простые: {names}",
)
_ALL_ASKED = Phrase("all {total} questions by {model}", "все вопросы ({total}) от {model}")


@click.command(short_help="Make cases from the definitions of tools.", help=_HELP)
@click.option("--tools", "file", required=True, metavar="FILE", help="The tools' definitions.")
@click.option(
    "-n",
    "--count",
    type=click.IntRange(min=1, max=100_000),
    default=100,
    show_default=True,
    help="How many cases.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Another gives other cases.")
@click.option(
    "--kind",
    "kinds",
    type=click.Choice(KINDS),
    multiple=True,
    help="Only such cases; may be given several times.  [default: all kinds]",
)
@click.option(
    "--model",
    metavar="NAME",
    help="Have this model write the questions. OPENAI_BASE_URL says where it is, and"
    " OPENAI_API_KEY holds its key.",
)
@new_file_options
@lang_option
def command(**options: Any) -> None:
    """Make the cases, write them, and say what could not be made."""
    output, lang = options["output"], options["lang"]
    require_new_file(output, force=options["force"])
    tools = _tools_in(options["file"])
    made = _generated(tools, options)
    records = made.records
    told = [*_told(made, tools, lang)]
    if options["model"] is not None:
        asked = _asked(made, tools, options["model"])
        records = asked.records
        told.append(_told_of_model(asked, options["model"], lang))
    with open_output(output, "jsonl", lang) as target:
        for record in records:
            target.write_text(record_line(record))
    for line in told:
        click.echo(f"callscore: {line}", err=True)


def _tools_in(file: str) -> dict[str, Tool]:
    tools = tools_by_name(Path(file))
    if not tools:
        stop(file, "there are no definitions of tools in it.")
    return tools


def _generated(tools: dict[str, Tool], options: dict[str, Any]) -> Generated:
    kinds = options["kinds"] or KINDS
    try:
        return generate_cases(tools, options["count"], seed=options["seed"], kinds=kinds)
    except InvalidSettings as error:
        raise UnreadableInput(options["file"], f"{error}") from error


def _asked(made: Generated, tools: dict[str, Tool], model: str) -> Asked:
    import asyncio

    from callscore.datasets.asking import INSTRUCTIONS, ask_model
    from callscore.models import chat

    task = chat(model, system=INSTRUCTIONS)
    task.require()
    return asyncio.run(ask_model(made.records, tools, task))


def _told(made: Generated, tools: dict[str, Tool], lang: Language) -> list[str]:
    cases = count_of(_CASES, len(made.records), lang)
    lines = [say(_MADE, lang, cases=cases, tools=count_of(_TOOLS, len(tools), lang))]
    if made.missing:
        lines.append(say(_FEWER, lang, count=made.missing))
    if made.impossible:
        lines.append(say(_IMPOSSIBLE, lang, names=", ".join(made.impossible)))
    return lines


def _told_of_model(asked: Asked, model: str, lang: Language) -> str:
    total, problems = len(asked.records), asked.problems
    if not problems:
        return say(_ALL_ASKED, lang, total=total, model=escape(model))
    named = [
        f"{escape(name)} ({clip(escape(why), _LONGEST)})"
        for name, why in list(problems.items())[:_NAMED]
    ]
    more = [f"+{len(problems) - _NAMED}"] if len(problems) > _NAMED else []
    return say(
        _ASKED,
        lang,
        count=total - len(problems),
        total=total,
        model=escape(model),
        names=", ".join([*named, *more]),
    )
