"""Random tasks in BFCL's own form, for the calls of a case: documents and possible answers.

They are made of the expected calls, so that the actual ones are nearly right. The same calls always
give the same task.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.parity.configuration import Calls

__all__ = ["task_for"]

_Documents = list[dict[str, Any]]

_WORDS: dict[type, tuple[str, ...]] = {
    str: ("string", "string", "any"),
    int: ("integer", "integer", "float"),
    float: ("float",),
    bool: ("boolean",),
    list: ("array", "array", "tuple"),
    dict: ("dict",),
    type(None): ("any", "string"),
}
_ALL_WORDS = ("string", "integer", "float", "boolean", "array", "tuple", "dict", "any", "number")
_WITH_ITEMS = ("array", "tuple")


def task_for(expected: Calls, actual: Calls) -> tuple[_Documents, _Documents]:
    """Documents of functions, and possible answers for each expected call."""
    random = Random(repr((expected, actual)))
    values = [value for call in (*expected, *actual) for value in call["arguments"].values()]
    answers = [_answers(random, call, values) for call in expected]
    documents: dict[str, dict[str, Any]] = {}
    for call in expected:
        properties = documents.setdefault(call["name"], {})
        for key, value in call["arguments"].items():
            properties.setdefault(key, _description(random, value))
    for properties in documents.values():
        if random.random() < 0.3:
            properties[random.choice(("a", "b", "city"))] = _description(random, 1)
    return [
        {"name": name, "parameters": {"properties": own, "required": _some(random, list(own))}}
        for name, own in documents.items()
        if random.random() < 0.97
    ], answers


def _some(random: Random, keys: list[str]) -> list[str]:
    return [key for key in keys if random.random() < 0.5]


def _description(random: Random, value: Any) -> dict[str, Any]:
    word = random.choice(_WORDS[type(value)] if random.random() < 0.85 else _ALL_WORDS)
    if word not in _WITH_ITEMS or random.random() < 0.02:
        return {"type": word}
    first = value[0] if isinstance(value, list) and value else "text"
    items = random.choice(_WORDS[type(first)] if random.random() < 0.85 else _ALL_WORDS)
    return {"type": word, "items": {"type": items}}


def _answers(random: Random, call: dict[str, Any], values: list[Any]) -> dict[str, Any]:
    return {
        call["name"]: {
            key: _accepted(random, value, values)
            for key, value in call["arguments"].items()
            if random.random() < 0.95
        }
    }


def _accepted(random: Random, value: Any, values: list[Any]) -> list[Any]:
    """The value among others of the case, some of another type, and perhaps what may be left out."""
    found = [_answer(random, value, values)] if random.random() < 0.95 else []
    for _ in range(random.choice((0, 0, 1, 2))):
        found.insert(
            random.randrange(len(found) + 1), _answer(random, random.choice(values), values)
        )
    if random.random() < 0.35:
        found.insert(random.randrange(len(found) + 1), "")
    return found


def _answer(random: Random, value: Any, values: list[Any]) -> Any:
    # Sometimes as it is, where BFCL wants a list for each member.
    if random.random() < 0.1:
        return value
    if isinstance(value, dict):
        return _members(random, value, values)
    if isinstance(value, list):
        return [
            _members(random, item, values) if isinstance(item, dict) else item for item in value
        ]
    return value


def _members(random: Random, value: dict[str, Any], values: list[Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, member in value.items():
        extra = [random.choice(values)] if random.random() < 0.3 else []
        left_out = [""] if random.random() < 0.3 else []
        found[key] = [*extra, member, *left_out]
    if random.random() < 0.15:
        found[random.choice(("a", "b"))] = [1, ""] if random.random() < 0.7 else [1]
    return found
