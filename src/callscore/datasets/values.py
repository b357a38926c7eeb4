"""Values that are valid under a JSON Schema, the same ones for the same seed.

Each value is put together from what the schema says and then checked by it, part by part, so that
what cannot be obeyed by construction (`not`, conditions, patterns that look around) is at least
found by trying.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.json_schema import errors_in
from callscore.core.schema_error import path_of
from callscore.core.text import clip, escape
from callscore.datasets.containers import make_array, make_object
from callscore.datasets.flattening import flattened, has_choices
from callscore.datasets.making import Making, Task
from callscore.datasets.quantities import number_for
from callscore.datasets.texts import text_for
from callscore.datasets.unfilled import GaveUpError, UnfilledError
from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from random import Random

    from callscore.core.tool import Tool

__all__ = ["arguments_for", "is_valid", "value_for"]

_TRIES = 30
_SHORT = 4  # levels, below which only what must be is made
_DEEPEST = 30
_LONGEST = 200  # columns of a schema in a message
_HINTS = {
    "object": ("properties", "required", "additionalProperties", "minProperties"),
    "array": ("items", "prefixItems", "minItems", "contains"),
    "string": ("pattern", "format", "minLength", "maxLength"),
    "number": ("minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum"),
}
_KINDS = ("string", "integer", "number", "boolean", "object", "array", "null")


def arguments_for(tool: Tool, rng: Random) -> dict[str, Any]:
    """Arguments that a tool's schema accepts; none for a tool without a schema.

    Args:
        tool: the tool.
        rng: what chooses; the same state gives the same arguments.

    Raises:
        InvalidSettings: no value is found for a part of the schema; the message names the place, or
            says that the schema is too large.
    """
    if tool.parameters is None:
        return {}
    try:
        found = value_for({**tool.parameters, "type": "object"}, rng)
    except UnfilledError as error:
        place = path_of(error.steps)
        problem = f"the tool {tool.name!r}: no value is found for {place}: {error.problem}"
        raise InvalidSettings(f"{problem}. Give `examples` or a `default` there.") from error
    except GaveUpError as error:
        problem = f"the schema of the tool {tool.name!r} is too large: gave up after {error.tries:,} tries"
        raise InvalidSettings(f"{problem}. Give `examples` or a `default` in it.") from error
    assert isinstance(found, dict)  # noqa: S101  (it is valid, and so it is an object)
    return found


def value_for(schema: Any, rng: Random, *, root: Any = None, name: str = "") -> Any:
    """A value that a schema accepts.

    Args:
        schema: the schema.
        rng: what chooses.
        root: what references in it are about, where that is not itself.
        name: of what the value is for.

    Raises:
        UnfilledError: none is found.
        GaveUpError: none is found in time.
        InvalidSettings: the schema cannot be used.
    """
    making = Making(schema if root is None else root, rng, _make)
    return _make(making, schema, Task(name=name))


def is_valid(schema: Any, value: Any, root: Any) -> bool:
    """Whether a part of a schema accepts a value.

    A part whose references only the whole schema can follow accepts anything here.
    """
    try:
        return not errors_in(_standalone(schema, root), value)
    except InvalidSettings:
        return True


def _standalone(schema: Any, root: Any) -> Any:
    if schema is root or not isinstance(schema, dict) or not isinstance(root, dict):
        return schema
    kept = {word: root[word] for word in ("$schema", "$defs", "definitions") if word in root}
    return {**kept, **schema}


def _make(making: Making, schema: Any, task: Task) -> Any:
    if task.depth > _DEEPEST:
        raise UnfilledError(task.steps, "the schema has no end")
    problem: UnfilledError | GaveUpError | None = None
    for attempt in range(_TRIES):
        try:
            making.spend()
            value = _built(making, schema, task, attempt)
        except GaveUpError as error:
            problem = error
            break
        except UnfilledError as error:
            problem = UnfilledError(error.steps or task.steps, error.problem)
            if len(problem.steps) > task.depth and not has_choices(schema, making.root):
                break  # what is inside would be the same again
            continue
        if is_valid(schema, value, making.root):
            return value
    spare = [value for value in _spare(schema) if is_valid(schema, value, making.root)]
    if spare:
        return spare[0]
    untold = f"{_shown(schema)} accepts none that was tried"
    raise problem or UnfilledError(task.steps, untold)


def _spare(schema: Any) -> list[Any]:
    """What a schema itself names as a value, and null."""
    if not isinstance(schema, dict):
        return []
    examples = schema.get("examples")
    found = list(examples) if isinstance(examples, list) else []
    found += [schema[word] for word in ("example", "default") if word in schema]
    return [*found, None]


def _built(making: Making, schema: Any, task: Task, attempt: int) -> Any:
    rng = making.rng
    is_short = task.depth >= _SHORT
    flat = flattened(schema, making.root, rng, is_short=is_short)
    if "enum" in flat:
        return _chosen(flat["enum"], task, rng)
    given = [value for value in _spare(flat)[:-1] if value is not None]
    if given and "default" not in flat and rng.random() < 0.5:  # noqa: PLR2004  (one half)
        return rng.choice(given)
    return _of_kind(_kind(flat, rng), making, flat, task, attempt)


def _of_kind(kind: str, making: Making, flat: dict[str, Any], task: Task, attempt: int) -> Any:
    if kind == "object":
        return make_object(making, flat, task, attempt)
    if kind == "array":
        return make_array(making, flat, task)
    return _scalar(kind, flat, task.name, making.rng)


def _chosen(values: list[Any], task: Task, rng: Random) -> Any:
    if not values:
        raise UnfilledError(task.steps, "no value is in all of its lists")
    named = [value for value in values if value is not None] or values
    return rng.choice(named)


def _scalar(kind: str, flat: dict[str, Any], name: str, rng: Random) -> Any:
    if kind == "boolean":
        return rng.random() < 0.5  # noqa: PLR2004  (one half)
    if kind == "null":
        return None
    if kind == "string":
        return text_for(flat, rng, name)
    return number_for(flat, rng, name=name, is_whole=kind == "integer")


def _kind(flat: dict[str, Any], rng: Random) -> str:
    """The type of the value; where a schema names none, the one that it says most about."""
    kinds = flat.get("type")
    if isinstance(kinds, str):
        return kinds
    if isinstance(kinds, list):
        known: list[str] = [kind for kind in kinds if kind in _KINDS]
        if not known:
            raise UnfilledError((), "no type is in all of its lists")
        others: list[str] = [kind for kind in known if kind != "null"]
        return rng.choice(others or known)
    for kind, words in _HINTS.items():
        if any(word in flat for word in words):
            return kind
    return rng.choice(_KINDS[:4]) if "not" in flat else "string"


def _shown(schema: Any) -> str:
    import msgspec

    try:
        text = msgspec.json.encode(schema).decode()
    except (TypeError, ValueError, RecursionError):
        text = "the schema"
    return clip(escape(text), _LONGEST)
