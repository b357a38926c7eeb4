"""Random cases for every tool that can be installed: python -m tests.parity.compare [--write].

Each tool runs in an environment of its own. One line a tool is printed; `--write` puts them, with
versions and date, into the table of the documentation. The exit code is 1 where anything differs.
"""

from __future__ import annotations

import subprocess
import sys
from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

import msgspec
from tests.parity.environments import ROOT, NotInstalled, environment_of, tools

__all__ = ["main"]

_PAGE = ROOT / "docs" / "reference" / "parity.md"
_BEGIN, _END = "<!-- compared: begin -->\n", "<!-- compared: end -->\n"
_HEAD = """| tool | package | version | configurations | random cases | differences |
| --- | --- | --- | --- | --- | --- |
"""


def main(arguments: list[str]) -> int:
    """Compare every tool, or those that are named."""
    parser = ArgumentParser(prog="python -m tests.parity.compare")
    parser.add_argument("tools", nargs="*", default=tools())
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args(arguments)
    rows, failed = [], False
    for tool in options.tools:
        outcome = _compare(tool, options.cases, options.seed)
        failed = failed or outcome.get("differences") != 0
        rows.append(_row(tool, outcome))
        print(rows[-1], end="", flush=True)
    if options.write:
        _write(rows, options.cases, options.seed)
    return 1 if failed else 0


def _compare(tool: str, cases: int, seed: int) -> dict[str, Any]:
    """What comparing with one tool gave, or the problem that kept it from being compared."""
    try:
        python = environment_of(tool)
    except NotInstalled as reason:
        return {"problem": f"could not be installed: {reason}"}
    module = ["-m", "tests.parity.differential", tool, "--json"]
    command = [str(python), *module, "--cases", str(cases), "--seed", str(seed)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT)
    lines = done.stdout.splitlines()
    if done.returncode not in {0, 1} or not lines:
        return {"problem": (done.stderr.strip().splitlines() or ["it printed nothing"])[-1]}
    print("\n".join(lines[:-1]), end="\n" if lines[1:] else "")
    try:
        outcome: dict[str, Any] = msgspec.json.decode(lines[-1])
    except msgspec.DecodeError:
        return {"problem": (done.stderr.strip().splitlines() or lines)[-1]}
    return outcome


def _row(tool: str, outcome: dict[str, Any]) -> str:
    if "problem" in outcome:
        return f"| {tool} | | | | | {outcome['problem']} |\n"
    columns = ("package", "version", "configurations", "cases", "differences")
    return (
        f"| {tool} | "
        + " | ".join(
            f"{outcome[column]:,}" if isinstance(outcome[column], int) else str(outcome[column])
            for column in columns
        )
        + " |\n"
    )


def _write(rows: list[str], cases: int, seed: int) -> None:
    before, _, rest = _PAGE.read_text(encoding="utf-8").partition(_BEGIN)
    _, _, after = rest.partition(_END)
    day = datetime.now(UTC).date().isoformat()
    note = f"{day}, Python {sys.version.split()[0]}, {cases:,} cases each, seed {seed}.\n\n"
    text = before + _BEGIN + note + _HEAD + "".join(rows) + _END + after
    _PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
