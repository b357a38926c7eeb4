"""JSON Schema validation, drafts 4 to 2020-12: whether a schema can be used, and the errors of a value.

Nothing is ever fetched: a schema that refers to a document outside itself cannot be used. Patterns
run in linear time, or, with lookarounds or backreferences, in a limited number of steps. OpenAPI's
`nullable` is understood.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec import Struct

from callscore.core.equality import fingerprint, json_type
from callscore.core.large_number import LargeNumber, decode_json
from callscore.core.rendering import clip, escape, json_path
from callscore.core.schemas.references import (
    MAX_EXPANDED,
    apply_nullable,
    expands_too_much,
    takes_too_long,
)
from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError, Validator

    from callscore.core.budget import Budget

# The keyword of an error that says why a value could not be checked.
UNCHECKED = "unchecked"
_ALTERNATIVES = frozenset({"anyOf", "oneOf"})
_CHOICES = frozenset({"enum", "const"})
_MAX_CHOICES = 100  # kept in an error: each one has its own list
_NO_MEMBERS = "additionalProperties"
_KEYS = frozenset({_NO_MEMBERS, "unevaluatedProperties"})


class SchemaError(Struct, frozen=True, gc=False):
    """One thing that is wrong with a value by a schema.

    Attributes:
        keyword: what the value does not fulfil: `required`, `type`, `minimum`; `unchecked` if it
            could not be checked.
        steps: the keys and positions that lead to the place, or to a missing or unexpected member.
        required: the value of that keyword in the schema; for `required`, the name of the member.
        value: the value at that place, or None.
        message: the error in English, as the library words it.
    """

    keyword: str
    steps: tuple[str | int, ...] = ()
    required: Any = None
    value: Any = None
    message: str = ""

    @property
    def path(self) -> str:
        """The place as a JSON path: `$.passengers[0].name`."""
        return json_path(self.steps)


def unchecked_error(message: str, value: Any = None) -> SchemaError:
    """The error that says why a value could not be checked."""
    return SchemaError(UNCHECKED, (), None, value, _short(message))


def convert_errors(found: Iterable[ValidationError], value: Any) -> list[SchemaError]:
    """The errors of the library, each place and keyword once, in the library's order.

    Values are taken from `value` itself: the errors hold only copies.
    """
    errors = {
        (item.keyword, item.steps): item for error in found for item in _convert(error, value)
    }
    return list(errors.values())


def _convert(error: ValidationError, value: Any) -> list[SchemaError]:
    keyword = error.kind.name
    details = error.kind.as_dict()
    steps = tuple(error.instance_path)
    if keyword in _KEYS or keyword == "propertyNames":
        names = details["unexpected"] if keyword in _KEYS else [details["error"].instance]
        return [_member_error(error, keyword, (*steps, name), value) for name in names]
    if error.schema_path[-1:] == [_NO_MEMBERS]:  # no member is allowed
        members = _value_at(value, steps)
        return [_member_error(error, _NO_MEMBERS, (*steps, key), value) for key in members]
    if keyword in _ALTERNATIVES:
        return [_alternatives_error(error, details["context"], value)]
    return [_keyword_error(error, details, value)]


def _member_error(
    error: ValidationError, keyword: str, steps: tuple[str | int, ...], value: Any
) -> SchemaError:
    return SchemaError(keyword, steps, False, _value_at(value, steps), _short(error.message))  # noqa: FBT003  (what the schema says)


def _keyword_error(error: ValidationError, details: dict[str, Any], value: Any) -> SchemaError:
    keyword, steps = error.kind.name, tuple(error.instance_path)
    if keyword == "required":
        name = details["property"]
        return SchemaError(keyword, (*steps, name), name, None, _short(error.message))
    if details.keys() & {"error", "message"}:  # the engine gave up, whatever the value is
        return SchemaError(UNCHECKED, steps, None, _value_at(value, steps), _short(error.message))
    required = next(iter(details.values()), None)
    if keyword == "type" and isinstance(required, list) and len(required) == 1:
        required = required[0]
    elif keyword == "enum" and isinstance(required, list):
        required = _first_choices(required)
    return SchemaError(keyword, steps, required, _value_at(value, steps), _short(error.message))


def _alternatives_error(
    error: ValidationError, context: Sequence[Sequence[ValidationError]], value: Any
) -> SchemaError:
    """The most informative error about alternatives of which none fits."""
    steps = tuple(error.instance_path)
    branches = [[item for inner in branch for item in _convert(inner, value)] for branch in context]
    whole = SchemaError(
        error.kind.name, steps, None, _value_at(value, steps), _short(error.message)
    )
    if not all(branches):  # some alternative fits: more than one does
        return whole
    return (
        _merged(whole, branches, frozenset({"type"}))
        or _merged(whole, branches, _CHOICES)
        or _nearest(steps, branches)
    )


def _merged(
    whole: SchemaError, branches: list[list[SchemaError]], keywords: frozenset[str]
) -> SchemaError | None:
    """All alternatives as one list of types, or of values; None if they ask for more than that."""
    required: list[Any] = []
    for branch in branches:
        fitting = [item for item in branch if item.steps == whole.steps]
        first = next((item for item in fitting if item.keyword in keywords), None)
        if first is None:
            return None
        is_list = isinstance(first.required, list) and first.keyword != "const"
        required += first.required if is_list else [first.required]
    keyword = "type" if "type" in keywords else "enum"
    unique: dict[str, Any] = {}
    for item in required:
        unique.setdefault(fingerprint(item), item)
    return SchemaError(
        keyword, whole.steps, _first_choices(list(unique.values())), whole.value, whole.message
    )


def _first_choices(choices: list[Any]) -> list[Any]:
    """The choices of a schema; of very many the first ones, and how many others there are."""
    others = len(choices) - _MAX_CHOICES
    return [*choices[:_MAX_CHOICES], f"… {others:,} others"] if others > 0 else choices


def _nearest(steps: tuple[str | int, ...], branches: list[list[SchemaError]]) -> SchemaError:
    """The deepest error of the alternative that was probably meant."""

    def rank(branch: list[SchemaError]) -> tuple[bool, bool, int]:
        is_other_type = any(item.keyword == "type" and item.steps == steps for item in branch)
        return is_other_type, any(item.keyword in _CHOICES for item in branch), len(branch)

    likeliest: list[SchemaError] = min(branches, key=rank)
    return max(likeliest, key=lambda item: len(item.steps))


def _value_at(value: Any, steps: Iterable[str | int]) -> Any:
    for step in steps:
        # The library writes a key such as "0" as a number.
        value = value[str(step) if isinstance(value, dict) else step]
    return value


def _short(message: str) -> str:
    return clip(escape(message[: _MAX_PROBLEM_WIDTH + 1]), _MAX_PROBLEM_WIDTH)


DRAFTS = ("4", "6", "7", "2019-09", "2020-12")
# Steps of the engine for patterns that need backtracking; these take about two milliseconds.
_MAX_BACKTRACKING = 100_000
# For each class in a pattern, such as \d, the library makes a new copy of the pattern and parses it.
_CLASS = re.compile(r"\\[dDsSwW]")
_MAX_PATTERN_WORK = 400_000  # classes, times the length of the pattern, of all patterns together
_MAX_ERRORS = 100  # reported for one value
_MAX_READ = 10 * _MAX_ERRORS  # several of them may say the same
_MAX_PROBLEM_WIDTH = 300  # columns of a problem
_TOO_DEEP = "it is nested too deeply."
_TOO_MANY_WAYS = "it is invalid. Where is unknown: it has too many alternatives to search them all."
_TOO_LARGE = "it is invalid. Where is unknown: the schema and the value are too large together."
_MAX_ERROR_WORK = 1_000_000  # parts of the schema, times parts of the value: errors have copies
_PARTS_PER_ALTERNATIVE = 40
_INVALID = "invalid"  # the keyword of an error without a place
_REFERENCE = b'"$ref":'
_NULLABLE = b'"nullable":true'
_PATTERN = b'"pattern'
# What encoding raises for values that are not JSON.
_NOT_JSON = (TypeError, ValueError, OverflowError)
_LARGE = b"1" + b"0" * 400  # larger than all floats, as every large number is


def _plain_number(value: Any) -> Any:
    """An integer in place of a large number, which the library does not know."""
    if not isinstance(value, LargeNumber):
        raise TypeError(f"Encoding objects of type {type(value).__qualname__} is unsupported")
    return msgspec.Raw(f"{'-' if value.is_negative else ''}{_LARGE.decode()}".encode())


_encode = msgspec.json.Encoder(enc_hook=_plain_number).encode


def schema_problem(schema: Any) -> str | None:
    """Why a schema cannot be used, as a sentence; None if it can.

    For example, it refers to something that is not in it, or is of an unknown draft.
    """
    found = _compile(schema)
    return found if isinstance(found, str) else None


def validation_errors(schema: Any, value: Any, budget: Budget | None = None) -> list[SchemaError]:
    """The errors of a value by a schema, at most 100; empty if it is valid.

    `format` is checked. If none of several alternatives (`anyOf`, `oneOf`) fits, only the most
    informative error is given. A value that is not JSON, or is nested too deep, has one error with
    the keyword `unchecked`; a value whose errors would take too long to find has one with the
    keyword `invalid`. Without a `$schema`, the draft is 2020-12.

    Raises:
        InvalidSettings: the schema cannot be used.
        OverBudget: the budget of the case does not suffice, if there is one.
    """
    compiled = _usable(schema, budget)
    if budget is None:
        return _checked(compiled, value)
    steps = _STEPS + budget.size_of(value)
    found: list[SchemaError] = budget.search(
        steps, "$schema", lambda _seconds: _checked(compiled, value)
    )
    return found


def is_valid(schema: Any, value: Any, budget: Budget) -> bool:
    """Whether a value has no errors by a schema, which is faster than to say which.

    Raises:
        InvalidSettings: the schema cannot be used.
        OverBudget: the budget of the case does not suffice.
    """
    compiled = _usable(schema, budget)

    def search(_seconds: float) -> bool:
        try:
            return compiled.validator.is_valid(value)
        except ValueError:  # not a value of JSON, or not as the library knows it
            return not _checked(compiled, value)

    found: bool = budget.search(_STEPS + budget.size_of(value), "$schema", search)
    return found


def _usable(schema: Any, budget: Budget | None) -> _CompiledSchema:
    compiled: _CompiledSchema | str = (
        _compile(schema) if budget is None else budget.about(schema, _compile)
    )
    if isinstance(compiled, str):
        raise InvalidSettings(f"invalid JSON Schema: {compiled}")
    return compiled


_STEPS = 50  # to validate a value that has no parts


def _checked(compiled: _CompiledSchema, value: Any) -> list[SchemaError]:
    try:
        return _errors(compiled, value)
    except UnicodeEncodeError:  # half of a surrogate pair, which the library cannot represent
        return _errors_without_surrogates(compiled, value)
    except ValueError as error:
        plain = _with_plain_numbers(value)
        return [_unchecked_value(error, value)] if plain is None else _errors(compiled, plain)


def _with_plain_numbers(value: Any) -> Any:
    """The value with integers in place of large numbers; None if it has none, or is too deep."""
    try:
        text = _encode(value)
    except (TypeError, ValueError, RecursionError):
        return None
    return decode_json(text) if _LARGE in text else None


class _CompiledSchema(NamedTuple):
    """A compiled schema, the schema itself if there are references in it, and its size.

    In the size, an alternative counts as many parts: each has errors of its own.
    """

    validator: Validator
    referring: dict[str, Any] | None
    size: int


def _errors(compiled: _CompiledSchema, value: Any) -> list[SchemaError]:
    if compiled.validator.is_valid(value):  # fast, and true of nearly all values
        return []
    if compiled.referring is not None and takes_too_long(compiled.referring, value):
        return [SchemaError(_INVALID, message=_TOO_MANY_WAYS)]
    if compiled.size * _size(value, {}) > _MAX_ERROR_WORK:
        return [SchemaError(_INVALID, message=_TOO_LARGE)]
    found = islice(compiled.validator.iter_errors(value), _MAX_READ)
    return convert_errors(found, value)[:_MAX_ERRORS]


def _errors_without_surrogates(compiled: _CompiledSchema, value: Any) -> list[SchemaError]:
    try:
        return _errors(compiled, _without_surrogates(value))
    except ValueError as error:
        return [_unchecked_value(error, value)]
    except RecursionError:
        return [unchecked_error(_TOO_DEEP, value)]


def _unchecked_value(error: ValueError, value: Any) -> SchemaError:
    problem = str(error)
    return unchecked_error(_TOO_DEEP if "ecursion" in problem else f"not JSON: {problem}.", value)


def _without_surrogates(value: Any) -> Any:
    """The value with the replacement character in place of halves of surrogate pairs."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {  # a tuple that is a key cannot become a list; it is refused because it is not text
            _without_surrogates(key) if isinstance(key, str) else key: _without_surrogates(member)
            for key, member in value.items()
        }
    if isinstance(value, list | tuple):
        return [_without_surrogates(item) for item in value]
    return value


def _compile(schema: Any) -> _CompiledSchema | str:
    """The compiled schema, or why it cannot be compiled."""
    if not isinstance(schema, dict | bool):
        return f"expected an object, got a value of type {json_type(schema)}."
    try:
        text = _encode(schema)
    except RecursionError:
        return _TOO_DEEP
    except _NOT_JSON as error:
        return f"it is not JSON: {escape(str(error))}."
    return _compile_text(text)


# Cached by its text, as each record of a file has its own copy of the same tools.
@lru_cache(maxsize=1024)
def _compile_text(text: bytes) -> _CompiledSchema | str:
    from jsonschema_rs import FancyRegexOptions, ValidationError, validator_for

    schema = msgspec.json.decode(text)
    if _NULLABLE in text:
        apply_nullable(schema)
    excess = _excess(schema, has_patterns=_PATTERN in text)
    if excess is not None:
        return excess
    try:
        validator = validator_for(
            schema,
            validate_formats=True,
            offline=True,
            pattern_options=FancyRegexOptions(backtrack_limit=_MAX_BACKTRACKING),
        )
    except ValidationError as error:
        return _problem(error, schema)
    except ValueError as error:
        return _unchecked_value(error, schema).message
    size = _size(schema, dict.fromkeys(_ALTERNATIVES, _PARTS_PER_ALTERNATIVE))
    return _CompiledSchema(validator, schema if _REFERENCE in text else None, size)


def _size(value: Any, weights: dict[str, int]) -> int:
    """The number of parts of a value, and more for each item of a member with a weight."""
    size = 0
    pending = [value]
    seen: set[int] = set()  # a value that contains itself is refused later
    while pending:
        part = pending.pop()
        size += 1
        if id(part) in seen:
            continue
        if isinstance(part, dict):
            seen.add(id(part))
            pending += part.values()
            for key in part.keys() & weights.keys():
                size += weights[key] * len(part[key]) if isinstance(part[key], list) else 0
        elif isinstance(part, list | tuple):
            seen.add(id(part))
            pending += part
    return size


def _excess(schema: Any, *, has_patterns: bool) -> str | None:
    """Why a schema would take too long, or None."""
    if expands_too_much(schema):
        return f"its references expand to more than {MAX_EXPANDED} schemas for one value."
    if has_patterns and _pattern_work(schema) > _MAX_PATTERN_WORK:
        return "its regular expressions take too long to compile. Make them shorter."
    return None


def _pattern_work(schema: Any) -> int:
    """How much work it takes to compile the regular expressions in a schema."""
    work = 0
    pending = [schema]
    while pending:
        part = pending.pop()
        if isinstance(part, list):
            pending += part
        elif isinstance(part, dict):
            named = part.get("patternProperties")
            patterns = [part.get("pattern"), *(named if isinstance(named, dict) else ())]
            texts = [pattern for pattern in patterns if isinstance(pattern, str)]
            work += sum(len(text) * len(_CLASS.findall(text)) for text in texts)
            pending += part.values()
    return work


def _problem(error: ValidationError, schema: Any) -> str:
    if error.kind.name == "$ref":
        return _reference_problem(error.message)
    (first, *_) = convert_errors([error], schema)
    if first.required == "regex":
        pattern = first.value if isinstance(first.value, str) else first.steps[-1]
        return f"{json_path(first.steps)} is not a regular expression: {_quote(pattern)}."
    return f"{json_path(first.steps)}: {first.message}."


def _reference_problem(message: str) -> str:
    quoted = _quote("'".join(message.split("'")[1:-1]))  # what the message has in quotes
    if message.startswith("Resource "):
        return f"it refers to {quoted}, which it does not contain. References are not fetched."
    if message.startswith("Unknown meta-schema"):
        return f"unknown $schema {quoted}. Supported drafts: {', '.join(DRAFTS)}."
    return f"a reference cannot be resolved: {clip(escape(message), _MAX_PROBLEM_WIDTH)}."


def _quote(text: Any) -> str:
    return f"`{clip(escape(str(text)), _MAX_PROBLEM_WIDTH)}`"
