"""`callscore generate`: cases from the definitions of tools; a model may write the questions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from callscore.api import tools_by_name
from callscore.cli.options import lang_option, required_tools_option
from callscore.cli.output import HIDDEN_SECRETS, open_output, print_note
from callscore.cli.output_formats import new_file_options
from callscore.cli.unpacking import max_unpacked_option
from callscore.core.phrases import Language, Phrase, Plural, count_of, say
from callscore.core.rendering import clip, escape
from callscore.datasets.generation import (
    CASE_KINDS,
    GeneratedCases,
    generate_cases,
    load_python_tools,
    parse_python_tools,
)
from callscore.documents import raise_unreadable
from callscore.errors import InvalidSettings, ModelFailed, UnreadableInput
from callscore.formats.cases import record_line
from callscore.hiding.hider import Hider
from callscore.words.value_text import CASES

if TYPE_CHECKING:
    from callscore.core.call import Tool
    from callscore.datasets.questions import WrittenQuestions

_HELP = """Generate cases from tool definitions, one JSON object per line.

Each case has a question, the expected calls, with arguments that match the schemas of the tools, and
tags: `single` or `several` calls; `negative`, if nothing should be called; and `near_miss`, whose
`actual` calls are wrong in one way, which is also a tag. The `actual` calls of the others are correct.

The definitions may also be Python functions: --tools tools.py, or --tools tools.py:one,two. The file is
imported.

\b
Without a model; the same seed gives the same cases:
  callscore generate --tools tools.json -n 100 -o cases.jsonl
With a model that writes the questions, each of which is checked:
  callscore generate --tools tools.json -n 100 --model gpt-4.1-mini -o cases.jsonl
"""
_NAMED = 5
_LONGEST = 120
_TOOLS = Plural(("tool", "tools"), ("инструменту", "инструментам", "инструментам"))
_MADE = Phrase("{cases} from {tools}", "{cases} по {tools}")
_FEWER = Phrase(
    "{count} fewer than requested: these tools do not give more different cases",
    "на {count} меньше, чем запрошено: больше разных случаев по этим инструментам не получается",
)
_LEFT_OUT = Phrase("skipped: {problem}", "не использовано: {problem}")
_USELESS = "none of the questions that the model wrote can be used: {names}"
_IMPOSSIBLE = Phrase(
    "no near misses of these kinds, which none of the tools allows: {names}",
    "нет почти верных случаев этих видов, их не допускает ни один инструмент: {names}",
)
_ASKED = Phrase(
    "{count} of {total} questions written by {model}; the others are generated: {names}",
    "вопросы написала модель {model}: {count} из {total}; остальные созданы без неё: {names}",
)
_ALL_ASKED = Phrase(
    "all {total} questions written by {model}", "все вопросы ({total}) написала модель {model}"
)


@click.command(help=_HELP)
@required_tools_option
@click.option(
    "-n",
    "--count",
    type=click.IntRange(min=1, max=100_000),
    default=100,
    show_default=True,
    metavar="N",
    help="Number of cases.",
)
@click.option(
    "--seed",
    type=int,
    default=0,
    show_default=True,
    metavar="N",
    help="Seed of the random choices.",
)
@click.option(
    "--kind",
    "kinds",
    type=click.Choice(CASE_KINDS),
    multiple=True,
    help="Generate only cases of this kind; repeatable.  [default: all kinds]",
)
@click.option(
    "--model",
    metavar="MODEL",
    help="Model that writes the questions; OPENAI_BASE_URL and OPENAI_API_KEY configure it.",
)
@new_file_options
@max_unpacked_option
@lang_option
def command(**options: Any) -> None:
    """Generate the cases, write them, and report what could not be generated."""
    output, lang = options["output"], options["lang"]
    file, kinds = options["tools"], options["kinds"] or CASE_KINDS
    python = parse_python_tools(file)
    tools = tools_by_name(Path(file)) if python is None else load_python_tools(*python)
    if not tools:
        raise_unreadable(file, "no tool definitions found.")
    try:
        made = generate_cases(tools, options["count"], seed=options["seed"], kinds=kinds)
    except InvalidSettings as error:
        raise UnreadableInput(file, f"{error}") from error
    records = made.records
    lines = [*_summary_lines(made, tools, lang)]
    if options["model"] is not None:
        asked = _ask_model(made, tools, options["model"])
        records = asked.records
        lines.append(_model_line(asked, options["model"], lang))
    hider, hidden = Hider(), 0
    with open_output(output, "jsonl", lang) as target:
        for record in records:
            shown = hider.data(record)
            hidden += shown is not record
            target.write_text(record_line(shown))
    for line in lines:
        print_note(line)
    if hidden:
        print_note(say(HIDDEN_SECRETS, lang, count=hidden))


def _ask_model(made: GeneratedCases, tools: dict[str, Tool], model: str) -> WrittenQuestions:
    import asyncio

    from callscore.datasets.questions import INSTRUCTIONS, write_questions
    from callscore.models import chat

    task = chat(model, system=INSTRUCTIONS)
    task.require()
    asked = asyncio.run(write_questions(made.records, tools, task))
    if len(asked.problems) == len(asked.records):
        raise ModelFailed(model, _USELESS.format(names=_named(asked.problems)))
    return asked


def _summary_lines(made: GeneratedCases, tools: dict[str, Tool], lang: Language) -> list[str]:
    cases = count_of(CASES, len(made.records), lang)
    used = len(tools) - len(made.left_out)
    lines = [say(_MADE, lang, cases=cases, tools=count_of(_TOOLS, used, lang))]
    lines += [say(_LEFT_OUT, lang, problem=escape(why)) for why in made.left_out.values()]
    if made.missing:
        lines.append(say(_FEWER, lang, count=made.missing))
    if made.impossible:
        lines.append(say(_IMPOSSIBLE, lang, names=", ".join(made.impossible)))
    return lines


def _model_line(asked: WrittenQuestions, model: str, lang: Language) -> str:
    total, problems = len(asked.records), asked.problems
    about = {"total": total, "model": escape(model)}
    if not problems:
        return say(_ALL_ASKED, lang, **about)
    return say(_ASKED, lang, count=total - len(problems), names=_named(problems), **about)


def _named(problems: dict[str, str]) -> str:
    """The first of some cases, and why there is no question for them."""
    named = [
        f"{escape(name)} ({clip(escape(why), _LONGEST)})"
        for name, why in list(problems.items())[:_NAMED]
    ]
    more = [f"+{len(problems) - _NAMED}"] if len(problems) > _NAMED else []
    return ", ".join([*named, *more])
