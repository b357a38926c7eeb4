"""Prints the size of `src` and `tests`; with a git revision, also the change since it.

    python -m tools.size [REVISION]

Tests count as Python alone: rows of data are cheap to read and to keep.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter
from io import BytesIO
from pathlib import Path
from tarfile import open as open_tar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT = Path(__file__).parents[2]
DATA = (".toml", ".json", ".jsonl", ".yaml", ".po", ".js", ".css")


def main() -> None:
    """Print a line per measure."""
    now = _size(_tree())
    before = _size(_revision(sys.argv[1])) if len(sys.argv) > 1 else None
    for name in sorted(now | (before or Counter())):
        change = "" if before is None else f"{now[name] - before[name]:+10,}"
        print(f"{name:18}{now[name]:>10,}{change}")


def _tree() -> Iterable[tuple[str, bytes]]:
    names = _git("ls-files", "-z", "src", "tests").decode().split("\0")
    return [(name, (ROOT / name).read_bytes()) for name in names if (ROOT / name).is_file()]


def _revision(revision: str) -> Iterable[tuple[str, bytes]]:
    with open_tar(fileobj=BytesIO(_git("archive", revision, "src", "tests"))) as archive:
        for member in archive:
            content = archive.extractfile(member) if member.isfile() else None
            if content is not None:
                yield member.name, content.read()


def _git(*arguments: str) -> bytes:
    return subprocess.run(
        ["git", *arguments],  # noqa: S607 - the git that is on the PATH
        cwd=ROOT,
        capture_output=True,
        check=True,
    ).stdout


def _size(files: Iterable[tuple[str, bytes]]) -> Counter[str]:
    counts: Counter[str] = Counter()
    folders: set[str] = set()
    for name, content in files:
        side = name.partition("/")[0]
        if name.endswith(".py"):
            counts[f"{side} lines"] += content.count(b"\n")
            counts[f"{side} modules"] += 1
            counts[f"{side} functions"] += _functions(content)
            folders.update(name.split("/")[2:-1][:1] if side == "src" else ())
        elif side == "src" and name.endswith(DATA):
            counts["src lines of data"] += content.count(b"\n")
    counts["src folders"] = len(folders)
    return counts


def _functions(content: bytes) -> int:
    kinds = ast.FunctionDef | ast.AsyncFunctionDef
    return sum(isinstance(node, kinds) for node in ast.walk(ast.parse(content)))


if __name__ == "__main__":
    main()
