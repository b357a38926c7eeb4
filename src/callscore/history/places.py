"""What a history knows a file of cases by."""

from __future__ import annotations

from pathlib import Path, PurePath

from callscore.history.opening import default_path

__all__ = ["name_of_file", "place_of_file"]

# Behind the suffix of what is in a file may stand how it is compressed.
_COMPRESSED = (".gz", ".zst")


def place_of_file(path: str) -> str:
    """Where a file stands, from the folder of the history on; as it is given, if it is not in there."""
    try:
        file, project = Path(path).resolve(), default_path().parent.parent.resolve()
    except (OSError, RuntimeError):  # the working directory is gone, or links go in a circle
        return path
    return file.relative_to(project).as_posix() if file.is_relative_to(project) else path


def name_of_file(path: str) -> str:
    """What the cases of a file are called: `answers` in `runs/answers.jsonl.gz`."""
    file = PurePath(path)
    if file.suffix.lower() in _COMPRESSED:
        file = file.with_suffix("")
    return file.stem or path
