"""What `callscore score FILE` costs in each format: the processor, the memory, several processes."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

import commands
import data
import timing
from rows import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rows import Inputs

__all__ = ["rows"]

ALL = ("--show", "all", "--max-shown", "1000000000")
NONE = ("--show", "none", "--format", "json")
BARS = {"json": 8.0, "jsonl": 6.0, "junit": 10.0, "markdown": 10.0}
NONE_BARS = {data.SUITE: 0.80, data.TRAJECTORY: 1.1}
TYPED_BAR = 3.0
MEMORY_BAR = 100.0
SAVE_BAR = 120.0
TABLE_BAR = 0.4
JOBS_BAR = 1 / 1.6
BUSY = 0.5  # processes that need a processor, on average, besides ours


def rows(inputs: Inputs) -> Iterator[Row]:
    """Every row of this subject."""
    yield from _without_cases(inputs)
    yield from _with_cases(inputs)
    yield from _memory(inputs)
    yield _several_processes(inputs)


def _without_cases(inputs: Inputs) -> Iterator[Row]:
    count = inputs.effort.many_cases
    for shape, bar in NONE_BARS.items():
        name, what = shape.name.replace(" ", "-"), f"{count:,} {shape.name} / json.loads"
        yield Row(
            f"score-none-{name}",
            f"score_files(show='none'), {what}",
            bar,
            partial(_in_process, inputs, shape, "loads"),
        )
        yield Row(
            f"score-none-{name}-command",
            f"score --show none --format json, {what}",
            bar,
            partial(_as_command, inputs, count, shape, NONE),
        )
    yield Row(
        "score-none-typed",
        f"score_files(show='none'), {count:,} {data.SUITE.name} / msgspec into structs",
        TYPED_BAR,
        partial(_in_process, inputs, data.SUITE, "typed"),
    )


def _with_cases(inputs: Inputs) -> Iterator[Row]:
    count = inputs.effort.some_cases
    for name, bar in BARS.items():
        yield Row(
            f"score-{name}",
            f"score --format {name}, {count:,} {data.SUITE.name}, all written / json.loads",
            bar,
            partial(_as_command, inputs, count, data.SUITE, ("--format", name, *ALL)),
        )
    yield Row(
        "score-table",
        "score --format table, per case shown",
        TABLE_BAR,
        partial(_table, inputs),
        "ms",
    )
    yield Row(
        "score-save",
        f"score --show none --save, {count:,} {data.SUITE.name}, per case",
        SAVE_BAR,
        partial(_save, inputs),
        "us",
    )


def _memory(inputs: Inputs) -> Iterator[Row]:
    gigabytes = inputs.effort.large_file / 1e9
    yield Row(
        "memory-none",
        f"score --show none, peak memory over {gigabytes:g} GB of {data.TRAJECTORY.name}",
        MEMORY_BAR,
        partial(_peak, inputs, NONE, is_large=True),
        "MB",
    )
    what = f"peak memory over {inputs.effort.many_cases:,} {data.SUITE.name}, all written"
    for name in BARS:
        yield Row(
            f"memory-{name}",
            f"score --format {name}, {what}",
            MEMORY_BAR,
            partial(_peak, inputs, ("--format", name, *ALL), is_large=False),
            "MB",
        )


def _several_processes(inputs: Inputs) -> Row:
    load = os.getloadavg()[0]
    state = "busy" if load > BUSY else "quiet"
    return Row(
        "jobs-2",
        f"--jobs 2 / --jobs 1, by the clock; this machine is {state}, load {load:.1f}",
        JOBS_BAR,
        partial(_jobs, inputs),
        is_checked=False,
    )


def _in_process(inputs: Inputs, shape: data.Shape, baseline: str, rounds: int) -> timing.Measured:
    path = inputs.cases(inputs.effort.many_cases, shape)
    return timing.compare(commands.job("score", path), commands.job(baseline, path), rounds)


def _as_command(
    inputs: Inputs, count: int, shape: data.Shape, options: tuple[str, ...], rounds: int
) -> timing.Measured:
    path = inputs.cases(count, shape)
    words = commands.callscore_command("score", str(path), *options)
    ours = commands.seconds_of(words, inputs.folder)
    return timing.compare(ours, commands.job("loads", path), rounds)


def _table(inputs: Inputs, rounds: int) -> timing.Measured:
    """What a file costs with all its cases shown and with none, per case."""
    count = inputs.effort.few_cases
    path = inputs.cases(count, data.SUITE)
    words = commands.callscore_command("score", str(path), "--format", "table")
    shown, without, loads = timing.take_turns(
        [
            commands.seconds_of([*words, *ALL], inputs.folder),
            commands.seconds_of([*words, "--show", "none"], inputs.folder),
            commands.job("loads", path),
        ],
        rounds,
    )
    ours = [seconds - min(without) for seconds in shown]
    return timing.measure(ours, loads, scale=1e3 / count)


def _save(inputs: Inputs, rounds: int) -> timing.Measured:
    """A file into a new history each time, reading and scoring included."""
    count = inputs.effort.some_cases
    path, store = inputs.cases(count, data.SUITE), inputs.folder / "saved.db"
    words = commands.callscore_command("score", str(path), "--show", "none", "--save", "x")

    def save() -> float:
        for file in inputs.folder.glob(f"{store.name}*"):
            file.unlink()
        return commands.command([*words, "--store", str(store)], inputs.folder).seconds

    return timing.compare(save, commands.job("loads", path), rounds, scale=1e6 / count)


def _peak(
    inputs: Inputs, options: tuple[str, ...], _rounds: int, *, is_large: bool
) -> timing.Measured:
    """The memory of a process that scores all this, in terms of one that scores ten cases."""
    path = inputs.large if is_large else inputs.cases(inputs.effort.many_cases, data.SUITE)
    many, few = (
        commands.command(
            commands.callscore_command("score", str(each), *options), inputs.folder
        ).megabytes
        for each in (path, inputs.cases(10, data.SUITE))
    )
    return timing.measure([many], [few], scale=1.0)


def _jobs(inputs: Inputs, rounds: int) -> timing.Measured:
    path = inputs.cases(inputs.effort.many_cases, data.SUITE)
    words = commands.callscore_command("score", str(path), "--format", "jsonl", *ALL, "--jobs")

    def elapsed(jobs: str) -> float:
        return commands.command([*words, jobs], inputs.folder).elapsed

    return timing.compare(partial(elapsed, "2"), partial(elapsed, "1"), min(rounds, 3))
