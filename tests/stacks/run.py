"""Test callscore inside other libraries: python -m tests.stacks.run [STACK ...].

Each stack has an environment of its own with the real library. Its tests run there
(`tests/stacks/test_<stack>*.py`), and then the examples of its page (`docs/stacks/<stack>.md`). One
line a stack is printed; the exit code is 1 if anything fails, or cannot be installed.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from argparse import ArgumentParser

from tests.stacks.environments import ROOT, NotInstalled, environment_of, stacks

__all__ = ["main"]

COUNT = re.compile(r"\d+ (?:passed|failed|skipped|errors?)\b")
PAGES = ROOT / "docs" / "stacks"
# No library reports its use, and none looks for newer versions or for models.
QUIET = {
    "ANONYMIZED_TELEMETRY": "false",
    "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
    "DO_NOT_TRACK": "1",
    "HF_HUB_OFFLINE": "1",
    "LANGSMITH_TRACING": "false",
    "LITELLM_LOCAL_MODEL_COST_MAP": "true",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "OPENAI_AGENTS_DISABLE_TRACING": "1",
    "OPIK_ANALYTICS_ENABLE": "false",
    "OPIK_SENTRY_ENABLE": "false",
    "OPIK_URL_OVERRIDE": "http://127.0.0.1:9/api",
    "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
    "PROMPTFOO_DISABLE_SHARING": "1",
    "PROMPTFOO_DISABLE_TELEMETRY": "1",
    "PROMPTFOO_DISABLE_UPDATE": "1",
    # Libraries bring plugins of pytest that warn, and one that writes into the current folder.
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    "WANDB_MODE": "offline",
    "WEAVE_DISABLED": "true",
}


def main(arguments: list[str]) -> int:
    """Test every stack, or those that are named."""
    parser = ArgumentParser(prog="python -m tests.stacks.run")
    parser.add_argument("stacks", nargs="*", metavar="STACK")
    options = parser.parse_args(arguments)
    if unknown := sorted(set(options.stacks) - set(stacks())):
        parser.error(f"no such stack: {', '.join(unknown)}. There are: {', '.join(stacks())}")
    chosen = options.stacks or stacks()
    failed = [stack for stack in chosen if not _passes(stack)]
    return 1 if failed else 0


def _passes(stack: str) -> bool:
    began = time.monotonic()
    try:
        folder = environment_of(stack)
    except NotInstalled as reason:
        print(f"{stack}: could not be installed: {reason}", flush=True)
        return False
    installed = time.monotonic()
    python = str(folder / "bin" / "python")
    environment = {
        **os.environ,
        **QUIET,
        "PROMPTFOO_CONFIG_DIR": str(folder / ".promptfoo"),
        "PATH": f"{folder / 'bin'}:{folder / 'node_modules/.bin'}:{os.environ['PATH']}",
    }
    said = [_said(command, environment) for command in _commands(stack, python)]
    problems = [text for code, text in said if code != 0]
    seconds = (
        f"installed in {installed - began:.0f} s, tested in {time.monotonic() - installed:.0f} s"
    )
    verdict = "failed" if problems or not said else "passed"
    tests = COUNT.findall(said[0][1]) if said else []
    print(f"{stack}: {verdict}, {seconds}: {', '.join(tests) or 'no tests'}", flush=True)
    print("\n".join(problems), end="")
    return bool(said) and not problems


def _commands(stack: str, python: str) -> list[list[str]]:
    tests = sorted(str(path) for path in (ROOT / "tests/stacks").glob(f"test_{stack}.py"))
    tests += sorted(str(path) for path in (ROOT / "tests/stacks").glob(f"test_{stack}_*.py"))
    # Warnings of others are not ours to fix.
    options = ["--confcutdir", "tests/stacks", "-q", "-p", "no:cacheprovider", "-W", "ignore"]
    commands = [[python, "-m", "pytest", *tests, *options]] if tests else []
    page = PAGES / f"{stack.replace('_', '-')}.md"
    if page.is_file():
        commands.append([python, str(ROOT / "docs/examples.py"), str(page)])
    return commands


def _said(command: list[str], environment: dict[str, str]) -> tuple[int, str]:
    ran = subprocess.run(
        command,
        cwd=ROOT,
        env=environment,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    return ran.returncode, ran.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
