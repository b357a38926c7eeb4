"""The cases of an evaluation, read: each with an id, and with the calls that are expected."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from inspect import isasyncgen, isawaitable
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import structs

from callscore.core.model import Case
from callscore.errors import CallscoreError, UnreadableInput
from callscore.evaluations.complaints import raised
from callscore.formats.case_names import name_from
from callscore.formats.cases import has_own_id, read_case, record_of
from callscore.formats.describing import describe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from callscore.evaluations.evaluation import Evaluation

__all__ = ["cases_in_file", "cases_of", "named_apart"]

_NUMBER = re.compile(r"[:\[](\d+)\]?$")  # of a line, or of a position in a list


def cases_of(evaluation: Evaluation) -> list[Case]:
    """The cases of an evaluation, in order; each has an id that no other has, and all its tags.

    A case without an id is called by what is asked: `what-is-the-weather-in-paris`.

    Raises:
        UnreadableInput: they cannot be read; the message says which of them, and where.
        MissingExtra: they are in a file that needs an optional dependency.
    """
    cases = [_with_tags(case, evaluation.tags) for case in _read(evaluation)]
    if not cases:
        raise UnreadableInput(evaluation.place, f"{evaluation.name} has no cases.")
    return named_apart(cases)


def _with_tags(case: Case, tags: tuple[str, ...]) -> Case:
    if not tags:
        return case
    return structs.replace(case, tags=tuple(dict.fromkeys((*tags, *case.tags))))


def _read(evaluation: Evaluation) -> Iterator[Case]:
    given, place = _called(evaluation), evaluation.place
    if isinstance(given, str):
        given = Path(given)
    if isinstance(given, PathLike):
        given = [given]
    if not isinstance(given, Iterable) or isinstance(given, Mapping | bytes):
        raise UnreadableInput(place, f"cases: a list of cases is wanted; got {describe(given)}.")
    for position, item in enumerate(given):
        if isinstance(item, PathLike):
            yield from _read_file(Path(item), evaluation)
        else:
            yield _read_item(item, f"{place}: cases[{position}]")


def _read_file(path: Path, evaluation: Evaluation) -> list[Case]:
    whole = Path(evaluation.folder) / path
    try:
        return cases_in_file(whole, keeps_tools=evaluation.tools is None)
    except UnreadableInput as error:
        raise UnreadableInput(evaluation.place, f"cases: {error}") from error


def _called(evaluation: Evaluation) -> Any:
    """What a function gives; anything else as it is."""
    if not callable(evaluation.cases):
        return evaluation.cases
    given = _guarded(evaluation.cases, evaluation)
    if isawaitable(given) or isasyncgen(given):
        if hasattr(given, "close"):
            given.close()  # nobody will await it
        problem = f"{_name_of(evaluation)} is async. Give a function that returns the cases."
        raise UnreadableInput(evaluation.place, f"cases: {problem}")
    if isinstance(given, Iterable) and not isinstance(given, str | PathLike | Mapping):
        return _guarded(lambda: list(given), evaluation)
    return given


def _guarded(call: Callable[[], Any], evaluation: Evaluation) -> Any:
    try:
        return call()
    except CallscoreError:
        raise
    except (Exception, SystemExit) as error:
        problem = f"{_name_of(evaluation)} raises {raised(error, evaluation.cases)}."
        raise UnreadableInput(evaluation.place, f"cases: {problem}") from error


def _name_of(evaluation: Evaluation) -> str:
    return str(getattr(evaluation.cases, "__name__", "the function"))


def _read_item(item: Any, place: str) -> Case:
    if isinstance(item, str):
        return Case(item)
    if isinstance(item, Case):
        # What Python holds is literal: there are functions for rules.
        return structs.replace(
            read_case(record_of(item), place=place, spelled=False), others=item.others
        )
    if isinstance(item, Mapping):
        return read_case(dict(item), place=place)
    raise UnreadableInput(place, f"a case is a Case, an object or text; got {describe(item)}.")


def cases_in_file(path: Path, *, keeps_tools: bool = False) -> list[Case]:
    """The cases in a file of any format.

    Args:
        path: the file.
        keeps_tools: whether the tools that a trace defines are kept with its cases.

    Raises:
        UnreadableInput: the file, or a case in it, cannot be read.
        MissingExtra: it needs an optional dependency.
    """
    from callscore.engines.inputs import CASES, cases_in, inputs_for
    from callscore.sources import BadRecord

    cases = []
    for found in cases_in(str(path), CASES, inputs_for(keeps_tools=keeps_tools)):
        if isinstance(found, BadRecord):
            raise UnreadableInput(found.place, found.problem)
        cases.append(found)
    return _in_order(cases)


def _in_order(found: list[tuple[str, Case]]) -> list[Case]:
    """The cases as they stand in their file: what names no calls is only known for one at the end."""
    numbers = [_NUMBER.search(place) for place, _ in found]
    known = [int(number[1]) for number in numbers if number is not None]
    if len(known) == len(found):
        order = sorted(range(len(found)), key=known.__getitem__)
        found = [found[position] for position in order]
    return [case for _, case in found]


def named_apart(cases: Iterable[Case]) -> list[Case]:
    """The cases, each with an id that no other has: those that repeat get a number behind it."""
    cases = [_with_id(case) for case in cases]
    names = {case.id for case in cases}
    used: dict[str, int] = {}
    apart = []
    for case in cases:
        name, count = case.id, used.get(case.id, 0) + 1
        used[case.id] = count
        if count > 1:
            while (name := f"{case.id}-{count}") in names:
                count += 1
            used[case.id] = count
            names.add(name)
        apart.append(case if name == case.id else structs.replace(case, id=name))
    return apart


def _with_id(case: Case) -> Case:
    if case.id and has_own_id(case):
        return case
    name = name_from(case.input)
    if name:
        return structs.replace(case, id=name)
    return case if case.id else read_case(record_of(case), place="a case", spelled=False)
