"""What the names of files say."""

from __future__ import annotations

import pytest

from callscore.sources.data_files import file_id, is_data_file


@pytest.mark.parametrize(
    "path",
    [
        "a.json",
        "deep/er/a.JSONL",
        "a.yaml.gz",
        "app.log",
        "x.har",
        "astropy__astropy-1.traj",
        "a.eval",
        "a.csv.zst",
        "win\\a.txt",
    ],
)
def test_files_with_data(path: str) -> None:
    assert is_data_file(path)


@pytest.mark.parametrize(
    "path",
    [
        *(
            "README.md",
            "readme.txt",
            "notes.md",
            "LICENSE",
            "manifest.json",
            "a.png",
            "a.py",
            "a",
            "",
        ),
        *(".hidden.json", ".git/a.json", "__MACOSX/a.json", "__MACOSX/._a.json", "folder.json/"),
    ],
)
def test_other_files(path: str) -> None:
    assert not is_data_file(path)


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("paris.json", "paris"),
        ("runs/paris.jsonl.gz", "paris"),
        ("runs/paris.2026.json", "paris.2026"),
        ("trajectories/astropy__astropy-1.traj", "astropy__astropy-1"),
        ("runs/paris.traj.json", "paris"),
        ("runs/paris", "paris"),
        ("runs/v1.2", "v1.2"),
        ("runs/paris.json:12", "paris"),
        ("runs/paris.json[3]", "paris"),
        ("runs.tar.gz!runs/paris.json", "paris"),
        ("runs.zip!../../paris.json:3", "paris"),
        ("C:\\runs\\paris.yaml", "paris"),
        (".json", ".json"),
        ("!", "!"),
    ],
)
def test_a_file_may_be_named_after_its_case(place: str, expected: str) -> None:
    assert file_id(place) == expected


def test_a_long_name_has_no_place() -> None:
    assert file_id(30_000 * ":1" + "x").endswith(":1x")
