"""Mutate everything that callscore reads, run it, and report what is not as documented.

    python -m tools.fuzz --minutes 10
    python -m tools.fuzz --seed 7 --inputs 1000000 --jobs 2
    python -m tools.fuzz --target 'cli run' --inputs 1000
    python -m tools.fuzz --replay .fuzz/NAME.json

It exits with 1 if something failed. Each failure is a file in `.fuzz`.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

from tools.fuzz.counts import Counts
from tools.fuzz.execution import execute, in_folder, limit_process
from tools.fuzz.failures import Failure, read_failure, write_failure
from tools.fuzz.generation import TARGETS, make_input
from tools.fuzz.workers import Share, Worker, work

__all__ = ["main"]

_REPOSITORY = Path(__file__).resolve().parents[2]
_MEMORY = Path("/dev/shm")  # noqa: S108  (a folder of a random name in it; files are written quicker)
_MANY = 1 << 60


def main() -> int:
    """Do what the command line says; the exit code."""
    parser = _parser()
    arguments = parser.parse_args()
    if arguments.jobs < 1:
        parser.error("--jobs must be at least 1")
    if arguments.worker:
        work(arguments.worker)
        return 0
    if arguments.replay:
        return _replay(arguments.replay)
    if arguments.show is not None:
        made = make_input(arguments.seed, arguments.show, tuple(arguments.target))
        print(made.target, *made.arguments)
        for name, data in made.files.items():
            print(
                f"--- {name} ({len(data)} bytes)",
                data.decode("utf-8", "backslashreplace"),
                sep="\n",
            )
        return 0
    return _fuzz(arguments)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.fuzz", description="Mutate what callscore reads, and run it."
    )
    parser.add_argument("--seed", type=int, default=0, help="the seed of all inputs (default: 0)")
    parser.add_argument(
        "--inputs", type=int, default=_MANY, help="how many inputs (default: no limit)"
    )
    parser.add_argument(
        "--minutes", type=float, help="for how long (default: 5, or as --inputs says)"
    )
    parser.add_argument("--jobs", type=int, default=1, help="how many processes (default: 1)")
    parser.add_argument(
        "--target", action="append", default=[], choices=list(TARGETS), help="only this; repeatable"
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        default=_REPOSITORY / ".fuzz",
        help="where failures are written (default: .fuzz)",
    )
    parser.add_argument("--replay", type=Path, metavar="FILE", help="run one failure again")
    parser.add_argument("--show", type=int, metavar="NUMBER", help="print the input of this number")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    return parser


def _fuzz(arguments: argparse.Namespace) -> int:
    minutes = arguments.minutes
    if minutes is None:
        minutes = 5.0 if arguments.inputs == _MANY else 24 * 60.0
    start = time.time()
    folder = tempfile.mkdtemp(prefix="callscore-fuzz-", dir=_MEMORY if _MEMORY.is_dir() else None)
    workers = [
        Worker(
            Share(
                seed=arguments.seed,
                start=job,
                step=arguments.jobs,
                end=arguments.inputs,
                deadline=start + minutes * 60,
                targets=tuple(arguments.target),
                folder=f"{folder}/{job}",
            )
        )
        for job in range(arguments.jobs)
    ]
    try:
        while not all(worker.is_done for worker in workers):
            time.sleep(0.5)
            for worker in workers:
                if not worker.is_done:
                    worker.watch()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return _report(workers, arguments.output, time.time() - start)


def _report(workers: list[Worker], output: Path, seconds: float) -> int:
    counts = Counts()
    failures: dict[str, Failure] = {}
    for worker in workers:
        counts.merge(worker.counts)
        for failure in worker.failures:
            failures.setdefault(failure.outcome.place, failure)
    print("\n".join(counts.lines()))
    rate = counts.inputs / seconds
    print(
        f"{counts.inputs:,} inputs in {seconds:,.0f} s: {rate:,.0f} per second; {len(failures)} failures"
    )
    for place, failure in failures.items():
        path = write_failure(failure, output)
        if path.is_relative_to(Path.cwd()):
            path = path.relative_to(Path.cwd())
        print(f"{place}\n  python -m tools.fuzz --replay {path}")
    return 1 if failures else 0


def _replay(path: Path) -> int:
    failure = read_failure(path)
    print(failure.input.target, *failure.input.arguments)
    for name, data in failure.input.files.items():
        print(
            f"--- {name} ({len(data)} bytes)",
            data[:2000].decode("utf-8", "backslashreplace"),
            sep="\n",
        )
    limit_process()
    with in_folder(Path(tempfile.mkdtemp(prefix="callscore-fuzz-"))) as scratch:
        outcome = execute(failure.input, scratch)
    print(f"--- {outcome.word}, {outcome.seconds:.2f} s, {outcome.megabytes:.0f} MB")
    if outcome.place:
        print(outcome.place, outcome.detail, sep="\n")
    return 1 if outcome.place else 0


if __name__ == "__main__":
    sys.exit(main())
