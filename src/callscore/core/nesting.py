"""How deep a value is nested, checked once where calls are read: everything after that may recurse."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from gc import get_referents
from typing import Any, Literal

from callscore.core.rules import Matcher

MAX_DEPTH = 500  # levels of objects and arrays in the arguments of a call
# Objects of Python can share parts, so that a few lines expand to more values than fit into memory.
# Up to this many values are followed, and then at most this many times as many as are in memory.
MAX_VALUES = 100_000
_MAX_REPEATS = 20

NestingFault = Literal["too_deep", "too_large", "cyclic"]

_FEW_LEVELS = 4
_MAX_ASKED = 64
_SCALARS = frozenset({str, int, float, bool, type(None)})
_are_scalars = _SCALARS.issuperset
_CONTAINERS = (dict, list, tuple, Matcher)
_FIELDS = "__dataclass_fields__"  # of a dataclass: encoders follow it, and so does its comparison


def nesting_fault(value: dict[str, Any]) -> NestingFault | None:
    """Why the members of an object cannot be followed to their ends; None if they can.

    An object that contains itself has no end.
    """
    return None if end_soon((value,)) else _fault_in_levels(value)


def end_soon(values: Sequence[Any]) -> bool:
    """Whether the members of these values end after a few levels; False if that is not certain.

    The interpreter collects each level, which is many times as fast as a loop. It finds the members
    of everything that is followed here, and more. It is never asked for the members of more than 64
    values: if they share a part, a level is at most 64 times as large as the part in memory.
    """
    # Without a loop for the first levels: most arguments have only scalars, and lists of scalars.
    if (
        len(values) <= _MAX_ASKED
        and len(level := get_referents(*values)) <= _MAX_ASKED
        and len(level := get_referents(*level)) <= _MAX_ASKED
        and not get_referents(*level)
    ):
        return True
    level = list(values)
    for _ in range(_FEW_LEVELS + 2):
        if len(level) > _MAX_REPEATS:
            break
        level = get_referents(*level)
        if not level:
            return True
    return _are_scalars(map(type, level))


def are_shallow(values: Sequence[Any]) -> bool:
    """The same for any number of values that were decoded from one text, and share no parts."""
    level = list(values)
    for _ in range(_FEW_LEVELS + 2):  # the first two are not among the few
        if not level:
            return True
        level = get_referents(*level)
    return not level


def _fault_in_levels(value: dict[str, Any]) -> NestingFault | None:
    members: list[Any] = list(value.values())
    seen = len(members)
    for _ in range(_FEW_LEVELS):  # quickly, as nearly all values have only a few
        deeper = _members_of(members)
        if deeper is None:
            break
        seen += len(deeper)
        if 2 * seen > MAX_VALUES:
            break  # each of them may count twice: as a member, and as a container
        if _are_scalars(map(type, deeper)):
            return None
        members = deeper
    return _fault_below(value)


def _members_of(values: list[Any]) -> list[Any] | None:
    """The members of these values, one level deeper; None if there are unusual or too many ones."""
    deeper: list[Any] = []
    for item in values:
        kind = item.__class__
        if kind is list:
            deeper += item
        elif kind is dict:
            deeper += item.values()
        elif kind not in _SCALARS:
            return None
        if len(deeper) > MAX_VALUES:
            return None
    return deeper


def _fault_below(value: dict[str, Any]) -> NestingFault | None:
    ancestors: list[Any] = [value]
    pending: list[Iterator[Any]] = [_containers_in(value)]
    seen, most = len(value), MAX_VALUES
    is_counted = False
    while pending:
        item = next(pending[-1], None)
        if item is None:
            pending.pop()
            ancestors.pop()
            continue
        seen += _size(item)
        ancestors.append(item)
        pending.append(_containers_in(item))
        if len(pending) > MAX_DEPTH:
            is_cyclic = len({id(each) for each in ancestors}) < len(ancestors)
            return "cyclic" if is_cyclic else "too_deep"
        if seen > most:
            if is_counted:
                return "too_large"
            is_counted, most = True, max(most, _MAX_REPEATS * _values_in_memory(value))
    return None


def _values_in_memory(value: Any) -> int:
    """The number of values, each counted once however often it occurs."""
    known = {id(value)}
    pending = [value]
    count = 0
    while pending:
        item = pending.pop()
        count += _size(item)
        new = {id(each): each for each in _containers_in(item) if id(each) not in known}
        known.update(new)
        pending += new.values()
    return count


def _size(value: Any) -> int:
    return 1 + len(_parts_of(value))


def _containers_in(value: Any) -> Iterator[Any]:
    return iter([item for item in _parts_of(value) if _is_container(item)])


def _is_container(value: Any) -> bool:
    return isinstance(value, _CONTAINERS) or hasattr(value.__class__, _FIELDS)


def _parts_of(value: Any) -> Collection[Any]:
    if isinstance(value, dict):
        return value.values()
    if isinstance(value, Matcher):
        return value.value, value.options
    if isinstance(value, list | tuple):
        return value
    return [getattr(value, name, None) for name in getattr(value, _FIELDS)]


def leaves(value: Any) -> Iterator[Any]:
    """The values in plain data that are neither objects nor arrays, at any depth."""
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            pending += item.values()
        elif isinstance(item, list | tuple):
            pending += item
        else:
            yield item
