"""What running an evaluation costs the processor over asking alone, with a real server on this machine.

One process serves the protocol of OpenAI's chat completions, and answers after 20 ms. Others ask it
about 1,000 cases, 100 at once: a bare loop over the SDK, and callscore, which keeps every answer,
scores it and adds the scores up. Each has asked a few before, so that modules are loaded and
connections are open. `python benchmarks/running.py JOB ADDRESS CASES` is one of them.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import TYPE_CHECKING, Any

import commands
import timing
from rows import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rows import Inputs

    from callscore.evaluations.evaluation import Evaluation

__all__ = ["rows"]

RUN_BAR = 1.3
MEMORY_BAR = 1.3

_ROOT = Path(__file__).parents[1]
_LATENCY = 0.02
_AT_ONCE = 100
_FEW = 200  # cases to begin with
_MODEL = "small"
_TOOL: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "getWeather",
        "description": "The weather in a city.",
        "parameters": {
            "type": "object",
            "properties": {"query": {"type": "string"}},
            "required": ["query"],
        },
    },
}


def rows(inputs: Inputs) -> Iterator[Row]:
    """Every row of this subject."""
    cases = inputs.effort.few_cases
    what = f"run {cases:,} cases, 20 ms latency, 100 in flight"
    for job, task in (("chat", "models.chat"), ("own", "a task over the SDK")):
        yield Row(
            f"run-{job}",
            f"{what}: {task} / bare SDK",
            RUN_BAR,
            partial(_against_bare, job, cases),
        )
    yield Row(
        "run-memory",
        f"run, peak memory of {5 * cases:,} cases / {cases:,}",
        MEMORY_BAR,
        lambda _: _memory(inputs),
    )


def _against_bare(job: str, cases: int, rounds: int) -> timing.Measured:
    with _server() as address:
        ours, theirs = (partial(_child, each, address, cases) for each in (job, "bare"))
        return timing.compare(ours, theirs, rounds)


def _memory(inputs: Inputs) -> timing.Measured:
    counts = (5 * inputs.effort.few_cases, inputs.effort.few_cases)
    with _server() as address:
        many, few = (
            commands.command(
                commands.python_command(__file__, "chat", address, str(count)), inputs.folder
            ).megabytes
            for count in counts
        )
    return timing.measure([many], [few])


@contextmanager
def _server() -> Iterator[str]:
    command = [sys.executable, "-m", "tests.servers.openai_server", "--latency", str(_LATENCY)]
    with subprocess.Popen(command, cwd=_ROOT, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None  # noqa: S101  (it is a pipe)
        try:
            yield server.stdout.readline().strip()
        finally:
            server.terminate()


def _child(job: str, address: str, cases: int) -> float:
    command = [sys.executable, __file__, job, address, str(cases)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(done.stdout)


def bare(address: str, cases: int) -> float:
    """The seconds that the SDK takes by itself."""
    from openai import AsyncOpenAI

    async def ask_all() -> float:
        client = AsyncOpenAI(base_url=address, api_key="none", max_retries=0)

        async def ask(count: int) -> float:
            questions = iter(range(count))

            async def work() -> None:
                for number in questions:
                    await client.chat.completions.create(
                        model=_MODEL,
                        messages=[{"role": "user", "content": _question(number)}],
                        tools=[_TOOL],  # type: ignore[list-item]  # as people write it
                    )

            start = process_time()
            await asyncio.gather(*[work() for _ in range(_AT_ONCE)])
            return process_time() - start

        await ask(_FEW)
        seconds = await ask(cases)
        await client.close()
        return seconds

    return asyncio.run(ask_all())


def chat(address: str, cases: int) -> float:
    """The seconds that a run takes whose task is a ready one."""
    from callscore import models

    return _run(models.chat(_MODEL, tools=[_TOOL], base_url=address), cases)


def own(address: str, cases: int) -> float:
    """The seconds that a run takes whose task somebody wrote over the SDK."""
    from openai import AsyncOpenAI

    client = AsyncOpenAI(base_url=address, api_key="none", max_retries=0)

    async def task(case: Any) -> Any:
        return await client.chat.completions.create(
            model=_MODEL,
            messages=[{"role": "user", "content": case.input}],
            tools=[_TOOL],  # type: ignore[list-item]  # likewise
        )

    return _run(task, cases)


def _question(number: int) -> str:
    return f"What is the weather in city {number}?"


def _evaluation(task: Any, cases: int) -> Evaluation:
    from callscore import Case, evaluation

    asked = [
        Case(
            _question(number),
            id=f"city-{number}",
            expected=[{"name": "getWeather", "arguments": {"query": _question(number)}}],
        )
        for number in range(cases)
    ]
    scorers = ["accuracy", "tool_called", "parameters_valid"]
    made: Evaluation = evaluation(cases=asked, tools=[_TOOL], scorers=scorers, name="weather")(task)
    return made


def _run(task: Any, cases: int) -> float:
    from callscore.evaluations.plan import make_plan
    from callscore.history.opening import open_store
    from callscore.runner.running import RunOptions, run

    few, planned = make_plan([_evaluation(task, _FEW)]), make_plan([_evaluation(task, cases)])
    with TemporaryDirectory() as folder, open_store(Path(folder) / "history.db") as store:
        run(few, RunOptions(jobs=_AT_ONCE), store=store)
        start = process_time()
        found = run(planned, RunOptions(jobs=_AT_ONCE), store=store)
        seconds = process_time() - start
    if found.evaluations[0].passed != cases:
        sys.exit(f"{found.evaluations[0].passed} of {cases} passed")
    return seconds


_JOBS = {"bare": bare, "chat": chat, "own": own}

if __name__ == "__main__":
    _, name, server, count = sys.argv
    print(_JOBS[name](server, int(count)))
