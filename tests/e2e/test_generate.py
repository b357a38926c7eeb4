"""`callscore generate`: cases from tools, by themselves and with a model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.servers.openai_server import Reply, openai_server

from callscore.datasets.near_misses import FAILURE_CLASSES

if TYPE_CHECKING:
    from tests.e2e.conftest import Program

TOOLS = Path(__file__).parents[2] / "examples/assistant/tools.json"


def _read(path: Path) -> list[dict[str, Any]]:
    return [msgspec.json.decode(line) for line in path.read_bytes().splitlines()]


def test_the_file_scores_as_its_tags_say(callscore: Program, tmp_path: Path) -> None:
    callscore("generate", "--tools", TOOLS, "-n", "100", "-o", "cases.jsonl")

    done = callscore("score", "cases.jsonl", "--tools", TOOLS, "--format", "json")

    report = msgspec.json.decode(done.stdout)
    records = _read(tmp_path / "cases.jsonl")
    missed = [record for record in records if "near_miss" in record["tags"]]
    failed = {case["id"] for case in report["cases"] if not case["passed"]}
    assert done.returncode == 0
    assert failed == {record["id"] for record in missed}
    assert {record["tags"][1] for record in missed} == set(FAILURE_CLASSES)
    assert report["totals"]["passed"] == len(records) - len(missed) == 70
    assert report["not_run"]["count"] == 0


def test_the_same_seed_gives_the_same_file(callscore: Program) -> None:
    first, again, other = (
        callscore("generate", "--tools", TOOLS, "-n", "20", "--seed", seed).stdout
        for seed in ("3", "3", "4")
    )

    assert first == again != other


PYTHON = '''
"""Tools of a bistro."""
from dataclasses import dataclass
from helpers import unused

@dataclass
class Guest:
    name: str

def find_table(guests: int, day: str = "Monday") -> str:
    """Find a free table."""

def book(guest: Guest) -> str: ...

def _own(a: int) -> int: ...
'''


@pytest.mark.parametrize(
    ("named", "names"),
    [("bistro.py", {"find_table", "book"}), ("bistro.py:book,_own", {"book", "_own"})],
)
def test_the_functions_of_a_python_file_are_tools(
    callscore: Program, tmp_path: Path, named: str, names: set[str]
) -> None:
    (tmp_path / "bistro.py").write_text(PYTHON)
    (tmp_path / "helpers.py").write_text("def unused(a: int) -> int: ...")

    done = callscore("generate", "--tools", named, "-n", "8", "--kind", "single")

    records = [msgspec.json.decode(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, done.stderr
    assert {record["expected"][0]["name"] for record in records} == names


def _written(body: dict[str, Any], _: int) -> Reply:
    """What a model would write: every case with all that it has to say."""
    cases = msgspec.json.decode(body["messages"][-1]["content"])["cases"]
    questions = [
        {"id": case["id"], "input": f"As a person: {msgspec.json.encode(case).decode()}"}
        for case in cases
    ]
    return Reply(text=msgspec.json.encode({"questions": questions}).decode())


def test_a_model_writes_the_questions(callscore: Program, tmp_path: Path) -> None:
    with openai_server(_written) as server:
        done = callscore("generate", "--tools", TOOLS, "-n", "12", "--model", "m", "-o", "cases.jsonl", OPENAI_BASE_URL=server.base_url)  # fmt: skip

        assert server.requests[0].body["model"] == "m"
    assert done.returncode == 0, done.stderr
    assert "callscore: all 12 questions written by m\n" in done.stderr
    assert all(r["input"].startswith("As a person") for r in _read(tmp_path / "cases.jsonl"))


def test_a_model_whose_questions_are_all_useless_is_an_error_and_nothing_is_written(
    callscore: Program, tmp_path: Path
) -> None:
    with openai_server(lambda *_: Reply(text="I would rather not.")) as server:
        done = callscore("generate", "--tools", TOOLS, "-n", "4", "--model", "m", "-o", "cases.jsonl", OPENAI_BASE_URL=server.base_url)  # fmt: skip

    assert done.returncode == 4
    assert "none of the questions that the model wrote can be used: getWeather-1 (" in done.stderr
    assert not (tmp_path / "cases.jsonl").exists()


def test_a_model_that_cannot_be_asked_is_an_error_and_nothing_is_written(
    callscore: Program, tmp_path: Path
) -> None:
    with openai_server(lambda *_: Reply(status=401, message="no such key")) as server:
        refused = callscore("generate", "--tools", TOOLS, "-n", "4", "--model", "m", "-o", "cases.jsonl", OPENAI_BASE_URL=server.base_url)  # fmt: skip
    keyless = callscore("generate", "--tools", TOOLS, "-n", "4", "--model", "m", OPENAI_API_KEY="", OPENAI_BASE_URL="")  # fmt: skip

    assert (refused.returncode, keyless.returncode) == (4, 2)
    assert "no such key" in refused.stderr
    assert "OPENAI_API_KEY" in keyless.stderr
    assert not (tmp_path / "cases.jsonl").exists()
