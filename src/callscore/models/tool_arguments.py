"""The arguments of a call as the function wants them: what JSON has no word for, made of it."""

from __future__ import annotations

from functools import partial
from inspect import Parameter, signature, unwrap
from pathlib import PurePath
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin

import msgspec
from msgspec import Struct

from callscore.formats.annotations import hints_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Arguments", "fitted"]

_PLAIN = (str, int, float, bool, list, dict, None, type(None), Any)
_OF_PLAIN = (list, dict, Union, UnionType)


class Arguments(Struct, frozen=True):
    """What a function is called with.

    Attributes:
        positional: what it takes by place alone.
        named: the rest.
    """

    positional: tuple[Any, ...]
    named: dict[str, Any]


class _Unknown(Exception):
    """There is a class in an annotation of which nobody knows how it is made of data."""


def fitted(function: Callable[..., Any], arguments: dict[str, Any]) -> Arguments:
    """The arguments that a model gave as the annotations of the function say they are.

    A date is made of its text, a set of its list, an object of its fields. What Python has no other
    type for than JSON, and what nobody knows how to make, stays as it is.

    Raises:
        ValueError: an argument cannot be what its annotation says.
    """
    try:
        parameters = signature(function).parameters
    except (TypeError, ValueError):  # some of those that are written in C have no names for them
        return Arguments(tuple(arguments.values()), {})
    inner: Any = function
    while isinstance(inner, partial):
        inner = inner.func
    hints = hints_of(unwrap(inner))
    made = {
        name: _made(hints[name], value, name) if name in hints else value
        for name, value in arguments.items()
        if not _is_default(value, parameters.get(name))
    }
    return _placed(parameters, made)


def _is_default(value: Any, parameter: Parameter | None) -> bool:
    """Whether nothing was given for a parameter, and may be: `city: str = None` means it."""
    return value is None and parameter is not None and parameter.default is None


def _placed(parameters: Mapping[str, Parameter], made: dict[str, Any]) -> Arguments:
    """The arguments by place where the function takes them so, up to one that is not given."""
    positional: list[Any] = []
    for name, parameter in parameters.items():
        if parameter.kind is not Parameter.POSITIONAL_ONLY or name not in made:
            break
        positional.append(made.pop(name))
    return Arguments(tuple(positional), made)


def _made(kind: Any, value: Any, name: str) -> Any:
    if _is_text_of_bytes(kind, value):
        return value.encode()
    try:
        return _converted(kind, value)
    except msgspec.ValidationError as error:
        if _is_plain(kind):  # Python does not mind what an annotation says
            return value
        raise ValueError(f"{name}: {error}") from error
    except (TypeError, _Unknown):  # kinds that cannot be told apart, in one annotation
        return value


def _converted(kind: Any, value: Any) -> Any:
    """The value as what an annotation says; a text may be a number, where it is not a text."""
    try:
        return msgspec.convert(value, kind, dec_hook=_object_of)
    except msgspec.ValidationError:
        return msgspec.convert(value, kind, dec_hook=_object_of, strict=False)


def _object_of(kind: Any, value: Any) -> Any:
    if hasattr(kind, "model_validate"):
        return kind.model_validate(value)  # a model of pydantic
    if isinstance(kind, type) and issubclass(kind, PurePath) and isinstance(value, str):
        return kind(value)
    raise _Unknown


def _is_text_of_bytes(kind: Any, value: Any) -> bool:
    """Whether a text stands for bytes: a model is told that it is a text, and nothing of base64."""
    kinds = (kind, *get_args(kind))
    return isinstance(value, str) and bytes in kinds and str not in kinds


def _is_plain(kind: Any) -> bool:
    """Whether an annotation says nothing that JSON could not say."""
    origin = get_origin(kind)
    if origin is Annotated:
        return _is_plain(get_args(kind)[0])
    if origin in _OF_PLAIN:
        return all(map(_is_plain, get_args(kind)))
    return origin is Literal or any(kind is one for one in _PLAIN)
