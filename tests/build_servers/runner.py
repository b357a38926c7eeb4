"""A runner of GitHub, as far as composite actions need one: it runs the steps of action.yml with bash.

Expressions are evaluated like those of GitHub, as far as the action uses them: names with dots, `==`,
`!=`, `&&`, `||` and texts. Actions of others are simulated, and their inputs are checked.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from shutil import copytree, rmtree, which
from typing import Any, NamedTuple

import msgspec
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]
BASH = which("bash") or "bash"
_EXPRESSION = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)
_TOKEN = re.compile(r"\s*(&&|\|\||==|!=|\(|\)|'(?:[^']|'')*'|[A-Za-z_][\w.-]*|\d+)")


def load_yaml(path: Path) -> Any:
    return YAML(typ="safe").load(path.read_text(encoding="utf-8"))


class Expression:
    """An expression of GitHub, evaluated in contexts."""

    def __init__(self, text: str, contexts: dict[str, Any]) -> None:
        self._tokens = _TOKEN.findall(text)
        assert "".join(self._tokens) == re.sub(r"\s", "", text), f"cannot read {text!r}"
        self._contexts = contexts

    def value(self) -> Any:
        found = self._either()
        assert not self._tokens
        return found

    def _either(self) -> Any:
        found = self._both()
        while self._tokens and self._tokens[0] == "||":
            self._tokens.pop(0)
            other = self._both()
            found = found or other
        return found

    def _both(self) -> Any:
        found = self._compared()
        while self._tokens and self._tokens[0] == "&&":
            self._tokens.pop(0)
            other = self._compared()
            found = other if found else found
        return found

    def _compared(self) -> Any:
        found = self._term()
        while self._tokens and self._tokens[0] in ("==", "!="):
            is_equal = self._tokens.pop(0) == "=="
            other = self._term()
            found = ((found or "") == (other or "")) is is_equal
        return found

    def _term(self) -> Any:
        word = self._tokens.pop(0)
        if word == "(":
            found = self._either()
            assert self._tokens.pop(0) == ")"
            return found
        if word.startswith("'"):
            return word[1:-1].replace("''", "'")
        found = self._contexts
        for name in word.split("."):
            found = (found or {}).get(name)
        return found


class Step(NamedTuple):
    """A step that was run."""

    name: str
    code: int
    out: str
    err: str


class Ran(NamedTuple):
    """What came of an action."""

    steps: dict[str, Step]
    outputs: dict[str, str]
    summary: str
    code: int

    @property
    def log(self) -> str:
        return "".join(f"--- {step.name}\n{step.out}{step.err}" for step in self.steps.values())


class Runner:
    """Runs the action in workspaces; caches and artifacts stay between jobs."""

    def __init__(self, folder: Path, api: str = "http://127.0.0.1:9") -> None:
        self._folder = folder
        self._api = api
        self._jobs = 0
        self.caches: dict[str, Path] = {}  # by key, the newest last
        self.artifacts: dict[str, bytes] = {}
        self.action = load_yaml(ROOT / "action.yml")

    def run(
        self,
        workspace: Path,
        github: dict[str, Any],
        inputs: dict[str, str] | None = None,
        **environment: str,
    ) -> Ran:
        """Run the action in a workspace; `github` has the event, the names of branches, and so on."""
        self._jobs += 1
        home = self._folder / f"job-{self._jobs}"
        (home / "temp").mkdir(parents=True)
        contexts = {
            "github": {
                "token": "job-token",
                "run_id": str(1000 + self._jobs),
                "run_attempt": "1",
                **github,
            },
            "steps": {},
            "runner": {"temp": str(home / "temp")},
        }
        given = {
            name: self._filled(str(about.get("default", "")), contexts)
            for name, about in self.action["inputs"].items()
        }
        assert not (inputs or {}).keys() - given.keys(), "unknown inputs"
        contexts["inputs"] = {**given, **(inputs or {})}
        steps: dict[str, Step] = {}
        for number, step in enumerate(self.action["runs"]["steps"]):
            if "if" in step and not Expression(str(step["if"]), contexts).value():
                continue
            ran = self._step(step, contexts, home, (workspace, environment), number)
            steps[ran.name] = ran
            if ran.code:
                break
        outputs = {
            name: self._filled(about["value"], contexts)
            for name, about in self.action["outputs"].items()
        }
        summary = home / "summary"
        text = summary.read_text(encoding="utf-8") if summary.exists() else ""
        return Ran(steps, outputs, text, [*steps.values()][-1].code)

    def _filled(self, text: str, contexts: dict[str, Any]) -> str:
        def value(found: re.Match[str]) -> str:
            result = Expression(found[1], contexts).value()
            return "" if result is None else str(result)

        return _EXPRESSION.sub(value, text)

    def _step(
        self,
        step: dict[str, Any],
        contexts: dict[str, Any],
        home: Path,
        job: tuple[Path, dict[str, str]],
        number: int,
    ) -> Step:
        outputs: dict[str, str] = {}
        if "uses" in step:
            given = {name: self._filled(str(text), contexts) for name, text in step["with"].items()}
            outputs = self._used(step["uses"], given, home)
            ran = Step(step["name"], 0, "", "")
        else:
            ran, outputs = self._script(step, contexts, home, job, number)
        if "id" in step:
            contexts["steps"][step["id"]] = {"outputs": outputs}
        return ran

    def _script(
        self,
        step: dict[str, Any],
        contexts: dict[str, Any],
        home: Path,
        job: tuple[Path, dict[str, str]],
        number: int,
    ) -> tuple[Step, dict[str, str]]:
        assert step["shell"] == "bash"
        workspace, environment = job
        github = contexts["github"]
        event = home / "event.json"
        event.write_bytes(msgspec.json.encode(github.get("event", {})))
        output = home / f"output-{number}"
        output.touch()
        folder = workspace / self._filled(step.get("working-directory", "."), contexts)
        script = home / f"script-{number}.sh"
        script.write_text(step["run"], encoding="utf-8")
        known = ("PATH", "LANG", "TMPDIR", "PYTHONPATH", "PIP_NO_INDEX", "PIP_FIND_LINKS")
        process = subprocess.run(
            [BASH, "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=folder,
            env={
                **{name: os.environ[name] for name in known if name in os.environ},
                "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
                "HOME": str(home),
                "CI": "true",
                "GITHUB_ACTIONS": "true",
                "GITHUB_ACTION_PATH": str(ROOT),
                "GITHUB_API_URL": self._api,
                "GITHUB_BASE_REF": github.get("base_ref") or "",
                "GITHUB_EVENT_PATH": str(event),
                "GITHUB_OUTPUT": str(output),
                "GITHUB_PATH": str(home / "path"),
                "GITHUB_REF_NAME": github.get("ref_name") or "",
                "GITHUB_REPOSITORY": "ada/agent",
                "GITHUB_RUN_ATTEMPT": github["run_attempt"],
                "GITHUB_RUN_ID": github["run_id"],
                "GITHUB_STEP_SUMMARY": str(home / "summary"),
                "GITHUB_WORKSPACE": str(workspace),
                "RUNNER_OS": github.get("os", "Linux"),
                "RUNNER_TEMP": str(home / "temp"),
                **environment,
                **{
                    name: self._filled(str(text), contexts)
                    for name, text in step.get("env", {}).items()
                },
            },
            capture_output=True,
            text=True,
            check=False,
        )
        ran = Step(step["name"], process.returncode, process.stdout, process.stderr)
        return ran, _outputs_in(output.read_text(encoding="utf-8"))

    def _used(self, action: str, given: dict[str, str], home: Path) -> dict[str, str]:
        name = action.partition("@")[0]
        if name == "actions/upload-artifact":
            self.artifacts[given["name"]] = Path(given["path"]).read_bytes()
            return {"artifact-url": f"https://github.example/artifacts/{given['name']}"}
        target = home / given["path"].removeprefix("~/")
        # As actions/cache does.
        for key in [given["key"], *given.get("restore-keys", "").split()]:
            assert "," not in key, f"Key Validation Error: {key} cannot contain commas."
            assert len(key) <= 512, (
                f"Key Validation Error: {key} cannot be larger than 512 characters."
            )
        if name == "actions/cache/save":
            kept = self._folder / f"cache-{len(self.caches)}"
            copytree(target, kept)
            self.caches[given["key"]] = kept
            return {}
        assert name == "actions/cache/restore", f"unknown action {action}"
        for prefix in [given["key"], *given["restore-keys"].split()]:
            for key in reversed(self.caches):
                if key.startswith(prefix):
                    if given.get("lookup-only") != "true":
                        rmtree(target, ignore_errors=True)
                        copytree(self.caches[key], target)
                    return {"cache-matched-key": key}
        return {}


def _outputs_in(text: str) -> dict[str, str]:
    """The outputs that a step has set, with the syntax of GitHub."""
    found: dict[str, str] = {}
    lines = iter(text.splitlines())
    for line in lines:
        name, mark, rest = re.split(r"(<<|=)", line, maxsplit=1)
        if mark == "=":
            found[name] = rest
            continue
        value = []
        for each in lines:
            if each == rest:
                break
            value.append(each)
        else:
            raise AssertionError(f"the output {name} has no end")
        found[name] = "\n".join(value)
    return found
