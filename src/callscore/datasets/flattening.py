"""One path through a JSON Schema: references followed, alternatives chosen, the rest merged."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import gcd
from typing import TYPE_CHECKING, Any

from callscore.core.equality import equal
from callscore.core.schemas.references import ALL_KEYWORDS, resolve_reference, subschemas
from callscore.datasets.scalars import exact_fraction

if TYPE_CHECKING:
    from random import Random


class TooManyTriesError(Exception):
    """A schema is so large that no value was found in this number of tries."""

    def __init__(self, tries: int) -> None:
        super().__init__(tries)
        self.tries = tries


class NoValueError(Exception):
    """No value was found for a part of a schema; the caller reports where and why."""

    def __init__(self, steps: tuple[str | int, ...], problem: str) -> None:
        super().__init__(steps, problem)
        self.steps = steps
        self.problem = problem


Schema = dict[str, Any]
_MAX_PARTS = 500
_NULL_PROBABILITY = 0.1  # if there are other alternatives
_ALTERNATIVES = ("anyOf", "oneOf")
_COMBINING_KEYWORDS = frozenset(
    ("$ref", "allOf", "if", "then", "else", "$defs", "definitions", *_ALTERNATIVES)
)
_SCHEMA_KEYWORDS = ("items", "additionalProperties", "propertyNames", "contains", "additionalItems")
_MAPPING_KEYWORDS = ("properties", "patternProperties", "dependentSchemas")


def flatten_schema(schema: Any, root: Any, rng: Random, *, is_short: bool = False) -> Schema:
    """A schema without alternatives: what is valid under it is mostly valid under the first.

    Mostly: `not`, `oneOf` and conditions are ignored, so the caller checks each value. With
    `is_short`, the alternatives that nest least are chosen, so that there is an end.

    Raises:
        NoValueError: nothing is valid under it, or a reference cannot be resolved.
    """
    flat: Schema = {}
    pending = [schema]
    for _ in range(_MAX_PARTS):
        if not pending:
            return flat
        part = pending.pop(0)
        if part is False:
            raise NoValueError((), "the schema allows no value")
        if isinstance(part, dict):
            own = {key: value for key, value in part.items() if key not in _COMBINING_KEYWORDS}
            flat = merge_schemas(flat, own)
            pending += _parts(part, root, rng, is_short=is_short)
    raise NoValueError((), "its references are circular")


def _parts(part: Schema, root: Any, rng: Random, *, is_short: bool) -> list[Any]:
    """The other schemas for the same value, with one of each alternative."""
    found: list[Any] = []
    if "$ref" in part:
        found.append(_target(root, part["$ref"]))
    found += part.get("allOf", ())
    found += [
        _choose_alternative(part[word], rng, is_short=is_short)
        for word in _ALTERNATIVES
        if part.get(word)
    ]
    if "if" in part:
        is_met = rng.random() < 0.5  # noqa: PLR2004  (one half)
        then = (part["if"], part.get("then", True))
        found += then if is_met else (part.get("else", True),)
    return found


def has_alternatives(schema: Any, root: Any) -> bool:
    """Whether there is more than one path through a schema for the same value."""
    pending = [schema]
    for _ in range(_MAX_PARTS):
        if not pending:
            return False
        part = pending.pop()
        if isinstance(part, dict):
            if "if" in part or any(part.get(word) for word in _ALTERNATIVES):
                return True
            pending += part.get("allOf", ())
            pending += [resolve_reference(root, part["$ref"])] if "$ref" in part else []
    return True


def _target(root: Any, reference: Any) -> Any:
    found = resolve_reference(root, reference)
    if found is None and isinstance(reference, str) and reference.startswith("#"):
        found = _anchored(root, reference[1:])
    if found is None:
        raise NoValueError((), f"its reference {reference!r} cannot be resolved")
    return found


def _anchored(root: Any, name: str) -> Any:
    """The part of a schema with this anchor."""
    pending = [root]
    while pending:
        part = pending.pop()
        if isinstance(part, dict):
            if part.get("$anchor") == name:
                return part
            pending += subschemas(part, ALL_KEYWORDS)
    return None


def _choose_alternative(options: list[Any], rng: Random, *, is_short: bool) -> Any:
    allowed = [option for option in options if option is not False] or [False]
    if is_short:
        return min(allowed, key=_nesting_rank)
    others = [option for option in allowed if not _is_null(option)]
    if others and rng.random() >= _NULL_PROBABILITY:
        return rng.choice(others)
    return rng.choice(allowed)


def _is_null(option: Any) -> bool:
    return isinstance(option, dict) and option.get("type") == "null"


def _nesting_rank(option: Any) -> int:
    """How much nesting an alternative may cause: scalars least, references most."""
    if not isinstance(option, dict) or _is_null(option):
        return 0
    if "$ref" in option or any(word in option for word in ("allOf", *_ALTERNATIVES)):
        return 3
    return 2 if subschemas(option, ALL_KEYWORDS) and option.get("properties") else 1


def merge_schemas(first: Schema, second: Schema) -> Schema:
    """Merge two schemas; what cannot be merged becomes `allOf`."""
    second = _normalized(second)
    if not first:
        return second
    found = {**first, **second}
    for word in first.keys() & second.keys():
        if word in _MERGERS:
            found[word] = _MERGERS[word](first[word], second[word])
    return found


def _normalized(schema: Schema) -> Schema:
    """The schema with `const` as a list of one, and bounds as in later drafts."""
    plain = dict(schema)
    if "const" in plain:
        plain["enum"] = [plain.pop("const")]
    for word, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if isinstance(plain.get(word), bool):
            is_exclusive = plain.pop(word)
            if is_exclusive and bound in plain:
                plain[word] = plain.pop(bound)
    return plain


def _merge_subschemas(left: Any, right: Any) -> Any:
    if left is False or right is False:
        return False
    return {"allOf": [left, right]}


def _merge_mappings(left: Schema, right: Schema) -> Schema:
    shared = {key: _merge_subschemas(left[key], right[key]) for key in left.keys() & right.keys()}
    return {key: shared.get(key, value) for key, value in {**left, **right}.items()}


def _merge_lists(left: list[Any], right: list[Any]) -> list[Any]:
    shorter = min(len(left), len(right))
    rest = left[shorter:] or right[shorter:]
    return [*map(_merge_subschemas, left[:shorter], right[:shorter]), *rest]


def _merge_values(left: list[Any], right: list[Any]) -> list[Any]:
    return [item for item in left if any(equal(item, other) for other in right)]


def _merge_types(left: Any, right: Any) -> list[str]:
    lefts = [left] if isinstance(left, str) else left
    rights = [right] if isinstance(right, str) else right
    found = [kind for kind in lefts if kind in rights]
    is_integer = {"integer", "number"} <= {*lefts, *rights} and "number" not in found
    return [*found, "integer"] if is_integer and "integer" not in found else found


def _merge_multiples(left: Any, right: Any) -> Any:
    first, second = exact_fraction(left), exact_fraction(right)
    if not first or not second:
        return right
    shared = Fraction(
        first.numerator * second.numerator // gcd(first.numerator, second.numerator),
        gcd(first.denominator, second.denominator),
    )
    return int(shared) if shared.denominator == 1 else float(shared)


_MERGERS: dict[str, Callable[[Any, Any], Any]] = {
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength"), max),
    **dict.fromkeys(("minItems", "minProperties", "minContains"), max),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength"), min),
    **dict.fromkeys(("maxItems", "maxProperties", "maxContains"), min),
    **dict.fromkeys(_SCHEMA_KEYWORDS, _merge_subschemas),
    **dict.fromkeys(_MAPPING_KEYWORDS, _merge_mappings),
    "prefixItems": _merge_lists,
    "required": lambda left, right: list(dict.fromkeys([*left, *right])),
    "enum": _merge_values,
    "type": _merge_types,
    "multipleOf": _merge_multiples,
}
