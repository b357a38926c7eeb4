"""Paths to places in a record."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.errors import InvalidSettings
from callscore.formats.case_fields import parse_json_path

RECORD = {
    "id": "r",
    "metadata": {"task_id": 7, "task id": 8, "it's": 9},
    "turns": [{"calls": ["a", "b"]}, {"calls": ["c"]}, {}],
}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("$", [RECORD]),
        ("$.id", ["r"]),
        ("id", ["r"]),
        (".id", ["r"]),
        ("$.metadata.task_id", [7]),
        ("metadata.task_id", [7]),
        ("$['metadata']['task id']", [8]),
        ('$.metadata["it\'s"]', [9]),
        ("$.turns[0].calls", [["a", "b"]]),
        ("$.turns[-2].calls[0]", ["c"]),
        ("$.turns[*].calls[*]", ["a", "b", "c"]),
        ("$.turns[3]", []),
        ("$.turns[-4]", []),
        ("$.id[0]", []),
        ("$.id.x", []),
        ("$.id[*]", []),
        ("$.nothing", []),
    ],
)
def test_a_path_leads_to_what_stands_there(path: str, found: list[Any]) -> None:
    assert parse_json_path(path).find(RECORD) == found


def test_a_path_with_a_star_leads_to_many_places() -> None:
    assert parse_json_path("$.turns[*]").is_many
    assert not parse_json_path("$.turns[0]").is_many


@pytest.mark.parametrize("path", ["$..id", "$.a[", "$.a[b]", "$a b", "$.", "$.a[1:2]", "$.a['b"])
def test_what_is_no_path_is_refused(path: str) -> None:
    with pytest.raises(InvalidSettings, match="is no path: it goes wrong at"):
        parse_json_path(path)
