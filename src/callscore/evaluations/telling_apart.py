"""Tells evaluations of one name apart: those of one file, of several files, and of none."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

from callscore.core.run import Unloaded
from callscore.evaluations.places import file_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from callscore.evaluations.evaluation import Evaluation

__all__ = ["called_apart", "each_called_once"]


def each_called_once(evaluations: list[Evaluation]) -> list[Evaluation] | Unloaded:
    """The evaluations of a file, of which no two may be called alike: one would hide the other."""
    known: dict[str, Evaluation] = {}
    for each in evaluations:
        other = known.setdefault(each.key, each)
        if other is not each:
            line = other.place.rpartition(":")[2]
            problem = f"another evaluation is called {each.name!r}, too, on line {line}."
            return Unloaded(each.place, f"{problem} Rename one of them, or give it a name=...")
    return evaluations


def called_apart(evaluations: Iterable[Evaluation]) -> list[Evaluation]:
    """The evaluations, no two of which are called alike or have one key.

    Those of several files have as much of the path in front as tells them apart; those that Python
    handed over, and that are of one file, have a number behind.
    """
    numbered = _numbered(evaluations)
    homes: dict[str, set[Path]] = defaultdict(set)
    for each in numbered:
        homes[each.name].add(_home(each))
    return [
        each
        if len(homes[each.name]) == 1
        else structs.replace(each, name=f"{_shortest(_home(each), homes[each.name])}.{each.name}")
        for each in numbered
    ]


def _numbered(evaluations: Iterable[Evaluation]) -> list[Evaluation]:
    given = list(evaluations)
    keys = {each.key for each in given}
    counts: dict[str, int] = defaultdict(int)
    found = []
    for each in given:
        counts[each.key] += 1
        ending = ""
        if counts[each.key] > 1:
            while f"{each.key}{(ending := f'-{counts[each.key]}')}" in keys:
                counts[each.key] += 1
            keys.add(f"{each.key}{ending}")
        name, key = f"{each.name}{ending}", f"{each.key}{ending}"
        found.append(structs.replace(each, name=name, key=key) if ending else each)
    return found


def _home(evaluation: Evaluation) -> Path:
    """The file that an evaluation belongs to."""
    return Path(evaluation.home or file_of(evaluation.place))


def _shortest(path: Path, others: set[Path]) -> str:
    """The end of a path that no other one has, without its suffix if that is enough."""
    if sum(other.with_suffix("") == path.with_suffix("") for other in others) == 1:
        path, others = path.with_suffix(""), {other.with_suffix("") for other in others}
    count = 1
    while sum(other.parts[-count:] == path.parts[-count:] for other in others) > 1:
        count += 1
    return "/".join(path.parts[-count:])
