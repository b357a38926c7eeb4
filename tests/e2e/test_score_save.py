"""`callscore score --save`, from the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from callscore.history.opening import open_store

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Program

CASES = """\
{"id": "right", "expected": ["f"], "actual": ["f"]}
{"id": "wrong", "expected": ["f"], "actual": ["g"]}
"""


@pytest.fixture(autouse=True)
def cases(tmp_path: Path) -> Path:
    (tmp_path / "cases.jsonl").write_text(CASES, encoding="utf-8")
    return tmp_path / "cases.jsonl"


def test_it_is_kept_on_a_server(callscore: Program, postgres_url: str) -> None:
    ran = callscore("score", "cases.jsonl", "--save", "team", CALLSCORE_STORE=postgres_url)

    assert "saved as run" in ran.stderr
    with open_store(postgres_url) as store:
        assert [result.passed for result in store.results(store.find("team").id)] == [True, False]
