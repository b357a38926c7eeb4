from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec
import pytest
from tools.fuzz import relations
from tools.fuzz.outputs import Wrong
from tools.fuzz.relations import RELATIONS, SECRET, compare_secret, same_scores

if TYPE_CHECKING:
    from pathlib import Path

CASES = b'[{"id": "a", "expected": ["f"], "actual": ["f"]}, {"expected": ["f"], "actual": []}]'


@pytest.mark.parametrize("relation", RELATIONS)
def test_scores_that_depend_on_how_cases_are_written_are_wrong(
    relation: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    scored = relations._scored

    assert same_scores(relation, CASES) == "same"
    monkeypatch.setattr(
        relations,
        "_scored",
        lambda name, data: scored(name, data if name == "cases.json" else b"[]"),
    )
    with pytest.raises(Wrong, match="other scores"):
        same_scores(relation, CASES)


def test_cases_that_are_refused_have_no_scores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert same_scores("containers", b"[") == "refused: UnreadableInput"


def report(*, total: int = 1, shown: str = "***") -> tuple[str, bytes]:
    """A report of a program that is wrong if there is a secret."""
    is_set = "FUZZ_API_KEY" in os.environ
    data = {
        "totals": {"cases": total if is_set else 1},
        "calls": {},
        "cases": [{"id": shown if is_set else SECRET}],
    }
    return "exit 0", msgspec.json.encode(data)


def test_a_secret_changes_what_is_shown_and_no_score() -> None:
    assert compare_secret(report) == "exit 0"
    with pytest.raises(Wrong, match="other totals with a secret"):
        compare_secret(lambda: report(total=2))
    with pytest.raises(Wrong, match="a secret in a report"):
        compare_secret(lambda: report(shown=f"the {SECRET}"))
    words = iter(["exit 0", "exit 1"])
    with pytest.raises(Wrong, match="another outcome with a secret"):
        compare_secret(lambda: (next(words), b""))
    assert "FUZZ_API_KEY" not in os.environ
