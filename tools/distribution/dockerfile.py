"""Reads the Dockerfile, and goes through the steps of its first stage without Docker.

Each path of the image is a folder of this machine then. The second stage only copies what the first has
made, and creates a user, which nobody wants on their machine.
"""

from __future__ import annotations

import os
import re
import shutil
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tools.distribution.building import ROOT, DistError, run

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Step", "copied_files", "read_dockerfile", "rehearse"]

_FOLDERS = ("/build", "/source", "/wheels", "/opt/callscore")  # those that the steps name


class Step(NamedTuple):
    """One instruction: `RUN`, `COPY` and so on, with what follows it, and its stage, from 0."""

    instruction: str
    text: str
    stage: int


def read_dockerfile(root: Path = ROOT) -> list[Step]:
    """The instructions of the Dockerfile, in order."""
    text = (root / "Dockerfile").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    steps: list[Step] = []
    stage = -1
    for line in "\n".join(lines).replace("\\\n", " ").splitlines():
        instruction, _, rest = line.strip().partition(" ")
        stage += instruction == "FROM"
        steps.append(Step(instruction, " ".join(rest.split()), stage))
    return steps


def copied_files(step: Step, names: Sequence[str], root: Path = ROOT) -> dict[str, str]:
    """The files that a `COPY` of the first stage copies, and where to, of those that reach Docker.

    Raises:
        DistError: one of its sources does not exist, or .dockerignore keeps it from Docker.
    """
    *sources, target = step.text.split()
    sent = [name for name in names if _is_sent(name, root)]
    found: dict[str, str] = {}
    for source in sources:
        files = [name for name in sent if name == source or name.startswith(f"{source}/")]
        if not files:
            raise DistError(f"Dockerfile: COPY {source}: there is no such file, or it is ignored")
        for name in files:
            if name != source:
                found[name] = f"{target.rstrip('/')}/{name.removeprefix(source).lstrip('/')}"
            else:
                found[name] = f"{target}{Path(name).name}" if target.endswith("/") else target
    return found


def _is_sent(name: str, root: Path) -> bool:
    """Whether .dockerignore lets a file through; the last line that matches decides."""
    is_sent = True
    lines = (root / ".dockerignore").read_text(encoding="utf-8").splitlines()
    for line in [line for line in lines if line and not line.startswith("#")]:
        pattern = line.lstrip("!")
        parents = [name, *map(str, Path(name).parents)][:-1]
        names = [part.split("/")[-1] for part in parents] if "**/" in pattern else parents
        if any(fnmatch(part, pattern.removeprefix("**/")) for part in names):
            is_sent = line.startswith("!")
    return is_sent


def rehearse(python: Path, folder: Path, names: Sequence[str], root: Path = ROOT) -> Path:
    """Do what the first stage does; the program that comes of it.

    Raises:
        DistError: a step fails.
    """
    system = folder / "system"
    run([str(python), "-m", "venv", str(folder / "python")], folder=folder)
    environment = {"PATH": f"{folder / 'python' / 'bin'}:{os.environ['PATH']}"}
    here = system
    for step in [step for step in read_dockerfile(root) if step.stage == 0]:
        if step.instruction == "WORKDIR":
            here = system / step.text.lstrip("/")
            here.mkdir(parents=True)
        elif step.instruction == "ARG":
            name, _, value = step.text.partition("=")
            environment[name] = value
        elif step.instruction == "COPY":
            for name, target in copied_files(step, names, root).items():
                (here / target).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(root / name, here / target)
        elif step.instruction == "RUN":
            here.mkdir(parents=True, exist_ok=True)
            _run_step(step.text, here, system, environment)
    return system / "opt/callscore/bin/callscore"


def _run_step(text: str, here: Path, system: Path, environment: dict[str, str]) -> None:
    paths = "|".join(map(re.escape, _FOLDERS))
    command = re.sub(rf"(?:^|(?<=\s))(?=(?:{paths})\b)", str(system), text)
    unmoved = re.findall(r"(?:^|(?<=\s))/[\w/]+", command.replace(str(system), ""))
    if [path for path in unmoved if not path.startswith(_FOLDERS)]:
        raise DistError(f"Dockerfile: RUN {text}: it writes to a folder that is not rehearsed")
    run(["sh", "-euc", command], folder=here, environment=environment)
