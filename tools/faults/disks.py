"""Lets disks be full: files that must not grow, and an output that takes nothing."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

from tools.faults.kills import COMMANDS, KillProject

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

__all__ = ["full_disk_round", "full_output_round"]

_FULL = "/dev/full"
_REPORTS = (("show", "main"), ("history",), ("export", "main"), ("compare", "main", "second"))


def full_disk_round(whole: KillProject, name: str, chance: Random, folder: Path) -> tuple[str, str]:
    """Run a command whose files cannot grow beyond a limit, and again without it."""
    project = whole.project.copy(folder / "full")
    size = project.history.stat().st_size
    limit = size + chance.randrange(-20_000, 150_000)

    def set_limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    command = COMMANDS[name]
    subprocess.run(
        [sys.executable, "-m", "callscore", *command.words],
        cwd=project.folder,
        env=project.environment(CASES="120"),
        preexec_fn=set_limit,
        capture_output=True,
        check=False,
        timeout=60,
    )
    wrong = ""
    sound = project.run("gc", "--keep", "99", "--dry-run")
    main = project.run("show", "main", "--json")
    if sound.code:
        wrong = f"the history is damaged: {sound.errors}"
    elif main[:2] != whole.before[0][:2]:
        wrong = f"the baseline is another: {main.errors or main.output[:300]}"
    else:
        done = project.run(*command.words, CASES="120")
        found = project.run(*command.show)
        if done.code not in (0, 1) or found[:2] != whole.ends[name][:2]:
            wrong = f"the end is another: {done.code} {done.errors} {found.errors}"
    shutil.rmtree(project.folder)
    return f"{name}: files of at most {limit:,} bytes", wrong


def full_output_round(whole: KillProject, chance: Random) -> tuple[str, str]:
    """Write a report to where nothing can be written: that must not look like success."""
    words = chance.choice(_REPORTS)
    with open(_FULL, "wb") as full:  # noqa: PTH123  (a device)
        done = subprocess.run(
            [sys.executable, "-m", "callscore", *words],
            cwd=whole.project.folder,
            env=whole.project.environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            timeout=60,
        )
    label = f"{' '.join(words)} > {os.path.basename(_FULL)}"  # noqa: PTH119  (a device)
    return label, "" if done.returncode else "exit code 0, although nothing was written"
