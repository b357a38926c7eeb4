"""Alternatives to suspect references reach the files of cases only through `bless`."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from ruamel.yaml import YAML
from tests.advising.planted import BASE, case_records, labelled

from callscore import Advice, UnreadableInput, score
from callscore.advising.advice import advise_on
from callscore.core.equality import equal
from callscore.rewriting.applying import rewrite
from callscore.rewriting.proposals import read_proposals, write_proposals

if TYPE_CHECKING:
    from pathlib import Path

_EMPTY = """{"id": "a", "files": [], "expected": [], "proposed": [], "actual": [], "settings": {}, "evidence": {}}"""
INSTEAD = {"name": "store", "arguments": {"key": "b0"}}


def _records() -> list[dict[str, Any]]:
    """Runs in which all successes of the first case make another call than the reference."""
    records = case_records("plain")
    for record in records[:3]:
        record["success"] = True
        record["actual"] = [record["expected"][0], INSTEAD]
    return records


@cache
def _advice() -> Advice:
    return advise_on(labelled(_records()), BASE)


def _proposed(tmp_path: Path, *files: str) -> Path:
    path = tmp_path / "proposals.jsonl"
    assert write_proposals(path, _advice(), files) == 1
    return path


def test_a_proposal_changes_every_run_of_the_case(tmp_path: Path) -> None:
    records = _records()
    file = tmp_path / "runs.jsonl"
    file.write_bytes(b"".join(msgspec.json.encode(record) + b"\n" for record in records))
    other = tmp_path / "others.jsonl"
    other.write_bytes(b"".join(msgspec.json.encode(record) + b"\n" for record in records[3:]))

    found = read_proposals(_proposed(tmp_path, str(file), str(other)), lambda _: True)
    written, refused = rewrite([each.change for each in found.changes], tmp_path)

    assert (len(written), refused) == (1, [])
    new = [msgspec.json.decode(line) for line in file.read_bytes().splitlines()]
    first = records[0]["expected"]
    for before, after in zip(records, new, strict=True):
        is_changed = before["id"] == "task0"
        expected = [first[0], {"one_of": [first[1], INSTEAD]}] if is_changed else before["expected"]
        assert after == before | {"expected": expected}
        assert not is_changed or score(after["expected"], after["actual"]).passed


def test_a_proposal_is_written_to_a_file_of_references(tmp_path: Path) -> None:
    file = tmp_path / "cases.yaml"
    first, second = _records()[0]["expected"]
    file.write_text(
        f"""\
# Cases of the team.
- id: task0  # the first
  expected:
    - {{name: save, arguments: {msgspec.json.encode(first["arguments"]).decode()}}}  # kept
    - name: save
      arguments: {msgspec.json.encode(second["arguments"]).decode()}
- id: task1
  expected: []
""",
        encoding="utf-8",
    )

    found = read_proposals(_proposed(tmp_path, str(file)), lambda _: True)
    _, refused = rewrite([each.change for each in found.changes], tmp_path)

    text = file.read_text(encoding="utf-8")
    assert refused == []
    assert "# Cases of the team." in text
    assert "# kept" in text
    case = YAML(typ="safe").load(text)[0]
    assert equal(case["expected"], [first, {"one_of": [second, INSTEAD]}])
    again = read_proposals(tmp_path / "proposals.jsonl", lambda _: True)
    assert (again.changes, again.accepted, again.cases) == ((), ("task0",), 1)


def test_a_file_without_the_alternative_is_changed_beside_one_that_has_it(tmp_path: Path) -> None:
    files = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for file in files:
        file.write_bytes(msgspec.json.encode(_records()[0]) + b"\n")
    proposed = _proposed(tmp_path, *map(str, files))
    first = read_proposals(proposed, lambda _: True)
    rewrite(
        [each.change for each in first.changes if each.change.files == (str(files[0]),)], tmp_path
    )

    second = read_proposals(proposed, lambda _: True)

    assert [each.change.files for each in second.changes] == [(str(files[1]),)]
    assert second.accepted == ()


def test_only_selected_cases_are_changed(tmp_path: Path) -> None:
    path = _proposed(tmp_path, "runs.jsonl")

    assert read_proposals(path, lambda names: "other" in names).changes == ()
    assert len(read_proposals(path, lambda names: "task0" in names).changes) == 1


def test_a_reference_that_changed_since_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    file.write_bytes(b'{"id": "task0", "expected": ["save"]}\n')

    found = read_proposals(_proposed(tmp_path, str(file)), lambda _: True)
    written, refused = rewrite([each.change for each in found.changes], tmp_path)

    assert (written, len(refused)) == ([], 1)


@pytest.mark.parametrize(
    "line",
    [
        "nothing",
        "{}",
        _EMPTY.replace('"proposed": []', '"proposed": [{"one_of": 3}]'),
        _EMPTY.replace('"settings": {}', '"settings": {"preset": "no"}'),
    ],
)
def test_a_line_that_is_no_proposal_is_refused(tmp_path: Path, line: str) -> None:
    path = tmp_path / "proposals.jsonl"
    path.write_text(f"\n{line}\n", encoding="utf-8")

    with pytest.raises(UnreadableInput, match=r"proposals\.jsonl:2: not a proposal"):
        read_proposals(path, lambda _: True)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match="cannot be read"):
        read_proposals(tmp_path / "none.jsonl", lambda _: True)
