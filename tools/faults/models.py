"""Lets the server of a model stop in the middle of answers, and compares with one that does not."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING, Any

from tests.servers.openai_server import Reply, obliging, openai_server
from tools.faults.project import Outcome, Project, difference, start

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

__all__ = ["stopped_server_round"]

_SUITE = """
name: assistant
model:
  name: test
  base_url: {address}
cases:
{cases}
"""
_CASE = '  - {{id: case-{number}, input: "Question {number}", expected: []}}\n'
_CASES = 12


def stopped_server_round(chance: Random, folder: Path) -> tuple[str, str]:
    """Break off every third answer or so; the retries have to give the same results."""
    share = chance.choice((0.2, 0.4))
    broken = 0

    def script(body: dict[str, Any], number: int = 0) -> Reply:
        nonlocal broken
        if broken < _CASES and chance.random() < share:
            broken += 1
            if chance.choice((True, False)):
                return Reply(text="x" * 200, half=chance.randrange(1, 200))
            return Reply(is_dropped=True)
        return obliging(body, number)

    with openai_server(obliging) as sound:
        expected = _run(folder / "sound", sound.base_url)
    with openai_server(script) as server:
        found = _run(folder / "stopped", server.base_url)
    is_same = found[:2] == expected[:2] and not found.code
    return "run: answers break off", "" if is_same else difference(expected, found)


def _run(folder: Path, address: str) -> Outcome:
    folder.mkdir()
    cases = "".join(_CASE.format(number=number) for number in range(_CASES))
    (folder / "eval_assistant.yaml").write_text(
        _SUITE.format(address=address, cases=cases), encoding="utf-8"
    )
    project = Project(folder)
    # Not in a fork: the server has a thread in this process.
    words = ("run", "--retries", "9", "--allow-server", f"{address}=OPENAI_API_KEY")
    start(project, *words, environment={"OPENAI_API_KEY": "sk-test-0123456789"}).wait()
    done = project.run("show", "latest", "--json")
    shutil.rmtree(folder)
    # Retries are requests, too.
    return done._replace(output=re.sub(r'"requests": \d+', "REQUESTS", done.output))
