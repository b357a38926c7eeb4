"""`callscore demo`: scores of real trajectories, what they mean, and what to type next."""

from __future__ import annotations

from collections import defaultdict
from importlib.resources import as_file, files
from shlex import quote
from textwrap import fill
from typing import TYPE_CHECKING

import click

from callscore.cli.options import lang_option
from callscore.cli.output import next_steps, open_output
from callscore.core.phrases import Phrase, say
from callscore.core.settings import Settings
from callscore.core.statistics import pass_hat_k
from callscore.engines.local import score_files
from callscore.sources import Record, read_records
from callscore.words.value_text import decimal, percent

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.core.phrases import Language

__all__ = ["command"]

_REWARDS = Phrase(
    "Tasks done, by the rewards of the benchmark itself (as published):",
    "Выполненные задачи по наградам самого бенчмарка (как опубликовано):",
)
_MEANING = Phrase(
    "These are 200 real trajectories: gpt-4o on 50 tasks of an airline's customer service, four "
    "times each.\n"
    "The score is low although {done} of the tasks were done: the references name only the calls "
    "that matter, and the agent looked up a lot besides, which strict scoring counts as extra.\n"
    "With `--preset outcome` only the calls count that change something, failed ones aside: then "
    "{passed} of the cases pass.\n"
    "The tables say which tools and which arguments cost the points, and the cases show where.",
    "Это 200 настоящих траекторий: gpt-4o на 50 задачах службы поддержки авиакомпании, по четыре "
    "попытки.\n"
    "Оценка низкая, хотя выполнено {done} задач: эталоны называют только существенные вызовы, а "
    "агент многое ещё и искал, и строгая оценка считает это лишним.\n"
    "С `--preset outcome` считаются только вызовы, которые что-то меняют, и без неудавшихся: тогда "
    "проходит {passed} случаев.\n"
    "По таблицам видно, на каких инструментах и аргументах теряются баллы, а случаи показывают, где "
    "именно.",
)
_DATA = "airline-gpt-4o.jsonl.gz"
_TRIALS = 4
_SHOWN = 2
_WIDTH = 96


@click.command(short_help="Score the real trajectories that come with callscore.")
@lang_option
def command(lang: Language) -> None:
    """Score 200 real trajectories of an agent, which come with callscore.

    It needs no network and no key.
    """
    with (
        as_file(files("callscore") / "data" / _DATA) as path,
        open_output(None, "table", lang) as out,
    ):
        out.write(score_files(path, max_shown=_SHOWN))
        out.write_text(_comment(path, lang))


def _comment(path: Path, lang: Language) -> str:
    rates = _published_rates(path)
    shown = " ".join(f"pass^{k} {decimal(rate)}" for k, rate in enumerate(rates, 1))
    outcome = score_files(path, settings=Settings.preset("outcome"), show="none").summary
    passed = percent(outcome.passed / outcome.cases)
    meaning = say(_MEANING, lang, done=percent(rates[0]), passed=passed)
    file = quote(str(path))
    commands = (
        f"explain {file} --case airline-32 --trial 3",
        f"score {file} --preset outcome --max-shown 3",
        "score --help",
    )
    paragraphs = [fill(line, _WIDTH) for line in meaning.splitlines()]
    steps = next_steps(commands, lang)
    return "\n".join(["", say(_REWARDS, lang), f"  {shown}", "", *paragraphs, "", *steps, ""])


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
