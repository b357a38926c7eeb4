"""`callscore demo`: scores of real trajectories, what they mean, and what to type next."""

from __future__ import annotations

from collections import defaultdict
from importlib.resources import as_file
from os.path import lexists
from shlex import quote
from textwrap import fill
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import replace

from callscore.cli.options import (
    SettingsCommand,
    lang_option,
    max_shown_option,
    note_unused,
    settings_from,
    settings_options,
    show_option,
)
from callscore.cli.output import next_steps, open_output
from callscore.cli.output_formats import ALL_IN_FORMATS, is_for_people, report_options
from callscore.core.phrases import Language, Phrase, say
from callscore.core.settings import DEFAULT, Settings
from callscore.core.statistics import pass_hat_k
from callscore.engines.collector import ScoreHooks
from callscore.engines.local import score_files
from callscore.sources import Record, read_records
from callscore.sources.files import DEMO, demo_data
from callscore.words.value_text import decimal, percent

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.core.results import Results

_REWARDS = Phrase(
    "Tasks completed, by the published rewards of the benchmark itself:",
    "Выполнено задач по опубликованным наградам самого бенчмарка:",
)
_DATASET = Phrase(
    "These are 200 real trajectories: gpt-4o on 50 customer service tasks of an airline, with four "
    "trials per task.",
    "Это 200 настоящих траекторий: gpt-4o решает 50 задач службы поддержки авиакомпании, по четыре попытки "
    "на каждую.",
)
_STRICT = Phrase(
    "The score is low although {done} of the tasks were completed: the references contain only the calls "
    "that are necessary, and strict scoring counts every further lookup of the agent as extra.\n"
    "With `--preset outcome`, only calls that change something count, and failed calls are ignored: then "
    "{passed} of the trials pass.",
    "Оценка низкая, хотя выполнено {done} задач: в эталонах только необходимые вызовы, а при строгом "
    "сравнении каждый дополнительный запрос агента считается лишним.\n"
    "С `--preset outcome` учитываются только вызовы, которые что-то меняют, а неудачные не учитываются: "
    "тогда пройдено {passed} попыток.",
)
_OUTCOME = Phrase(
    "With `--preset outcome`, only calls that change something count, and failed calls are ignored: "
    "{passed} of the trials pass, and {done} of the tasks were completed.",
    "С `--preset outcome` учитываются только вызовы, которые что-то меняют, а неудачные не учитываются: "
    "пройдено {passed} попыток, а выполнено {done} задач.",
)
_OTHER_SETTINGS = Phrase(
    "With these settings {passed} of the trials pass, and {done} of the tasks were completed.",
    "С этими настройками пройдено {passed} попыток, а выполнено {done} задач.",
)
_TABLES = Phrase(
    "The tables show which tools and arguments lower the score, and the cases show where.",
    "Таблицы показывают, какие инструменты и аргументы снижают оценку, а разбор случаев — где именно.",
)
_INIT = Phrase("Create an evaluation of your own agent", "Создать проверку для своего агента")
_TRIALS = 4
_SHOWN = 2
_WIDTH = 96
_FORMATS = ["table", "json", "jsonl", "markdown", "junit", "html"]
_TITLE = "airline, gpt-4o"


@click.command(cls=SettingsCommand)
@settings_options
@show_option
@max_shown_option(f"{_SHOWN}; {ALL_IN_FORMATS}")
@report_options(_FORMATS)
@lang_option
def command(*, lang: Language, output: str | None, output_format: str, **options: Any) -> None:
    """Score 200 real trajectories of an agent, which come with callscore.

    No network and no API key are needed.
    """
    settings = settings_from(options)
    show, shown = options["show"], options["max_shown"]
    for_people = is_for_people(output_format)
    with (
        as_file(demo_data()) as path,
        open_output(output, output_format, lang) as out,
    ):
        if output_format == "html":
            from callscore.reports.html.document import Heading, NextStep

            # No command for a case: its path would be of use on this machine only.
            out.heading = Heading(
                title=_TITLE, next=(NextStep("callscore init", say(_INIT, lang)),)
            )
        results = score_files(
            path,
            settings=settings,
            show=show or ("failing" if for_people else "all"),
            max_shown=_SHOWN if shown is None and for_people else shown,
            hooks=ScoreHooks(on_case=out.on_case, on_unused=note_unused),
        )
        out.write(replace(results, inputs=()))  # the path is of use on this machine only
        if output_format == "table":
            out.write_text(_comment(path, results, out.width(), lang))


def _comment(path: Path, results: Results, width: int, lang: Language) -> str:
    rates = _published_rates(path)
    shown = " ".join(f"pass^{k} {decimal(rate)}" for k, rate in enumerate(rates, 1))
    outcome = Settings.preset("outcome")
    is_default = results.settings == DEFAULT
    summary = results.summary
    if is_default:
        summary = score_files(path, settings=outcome, show="none").summary
    passed = percent(summary.passed / summary.cases) if summary.cases else percent(0)
    special = _OUTCOME if results.settings == outcome else _OTHER_SETTINGS
    about = say(_STRICT if is_default else special, lang, done=percent(rates[0]), passed=passed)
    file = quote(str(path)) if lexists(DEMO) else DEMO
    commands = (
        f"explain {file} --case airline-32 --trial 3",
        f"score {file} --preset outcome --max-shown 3",
        f"score {file} -o report.html",
    )
    text = f"{say(_DATASET, lang)}\n{about}\n{say(_TABLES, lang)}"
    rewards, *paragraphs = [
        fill(line, min(width, _WIDTH), break_on_hyphens=False)
        for line in [say(_REWARDS, lang), *text.splitlines()]
    ]
    steps = next_steps(commands, lang)
    return "\n".join(["", rewards, f"  {shown}", "", *paragraphs, "", *steps, ""])


def _published_rates(path: Path) -> list[float]:
    """pass^1, pass^2, ... from the rewards of the benchmark, not from the scores of callscore."""
    rewards: dict[str, list[int]] = defaultdict(list)
    for record in read_records(str(path)):
        if isinstance(record, Record):
            rewards[record.value["id"]].append(record.value["metadata"]["reward"])
    return [
        sum(pass_hat_k(len(tries), sum(tries), k) for tries in rewards.values()) / len(rewards)
        for k in range(1, _TRIALS + 1)
    ]
