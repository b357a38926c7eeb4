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
from tests.servers.fork_server import programs_folder

from callscore.history.opening import open_store

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/how-to/gate-ci.md").read_text(encoding="utf-8")
# What removes a case comes last: it changes the cases of the folder.
FOLLOWED, _, REMOVAL = PAGE.partition("\n## Remove a case\n")
REMOVAL = REMOVAL.partition("\n## Loosen a setting\n")[0]
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
    folders = (programs_folder(), str(Path(sys.executable).parent), os.environ["PATH"])
    at_home = {name: os.environ[name] for name in os.environ if not name.startswith("GITHUB_")}
    ran = subprocess.run(
        ["bash", "-c", commands],  # noqa: S607  (any bash will do)
        cwd=folder,
        env={**at_home, "PATH": os.pathsep.join(folders), "NO_COLOR": "1", **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return Ran(ran.returncode, ran.stdout, ran.stderr)


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder in which the page was followed up to its last section, and what was printed."""
    folder = tmp_path_factory.mktemp("shop")
    printed = ""
    for block in BLOCK.finditer(FOLLOWED):
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
    assert sorted(baselines) == [("main", runs[2].id), ("release", runs[2].id)]


def test_the_gate_is_closed_for_the_commit_that_breaks_the_agent_and_open_for_the_next(
    followed: tuple[Path, str],
) -> None:
    _, printed = followed

    said = re.findall(r"^(?:Gate (?:passed|failed)|exit code: \d)", printed, re.MULTILINE)

    # The first is that of the bar.
    assert said == ["exit code: 1", "Gate failed", "exit code: 1", "Gate passed", "exit code: 0"]
    assert "Broken: 8 cases\n- weather-new-york " in printed


def test_runs_are_known_by_their_commits(followed: tuple[Path, str]) -> None:
    folder, _ = followed

    compared = bash(folder, "callscore compare HEAD~1 HEAD --fail-on regressed")
    held = bash(folder, "callscore gate HEAD --against HEAD~2")

    assert (compared.code, held.code) == (0, 0)
    assert compared.printed.startswith("Improved   passed 66.7% → 100.0%")


def test_a_case_that_is_removed_needs_the_reason(
    followed: tuple[Path, str], tmp_path: Path
) -> None:
    folder = tmp_path / "shop"
    shutil.copytree(followed[0], folder)
    (block,) = [each["code"] for each in BLOCK.finditer(REMOVAL) if each["kind"] == "bash"]

    removed = bash(folder, block)
    unexplained = bash(folder, "rm callscore.toml; callscore gate --against main")

    assert "Removed on purpose: 2 cases\n- weather-new-york\n" in removed.printed
    assert removed.printed.endswith("exit code: 0\n")
    assert unexplained.code == 1
    assert "Missing: 2 cases\n- weather-new-york\n- time-new-york\n" in unexplained.printed


def workflow() -> dict[str, Any]:
    """What the page puts into `.github/workflows/agent.yml`."""
    (text,) = [block["code"] for block in BLOCK.finditer(PAGE) if block["kind"] == "yaml"]
    loaded: dict[str, Any] = YAML(typ="safe").load(StringIO(text))
    return loaded


class Server:
    """A build server: each build is a fresh clone; what it keeps is what the workflow saves."""

    def __init__(self, repository: Path, folder: Path) -> None:
        self.repository = repository
        self.folder = folder
        self.cache: dict[str, Path] = {}
        self.summary = folder / "summary.md"
        self.clone = self.temp = folder
        self.commented: list[str] = []

    def build(self, commit: str, event: str, *, spoil: str = "") -> list[Ran]:
        """Do what the workflow does for a commit, as a runner does.

        Args:
            commit: what is built.
            event: what made it start.
            spoil: what happens to the files before; an outage of the model, say.
        """
        self.clone = self.folder / f"clone-{len(list(self.folder.iterdir()))}"
        self.temp = self.clone.with_name(f"{self.clone.name}-temp")
        self.temp.mkdir()
        (self.temp / "environment").touch()
        ignored = shutil.ignore_patterns(".callscore", "*.txt")
        shutil.copytree(self.repository, self.clone, ignore=ignored)
        bash(self.clone, f"git checkout --quiet {commit}\n{spoil}")
        sha = bash(self.clone, "git rev-parse HEAD").printed.strip()
        ran: list[Ran] = []
        for step in workflow()["jobs"]["gate"]["steps"]:
            if self._is_wanted(step, event, has_failed=any(each.code for each in ran)):
                ran += self._do(step, sha)
        return ran

    def _is_wanted(self, step: dict[str, Any], event: str, *, has_failed: bool) -> bool:
        """The conditions of the page are terms that all must hold; any other term is an error here."""
        branch = "refs/pull/1/merge" if event == "pull_request" else "refs/heads/main"
        known = {
            "!cancelled()": True,
            "github.event_name == 'pull_request'": event == "pull_request",
            "github.event_name == 'workflow_dispatch'": event == "workflow_dispatch",
            "github.event_name != 'workflow_dispatch'": event != "workflow_dispatch",
            "github.ref == 'refs/heads/main'": branch == "refs/heads/main",
            "hashFiles('gate.md') != ''": (self.clone / "gate.md").exists(),
        }
        terms = step["if"].split(" && ") if "if" in step else []
        is_reached = not has_failed or "!cancelled()" in terms
        return is_reached and all(known[term] for term in terms)

    def _do(self, step: dict[str, Any], sha: str) -> list[Ran]:
        action = step.get("uses", "").partition("@")[0]
        if action == "actions/cache/restore":
            self._restore(step["with"])
        elif action == "actions/cache/save":
            kept = self.folder / f"cache-{len(self.cache)}"
            shutil.copytree(self._path(step["with"]), kept)
            name = step["with"]["key"].replace("${{ github.run_id }}", str(len(self.cache)))
            self.cache[name] = kept
        elif step.get("name") == "Comment":
            self.commented.append((self.clone / "gate.md").read_text(encoding="utf-8"))
        if "run" not in step or step["name"] in ELSEWHERE:
            return []
        lines = (self.temp / "environment").read_text(encoding="utf-8").splitlines()
        ran = bash(
            self.clone,
            f"set -eo pipefail\n{step['run']}",
            **dict(line.split("=", 1) for line in lines),
            RUNNER_TEMP=str(self.temp),
            GITHUB_ENV=str(self.temp / "environment"),
            GITHUB_SHA=sha,
            GITHUB_ACTIONS="true",
            GITHUB_STEP_SUMMARY=str(self.summary),
            GITHUB_WORKSPACE=str(self.clone),
        )
        return [ran] if "callscore " in step["run"] else []

    def _path(self, options: dict[str, str]) -> Path:
        return Path(options["path"].replace("${{ runner.temp }}", str(self.temp)))

    def _restore(self, options: dict[str, str]) -> None:
        """The newest that begins like this; the whole name is never there before a build has saved."""
        alike = [name for name in self.cache if name.startswith(options["restore-keys"])]
        if alike:
            shutil.copytree(self.cache[alike[-1]], self._path(options))


OUTAGE = "printf 'def answer(question):\\n    raise TimeoutError\\n' > agent.py"


@pytest.fixture
def server(followed: tuple[Path, str], tmp_path: Path) -> Server:
    """A build server that has built the first commit by hand."""
    server = Server(followed[0], tmp_path)
    assert codes(server.build("main~2", "workflow_dispatch")) == [0, 0, 0]
    return server


def codes(ran: list[Ran]) -> list[int]:
    """How the steps of a build ended."""
    return [each.code for each in ran]


def test_the_workflow_lets_the_third_commit_through_and_not_the_second(server: Server) -> None:
    second = server.build("main~1", "pull_request")
    third = server.build("main", "pull_request")
    merged = server.build("main", "push")

    assert (codes(second), codes(third), codes(merged)) == ([0, 1], [0, 0], [0, 0, 0])
    broken, mended = server.commented
    assert broken.startswith("## Gate failed: regressed, `main` → ")
    assert mended.startswith("## Gate passed: not enough data, `release` → ")
    annotations = [line for line in second[1].said.splitlines() if line.startswith("::error ")]
    assert any(
        line.startswith("::error file=eval_agent.py,title=Broken%3A weather-new-york::")
        for line in annotations
    )
    summary = server.summary.read_text(encoding="utf-8")
    said = re.findall(r"^## Gate \w+", summary, re.MULTILINE)
    assert said == ["## Gate failed", *["## Gate passed"] * 4]


def test_a_broken_commit_on_the_main_branch_does_not_become_the_baseline(server: Server) -> None:
    first = len(server.cache)

    broken = server.build("main~1", "push")
    again = server.build("main~1", "push")

    assert (codes(broken), codes(again)) == ([0, 1], [0, 1])
    assert len(server.cache) == first


@pytest.mark.parametrize("ending", ["", "-wal", "-shm"])
def test_a_commit_cannot_bring_a_history(
    server: Server, followed: tuple[Path, str], ending: str
) -> None:
    spoil = f"""
        mkdir -p .callscore
        cp {followed[0]}/.callscore/history.db .callscore/history.db{ending}
        echo accepted > gate.md
        git add --force .callscore/history.db{ending} gate.md
    """
    broken = server.build("main~1", "pull_request", spoil=spoil)
    here = bash(server.clone, "callscore gate", CALLSCORE_STORE="")

    assert codes(broken) == [0, 1]
    assert server.commented[-1].startswith("## Gate failed: regressed")
    assert here.code == 2
    assert f"git tracks .callscore/history.db{ending}, so that a commit can replace" in here.said


def test_an_outage_on_the_main_branch_does_not_become_the_baseline(server: Server) -> None:
    kept = len(server.cache)

    pushed = server.build("main", "push", spoil=OUTAGE)
    by_hand = server.build("main", "workflow_dispatch", spoil=OUTAGE)
    after = server.build("main", "pull_request")

    assert codes(pushed) == [0, 1]
    assert codes(by_hand) == [0, 1]
    assert "cannot be a baseline" in by_hand[-1].said
    assert len(server.cache) == kept
    assert codes(after) == [0, 0]  # it is held against the last good run


def test_a_build_before_there_is_a_baseline_is_told_what_to_type(
    followed: tuple[Path, str], tmp_path: Path
) -> None:
    server = Server(followed[0], tmp_path)

    ran = server.build("main", "pull_request", spoil="git branch --quiet --move main trunk")

    assert codes(ran) == [0, 2]
    assert "There are no baselines yet." in ran[1].said
    assert "callscore baseline set latest --name main" in ran[1].said
    assert server.commented == []


def test_only_the_main_branch_saves_its_history() -> None:
    steps = workflow()["jobs"]["gate"]["steps"]

    (restore,) = [step for step in steps if "cache/restore" in step.get("uses", "")]
    (save,) = [step for step in steps if "cache/save" in step.get("uses", "")]
    assert not [step for step in steps if step.get("uses", "").startswith("actions/cache@")]
    assert save["if"] == "github.ref == 'refs/heads/main'"
    assert restore["with"]["path"] == save["with"]["path"] == "${{ runner.temp }}/callscore"
    assert save["with"]["key"].startswith(restore["with"]["restore-keys"])
    (baseline,) = [step for step in steps if step.get("name") == "Set the baseline"]
    assert "||" not in baseline["run"]
