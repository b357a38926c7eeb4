"""The data that is measured on: made up, seeded, and shaped like what people score.

There are two shapes, because they are different work. `SUITE` is what people write by hand: one to
five expected calls a case, and little besides. `TRAJECTORY` is what is published of customer-service
agents: about five expected and more than six actual calls a case, some tools called far more often
than others, so that it often has to be decided which call is paired with which.

The same in both, and why:

- A tool has a signature: 0 to 6 parameters of mixed types, here with 60 bytes of arguments a call on
  average. Published calls have 2 or 3 arguments, and 50 to 100 bytes.
- 70 % of the expected calls are made with equal arguments, nearly all of them in the same spelling:
  references and traces mostly come out of the same program. One in twenty has another key order.
- Of the others half have one wrong argument, a quarter are missing, and in place of a quarter
  another tool is called. In a trajectory there are calls besides that nobody expected.
- A case says what was asked. Nobody needs that to score it, but files have it.
"""

from __future__ import annotations

import re
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = [
    "SUITE",
    "TRAJECTORY",
    "Call",
    "Case",
    "Shape",
    "make_cases",
    "shuffled_calls",
    "unequal_calls",
    "write_cases",
    "write_large",
]

Call = dict[str, Any]
Case = dict[str, Any]


class Shape(NamedTuple):
    """What a kind of cases is like.

    Attributes:
        name: what to call them.
        most_expected: 1 to this many calls are expected.
        extra: the chance that one more call, that nobody expected, is made after a call.
        favour: how much more often the first tools are called than the last; 1 is not at all.
    """

    name: str
    most_expected: int
    extra: float
    favour: float


SUITE = Shape("short cases", most_expected=5, extra=0.0, favour=1.0)
TRAJECTORY = Shape("long trajectories", most_expected=9, extra=0.25, favour=1.5)

_SEED = 20240115
_TOOLS = 20
_EQUAL = 0.70
_REORDERED = 0.05
_WRONG = _EQUAL + 0.15
_OTHER_TOOL = _WRONG + 0.075
_VERBS = ("get", "search", "update", "cancel")
_KINDS = ("id", "place", "date", "text", "count", "price", "flag", "list", "object", "nothing")
_HOW_OFTEN = (6, 4, 3, 2, 5, 2, 2, 1, 1, 1)  # most arguments are text, then numbers
_PLACES = ("Paris", "London", "New York", "San Francisco", "Tokyo", "Rio de Janeiro")
_SENTENCE = (
    "please find me the cheapest way to get from there to here on that day with two bags and a "
    "window seat or change it if the price goes up by more than ten percent before friday"
)
_WORDS = _SENTENCE.split()
_NAMES = re.compile(rb'"[a-z]+_(?:[a-z]+_)?\d+"')  # of tools and of parameters
_LETTERS = bytes.maketrans(b"0123456789", b"abcdefghij")
_ID = b'"id":"case-'


class _Tool(NamedTuple):
    name: str
    parameters: dict[str, str]  # the kind of each


def make_cases(count: int, shape: Shape, *, seed: int = _SEED) -> Iterator[Case]:
    """That many cases, as a file has them; the same ones for the same seed."""
    random = Random(seed)
    tools = [_make_tool(random, number) for number in range(_TOOLS)]
    random.shuffle(tools)
    for number in range(count):
        yield _make_case(random, tools, shape, f"case-{number:06}")


def write_cases(path: Path, count: int, shape: Shape) -> None:
    """A JSONL file of that many cases."""
    encode = msgspec.json.encode
    with path.open("wb") as file:
        file.writelines(encode(case) + b"\n" for case in make_cases(count, shape))


def write_large(path: Path, size: int) -> None:
    """A JSONL file of at least that many bytes, all of it trajectories that do not repeat.

    Most of it is made from the first cases, because drawing takes longer than scoring: the digits of
    their values are exchanged for others, by another permutation each time. What was equal stays equal.
    """
    encode = msgspec.json.encode
    block = b"".join(encode(case) + b"\n" for case in make_cases(10_000, TRAJECTORY))
    block = _NAMES.sub(lambda name: name[0].translate(_LETTERS), block)  # the tools stay the same
    random = Random(_SEED)
    written = 0
    with path.open("wb") as file:
        while written < size:
            number = b"%s%x-" % (_ID, random.getrandbits(64))
            written += file.write(block.translate(_exchange(random)).replace(_ID, number))


def _exchange(random: Random) -> bytes:
    """A permutation of digits and of the capitals of places; numbers stay numbers without a 0 ahead."""
    alphabets = (b"123456789", b"FJLNPRSTY")
    given = b"".join(alphabets)
    return bytes.maketrans(given, b"".join(bytes(random.sample(each, 9)) for each in alphabets))


def _make_tool(random: Random, number: int) -> _Tool:
    kinds = random.choices(_KINDS, _HOW_OFTEN, k=number % 7)
    name = f"{random.choice(_VERBS)}_{random.choice(_KINDS)}_{number}"
    return _Tool(name, {f"{kind}_{place}": kind for place, kind in enumerate(kinds)})


def _make_case(random: Random, tools: list[_Tool], shape: Shape, name: str) -> Case:
    expected: list[Call] = []
    actual: list[Call] = []
    for _ in range(random.randint(1, shape.most_expected)):
        tool = _pick(random, tools, shape)
        call = _make_call(random, tool)
        expected.append(call)
        chance = random.random()
        if chance < _REORDERED:
            arguments = dict(reversed(call["arguments"].items()))
            actual.append({"name": tool.name, "arguments": arguments})
        elif chance < _EQUAL:
            actual.append(call)
        elif chance < _WRONG:
            actual.append(_with_one_wrong(random, tool, call))
        elif chance < _OTHER_TOOL:
            actual.append(_make_call(random, _pick(random, tools, shape)))
        while random.random() < shape.extra:
            actual.append(_make_call(random, _pick(random, tools, shape)))
    asked = " ".join(random.choices(_WORDS, k=random.randint(5, 40)))
    return {"id": name, "input": asked, "expected": expected, "actual": actual}


def _pick(random: Random, tools: list[_Tool], shape: Shape) -> _Tool:
    return tools[int(len(tools) * random.random() ** shape.favour)]


def _make_call(random: Random, tool: _Tool) -> Call:
    arguments = {name: _make_value(random, kind) for name, kind in tool.parameters.items()}
    return {"name": tool.name, "arguments": arguments}


def _with_one_wrong(random: Random, tool: _Tool, call: Call) -> Call:
    arguments = dict(call["arguments"])
    if not arguments:
        arguments["surplus"] = True
    else:
        wrong = random.choice(list(arguments))
        value = _make_value(random, tool.parameters[wrong])
        arguments[wrong] = "something else" if value == arguments[wrong] else value
    return {"name": tool.name, "arguments": arguments}


def _make_value(random: Random, kind: str) -> Any:  # noqa: C901, PLR0911, PLR0912  (a plain list)
    match kind:
        case "id":
            return f"{random.getrandbits(40):010x}"
        case "place":
            return random.choice(_PLACES)
        case "date":
            return f"2024-{random.randint(1, 12):02}-{random.randint(1, 28):02}"
        case "text":
            return " ".join(random.choices(_WORDS, k=random.randint(2, 12)))
        case "count":
            return random.randint(0, 500)
        case "price":
            return round(random.uniform(0, 1000), 2)
        case "flag":
            return random.random() < 0.5  # noqa: PLR2004  (heads or tails)
        case "list":
            return random.choices(_PLACES, k=random.randint(0, 4))
        case "object":
            return {"number": random.randint(1, 99), "place": random.choice(_PLACES)}
        case _:
            return None


def shuffled_calls(count: int, *, seed: int = _SEED) -> tuple[list[Call], list[Call]]:
    """That many calls, no two of them equal, and the same once more in another order."""
    expected: list[Call] = [
        {"name": f"tool_{number % _TOOLS}", "arguments": {"number": number, "text": f"#{number}"}}
        for number in range(count)
    ]
    actual = [{**call, "arguments": dict(call["arguments"])} for call in expected]
    Random(seed).shuffle(actual)
    return expected, actual


def unequal_calls(
    count: int, values: tuple[int, int, int], *, seed: int = _SEED
) -> tuple[list[Call], list[Call]]:
    """That many calls a side, of one tool, with three arguments each, no two of them equal.

    Args:
        count: how many on each side.
        values: how many values each argument has; few give many ties between pairs.
        seed: of the random values.
    """
    random = Random(seed)
    seen: dict[tuple[int, int, int], None] = {}
    while len(seen) < 2 * count:
        first, second, third = map(random.randrange, values)
        seen[first, second, third] = None
    calls: list[Call] = [
        {"name": "tool", "arguments": {"a": first, "b": second, "c": third}}
        for first, second, third in seen
    ]
    return calls[:count], calls[count:]
