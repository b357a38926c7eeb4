"""HTML reports for the tests that look at them in a browser, each written once by its real command.

The data are real: 50 tasks of an airline, four trials each, of which the four trials are four runs
of a suite, too.

    def test_it(page: Page, reports: Reports) -> None:
        page.goto(reports("score").as_uri())
"""

from __future__ import annotations

import gzip
import shutil
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import msgspec
import pytest
from tests.e2e.weather import program
from tests.shared import made_once

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["AIRLINE", "KINDS", "Reports", "airline_project", "records_of", "reports", "write_lines"]

ROOT = Path(__file__).parents[2]
AIRLINE = ROOT / "src/callscore/data/airline-gpt-4o.jsonl.gz"
KINDS = ("score", "run", "show", "compare", "check", "gate")
RUNS = 4

_COMMANDS = {
    "score": ("score", str(AIRLINE)),
    "run": ("run", "--jobs", "1"),
    "show": ("show", "latest"),
    "compare": ("compare", "latest~1", "latest"),
    "check": ("check", str(AIRLINE), "--tools", "tools.json"),
    "gate": ("gate", "--against", "main"),
}


class Reports(Protocol):
    def __call__(self, kind: str, lang: str = "en") -> Path:
        """The report of a command, in a folder of its own."""


def write_lines(file: Path, records: Iterable[Any]) -> Path:
    """Write a file of JSON lines."""
    file.write_bytes(b"".join(msgspec.json.encode(record) + b"\n" for record in records))
    return file


def records_of(file: Path) -> list[dict[str, Any]]:
    """The records of a compressed file of JSON lines."""
    with gzip.open(file, "rb") as lines:
        return [msgspec.json.decode(line, type=dict[str, Any]) for line in lines]


@pytest.fixture(scope="session")
def airline_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a suite of 50 cases and four runs of it; the first of them is the baseline `main`.

    Tests must not change it; `shutil.copytree` makes one that they may.
    """
    return made_once(tmp_path_factory, "airline", _make_airline_project)


def _make_airline_project(folder: Path) -> None:
    records = records_of(AIRLINE)
    trials = defaultdict(list)
    for record in records:
        trials[record["trial"]].append(record)
    suite = 'name = "airline"\ncases = "cases.jsonl"\nanswers = "answers.jsonl"\n'
    (folder / "eval_airline.toml").write_text(suite, encoding="utf-8")
    write_lines(folder / "cases.jsonl", map(_case, trials[0]))
    (folder / "tools.json").write_bytes(msgspec.json.encode(_tools(records)))
    for trial in range(RUNS):
        answers = ({"id": each["id"], "answer": each["actual"]} for each in trials[trial])
        write_lines(folder / "answers.jsonl", answers)
        program(folder, "run", "--show", "none", "--jobs", "1")
        if trial == 0:
            program(folder, "baseline", "set", "latest", "--name", "main")


def _case(record: dict[str, Any]) -> dict[str, Any]:
    tools = {call["name"] for call in record["expected"]}
    return {
        "id": record["id"],
        "input": record["input"],
        "expected": record["expected"],
        "tags": ["booking"] if "book_reservation" in tools else ["changes"] if tools else ["talk"],
    }


def _tools(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Definitions of the tools that are called; one of them is missing, and one is too strict."""
    found: dict[str, set[str]] = defaultdict(set)
    for record in records:
        for call in record["actual"]:
            found[call["name"]] |= call.get("arguments", {}).keys()
    del found["calculate"]
    return [
        {
            "name": name,
            "input_schema": {
                "type": "object",
                "properties": {
                    key: {"type": "integer"} if key == "reservation_id" else {}
                    for key in sorted(keys)
                },
            },
        }
        for name, keys in sorted(found.items())
    ]


@pytest.fixture(scope="session")
def reports(airline_project: Path, tmp_path_factory: pytest.TempPathFactory) -> Reports:
    """Writes reports, each once."""

    @cache
    def write(kind: str, lang: str = "en") -> Path:
        file = tmp_path_factory.mktemp(f"{kind}-{lang}") / "report.html"
        folder = airline_project
        if kind == "run":  # which adds a run
            folder = Path(shutil.copytree(airline_project, file.parent / "project"))
        program(folder, *_COMMANDS[kind], "--lang", lang, "-o", str(file))
        return file

    return write
