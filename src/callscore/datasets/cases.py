"""Cases from the definitions of tools: what is to be called, what is not, and what is nearly right."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING, Any, Literal, get_args

from msgspec import Struct, field

from callscore.checks.schema import require_usable
from callscore.core.equality import fingerprint
from callscore.core.tool import Tool
from callscore.datasets.drawing import drawn_call
from callscore.datasets.near_misses import CLASSES, misses
from callscore.datasets.questions import ask_for, ask_for_nothing
from callscore.datasets.records import call_record, expected_records
from callscore.datasets.verifying import fails_only_by, passes
from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from callscore.core.call import ToolCall
    from callscore.core.expectation import Expected

__all__ = ["KINDS", "Generated", "Kind", "generate_cases"]

Kind = Literal["single", "several", "negative", "near_miss"]
KINDS: tuple[Kind, ...] = get_args(Kind)
_SHARES: dict[Kind, int] = {"single": 40, "several": 15, "negative": 15, "near_miss": 30}
_TRIES = 20
_PROBES = 3
_MORE = 20  # further cases of each kind, where some could not be made
_MOST_CALLS = 3
_IN_VAIN = 5
_MANY = 1_000_000_000  # so that what was found once is looked for again and again

_Record = dict[str, Any]


class Generated(Struct, frozen=True):
    """Cases that were made.

    Attributes:
        records: the cases, as the lines of a file have them.
        impossible: the classes of failure that none of the tools can show.
        missing: how many cases fewer there are than were asked for, because the tools do not give
            more different ones.
        left_out: why there are no cases of some tools, by their names.
    """

    records: list[_Record]
    impossible: tuple[str, ...] = ()
    missing: int = 0
    left_out: dict[str, str] = {}


class _Factory(Struct, frozen=True):
    """What all cases are made of, and how often a failure was looked for in vain, by tool."""

    tools: dict[str, Tool]
    seed: int
    vain: Counter[tuple[str, str]] = field(default_factory=Counter)

    def chance(self, *about: object) -> Random:
        """The same chance for the same case, however many others there are."""
        return _chance(self.seed, *about)

    def turned(self, turn: int) -> list[Tool]:
        """All tools, of which each comes first in its turn."""
        tools = list(self.tools.values())
        start = turn % len(tools)
        return tools[start:] + tools[:start]


def generate_cases(
    tools: Mapping[str, Tool], count: int, *, seed: int = 0, kinds: Sequence[Kind] = KINDS
) -> Generated:
    """Make cases from the definitions of tools.

    Args:
        tools: the tools by name.
        count: how many cases to make.
        seed: the same seed gives the same cases.
        kinds: which kinds of cases: `single` and `several` calls, `negative` ones in which nothing
            is to be called, and each `near_miss` with an answer that fails in just one way. The
            answers of the others are right.

    Raises:
        InvalidSettings: there are no tools, or none whose schema can be used and has a value.
    """
    usable, left_out = _usable(tools, seed)
    factory = _Factory(usable, seed)
    possible = _possible(factory) if "near_miss" in kinds else []
    makers: dict[Kind, Callable[[int], Iterator[_Record]]] = {
        "single": lambda index: _single(factory, index),
        "several": lambda index: _several(factory, index),
        "negative": lambda index: _negative(factory, index),
        "near_miss": lambda index: _near_miss(factory, possible, index),
    }
    found = _Found(count)
    numbers = _numbers(kinds, count)
    for kind, number in numbers.items():
        for index in range(number):
            found.add_first(makers[kind](index))
    index = max(numbers.values())
    while len(found.records) < count and found.add_any(
        makers[kind](index + more) for more in range(_MORE) for kind in numbers
    ):
        index += _MORE
    impossible = [name for name in CLASSES if name not in possible] if "near_miss" in kinds else []
    return Generated(found.records, tuple(impossible), count - len(found.records), left_out)


def _usable(tools: Mapping[str, Tool], seed: int) -> tuple[dict[str, Tool], dict[str, str]]:
    """The tools that can be called, and why the others cannot be."""
    if not tools:
        raise InvalidSettings("there are no tools to make cases of")
    problems = {name: _problem_with(tool, seed) for name, tool in tools.items()}
    left_out = {name: problem for name, problem in problems.items() if problem is not None}
    if len(left_out) < len(tools):
        return {name: tool for name, tool in tools.items() if name not in left_out}, left_out
    first, *others = left_out.values()
    raise InvalidSettings(f"{first} Nor can any other tool be used." if others else first)


def _problem_with(tool: Tool, seed: int) -> str | None:
    """Why a tool cannot be called; None where it can, be it only now and then."""
    problem = None
    for attempt in range(_PROBES):
        try:
            require_usable(tool)
            drawn_call(tool, _chance(seed, "probe", tool.name, attempt))
        except InvalidSettings as error:
            problem = str(error)
        else:
            return None
    return problem


def _chance(*about: object) -> Random:
    return Random(":".join(map(str, about)))  # noqa: S311  (to be repeated, not kept)


def _numbers(kinds: Sequence[Kind], count: int) -> dict[Kind, int]:
    """How many cases of each kind there are, in all as many as were asked for."""
    chosen = [kind for kind in KINDS if kind in kinds]
    total = sum(_SHARES[kind] for kind in chosen)
    found = {kind: count * _SHARES[kind] // total for kind in chosen}
    for kind in sorted(chosen, key=lambda kind: -(count * _SHARES[kind] % total)):
        if sum(found.values()) == count:
            break
        found[kind] += 1
    return found


class _Found:
    """The cases so far, no two of them with the same question."""

    def __init__(self, most: int) -> None:
        self.records: list[_Record] = []
        self._most = most
        self._asked: set[str] = set()
        self._wanted: set[str] = set()
        self._names: Counter[str] = Counter()

    def add_first(self, drafts: Iterator[_Record]) -> bool:
        """Keep the first of some drafts that asks for something new, or else in a new way.

        Returns:
            whether there is any.
        """
        spare: _Record | None = None
        for tried, record in enumerate(drafts):
            if spare is not None and tried > _TRIES:
                break
            if record["input"] in self._asked:
                continue
            if not record["expected"] or _wanted(record) not in self._wanted:
                return self._add(record)
            spare = spare or record
        return spare is not None and self._add(spare)

    def add_any(self, many: Iterator[Iterator[_Record]]) -> bool:
        """Keep one of each of these, as long as there is room; whether there was any."""
        before = len(self.records)
        for drafts in many:
            if len(self.records) < self._most:
                self.add_first(drafts)
        return len(self.records) > before

    def _add(self, record: _Record) -> bool:
        self._asked.add(record["input"])
        self._wanted.add(_wanted(record))
        self._names[record["id"]] += 1
        self.records.append({**record, "id": f"{record['id']}-{self._names[record['id']]}"})
        return True


def _wanted(record: _Record) -> str:
    """What a case is about, whatever the words of its question."""
    return fingerprint([record["tags"], record["expected"]])


def _record(
    name: str,
    asked: str,
    expected: Sequence[Expected],
    actual: Sequence[ToolCall],
    tags: Sequence[str],
) -> _Record:
    return {
        "id": name,
        "input": asked,
        "expected": expected_records(expected),
        "actual": [call_record(call) for call in actual],
        "tags": list(tags),
    }


def _single(factory: _Factory, index: int) -> Iterator[_Record]:
    for attempt in range(_TRIES):
        rng = factory.chance("single", index, attempt)
        yield from _positive(factory, [factory.turned(index)[0]], rng, "single")


def _several(factory: _Factory, index: int) -> Iterator[_Record]:
    for attempt in range(_TRIES):
        rng = factory.chance("several", index, attempt)
        first, *others = factory.turned(index)
        rng.shuffle(others)
        length = rng.randint(2, _MOST_CALLS)
        chosen = [first, *others, *[first] * length][:length]
        yield from _positive(factory, chosen, rng, "several")


def _positive(
    factory: _Factory, tools: Sequence[Tool], rng: Random, kind: Kind
) -> Iterator[_Record]:
    try:
        calls = [drawn_call(tool, rng) for tool in tools]
    except InvalidSettings:  # which chance has it now and then
        return
    if any(call in calls[:position] for position, call in enumerate(calls)):
        return
    asked = ask_for(calls, factory.tools, rng)
    name = tools[0].name if kind == "single" else kind
    record = _record(name, asked, calls, calls, [kind])
    record["metadata"] = {"tools": sorted({call.name for call in calls})}
    if passes(record, factory.tools):
        yield record


def _negative(factory: _Factory, index: int) -> Iterator[_Record]:
    for attempt in range(_TRIES):
        rng = factory.chance("negative", index, attempt)
        asked = ask_for_nothing(list(factory.tools.values()), rng)
        yield _record("negative", asked, (), (), ["negative"])


def _possible(factory: _Factory) -> list[str]:
    """The classes of failure that some tool can show."""
    return [
        failure
        for failure in CLASSES
        if any(
            _missed(factory, failure, turn, attempt)
            for attempt in range(_IN_VAIN)
            for turn in range(len(factory.tools))
        )
    ]


def _near_miss(factory: _Factory, possible: Sequence[str], index: int) -> Iterator[_Record]:
    if not possible:
        return
    turn, place = divmod(index, len(possible))
    failure, turn = possible[place], turn + place  # so that the classes go round the tools, too
    for attempt in range(_TRIES):
        for tried in range(len(factory.tools)):
            yield from _missed(factory, failure, turn + tried, attempt)


def _missed(factory: _Factory, failure: str, turn: int, attempt: int) -> list[_Record]:
    """The first answer that fails in just this way, for the tool whose turn it is."""
    rng = factory.chance(failure, turn, attempt)
    tools = factory.turned(turn)
    known = (failure, tools[0].name)
    if factory.vain[known] >= _IN_VAIN:
        return []
    found = _first_miss(failure, tools, rng, factory)
    factory.vain[known] = -_MANY if found else factory.vain[known] + 1
    return found


def _first_miss(
    failure: str, tools: Sequence[Tool], rng: Random, factory: _Factory
) -> list[_Record]:
    name = f"{failure}-{tools[0].name}"
    try:
        for miss in misses(failure, tools, rng):
            record = _record(name, miss.input, miss.expected, miss.actual, ["near_miss", failure])
            record["metadata"] = {"failure": failure, "tool": tools[0].name}
            if miss.place is not None:
                record["metadata"]["place"] = miss.place
            if fails_only_by(record, failure, factory.tools):
                return [record]
    except InvalidSettings:  # no arguments were found, this time
        pass
    return []
