"""A change of an expectation: the new items, patches of single values, and text edits."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from msgspec import Struct, structs

from callscore.core.call import ToolCall
from callscore.core.case import Group, Times
from callscore.core.phrases import Language, Phrase, say
from callscore.core.rules import contains_matchers
from callscore.rewriting import reasons

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from callscore.core.case import Expected
    from callscore.core.score import Pair

__all__ = [
    "CannotRewrite",
    "Change",
    "DataPath",
    "Edit",
    "FoundExpectation",
    "Item",
    "Patch",
    "apply_patch",
    "patched_expected",
    "patches_for",
]


# A change of what is expected: what is to stand in a file, and the edits that this takes.

_VERBATIM = Phrase("{text}", "{text}")
# The position of an item that stays as it is written, or a call: its name and its arguments.
Item = int | dict[str, Any]
# The keys and positions that lead to a value in a document.
DataPath = tuple[str | int, ...]


class CannotRewrite(Exception):
    """Why an expectation is not written, in a sentence.

    Args:
        reason: the sentence; one that comes from elsewhere is only there in its own words.
        **values: what is put into it.
    """

    def __init__(self, reason: Phrase | str, /, **values: Any) -> None:
        phrase = reason if isinstance(reason, Phrase) else _VERBATIM
        self._phrase = phrase
        self._values = values if phrase is reason else {"text": reason}
        super().__init__(self.text("en"))

    def text(self, lang: Language) -> str:
        """The sentence in a language."""
        values = {
            name: value.text(lang) if isinstance(value, CannotRewrite) else value
            for name, value in self._values.items()
        }
        return say(self._phrase, lang, **values)


class Patch(Struct, frozen=True, kw_only=True):
    """One value that is to change in the arguments of a call that stays.

    Attributes:
        call: where the call stands: the item, and in groups the positions of the members.
        path: the keys and positions that lead to the value in the arguments.
        value: what is to stand there, meant literally.
        is_gone: whether nothing is.
    """

    call: tuple[int, ...]
    path: tuple[str | int, ...]
    value: Any = None
    is_gone: bool = False


class Change(Struct, frozen=True, kw_only=True):
    """A change of an expectation to what was observed, as plain data.

    Attributes:
        label: what it is called where people see it: `assistant[weather]`.
        files: where it may stand.
        kind: whether it is the `expected` of a case, of a call of `assert_calls`, or of a marker.
        case: the id of the case.
        input: what is asked in the case.
        expected: what is expected now, as a case file spells it; None where no file can say it.
        items: what is to be expected. Values in it are meant literally, whatever their keys.
        patches: what is to change in the items that stay.
        line: where the call, the test with the marker, or the evaluation of the case begins; 0 where
            nobody knows.
        end: where a call has ended: its line, and its column in bytes.
        place: the place in a file that is meant, by which it is told from others.
        shown: the two sides, side by side.
    """

    label: str
    files: tuple[str, ...]
    kind: Literal["case", "call", "marker"] = "case"
    case: str = ""
    input: Any = None
    expected: list[Any] | None = None
    items: tuple[Item, ...] = ()
    patches: tuple[Patch, ...] = ()
    line: int = 0
    end: tuple[int, int] = (0, 0)
    place: str = ""
    shown: str = ""


class Edit(NamedTuple):
    """What is to stand in place of a stretch of a text."""

    start: int
    end: int
    text: str


class FoundExpectation(NamedTuple):
    """A location that may be the intended one.

    Attributes:
        edits: what is to change there.
        path: where it is in the document.
        value: what the document is to hold there.
        id: the id of the case, where it has one of its own.
        trial: which trial of the case it is, where the file holds several.
    """

    edits: tuple[Edit, ...]
    path: DataPath
    value: Any
    id: Any = None
    trial: Any = None

    @property
    def start(self) -> int:
        """Where the change begins."""
        return min(edit.start for edit in self.edits)


# Patches: the single values that change in a call that stays, and plain data with them in it.

_Path = tuple[str | int, ...]


def patches_for(
    call: tuple[int, ...], pair: Pair, actual: dict[str, Any], *, is_deep: bool
) -> tuple[Patch, ...]:
    """What has to change in an expected call so that it is the one that was made.

    Args:
        call: where the expected call stands.
        pair: the two calls.
        actual: the arguments that were given, as plain data.
        is_deep: whether to look for what is wrong inside of arguments; else they change as a whole.

    Raises:
        CannotRewrite: a rule that holds, perhaps, would have to go.
    """
    wrong = frozenset(difference.path for difference in pair.differences)
    settings = pair.settings
    extras_count = settings.mode == "strict" or settings.extra_arguments == "count"
    wanted = pair.expected.arguments or {}
    found = list((_deep_patches if is_deep else _member_patches)((), wanted, actual, wrong))
    if not is_deep:
        _refuse_lost_rules(wanted, found)
    return tuple(
        Patch(call=call, path=path, value=value, is_gone=is_gone)
        for path, value, is_gone in found
        if extras_count or len(path) > 1 or path[0] in wanted
    )


# Where something changes, what it becomes, and whether that is nothing.
_PatchStep = tuple[_Path, Any, bool]


def _member_patches(
    path: _Path, wanted: Any, actual: Any, wrong: frozenset[str]
) -> Iterator[_PatchStep]:
    """The members of an object that are wrong."""
    for key, value in actual.items():
        if key not in wanted and _has_difference((*path, key), wrong):
            yield (*path, key), value, False
    for key in wanted:
        if _has_difference((*path, key), wrong):
            is_gone = key not in actual
            yield (*path, key), None if is_gone else actual[key], is_gone


def _deep_patches(
    path: _Path, wanted: Any, actual: Any, wrong: frozenset[str]
) -> Iterator[_PatchStep]:
    """What is wrong in a value, as deep inside of it as can be told."""
    if isinstance(wanted, dict) and isinstance(actual, dict) and (wanted or not path):
        for inner, value, is_gone in _member_patches(path, wanted, actual, wrong):
            known = wanted.get(inner[-1])
            if is_gone or inner[-1] not in wanted:
                yield inner, value, is_gone
            else:
                yield from _deep_patches(inner, known, value, wrong)
    elif isinstance(wanted, list) and isinstance(actual, list) and len(wanted) == len(actual):
        for position, (left, right) in enumerate(zip(wanted, actual, strict=True)):
            inner = (*path, position)
            if _has_difference(inner, wrong):
                yield from _deep_patches(inner, left, right, wrong)
    else:
        yield path, actual, False


def _has_difference(path: _Path, wrong: frozenset[str]) -> bool:
    """Whether something is wrong at a place, or inside of it."""
    name = "$" + "".join(map(_step_text, path))
    return any(each == name or each.startswith((f"{name}.", f"{name}[")) for each in wrong)


def _step_text(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if step.isidentifier() else f"[{step!r}]"


def _refuse_lost_rules(wanted: dict[str, Any], found: list[_PatchStep]) -> None:
    for (key, *_), _, _ in found:
        value = wanted.get(str(key))
        if isinstance(value, dict | list) and contains_matchers(value):
            raise CannotRewrite(reasons.HAS_RULES, name=key)


def apply_patch(value: Any, path: _Path, patch: Patch, spelled: Any) -> None:
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
        found[first] = _patched_item(found[first], rest, patch)
    return found


def _patched_item(item: Expected, path: list[int], patch: Patch) -> Expected:
    if isinstance(item, Times):
        call = _patched_item(item.call, path, patch)
        return structs.replace(item, call=call)
    if isinstance(item, Group):
        members = list(item.members)
        members[path[0]] = _patched_item(members[path[0]], path[1:], patch)
        return structs.replace(item, members=tuple(members))
    if not isinstance(item, ToolCall):
        raise CannotRewrite(reasons.NO_SINGLE_ARGUMENTS)
    arguments = deepcopy(item.arguments or {})
    apply_patch(arguments, patch.path, patch, patch.value)
    return structs.replace(item, arguments=arguments)
