"""Matchers and groups: what can be expected beyond a plain list of calls.

    from callscore import expect, score

    score(
        [expect.call("search", query=expect.contains("Paris")), expect.forbid("delete_*")],
        response,
    )

Each function has the name of its key in a case file, without the `$`. `one_of` and `optional` take
values or calls. The functions return plain frozen data; `to_json` and `from_json` convert it to and
from the format of case files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from callscore.core.call import ToolCall
from callscore.core.case import Expected, Forbidden, Group, GroupKind, Times
from callscore.core.rules import Matcher
from callscore.errors import InvalidCall
from callscore.formats.shape import describe

__all__ = [
    "absent",
    "any",
    "any_order",
    "approx",
    "call",
    "contains",
    "date",
    "end_state",
    "forbid",
    "from_json",
    "gt",
    "gte",
    "in_order",
    "judge",
    "lt",
    "lte",
    "one_of",
    "optional",
    "regex",
    "schema",
    "subset",
    "text",
    "times",
    "to_json",
    "turn",
    "type",
    "unordered",
]

_NODES = (ToolCall, Group, Times, Forbidden)


def call(name: str, arguments: Mapping[str, Any] | None = None, /, **named: Any) -> ToolCall:
    """A call of a tool: `expect.call("search", query=expect.contains("Paris"))`.

    Args:
        name: the tool.
        arguments: its arguments, if their names are not Python identifiers. Without any, here or as
            keywords, the call matches any arguments; `{}` means none.
        **named: its arguments.

    Raises:
        InvalidCall: the name is missing, or an argument is invalid.
    """
    _require_text("expect.call", name, "the name of a tool")
    if arguments is None and not named:
        return ToolCall(name)
    if arguments is not None and not isinstance(arguments, Mapping):
        raise InvalidCall(
            f"expect.call: expected an object of arguments, got {describe(arguments)}."
        )
    given = dict(arguments or {})
    for argument, value in named.items():
        if argument in given:
            raise InvalidCall(f"expect.call: the argument '{argument}' is given twice.")
        if argument in ("arguments", "args") and len(named) == 1 and isinstance(value, Mapping):
            hint = (
                f'Write expect.call("{name}", {{...}}); if the argument has this name,'
                f' expect.call("{name}", {{"{argument}": {{...}}}})'
            )
            problem = f"'{argument}' looks like the object of all arguments"
            raise InvalidCall(f"expect.call: {problem}. {hint}.")
        given[argument] = value
    for argument, value in given.items():
        _require_value(f"expect.call: {argument}", value)
    return ToolCall(name, given)


def times(
    call: ToolCall | str,
    exactly: int | None = None,
    *,
    min: int = 1,  # noqa: A002  (as in a file)
    max: int | None = None,  # noqa: A002  (likewise)
) -> Times:
    """A call that may be made several times: `expect.times(expect.call("poll"), min=1, max=3)`.

    Args:
        call: the call, or the name of a tool.
        exactly: the number of calls, in place of the other two.
        min: the smallest number of calls.
        max: the largest number of calls; None for no limit.

    Raises:
        InvalidCall: the number is invalid, or it is not a call.
    """
    from callscore.formats.expectations import read_expected

    least, most = (min, max) if exactly is None else (exactly, exactly)
    item = Times(_node(call), least, most)
    return read_expected(item, where="expect", spelled=False)  # type: ignore[return-value]  # a Times stays one


def in_order(*members: Expected | str) -> Group:
    """Calls or groups in this order."""
    return _group("in_order", members)


def any_order(*members: Expected | str) -> Group:
    """Calls or groups in any order; they may interleave."""
    return _group("any_order", members)


def one_of(*options: Any) -> Any:
    """One of several calls or groups, or one of several values of an argument."""
    if _are_nodes(options):
        return _group("one_of", options)
    _require_several("one_of", options)
    return _matcher("$one_of", list(options))


def optional(option: Any) -> Any:
    """A call, a group or the value of an argument that may be absent."""
    if _are_nodes([option]):
        return _group("optional", [option])
    return _matcher("$optional", option)


def forbid(pattern: str) -> Forbidden:
    """Calls that must not be made: a tool, or a pattern such as `delete_*`.

    Raises:
        InvalidCall: it is not a name or a pattern.
    """
    _require_text("expect.forbid", pattern, 'the name of a tool, or a pattern such as "delete_*"')
    return Forbidden(pattern)


def any() -> Matcher:  # noqa: A001  (it is called `$any` in a file)
    """Any value, as long as the argument is given."""
    return _matcher("$any", True)  # noqa: FBT003  (what stands under the key)


def type(*names: str) -> Matcher:  # noqa: A001  (likewise)
    """Any value of a JSON type, or of one of several: `expect.type("string", "null")`."""
    return _matcher("$type", names[0] if len(names) == 1 else list(names))


def regex(pattern: str) -> Matcher:
    """Text that a regular expression matches, anywhere in it."""
    return _matcher("$regex", pattern)


def contains(part: str) -> Matcher:
    """Text that contains this text."""
    return _matcher("$contains", part)


def approx(value: float, *, rel: float | None = None, abs: float | None = None) -> Matcher:  # noqa: A002  (as in a file)
    """A number within a tolerance, relative or absolute; the larger of the two counts."""
    return _matcher("$approx", value, rel=rel, abs=abs)


def gt(value: float, *, lt: float | None = None, lte: float | None = None) -> Matcher:
    """A number greater than this, and optionally below an upper bound: `expect.gt(1, lte=5)`."""
    return _matcher("$gt", value, **{"$lt": lt, "$lte": lte})


def gte(value: float, *, lt: float | None = None, lte: float | None = None) -> Matcher:
    """A number ≥ this, and optionally below an upper bound."""
    return _matcher("$gte", value, **{"$lt": lt, "$lte": lte})


def lt(value: float, *, gt: float | None = None, gte: float | None = None) -> Matcher:
    """A number less than this, and optionally above a lower bound."""
    return _between(gt, gte, **{"$lt": value})


def lte(value: float, *, gt: float | None = None, gte: float | None = None) -> Matcher:
    """A number ≤ this, and optionally above a lower bound."""
    return _between(gt, gte, **{"$lte": value})


def text(
    value: str, *, ignore: str | Sequence[str] | None = None, similarity: float | None = None
) -> Matcher:
    """Text that is equal apart from what is ignored, or similar enough.

    Args:
        value: the text.
        ignore: any of `case`, `space`, `punctuation`, `width`, one or several; all by default.
        similarity: how similar it must be, from 0 to 1; 1 by default.
    """
    if ignore is not None:
        given: Any = [ignore] if isinstance(ignore, str) else ignore
        ignore = list(given) if isinstance(given, Iterable) else given
    return _matcher("$text", value, ignore=ignore, similarity=similarity)


def date(value: str | float) -> Matcher:
    """The same date or point in time, in any notation."""
    return _matcher("$date", value)


def unordered(items: Iterable[Any]) -> Matcher:
    """An array with these items in any order."""
    given: Any = items
    is_list = isinstance(given, Iterable) and not isinstance(given, str | Mapping)
    return _matcher("$unordered", list(given) if is_list else given)


def subset(members: Mapping[str, Any]) -> Matcher:
    """An object that contains at least these keys and values."""
    given: Any = members
    return _matcher("$subset", dict(given) if isinstance(given, Mapping) else given)


def absent() -> Matcher:
    """An argument that must be absent."""
    return _matcher("$absent", True)  # noqa: FBT003  (what stands under the key)


def schema(schema: Mapping[str, Any] | bool) -> Matcher:  # noqa: FBT001  (`true` is a schema)
    """Any value that is valid under a JSON Schema."""
    return _matcher("$schema", dict(schema) if isinstance(schema, Mapping) else schema)


def judge(question: str, *, at_least: float | None = None) -> Matcher:
    """A value that a model accepts; pass the judge to `score(..., judge=...)`.

    Args:
        question: the question about the value: `same meaning as: ...`.
        at_least: the smallest answer that matches, if the judge answers with a number; 0.5 by
            default.
    """
    return _matcher("$judge", question, at_least=at_least)


def to_json(expected: Any) -> Any:
    """Convert expectations to plain data, as in a case file.

    Args:
        expected: what these functions return, a call in any spelling, or a list of these.

    Raises:
        InvalidCall: it cannot be read, or a file cannot express it.
    """
    from callscore.core.expectation_json import expected_to_json
    from callscore.formats.case_sides import read_expected_side

    return [expected_to_json(item) for item in read_expected_side(expected, where="expected")]


def from_json(expected: Any) -> list[Expected]:
    """Convert the `expected` field of a case file to expectations; `$` keys become matchers.

    Raises:
        InvalidCall: it cannot be read.
    """
    from callscore.formats.case_sides import read_expected_side

    return list(read_expected_side(expected, where="expected", spelled=True))


def __getattr__(name: str) -> Any:
    """Suggest a function for an unknown name."""
    from callscore.core.suggestions import did_you_mean

    raise AttributeError(f"expect has no function {name!r}{did_you_mean(name, __all__)}")


def _between(gt: float | None, gte: float | None, **upper: float) -> Matcher:
    """A number below one bound and perhaps above another; the rule has the key of the lower one."""
    if gt is not None:
        return _matcher("$gt", gt, **{"$gte": gte}, **upper)
    if gte is not None:
        return _matcher("$gte", gte, **upper)
    ((key, value),) = upper.items()
    return _matcher(key, value)


def _require_several(name: str, options: tuple[Any, ...]) -> None:
    if len(options) == 1 and isinstance(options[0], list | tuple):
        raise InvalidCall(f"expect.{name}: pass the members one by one, not as a list.")


def _require_value(where: str, value: Any) -> None:
    """Reject values that can only be mistakes: a function of `expect`, a call or a group."""
    pending = [value]
    seen: set[int] = set()  # a value may contain itself; the score of the call refuses it
    while pending:
        item = pending.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        if getattr(item, "__module__", None) == __name__ and callable(item):
            written = f"expect.{item.__name__}"
            raise InvalidCall(f"{where}: {written} is a function. Write {written}().")
        if isinstance(item, _NODES):
            raise InvalidCall(f"{where}: a call or a group cannot be the value of an argument.")
        if isinstance(item, Mapping):
            pending += item.values()
        elif isinstance(item, list | tuple):
            pending += item


def _require_text(where: str, value: Any, noun: str) -> None:
    if not isinstance(value, str) or not value:
        raise InvalidCall(f"{where}: expected {noun}, got {describe(value)}.")


def turn(*members: Any) -> Group:
    """What is expected after one message of the user: `expect.turn(expect.call("search"))`.

    Turns are the items of `expected`, in the order of the messages; a turn without members expects
    no calls.

    Raises:
        InvalidCall: a member is not a call or a group.
    """
    from callscore.formats.expectations import read_expectation

    group = Group("turn", tuple(_node(member) for member in members))
    (read,) = read_expectation([group], where="expect", spelled=False)
    return read  # type: ignore[return-value]  # a Group stays one


def end_state(value: Any) -> ToolCall:
    """The state that is expected at the end: `expect.end_state({"orders": {"7": expect.any()}})`.

    It is an item of `expected`, with or without calls beside it. Without any, calls are free.

    Raises:
        InvalidCall: the state cannot be compared.
    """
    from callscore.formats.case_turns import read_state

    return read_state(value, side="expected", where="expect.end_state", spelled=False)


def _matcher(key: str, value: Any, **options: Any) -> Matcher:
    """A rule, checked immediately, so that the error is raised where the mistake was made."""
    from callscore.core.nesting import nesting_fault
    from callscore.core.rules import check_matcher

    given = {name: option for name, option in options.items() if option is not None}
    matcher = Matcher(key, value, given)
    if nesting_fault({key: matcher}) is not None:
        problem: str | None = "the value contains itself, or is nested too deeply."
    else:
        problem = check_matcher(matcher)
    if problem is not None:
        raise InvalidCall(f"expect.{key.removeprefix('$')}: {problem}")
    return matcher


def _are_nodes(options: Iterable[Any]) -> bool:
    """Whether the options are calls or groups; a text is a value, unless there is a call beside it."""
    found = [isinstance(option, _NODES) for option in options]
    found += [
        isinstance(item, _NODES)
        for option in options
        if isinstance(option, list | tuple)
        for item in option
    ]
    return True in found


def _node(member: Any) -> Any:
    return ToolCall(member) if isinstance(member, str) and member else member


def _group(kind: GroupKind, members: Iterable[Any]) -> Group:
    from callscore.formats.expectations import read_expected

    members = tuple(members)
    _require_several(kind, members)
    group = Group(kind, tuple(_node(member) for member in members))
    return read_expected(group, where="expect", spelled=False)  # type: ignore[return-value]  # a Group stays one
