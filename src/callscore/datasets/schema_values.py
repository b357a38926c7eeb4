"""Values that are valid under a JSON Schema, and calls with them; the same for the same seed.

Each value is built from the schema and then checked against it, part by part: what cannot be
satisfied by construction (`not`, conditions, lookaround patterns) is found by trying.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from callscore.core.call import Tool, ToolCall
from callscore.core.equality import equal
from callscore.core.rendering import clip, escape, json_path
from callscore.core.schemas.validation import validation_errors
from callscore.datasets.flattening import (
    NoValueError,
    TooManyTriesError,
    flatten_schema,
    has_alternatives,
    merge_schemas,
)
from callscore.datasets.patterns import UnknownPatternError, text_matching
from callscore.datasets.scalars import GENERIC_WORDS, accepts_text, make_number, make_text
from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from random import Random


# --- objects and arrays for a schema without alternatives --------------------------------------

_OPTIONAL_SHARES = (0.5, 0.5, 0.0, 1.0)  # of the optional members, by try
_EXTRA_ITEMS = 2  # items beyond the minimum
_MAX_TRIES = 20
_TOO_FEW = "too few distinct items are possible"
_MAX_ITEMS = 1_000
_NAME_SUFFIX_LENGTH = 4  # letters that make a repeated name a new one


def make_object(
    builder: ValueBuilder, schema: dict[str, Any], position: ValuePosition, attempt: int
) -> dict[str, Any]:
    """An object: what is required, and some of what is optional, which depends on the attempt.

    Raises `NoValueError` if something that is required has no value.
    """
    schema = _with_dependents(builder, schema)
    required = _required(schema)
    is_minimal = position.depth >= _MINIMAL_DEPTH
    share = 0.0 if is_minimal else _OPTIONAL_SHARES[attempt % len(_OPTIONAL_SHARES)]
    found: dict[str, Any] = {}
    for name in _names(schema, required, share, builder.rng):
        try:
            value = builder.make(_member_schema(schema, name), position.member(name))
        except NoValueError:
            if name in required:
                raise
        else:
            if name in required or value not in ({}, []):  # a question would not mention it
                found[name] = value
    _add_missing_members(builder, schema, position, found)
    return found


def _required(schema: dict[str, Any]) -> list[str]:
    """The required members, and those that are required with them."""
    needed = schema.get("dependentRequired", schema.get("dependencies", {}))
    found = list(dict.fromkeys(schema.get("required", ())))
    for name in found:  # which grows
        also = needed.get(name, ())
        found += [other for other in also if isinstance(also, list) and other not in found]
    return found


def _with_dependents(builder: ValueBuilder, schema: dict[str, Any]) -> dict[str, Any]:
    """The schema merged with those that apply because of required members."""
    asked = {**schema.get("dependencies", {}), **schema.get("dependentSchemas", {})}
    for name in schema.get("required", ()):
        if isinstance(asked.get(name), dict):
            schema = merge_schemas(schema, flatten_schema(asked[name], builder.root, builder.rng))
    return schema


def _names(flat: dict[str, Any], required: list[str], share: float, rng: Random) -> list[str]:
    """The names of the members, in the order of the schema."""
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
    found = [flat["properties"][name]] if name in flat.get("properties", {}) else []
    for pattern, schema in flat.get("patternProperties", {}).items():
        if accepts_text({"pattern": pattern}, name):
            found.append(schema)
    if not found:
        return flat.get("additionalProperties", True)
    return found[0] if len(found) == 1 else {"allOf": found}


def _add_missing_members(
    builder: ValueBuilder, flat: dict[str, Any], position: ValuePosition, found: dict[str, Any]
) -> None:
    """Add members until there are enough; an object without properties gets some."""
    least = flat.get("minProperties", 0)
    is_free = not flat.get("properties") and (
        isinstance(flat.get("additionalProperties"), dict) or bool(flat.get("patternProperties"))
    )
    wanted = least
    if is_free and position.depth < _MINIMAL_DEPTH:
        wanted = max(least, builder.rng.randint(1, _EXTRA_ITEMS))
    wanted = min(wanted, flat.get("maxProperties", wanted), _MAX_ITEMS)
    spare = [name for name in flat.get("properties", {}) if name not in found]
    for _ in range(wanted + _MAX_TRIES):
        if len(found) >= wanted:
            return
        name = spare.pop(0) if spare else _new_name(builder, flat, position, found)
        schema = _member_schema(flat, name)
        if name not in found and schema is not False:
            found[name] = builder.make(schema, position.member(name))


def _new_name(
    builder: ValueBuilder, flat: dict[str, Any], position: ValuePosition, found: dict[str, Any]
) -> str:
    rng = builder.rng
    patterns = list(flat.get("patternProperties", {}))
    if isinstance(flat.get("propertyNames"), dict):
        schema = {"type": "string", "allOf": [flat["propertyNames"]]}
        return str(builder.make(schema, position.member("name")))
    if patterns and (flat.get("additionalProperties") is False or rng.random() < 0.5):  # noqa: PLR2004  (one half)
        try:
            name = text_matching(rng.choice(patterns), rng)
            longer = len(name) + rng.randint(1, _NAME_SUFFIX_LENGTH)
            if name in found:
                name = text_matching(rng.choice(patterns), rng, minimum=longer)
        except UnknownPatternError as error:
            problem = f"no name found for the pattern {patterns[0]!r}"
            raise NoValueError(position.steps, problem) from error
        return name
    number = "" if len(found) < len(GENERIC_WORDS) else str(len(found))
    return rng.choice(GENERIC_WORDS) + number


def make_array(builder: ValueBuilder, flat: dict[str, Any], task: ValuePosition) -> list[Any]:
    """An array: the minimum number of items, and mostly one or two more.

    Raises `NoValueError` if an item has no value, or there are too few different ones.
    """
    prefix = flat.get("prefixItems", flat.get("items"))
    firsts = prefix if isinstance(prefix, list) else []
    others = flat.get("additionalItems", True) if isinstance(flat.get("items"), list) else None
    others = flat.get("items", True) if others is None else others
    wanted = flat.get("contains")
    holds = flat.get("minContains", 1) if wanted is not None else 0
    least = max(int(flat.get("minItems", 0)), len(firsts) + holds if holds else 0)
    most = int(flat.get("maxItems", max(least, len(firsts), 1) + _EXTRA_ITEMS))
    if others is False:
        most = min(most, len(firsts))
    length = least
    if task.depth < _MINIMAL_DEPTH:
        low = max(least, min(len(firsts), most), min(1, most))
        length = builder.rng.randint(low, max(low, min(most, low + _EXTRA_ITEMS)))
    found: list[Any] = []
    for position in range(min(length, _MAX_ITEMS)):
        schema = firsts[position] if position < len(firsts) else others
        if len(firsts) <= position < len(firsts) + holds:
            schema = {"allOf": [schema, wanted]}
        try:
            found.append(_item(builder, schema, task.item(position), flat, found))
        except NoValueError:
            if position < least:
                raise
            break  # no more are needed
    return found


def _item(
    builder: ValueBuilder,
    schema: Any,
    position: ValuePosition,
    flat: dict[str, Any],
    found: list[Any],
) -> Any:
    if not flat.get("uniqueItems"):
        return builder.make(schema, position)
    known = _values_of(schema, builder)
    if known is not None:
        left = [value for value in known if not any(equal(value, other) for other in found)]
        if left:
            return builder.rng.choice(left)
        raise NoValueError(position.steps, _TOO_FEW)
    for _ in range(_MAX_TRIES):
        value = builder.make(schema, position)
        if not any(equal(value, other) for other in found):
            return value
    raise NoValueError(position.steps, _TOO_FEW)


def _values_of(schema: Any, builder: ValueBuilder) -> list[Any] | None:
    """All values of a schema that lists them; None for any other."""
    if has_alternatives(schema, builder.root):
        return None
    flat = flatten_schema(schema, builder.root, builder.rng)
    listed = [False, True] if flat.get("type") == "boolean" else None
    found: list[Any] | None = flat.get("enum", listed)
    return found


# --- the state of building a value ------------------------------------------------------------

_MAX_TOTAL_TRIES = 20_000  # for one value and all its parts


class ValuePosition(Struct, frozen=True):
    """The position of a part in a value: the argument that it belongs to, and the path."""

    name: str = ""
    steps: tuple[str | int, ...] = ()

    @property
    def depth(self) -> int:
        """The level of nesting."""
        return len(self.steps)

    def member(self, key: str) -> ValuePosition:
        """The position of a member."""
        return ValuePosition(key, (*self.steps, key))

    def item(self, position: int) -> ValuePosition:
        """The position of an item, which has the name of the array."""
        return ValuePosition(self.name, (*self.steps, position))


class ValueBuilder:
    """The state of building one value; references are resolved in `root`."""

    def __init__(self, root: Any, rng: Random) -> None:
        self.root = root
        self.rng = rng
        self._left = _MAX_TOTAL_TRIES

    def make(self, schema: Any, position: ValuePosition) -> Any:
        """A value for a part of the schema."""
        if position.depth > _MAX_DEPTH:
            raise NoValueError(position.steps, "the schema is infinitely deep")
        problem: NoValueError | TooManyTriesError | None = None
        for attempt in range(_VALUE_TRIES):
            try:
                self.spend()
                value = _build(self, schema, position, attempt)
            except TooManyTriesError as error:
                problem = error
                break
            except NoValueError as error:
                problem = NoValueError(error.steps or position.steps, error.problem)
                is_inside = len(problem.steps) > position.depth
                if is_inside and not has_alternatives(schema, self.root):
                    break  # what is inside would be the same again
                continue
            if is_valid(schema, value, self.root):
                return value
        spare = [value for value in _fallback_values(schema) if is_valid(schema, value, self.root)]
        if spare:
            return spare[0]
        text = f"{_schema_text(schema)} accepts none of the values tried"
        raise problem or NoValueError(position.steps, text)

    def spend(self) -> None:
        """Count one try; too many are an error."""
        if self._left == 0:
            raise TooManyTriesError(_MAX_TOTAL_TRIES)
        self._left -= 1


# --- values of any type -----------------------------------------------------------------------

_VALUE_TRIES = 30
_MINIMAL_DEPTH = 4  # levels, below which only what is required is made
_MAX_DEPTH = 30
_MAX_SCHEMA_WIDTH = 200  # columns of a schema in a message
_KEYWORDS_BY_TYPE = {
    "object": ("properties", "required", "additionalProperties", "minProperties"),
    "array": ("items", "prefixItems", "minItems", "contains"),
    "string": ("pattern", "format", "minLength", "maxLength"),
    "number": ("minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum"),
}
_JSON_TYPES = ("string", "integer", "number", "boolean", "object", "array", "null")


def make_arguments(tool: Tool, rng: Random) -> dict[str, Any]:
    """Arguments that a tool's schema accepts; none for a tool without a schema.

    Raises:
        InvalidSettings: no value is found for a part of the schema; the message names the place, or
            says that the schema is too large.
    """
    if tool.parameters is None:
        return {}
    try:
        found = make_value({**tool.parameters, "type": "object"}, rng)
    except NoValueError as error:
        place = json_path(error.steps)
        problem = f"tool {tool.name!r}: no value found for {place}: {error.problem}"
        raise InvalidSettings(f"{problem}. Add 'examples' or a 'default' there.") from error
    except TooManyTriesError as error:
        problem = f"the schema of the tool {tool.name!r} is too large; stopped after {error.tries:,} tries"
        raise InvalidSettings(f"{problem}. Add 'examples' or a 'default' to it.") from error
    assert isinstance(found, dict)  # noqa: S101  (it is valid, and so it is an object)
    return found


def make_value(schema: Any, rng: Random) -> Any:
    """A value that a schema accepts.

    Raises:
        NoValueError: none is found.
        TooManyTriesError: none is found in time.
        InvalidSettings: the schema cannot be used.
    """
    return ValueBuilder(schema, rng).make(schema, ValuePosition())


def is_valid(schema: Any, value: Any, root: Any) -> bool:
    """Whether a part of a schema accepts a value.

    A part with references that only the whole schema can resolve accepts anything here.
    """
    if schema is not root and isinstance(schema, dict) and isinstance(root, dict):
        kept = {word: root[word] for word in ("$schema", "$defs", "definitions") if word in root}
        schema = {**kept, **schema}
    try:
        return not validation_errors(schema, value)
    except InvalidSettings:
        return True


def _fallback_values(schema: Any) -> list[Any]:
    """The values that a schema itself names, and null."""
    if not isinstance(schema, dict):
        return []
    examples = schema.get("examples")
    found = list(examples) if isinstance(examples, list) else []
    found += [schema[word] for word in ("example", "default") if word in schema]
    return [*found, None]


def _build(builder: ValueBuilder, schema: Any, position: ValuePosition, attempt: int) -> Any:
    rng = builder.rng
    is_short = position.depth >= _MINIMAL_DEPTH
    flat = flatten_schema(schema, builder.root, rng, is_short=is_short)
    if "enum" in flat:
        values = flat["enum"]
        if not values:
            raise NoValueError(position.steps, "its enums have no value in common")
        return rng.choice([value for value in values if value is not None] or values)
    given = [value for value in _fallback_values(flat)[:-1] if value is not None]
    if given and "default" not in flat and rng.random() < 0.5:  # noqa: PLR2004  (one half)
        return rng.choice(given)
    return _build_of_type(_choose_type(flat, rng), builder, flat, position, attempt)


def _build_of_type(
    kind: str, builder: ValueBuilder, schema: dict[str, Any], position: ValuePosition, attempt: int
) -> Any:
    if kind == "object":
        return make_object(builder, schema, position, attempt)
    if kind == "array":
        return make_array(builder, schema, position)
    return _build_scalar(kind, schema, position.name, builder.rng)


def _build_scalar(kind: str, schema: dict[str, Any], name: str, rng: Random) -> Any:
    if kind == "boolean":
        return rng.random() < 0.5  # noqa: PLR2004  (one half)
    if kind == "null":
        return None
    if kind == "string":
        return make_text(schema, rng, name)
    return make_number(schema, rng, name=name, is_whole=kind == "integer")


def _choose_type(schema: dict[str, Any], rng: Random) -> str:
    """The type of the value; if a schema has none, the one with most of its keywords."""
    kinds = schema.get("type")
    if isinstance(kinds, str):
        return kinds
    if isinstance(kinds, list):
        known: list[str] = [kind for kind in kinds if kind in _JSON_TYPES]
        if not known:
            raise NoValueError((), "its types have none in common")
        others: list[str] = [kind for kind in known if kind != "null"]
        return rng.choice(others or known)
    for kind, words in _KEYWORDS_BY_TYPE.items():
        if any(word in schema for word in words):
            return kind
    return rng.choice(_JSON_TYPES[:4]) if "not" in schema else "string"


def _schema_text(schema: Any) -> str:
    import msgspec

    try:
        text = msgspec.json.encode(schema).decode()
    except (TypeError, ValueError, RecursionError):
        text = "the schema"
    return clip(escape(text), _MAX_SCHEMA_WIDTH)


# --- calls with arguments that the schemas of the tools accept ---------------------------------


def random_call(tool: Tool, rng: Random) -> ToolCall:
    """A call of a tool that its schema accepts."""
    return ToolCall(tool.name, make_arguments(tool, rng))


def changed_arguments(tool: Tool, arguments: dict[str, Any], rng: Random) -> dict[str, Any] | None:
    """The arguments with another value in one place; None if there is no other.

    The result is mostly valid, but not always: other places may depend on that one.
    """
    for _ in range(_MAX_TRIES):
        others = make_arguments(tool, rng)
        changed = [
            name
            for name in arguments
            if name in others and not equal(arguments[name], others[name])
        ]
        if changed:
            name = rng.choice(changed)
            return {**arguments, name: others[name]}
    return None


def two_different_calls(tools: Sequence[Tool], rng: Random) -> tuple[ToolCall, ToolCall] | None:
    """A call of the first tool and a different one: of another tool, if there is any.

    None if only one call is possible.
    """
    first = random_call(tools[0], rng)
    if tools[1:]:
        return first, random_call(rng.choice(tools[1:]), rng)
    for _ in range(_MAX_TRIES):
        second = random_call(tools[0], rng)
        if not equal(first.arguments, second.arguments):
            return first, second
    return None
