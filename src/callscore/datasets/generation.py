"""Generates cases from tool definitions: positive, negative and nearly right ones."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import module_from_spec, spec_from_file_location
from inspect import getdoc, isroutine
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Literal, get_args

from msgspec import Struct, field

from callscore.api import tools_by_name
from callscore.checks.tool_schema import require_usable_schema
from callscore.core.call import Tool, ToolCall
from callscore.core.equality import fingerprint
from callscore.core.suggestions import did_you_mean
from callscore.datasets.near_misses import (
    FAILURE_CLASSES,
    fails_only_with,
    generate_near_misses,
    passes_without_faults,
)
from callscore.datasets.questions import question_for_calls, question_without_calls
from callscore.datasets.schema_values import random_call
from callscore.errors import CallscoreError, InvalidSettings, UnreadableInput
from callscore.formats.cases import call_record, expected_records
from callscore.models.secrets import hide_secrets

if TYPE_CHECKING:
    from types import ModuleType

    from callscore.core.case import Expected

CaseKind = Literal["single", "several", "negative", "near_miss"]
CASE_KINDS: tuple[CaseKind, ...] = get_args(CaseKind)
_SHARES: dict[CaseKind, int] = {"single": 40, "several": 15, "negative": 15, "near_miss": 30}
_MAX_TRIES = 20
_PROBES = 3
_EXTRA_CASES = 20  # of each kind, if some could not be made
_MAX_CALLS = 3
_MAX_FAILURES = 5
_UNLIMITED = 1_000_000_000  # tries for a failure that was found once

_Record = dict[str, Any]


class GeneratedCases(Struct, frozen=True):
    """Generated cases, as records of a file."""

    records: list[_Record]
    impossible: tuple[str, ...] = ()  # the classes of failure that none of the tools can show
    missing: int = 0  # cases that were requested, but would repeat others
    left_out: dict[str, str] = {}  # by the name of a tool, why there are no cases of it


class _CaseFactory(Struct, frozen=True):
    """The tools, the seed, and the number of failed searches by failure and tool."""

    tools: dict[str, Tool]
    seed: int
    failed_searches: Counter[tuple[str, str]] = field(default_factory=Counter)

    def rng(self, *about: object) -> Random:
        """A random generator that depends on the seed and the case only."""
        return _seeded_random(self.seed, *about)

    def tools_from(self, position: int) -> list[Tool]:
        """All tools, beginning with the one at a position, modulo their number."""
        tools = list(self.tools.values())
        start = position % len(tools)
        return tools[start:] + tools[:start]


def generate_cases(
    tools: Mapping[str, Tool], count: int, *, seed: int = 0, kinds: Sequence[CaseKind] = CASE_KINDS
) -> GeneratedCases:
    """Generate cases from tool definitions; the same seed gives the same cases.

    There are `single` and `several` calls, `negative` cases in which nothing should be called, and
    each `near_miss` has an answer that fails in just one way. The answers of the others are right.

    Raises:
        InvalidSettings: there are no tools, or none whose schema can be used and has a value.
    """
    usable, left_out = _usable_tools(tools, seed)
    factory = _CaseFactory(usable, seed)
    possible = _possible_failures(factory) if "near_miss" in kinds else []
    makers: dict[CaseKind, Callable[[int], Iterator[_Record]]] = {
        "single": lambda index: _single(factory, index),
        "several": lambda index: _several(factory, index),
        "negative": lambda index: _negative(factory, index),
        "near_miss": lambda index: _near_miss(factory, possible, index),
    }
    found = _CaseCollector(count)
    numbers = _counts_by_kind(kinds, count)
    for kind, number in numbers.items():
        for index in range(number):
            found.add_first(makers[kind](index))
    index = max(numbers.values())
    while len(found.records) < count and found.add_any(
        makers[kind](index + more) for more in range(_EXTRA_CASES) for kind in numbers
    ):
        index += _EXTRA_CASES
    failures = FAILURE_CLASSES if "near_miss" in kinds else ()
    impossible = tuple(name for name in failures if name not in possible)
    return GeneratedCases(found.records, impossible, count - len(found.records), left_out)


def _usable_tools(tools: Mapping[str, Tool], seed: int) -> tuple[dict[str, Tool], dict[str, str]]:
    """The tools that can be called, and why the others cannot."""
    if not tools:
        raise InvalidSettings("no tools to make cases from")
    problems = {name: _problem_with(tool, seed) for name, tool in tools.items()}
    left_out = {name: problem for name, problem in problems.items() if problem is not None}
    if len(left_out) < len(tools):
        return {name: tool for name, tool in tools.items() if name not in left_out}, left_out
    first, *others = left_out.values()
    raise InvalidSettings(f"{first} The other tools cannot be used either." if others else first)


def _problem_with(tool: Tool, seed: int) -> str | None:
    """Why a tool cannot be called; None if it can, even if only sometimes."""
    problem = None
    for attempt in range(_PROBES):
        try:
            require_usable_schema(tool)
            random_call(tool, _seeded_random(seed, "probe", tool.name, attempt))
        except InvalidSettings as error:
            problem = str(error)
        else:
            return None
    return problem


def _seeded_random(*about: object) -> Random:
    return Random(":".join(map(str, about)))  # noqa: S311  (repeatable, and no secret)


def _counts_by_kind(kinds: Sequence[CaseKind], count: int) -> dict[CaseKind, int]:
    """The number of cases of each kind; the sum is the number requested."""
    chosen = [kind for kind in CASE_KINDS if kind in kinds]
    total = sum(_SHARES[kind] for kind in chosen)
    found = {kind: count * _SHARES[kind] // total for kind in chosen}
    for kind in sorted(chosen, key=lambda kind: -(count * _SHARES[kind] % total)):
        if sum(found.values()) == count:
            break
        found[kind] += 1
    return found


class _CaseCollector:
    """The cases so far, no two of them with the same question."""

    def __init__(self, maximum: int) -> None:
        self.records: list[_Record] = []
        self._maximum = maximum
        self._asked: set[str] = set()
        self._wanted: set[str] = set()
        self._names: Counter[str] = Counter()

    def add_first(self, drafts: Iterator[_Record]) -> bool:
        """Add the first draft with new calls, or else with a new question; whether there is any."""
        spare: _Record | None = None
        for tried, record in enumerate(drafts):
            if spare is not None and tried > _MAX_TRIES:
                break
            if record["input"] in self._asked:
                continue
            if not record["expected"] or _case_content(record) not in self._wanted:
                return self._add(record)
            spare = spare or record
        return spare is not None and self._add(spare)

    def add_any(self, iterators: Iterator[Iterator[_Record]]) -> bool:
        """Add one of each, up to the maximum; whether any was added."""
        before = len(self.records)
        for drafts in iterators:
            if len(self.records) < self._maximum:
                self.add_first(drafts)
        return len(self.records) > before

    def _add(self, record: _Record) -> bool:
        self._asked.add(record["input"])
        self._wanted.add(_case_content(record))
        self._names[record["id"]] += 1
        self.records.append({**record, "id": f"{record['id']}-{self._names[record['id']]}"})
        return True


def _case_content(record: _Record) -> str:
    return fingerprint([record["tags"], record["expected"]])


def _record(
    name: str,
    question: str,
    expected: Sequence[Expected],
    actual: Sequence[ToolCall],
    tags: Sequence[str],
) -> _Record:
    return {
        "id": name,
        "input": question,
        "expected": expected_records(expected),
        "actual": [call_record(call) for call in actual],
        "tags": list(tags),
    }


def _single(factory: _CaseFactory, index: int) -> Iterator[_Record]:
    for attempt in range(_MAX_TRIES):
        rng = factory.rng("single", index, attempt)
        yield from _positive(factory, factory.tools_from(index)[:1], rng, "single")


def _several(factory: _CaseFactory, index: int) -> Iterator[_Record]:
    for attempt in range(_MAX_TRIES):
        rng = factory.rng("several", index, attempt)
        first, *others = factory.tools_from(index)
        rng.shuffle(others)
        length = rng.randint(2, _MAX_CALLS)
        chosen = [first, *others, *[first] * length][:length]
        yield from _positive(factory, chosen, rng, "several")


def _positive(
    factory: _CaseFactory, tools: Sequence[Tool], rng: Random, kind: CaseKind
) -> Iterator[_Record]:
    try:
        calls = [random_call(tool, rng) for tool in tools]
    except InvalidSettings:  # happens for some random values
        return
    if any(call in calls[:position] for position, call in enumerate(calls)):
        return
    asked = question_for_calls(calls, factory.tools, rng)
    name = tools[0].name if kind == "single" else kind
    record = _record(name, asked, calls, calls, [kind])
    record["metadata"] = {"tools": sorted({call.name for call in calls})}
    if passes_without_faults(record, factory.tools):
        yield record


def _negative(factory: _CaseFactory, index: int) -> Iterator[_Record]:
    for attempt in range(_MAX_TRIES):
        rng = factory.rng("negative", index, attempt)
        asked = question_without_calls(list(factory.tools.values()), rng)
        yield _record("negative", asked, (), (), ["negative"])


def _possible_failures(factory: _CaseFactory) -> list[str]:
    """The classes of failure that some tool can show."""
    return [
        failure
        for failure in FAILURE_CLASSES
        if any(
            _near_miss_case(factory, failure, turn, attempt)
            for attempt in range(_MAX_FAILURES)
            for turn in range(len(factory.tools))
        )
    ]


def _near_miss(factory: _CaseFactory, possible: Sequence[str], index: int) -> Iterator[_Record]:
    if not possible:
        return
    turn, place = divmod(index, len(possible))
    failure, turn = possible[place], turn + place  # so that each class is tried with each tool
    for attempt in range(_MAX_TRIES):
        for tried in range(len(factory.tools)):
            yield from _near_miss_case(factory, failure, turn + tried, attempt)


def _near_miss_case(factory: _CaseFactory, failure: str, turn: int, attempt: int) -> list[_Record]:
    """The first answer that fails in just this way, for the tool of this turn."""
    rng = factory.rng(failure, turn, attempt)
    tools = factory.tools_from(turn)
    known = (failure, tools[0].name)
    if factory.failed_searches[known] >= _MAX_FAILURES:
        return []
    found = _first_near_miss(failure, tools, rng, factory)
    factory.failed_searches[known] = -_UNLIMITED if found else factory.failed_searches[known] + 1
    return found


def _first_near_miss(
    failure: str, tools: Sequence[Tool], rng: Random, factory: _CaseFactory
) -> list[_Record]:
    name = f"{failure}-{tools[0].name}"
    try:
        for miss in generate_near_misses(failure, tools, rng):
            record = _record(name, miss.input, miss.expected, miss.actual, ["near_miss", failure])
            record["metadata"] = {"failure": failure, "tool": tools[0].name}
            if miss.place is not None:
                record["metadata"]["place"] = miss.place
            if fails_only_with(record, failure, factory.tools):
                return [record]
    except InvalidSettings:  # no arguments were found, this time
        pass
    return []


_PYTHON_SUFFIX = ".py"
_NO_TOOLS = (
    "no tools found. A tool is a function that is defined in the file, has annotations or a"
    " docstring, and a name without a leading underscore. Select other functions by name:"
)


def parse_python_tools(source: str) -> tuple[str, tuple[str, ...]] | None:
    """The Python file in `tools.py` or `tools.py:one,two`, and the names; None for other files."""
    file, colon, names = source.rpartition(f"{_PYTHON_SUFFIX}:")
    if colon:
        stripped = (name.strip() for name in names.split(","))
        return file + _PYTHON_SUFFIX, tuple(name for name in stripped if name)
    return (source, ()) if source.endswith(_PYTHON_SUFFIX) else None


def load_python_tools(file: str, names: tuple[str, ...] = ()) -> dict[str, Tool]:
    """The tools in a Python file, by name. The file is imported, so its code runs.

    Without names, these are its own functions with annotations or a docstring whose names do not
    begin with an underscore.

    Raises:
        UnreadableInput: it cannot be imported, or has no such function, or none at all.
    """
    module = _import_file(file)
    if names:
        functions = [_require_function(module, name, file) for name in names]
    else:
        functions = [value for name, value in vars(module).items() if _is_tool(name, value, module)]
    if not functions:
        raise UnreadableInput(file, f"{_NO_TOOLS} {Path(file).name}:one,two")
    try:
        return tools_by_name(functions)
    except CallscoreError as error:
        raise UnreadableInput(file, str(error)) from error


def _is_tool(name: str, value: Any, module: ModuleType) -> bool:
    is_own = isroutine(value) and value.__module__ == module.__name__
    if not is_own or name.startswith("_"):
        return False
    return bool(getattr(value, "__annotations__", None) or getdoc(value))


def _require_function(module: ModuleType, name: str, file: str) -> Callable[..., Any]:
    found = vars(module).get(name)
    if callable(found):
        function: Callable[..., Any] = found
        return function
    known = [each for each, value in vars(module).items() if isroutine(value)]
    problem = f"unknown function {name!r}{did_you_mean(name, known) or '.'}"
    raise UnreadableInput(file, problem)


def _import_file(file: str) -> ModuleType:
    path = Path(file).resolve()
    if not path.is_file():
        raise UnreadableInput(file, "the file does not exist.")
    name = f"callscore_tools_{path.stem}"
    spec = spec_from_file_location(name, path)
    assert spec is not None  # noqa: S101  (there is a loader for every file of that name)
    assert spec.loader is not None  # noqa: S101  (likewise)
    module = module_from_spec(spec)
    sys.path.insert(0, str(path.parent))
    sys.modules[name] = module  # for resolving annotations
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        message = hide_secrets(str(error))
        problem = f"importing it raises {type(error).__name__}: {message}"
        raise UnreadableInput(file, f"{problem.removesuffix('.')}.") from error
    finally:
        sys.path.remove(str(path.parent))
    return module
