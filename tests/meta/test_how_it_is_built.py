"""The page about the code is true: its paths, its names, its layers, and the path of `score`."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib import import_module
from inspect import CO_OPTIMIZED
from pathlib import Path
from typing import TYPE_CHECKING, Any

import callscore
from callscore.cli.main import run_command

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/explanation/how-it-is-built.md").read_text(encoding="utf-8")
PACKAGE = ROOT / "src/callscore"
CASE = """\
{"id": "a", "expected": [{"name": "f", "arguments": {"x": 1}}], "actual": [{"name": "f", "arguments": {"x": 2}}]}
"""


def _section(heading: str) -> str:
    return PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def _steps() -> list[tuple[str, str]]:
    """The modules on the way of `score`, in order, each with the function that is named for it."""
    section = _section("`callscore score`, step by step")
    return re.findall(r"^\| `(src/[^`]+)` \| `([^`]+)` \|", section, re.MULTILINE)


def _places() -> list[tuple[str, str]]:
    """Every module and name in the table of behaviours."""
    found = re.findall(r"`(src/[^`]+\.py)`: ((?:`[^`]+`(?:, )?)+)", _section("Where is what"))
    return [(path, name) for path, names in found for name in re.findall(r"`([^`]+)`", names)]


def _names_in(path: str) -> set[str]:
    """What a module defines, members of classes as `Class.member`."""
    return set(_defined(ast.parse((ROOT / path).read_text(encoding="utf-8")).body))


def _defined(body: list[ast.stmt]) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        if isinstance(node, ast.ClassDef):
            yield from (f"{node.name}.{member}" for member in _defined(node.body))
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        yield from (target.id for target in targets if isinstance(target, ast.Name))


def test_every_path_on_the_page_exists() -> None:
    paths = re.findall(r"`((?:src|tests|docs)/[^`]+)`", PAGE)

    assert len(paths) > 40
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_every_folder_of_the_package_is_on_the_page() -> None:
    folders = [path.parent.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.*")]
    wanted = {folder for folder in folders if folder != "." and "__pycache__" not in folder}

    assert sorted(folder for folder in wanted if f"`{folder}`" not in PAGE) == []


def test_every_name_in_the_table_of_behaviours_is_defined_where_it_says() -> None:
    places = _places()

    assert len(places) >= 20
    assert [place for place in places if place[1] not in _names_in(place[0])] == []


def test_every_value_that_travels_is_defined_where_it_says() -> None:
    rows = re.findall(
        r"^\| `(\w+)` \| `(src/[^`]+)` \|", _section("The values that travel"), re.MULTILINE
    )

    assert len(rows) >= 5
    assert [name for name, path in rows if name not in _names_in(path)] == []


def test_every_function_that_the_text_names_is_defined_in_the_module_before_it() -> None:
    named = re.findall(r"`(src/[^`]+\.py)`\s\(`([\w.]+)`\)", PAGE)

    assert len(named) >= 8
    assert [place for place in named if place[1] not in _names_in(place[0])] == []


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


def test_score_calls_the_modules_of_the_page_in_this_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    steps = _steps()
    for path, _ in steps:  # what runs while they are imported is no step
        import_module(_module_name(path))
    (tmp_path / "cases.jsonl").write_text(CASE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["callscore", "score", "cases.jsonl", "--fail-under", "1"])

    called = _called_modules()

    assert "macro F1 0.0%, required" in capsys.readouterr().err
    assert len(steps) >= 15
    assert [path for path in called if path in dict(steps)] == [path for path, _ in steps]
    assert [step for step in steps if step[1] not in _names_in(step[0])] == []


def _module_name(path: str) -> str:
    return path.removeprefix("src/").removesuffix(".py").replace("/", ".")


def _called_modules() -> list[str]:
    """Run the program; the modules whose functions it calls, each when it is first called."""
    home = f"{Path(callscore.__file__).parent}/"
    called: dict[str, None] = {}

    def note(frame: Any, event: str, _: Any) -> None:
        code = frame.f_code
        # Bodies of modules and classes run when they are imported: they are not optimised.
        if event == "call" and code.co_flags & CO_OPTIMIZED and code.co_filename.startswith(home):
            called.setdefault(f"src/callscore/{code.co_filename.removeprefix(home)}")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        code = run_command()
    finally:
        sys.setprofile(before)
    assert code == 1
    return list(called)
