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


def test_a_capture_that_fails_leaves_no_file(callscore: Program, tmp_path: Path) -> None:
    lines = b'{"id": "x", "actual": ["f"]}\n' * 2_000 + b'{"id": "y", "actual": 5}\n'

    stopped = callscore("capture", "-", "-o", "cases.jsonl", stdin=lines)

    assert stopped.returncode == 3
    assert list(tmp_path.glob("*cases*")) == []
    assert callscore("capture", "-", "-o", "cases.jsonl", "--skip-bad", stdin=lines).returncode == 0
    assert [record["id"] for record in _read(tmp_path / "cases.jsonl")] == ["x"]


@pytest.mark.parametrize("folder", ["openai_chat", "anthropic"])
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
