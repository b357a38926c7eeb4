"""`callscore import`, from the command line: a run goes from one history to another, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from callscore.engines.collector import ScoreHooks
from callscore.engines.local import score_files
from callscore.engines.saving import SaveRequest, ScoreSaver
from callscore.history.exchange.import_export import export_lines
from callscore.history.opening import open_store

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Program

CASES = """\
{"id": "right", "tags": ["smoke"], "expected": ["f"], "actual": ["f"]}
{"id": "wrong", "expected": [{"name": "f", "arguments": {"a": 1}}], "actual": ["g"]}
{"id": "unanswered", "expected": ["f"]}
"""


@pytest.fixture(autouse=True)
def exported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run that was exported, and the history that it is in."""
    (tmp_path / "cases.jsonl").write_text(CASES, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    keeper = ScoreSaver(SaveRequest(name="first", cases=["cases.jsonl"]), open_store)
    score_files("cases.jsonl", hooks=keeper.with_saving(ScoreHooks()))
    keeper.finish()
    with open_store() as store:
        run = store.find("first")
        lines = [line for line, _ in export_lines(store, run)]
    (tmp_path / "out.jsonl").write_bytes(b"".join(lines))
    return tmp_path / "out.jsonl"


@pytest.mark.parametrize("name", ["out.jsonl", "out.jsonl.gz", "out.parquet"])
def test_a_run_is_the_same_in_another_history(
    callscore: Program, name: str, exported: Path
) -> None:
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    callscore("export", "first", "-o", name)

    ran = callscore("import", name, "--store", "other.db")

    assert ran.returncode == 0
    assert "(first): 3 results" in ran.stderr
    assert callscore("export", "first", "--store", "other.db").stdout.encode() == (
        exported.read_bytes()
    )
    shown = [
        callscore("show", "first", "wrong", *store).stdout
        for store in ((), ("--store", "other.db"))
    ]
    assert shown[0] == shown[1] != ""


def test_a_run_goes_to_a_server_and_back(
    callscore: Program, exported: Path, postgres_url: str
) -> None:
    callscore("import", "out.jsonl", CALLSCORE_STORE=postgres_url)

    there = callscore("export", "first", CALLSCORE_STORE=postgres_url)
    taken = callscore("import", "-", "--store", "other.db", stdin=there.stdout.encode())
    assert taken.returncode == 0, taken.stderr
    back = callscore("export", "first", "--store", "other.db")

    assert there.stdout.encode() == back.stdout.encode() == exported.read_bytes()


def test_a_hostile_name_is_refused_and_shown_harmlessly(callscore: Program, exported: Path) -> None:
    hostile = exported.read_bytes().replace(b'"first"', b'"\\u001b[2Jfirst\\u202e"')

    ran = callscore("import", "-", "--store", "other.db", stdin=hostile)

    assert ran.returncode == 3
    assert "1: run: name: invalid run name" in ran.stderr
    assert "\x1b" not in ran.stderr
    assert "\u202e" not in ran.stderr


def test_an_id_leads_to_no_other_file(callscore: Program, exported: Path, tmp_path: Path) -> None:
    run = exported.read_text(encoding="utf-8").split('"id":"')[1].split('"')[0]
    hostile = exported.read_bytes().replace(run.encode(), b"../../strayed-away")

    ran = callscore("import", "-", "--store", "deep/other.db", stdin=hostile)

    assert ran.returncode == 3
    assert "is not the id of a run" in ran.stderr
    assert not list(tmp_path.parent.glob("*strayed-away*"))


def test_a_rescued_run_that_lacks_something_did_not_end(
    callscore: Program, exported: Path, tmp_path: Path
) -> None:
    head, *lines = exported.read_bytes().splitlines(keepends=True)
    rescued = head.replace(b'"has_end":true,', b"")
    (tmp_path / "unsaved.jsonl").write_bytes(b"".join([rescued, *lines[:-2]]))

    ran = callscore("import", "unsaved.jsonl", "--store", "other.db")

    assert ran.returncode == 0
    assert "is incomplete: 1 result missing" in ran.stderr
    with open_store(tmp_path / "other.db") as store:
        assert store.find("first").status == "interrupted"
