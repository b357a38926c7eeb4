"""Record a transcript, or compare it with an earlier one.

    python -m tools.transcript -o before.jsonl
    python -m tools.transcript -o after.jsonl --against before.jsonl
    python -m tools.transcript --source ../other/src --only 'run/' --against before.jsonl
    python -m tools.transcript --compare before.jsonl after.jsonl

It exits with 1 if something is not the same.
"""

from __future__ import annotations

import argparse
import os
import re
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
from tools.transcript.recorder import environment_for, record

if TYPE_CHECKING:
    from tools.transcript.comparison import Record
    from tools.transcript.steps import Job

__all__ = ["main"]

_REPOSITORY = Path(__file__).resolve().parents[2]
_MEMORY = "/dev/shm"  # noqa: S108  (a folder of a random name in it; histories are written quicker)
_ROOT = "CALLSCORE_TRANSCRIPT_ROOT"  # set in the process that records


def main() -> int:
    """Do what the command line says; the exit code."""
    arguments = _parser().parse_args()
    if arguments.compare:
        before, after = map(read_recording, arguments.compare)
        return _report(before, after, arguments)
    if arguments.list:
        print("\n".join(one.key for one in _selected(arguments)))
        return 0
    if _ROOT not in os.environ:
        return _in_fixed_environment(arguments.source.resolve())
    return _record(arguments)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.transcript",
        description="Record what callscore says for a corpus of commands, and compare recordings.",
    )
    parser.add_argument(
        "--source",
        type=Path,
        default=_REPOSITORY / "src",
        help="the folder that holds the package callscore (default: src)",
    )
    parser.add_argument("-o", "--output", type=Path, help="where to write the recording")
    parser.add_argument("--against", type=Path, help="an earlier recording to compare with")
    parser.add_argument("--only", metavar="REGEX", default="", help="only jobs whose key matches")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many at once")
    parser.add_argument(
        "--compare", nargs=2, type=Path, metavar="FILE", help="record nothing, compare two files"
    )
    parser.add_argument(
        "--corpus",
        type=Path,
        default=_REPOSITORY,
        metavar="FOLDER",
        help="the repository whose samples, examples and pages are used (default: this one)",
    )
    parser.add_argument(
        "--without-files", metavar="REGEX", help="do not compare files of these names: 'history.db'"
    )
    parser.add_argument("--list", action="store_true", help="list the jobs, and run none")
    return parser


def _selected(arguments: argparse.Namespace) -> list[Job]:
    pattern: str = arguments.only
    try:
        wanted = re.compile(pattern)
    except re.error as error:
        raise SystemExit(
            f"transcript: --only {pattern}: {error}. Give a regular expression."
        ) from error
    return [one for one in corpus(arguments.corpus.resolve()) if wanted.search(one.key)]


def _in_fixed_environment(source: Path) -> int:
    """Start this program again in the environment that all commands share."""
    if not (source / "callscore" / "__init__.py").exists():
        raise SystemExit(f"transcript: {source}: there is no package callscore. Check --source.")
    memory = _MEMORY if os.access(_MEMORY, os.W_OK) else None
    root = Path(tempfile.mkdtemp(prefix="callscore-", dir=memory))
    # The folder of the repository is where `tools` is found, and is not passed on to commands.
    environment = environment_for(source, root) | {_ROOT: str(root)}
    # Who ends this program wants the folder to be removed, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("transcript: ended before it was complete"))
    try:
        return subprocess.run(
            [sys.executable, "-m", "tools.transcript", *sys.argv[1:]], env=environment, check=False
        ).returncode
    finally:
        shutil.rmtree(root, ignore_errors=True)


def _record(arguments: argparse.Namespace) -> int:
    root = Path(os.environ.pop(_ROOT))
    before = read_recording(arguments.against) if arguments.against else None
    jobs = _selected(arguments)
    started = time.monotonic()
    found: dict[str, Record] = {}
    recorded = record(jobs, source=arguments.source.resolve(), root=root, processes=arguments.jobs)
    for number, records in enumerate(recorded, 1):
        found.update({one.key: one for one in records})
        if sys.stderr.isatty():
            print(f"\r{number}/{len(jobs)} jobs", end="", file=sys.stderr, flush=True)
    ordered = _in_order(jobs, found)
    seconds = time.monotonic() - started
    print(f"{len(ordered)} commands in {seconds:.0f} s", file=sys.stderr)
    output = arguments.output or (None if before else _default_output())
    if output:
        write_recording(output, ordered.values())
        print(f"written: {output}", file=sys.stderr)
    if before is None:
        return 0
    return _report(before, ordered, arguments)


def _in_order(jobs: list[Job], found: dict[str, Record]) -> dict[str, Record]:
    """The records in the order of the corpus, whichever job ended first."""
    keys = [f"{one.key} #{number}" for one in jobs for number in range(1, len(one.steps) + 1)]
    return {key: found[key] for key in keys if key in found}


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


def _report(
    before: dict[str, Record], after: dict[str, Record], arguments: argparse.Namespace
) -> int:
    """Print what is not the same; the exit code."""
    count = 0
    found = differences(
        before, after, is_complete=not arguments.only, left_out=arguments.without_files
    )
    for text in found:
        print(f"{text}\n")
        count += 1
    compared = len(before.keys() & after.keys())
    if count:
        print(f"{count} commands are not the same; {compared} were compared")
        return 1
    print(f"All {compared} commands are the same")
    return 0


if __name__ == "__main__":
    sys.exit(main())
