"""The page about the code is true: its paths, its names, its layers, and the path of `score`."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/explanation/how-it-is-built.md").read_text(encoding="utf-8")
PACKAGE = ROOT / "src/callscore"


def _section(heading: str) -> str:
    return PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def test_every_path_on_the_page_exists() -> None:
    paths = re.findall(r"`((?:src|tests|docs)/[^`]+)`", PAGE)

    assert len(paths) > 40
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_every_folder_of_the_package_is_on_the_page() -> None:
    folders = [path.parent.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.*")]
    wanted = {folder for folder in folders if folder != "." and "__pycache__" not in folder}

    assert sorted(folder for folder in wanted if f"`{folder}`" not in PAGE) == []


def test_the_layers_are_those_that_import_linter_checks() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    wanted = [re.findall(r"\w+", layer) for layer in layers]
    there = [[room for room in layer if _is_room(room)] for layer in wanted]
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", _section("The layers"), re.MULTILINE)

    assert [re.findall(r"\w+", row) for row in rows] == [layer for layer in there if layer]


def _is_room(name: str) -> bool:
    """Whether it is there already, and more than the way into the program."""
    exists = (PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").exists()
    return exists and name != "__main__"
