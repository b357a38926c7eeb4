"""What identifies a run: its id and name, the commit of the project, the versions in use."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping
from glob import glob
from time import gmtime, strftime
from typing import TYPE_CHECKING

from callscore import __version__
from callscore.errors import InvalidOption, UnknownRun

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.history.records import Baseline, RunRecord
    from callscore.history.store import Store

MAX_NAME_LENGTH = 200
# References to a run by its age.
_LATEST = re.compile(r"latest(\W.*)?", re.DOTALL | re.IGNORECASE)
# Names of the commit that is checked out.
_GIT_HEADS = ("head", "@")
_ID = re.compile(r"\d{8}-\d{6}-[0-9a-z]{4}", re.ASCII)


def name_problem(name: str) -> str | None:
    """Why this cannot be the name of a run or baseline; None if it can."""
    is_invalid = {
        f"a name has 1 to {MAX_NAME_LENGTH} printable characters": (
            not name.strip() or len(name) > MAX_NAME_LENGTH or not name.isprintable()
        ),
        "it starts or ends with a space": name != name.strip(),
        "it starts like an option": name.startswith("-"),
        "it is reserved for the age of a run or a commit": (
            _LATEST.fullmatch(name) or name.lower() in _GIT_HEADS or "~" in name
        ),
        "a colon separates a variant": ":" in name,
        "it has the form of a run id": is_run_id(name),
    }
    return next((problem for problem in is_invalid if is_invalid[problem]), None)


def is_run_id(text: str) -> bool:
    """Whether a text has the form of the id of a run, which no name can have."""
    return _ID.fullmatch(text) is not None


def require_no_baseline(name: str | None, baselines: Iterable[Baseline]) -> None:
    """Refuse a run name that is the name of a baseline."""
    for baseline in baselines:
        if baseline.name == name:
            raise InvalidOption(
                f"{name!r} is the name of a baseline (run {baseline.run}). Use another name, or point the "
                f"baseline at the run afterwards: callscore baseline set latest --name {name}"
            )


# Without vowels, which could form words, and without ambiguous characters.
_LETTERS = "23456789bcdfghjkmnpqrstvwxz"


def new_run_id(now: float) -> str:
    """A new run id, such as `20261115-184354-k3f9`, made from the time in seconds since 1970.

    The history gives a run another one if it exists.
    """
    from secrets import choice

    ending = "".join([choice(_LETTERS) for _ in range(4)])
    return f"{strftime('%Y%m%d-%H%M%S', gmtime(now))}-{ending}"


# Stored arguments that select some of the cases.
SELECTION_ARGUMENTS = ("keyword", "tags", "limit", "cases")
# The stored argument with which calls of a trace count, where this is not the default.
READING_ARGUMENT = "reading"
# `cases` of this command are files, not a selection.
_SCORE_COMMAND = "score"


def is_partial(run: RunRecord, others: Mapping[str, RunRecord]) -> bool:
    """Whether the run, or one whose answers it scores again (in `others`, by id), left cases out."""
    seen: set[str] = set()
    current: RunRecord | None = run
    while current is not None and current.id not in seen:
        if current.command != _SCORE_COMMAND and any(
            map(current.arguments.get, SELECTION_ARGUMENTS)
        ):
            return True
        seen.add(current.id)
        current = others.get(current.parent or "")
    return False


def unreadable_records(run: RunRecord) -> int:
    """How many records of scored files could not be read, and are not in the run."""
    found = run.totals.get("unreadable")
    return found if isinstance(found, int) and found > 0 else 0


def lineage(store: Store, run: RunRecord) -> dict[str, RunRecord]:
    """The run, the run whose answers it has, and so on, by id."""
    found: dict[str, RunRecord] = {}
    current: RunRecord | None = run
    while current is not None and current.id not in found:
        found[current.id] = current
        try:
            current = store.find(current.parent, resolve=None) if current.parent else None
        except UnknownRun:
            current = None
    return found


# Seconds: git is slow in large repositories, and the commit is not worth a long wait.
_GIT_TIMEOUT = 10.0
# Set by git in hooks; they must not apply to another folder.
_GIT_VARIABLES = ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_PREFIX")
# Libraries whose version may change requests to models, or how responses are read.
_LIBRARIES = ("openai",)


def git_state(folder: Path | None = None) -> tuple[str | None, bool | None]:
    """The commit of the repository of a folder, and whether tracked files have changed since.

    None if unknown: no repository, no commit, or no git.
    """
    commit = run_git(folder, "rev-parse", "--verify", "--quiet", "HEAD")
    if not commit:
        return None, None
    changed = run_git(folder, "status", "--porcelain", "--untracked-files=no")
    return commit, None if changed is None else bool(changed)


def resolve_commit(reference: str, folder: Path | None = None) -> str | None:
    """The commit that git resolves a reference to, in the repository of a folder; None if there is none.

    References that begin like an option are never passed to git.
    """
    if not reference or reference.startswith("-") or "\x00" in reference:
        return None
    return run_git(folder, "rev-parse", "--verify", "--quiet", f"{reference}^{{commit}}") or None


def run_git(folder: Path | None, *arguments: str) -> str | None:
    """What git prints in a folder, by default the working directory; None if it fails, or is not installed."""
    # Most commands that read a history do not ask git.
    import shutil
    import subprocess

    git = shutil.which("git")
    if git is None:
        return None
    environment = {name: value for name, value in os.environ.items() if name not in _GIT_VARIABLES}
    environment["GIT_OPTIONAL_LOCKS"] = "0"  # do not block other git processes
    environment["GIT_ALLOW_PROTOCOL"] = "none"  # fetch nothing that a partial clone lacks
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
    """The versions of callscore, of Python, and of the libraries that talk to models.

    The folder that pip creates has the version in its name: importing `importlib.metadata` takes much longer.
    """
    import platform

    found = {"callscore": __version__, "python": platform.python_version()}
    for library in _LIBRARIES:
        name = f"{library}-*.dist-info"
        names = [each for place in sys.path for each in glob(name, root_dir=place)]  # noqa: PTH207  (leaves out what cannot be read)
        if names:
            found[library] = names[0].removesuffix(".dist-info").partition("-")[2]
    return found


def find_run_and_variant(store: Store, reference: str) -> tuple[RunRecord, str | None]:
    """The run and the variant that a reference `RUN` or `RUN:VARIANT` means."""
    try:
        return store.find(reference), None
    except UnknownRun:
        name, _, variant = reference.partition(":")
        if not (name and variant):
            raise
    return store.find(name), variant
