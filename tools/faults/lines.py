"""Cuts the line to PostgreSQL while it saves a run."""

from __future__ import annotations

import shutil
import threading
from typing import TYPE_CHECKING

from tests.servers.cut_line import cut_line
from tests.servers.postgres_server import new_database
from tools.faults.project import Project, make_project

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

    from tests.servers.postgres_server import PostgresServer

__all__ = ["cut_round"]

_RUN = {"CASES": "60", "SECONDS": "0.01"}


def cut_round(server: PostgresServer, chance: Random, folder: Path) -> tuple[str, str]:
    """Cut the line once or twice while a run is saved, and complete the run afterwards."""
    with new_database(server) as address, cut_line(server.port) as line:
        project = make_project(folder / "cut", store=address)
        expected = project.must("run", "--name", "undisturbed", **_RUN)
        through = Project(project.folder, server.url(address.rpartition("/")[2], port=line.port))
        moments = sorted(chance.uniform(0.3, 1.5) for _ in range(chance.choice((1, 2))))
        length = chance.choice((0.1, 0.4, 20.0))
        timers = [threading.Timer(moment, line.cut) for moment in moments]
        timers += [threading.Timer(moment + length, line.mend) for moment in moments]
        for timer in timers:
            timer.start()
        through.run("run", "--name", "cut", **_RUN)
        for timer in timers:
            timer.cancel()
        line.mend()
        wrong = _problem(project, expected.code)
    shutil.rmtree(project.folder)
    return f"run: cut after {', '.join(f'{each:.2f} s' for each in moments)} for {length} s", wrong


def _problem(project: Project, code: int) -> str:
    files = sorted(project.folder.glob("**/unsaved-*.jsonl"))
    if files:
        imported = project.run("import", *[str(file) for file in files])
        if imported.code:
            return f"what was saved in a file cannot be imported: {imported.errors}"
    project.run("run", "--resume", **_RUN)
    sound = project.run("gc", "--keep", "99", "--dry-run")
    if sound.code:
        return f"the history is damaged: {sound.errors}"
    again = project.run("run", "--name", "again", **_RUN)
    same = project.run("compare", "undisturbed", "latest", "--json")
    return "" if again.code == code and not same.code else f"another end: {again.errors}"
