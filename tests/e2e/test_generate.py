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


def test_cases_are_written_and_counted(callscore: Program, tmp_path: Path) -> None:
    done = callscore("generate", "--tools", TOOLS, "-n", "100", "-o", "cases.jsonl")

    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "callscore: 100 cases from 2 tools\n"
    assert len(_read(tmp_path / "cases.jsonl")) == 100


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


def test_an_agent_that_does_what_is_expected_scores_everything(
    callscore: Program, tmp_path: Path
) -> None:
    callscore("generate", "--tools", TOOLS, "-n", "60", "--kind", "single", "--kind", "several", "--kind", "negative", "-o", "cases.jsonl")  # fmt: skip
    answers = [
        {"id": record["id"], "actual": record["expected"]}
        for record in _read(tmp_path / "cases.jsonl")
    ]
    (tmp_path / "answers.jsonl").write_bytes(b"\n".join(map(msgspec.json.encode, answers)))

    done = callscore("score", "--expected", "cases.jsonl", "--actual", "answers.jsonl", "--tools", TOOLS, "--fail-under", "1", "--format", "json")  # fmt: skip

    report = msgspec.json.decode(done.stdout)
    assert done.returncode == 0
    assert len(report["cases"]) == 60
    assert all(case["passed"] and case["parameters_valid"] == 1 for case in report["cases"])


def test_near_misses_are_found_by_the_checks_without_a_reference(
    callscore: Program, tmp_path: Path
) -> None:
    callscore("generate", "--tools", TOOLS, "-n", "60", "--kind", "near_miss", "-o", "cases.jsonl")

    done = callscore("check", "cases.jsonl", "--tools", TOOLS, "--format", "jsonl")

    found = {msgspec.json.decode(line)["kind"] for line in done.stdout.splitlines()}
    assert found == {
        *("unknown_tool", "missing_argument", "unknown_argument", "wrong_type"),
        *("invalid_value", "malformed", "repeat", "loop", "retry_unchanged"),
    }
    assert len(_read(tmp_path / "cases.jsonl")) == 60


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


def test_questions_that_will_not_do_are_asked_for_again_and_then_named(
    callscore: Program, tmp_path: Path
) -> None:
    def write_one(body: dict[str, Any], number: int) -> Reply:
        body["messages"][-1]["content"] = msgspec.json.encode(
            {"cases": msgspec.json.decode(body["messages"][-1]["content"])["cases"][:1]}
        ).decode()
        return _written(body, number) if number == 1 else Reply(text="I would rather not.")

    with openai_server(write_one) as server:
        done = callscore("generate", "--tools", TOOLS, "-n", "4", "--model", "m", "-o", "cases.jsonl", OPENAI_BASE_URL=server.base_url)  # fmt: skip

        assert len(server.requests) == 3
    assert done.returncode == 0
    assert "1 of 4 questions written by m; the others are generated: " in done.stderr
    assert len(_read(tmp_path / "cases.jsonl")) == 4


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
