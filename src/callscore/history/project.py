"""What a run should be known by later: the commit of the project, and the versions in use."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from callscore import __version__

__all__ = ["git_state", "resolve_commit", "resolve_commit_here", "versions"]

# Large repositories on slow disks take long; nobody should wait for a note.
_GIT_TIMEOUT = 3.0
# In a hook git names its own folders here; asked about another folder, it must not obey them.
_GIT_VARIABLES = ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_PREFIX")
# Whose versions may change what a model is sent, or what is made of its answer.
_LIBRARIES = ("openai",)


def git_state(folder: Path) -> tuple[str | None, bool | None]:
    """The commit of the repository that the folder is in, and whether its files have changed since.

    Files that git does not know are no change. What cannot be told, for there is no repository, no
    commit or no git, is None.
    """
    commit = _run_git(folder, "rev-parse", "--verify", "--quiet", "HEAD")
    if not commit:
        return None, None
    changed = _run_git(folder, "status", "--porcelain", "--untracked-files=no")
    return commit, None if changed is None else bool(changed)


def resolve_commit(folder: Path, reference: str) -> str | None:
    """The commit that git resolves a reference to, in the repository of the folder.

    None where it knows none. What begins like an option is never given to git.
    """
    if not reference or reference.startswith("-") or "\x00" in reference:
        return None
    return _run_git(folder, "rev-parse", "--verify", "--quiet", f"{reference}^{{commit}}") or None


def resolve_commit_here(reference: str) -> str | None:
    """The commit that git knows by a reference in the working directory; None where it knows none."""
    try:
        return resolve_commit(Path.cwd(), reference)
    except OSError:  # the working directory is gone
        return None


def _run_git(folder: Path, *words: str) -> str | None:
    git = shutil.which("git")
    if git is None:
        return None
    environment = {name: value for name, value in os.environ.items() if name not in _GIT_VARIABLES}
    environment["GIT_OPTIONAL_LOCKS"] = "0"  # whoever uses git at the same time is not disturbed
    try:
        done = subprocess.run(  # noqa: S603  (these words alone, and no shell)
            [git, "-c", "core.fsmonitor=false", *words],
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
