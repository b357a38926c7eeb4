"""Kills a run in the middle, again and again: nothing that was reported is lost, and it can go on.

    python benchmarks/killing.py                         # 50 runs of 10,000 cases, in a file
    python benchmarks/killing.py --rounds 5 --cases 2000 --store postgresql://user@host/database

Each round begins a run as `callscore run` does, and kills it, as `kill -9` does, after a random number
of cases was reported. Then the history has to open, every case that was reported has to be in it, and
`callscore run --resume` has to complete the run without asking any of them again.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, sleep
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["main"]

_SOURCE = Path(__file__).parents[1] / "src"
_EVALUATION = """
from callscore import Case, evaluation

CASES = [
    Case(
        f"What is the weather in city {number}?",
        id=f"city-{number}",
        expected=[{"name": "getWeather", "arguments": {"city": number}}],
    )
    for number in range(COUNT)
]


@evaluation(cases=CASES)
def weather(case):
    return [{"name": "getWeather", "arguments": {"city": int(case.id[5:])}}]
"""
_REUSED = re.compile(r"\((\d[\d,]*) reused\)")


def main(arguments: list[str]) -> None:
    """Kill as many runs as are wanted; an error where one of them loses anything."""
    if arguments[:1] == ["child"]:
        _run_and_tell()
        return
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--store", help="a server; a file of its own for each round by default")
    wanted = parser.parse_args(arguments)
    chance = random.Random(wanted.seed)
    start = perf_counter()
    told, kept = 0, 0
    for number in range(1, wanted.rounds + 1):
        reported, found = _round(wanted.cases, wanted.store, chance)
        told, kept = told + reported, kept + found
        print(
            f"{number:3}: {reported:6,} reported, {found:6,} kept, none lost, completed", flush=True
        )
    seconds = perf_counter() - start
    print(f"\n{wanted.rounds} runs of {wanted.cases:,} cases were killed in {seconds:.0f} s.")
    print(f"{told:,} cases were reported, {kept:,} kept, none lost; every run was completed.")


def _round(cases: int, store: str | None, chance: random.Random) -> tuple[int, int]:
    """How many cases were reported before the end, and how many the history has."""
    with TemporaryDirectory() as made:
        folder = Path(made)
        text = _EVALUATION.replace("COUNT", str(cases))
        (folder / "eval_weather.py").write_text(text, encoding="utf-8")
        environment = {**os.environ, "PYTHONPATH": str(_SOURCE)}
        environment["CALLSCORE_STORE"] = store or str(folder / ".callscore/history.db")
        reported = _killed(folder, environment, chance.randrange(1, cases), chance.random() / 50)
        run, found = _kept(environment["CALLSCORE_STORE"])
        if len(found) == cases:  # it was quicker than we were
            return _round(cases, store, chance)
        lost = reported - found
        if lost:
            sys.exit(f"{len(lost)} cases were reported and are lost: {sorted(lost)[:5]}")
        _complete(folder, environment, len(reported), cases)
        again, all_of_them = _kept(environment["CALLSCORE_STORE"])
        if (again, len(all_of_them)) != (run, cases):
            sys.exit(f"the run {run} has {len(all_of_them)} of {cases} cases in the end")
        return len(reported), len(found)


def _killed(folder: Path, environment: dict[str, str], after: int, pause: float) -> set[str]:
    """The cases that a run reported before it was killed."""
    command = [sys.executable, __file__, "child"]
    with subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        said: IO[str] | None = process.stdout
        assert said is not None  # noqa: S101  (it is a pipe)
        lines = [said.readline() for _ in range(after)]
        sleep(pause)  # somewhere in a transaction
        process.send_signal(signal.SIGKILL)
        lines += said.readlines()
        process.communicate()
    return {line.strip() for line in lines if line.startswith("city-") and line.endswith("\n")}


def _kept(place: str) -> tuple[str, set[str]]:
    """The newest run, and the cases that are kept of it."""
    from callscore.history.opening import open_store

    with open_store(place) as store:
        run = store.find("latest")
        found = {result.case for result in store.results(run.id)}
    if "://" not in place:
        database = sqlite3.connect(place)
        whole = database.execute("PRAGMA integrity_check").fetchone()
        database.close()
        if whole != ("ok",):
            sys.exit(f"the database is damaged: {whole}")
    return run.id, found


def _complete(folder: Path, environment: dict[str, str], reported: int, cases: int) -> None:
    """Go on with the run, and see that nothing that was reported is asked again."""
    command = [sys.executable, "-m", "callscore", "run", "--resume"]
    ran = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    reused = _REUSED.search(ran.stdout)
    count = int(reused[1].replace(",", "")) if reused else 0
    if ran.returncode or f"All {cases}" not in ran.stdout.replace(",", "") or count < reported:
        sys.exit(f"it did not go on: {ran.returncode}\n{ran.stdout}\n{ran.stderr}")


def _run_and_tell() -> None:
    """`callscore run`, with a line for each case that is reported."""
    from callscore.cli.main import main as callscore
    from callscore.runner.running import RunHooks

    out = os.dup(1)  # what tasks print does not go where the report goes

    @contextmanager
    def telling(_: Any) -> Iterator[RunHooks]:
        def tell(question: Any, _: Any) -> None:
            os.write(out, f"{question.case.id}\n".encode())

        yield RunHooks(on_done=tell)

    # In place of a line on a screen.
    import callscore.cli.run as running

    vars(running)["run_progress"] = telling
    sys.argv = ["callscore", "run", "-o", os.devnull]
    callscore()


if __name__ == "__main__":
    main(sys.argv[1:])
