"""Writes `version-1.db`, a history with tables of version 1, by the program of that time.

From a checkout of the commit 02f0cce, the last one with such tables:

    PYTHONPATH=CHECKOUT/src python tests/samples/history/make_version_1.py version-1.db

Two evaluations with their variants, trials, errors, a case without a score, a run that was stopped,
one that was scored again, and a judgement. It is never made anew: what is in it is what was written.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

__all__ = ["main"]

EVALUATIONS = """
import os

from callscore import Case, evaluation, expect

STORY = "Расскажи про погоду. " * 40
LONG = {"type": "object", "properties": {"city": {"type": "string", "description": "x" * 600}}}
TOOLS = [
    {"name": "search", "parameters": {"type": "object", "properties": {"q": {"type": "string"}}}},
    {"name": "weather", "parameters": LONG},
]
calls = 0


@evaluation(
    cases=[
        Case("Weather in Paris?", id="paris", tags=["smoke", "weather"],
             expected=[expect.call("weather", city="Paris")]),
        Case(STORY, id="погода", tags=["smoke"], metadata={"автор": "Ольга"},
             expected=[expect.call("weather", city="Москва")]),
        Case({"deep": [1, 2.5, None, {"ключ": "☃"}]}, id="nothing", expected=[]),
        Case("Say hello", id="hello"),
        Case("Fail", id="fails", tags=["weather"], expected=["search"]),
        Case("Never delete", id="forbidden", expected=[expect.forbid("search")]),
    ],
    tools=TOOLS,
    scorers=["tool_called", "accuracy"],
    thresholds={"accuracy": 0.9},
    variants={"small": {"size": 1}, "large": {"size": 2}},
)
def assistant(case, size):
    global calls
    calls += 1
    if case.id == "fails":
        raise RuntimeError("нет ответа: " + "!" * 50)
    if case.id == "forbidden" and size == 1:
        return [{"name": "search", "arguments": {"q": "delete"}}]
    if case.id == "погода":
        return [{"name": "weather", "arguments": {"city": "Москва" if size == 2 else "Minsk"}}]
    if case.id == "paris":
        city = "Paris" if calls % 3 else "Berlin"
        return {"role": "assistant", "content": "long " * 200, "tool_calls": [
            {"id": f"call_{calls}", "type": "function",
             "function": {"name": "weather", "arguments": '{"city": "%s"}' % city}}]}
    return []


@evaluation(cases=[Case(f"Question {n}", id=f"q{n}", expected=["search"]) for n in range(12)])
def router(case):
    if case.id == "q7" and os.environ.get("STOP"):
        os.kill(os.getpid(), 9)
    name = "search" if int(case.id[1:]) % 4 else "weather"
    return [{"name": name, "arguments": {"q": case.input}}]
"""


def main(goal: str) -> None:
    """Run the evaluations, and copy the history that they leave."""
    with TemporaryDirectory() as folder:
        home = Path(folder)
        (home / "eval_things.py").write_text(EVALUATIONS, encoding="utf-8")
        _callscore(home, "run", "eval_things.py", "--trials", "3")
        _callscore(home, "run", "eval_things.py", "-k", "router", STOP="1")
        _callscore(home, "rescore", "latest~1")
        _callscore(home, "run", "eval_things.py")
        history = home / ".callscore/history.db"
        _judge(history)
        with sqlite3.connect(history) as bare:
            bare.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            bare.execute("PRAGMA journal_mode = DELETE")
            bare.execute("VACUUM")
        shutil.copyfile(history, goal)


def _callscore(home: Path, *words: str, **environment: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "callscore", *words],
        cwd=home,
        env=os.environ | environment,
        check=False,
        stdout=subprocess.DEVNULL,
    )


def _judge(history: Path) -> None:
    from callscore.history.opening import open_store

    with open_store(history) as store:
        store.keep_judgement("киев = kyiv?", "judge-1", {"same": True, "why": "одно и то же"})


if __name__ == "__main__":
    main(*sys.argv[1:])
