"""A long history: how large its file is, and what it costs to look at it.

    python benchmarks/history.py [RUNS CASES] [--whole]

Prints one table. What a command asks of the history is measured against the plain SQL query for the
rows that it shows, sent to SQLite by hand. `--whole` is 1,000 runs of 1,000 cases, which takes some
minutes and a gigabyte and a half of disk.
"""

from __future__ import annotations

import random
import sqlite3
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

import timing

from callscore.comparing.comparison import compare_sides
from callscore.core.results import MetricValue, Usage
from callscore.history.opening import open_store
from callscore.history.records import (
    AnswerRecord,
    EvaluationRecord,
    ResultRecord,
    RunRecord,
    asked_digest,
    expectation_digest,
)
from callscore.history.run_lookup import list_runs
from callscore.runner.stored_runs import load_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from callscore.comparing.sides import Side
    from callscore.history.store import Store

__all__ = ["Cost", "costs", "fill", "main"]

WHOLE = (1_000, 1_000)
USUAL = (60, 1_000)
TOOLS = ("search", "weather", "calculator", "calendar", "send")
CITIES = ("Paris", "Oslo", "Lima", "Kyoto", "Accra", "Quito", "Riga", "Perth")
TAGS = ("smoke", "slow", "weather", "travel", "edge")
ROUNDS = 7
SIZE_BAR = 1.5e9
BAR = 5.0  # every row is verified

_LINES = """
SELECT number, id, command, status, started_at, finished_at, name, arguments, versions, git_commit,
       git_dirty, parent, totals
FROM runs ORDER BY started_at DESC, number DESC LIMIT ?
"""
_SUITES = """
SELECT run, number, name, variant, place, summary FROM evaluations WHERE run > ? ORDER BY run, number
"""
_TAGGED = """
SELECT run, evaluation, count(*), sum(answered), sum(passed), avg(f1) FROM (
  SELECT run, evaluation, count(*) AS answered, sum(passed) AS passed, avg(f1) AS f1 FROM results
  WHERE run > ? AND instr(tags, '"smoke"') GROUP BY run, evaluation, case_id
) GROUP BY run, evaluation
"""
_OUTCOMES = """
SELECT evaluation, case_id, trial, tags, digests, status, passed, f1, outcome
FROM results WHERE run = ? ORDER BY number
"""
_RESULTS = "SELECT * FROM results WHERE run = ? ORDER BY number"


class Cost(NamedTuple):
    """One line of the table."""

    what: str
    measured: float
    bar: float
    unit: str = "x"


def main(words: list[str]) -> None:
    """Make a history, and print what it costs."""
    numbers = [int(word) for word in words if word.isdigit()]
    runs, cases = WHOLE if "--whole" in words else tuple(numbers) or USUAL
    with TemporaryDirectory() as folder:
        path = Path(folder) / "history.db"
        seconds = timing.best_times([lambda: fill(path, runs, cases)], rounds=1)[0]
        print(f"{runs:,} runs of {cases:,} cases, written in {seconds:.0f} s")
        for cost in costs(path, runs, cases):
            verdict = "yes" if cost.measured <= cost.bar else "NO"
            measured, bar = f"{cost.measured:.2f}{cost.unit}", f"{cost.bar:.2f}{cost.unit}"
            print(f"{cost.what:76} {measured:>9} {bar:>9}  {verdict}", flush=True)


# --- a history -------------------------------------------------------------------------------


def fill(path: Path, runs: int, cases: int) -> None:
    """Keep as many runs of the same cases, which an agent answers a little differently each time."""
    chance = random.Random(7)
    suite = [_case(number) for number in range(cases)]
    with open_store(path) as store:
        for number in range(runs):
            _keep_run(store, number, suite, chance)


def _case(number: int) -> tuple[str, dict[str, Any], tuple[str, str]]:
    tool, city = TOOLS[number % len(TOOLS)], CITIES[number * 7 % len(CITIES)]
    payload = {
        "input": f"Question {number}: what about {city}? "
        + "Please take your time. " * (number % 9),
        "tags": sorted({TAGS[number % 5], TAGS[number * 3 % 4]}),
        "expected": [{"name": tool, "arguments": {"city": city, "day": number % 28, "units": "C"}}],
    }
    return (
        f"question-{number}-{city}",
        payload,
        (expectation_digest(payload), asked_digest(payload)),
    )


def _keep_run(store: Store, number: int, suite: list[Any], chance: random.Random) -> None:
    name = f"2026{1 + number // 700 % 12:02}{1 + number // 25 % 28:02}-{number % 25:02}0000-{number:04}"
    run = store.begin(
        RunRecord(
            id=name,
            command="run",
            started_at=1_794_768_234.5 + 60 * number,
            arguments={"paths": ["evals"], "trials": None},
            versions={"callscore": "1.0.0", "python": "3.11.7"},
            git_commit=f"{number:040x}",
            git_dirty=False,
        )
    ).id
    store.add_evaluation(
        EvaluationRecord(
            run=run,
            number=0,
            name="assistant",
            place="evals/eval_assistant.py::assistant",
            settings={"mode": "strict"},
            scorers=("accuracy", "tool_called"),
        )
    )
    passed = 0
    kept: list[AnswerRecord | ResultRecord] = []
    for position, case in enumerate(suite):
        is_right = chance.random() < 0.8 + 0.1 * number / 1_000
        passed += is_right
        kept += _records(run, position, case, chance, is_right=is_right)
    for start in range(0, len(kept), 500):
        store.save_results(kept[start : start + 500])
    share = passed / len(suite)
    totals: dict[str, Any] = {
        "cases": len(suite),
        "trials": len(suite),
        "decided_cases": len(suite),
        "answered": len(suite),
        "passed": passed,
        "errors": 0,
    }
    totals |= {"passed_share": share, "f1": share, "macro_f1": share}
    store.finish(run, "finished", totals, {0: totals})


def _records(
    run: str, position: int, case: Any, chance: random.Random, *, is_right: bool
) -> tuple[AnswerRecord, ResultRecord]:
    name, payload, (expectation, asked) = case
    [wanted] = payload["expected"]
    arguments = wanted["arguments"] if is_right else {**wanted["arguments"], "day": 29}
    call_id = f"call_{chance.getrandbits(96):024x}"
    document = _document(wanted["name"], arguments, call_id, chance)
    question = f"{position:032x}"
    usage = Usage(1, 81 + position % 40, 17)
    answer = AnswerRecord(
        run=run, question=question, source="ab" * 16, trial=1, answer=document, usage=usage
    )
    differences = [
        {"pair": 0, "path": "$.day", "expected": wanted["arguments"]["day"], "actual": 29}
    ]
    score = 1.0 if is_right else 0.0
    return answer, ResultRecord(
        run=run,
        evaluation=0,
        case=name,
        status="scored",
        payload=payload,
        question=question,
        answer=document,
        calls=[{"id": call_id, "name": wanted["name"], "arguments": arguments}],
        expectation=expectation,
        asked=asked,
        f1=score,
        counts=(1, 0, 0, 0, 1, 1, 0) if is_right else (0, 1, 0, 0, 1, 1, 0),
        faults=0,
        tools={wanted["name"]: (1, 0, 0, 0, 0) if is_right else (0, 1, 0, 0, 0)},
        comparison={"pairs": [[0, 0, is_right]], "differences": [] if is_right else differences},
        passed=is_right,
        values=(MetricValue("accuracy", score), MetricValue("tool_called", 1.0)),
        seconds=0.3 + chance.random(),
        usage=usage,
        finished_at=1_794_768_234.5 + position,
    )


def _document(
    tool: str, arguments: dict[str, Any], call_id: str, chance: random.Random
) -> dict[str, Any]:
    """A message as a model gives it, with what is another one each time."""
    text = ", ".join(f'"{name}": "{value}"' for name, value in arguments.items())
    call = {
        "id": call_id,
        "type": "function",
        "function": {"name": tool, "arguments": f"{{{text}}}"},
    }
    return {
        "id": f"chatcmpl-{chance.getrandbits(116):029x}",
        "model": "gpt-4.1-mini-2025-04-14",
        "choices": [{"message": {"role": "assistant", "content": None, "tool_calls": [call]}}],
        "usage": {"prompt_tokens": 81, "completion_tokens": 17},
    }


# --- what it costs ---------------------------------------------------------------------------


def costs(path: Path, runs: int, cases: int) -> Iterator[Cost]:
    """Every line, one after the other."""
    each = path.stat().st_size / runs / cases
    yield Cost(f"the file, {path.stat().st_size / 1e9:.2f} GB: bytes a result", each, 1_500, " B")
    bare = sqlite3.connect(path)
    wanted = bare.execute("SELECT count(DISTINCT payload), count(DISTINCT answer) FROM results")
    stored, pairs = wanted.fetchone()
    yield Cost(f"payloads of {runs * cases:,} cases, each kept once", stored / cases, 1)
    yield Cost("likewise their pairs and differences", pairs / cases, 1)
    with open_store(path) as store:
        yield from _ratios(store, bare, runs)
    bare.close()


def _ratios(store: Store, bare: sqlite3.Connection, runs: int) -> Iterator[Cost]:
    newest, before = store.runs(limit=2)
    numbers = {
        run.id: number for number, run in zip((runs, runs - 1), (newest, before), strict=True)
    }
    case = next(store.results(newest.id)).case

    def plain(query: str, *given: Any) -> list[Any]:
        return bare.execute(query, given).fetchall()

    def both(query: str) -> None:
        for number in numbers.values():
            plain(query, number)

    def sides() -> tuple[Side, ...]:
        return store.with_cases(*[store.side(run, run.id) for run in (before, newest)])

    # So few rows take less than what any library does before it asks: nobody sees it.
    few = timing.best_times([lambda: list_runs(store, limit=20)], rounds=ROUNDS)[0]
    yield Cost("history, 20 runs", few * 1e3, 5, " ms")
    yield _ratio(
        f"history, {runs:,} runs",
        lambda: list_runs(store),
        lambda: (plain(_LINES, runs), plain(_SUITES, 0)),
    )
    yield _ratio(
        "history --tag, 20 runs",
        lambda: list_runs(store, limit=20, tag="smoke"),
        lambda: (plain(_LINES, 20), plain(_SUITES, runs - 20), plain(_TAGGED, runs - 20)),
    )
    yield _ratio(
        "compare: both runs read",
        sides,
        lambda: both(_OUTCOMES),
    )
    yield _ratio(
        "compare: read, paired and tested",
        lambda: compare_sides(*sides()),
        lambda: both(_OUTCOMES),
    )
    yield _ratio(
        "show: a run",
        lambda: load_run(store, newest),
        lambda: plain(_RESULTS, numbers[newest.id]),
    )
    # All results of the run are verified, also to show one.
    one = timing.best_times([lambda: store.cases(newest.id, [case])], rounds=ROUNDS)[0]
    yield Cost("show: a case", one * 1e3, 15, " ms")


def _ratio(what: str, ours: Callable[[], object], theirs: Callable[[], object]) -> Cost:
    our_time, their_time = timing.best_times([ours, theirs], rounds=ROUNDS)
    return Cost(f"{what} ({our_time * 1e3:.2f} ms) / plain SQL", our_time / their_time, BAR)


if __name__ == "__main__":
    main(sys.argv[1:])
