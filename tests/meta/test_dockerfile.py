"""The Dockerfile: small, pinned, not root, without secrets. `make dist` does its steps without Docker."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest
from tools.distribution.building import DistError
from tools.distribution.dockerfile import Step, copied_files, read_dockerfile

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT = Path(__file__).parents[2]
STEPS = read_dockerfile()
LAST = max(step.stage for step in STEPS)
SECRET = re.compile(r"key|password|secret|token", re.IGNORECASE)


def _texts(instruction: str, *, stages: Iterable[int] = range(LAST + 1)) -> list[str]:
    return [step.text for step in STEPS if step.instruction == instruction and step.stage in stages]


def test_every_stage_is_the_same_pinned_image_of_no_named_registry() -> None:
    images = {text.split()[0] for text in _texts("FROM")}

    assert len(_texts("FROM")) == 2
    assert images == {"python:3.13-slim"}


def test_the_image_runs_as_a_numbered_user_that_is_not_root() -> None:
    order = [step.instruction for step in STEPS if step.stage == LAST]

    assert _texts("USER", stages=[LAST]) == ["1000"]
    assert "RUN" not in order[order.index("USER") :]  # nothing is installed by the user
    assert "COPY" not in order[order.index("USER") :]


def test_the_image_starts_callscore_without_a_shell_so_that_signals_arrive() -> None:
    assert [msgspec.json.decode(text) for text in _texts("ENTRYPOINT")] == [["callscore"]]
    assert [msgspec.json.decode(text) for text in _texts("CMD")] == [["--help"]]


def test_the_last_stage_takes_only_the_environment_of_the_first() -> None:
    assert _texts("COPY", stages=[LAST]) == ["--from=build /opt/callscore /opt/callscore"]
    assert not [text for text in _texts("RUN", stages=[LAST]) if "pip" in text]


def test_there_is_no_secret_in_it_and_nothing_is_downloaded_by_address() -> None:
    named = [*_texts("ENV"), *_texts("ARG"), *_texts("LABEL")]

    assert not [text for text in named if SECRET.search(text)]
    assert not _texts("ADD")
    assert "://" not in (ROOT / "Dockerfile").read_text(encoding="utf-8")


def test_pip_leaves_no_cache_and_takes_pinned_versions() -> None:
    installs = [text for text in _texts("RUN") if "pip" in text]
    pinned = (ROOT / "requirements/dev.txt").read_text(encoding="utf-8").splitlines()

    assert installs
    for text in installs:
        assert "--no-cache-dir" in text
        (hatchling,) = re.findall(r"hatchling==\S+", text) or [None]
        assert hatchling in pinned or "--constraint constraints.txt" in text


def test_its_extras_exist() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (extras,) = [text.removeprefix("EXTRAS=") for text in _texts("ARG")]

    assert set(extras.split(",")) <= project["optional-dependencies"].keys()


def test_the_page_installs_packages_with_a_pip_that_the_image_has() -> None:
    page = (ROOT / "docs/how-to/run-in-a-container.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```dockerfile\n(.*?)```", page, re.DOTALL)
    (made,) = [text for text in _texts("RUN") if "venv --without-pip" in text]
    (environment,) = re.findall(r"--python (\S+)", made)

    assert re.findall(r"^USER (.*)", block, re.MULTILINE) == ["root", *_texts("USER")]
    assert re.findall(r"pip --python (\S+) install", block) == [environment]


@pytest.mark.parametrize("name", [".git/config", ".callscore/history.db", "tests/x.py", ".env"])
def test_nothing_else_reaches_docker(name: str) -> None:
    with pytest.raises(DistError, match="there is no such file, or it is ignored"):
        copied_files(Step("COPY", f"{name} .", 0), [name])


def test_caches_do_not_reach_docker() -> None:
    names = ["src/callscore/__init__.py", "src/callscore/__pycache__/x.pyc"]

    assert copied_files(Step("COPY", "src src", 0), names) == {names[0]: names[0]}
