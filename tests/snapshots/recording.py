"""Runs the commands in this process, and gives the text that is kept of what they print."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import msgspec
from click.testing import CliRunner
from tests.snapshots.commands import PLACES
from tests.snapshots.opened_html import html_text, json_text
from tools.transcript import clock

import callscore
from callscore.cli.program import cli

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.snapshots.commands import Place, Snapshot

__all__ = ["ENVIRONMENT", "VALUES", "recorded", "visible"]

VALUES = Path(__file__).parent / "values"
# What every command finds in its environment, and nothing else. Two of them are secrets.
ENVIRONMENT = {
    "TZ": "UTC",
    "LANG": "C.UTF-8",
    "LINES": "50",
    "HOME": "/nonexistent",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_AUTHOR_NAME": "A. Developer",
    "GIT_AUTHOR_EMAIL": "developer@example.com",
    "GIT_AUTHOR_DATE": "2026-01-02T03:04:05Z",
    "GIT_COMMITTER_NAME": "A. Developer",
    "GIT_COMMITTER_EMAIL": "developer@example.com",
    "GIT_COMMITTER_DATE": "2026-01-02T03:04:05Z",
    "WEATHER_API_KEY": "hunter2-hunter2-hunter2",
    "BANK_TOKEN": "swordfish-swordfish-9",
}
_PACKAGE = str(Path(callscore.__file__).parent)
_WIDTHS = {"table": (60, 80, 120), "middle": (80,)}
_SUFFIXES = {
    "markdown": "md",
    "junit": "xml",
    "html": "html.txt",
    "raw-json": "raw.json",
    "jsonl": "jsonl.txt",
}
_FIRST_MOMENT = 1_767_150_000  # 31 December 2025
_BETWEEN_COMMANDS = 7_000  # seconds
_RUN = re.compile(r"(?<!\d)(\d{8}-\d{6}-)[0-9a-z]{4}\b")
_STYLE = re.compile(r"\x1b\[([\d;]*)m")
_STYLES = {
    "1": "bold",
    "2": "dim",
    "3": "italic",
    "4": "underline",
    "31": "red",
    "32": "green",
    "33": "yellow",
    "35": "magenta",
    "36": "cyan",
}
# What an editor does not show, or shows elsewhere.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)


def recorded() -> Iterator[tuple[str, str]]:
    """The name of each file, and its text."""
    # Lines break by the length of paths, so that the folder is always in the same place.
    with TemporaryDirectory(dir="/tmp") as root:
        program = Path(root, "bin", "callscore")
        program.parent.mkdir()
        program.touch(mode=0o755)  # reports say how the program can be called here
        git = Path(shutil.which("git") or "git").parent
        os.environ["PATH"] = os.pathsep.join((str(program.parent), os.defpath, str(git)))
        for place in PLACES:
            yield from _Folder(place, Path(root, place.name)).snapshots()


class _Folder:
    """A folder, and what is run in it."""

    def __init__(self, place: Place, path: Path) -> None:
        self._place = place
        self._path = path
        self._runs: dict[str, str] = {}
        self._commands = 0

    def snapshots(self) -> Iterator[tuple[str, str]]:
        """The files of all snapshots of the place."""
        self._path.mkdir()
        os.chdir(self._path)
        for folder in self._place.files:
            for file in filter(Path.is_file, sorted((VALUES / folder).iterdir())):
                # Evaluations are no modules of this project, so that here they are texts.
                name = file.with_suffix(".py").name if file.suffix == ".txt" else file.name
                shutil.copy(file, self._path / name)
        for command in self._place.setup:
            self._set_up(shlex.split(command))
        for snapshot in self._place.snapshots:
            yield from self._files(snapshot)

    def _set_up(self, words: list[str]) -> None:
        if words[0] != "callscore":
            subprocess.run(words, check=True)
            return
        _, notes, code = self._run(words[1:], {})
        assert code in (0, 1), f"{words}: {notes}"  # 1: a case failed

    def _files(self, snapshot: Snapshot) -> Iterator[tuple[str, str]]:
        words = shlex.split(snapshot.command)
        for language in snapshot.languages:
            is_first = language == snapshot.languages[0]
            spoken = [*words, *(["--lang", language] if language else [])]
            name = ".".join(filter(None, (snapshot.name, language)))
            for form in snapshot.formats.split():
                if form in _WIDTHS:
                    for width in _WIDTHS[form]:
                        yield f"{name}.{width}.txt", self._text(spoken, width, snapshot)
                elif not (is_first or form == "markdown" or form.endswith("+")):
                    continue
                elif form == "colour":
                    shown = {"FORCE_COLOR": "1", "TERM": "xterm-256color"}
                    yield f"{name}.colour.txt", self._text(spoken, 80, snapshot, **shown)
                else:
                    yield self._formatted(name, spoken, form.rstrip("+"))

    def _formatted(self, name: str, words: list[str], form: str) -> tuple[str, str]:
        output, notes, _ = self._run([*words, "--format", form.removeprefix("raw-")], {})
        if form == "html":
            text = html_text(output, has_words=name.startswith("score/good"))
        elif form == "json" and output:
            text = f"{json_text(msgspec.json.decode(output))}\n"
        else:
            text = output.decode()
        if form == "jsonl" and notes:
            text += f"--- notes\n{notes}"
        return f"{name}.{_SUFFIXES.get(form, form)}", self._kept(text)

    def _text(self, words: list[str], width: int, snapshot: Snapshot, **more: str) -> str:
        """What is seen: the output, the notes, the exit code, and the summary for GitHub."""
        environment = {"COLUMNS": str(width), **dict(snapshot.environment), **more}
        output, notes, code = self._run(words, environment)
        parts = [
            output.decode(),
            notes and f"--- notes\n{notes}",
            f"--- exit code {code}\n" if code else "",
        ]
        summary = self._path / "summary.md"
        if summary.exists():
            parts.append(f"--- summary\n{summary.read_text(encoding='utf-8')}")
            summary.unlink()
        return self._kept("".join(filter(None, parts)))

    def _run(self, words: list[str], environment: dict[str, str]) -> tuple[bytes, str, int]:
        """The output, the notes and the exit code of a command."""
        self._commands += 1
        now = _FIRST_MOMENT + self._commands * _BETWEEN_COMMANDS
        os.environ[clock.VARIABLE] = str(now)
        result = CliRunner().invoke(cli, words, env=environment, color=True)
        notes = result.stderr
        if result.exception and not isinstance(result.exception, SystemExit):
            notes += f"{type(result.exception).__name__}: {result.exception}\n"
        return result.stdout_bytes, notes, result.exit_code

    def _without_paths(self, text: str) -> str:
        return text.replace(str(self._path), "<folder>").replace(_PACKAGE, "<package>")

    def _kept(self, text: str) -> str:
        """The text without what is random, and with names for what cannot be seen."""

        def numbered(found: re.Match[str]) -> str:
            number = self._runs.setdefault(found[0], f"{len(self._runs) + 1:04}")
            return f"{found[1]}{number}"

        return visible(_RUN.sub(numbered, self._without_paths(text)))


def visible(text: str) -> str:
    """The text with names for colours and for characters that cannot be seen."""
    text = _STYLE.sub(_style_name, text)
    text = _INVISIBLE.sub(lambda found: f"<U+{ord(found[0]):04X}>", text)
    return re.sub(r" +$", lambda found: "·" * len(found[0]), text, flags=re.MULTILINE)


def _style_name(found: re.Match[str]) -> str:
    codes = found[1].split(";")
    names = [_STYLES.get(code, code) for code in codes]
    return "</>" if codes in (["0"], [""]) else f"<{' '.join(names)}>"
