"""Runs the commands that a row of a table gives, in this process, and says what they do.

    {"files": {"c.jsonl": "@two.jsonl"}, "run": "score c.jsonl --mod strict", "exit": 2, "err": "..."}

- `run`: the command, without `callscore`; `RUN1` is the id of the first run that was printed. Or `steps`:
  several such objects, or texts of commands that only prepare, one after the other in one folder.
- `files`: what is written before: a text, `@NAME` for tests/tables/files/NAME, a list of lines, an
  object as JSON, null to delete. `stdin`, and `env` of the whole row: what commands get.
- `exit` (0 if absent), `err` (nothing if absent): always compared. Only where a row has them: `out`,
  all of the output; `has`, parts of it; `json`, values at paths (`a.0.b`, `*` for each item, `#` for a
  length or keys); `writes`, files afterwards (`{"begins": ...}` for a long one, null for none).

Ids are replaced by `RUN1`, times by `TIME` and `SECONDS`, the folder by `DIR`; spaces are folded. The
clock stands still.
"""

from __future__ import annotations

import gc
import re
import shlex
import sys
import time
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from click.testing import CliRunner
from tests.tables.rows import FOLDER, IS_RECORDING

from callscore.cli.program import run_program

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    import pytest

_RUN_ID = re.compile(r"\b\d{8}-\d{6}-[a-z0-9]{4}\b")
_CHANGING = (  # what differs from one run to the next
    (re.compile(r"\b\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?\b"), "TIME"),
    (re.compile(r"\b\d{1,2} \w{3,4}\.? \d\d:\d\d\b"), "TIME"),
    (re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:[\d.]+Z?\b"), "TIME"),
    (re.compile(r"(< )?\b\d+([.,]\d+)? (ms|s|мс|с)\b"), "SECONDS"),
    (re.compile(r"\b1[6-9]\d{8}\.\d+\b"), "0"),  # seconds since 1970
    (re.compile(r"\b[\d.,]+ (k?B of data|к?Б данных)"), "SIZE"),
)
_USAGE = re.compile(r"\AUsage: .*?\n\nError: ", re.DOTALL)
# How whoever runs the tests would call it.
_PROGRAM = re.compile(r"\S*python\S* -m (pytest\.)?callscore|\S+/bin/callscore")
_NOTE = re.compile(r"^callscore: ", re.MULTILINE)


_STEP = {"run", "files", "stdin", "exit", "err", "out", "has", "json", "writes"}


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
        _CLOCK.seconds += _BETWEEN_COMMANDS
        with self._alone(["callscore", *words]), CliRunner().isolation(stdin) as (out, err, _):
            try:
                code = run_program()
            except SystemExit as ended:
                code = int(ended.code or 0)
            return Outcome(code, *map(self._stable, (out.getvalue(), err.getvalue())))

    @contextmanager
    def _alone(self, words: list[str]) -> Iterator[None]:
        """Leave nothing of a command in this process: its words, its modules, what the next would find."""
        arguments, paths, threshold = sys.argv, sys.path[:], gc.get_threshold()
        sys.argv = words
        try:
            yield
        finally:
            sys.argv, sys.path[:] = arguments, paths
            gc.set_threshold(*threshold)
            for name, module in [*sys.modules.items()]:
                if (getattr(module, "__file__", None) or "").startswith(str(self._path)):
                    del sys.modules[name]

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

    def observed(self, step: Any) -> Any:
        """The step with what its command does in place of what it should do.

        A step that is a text, or that has no command, only prepares.
        """
        if isinstance(step, str):
            prepared = self.run(step)
            assert prepared.exit in (0, 1), f"{step}: {prepared}"
            return step
        self.write(step.get("files", {}))
        if step.keys() == {"files"}:
            return step
        got = self.run(step["run"], step.get("stdin", ""))
        error = short_error(got.err)
        observe: dict[str, Callable[[Any], Any]] = {
            "out": lambda _: _lines(got.out),
            "has": lambda parts: [_part(part, got.out) for part in parts],
            "json": lambda paths: _values(msgspec.json.decode(got.out), paths),
            "writes": lambda files: {name: self._written(name, files[name]) for name in files},
        }
        return {
            **{key: value for key, value in step.items() if key not in ("exit", "err")},
            **({"exit": got.exit} if got.exit else {}),
            **({"err": _lines(error)} if error else {}),
            **{key: see(step[key]) for key, see in observe.items() if key in step},
        }

    def _written(self, name: str, as_in: Any) -> Any:
        """A file, in the form in which the row has it; a long one has only how it begins."""
        file = self._path / name
        if not file.exists():
            return None
        text = self._stable(file.read_bytes())
        if isinstance(as_in, dict) and "begins" in as_in:
            return {"begins": text[: len(as_in["begins"])]}
        return as_in if as_in is not None and self._text(as_in).rstrip() == text else text


@cache
def _shared(name: str) -> str:
    """A file that several rows have."""
    return (FOLDER / "files" / name).read_text(encoding="utf-8")


_RUN_NAME = re.compile(r"\bRUN(\d+)\b")


def _part(part: str, printed: str) -> str:
    if part in printed:
        return part
    assert not IS_RECORDING, f"{part!r} is not in the output: change `has` by hand"
    return f"GONE: {part}"


def _lines(text: str) -> str | list[str]:
    return text.split("\n") if "\n" in text else text


def short_error(text: str) -> str:
    """Standard error without what every message has: the usage, and the name of the program."""
    return _NOTE.sub("", _USAGE.sub("", text))


def _values(value: Any, paths: Iterable[str]) -> dict[str, Any]:
    return {path: value_at(value, path.split(".")) for path in paths}


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


def new_folder(parent: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for the next row, which is the working directory."""
    path = parent / f"row{len([*parent.glob('row*')])}"
    path.mkdir()
    monkeypatch.chdir(path)
    return path


def observer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Runs the steps of a row in a folder of its own; the row with what they do."""
    stable_environment(monkeypatch, tmp_path)

    def observe(row: dict[str, Any]) -> dict[str, Any]:
        folder = Folder(new_folder(tmp_path, monkeypatch))
        with monkeypatch.context() as patch:
            for name, value in row.get("env", {}).items():
                patch.setenv(name, value)
            if "steps" in row:
                unknown = row.keys() - {"steps", "files", "env"}
                for step in row["steps"]:
                    unknown |= set() if isinstance(step, str) else step.keys() - _STEP
                assert not unknown, f"nothing compares {unknown}"
                folder.write(row.get("files", {}))
                return {**row, "steps": [folder.observed(step) for step in row["steps"]]}
            found: dict[str, Any] = folder.observed(row)
            return found

    return observe


class _Clock:
    """A clock that stands still while a command runs; outside of these tests it is the usual one."""

    def __init__(self) -> None:
        self.is_standing = False
        self.seconds = 1_800_000_000.0

    def instead_of(self, real: Callable[[], float]) -> Callable[[], float]:
        return lambda: self.seconds if self.is_standing else real()


_CLOCK = _Clock()
_BETWEEN_COMMANDS = 61.5  # seconds
_CLOCKS = {real: _CLOCK.instead_of(real) for real in (time.time, time.perf_counter)}


def stable_environment(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    """What commands ask the environment and the clock about, the same for everybody."""
    ours = [module for name, module in sys.modules.items() if name.startswith("callscore")]
    for module in (time, *ours):
        for real, clock in _CLOCKS.items():
            if vars(module).get(real.__name__) is real:
                monkeypatch.setattr(module, real.__name__, clock)
    monkeypatch.setattr(_CLOCK, "is_standing", True)
    monkeypatch.setattr(_CLOCK, "seconds", 1_800_000_000.0)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    monkeypatch.setenv("COLUMNS", "300")
