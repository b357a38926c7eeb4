"""`callscore advise`, from labelled runs to settings and to proposals for `callscore bless`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from tests.advising.planted import case_records

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Program


def write(path: Path, records: list[Any]) -> Path:
    path.write_bytes(msgspec.json.Encoder().encode_lines(records))
    return path


def test_the_settings_that_it_writes_are_those_that_score_uses(
    callscore: Program, tmp_path: Path
) -> None:
    runs = write(tmp_path / "runs.jsonl", case_records("argument"))

    advised = callscore("advise", runs, "--label", "success", "--write")

    assert advised.returncode == 0
    assert "Recommended: strict, save.note ignored" in advised.stdout
    assert advised.stderr == "callscore: settings written to callscore.toml\n"
    scored = callscore("score", runs, "--json")
    report = msgspec.json.decode(scored.stdout)
    assert report["settings"]["arguments"] == [
        {"pattern": "save.note", "rule": "ignore", "options": {}}
    ]
    written = (tmp_path / "callscore.toml").read_bytes()
    again = callscore("advise", runs, "--label", "success", "--write")
    assert again.stdout == advised.stdout
    assert (tmp_path / "callscore.toml").read_bytes() == written


def test_rules_by_hand_are_kept_and_named(callscore: Program, tmp_path: Path) -> None:
    runs = write(tmp_path / "runs.jsonl", case_records("argument"))
    config = tmp_path / "callscore.toml"
    by_hand = '[effects]\n"consul*" = "read"\n\n[arguments]\n"save.note" = "ignore"\n'
    config.write_text(by_hand, encoding="utf-8")

    advised = callscore("advise", runs, "--write")
    report = msgspec.json.decode(callscore("advise", runs, "--json").stdout)
    anew = callscore("advise", runs, "--no-config", "--write")

    kept = {"effects": {"consul*": "read"}, "arguments": {"save.note": "ignore"}}
    assert report["kept"] == {"file": "callscore.toml", **kept}
    said = " ".join(advised.stdout.split())
    assert "kept from callscore.toml: effects consul*, arguments save.note" in said
    assert "--no-config" in said
    assert "Rules that were kept" not in anew.stdout
    assert report["recommended"]["settings"] == {"preset": "strict"}
    assert "has other rules, which were not in force for the advice: consul*" in anew.stderr
    assert '# "save.note" = "ignore"' in config.read_text(encoding="utf-8")


def test_labels_may_be_numbers_and_elsewhere(callscore: Program, tmp_path: Path) -> None:
    records = case_records("plain")
    for record in records:
        record["result"] = {"rating": 5 if record.pop("success") else 2}
    runs = write(tmp_path / "runs.jsonl", records)

    unclear = callscore("advise", runs, "--label", "result.rating")
    clear = callscore("advise", runs, "--label", "result.rating", "--label-at-least", "4", "--json")

    assert unclear.returncode == 3
    assert "runs.jsonl:1: the label" in unclear.stderr
    assert "succeeded as --label-at-least." in unclear.stderr
    assert msgspec.json.decode(clear.stdout)["recommended"]["auc"] == 1.0


def test_alternatives_reach_the_references_through_bless(
    callscore: Program, tmp_path: Path
) -> None:
    records = case_records("plain")
    for record in records[:3]:
        record["success"] = True
        record["actual"] = [{"name": "store", "arguments": {"key": "b0"}}]
    runs = write(tmp_path / "runs.jsonl", records)
    before = runs.read_bytes()

    advised = callscore("advise", "runs.jsonl", "--proposals", "suspects.jsonl")
    shown = callscore("bless", "--proposals", "suspects.jsonl", "--dry-run", "-k", "task0")
    unchanged = runs.read_bytes()
    blessed = callscore("bless", "--proposals", "suspects.jsonl", "--yes")

    assert "task0   3 of 3 successful runs made these calls" in advised.stdout
    assert "1 proposal written to suspects.jsonl" in advised.stderr
    assert '"one_of"' in shown.stdout
    assert unchanged == before
    assert blessed.returncode == 0
    (first, *_) = [msgspec.json.decode(line) for line in runs.read_bytes().splitlines()]
    assert "one_of" in first["expected"][0]
    after = runs.read_bytes()
    again = callscore("bless", "--proposals", "suspects.jsonl", "--yes")
    assert (again.returncode, again.stdout) == (0, "accepted already: 1 (task0)\n")
    assert again.stderr == (
        "callscore: nothing to bless: all alternatives are accepted already (1 case)\n"
    )
    assert runs.read_bytes() == after
