"""Histories for the tests of the command line, made without it: starting the program takes long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.runner.agents import an_evaluation

from callscore.core.case import Case
from callscore.evaluations.plan import make_plan
from callscore.history.opening import open_store
from callscore.runner import event_loop as looping
from callscore.runner.running import RunOptions, run

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

__all__ = ["add_run"]

_WEATHER = [{"name": "getWeather", "arguments": {"location": "Paris"}}]
_SUM = [{"name": "calculator", "arguments": {"operation": "multiply", "a": 12, "b": 7}}]
_WRONG = [{"name": "calculator", "arguments": {"operation": "multiply", "a": 12, "b": 8}}]
_CASES = [
    Case("What is the weather in Paris?", id="weather", expected=_WEATHER, tags=["smoke"]),
    Case("What is 12 * 7?", id="sum", expected=_SUM),
    Case("Hi!", id="greeting", expected=[], tags=["smoke", "short"]),
]
_RIGHT: dict[str, Any] = {"weather": _WEATHER, "sum": _SUM, "greeting": []}


def add_run(
    folder: Path,
    *,
    name: str | None = None,
    wrong: Collection[str] = (),
    arguments: dict[str, Any] | None = None,
) -> str:
    """Add a run of an agent to the history of a folder, and give its id.

    Args:
        folder: the folder of the project.
        name: what the run is called.
        wrong: the cases in which the agent is wrong.
        arguments: what was asked for.
    """

    def agent(case: Case) -> Any:
        return _WRONG if case.id in wrong else _RIGHT[case.id]

    asked = make_plan([an_evaluation(agent, *_CASES, name="agent")])
    with open_store(folder / ".callscore/history.db") as store:
        options = RunOptions(jobs=1, arguments=arguments or {}, name=name)
        found = run(asked, options, store=store)
    looping.close_idle_loop()  # the loop is of this test alone
    return found.id
