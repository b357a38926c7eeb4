"""Evaluations that the tests of the command line run."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["ASSISTANT", "add_file", "asked"]

# What was asked is written down, so that a test can tell what was asked twice.
_HEAD = '''\
"""An assistant with recorded answers."""

from pathlib import Path

from callscore import Case, evaluation, expect


def getWeather(location: str) -> str:
    """Tell the weather.

    Args:
        location: a city.
    """


def calculator(operation: str, a: float, b: float) -> float:
    """Calculate."""


ANSWERS = {
    "weather": [{"name": "getWeather", "arguments": {"location": "Paris"}}],
    "sum": [{"name": "calculator", "arguments": {"operation": "multiply", "a": 12, "b": 7}}],
    "greeting": [],
}
CASES = [
    Case(
        "What is the weather in Paris?",
        id="weather",
        expected=[expect.call("getWeather", location="Paris")],
        tags=["smoke"],
    ),
    Case(
        "What is 12 * 7?",
        id="sum",
        expected=[expect.call("calculator", operation="multiply", a=12, b=7)],
    ),
    Case("Hi!", id="greeting", expected=[], tags=["smoke", "short"]),
]


def asking(case):
    with Path("asked.log").open("a") as log:
        log.write(case.id + "\\n")
'''
ASSISTANT = (
    _HEAD
    + """

@evaluation(
    cases=CASES,
    tools=[getWeather, calculator],
    scorers=["tool_called", "parameters_valid", "accuracy"],
)
def assistant(case):
    asking(case)
    return ANSWERS[case.id]
"""
)


def add_file(folder: Path, name: str, text: str) -> Path:
    """A file of evaluations; what it does not begin itself is that of the assistant."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    body = dedent(text)
    path.write_text(body if body.startswith('"""') else f"{_HEAD}\n\n{body}", encoding="utf-8")
    return path


def asked(folder: Path) -> list[str]:
    """The cases that were asked, in order."""
    log = folder / "asked.log"
    return log.read_text(encoding="utf-8").split() if log.exists() else []
