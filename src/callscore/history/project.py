"""The commit of the project and the versions in use, which are stored with a run."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from callscore import __version__

__all__ = ["git_state", "resolve_commit", "resolve_commit_here", "versions"]

# Seconds: git is slow in large repositories, and the commit is not worth a long wait.
_GIT_TIMEOUT = 3.0
# Set by git in hooks; they must not apply to another folder.
_GIT_VARIABLES = ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_PREFIX")
# Libraries whose version may change requests to models, or how responses are read.
_LIBRARIES = ("openai",)


def git_state(folder: Path) -> tuple[str | None, bool | None]:
    """The commit of the repository that the folder is in, and whether its files have changed since.

    Untracked files are no change. None if unknown: no repository, no commit, or no git.
    """
    commit = _run_git(folder, "rev-parse", "--verify", "--quiet", "HEAD")
    if not commit:
        return None, None
    changed = _run_git(folder, "status", "--porcelain", "--untracked-files=no")
    return commit, None if changed is None else bool(changed)


def resolve_commit(folder: Path, reference: str) -> str | None:
    """The commit that git resolves a reference to, in the repository of the folder.

    None if there is none. References that begin like an option are never passed to git.
    """
    if not reference or reference.startswith("-") or "\x00" in reference:
        return None
    return _run_git(folder, "rev-parse", "--verify", "--quiet", f"{reference}^{{commit}}") or None


def resolve_commit_here(reference: str) -> str | None:
    """The same in the repository of the working directory."""
    try:
        return resolve_commit(Path.cwd(), reference)
    except OSError:  # the working directory is gone
        return None


def _run_git(folder: Path, *arguments: str) -> str | None:
    git = shutil.which("git")
    if git is None:
        return None
    environment = {name: value for name, value in os.environ.items() if name not in _GIT_VARIABLES}
    environment["GIT_OPTIONAL_LOCKS"] = "0"  # do not block other git processes
    try:
        done = subprocess.run(  # noqa: S603  (no shell)
            [git, "-c", "core.fsmonitor=false", *arguments],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_GIT_TIMEOUT,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "replace").strip()


def versions() -> dict[str, str]:
    """The versions of callscore, of Python, and of the libraries that talk to models."""
    found = {"callscore": __version__, "python": platform.python_version()}
    for library in _LIBRARIES:
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            continue
    return found
