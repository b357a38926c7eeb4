"""The files that paths name: folders, and patterns such as `logs/**/*.jsonl`, on disk and at URLs."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable
from pathlib import Path

from callscore.errors import UnreadableInput
from callscore.sources.data_files import is_data_file
from callscore.sources.files import display_path
from callscore.sources.remote import (
    has_remote_pattern,
    is_url,
    matching_urls,
    without_credentials,
)

_NO_MATCH = (
    "no file matches this pattern. Check the path. Put the pattern in quotes, so that the shell does"
    " not expand it; `**` stands for any folders."
)


def expand_paths(paths: Iterable[str]) -> list[str]:
    """The given paths, each pattern and folder replaced by its files, in alphabetical order.

    A path with `*`, `?` or `[` is a pattern, unless there is a file of this name; `**` stands for any
    number of folders. Only regular files match. Hidden files and folders do not, as in a shell. A file
    that matches is used once, however many of the paths name it. Patterns of URLs are expanded, too:
    call this only with paths that a user passes.

    Raises:
        UnreadableInput: no file matches a pattern, or the files of a URL cannot be listed.
        MissingExtra: there is a pattern of URLs, and the extra `remote` is not installed.
    """
    given = list(paths)
    found = [_files_at(path) for path in given]
    named = {_identity(path) for path, matches in zip(given, found, strict=True) if matches is None}
    expanded: list[str] = []
    for path, matches in zip(given, found, strict=True):
        if matches is None:
            expanded.append(path)
            continue
        for match in matches:
            identity = _identity(match)
            if identity not in named:
                named.add(identity)
                expanded.append(match)
    return expanded


def display_paths(paths: Iterable[str]) -> str:
    """The paths in one line, as they may be shown: URLs have no credentials."""
    return ", ".join(map(without_credentials, paths))


def is_pattern(path: str) -> bool:
    """Whether a path is a pattern, and not the name of a file."""
    if is_url(path):
        return has_remote_pattern(path)
    return glob.has_magic(path) and not os.path.lexists(path)


def files_in_folder(path: str) -> list[str]:
    """The files with data in a folder and in the folders in it; any other path itself.

    Raises:
        UnreadableInput: there is none.
    """
    if path == "-" or is_url(path):
        return [path]
    folder = Path(path)
    try:
        if not folder.is_dir():
            return [path]
        files = sorted(file for file in folder.rglob("*") if file.is_file())
    except (OSError, ValueError):  # a null byte, or a folder that may not be read
        return [path]
    found = [str(file) for file in files if is_data_file(file.relative_to(folder).as_posix())]
    if not found:
        problem = "the folder has no files with traces or cases, such as JSON files."
        raise UnreadableInput(display_path(path), problem)
    return found


def _files_at(path: str) -> list[str] | None:
    """The files of a pattern or of a folder; None for the path of a file."""
    if is_pattern(path):
        return _matches(path)
    files = files_in_folder(path)
    return None if files == [path] else files


def _matches(pattern: str) -> list[str]:
    if is_url(pattern):
        found = matching_urls(pattern)
    else:
        try:
            # `Path.glob` would find hidden files, and knows no absolute patterns.
            matches = glob.glob(pattern, recursive=True)  # noqa: PTH207  (see above)
        except (OSError, ValueError):  # a null byte, or a name that is too long
            matches = []
        found = sorted(match for match in matches if Path(match).is_file())
    if not found:
        raise UnreadableInput(display_path(pattern), _NO_MATCH)
    return found


def _identity(path: str) -> str:
    """What two paths of the same file have in common."""
    try:
        return path if path == "-" or is_url(path) else os.path.realpath(path)
    except ValueError:  # a null byte, or half of a surrogate pair: who opens it says so
        return path
