"""The files that a command reads: it writes none of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import click

from callscore.errors import CallscoreError

# The parameters that name files to read, and those that name files to write. `advise` writes
# proposals, and `bless` reads them, and writes only into case files.
_DATA = ("file", "files", "names", "before", "after", "expected", "actual", "tools", "identify")
_EVALUATIONS = "paths"
_SETTINGS = "config"
_HISTORY = "store"
INPUTS = (*_DATA, _EVALUATIONS, _SETTINGS, _HISTORY)
OUTPUTS = ("output", "results", "proposals", "write")
_STANDARD_OUTPUT = "-"
_LOCAL = ("file://", "local://")
_DATABASE_FILES = ("", "-wal", "-shm", "-journal")


def protect_inputs() -> None:
    """Refuse the options of the command that write where it reads, before it reads anything.

    Raises:
        UsageError: a file to write is one of the inputs, or would be read the next time.
    """
    given = click.get_current_context().params
    for option in OUTPUTS:
        written = given.get(option)
        if written in (None, _STANDARD_OUTPUT):
            continue
        # --write adds to the settings.
        _require_no_input(f"--{option}", written, _inputs(given, has_settings=option != "write"))
        target = Path(os.path.realpath(written))
        for folder in _folders_and_patterns(given):
            if _is_read_in(folder, target, is_run=folder in given.get(_EVALUATIONS, ())):
                raise click.UsageError(
                    f"Cannot write --{option} {written}: the command reads the files of {folder}, and"
                    " would read this one. Choose a file elsewhere, or another suffix."
                )


def _require_no_input(option: str, written: str, inputs: Iterable[str | Path | int]) -> None:
    """Refuse to write a file that is one of the inputs, by whatever name or link.

    Raises:
        UsageError: it is.
    """
    target = Path(written)
    for path in inputs:
        if _is_same_file(target, path):
            raise click.UsageError(
                f"Cannot write {option} {written}: the command reads this file, which would be"
                " lost. Choose another file."
            )


def _is_same_file(target: Path, path: str | Path | int) -> bool:
    """Whether a path, or an open file, is the target: a device or a pipe loses nothing."""
    with suppress(OSError, ValueError):  # there is no such file, or the name is not one
        found = os.fstat(path) if isinstance(path, int) else Path(path).stat()
        return os.path.samestat(found, target.stat()) and target.is_file()
    # A new history, which the report would take the place of.
    return isinstance(path, str) and os.path.realpath(path) == os.path.realpath(target)


def _named(given: dict[str, Any], names: Iterable[str]) -> Iterator[str]:
    for name in names:
        value = given.get(name)
        for path in value if isinstance(value, tuple | list) else [value]:
            if isinstance(path, str):
                start = next(filter(path.startswith, _LOCAL), "")
                yield path[len(start) :]


_STDIN = 0


def _inputs(given: dict[str, Any], *, has_settings: bool) -> Iterator[str | Path | int]:
    """The files that the options of a command name, and those that it finds without them."""
    from callscore.sources.paths import expand_paths
    from callscore.sources.remote import is_url

    yield _STDIN
    for path in _named(given, (*_DATA, _EVALUATIONS)):
        if not is_url(path):
            yield path
            with suppress(CallscoreError):  # who reads it says what is wrong
                yield from expand_paths([path])
    if has_settings:
        from callscore.evaluations.project_config import find_config_file

        yield from _named(given, [_SETTINGS])
        with suppress(CallscoreError, OSError):  # the working directory was deleted
            yield find_config_file(Path.cwd()) or ""
    if _HISTORY in given:
        from callscore.history.opening import default_path

        with suppress(OSError):
            place = next(_named(given, [_HISTORY]), None) or default_path()
            yield from (f"{place}{suffix}" for suffix in _DATABASE_FILES)
    if _EVALUATIONS in given:
        yield from _of_evaluations(given[_EVALUATIONS] or (".",))


def _of_evaluations(paths: Iterable[str]) -> Iterator[Path]:
    """The files of evaluations, and those that they may name: whatever is text in them."""
    from callscore.evaluations.discovery import evaluation_files
    from callscore.sources.data_files import is_data_file

    for path in paths:
        found: list[Any] = [Path(path)]
        with suppress(OSError, ValueError):
            found = [*evaluation_files(found[0])] if found[0].is_dir() else found
        for file in found:
            if isinstance(file, Path):
                yield file
                # Who runs it says what is wrong.
                with suppress(CallscoreError, OSError, ValueError, SyntaxError, RecursionError):
                    yield from [
                        file.parent / text for text in _texts_in(file) if is_data_file(text)
                    ]


def _texts_in(file: Path) -> Iterator[str]:
    if file.suffix == ".py":
        import ast

        for node in ast.walk(ast.parse(file.read_bytes())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value
    elif file.suffix in (".yaml", ".yml", ".toml"):
        from callscore.evaluations.suites import read_suite

        yield from _texts(read_suite(file).value)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)


def _folders_and_patterns(given: dict[str, Any]) -> Iterator[str]:
    from callscore.sources.paths import is_pattern

    for path in _named(given, (*_DATA, _EVALUATIONS)):
        with suppress(OSError, ValueError):
            if Path(path).is_dir() or is_pattern(path):
                yield path


def _is_read_in(folder: str, file: Path, *, is_run: bool) -> bool:
    """Whether a file would be read in a folder, or matches a pattern."""
    from callscore.evaluations.discovery import is_evaluation_file
    from callscore.sources.data_files import is_data_file

    place = Path(os.path.realpath(folder))
    if not place.is_dir():
        return _fits(file.parts, place.parts)
    if not file.is_relative_to(place):
        return False
    inner = file.relative_to(place)
    return is_evaluation_file(inner.name) if is_run else is_data_file(inner.as_posix())


def _fits(parts: tuple[str, ...], pattern: tuple[str, ...]) -> bool:
    """Whether a path matches a pattern, in which `**` stands for any folders, also for none."""
    if not pattern or not parts:
        return not pattern and not parts
    if pattern[0] == "**":
        return _fits(parts, pattern[1:]) or _fits(parts[1:], pattern)
    return fnmatchcase(parts[0], pattern[0]) and _fits(parts[1:], pattern[1:])
