"""What is wrong with a value by a JSON Schema, as plain data and at the place where it is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct

from callscore.core.text import clip, escape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from jsonschema_rs import ValidationError

__all__ = ["UNCHECKED", "SchemaError", "path_of", "schema_errors", "unchecked"]

# The keyword of an error that says why a value could not be checked.
UNCHECKED = "unchecked"
_ALTERNATIVES = frozenset({"anyOf", "oneOf"})
_CHOICES = frozenset({"enum", "const"})
_NO_MEMBERS = "additionalProperties"
_KEYS = frozenset({_NO_MEMBERS, "unevaluatedProperties"})
_LONGEST = 300  # columns of a message, which repeats the value however long that is
_Item = TypeVar("_Item")


class SchemaError(Struct, frozen=True, gc=False):
    """One thing that is wrong with a value by a schema.

    Attributes:
        keyword: what the value does not fulfil: `required`, `type`, `minimum`; `unchecked` where it
            could not be checked.
        steps: the keys and positions that lead to the place; of a member that is missing, or that
            must not be there, to that member.
        wanted: what the schema has under that keyword; of `required` the name of the member.
        value: what was given at that place; None where nothing was.
        message: the error in English, in the words of the library that found it.
    """

    keyword: str
    steps: tuple[str | int, ...] = ()
    wanted: Any = None
    value: Any = None
    message: str = ""

    @property
    def path(self) -> str:
        """The place as a JSON path: `$.passengers[0].name`."""
        return path_of(self.steps)


def path_of(steps: Iterable[str | int]) -> str:
    """Keys and positions as a JSON path."""
    return "$" + "".join(map(_step_text, steps))


def _step_text(step: str | int) -> str:
    if isinstance(step, str) and step.isidentifier():
        return f".{step}"
    return f"[{step!r}]"


def unchecked(message: str, value: Any = None) -> SchemaError:
    """The error that says why a value could not be checked."""
    return SchemaError(UNCHECKED, (), None, value, _short(message))


def schema_errors(found: Iterable[ValidationError], value: Any) -> list[SchemaError]:
    """Errors as the library gives them, each place and keyword once, in the library's order.

    Args:
        found: what the library says.
        value: what was checked; the library itself has only a copy of it.
    """
    errors = {(item.keyword, item.steps): item for error in found for item in _read(error, value)}
    return list(errors.values())


def _read(error: ValidationError, value: Any) -> list[SchemaError]:
    keyword = error.kind.name
    details = error.kind.as_dict()
    steps = tuple(error.instance_path)
    if keyword in _KEYS:
        return [_of_member(error, keyword, (*steps, key), value) for key in details["unexpected"]]
    if error.schema_path[-1:] == [_NO_MEMBERS]:  # which is told so where it allows none at all
        members = _value_at(value, steps)
        return [_of_member(error, _NO_MEMBERS, (*steps, key), value) for key in members]
    if keyword in _ALTERNATIVES:
        return [_of_alternatives(error, details["context"], value)]
    read = _READERS.get(keyword, _of_keyword)
    return [read(error, details, value)]


def _of_member(
    error: ValidationError, keyword: str, steps: tuple[str | int, ...], value: Any
) -> SchemaError:
    return SchemaError(keyword, steps, False, _value_at(value, steps), _short(error.message))  # noqa: FBT003  (what the schema says)


def _of_required(error: ValidationError, details: dict[str, Any], _: Any) -> SchemaError:
    name = details["property"]
    steps = (*error.instance_path, name)
    return SchemaError("required", steps, name, None, _short(error.message))


def _of_names(error: ValidationError, details: dict[str, Any], value: Any) -> SchemaError:
    name = details["error"].instance
    return _of_member(error, error.kind.name, (*error.instance_path, name), value)


def _of_keyword(error: ValidationError, details: dict[str, Any], value: Any) -> SchemaError:
    steps = tuple(error.instance_path)
    if details.keys() & {"error", "message"}:  # the engine gave up, whatever the value is
        return SchemaError(UNCHECKED, steps, None, _value_at(value, steps), _short(error.message))
    wanted = next(iter(details.values()), None)
    keyword = error.kind.name
    if keyword == "type" and isinstance(wanted, list) and len(wanted) == 1:
        wanted = wanted[0]
    return SchemaError(keyword, steps, wanted, _value_at(value, steps), _short(error.message))


_READERS: dict[str, Callable[[ValidationError, dict[str, Any], Any], SchemaError]] = {
    "required": _of_required,
    "propertyNames": _of_names,
}


def _of_alternatives(
    error: ValidationError, context: Sequence[Sequence[ValidationError]], value: Any
) -> SchemaError:
    """The one error that says most about why none of the alternatives fits."""
    steps = tuple(error.instance_path)
    branches = [[item for inner in branch for item in _read(inner, value)] for branch in context]
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
    """All alternatives as one list of types, or of values; None where they say more than that."""
    wanted: list[Any] = []
    for branch in branches:
        fitting = [item for item in branch if item.steps == whole.steps]
        first = next((item for item in fitting if item.keyword in keywords), None)
        if first is None:
            return None
        is_list = isinstance(first.wanted, list) and first.keyword != "const"
        wanted += first.wanted if is_list else [first.wanted]
    keyword = "type" if "type" in keywords else "enum"
    return SchemaError(keyword, whole.steps, _unique(wanted), whole.value, whole.message)


def _nearest(steps: tuple[str | int, ...], branches: list[list[SchemaError]]) -> SchemaError:
    """The deepest error of the alternative that was probably meant."""

    def rank(branch: list[SchemaError]) -> tuple[bool, bool, int]:
        is_other_type = any(item.keyword == "type" and item.steps == steps for item in branch)
        return is_other_type, any(item.keyword in _CHOICES for item in branch), len(branch)

    meant: list[SchemaError] = min(branches, key=rank)
    return max(meant, key=lambda item: len(item.steps))


def _unique(items: list[_Item]) -> list[_Item]:
    return [item for position, item in enumerate(items) if item not in items[:position]]


def _value_at(value: Any, steps: Iterable[str | int]) -> Any:
    for step in steps:
        value = value[step]
    return value


def _short(message: str) -> str:
    return clip(escape(message[: _LONGEST + 1]), _LONGEST)
