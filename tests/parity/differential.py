"""Random cases, the real package of a tool against ours.

python -m tests.parity.differential TOOL [--cases N] [--seed N] [--json]

It runs in an environment that has the package. Every difference is printed, as far as there are
few; with --json, the last line is what `tests/parity/compare.py` makes the table of.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from tests.parity.agreement import ERROR, answer_of, same
from tests.parity.configuration import measure_for
from tests.parity.random_cases import random_cases

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.parity.configuration import Calls, Measure

__all__ = ["Difference", "differences", "main"]

_MOST_SHOWN = 5


class Difference(NamedTuple):
    """A case on which the package and we do not say the same."""

    configuration: str
    expected: Calls
    actual: Calls
    theirs: Any
    ours: Any


def differences(tool: str, *, cases: int, seed: int) -> Iterator[Difference]:
    """Every random case on which the package of a tool and we differ."""
    rivals: dict[str, Measure] = import_module(f"tests.parity.rivals.{tool}").measures()
    for configuration, rival in rivals.items():
        ours = measure_for(tool, configuration)
        if ours is None:
            raise SystemExit(f"{tool}: the configuration {configuration!r} is not known here.")
        for expected, actual in random_cases(seed, cases):
            their_answer = _their_answer(rival, expected, actual)
            our_answer = answer_of(ours, expected, actual)
            if not same(their_answer, our_answer):
                yield Difference(configuration, expected, actual, their_answer, our_answer)


def _their_answer(measure: Measure, expected: Calls, actual: Calls) -> Any:
    try:
        return measure(expected, actual)
    except Exception as error:  # noqa: BLE001  (whatever it raises is its answer)
        return {ERROR: f"{type(error).__name__}: {error}"}


def main(arguments: list[str]) -> int:
    """Compare, print, and find the exit code."""
    parser = ArgumentParser(prog="python -m tests.parity.differential")
    parser.add_argument("tool")
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    rival = import_module(f"tests.parity.rivals.{options.tool}")
    found = list(differences(options.tool, cases=options.cases, seed=options.seed))
    for difference in found[:_MOST_SHOWN]:
        print(f"{options.tool}  {difference.configuration}")
        print(f"    expected {difference.expected}\n    actual   {difference.actual}")
        print(f"    theirs   {difference.theirs}\n    ours     {difference.ours}")
    outcome = {
        "tool": options.tool,
        "package": rival.PACKAGE,
        "version": getattr(rival, "version", None) or version(rival.PACKAGE),
        "configurations": len(rival.measures()),
        "cases": options.cases,
        "seed": options.seed,
        "differences": len(found),
    }
    if options.json:
        print(msgspec.json.encode(outcome).decode())
    else:
        print(
            f"{options.tool} {outcome['version']}: {len(found)} differences in "
            f"{options.cases} cases x {outcome['configurations']} configurations"
        )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
