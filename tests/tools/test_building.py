"""Building twice: what differs is found and named, and what must not matter does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tools.distribution.building import (
    DistError,
    build_twice,
    run,
    tree_files,
)

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

PROJECT = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "small"
version = "1"
requires-python = ">=3.11"
"""
# A build that is another each time: the folder that it is in gets into the package.
HOOK = """\
from pathlib import Path
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

class Where(BuildHookInterface):
    def initialize(self, version, build_data):
        Path(self.root, "small/place.py").write_text(repr(self.root))
"""


def _project(folder: Path, more: str = "") -> Path:
    (folder / "small").mkdir(parents=True)
    (folder / "small/__init__.py").write_text("")
    (folder / "small/module.py").write_text("x = 1\n")
    (folder / "pyproject.toml").write_text(PROJECT + more)
    return folder


def test_equal_builds_are_returned(tmp_path: Path) -> None:
    built = build_twice(tmp_path, root=_project(tmp_path / "project"))

    assert (built.wheel.name, built.sdist.name) == ("small-1-py3-none-any.whl", "small-1.tar.gz")


def test_the_member_that_differs_is_named(tmp_path: Path) -> None:
    project = _project(tmp_path / "project", "[tool.hatch.build.hooks.custom]\n")
    (project / "hatch_build.py").write_text(HOOK)

    with pytest.raises(DistError, match=r"differs between two builds: in .*small/place\.py"):
        build_twice(tmp_path, root=project)


def test_generated_files_are_left_out_of_a_tree_without_git(tmp_path: Path) -> None:
    project = _project(tmp_path / "project")
    for name in (".venv/x.py", "small/__pycache__/x.pyc", ".mypy_cache/x", "dist/x.whl"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text("")

    assert tree_files(project) == ["pyproject.toml", "small/__init__.py", "small/module.py"]


def test_files_that_git_ignores_are_left_out_and_untracked_ones_are_kept(tmp_path: Path) -> None:
    project = _project(tmp_path / "project")
    run(["git", "init", "-q"], folder=project)
    (project / ".gitignore").write_text("*.log\n")
    (project / "x.log").write_text("")

    assert "small/module.py" in tree_files(project)
    assert "x.log" not in tree_files(project)


def test_commands_are_run_without_the_pythonpath_of_the_caller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    assert run(["sh", "-c", "echo ${PYTHONPATH-none}"], folder=tmp_path) == "none\n"
