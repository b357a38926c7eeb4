"""`callscore capture`: real traces become cases."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

if TYPE_CHECKING:
    from tests.e2e.conftest import Program

ROOT = Path(__file__).parents[2]
AIRLINE = ROOT / "src/callscore/data/airline-gpt-4o.jsonl.gz"
RECORDED = ROOT / "tests/samples/recorded"


def _read(path: Path) -> list[dict[str, Any]]:
    return [msgspec.json.decode(line) for line in path.read_bytes().splitlines()]


def test_real_trajectories_become_cases_that_they_themselves_pass(
    callscore: Program, tmp_path: Path
) -> None:
    done = callscore("capture", AIRLINE, "-o", "cases.jsonl")

    records = _read(tmp_path / "cases.jsonl")
    assert done.returncode == 0
    assert f"callscore: {len(records)} cases to review\n" in done.stderr
    assert len({record["id"] for record in records}) == len(records) == 50
    assert "metadata.captured.trials: 150\n" in done.stderr
    again = callscore("score", "--expected", "cases.jsonl", "--actual", AIRLINE, "--show", "all", "--format", "json")  # fmt: skip
    report = msgspec.json.decode(again.stdout)
    assert report["not_run"]["count"] == report["without_reference"]["count"] == 0
    assert report["totals"]["cases"] == 200
    assert all(case["is_exact"] for case in report["cases"] if case["trial"] == 0)


def test_traces_that_cannot_be_joined_again_are_told(callscore: Program) -> None:
    trace = b'{"input": "%s", "actual": ["f"]}'

    one = callscore("capture", "-", stdin=trace % b"Hi")
    two = callscore("capture", "-", stdin=trace % b"Hi" + b"\n" + trace % b"Ho")
    russian = callscore("capture", "-", "--lang", "ru", stdin=trace % b"Hi" + b"\n" + trace % b"Hi")

    assert "without an id" not in one.stderr
    assert "callscore: without an id: 2. The cases got generated ids" in two.stderr
    assert "callscore: без id: 2." in russian.stderr


def test_a_capture_that_fails_leaves_no_file(callscore: Program, tmp_path: Path) -> None:
    lines = b'{"id": "x", "actual": ["f"]}\n' * 2_000 + b'{"id": "y", "actual": 5}\n'

    stopped = callscore("capture", "-", "-o", "cases.jsonl", stdin=lines)

    assert stopped.returncode == 3
    assert list(tmp_path.glob("*cases*")) == []
    assert callscore("capture", "-", "-o", "cases.jsonl", "--skip-bad", stdin=lines).returncode == 0
    assert [record["id"] for record in _read(tmp_path / "cases.jsonl")] == ["x"]


@pytest.mark.parametrize("folder", ["openai_chat", "anthropic", "gemini", "openai_responses"])
def test_recordings_of_real_providers_become_cases(
    callscore: Program, tmp_path: Path, folder: str
) -> None:
    files = sorted((RECORDED / folder).glob("*.json"))[:5]

    done = callscore("capture", *files, "-o", "cases.jsonl", "--skip-bad")

    assert done.returncode == 0, done.stderr
    records = _read(tmp_path / "cases.jsonl")
    assert records
    for record in records:
        assert record["metadata"]["captured"]["place"].startswith(str(RECORDED / folder))
        assert "tools" not in record


def test_a_case_says_what_to_look_at(callscore: Program) -> None:
    call = {"name": "f", "arguments": '{"a'}
    trace = msgspec.json.encode({"id": "x", "input": "Go", "actual": [call]})

    done = callscore("capture", "-", stdin=trace)

    record = msgspec.json.decode(done.stdout)
    assert record["expected"] == [{"name": "f"}]
    assert "the arguments could not be read" in record["metadata"]["captured"]["review"][0]
    assert "listed in metadata.captured.review: 1" in done.stderr


def test_what_is_told_can_be_had_in_russian(callscore: Program) -> None:
    done = callscore("capture", "-", "--lang", "ru", stdin=b'{"id": "x", "actual": ["f"]}')

    assert "1 случай нужно просмотреть" in done.stderr
    assert "без входных данных" in done.stderr


def test_records_of_another_shape_are_mapped(callscore: Program) -> None:
    trace = msgspec.json.encode({"task": "t1", "q": "Go", "did": [{"name": "f", "arguments": {}}]})

    done = callscore("capture", "-", "--map", "id=$.task", "--map", "input=$.q", "--map", "actual=$.did", stdin=trace)  # fmt: skip

    record = msgspec.json.decode(done.stdout)
    assert (record["id"], record["input"]) == ("t1", "Go")
    assert record["expected"] == [{"name": "f", "arguments": {}}]


def test_a_file_is_not_replaced_unless_that_is_asked_for(
    callscore: Program, tmp_path: Path
) -> None:
    (tmp_path / "cases.jsonl").write_text("reviewed")
    trace = b'{"id": "x", "actual": ["f"]}'

    refused = callscore("capture", "-", "-o", "cases.jsonl", stdin=trace)
    kept = (tmp_path / "cases.jsonl").read_text()
    forced = callscore("capture", "-", "-o", "cases.jsonl", "--force", stdin=trace)

    assert refused.returncode == 2
    assert "already exists" in refused.stderr
    assert kept == "reviewed"
    assert forced.returncode == 0
    assert _read(tmp_path / "cases.jsonl")[0]["id"] == "x"


def test_what_cannot_be_read_ends_it_unless_it_is_skipped(callscore: Program) -> None:
    lines = b'{"id": "x", "actual": ["f"]}\n{"id": "y", "actual": 5}\n'

    stopped = callscore("capture", "-", stdin=lines)
    skipped = callscore("capture", "-", "--skip-bad", stdin=lines)

    assert stopped.returncode == 3
    assert skipped.returncode == 0
    assert "callscore: skipped " in skipped.stderr
    assert "callscore: skipped: 1\n" in skipped.stderr


def test_standard_input_is_read_once(callscore: Program) -> None:
    assert callscore("capture", "-", "-").returncode == 2


def test_there_must_be_a_trace(callscore: Program) -> None:
    done = callscore("capture", "-", stdin=b"")

    assert done.returncode == 3
    assert "the file contains no trace." in done.stderr


def test_a_secret_is_not_captured(callscore: Program) -> None:
    trace = b'{"input": "Hi", "actual": [{"name": "f", "arguments": {"k": "a-token-of-mine"}}]}'

    ran = callscore("capture", "-", stdin=trace, MY_TOKEN="a-token-of-mine")  # noqa: S106  (not a real one)

    assert "a-token-of-mine" not in ran.stdout
    assert '"k":"[hidden ' in ran.stdout
    assert "with secrets of the environment, which are hidden: 1." in ran.stderr
