"""The page "Gate your CI", followed literally: three commits of which the second breaks the agent."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from ruamel.yaml import YAML

from callscore.history.opening import open_store

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/how-to/gate-ci.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(?P<kind>\w[^\n]*)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
COMMITS = [
    "An assistant for two questions",
    "Find the city more simply",
    "Know cities of two words again",
]
# Steps that need the network.
ELSEWHERE = ("Install", "Comment")


class Ran(NamedTuple):
    """What became of some commands."""

    code: int
    printed: str
    said: str


def bash(folder: Path, commands: str, **environment: str) -> Ran:
    """Run commands as a reader types them."""
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    at_home = {name: os.environ[name] for name in os.environ if not name.startswith("GITHUB_")}
    ran = subprocess.run(
        ["bash", "-c", commands],  # noqa: S607  (any bash will do)
        cwd=folder,
        env={**at_home, "PATH": programs, "NO_COLOR": "1", **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return Ran(ran.returncode, ran.stdout, ran.stderr)


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder in which the page was followed from its first line to its last, and what was printed."""
    folder = tmp_path_factory.mktemp("shop")
    printed = ""
    for block in BLOCK.finditer(PAGE):
        if block["kind"] == "bash":
            ran = bash(folder, block["code"])
            assert not ran.code, f"{block['code']}\n{ran.printed}\n{ran.said}"
            printed += ran.printed + ran.said
    return folder, printed


def test_there_are_three_commits_and_each_was_run(followed: tuple[Path, str]) -> None:
    folder, _ = followed
    log = bash(folder, "git log --reverse --format='%H %s'").printed.splitlines()

    with open_store(folder / ".callscore/history.db") as store:
        runs = list(reversed(store.runs()))
        baselines = [(each.name, each.run) for each in store.baselines()]

    assert [line.partition(" ")[2] for line in log] == COMMITS
    assert [run.git_commit for run in runs] == [line.partition(" ")[0] for line in log]
    assert [run.git_dirty for run in runs] == [False, False, False]
    assert baselines == [("main", runs[2].id)]


def test_the_gate_is_closed_for_the_commit_that_breaks_the_agent_and_open_for_the_next(
    followed: tuple[Path, str],
) -> None:
    _, printed = followed

    said = re.findall(r"^(?:Gate (?:open|closed)|exit code: \d)", printed, re.MULTILINE)

    # The first is that of the bar.
    assert said == ["exit code: 1", "Gate closed", "exit code: 1", "Gate open", "exit code: 0"]
    assert "Broken: 8 cases\n- weather-new-york " in printed


def test_runs_are_known_by_their_commits(followed: tuple[Path, str]) -> None:
    folder, _ = followed

    compared = bash(folder, "callscore compare HEAD~1 HEAD --fail-on regressed")
    held = bash(folder, "callscore gate HEAD --against HEAD~2")

    assert (compared.code, held.code) == (0, 0)
    assert compared.printed.startswith("Improved   passed 66.7% → 100.0%")


def workflow() -> dict[str, Any]:
    """What the page puts into `.github/workflows/agent.yml`."""
    (text,) = [block["code"] for block in BLOCK.finditer(PAGE) if block["kind"] == "yaml"]
    loaded: dict[str, Any] = YAML(typ="safe").load(StringIO(text))
    return loaded


def build(folder: Path, commit: str, event: str) -> list[Ran]:
    """Do what the workflow does for a commit, up to the first step that fails, as a runner does."""
    bash(folder, f"git checkout --quiet {commit}")
    sha = bash(folder, "git rev-parse HEAD").printed.strip()
    ran: list[Ran] = []
    for step in workflow()["jobs"]["gate"]["steps"]:
        condition = step.get("if", "")
        is_wanted = not condition or f"github.event_name == '{event}'" in condition
        if "run" not in step or not is_wanted or step["name"] in ELSEWHERE:
            continue
        ran.append(
            bash(
                folder,
                f"set -eo pipefail\n{step['run']}",
                GITHUB_SHA=sha,
                GITHUB_ACTIONS="true",
                GITHUB_STEP_SUMMARY=str(folder / f"summary-{event}.md"),
            )
        )
        if ran[-1].code:
            break
    return ran


@pytest.fixture
def clone(followed: tuple[Path, str], tmp_path: Path) -> Path:
    """The three commits without a history, as a build server finds them first."""
    folder = tmp_path / "clone"
    shutil.copytree(followed[0], folder, ignore=shutil.ignore_patterns(".callscore", "*.txt"))
    return folder


def test_the_workflow_lets_the_third_commit_through_and_not_the_second(clone: Path) -> None:
    first = build(clone, "main~2", "push")
    second = build(clone, "main~1", "pull_request")
    broken = (clone / "gate.md").read_text(encoding="utf-8")
    third = build(clone, "main", "pull_request")
    merged = build(clone, "main", "push")

    codes = [[ran.code for ran in steps] for steps in (first, second, third, merged)]
    assert codes == [[0, 0], [0, 1], [0, 0], [0, 0]]
    assert broken.startswith("## Gate closed: regressed, `main` → ")
    assert (clone / "gate.md").read_text(encoding="utf-8").startswith("## Gate open: ")
    annotations = [line for line in second[1].said.splitlines() if line.startswith("::error ")]
    assert annotations[1].startswith(
        "::error file=eval_agent.py,title=Broken%3A weather-new-york::"
    )
    summary = (clone / "summary-pull_request.md").read_text(encoding="utf-8")
    assert re.findall(r"^## Gate \w+", summary, re.MULTILINE) == ["## Gate closed", "## Gate open"]
    assert not (clone / "summary-push.md").exists()


def test_a_pull_request_before_there_is_a_baseline_is_told_what_to_type(clone: Path) -> None:
    bash(clone, "git branch --move main trunk")  # else git knows a main

    ran = build(clone, "trunk", "pull_request")

    assert [each.code for each in ran] == [0, 2]
    assert re.search(r"A baseline is set with: callscore baseline set \S+ --name main", ran[1].said)


def test_the_history_is_what_travels_from_build_to_build() -> None:
    steps = workflow()["jobs"]["gate"]["steps"]

    (cache,) = [step["with"] for step in steps if step.get("uses", "").startswith("actions/cache")]
    assert cache["path"] == ".callscore"
    assert cache["key"].startswith(cache["restore-keys"])
