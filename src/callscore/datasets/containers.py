"""Objects and arrays for a schema without alternatives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.equality import equal
from callscore.core.json_schema import errors_in
from callscore.datasets.flattening import flattened, has_choices, joined
from callscore.datasets.patterns import UnknownPatternError, text_matching
from callscore.datasets.unfilled import UnfilledError
from callscore.datasets.vocabulary import THINGS
from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from random import Random

    from callscore.datasets.making import Making, Task

__all__ = ["make_array", "make_object"]

_SHARES = (0.5, 0.5, 0.0, 1.0)  # of what need not be given, from try to try
_SHORT = 4  # levels, below which only what must be is made
_MORE = 2  # items beyond those that must be
_TRIES = 20
_TOO_FEW = "there are too few different items"
_LARGEST = 1_000
_LONGER = 4  # letters that tell a name from one that is there already


def make_object(making: Making, flat: dict[str, Any], task: Task, attempt: int) -> dict[str, Any]:
    """An object: what is required, and some of what is not.

    Args:
        making: the value that it is a part of.
        flat: the schema.
        task: where it stands.
        attempt: which try this is; later ones give less, and more.

    Raises:
        UnfilledError: something that is required has no value.
    """
    flat = _with_dependents(making, flat)
    required = _required(flat)
    share = 0.0 if task.depth >= _SHORT else _SHARES[attempt % len(_SHARES)]
    names = _names(flat, required, share, making.rng)
    found: dict[str, Any] = {}
    for name in names:
        try:
            found[name] = making.make(_member_schema(flat, name), task.member(name))
        except UnfilledError:
            if name in required:
                raise
    _fill_up(making, flat, task, found)
    return found


def _required(flat: dict[str, Any]) -> list[str]:
    """What must be given, and what must be given with it."""
    needed = flat.get("dependentRequired", flat.get("dependencies", {}))
    found = list(dict.fromkeys(flat.get("required", ())))
    for name in found:  # which grows
        also = needed.get(name, ())
        found += [other for other in also if isinstance(also, list) and other not in found]
    return found


def _with_dependents(making: Making, flat: dict[str, Any]) -> dict[str, Any]:
    """The schema with what is asked for because something else is required."""
    asked = {**flat.get("dependencies", {}), **flat.get("dependentSchemas", {})}
    for name in flat.get("required", ()):
        if isinstance(asked.get(name), dict):
            flat = joined(flat, flattened(asked[name], making.root, making.rng))
    return flat


def _names(flat: dict[str, Any], required: list[str], share: float, rng: Random) -> list[str]:
    """The names of the members, in the order in which the schema has them."""
    known = flat.get("properties", {})
    free = [
        name
        for name, schema in known.items()
        if name not in required and schema is not False and rng.random() < share
    ]
    most = flat.get("maxProperties")
    if isinstance(most, int):
        free = free[: max(0, most - len(required))]
    chosen = {*required, *free}
    return [name for name in known if name in chosen] + [n for n in required if n not in known]


def _member_schema(flat: dict[str, Any], name: str) -> Any:
    """What is asked of one member."""
    found = [flat["properties"][name]] if name in flat.get("properties", {}) else []
    for pattern, schema in flat.get("patternProperties", {}).items():
        if _matches(pattern, name):
            found.append(schema)
    if not found:
        return flat.get("additionalProperties", True)
    return found[0] if len(found) == 1 else {"allOf": found}


def _matches(pattern: str, name: str) -> bool:
    """Whether a pattern finds something in a name, by the engine that schemas are checked with."""
    try:
        return not errors_in({"pattern": pattern}, name)
    except InvalidSettings:
        return False


def _fill_up(making: Making, flat: dict[str, Any], task: Task, found: dict[str, Any]) -> None:
    """Add members until there are enough; an object that has no names of its own gets some."""
    least = flat.get("minProperties", 0)
    is_free = not flat.get("properties") and (
        isinstance(flat.get("additionalProperties"), dict) or bool(flat.get("patternProperties"))
    )
    wanted = max(least, making.rng.randint(1, _MORE) if is_free and task.depth < _SHORT else 0)
    wanted = min(wanted, flat.get("maxProperties", wanted), _LARGEST)
    spare = [name for name in flat.get("properties", {}) if name not in found]
    for _ in range(wanted + _TRIES):
        if len(found) >= wanted:
            return
        name = spare.pop(0) if spare else _new_name(making, flat, task, found)
        schema = _member_schema(flat, name)
        if name not in found and schema is not False:
            found[name] = making.make(schema, task.member(name))


def _new_name(making: Making, flat: dict[str, Any], task: Task, found: dict[str, Any]) -> str:
    rng = making.rng
    patterns = list(flat.get("patternProperties", {}))
    if isinstance(flat.get("propertyNames"), dict):
        schema = {"type": "string", "allOf": [flat["propertyNames"]]}
        return str(making.make(schema, task.member("name")))
    if patterns and (flat.get("additionalProperties") is False or rng.random() < 0.5):  # noqa: PLR2004  (one half)
        try:
            name = text_matching(rng.choice(patterns), rng)
            longer = len(name) + rng.randint(1, _LONGER)
            return (
                name
                if name not in found
                else text_matching(rng.choice(patterns), rng, least=longer)
            )
        except UnknownPatternError as error:
            problem = f"a name for the pattern {patterns[0]!r} is not found"
            raise UnfilledError(task.steps, problem) from error
    number = "" if len(found) < len(THINGS) else str(len(found))
    return rng.choice(THINGS) + number


def make_array(making: Making, flat: dict[str, Any], task: Task) -> list[Any]:
    """An array: as many items as must be, and mostly one or two more, if there are any.

    Args:
        making: the value that it is a part of.
        flat: the schema.
        task: where it stands.

    Raises:
        UnfilledError: an item has no value, or there are too few different ones.
    """
    firsts = _firsts(flat)
    others = flat.get("additionalItems", True) if isinstance(flat.get("items"), list) else None
    others = flat.get("items", True) if others is None else others
    wanted = flat.get("contains") if "contains" in flat else None
    holds = flat.get("minContains", 1) if wanted is not None else 0
    least = max(int(flat.get("minItems", 0)), len(firsts) + holds if holds else 0)
    found: list[Any] = []
    for position in range(_length(flat, len(firsts), others, least, making.rng, task)):
        schema = firsts[position] if position < len(firsts) else others
        if len(firsts) <= position < len(firsts) + holds:
            schema = {"allOf": [schema, wanted]}
        try:
            found.append(_item(making, schema, task.item(position), flat, found))
        except UnfilledError:
            if position < least:
                raise
            break  # no more are needed
    return found


def _firsts(flat: dict[str, Any]) -> list[Any]:
    """The schemas of the first items, one each."""
    items = flat.get("prefixItems", flat.get("items"))
    return items if isinstance(items, list) else []


def _length(  # noqa: PLR0913, PLR0917  (one argument a bound)
    flat: dict[str, Any], firsts: int, others: Any, least: int, rng: Random, task: Task
) -> int:
    most = int(flat.get("maxItems", max(least, firsts, 1) + _MORE))
    if others is False:
        most = min(most, firsts)
    if task.depth >= _SHORT:
        return min(least, _LARGEST)
    low = max(least, min(firsts, most), min(1, most))
    return min(rng.randint(low, max(low, min(most, low + _MORE))), _LARGEST)


def _item(making: Making, schema: Any, task: Task, flat: dict[str, Any], found: list[Any]) -> Any:
    if not flat.get("uniqueItems"):
        return making.make(schema, task)
    known = _values_of(schema, making)
    if known is not None:
        left = [value for value in known if not any(equal(value, other) for other in found)]
        if left:
            return making.rng.choice(left)
        raise UnfilledError(task.steps, _TOO_FEW)
    for _ in range(_TRIES):
        value = making.make(schema, task)
        if not any(equal(value, other) for other in found):
            return value
    raise UnfilledError(task.steps, _TOO_FEW)


def _values_of(schema: Any, making: Making) -> list[Any] | None:
    """All values that there are, where a schema lists them; None where it does not."""
    if has_choices(schema, making.root):
        return None
    flat = flattened(schema, making.root, making.rng)
    listed = [False, True] if flat.get("type") == "boolean" else None
    found: list[Any] | None = flat.get("enum", listed)
    return found
