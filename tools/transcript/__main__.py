"""Record a transcript, or compare it with an earlier one.

    python -m tools.transcript -o before.jsonl
    python -m tools.transcript --against before.jsonl
    python -m tools.transcript --source ../other/src --only 'run/' -x --against before.jsonl
    python -m tools.transcript --compare before.jsonl after.jsonl

It exits with 1 if something is not the same.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tools.transcript.comparison import differences, read_recording, write_recording
from tools.transcript.corpus import corpus
from tools.transcript.recorder import record

if TYPE_CHECKING:
    from tools.transcript.comparison import Record
    from tools.transcript.corpus import Job

__all__ = ["main"]

_REPOSITORY = Path(__file__).resolve().parents[2]
_MEMORY = "/dev/shm"  # noqa: S108  (a folder of a random name in it; histories are written quicker)


def main() -> int:
    """Do what the command line says; the exit code."""
    arguments = _parser().parse_args()
    if arguments.compare:
        if arguments.only:
            raise SystemExit(
                "transcript: --compare compares all of two recordings. Leave out --only."
            )
        return _report(*map(read_recording, arguments.compare), is_complete=True)
    jobs = _selected(arguments)
    if arguments.list:
        print("\n".join(f"{job.key}: {line}" for job in jobs for line in job.commands))
        return 0
    before = read_recording(arguments.against) if arguments.against else None
    after = _record(jobs, arguments, before)
    output = arguments.output or (None if before else _default_output())
    if output:
        write_recording(output, after.values())
        print(f"written: {output}", file=sys.stderr)
    is_complete = not (arguments.only or arguments.exitfirst)
    return 0 if before is None else _report(before, after, is_complete=is_complete)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.transcript",
        description="Record what callscore prints for a corpus of commands, and compare recordings.",
    )
    add = parser.add_argument
    add(
        "--source",
        type=Path,
        default=_REPOSITORY / "src",
        help="the folder of the package callscore",
    )
    add("-o", "--output", type=Path, help="where to write the recording")
    add("--against", type=Path, help="an earlier recording to compare with")
    add("-x", "--exitfirst", action="store_true", help="stop at the first job that is not the same")
    add(
        "--only",
        metavar="REGEX",
        default="",
        help="only jobs with a line 'KEY: COMMAND' that matches; --list prints these lines",
    )
    add("--jobs", type=int, default=os.cpu_count() or 1, help="how many at once")
    add("--compare", nargs=2, type=Path, metavar="FILE", help="compare two recordings")
    add("--list", action="store_true", help="list the commands, and run none")
    add(
        "--corpus",
        metavar="FOLDER",
        type=Path,
        default=_REPOSITORY,
        help="the repository whose samples and examples are used (default: this one)",
    )
    return parser


def _selected(arguments: argparse.Namespace) -> list[Job]:
    pattern: str = arguments.only
    try:
        wanted = re.compile(pattern)
    except re.error as error:
        raise SystemExit(
            f"transcript: --only {pattern}: {error}. Give a regular expression."
        ) from error
    return [
        job
        for job in corpus(arguments.corpus.resolve())
        if any(wanted.search(f"{job.key}: {line}") for line in job.commands)
    ]


def _record(
    jobs: list[Job], arguments: argparse.Namespace, before: dict[str, Record] | None
) -> dict[str, Record]:
    source: Path = arguments.source.resolve()
    if not (source / "callscore" / "__init__.py").exists():
        raise SystemExit(f"transcript: {source}: there is no package callscore. Check --source.")
    # Who ends this program wants the folder to be removed, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("transcript: ended before it was complete"))
    memory = _MEMORY if os.access(_MEMORY, os.W_OK) else None
    root = Path(tempfile.mkdtemp(prefix="callscore-", dir=memory))
    started = time.monotonic()
    found: dict[str, Record] = {}
    try:
        for records in record(jobs, source=source, root=root, processes=arguments.jobs):
            found |= {each.key: each for each in records}
            is_changed = before is not None and any(before.get(r.key) != r for r in records)
            if arguments.exitfirst and is_changed:
                break
    finally:
        shutil.rmtree(root, ignore_errors=True)
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    cpu = sum(each.ru_utime + each.ru_stime for each in used)
    seconds = time.monotonic() - started
    print(f"{len(found)} commands in {seconds:.0f} s, {cpu:.0f} s of CPU", file=sys.stderr)
    return found


def _default_output() -> Path:
    """A file in `.transcript` that is named after the commit."""
    described = subprocess.run(
        ["git", "describe", "--always", "--dirty", "--tags"],  # noqa: S607  (any git will do)
        cwd=_REPOSITORY,
        capture_output=True,
        encoding="utf-8",
        check=False,
    ).stdout.strip()
    return _REPOSITORY / ".transcript" / f"{described or 'now'}.jsonl"


def _report(before: dict[str, Record], after: dict[str, Record], *, is_complete: bool) -> int:
    """Print what is not the same; the exit code."""
    found = list(differences(before, after, is_complete=is_complete))
    for text in found:
        print(f"{text}\n")
    compared = len(before.keys() & after.keys())
    if found:
        print(f"{len(found)} commands are not the same; {compared} were compared")
        return 1
    print(f"All {compared} commands are the same")
    return 0


if __name__ == "__main__":
    sys.exit(main())
