"""`callscore demo`: real trajectories, scored, with what it means and what to type next."""

from __future__ import annotations

import sys
from collections import defaultdict
from importlib.resources import as_file, files
from shlex import quote
from shutil import which
from textwrap import fill
from typing import TYPE_CHECKING

import click

from callscore.cli import wording
from callscore.cli.options import lang_option
from callscore.cli.output import open_output
from callscore.core.settings import Settings
from callscore.core.statistics import pass_hat_k
from callscore.core.wording import decimal, percent, say
from callscore.engines.local import score_files
from callscore.sources import Record, read_records

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.core.wording import Language

__all__ = ["command"]

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
        out.write(score_files(path, limit=_SHOWN))
        out.write_text(_comment(path, lang))


def _comment(path: Path, lang: Language) -> str:
    rates = _published_rates(path)
    shown = " ".join(f"pass^{k} {decimal(rate)}" for k, rate in enumerate(rates, 1))
    outcome = score_files(path, settings=Settings.preset("outcome"), show="none").summary
    passed = percent(outcome.passed / outcome.cases)
    meaning = say(wording.DEMO_MEANING, lang, done=percent(rates[0]), passed=passed)
    file = quote(str(path))
    program = "callscore" if which("callscore") else f"{quote(sys.executable)} -m callscore"
    return "\n".join(
        [
            "",
            say(wording.DEMO_REWARDS, lang),
            f"  {shown}",
            "",
            *(fill(line, _WIDTH) for line in meaning.splitlines()),
            "",
            say(wording.DEMO_NEXT, lang),
            f"  {program} explain {file} --case airline-32 --trial 3",
            f"  {program} score {file} --preset outcome --limit 3",
            f"  {program} score --help",
            "",
        ]
    )


def _published_rates(path: Path) -> list[float]:
    """pass^1, pass^2, ... from the rewards that the benchmark gave, not from our scores."""
    rewards: dict[str, list[int]] = defaultdict(list)
    for record in read_records(str(path)):
        if isinstance(record, Record):
            rewards[record.value["id"]].append(record.value["metadata"]["reward"])
    return [
        sum(pass_hat_k(len(tries), sum(tries), k) for tries in rewards.values()) / len(rewards)
        for k in range(1, _TRIALS + 1)
    ]
