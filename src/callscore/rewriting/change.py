"""A change of an expectation: the new items, patches of single values, and text edits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from msgspec import Struct, structs

from callscore.core.call import ToolCall
from callscore.core.case import Expected, Group, Times
from callscore.core.phrases import Language, Phrase, say
from callscore.core.rules import contains_matchers
from callscore.rewriting import reasons

if TYPE_CHECKING:
    from callscore.core.score import Pair

_VERBATIM = Phrase("{text}", "{text}")
# The position of an item that is kept, or a new call: its name and its arguments.
Item = int | dict[str, Any]
# The keys and positions that lead to a value in a document.
DataPath = tuple[str | int, ...]


class CannotRewrite(Exception):
    """Why an expectation is not written: a sentence, and the values of its placeholders.

    A plain string exists in one language only. Every function here that finds or makes a change
    may raise it: to refuse a change is better than to guess.
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


def in_file(name: str, reason: Phrase, /, **values: Any) -> CannotRewrite:
    """The reason with the name of the file."""
    return CannotRewrite(reasons.IN_FILE, file=name, problem=CannotRewrite(reason, **values))


class Patch(Struct, frozen=True, kw_only=True):
    """A change of one value in the arguments of a call that is kept."""

    call: tuple[int, ...]  # the position of the item, and in groups those of the members
    path: DataPath  # of the value in the arguments
    value: Any = None  # meant literally
    is_gone: bool = False  # the value is removed


class Change(Struct, frozen=True, kw_only=True):
    """A change of an expectation to what was observed, as plain data.

    Attributes:
        label: its name in reports: `assistant[weather]`.
        files: the files that may contain it.
        kind: whether it is the `expected` of a case, of a call of `assert_calls`, or of a marker.
        case: the id of the case.
        input: the input of the case.
        expected: the current expectation as in a case file; None if no file can express it.
        items: the new expectation. Values in it are meant literally, whatever their keys.
        patches: the changes in the items that are kept.
        line: the first line of the call, of the test with the marker, or of the evaluation; 0 if
            unknown.
        end: the end of a call: its line, and its column in bytes.
        place: a key of the location in a file.
        shown: both sides, side by side.
        is_for_all: whether every record of the case in a file is changed: each has the reference.
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
    is_for_all: bool = False


class Edit(NamedTuple):
    """The new text of a range."""

    start: int
    end: int
    text: str


class FoundExpectation(NamedTuple):
    """A location that may be the intended one, with the edits and the new value."""

    edits: tuple[Edit, ...]
    path: DataPath
    value: Any
    id: Any = None  # of the case, if it has one of its own
    trial: Any = None  # if the file has several of the case

    @property
    def start(self) -> int:
        """The position of the first edit."""
        return min(edit.start for edit in self.edits)


def patches_for(
    call: tuple[int, ...], pair: Pair, actual: dict[str, Any], *, is_deep: bool
) -> tuple[Patch, ...]:
    """The patches that turn an expected call, at the position `call`, into the actual one.

    With `is_deep`, single values inside of arguments are changed, else arguments as a whole. Refused
    if that would remove a rule that may hold.
    """
    wrong = frozenset(difference.path for difference in pair.differences)
    settings = pair.settings
    extras_count = settings.mode == "strict" or settings.extra_arguments == "count"
    wanted = pair.expected.arguments or {}
    found = list((_deep_patches if is_deep else _member_patches)((), wanted, actual, wrong))
    for (key, *_), _, _ in () if is_deep else found:
        value = wanted.get(str(key))
        if isinstance(value, dict | list) and contains_matchers(value):
            raise CannotRewrite(reasons.HAS_RULES, name=key)
    return tuple(
        Patch(call=call, path=path, value=value, is_gone=is_gone)
        for path, value, is_gone in found
        if extras_count or len(path) > 1 or path[0] in wanted
    )


# The path, the new value, and whether it is removed.
_PatchStep = tuple[DataPath, Any, bool]


def _member_patches(
    path: DataPath, wanted: Any, actual: Any, wrong: frozenset[str]
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
    path: DataPath, wanted: Any, actual: Any, wrong: frozenset[str]
) -> Iterator[_PatchStep]:
    """The innermost values that are wrong."""
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


def _has_difference(path: DataPath, wrong: frozenset[str]) -> bool:
    """Whether the value at a path, or a value inside of it, is wrong."""
    name = "$"
    for step in path:
        is_plain = isinstance(step, str) and step.isidentifier()
        name += f".{step}" if is_plain else f"[{step!r}]"
    return any(each == name or each.startswith((f"{name}.", f"{name}[")) for each in wrong)


def apply_patch(value: Any, path: DataPath, patch: Patch, spelled: Any) -> None:
    """Replace the value at a path of plain data with `spelled`, or remove it."""
    *way, last = path
    for step in way:
        value = value[step]
    if patch.is_gone:
        del value[last]
    else:
        value[last] = spelled


def patched_expected(expected: Sequence[Expected], patches: Sequence[Patch]) -> list[Expected]:
    """The expectation with the patches applied."""
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
