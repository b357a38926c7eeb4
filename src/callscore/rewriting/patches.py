"""Patches: the single values that change in a call that stays, and plain data with them in it."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from msgspec import structs

from callscore.core.call import ToolCall
from callscore.core.expectation import Group, Times
from callscore.core.matcher import holds_matchers
from callscore.rewriting import reasons
from callscore.rewriting.change import CannotRewrite, Patch

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from callscore.core.expectation import Expected
    from callscore.core.model import Pair

__all__ = ["patch_plain", "patched_expected", "patches_of"]

_Path = tuple[str | int, ...]


def patches_of(
    call: tuple[int, ...], pair: Pair, given: dict[str, Any], *, is_deep: bool
) -> tuple[Patch, ...]:
    """What has to change in an expected call so that it is the one that was made.

    Args:
        call: where the expected call stands.
        pair: the two calls.
        given: the arguments that were given, as plain data.
        is_deep: whether to look for what is wrong inside of arguments; else they change as a whole.

    Raises:
        CannotRewrite: a rule that holds, perhaps, would have to go.
    """
    wrong = frozenset(difference.path for difference in pair.differences)
    settings = pair.settings
    extras_count = settings.mode == "strict" or settings.extra_arguments == "count"
    wanted = pair.expected.arguments or {}
    found = list((_deep if is_deep else _members)((), wanted, given, wrong))
    if not is_deep:
        _refuse_lost_rules(wanted, found)
    return tuple(
        Patch(call=call, path=path, value=value, is_gone=is_gone)
        for path, value, is_gone in found
        if extras_count or len(path) > 1 or path[0] in wanted
    )


# Where something changes, what it becomes, and whether that is nothing.
_Step = tuple[_Path, Any, bool]


def _members(path: _Path, wanted: Any, given: Any, wrong: frozenset[str]) -> Iterator[_Step]:
    """The members of an object that are wrong."""
    for key, value in given.items():
        if key not in wanted and _is_touched((*path, key), wrong):
            yield (*path, key), value, False
    for key in wanted:
        if _is_touched((*path, key), wrong):
            is_gone = key not in given
            yield (*path, key), None if is_gone else given[key], is_gone


def _deep(path: _Path, wanted: Any, given: Any, wrong: frozenset[str]) -> Iterator[_Step]:
    """What is wrong in a value, as deep inside of it as can be told."""
    if isinstance(wanted, dict) and isinstance(given, dict) and (wanted or not path):
        for inner, value, is_gone in _members(path, wanted, given, wrong):
            known = wanted.get(inner[-1])
            if is_gone or inner[-1] not in wanted:
                yield inner, value, is_gone
            else:
                yield from _deep(inner, known, value, wrong)
    elif isinstance(wanted, list) and isinstance(given, list) and len(wanted) == len(given):
        for position, (left, right) in enumerate(zip(wanted, given, strict=True)):
            inner = (*path, position)
            if _is_touched(inner, wrong):
                yield from _deep(inner, left, right, wrong)
    else:
        yield path, given, False


def _is_touched(path: _Path, wrong: frozenset[str]) -> bool:
    """Whether something is wrong at a place, or inside of it."""
    name = "$" + "".join(map(_step, path))
    return any(each == name or each.startswith((f"{name}.", f"{name}[")) for each in wrong)


def _step(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if step.isidentifier() else f"[{step!r}]"


def _refuse_lost_rules(wanted: dict[str, Any], found: list[_Step]) -> None:
    for (key, *_), _, _ in found:
        value = wanted.get(str(key))
        if isinstance(value, dict | list) and holds_matchers(value):
            raise CannotRewrite(reasons.HAS_RULES, name=key)


def patch_plain(value: Any, path: _Path, patch: Patch, spelled: Any) -> None:
    """Make a change in plain data.

    Args:
        value: the data.
        path: what leads there from the data on.
        patch: the change.
        spelled: what is to stand there.
    """
    *way, last = path
    for step in way:
        value = value[step]
    if patch.is_gone:
        del value[last]
    else:
        value[last] = spelled


def patched_expected(expected: Sequence[Expected], patches: Sequence[Patch]) -> list[Expected]:
    """What is expected, with the patches in it."""
    found = list(expected)
    for patch in patches:
        first, *rest = patch.call
        found[first] = _patched(found[first], rest, patch)
    return found


def _patched(item: Expected, way: list[int], patch: Patch) -> Expected:
    if isinstance(item, Times):
        call = _patched(item.call, way, patch)
        return structs.replace(item, call=call)
    if isinstance(item, Group):
        members = list(item.members)
        members[way[0]] = _patched(members[way[0]], way[1:], patch)
        return structs.replace(item, members=tuple(members))
    if not isinstance(item, ToolCall):
        raise CannotRewrite(reasons.NO_SINGLE_ARGUMENTS)
    arguments = deepcopy(item.arguments or {})
    patch_plain(arguments, patch.path, patch, patch.value)
    return structs.replace(item, arguments=arguments)
