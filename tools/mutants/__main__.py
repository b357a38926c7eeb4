"""Change the source in small ways, one at a time, and find out which tests notice.

    python -m tools.mutants                               # all of them, by the public layers
    python -m tools.mutants --only 'gc-*' --layer tables  # some of them, by one layer
    python -m tools.mutants --tests beside                # by the tests of the module itself
    python -m tools.mutants --tests area                  # by all tests around it that start no process
    python -m tools.mutants --list

The changes are in mutants.toml. It works on copies of the tree, and exits with 1 if less than 90 % of them
are noticed, or if the tests fail without any change. A change whose place is not found counts as lost, and
not in the share.
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
from fnmatch import fnmatch
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from typing import NamedTuple

__all__ = ["AREAS", "LAYERS", "Mutant", "apply_mutant", "main", "modules_beside", "read_mutants"]

ROOT = Path(__file__).parents[2]
# The public layers, the quickest first; a file or folder that is not there has no tests yet.
LAYERS = {
    "tables": ["tests/tables"],
    "samples": ["tests/samples", "tests/formats/test_samples.py"],
    "snapshots": ["tests/snapshots"],
}
# Where else there are tests of an area.
AREAS = {
    "core": ["tests/core", "tests/words", "tests/test_api.py", "tests/test_expect.py"],
    "comparators": ["tests/core", "tests/test_expect.py"],
    "formats": ["tests/formats", "tests/sources", "tests/test_api.py"],
    "comparing": ["tests/comparing", "tests/core", "tests/reports"],
    "history": ["tests/history", "tests/cli"],
    "cli": ["tests/cli", "tests/reports"],
    "checks": ["tests/checks", "tests/engines", "tests/test_api_tools.py"],
    "parity": ["tests/parity", "tests/metrics"],
    "runner": ["tests/runner", "tests/evaluations", "tests/models", "tests/cli"],
    "hiding": ["tests/hiding", "tests/history", "tests/words"],
}
_LEAST = 0.9  # the share that must be noticed
_PATIENCE = 10  # times as long as without a change: an endless loop is noticed, too
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
    seconds: float = 0.0

    @property
    def most_seconds(self) -> float:
        """The time after which they count as failed."""
        return min(max(_MIN_SECONDS, _PATIENCE * self.seconds), _MAX_SECONDS)


class Verdict(NamedTuple):
    """What became of a mutant: `killed` by some tests, `survived`, or `lost`."""

    mutant: Mutant
    outcome: str
    detail: str = ""


def read_mutants() -> list[Mutant]:
    """All mutants, in the order of their file."""
    text = Path(__file__).with_name("mutants.toml").read_text("utf-8")
    return [Mutant(**each) for each in tomllib.loads(text)["mutant"]]


def apply_mutant(mutant: Mutant, tree: Path) -> str | None:
    """Change the file in a copy of the tree; or else say why that is not possible."""
    path = tree / mutant.file
    text = path.read_text("utf-8") if path.is_file() else ""
    found = text.count(mutant.old)
    if found != 1:
        return f"{mutant.file} has this text {found} times, not once: {mutant.old}"
    changed = text.replace(mutant.old, mutant.new)
    try:
        compile(changed, mutant.file, "exec")
    except SyntaxError as error:
        return f"{mutant.file} is no Python any more: {error}"
    path.write_text(changed, "utf-8")
    os.utime(path, (1, 1))  # no bytecode of the original has this time
    return None


def modules_beside(file: str) -> list[str]:
    """The test modules that mirror a module: `tests/core/test_pairing*.py` of `core/pairing.py`."""
    path = Path(file).relative_to("src/callscore")
    found = (ROOT / "tests" / path.parent).glob(f"test_{path.stem}*.py")
    return sorted([str(each.relative_to(ROOT)) for each in found])


def tree_copy(folder: Path) -> Path:
    """A copy of the whole tree, as tests read files from all over it."""
    return shutil.copytree(ROOT, folder, ignore=_LEFT_OUT, symlinks=True)


def is_green(stage: Stage, tree: Path, *, keeps_bytecode: bool = False) -> bool | None:
    """Whether the tests pass on a copy of the tree; None if they take too long."""
    path = os.pathsep.join([str(tree / "src"), str(tree)])
    environment = {**os.environ, "CI": "true", "PYTHONPATH": path}
    environment["PYTHONPYCACHEPREFIX"] = str(tree / ".bytecode")
    if not keeps_bytecode:  # that of a change must not outlive it
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
    paths = [each for each in stage.paths if (tree / each).exists()]
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
    command += [*(["-m", stage.marks] if stage.marks else []), *paths]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(
        command, cwd=tree, env=environment, stdout=quiet, stderr=quiet, start_new_session=True
    ) as process:
        try:
            return process.wait(stage.most_seconds) == 0
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # also what the tests have started
            return None


def measured(stage: Stage, tree: Path) -> Stage:
    """The stage with its time; its tests must pass as they are, and fail on a broken tree."""
    began = time.monotonic()
    if not is_green(stage._replace(seconds=_MAX_SECONDS), tree, keeps_bytecode=True):
        raise SystemExit(f"{stage.name}: the tests fail without a change, too")
    seconds = time.monotonic() - began
    package = tree / "src/callscore/__init__.py"
    package.write_text('raise ImportError("nothing may pass with this")\n', "utf-8")
    if is_green(stage, tree):
        raise SystemExit(f"{stage.name}: the tests do not import the copy of the tree")
    shutil.copy2(ROOT / "src/callscore/__init__.py", package)
    print(f"{stage.name}: {seconds:.0f} s without a change", flush=True)
    return stage._replace(seconds=seconds)


def stages_of(
    mutants: list[Mutant], wanted: argparse.Namespace, tree: Path
) -> dict[str, list[Stage]]:
    """What is run for each mutant, by its id: the layers, or other tests of its own."""
    if wanted.tests is None:
        layers = [Stage(name, LAYERS[name]) for name in wanted.layer or LAYERS]
        found = [measured(layer, tree) for layer in layers if _has_tests(layer, tree)]
        return {each.id: sorted(found, key=lambda layer: layer.seconds) for each in mutants}
    paths = {each.id: _other_tests(each, wanted.tests) for each in mutants}
    every = sorted({path for each in paths.values() for path in each})
    whole = measured(Stage("tests", every, _IN_PROCESS), tree)
    return {id_: [whole._replace(paths=own)] if own else [] for id_, own in paths.items()}


def _has_tests(layer: Stage, tree: Path) -> bool:
    paths = [tree / path for path in layer.paths]
    return any(path.is_file() or any(path.rglob("test_*.py")) for path in paths)


def _other_tests(mutant: Mutant, given: list[str]) -> list[str]:
    if given == ["beside"]:
        return modules_beside(mutant.file)
    return AREAS[mutant.area] if given == ["area"] else given


def verdict_on(mutant: Mutant, stages: list[Stage], trees: SimpleQueue[Path]) -> Verdict:
    """Apply a mutant to a free copy of the tree, and run the stages until one notices."""
    tree = trees.get()
    try:
        problem = apply_mutant(mutant, tree)
        if problem is not None:
            return Verdict(mutant, "lost", problem)
        for stage in stages:
            passes = is_green(stage, tree)
            if not passes:
                late = " (took too long)" if passes is None else ""
                return Verdict(mutant, "killed", f"{stage.name}{late}")
        return Verdict(mutant, "survived", mutant.why)
    finally:
        if (ROOT / mutant.file).is_file():
            shutil.copy2(ROOT / mutant.file, tree / mutant.file)
        trees.put(tree)


def report(verdicts: list[Verdict]) -> int:
    """Print the share of each area, and of all; returns the exit code."""
    areas: dict[str, Counter[str]] = {}
    for mutant, outcome, detail in verdicts:
        name = detail if outcome == "killed" else outcome
        for area in (mutant.area, "all"):
            areas.setdefault(area, Counter())[name] += 1
    share = 0.0
    for area in [*[each for each in areas if each != "all"], "all"]:
        counts = areas[area]
        counted = counts.total() - counts["lost"]
        share = 1 - counts["survived"] / counted if counted else 0.0
        details = ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))
        print(f"{area:12} {share:6.1%} of {counted:3}   {details}")
    return 0 if share >= _LEAST else 1


def main(arguments: list[str]) -> int:
    """Do all of it; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.mutants", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--only", nargs="+", default=["*"], metavar="PATTERN", help="ids or areas")
    parser.add_argument("--layer", action="append", choices=LAYERS, help="one of the layers")
    parser.add_argument(
        "--tests", nargs="+", metavar="PATH", help="other tests; or `beside` or `area`"
    )
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="at once; default 2")
    parser.add_argument("--list", action="store_true", help="show them, and run nothing")
    wanted = parser.parse_args(arguments)
    chosen = [
        mutant
        for mutant in read_mutants()
        if any(fnmatch(name, one) for name in (mutant.id, mutant.area) for one in wanted.only)
    ]
    if wanted.list:
        print("\n".join(f"{each.area:12} {each.id:32} {each.why}" for each in chosen))
        return 0
    return run(chosen, wanted)


def run(mutants: list[Mutant], wanted: argparse.Namespace) -> int:
    """Run the tests for each mutant, some at once, each on a copy of the tree."""
    with TemporaryDirectory(prefix="callscore-mutants-") as made:
        copies = [tree_copy(Path(made, str(number))) for number in range(wanted.jobs)]
        stages = stages_of(mutants, wanted, copies[0])
        trees: SimpleQueue[Path] = SimpleQueue()
        for copy in copies:
            trees.put(copy)
        verdicts: list[Verdict] = []
        with ThreadPoolExecutor(wanted.jobs) as pool:
            for found in pool.map(lambda each: verdict_on(each, stages[each.id], trees), mutants):
                verdicts.append(found)
                mutant, outcome, detail = found
                print(f"{outcome:9} {mutant.area:12} {mutant.id:32} {detail}", flush=True)
    return report(verdicts)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
