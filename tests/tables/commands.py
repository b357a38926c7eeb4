"""Runs the commands that a table gives, in this process, and compares what they do with the row."""

from __future__ import annotations

import os
import re
import shlex
import sys
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest.mock import patch

import msgspec
from click.testing import CliRunner
from tests.tables.rows import FOLDER

from callscore.cli.program import run_program

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    import pytest

_RUN_ID = re.compile(r"\b\d{8}-\d{6}-[a-z0-9]{4}\b")
_CHANGING = (  # what differs from one run to the next
    (re.compile(r"\b\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?\b"), "TIME"),
    (re.compile(r"\b\d{1,2} \w{3,4}\.? \d\d:\d\d\b"), "TIME"),
    (re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:[\d.]+Z?\b"), "TIME"),
    (re.compile(r"(< )?\b\d+([.,]\d+)? (ms|s|мс|с)\b"), "SECONDS"),
    (re.compile(r"\b1[6-9]\d{8}\.\d+\b"), "0"),  # seconds since 1970
    (re.compile(r"\[hidden [0-9a-f]+\]"), "[hidden]"),
    (re.compile(r"\b[\d.,]+ (k?B of data|к?Б данных)"), "SIZE"),
)
_USAGE = re.compile(r"\AUsage: .*?\n\nError: ", re.DOTALL)
_PROGRAM = re.compile(r"\S*python\S* -m callscore")  # how whoever runs the tests would call it
_NOTE = re.compile(r"^callscore: ", re.MULTILINE)


class Outcome(NamedTuple):
    """The exit code of a command, and what it printed."""

    exit: int
    out: str
    err: str


class Folder:
    """An empty folder in which the commands of one row run."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._runs: list[str] = []  # ids in the order in which they are printed

    def write(self, files: Mapping[str, Any]) -> None:
        """Write files: a text, `@name` for a shared one, lists as lines, objects as JSON, null to delete."""
        for name, content in files.items():
            target = self._path / name
            if content is None:
                target.unlink()
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(self._text(content).encode("utf-8", "surrogateescape"))

    def _text(self, content: Any) -> str:
        if isinstance(content, str):
            return _shared(content[1:]) if content.startswith("@") else content
        if isinstance(content, list):
            return "".join(f"{self._text(each).rstrip()}\n" for each in content)
        return msgspec.json.encode(content).decode()

    def run(self, line: str, stdin: str = "") -> Outcome:
        """Run a command; `RUN1` in it stands for the first id that was printed."""
        words = [_RUN_NAME.sub(self._run_id, word) for word in shlex.split(line)]
        # The name of the program in messages is the first word, also under `python -m pytest`.
        with (
            patch.object(sys, "argv", ["callscore", *words]),
            patch.object(sys.modules["__main__"], "__package__", None),
            CliRunner().isolation(stdin) as (out, err, _),
        ):
            try:
                code = run_program()
            except SystemExit as ended:
                code = int(ended.code or 0)
            return Outcome(code, *map(self._stable, (out.getvalue(), err.getvalue())))

    def _run_id(self, found: re.Match[str]) -> str:
        return self._runs[int(found[1]) - 1]

    def _stable(self, printed: bytes) -> str:
        """What was printed, without what differs from one time to the next."""
        text = printed.decode("utf-8", "replace").replace(str(self._path), "DIR")
        text = text.replace(str(self._path.parent), "ABOVE")
        for run in _RUN_ID.findall(text):
            if run not in self._runs:
                self._runs.append(run)
        text = _RUN_ID.sub(lambda found: f"RUN{self._runs.index(found[0]) + 1}", text)
        text = _PROGRAM.sub("callscore", text)
        for pattern, name in _CHANGING:
            text = pattern.sub(name, text)
        return "\n".join(" ".join(line.split()) for line in text.splitlines())

    def differences(self, step: str | Mapping[str, Any]) -> list[str]:
        """What a step of a row does otherwise than the row says; a step that is a text only prepares."""
        if isinstance(step, str):
            prepared = self.run(step)
            return [] if prepared.exit in (0, 1) else [f"{step}: {prepared}"]
        self.write(step.get("files", {}))
        if "run" not in step:
            return []
        got = self.run(step["run"], step.get("stdin", ""))
        wanted_err = step.get("err", "")
        found = [
            *_unless(step.get("exit", 0), got.exit, "exit code"),
            *_unless(_joined(wanted_err), short_error(got.err), "standard error"),
        ]
        if "out" in step:
            found += _unless(_joined(step["out"]), got.out, "standard output")
        found += [
            f"{part!r} is not in {got.out!r}" for part in step.get("has", ()) if part not in got.out
        ]
        if "json" in step:
            value = msgspec.json.decode(got.out)
            for path, wanted in step["json"].items():
                found += _unless(wanted, value_at(value, path.split(".")), path)
        for name, wanted in step.get("writes", {}).items():
            found += self._differing_file(name, wanted)
        return [f"{step['run']}: {each}" for each in found]

    def _differing_file(self, name: str, wanted: Any) -> list[str]:
        file = self._path / name
        if wanted is None or not file.exists():
            return (
                [] if wanted is None and not file.exists() else [f"{name} exists: {file.exists()}"]
            )
        got = self._stable(file.read_bytes())
        if isinstance(wanted, dict):  # a long file: only how it begins
            return [] if got.startswith(wanted["begins"]) else [f"{name} begins {got[:80]!r}"]
        return _unless(self._text(wanted).rstrip(), got, name)


@cache
def _shared(name: str) -> str:
    """A file that several rows have."""
    return (FOLDER / "files" / name).read_text(encoding="utf-8")


_RUN_NAME = re.compile(r"\bRUN(\d+)\b")


def _joined(text: str | list[str]) -> str:
    return text if isinstance(text, str) else "\n".join(text)


def _unless(wanted: object, got: object, name: str) -> list[str]:
    return [] if wanted == got else [f"{name}: expected {wanted!r}, got {got!r}"]


def short_error(text: str) -> str:
    """Standard error without what every message has: the usage, and the name of the program."""
    return _NOTE.sub("", _USAGE.sub("", text))


def value_at(value: Any, path: list[str]) -> Any:
    """What JSON has at a path: keys and positions, `*` for all of a list, `#` for its length or keys."""
    if not path:
        return value
    first, rest = path[0], path[1:]
    if first == "*":
        return [value_at(each, rest) for each in value]
    if first == "#":
        return sorted(value) if isinstance(value, dict) else len(value)
    return value_at(value[int(first) if isinstance(value, list) else first], rest)


def checker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[str, Any]], str]:
    """Runs the steps of a row in a folder of its own; what differs from the row."""
    stable_environment(monkeypatch, tmp_path)
    count = 0

    def check(row: dict[str, Any]) -> str:
        nonlocal count
        count += 1
        path = tmp_path / f"row{count}"
        path.mkdir()
        monkeypatch.chdir(path)
        folder = Folder(path)
        folder.write(row.get("files", {}))
        with monkeypatch.context() as patch:
            for name, value in row.get("env", {}).items():
                patch.setenv(name, value)
            for step in row.get("steps", [row]):
                found = folder.differences(step)
                if found:
                    return "\n  ".join(found)
        return ""

    return check


def stable_environment(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    """What commands ask the environment about, the same for everybody."""
    for name in os.environ:
        if name.startswith(("GITHUB_", "CALLSCORE_", "OPENAI_", "ANTHROPIC_")):
            monkeypatch.delenv(name)
    for name in ("CI", "FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    monkeypatch.setenv("COLUMNS", "120")
