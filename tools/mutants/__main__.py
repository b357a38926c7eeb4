"""Change the source in small ways, one at a time, and find out which tests notice.

    python -m tools.mutants                               # all of them, by the public layers
    python -m tools.mutants --only 'gc-*' --layer tables  # some of them, by one layer
    python -m tools.mutants --tests beside                # by the tests of the module itself
    python -m tools.mutants --tests area                  # by all tests around it that start no process
    python -m tools.mutants --list

The changes are in mutants.toml. They are made in copies of the tree. It exits with 1 if less than 90 % of
them are noticed, or if the tests fail without any change. A change whose place is not found is lost: it
does not count, and has to be replaced.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "LAYERS",
    "Mutant",
    "Verdict",
    "apply_mutant",
    "main",
    "put_back",
    "read_areas",
    "read_mutants",
    "report",
]

ROOT = Path(__file__).parents[2]
# Most of the time that tables take is spent in those of commands, and most mutants die before.
_COMMANDS = ["tests/tables/test_commands.py", "tests/tables/test_case_files.py"]
LAYERS = {
    "tables": ["tests/tables", *(f"--ignore={path}" for path in _COMMANDS)],
    "commands": _COMMANDS,
    "samples": ["tests/samples"],
    "snapshots": ["tests/snapshots"],
}
_LEAST = 0.9  # the share that must be noticed
_PATIENCE = 10  # times as long as without a change: what never ends is noticed, too
_MIN_SECONDS, _MAX_SECONDS = 120.0, 1800.0
_IN_PROCESS = "not process and not server and not model and not browser"
_LEFT_OUT = shutil.ignore_patterns(".git", ".venv*", "__pycache__", "node_modules", ".*_cache")


class Mutant(NamedTuple):
    """A change of one place in the source."""

    id: str
    area: str
    file: str
    old: str
    new: str
    why: str


class Stage(NamedTuple):
    """Tests that are run together, and the seconds that they take without a change."""

    name: str
    paths: list[str]
    marks: str = ""
    seconds: float = _MAX_SECONDS


class Verdict(NamedTuple):
    """What became of a mutant: `killed` by some tests, `survived`, or `lost`."""

    mutant: Mutant
    outcome: str
    detail: str = ""


def read_mutants() -> list[Mutant]:
    """All mutants, in the order of their file."""
    return [Mutant(**each) for each in _file()["mutant"]]


def read_areas() -> dict[str, list[str]]:
    """Where there are tests of each area, beside the layers."""
    areas: dict[str, list[str]] = _file()["areas"]
    return areas


def _file() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("mutants.toml").read_text("utf-8"))


def apply_mutant(mutant: Mutant, tree: Path) -> str | None:
    """Change the file in a tree; or else say why that is not possible."""
    path = tree / mutant.file
    text = path.read_text("utf-8") if path.is_file() else ""
    found = text.count(mutant.old)
    if found != 1:
        return f"{mutant.file} has this text {found} times, not once: {mutant.old}"
    changed = text.replace(mutant.old, mutant.new)
    try:
        compile(changed, mutant.file, "exec")
    except SyntaxError as error:
        return f"{mutant.file} is no longer Python: {error}"
    path.write_text(changed, "utf-8")
    os.utime(path, (1, 1))  # no bytecode of the original has this time
    return None


def do_pass(stage: Stage, tree: Path, *, is_unchanged: bool = False) -> bool | None:
    """Whether the tests pass on a copy of the tree; None if they take too long.

    They are expected to pass if it is unchanged, and are shown if they do not.
    """
    path = os.pathsep.join([str(tree / "src"), str(tree)])
    environment = {**os.environ, "CALLSCORE_RECORD": "", "PYTHONPATH": path}
    environment["PYTHONPYCACHEPREFIX"] = str(tree / ".bytecode")
    if not is_unchanged:  # the bytecode of a change must not outlive it
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
    # As `make tests` starts it: with `python -m`, commands in this process are called otherwise.
    pytest = str(Path(sys.executable).with_name("pytest"))
    command = [pytest, "-x", "-q", "-p", "no:cacheprovider", "-m", stage.marks, *stage.paths]
    quiet = None if is_unchanged else subprocess.DEVNULL
    with subprocess.Popen(
        command, cwd=tree, env=environment, stdout=quiet, stderr=quiet, start_new_session=True
    ) as process:
        try:
            most = min(max(_MIN_SECONDS, _PATIENCE * stage.seconds), _MAX_SECONDS)
            return process.wait(most) in (0, 5)  # 5: none of the tests was chosen, so none noticed
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # also what the tests have started
            return None


def measured(stage: Stage, tree: Path) -> Stage:
    """The stage with its time; its tests must pass as they are, and fail on a broken tree."""
    began = time.monotonic()
    print(f"{stage.name}: without a change ...", flush=True)
    if not do_pass(stage, tree, is_unchanged=True):
        raise SystemExit(f"{stage.name}: the tests do not pass without a change")
    stage = stage._replace(seconds=time.monotonic() - began)
    package = tree / "src/callscore/__init__.py"
    with put_back(package):
        package.write_text('raise ImportError("nothing may pass with this")\n', "utf-8")
        if do_pass(stage, tree):
            raise SystemExit(f"{stage.name}: the tests do not import the copy of the tree")
    return stage


@contextmanager
def put_back(path: Path) -> Iterator[None]:
    """Leave a file of a copy as it was, with the time that its bytecode has; the tree may have changed."""
    kept = path.with_name(f"{path.name}.kept")
    if path.is_file():
        shutil.copy2(path, kept)
    try:
        yield
    finally:
        if kept.is_file():
            kept.replace(path)


def stages_of(
    mutants: list[Mutant], wanted: argparse.Namespace, tree: Path
) -> dict[str, list[Stage]]:
    """What is run for each mutant, by its id: the layers, the quickest first, or other tests."""
    if wanted.tests is None:
        layers = [measured(Stage(name, LAYERS[name]), tree) for name in wanted.layer or LAYERS]
        return {each.id: sorted(layers, key=lambda layer: layer.seconds) for each in mutants}
    paths = {each.id: _other_tests(each, wanted.tests) for each in mutants}
    every = sorted({path for each in paths.values() for path in each})
    is_named = wanted.tests not in (["beside"], ["area"])
    whole = measured(Stage("tests", every, "" if is_named else _IN_PROCESS), tree)
    return {id_: [whole._replace(paths=own)] if own else [] for id_, own in paths.items()}


def _other_tests(mutant: Mutant, given: list[str]) -> list[str]:
    if given != ["beside"]:
        return read_areas()[mutant.area] if given == ["area"] else given
    module = Path(mutant.file).relative_to("src/callscore")
    found = (ROOT / "tests" / module.parent).glob(f"test_{module.stem}*.py")
    return sorted([str(each.relative_to(ROOT)) for each in found])


def verdict_on(mutant: Mutant, stages: list[Stage], trees: SimpleQueue[Path]) -> Verdict:
    """Apply a mutant to a free copy of the tree, and run the stages until one notices."""
    tree = trees.get()
    try:
        with put_back(tree / mutant.file):
            problem = apply_mutant(mutant, tree)
            if problem is not None:
                return Verdict(mutant, "lost", problem)
            for stage in stages:
                passes = do_pass(stage, tree)
                if not passes:
                    late = " (took too long)" if passes is None else ""
                    return Verdict(mutant, "killed", f"{stage.name}{late}")
            return Verdict(mutant, "survived", mutant.why)
    finally:
        trees.put(tree)


def report(verdicts: list[Verdict]) -> int:
    """Print the share of each area, and of all; returns the exit code."""
    counts: dict[str, Counter[str]] = {each.mutant.area: Counter() for each in verdicts}
    counts["all"] = Counter()
    for mutant, outcome, detail in verdicts:
        for area in (mutant.area, "all"):
            counts[area][detail if outcome == "killed" else outcome] += 1
    share = 0.0
    for area, found in counts.items():
        counted = found.total() - found["lost"]
        share = 1 - found["survived"] / counted if counted else 0.0
        details = ", ".join(f"{name} {count}" for name, count in sorted(found.items()) if count)
        print(f"{area:12} {share:6.1%} of {counted:3}   {details}")
    return 0 if share >= _LEAST else 1


def run(mutants: list[Mutant], wanted: argparse.Namespace) -> int:
    """Run the tests for each mutant, some at once, each on a copy of the tree."""
    trees: SimpleQueue[Path] = SimpleQueue()
    verdicts: list[Verdict] = []
    with TemporaryDirectory(prefix="callscore-mutants-") as made:
        for number in range(wanted.jobs):
            copy = Path(made, str(number))
            trees.put(shutil.copytree(ROOT, copy, ignore=_LEFT_OUT, symlinks=True))
        stages = stages_of(mutants, wanted, Path(made, "0"))
        with ThreadPoolExecutor(wanted.jobs) as pool:
            for found in pool.map(lambda each: verdict_on(each, stages[each.id], trees), mutants):
                verdicts.append(found)
                print(f"{found.outcome:9} {found.mutant.id:32} {found.detail}", flush=True)
    return report(verdicts)


def is_meant(mutant: Mutant, pattern: str) -> bool:
    """Whether a pattern fits the id or the area of a mutant."""
    return fnmatch(mutant.id, pattern) or fnmatch(mutant.area, pattern)


def main(arguments: list[str]) -> int:
    """Do what the arguments say; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.mutants", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--only", nargs="+", default=["*"], metavar="PATTERN", help="ids or areas")
    parser.add_argument("--layer", action="append", choices=LAYERS, help="run this layer only")
    parser.add_argument(
        "--tests", nargs="+", metavar="PATH", help="run these instead; or `beside`, or `area`"
    )
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="at once; default 2")
    parser.add_argument("--list", action="store_true", help="show the mutants, and run nothing")
    wanted = parser.parse_args(arguments)
    mutants = read_mutants()
    meant = {one: [each for each in mutants if is_meant(each, one)] for one in wanted.only}
    if unknown := [one for one, found in meant.items() if not found]:
        parser.error(f"no mutant and no area is called {' or '.join(unknown)}: see --list")
    chosen = [each for each in mutants if any(each in found for found in meant.values())]
    if not wanted.list:
        return run(chosen, wanted)
    print("\n".join([f"{each.area:12} {each.id:32} {each.why}" for each in chosen]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
