"""Random cases that are likely to tell two definitions of a score apart.

Few names and few values, so that calls repeat and nearly match; values that some tools take for
equal and others do not; and an actual side that is mostly the expected one with something done to it.
"""

from __future__ import annotations

import copy
from random import Random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.parity.configuration import Calls

__all__ = ["random_cases"]

_NAMES = (
    "get_weather",
    "search",
    "book",
    "book ",
    "web_search",
    "websearch",
    "Search",
    "погода",
    "a",
)
_KEYS = ("a", "b", "c", "city", "id", "город")
_SCALARS: tuple[Any, ...] = (
    *(0, 1, 2, 3, -1, 10, 9007199254740993, 12345678901234567890123),
    *(0.0, 1.0, 0.5, 0.1, 0.30000000000000004, 1e22, -1.0),
    *(
        "",
        "1",
        "1.0",
        "Paris",
        "paris",
        "Paris ",
        " Paris",
        "PARIS",
        "par is",
        "par-is",
        "None",
        "null",
    ),
    *(
        "True",
        "true",
        "ёлка",
        "елка",
        "й",
        "й",
        "Москва",
        "👋",
        "it's",
        'it"s',
        "a\nb",
        "Berlin",
        "Rome",
    ),
    *(True, False, None),
)
_MOST_CALLS = 5


def random_cases(seed: int, count: int) -> Iterator[tuple[Calls, Calls]]:
    """So many cases, each its expected and its actual calls; the same for the same seed."""
    random = Random(seed)
    for _ in range(count):
        expected = [_call(random) for _ in range(_few(random))]
        for call in expected[:]:
            if random.random() < 0.1:
                expected.insert(random.randrange(len(expected) + 1), copy.deepcopy(call))
        yield expected, _actual(random, expected)


def _few(random: Random) -> int:
    """Mostly one to three, sometimes none, seldom many of what needs more than a quick look."""
    return random.choice((0, 1, 1, 2, 2, 2, 3, 3, 4, _MOST_CALLS))


def _call(random: Random) -> dict[str, Any]:
    # A few names are likely, so that one tool is called several times.
    name = random.choice(_NAMES if random.random() < 0.4 else _NAMES[:3])
    keys = random.sample(_KEYS, random.choice((0, 1, 1, 2, 2, 3)))
    return {"name": name, "arguments": {key: _value(random) for key in keys}}


def _value(random: Random, depth: int = 0) -> Any:
    kind = random.random()
    if depth < 2 and kind < 0.12:
        return [_value(random, depth + 1) for _ in range(random.randrange(4))]
    if depth < 2 and kind < 0.24:
        keys = random.sample(_KEYS, random.randrange(4))
        return {key: _value(random, depth + 1) for key in keys}
    # A short list, too, so that values meet.
    return random.choice(_SCALARS if kind < 0.6 else _SCALARS[:3])


def _actual(random: Random, expected: Calls) -> Calls:
    if random.random() < 0.08:
        return [_call(random) for _ in range(_few(random))]
    actual = copy.deepcopy(expected)
    for _ in range(random.choice((0, 0, 1, 1, 2, 3))):
        actual = random.choice(_CHANGES)(random, actual)
    return actual


def _drop(random: Random, calls: Calls) -> Calls:
    return [call for call in calls if random.random() < 0.7]


def _repeat(random: Random, calls: Calls) -> Calls:
    return calls + [copy.deepcopy(call) for call in calls if random.random() < 0.4]


def _add(random: Random, calls: Calls) -> Calls:
    place = random.randrange(len(calls) + 1)
    return [*calls[:place], _call(random), *calls[place:]]


def _shuffle(random: Random, calls: Calls) -> Calls:
    return random.sample(calls, len(calls))


def _rename(random: Random, calls: Calls) -> Calls:
    for call in calls:
        if random.random() < 0.3:
            call["name"] = random.choice(_NAMES)
    return calls


def _reorder_keys(random: Random, calls: Calls) -> Calls:
    return [{**call, "arguments": _shuffled(random, call["arguments"])} for call in calls]


def _shuffled(random: Random, value: Any) -> Any:
    if isinstance(value, dict):
        keys = random.sample(list(value), len(value))
        return {key: _shuffled(random, value[key]) for key in keys}
    return value


def _change_arguments(random: Random, calls: Calls) -> Calls:
    for call in calls:
        arguments = call["arguments"]
        for key in list(arguments):
            done = random.random()
            if done < 0.25:
                arguments[key] = _near(random, arguments[key])
            elif done < 0.35:
                del arguments[key]
        if random.random() < 0.2:
            arguments[random.choice(_KEYS)] = _value(random)
    return calls


def _near(random: Random, value: Any) -> Any:
    """Another value that one tool or another may take for the same."""
    options: list[Any] = [_value(random), str(value), [value], {"a": value}]
    if isinstance(value, bool | int) and abs(value) < 2**53:
        options += [float(value), int(value), bool(value)]
    if isinstance(value, str):
        options += [value.upper(), value.lower(), f" {value}", value.replace("a", " a")]
    if isinstance(value, list) and value:
        options += [value[::-1], value[:-1], [_near(random, member) for member in value]]
    if isinstance(value, dict) and value:
        key = random.choice(list(value))
        options += [{**value, key: _near(random, value[key])}, _shuffled(random, value)]
    return random.choice(options)


_CHANGES = (
    _drop,
    _repeat,
    _add,
    _shuffle,
    _rename,
    _reorder_keys,
    _change_arguments,
    _change_arguments,
)
