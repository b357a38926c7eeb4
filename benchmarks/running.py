"""What running an evaluation costs over asking alone, against a real server on this machine.

One process serves the protocol of OpenAI's chat completions, and answers after 20 ms. Others ask it
about 1,000 cases, 100 at once: a bare loop over the SDK, and callscore, which keeps every answer,
scores it and adds the scores up. Each has asked a few before, so that modules are loaded and
connections are open. `python benchmarks/running.py JOB ADDRESS CASES` is one of them.
"""

from __future__ import annotations

import asyncio
import resource
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from callscore.evaluations.evaluation import Evaluation

__all__ = ["best_ratios", "memory"]

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


def best_ratios(cases: int, rounds: int) -> tuple[float, float]:
    """The time of a run in terms of that of the bare loop: by a ready task, and by one's own."""
    with _server() as address:
        jobs = ("bare", "chat", "own")
        taken = [[_child(job, address, cases) for job in jobs] for _ in range(rounds)]
    bare, chat, own = (min(times) for times in zip(*taken, strict=True))
    return chat / bare, own / bare


def memory(cases: Sequence[int]) -> list[float]:
    """The megabytes that a run of so many cases has at its largest."""
    with _server() as address:
        return [_child("memory", address, count) for count in cases]


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

            start = perf_counter()
            await asyncio.gather(*[work() for _ in range(_AT_ONCE)])
            return perf_counter() - start

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


def peak(address: str, cases: int) -> float:
    """The megabytes that the process had at its largest."""
    chat(address, cases)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (1 << 20 if sys.platform == "darwin" else 1 << 10)


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
        start = perf_counter()
        found = run(planned, RunOptions(jobs=_AT_ONCE), store=store)
        seconds = perf_counter() - start
    if found.evaluations[0].passed != cases:
        sys.exit(f"{found.evaluations[0].passed} of {cases} passed")
    return seconds


_JOBS = {"bare": bare, "chat": chat, "own": own, "memory": peak}

if __name__ == "__main__":
    _, name, server, count = sys.argv
    print(_JOBS[name](server, int(count)))
