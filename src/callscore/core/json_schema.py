"""JSON Schema, drafts 4 to 2020-12: whether a schema can be used, and what a value lacks by it.

Nothing is ever fetched: a schema that refers to a document outside itself cannot be used. A pattern
costs time that grows with the text, or, if it looks around or back, so many steps and no more. The
one word of OpenAPI that JSON Schema has not, `nullable`, is understood.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from callscore.core.arguments import json_type
from callscore.core.schema_error import SchemaError, path_of, schema_errors, unchecked
from callscore.core.schema_growth import MOST_DEMANDS, asks_too_much
from callscore.core.schema_null import allow_null
from callscore.core.schema_work import takes_too_long
from callscore.core.text import clip, escape
from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError, Validator

__all__ = ["DRAFTS", "SchemaError", "errors_in", "problem_with"]

DRAFTS = ("4", "6", "7", "2019-09", "2020-12")
# Steps of the engine for patterns that need backtracking; these take about two milliseconds.
_MOST_BACKTRACKING = 100_000
_MOST_ERRORS = 100  # of one value; whoever has more of them is not helped by the rest
_MOST_READ = 10 * _MOST_ERRORS  # several of them may say the same
_LONGEST = 300  # columns of a problem
_TOO_DEEP = "it is nested too deep."
_TOO_MANY_WAYS = "it is not valid; to tell where, in a schema with so many ways, takes too long."
_INVALID = "invalid"  # the keyword of an error without a place
_REFERENCE = b'"$ref":'
_NULLABLE = b'"nullable":true'
# What encoding raises for what JSON does not know.
_NOT_JSON = (TypeError, ValueError, OverflowError)
_encode = msgspec.json.Encoder().encode


def problem_with(schema: Any) -> str | None:
    """Why a schema cannot be used, as a sentence; None where it can.

    It is not a schema, refers to something that is not in it, has a pattern that is no regular
    expression, or is of a draft that nobody here knows.
    """
    found = _usable(schema)
    return found if isinstance(found, str) else None


def errors_in(schema: Any, value: Any) -> list[SchemaError]:
    """What is wrong with a value by a schema; nothing where it is valid.

    `format` is checked. Of alternatives (`anyOf`, `oneOf`) none of which fits, the error is the one
    that says most. A value that JSON does not know, or that is nested too deep, has one error with
    the keyword `unchecked`, and one whose errors would take too long to tell one with the keyword
    `invalid`. At most 100 errors are given.

    Args:
        schema: the schema; without a `$schema` it is of draft 2020-12.
        value: the value.

    Raises:
        InvalidSettings: the schema cannot be used.
    """
    usable = _usable(schema)
    if isinstance(usable, str):
        raise InvalidSettings(f"the JSON Schema cannot be used: {usable}")
    try:
        return _errors(usable, value)
    except UnicodeEncodeError:  # half of a surrogate pair, which the library has no letter for
        return _errors_of_mended(usable, value)
    except ValueError as error:
        return [_unreadable(error, value)]


class _Usable(NamedTuple):
    """What checks by a schema, and the schema itself if there are references in it."""

    validator: Validator
    referring: dict[str, Any] | None


def _errors(usable: _Usable, value: Any) -> list[SchemaError]:
    if usable.validator.is_valid(value):  # the short way, for nearly all
        return []
    if usable.referring is not None and takes_too_long(usable.referring, value):
        return [SchemaError(_INVALID, message=_TOO_MANY_WAYS)]
    found = islice(usable.validator.iter_errors(value), _MOST_READ)
    return schema_errors(found, value)[:_MOST_ERRORS]


def _errors_of_mended(usable: _Usable, value: Any) -> list[SchemaError]:
    try:
        return _errors(usable, _mended(value))
    except ValueError as error:
        return [_unreadable(error, value)]
    except RecursionError:
        return [unchecked(_TOO_DEEP, value)]


def _unreadable(error: ValueError, value: Any) -> SchemaError:
    problem = str(error)
    return unchecked(_TOO_DEEP if "ecursion" in problem else f"not JSON: {problem}.", value)


def _mended(value: Any) -> Any:
    """The value with the replacement character in place of halves of surrogate pairs."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_mended(key): _mended(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [_mended(item) for item in value]
    return value


def _usable(schema: Any) -> _Usable | str:
    """What checks by a schema, or why nothing can."""
    if not isinstance(schema, dict | bool):
        return f"it is of the type {json_type(schema)}, not an object."
    try:
        text = _encode(schema)
    except RecursionError:
        return _TOO_DEEP
    except _NOT_JSON as error:
        return f"it is not JSON: {escape(str(error))}."
    return _compiled(text)


# By its text: the records of a file each bring their own copy of the same tools.
@lru_cache(maxsize=1024)
def _compiled(text: bytes) -> _Usable | str:
    from jsonschema_rs import FancyRegexOptions, ValidationError, validator_for

    schema = msgspec.json.decode(text)
    if _NULLABLE in text:
        allow_null(schema)
    if asks_too_much(schema):
        return f"its references multiply to more than {MOST_DEMANDS} schemas for one value."
    try:
        validator = validator_for(
            schema,
            validate_formats=True,
            offline=True,
            pattern_options=FancyRegexOptions(backtrack_limit=_MOST_BACKTRACKING),
        )
    except ValidationError as error:
        return _problem(error, schema)
    except ValueError as error:
        return _unreadable(error, schema).message
    return _Usable(validator, schema if _REFERENCE in text else None)


def _problem(error: ValidationError, schema: Any) -> str:
    if error.kind.name == "$ref":
        return _reference_problem(error.message)
    (first, *_) = schema_errors([error], schema)
    if first.wanted == "regex":
        pattern = first.value if isinstance(first.value, str) else first.steps[-1]
        return f"{path_of(first.steps)} is not a regular expression: {_quote(pattern)}."
    return f"{path_of(first.steps)} is wrong in it: {first.message}."


def _reference_problem(message: str) -> str:
    if message.startswith("Resource "):
        return f"it refers to {_quoted(message)}, which is not in it, and nothing is fetched."
    if message.startswith("Unknown meta-schema"):
        return f"its $schema, {_quoted(message)}, is not of the drafts {', '.join(DRAFTS)}."
    return f"a reference in it leads nowhere: {clip(escape(message), _LONGEST)}."


def _quoted(message: str) -> str:
    """What a message of the library has in quotes."""
    return _quote("'".join(message.split("'")[1:-1]))


def _quote(text: Any) -> str:
    return f"`{clip(escape(str(text)), _LONGEST)}`"
