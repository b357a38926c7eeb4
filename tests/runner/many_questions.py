"""A program that asks a model many questions, and prints each as soon as it is reported."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from callscore import Case, models
from callscore.evaluations.decorator import evaluation
from callscore.evaluations.plan import make_plan
from callscore.history.opening import open_store
from callscore.models.limits import Limits
from callscore.runner.running import RunHooks, RunOptions, run

__all__ = ["main"]

PATHS = ["eval_many.py"]


def main(path: str, base_url: str, count: int, jobs: int, wish: str) -> None:
    """Ask so many questions; go on with the run before where that is wished for."""
    cases = [
        Case(f"Question {number}", id=f"case-{number}", expected=[]) for number in range(count)
    ]
    asked = evaluation(name="many", cases=cases)(models.chat("small", base_url=base_url))
    options = RunOptions(
        jobs=jobs,
        limits=Limits(retries=0, timeout=300),
        resume=wish == "resume",
        arguments={"paths": PATHS},
    )

    def tell(question: Any, _: Any) -> None:
        os.write(1, f"{question.case.id}\n".encode())

    with open_store(Path(path)) as store:
        found = run(make_plan([asked]), options, RunHooks(on_done=tell), store)
    if found.warnings or found.errors:
        sys.exit(f"{found.errors} failed; {found.warnings}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5])
