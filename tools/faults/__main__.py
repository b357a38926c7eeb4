"""Kill, fill disks, cut connections and damage databases, and compare with what happens without that.

    python -m tools.faults                               # about ten minutes
    python -m tools.faults --damages 1000 --kills 50 --minutes 90
    python -m tools.faults --only damages --first 4711   # one seed again

It prints how often each of them happened, and exits with 1 if anything was lost, doubled or different.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tools.faults.damage import DAMAGES, damaged, make_damaged_project
from tools.faults.disks import full_disk_round, full_output_round
from tools.faults.kills import COMMANDS, kill_round, make_kill_project
from tools.faults.lines import cut_round
from tools.faults.models import stopped_server_round

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["main"]

_KINDS = ("damages", "kills", "disks", "cuts")
_COUNTS = {"damages": 150, "kills": 20, "disks": 10, "cuts": 4}
_COMMANDS_PER_DAMAGE = 4


def main(arguments: list[str]) -> int:
    """Do all of it; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.faults", description=(__doc__ or "").partition("\n")[0]
    )
    for kind, count in _COUNTS.items():
        parser.add_argument(
            f"--{kind}", type=int, default=count, metavar="N", help=f"how many; default {count}"
        )
    parser.add_argument("--minutes", type=float, default=30.0, help="stop after these; default 30")
    parser.add_argument(
        "--first", type=int, default=1, metavar="SEED", help="seed of the first one"
    )
    parser.add_argument("--only", choices=_KINDS, help="one kind of fault")
    wanted = parser.parse_args(arguments)
    deadline = time.monotonic() + wanted.minutes * 60
    counts: Counter[str] = Counter()
    failures = 0
    for kind in [wanted.only] if wanted.only else _KINDS:
        numbers = range(wanted.first, wanted.first + getattr(wanted, kind))
        with TemporaryDirectory(prefix="callscore-faults-") as made:
            for seed, label, wrong in _ROUNDS[kind](numbers, Path(made)):
                counts[f"{kind}: {label.partition(':')[0]}"] += 1
                if wrong:
                    failures += 1
                    again = f"python -m tools.faults --only {kind} --{kind} 1 --first {seed}"
                    print(f"FAILED {label}\n  {wrong}\n  To repeat it: {again}", flush=True)
                if time.monotonic() > deadline:
                    print(f"stopped after {wanted.minutes:g} minutes", flush=True)
                    break
    for name, count in sorted(counts.items()):
        print(f"{count:6,}  {name}")
    print(f"{sum(counts.values()):,} faults, {failures} failures")
    return 1 if failures else 0


# A seed, what happened, and what is wrong; empty if nothing is.
Round = tuple[int, str, str]


def _damages(seeds: range, folder: Path) -> Iterator[Round]:
    whole = make_damaged_project(folder)
    kinds = list(DAMAGES)
    for seed in seeds:
        kind = kinds[seed % len(kinds)]
        wrong = damaged(whole, kind, Random(seed), _COMMANDS_PER_DAMAGE)
        yield seed, kind, "\n  ".join(wrong)


def _kills(seeds: range, folder: Path) -> Iterator[Round]:
    whole = make_kill_project(folder)
    names = list(COMMANDS)
    for seed in seeds:
        chance = Random(seed)
        yield seed, *kill_round(whole, names[seed % len(names)], chance, folder)


def _disks(seeds: range, folder: Path) -> Iterator[Round]:
    whole = make_kill_project(folder, ("score --save", "rescore"))
    for seed in seeds:
        chance = Random(seed)
        if seed % 3 == 0 and Path("/dev/full").exists():
            yield seed, *full_output_round(whole, chance)
        else:
            name = chance.choice(list(whole.ends))
            yield seed, *full_disk_round(whole, name, chance, folder)


def _cuts(seeds: range, folder: Path) -> Iterator[Round]:
    from tests.servers.postgres_server import MissingServer, shared_server

    with ExitStack() as stack:
        try:
            server = stack.enter_context(shared_server(folder / "server"))
        except MissingServer as error:
            print(f"no connection is cut: {error}", flush=True)
            return
        for seed in seeds:
            if seed % 2:
                yield seed, *cut_round(server, Random(seed), folder)
            else:
                yield seed, *stopped_server_round(Random(seed), folder)


_ROUNDS = {"damages": _damages, "kills": _kills, "disks": _disks, "cuts": _cuts}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
