"""What `callscore gate` prints of wrong usage, and what it leaves to another command."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import pytest

from callscore.cli.gate import _decide, require_runs
from callscore.history.opening import open_store
from callscore.history.records import RunRecord

if TYPE_CHECKING:
    from pathlib import Path


def test_each_line_is_safe_to_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    place = str(tmp_path / "history.db")
    with open_store(place) as store:
        store.begin(RunRecord(id="now", command="run", started_at=1_794_744_000.0))
        store.finish("now", "finished", {"errors": 0}, {})
    options = {"fail_on": "regressed", "measure": "passed", "max_skipped": 0, "removed": ()}

    with pytest.raises(click.ClickException) as caught:
        _decide({**options, "run": "now", "against": "ma\x1bin", "store": place})
    caught.value.show()

    said = capsys.readouterr().err
    assert said.startswith("callscore: unknown baseline or run ")
    assert said.count("\n") > 2
    assert "\x1b" not in said


@pytest.mark.parametrize(("run", "against"), [("a.jsonl", "main"), ("latest", "b.jsonl")])
def test_files_are_for_another_command(run: str, against: str) -> None:
    with pytest.raises(click.ClickException, match=f"callscore compare {against} {run} --fail-on"):
        require_runs(run, against)

    require_runs("latest", "main")
