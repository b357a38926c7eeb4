"""The wheel and the sdist: small, typed, and complete. `make dist` builds them twice and installs them."""

from __future__ import annotations

import re
import subprocess
import tarfile
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.shared import made_once
from tools.distribution.building import Built, build, copy_tree, tree_files

import callscore

if TYPE_CHECKING:
    from email.message import Message

ROOT = Path(__file__).parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
# Nine tenths of the wheel are Python. The limits of the rest keep data out of it, that of the whole
# keeps it quick to download.
LARGEST_WHEEL = 2_300_000  # bytes
LARGEST_REST = 200_000  # compressed
LARGEST_MEMBER = 32_000  # likewise
# Evidence for those who clone, and what git itself uses.
NOT_IN_SDIST = ("benchmarks/validity/data/",)
EXTRAS = [name for name in PROJECT["project"]["optional-dependencies"] if name != "dev"]
LINK = re.compile(r"\]\((?![a-z]+:)")

pytestmark = pytest.mark.slow  # the first of them builds


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The wheel and the sdist of the tree at hand."""

    def make(folder: Path) -> None:
        copy_tree(tree_files(), folder / "tree", root=ROOT, mode=0o644, time=1_600_000_000)
        build(folder / "tree", folder / "dist", {})

    dist = made_once(tmp_path_factory, "distribution", make) / "dist"
    (wheel,), (sdist,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
    return Built(wheel, sdist)


@pytest.fixture(scope="module")
def wheel(built: Built) -> Path:
    return built.wheel


@pytest.fixture(scope="module")
def metadata(wheel: Path) -> Message:
    (name,) = [name for name in _members(wheel) if name.endswith(".dist-info/METADATA")]
    with zipfile.ZipFile(wheel) as archive:
        return Parser().parsestr(archive.read(name).decode())


def _members(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


@pytest.mark.slow
def test_the_wheel_is_small(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        sizes = {each.filename: each.compress_size for each in archive.infolist()}
    members = {name: size for name, size in sizes.items() if ".dist-info/" not in name}
    rest = {name: size for name, size in members.items() if not name.endswith(".py")}

    assert wheel.stat().st_size < LARGEST_WHEEL
    assert sum(rest.values()) < LARGEST_REST
    assert [name for name, size in members.items() if size > LARGEST_MEMBER] == []


@pytest.mark.parametrize(
    "member",
    [
        "callscore/py.typed",
        "callscore/data/airline-gpt-4o.jsonl.gz",
        "callscore/data/LICENSE-tau-bench.txt",
        "callscore/data/README.md",
        "callscore/data/init/answers.jsonl",
        "callscore/data/init/eval_assistant.py.txt",
        "callscore/data/init/eval_assistant.yaml",
        "callscore/data/init/tools.json",
    ],
)
def test_the_wheel_holds(member: str, wheel: Path) -> None:
    assert member in _members(wheel)


def test_the_wheel_holds_the_package_and_nothing_beside_it(wheel: Path) -> None:
    outside = {
        member
        for member in _members(wheel)
        if not member.startswith(("callscore/", f"callscore-{callscore.__version__}.dist-info/"))
    }

    assert outside == {"callscore_pytest.py"}  # pytest loads it without callscore


@pytest.mark.parametrize("part", ["tests/", "test_", "__pycache__", ".d.ts"])
def test_the_wheel_holds_nothing_for_developers(part: str, wheel: Path) -> None:
    assert [name for name in _members(wheel) if part in name] == []


def test_the_licences_of_all_that_is_inside_are_named(metadata: Message) -> None:
    inside = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("src/**/LICENSE*")}

    assert set(metadata.get_all("License-File", [])) == {"LICENSE", *inside}
    assert metadata["License-Expression"] == "MIT AND Apache-2.0"


def test_the_description_has_no_link_that_only_a_clone_has(metadata: Message) -> None:
    description = str(metadata.get_payload())

    assert metadata["Description-Content-Type"] == "text/markdown"
    assert description.startswith("# callscore")
    assert LINK.findall(description) == []


def test_every_python_that_is_supported_has_a_classifier(metadata: Message) -> None:
    from tools.distribution.installing import VERSIONS

    prefix = "Programming Language :: Python :: 3."
    named = [each for each in metadata.get_all("Classifier", []) if each.startswith(prefix)]

    assert named == [f"Programming Language :: Python :: {version}" for version in VERSIONS]
    assert metadata["Requires-Python"] == f">={VERSIONS[0]}"


def test_every_extra_that_an_error_names_is_there(metadata: Message) -> None:
    raised = re.compile(
        r"""MissingExtra\([^()]*?, "(\w+)"\)|\b(?:EXTRA|extra) = "(\w+)"|\bextra="(\w+)\"""",
        re.DOTALL,
    )
    texts = [path.read_text(encoding="utf-8") for path in ROOT.glob("src/**/*.py")]
    named = {name for text in texts for found in raised.findall(text) for name in found if name}

    assert {"mcp", "parquet", "ray", "pandas"} <= named  # the pattern finds each way to say it
    assert named <= set(metadata.get_all("Provides-Extra", []))


@pytest.mark.parametrize("extra", EXTRAS)
def test_every_extra_is_in_the_documentation(extra: str) -> None:
    spelled = re.compile(rf"callscore\[(?:\w+,)*{extra}(?:,\w+)*\]")

    pages = [page.read_text(encoding="utf-8") for page in ROOT.glob("docs/**/*.md")]

    assert [page for page in pages if spelled.search(page)]


def test_the_sdist_holds_all_that_git_has(built: Built) -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("this tree is not a clone")
    command = ["git", "ls-files", "-z"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    tracked = {name for name in listed.stdout.decode().split("\0") if name} & set(tree_files())

    with tarfile.open(built.sdist) as archive:
        names = {member.name.partition("/")[2] for member in archive if member.isfile()}

    assert tracked - names == {name for name in tracked if name.startswith(NOT_IN_SDIST)}


def test_the_sdist_holds_no_cache_and_no_large_file(built: Built) -> None:
    with tarfile.open(built.sdist) as archive:
        members = archive.getmembers()

    assert [each.name for each in members if re.search(r"cache(?:__)?/|\.pyc$", each.name)] == []
    assert [each.name for each in members if each.size > 300_000] == []


def test_the_changelog_speaks_of_this_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")

    assert f"## {callscore.__version__}" in changelog


def test_the_pinned_versions_name_no_host() -> None:
    pinned = (ROOT / "requirements/dev.txt").read_text(encoding="utf-8")

    lines = [line for line in pinned.splitlines() if not line.startswith("#")]

    assert lines
    assert all("==" in line and ":" not in line and "@" not in line for line in lines)
