"""What it costs to start: a command, an import, the pytest plugin where it is not used."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import commands
import plugin
import timing
from rows import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rows import Inputs

__all__ = ["rows"]

CASE = (
    '{"expected": [{"name": "weather", "arguments": {"city": "Oslo"}}],'
    ' "actual": [{"name": "weather", "arguments": {"city": "Bergen"}}]}\n'
)
ASYNCIO = "import asyncio"
MORE = 4  # times the rounds of others: they are short, and noisier
IMPORTS = ("import callscore", "from callscore import score")


def rows(inputs: Inputs) -> Iterator[Row]:
    """Every row of this subject."""
    yield Row(
        "start-score",
        f"score on one case, as a process / {ASYNCIO}",
        2.2,
        partial(_command, inputs),
    )
    for statement in IMPORTS:
        yield Row(
            statement.replace(" ", "-"),
            f"{statement} / {ASYNCIO}, without the start of Python",
            1.2,
            partial(_import, inputs, statement),
        )
    yield Row(
        "plugin",
        "2,000 tests that do not use the pytest plugin, with it / without it",
        1.05,
        plugin.unused_cost,
    )


def _command(inputs: Inputs, rounds: int) -> timing.Measured:
    path = inputs.folder / "one.jsonl"
    path.write_text(CASE, encoding="utf-8")
    words = commands.callscore_command("score", str(path))
    ours = commands.seconds_of(words, inputs.folder)
    theirs = commands.seconds_of(commands.python_command("-c", ASYNCIO), inputs.folder)
    return timing.compare(ours, theirs, 1 + MORE * rounds)  # the first one writes bytecode


def _import(inputs: Inputs, statement: str, rounds: int) -> timing.Measured:
    statements = (statement, ASYNCIO, "pass")
    jobs = [
        commands.seconds_of(commands.python_command("-c", each), inputs.folder)
        for each in statements
    ]
    ours, theirs, bare = timing.take_turns(jobs, 1 + MORE * rounds)
    # What is left of so short a time without the start varies too much to be compared later on.
    compared = timing.measure(ours, theirs)
    return compared._replace(value=(min(ours) - min(bare)) / (min(theirs) - min(bare)))
