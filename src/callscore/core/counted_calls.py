"""Which calls count under the settings, and under which names they are compared.

Calls are left out, and listed as ignored, for these reasons, in this order:

1. Failed calls: a call that ended in an error has changed nothing.
2. Reads: a call that only reads has changed nothing either. A tool that is not known to read counts
   as a write: a lookup that is scored costs a little, a deletion that is not scored costs everything.
3. Repeats, last: a call that failed must not make its own successful retry a repeat.

Forbidden calls are found here, too: they count as extra, and make the score 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from msgspec import Struct, structs

from callscore.core.call import MAX_EXCERPT, NOT_CAPTURED, Effect, Tool, ToolCall
from callscore.core.case import Expected, Forbidden, Group, Times, calls_in
from callscore.core.equality import fingerprint
from callscore.core.rules import contains_matchers
from callscore.core.tool_names import (
    changes_names,
    comparable_name,
    expectation_with_compared_names,
    matches_pattern,
    normalize_letters,
    with_compared_name,
    without_namespace,
)
from callscore.errors import InvalidCall

if TYPE_CHECKING:
    from callscore.core.settings import Settings

# The verbs of tools that only read, if neither the settings nor a definition say anything: the rest
# of the name says what they look up; a verb alone (`get`) says too little. Which verbs are reads was
# measured: see docs/explanation/calls-that-matter.md.
READ_VERBS: Final = ("get", "find", "search", "list", "read", "fetch", "retrieve", "count", "show")
READ_PATTERNS: Final = (
    *[
        pattern
        for verb in READ_VERBS
        # In names without a separator a capital follows: `getWeather`, not `getaway`.
        for pattern in (f"{verb}_*", f"{verb}-*", f"{verb}[A-Z]*", f"{verb.title()}[A-Z]*")
    ],
    # These compute, or record a thought of the agent.
    "calculate",
    "[Cc]alculator",
    "think",
    # These end the conversation; what a person does afterwards is not up to the agent.
    "transfer_to_human*",
    "transferToHuman*",
)

# Verbs of change: a name or a description that begins with one says that the tool writes. Such a tool
# counts as a write anyway; it does so with evidence.
WRITE_VERBS: Final = (
    *("add", "approve", "archive", "assign", "book", "cancel", "change", "charge", "connect"),
    *("create", "delete", "disable", "disconnect", "edit", "enable", "exchange", "grant", "insert"),
    *("lock", "merge", "modify", "move", "pay", "place", "post", "publish", "reboot", "refund"),
    *("register", "reject", "remove", "rename", "replace", "reset", "restore", "resume", "revoke"),
    *("save", "schedule", "send", "set", "submit", "subscribe", "suspend", "toggle", "turn"),
    *("unassign", "unlock", "unsubscribe", "update", "upload", "write"),
)
_BEGINS_WITH_WRITE_VERB: Final = re.compile(
    rf"(?:{'|'.join(f'[{verb[0]}{verb[0].upper()}]{verb[1:]}' for verb in WRITE_VERBS)})(?![a-z])"
)

_Rules = tuple[tuple[str, "Effect"], ...]
_DEFAULT_RULES: _Rules = tuple((pattern, "read") for pattern in READ_PATTERNS)


class EffectReason(NamedTuple):
    """The effect of a tool, and what decides it.

    Attributes:
        source: `setting`, `definition`, `name`, or `unknown` if nothing is known about the tool.
        pattern: the pattern of the setting or of the name that matches.
    """

    effect: Effect
    source: Literal["setting", "definition", "name", "unknown"]
    pattern: str | None = None


def effect_reason(name: str, settings: Settings, tools: Mapping[str, Tool]) -> EffectReason:
    """The effect of a tool: by the first matching setting, else by its definition, else by its name.

    If the settings normalize names, a pattern may match the name as written or as compared.
    """
    names = (name, comparable_name(name, settings)) if changes_names(settings) else (name,)
    rule = _first_match(names, settings.effects) if settings.effects else None
    if rule is not None:
        return EffectReason(rule[1], "setting", rule[0])
    for known in names:
        defined = tools[known].effect if known in tools else None
        if defined is not None:
            return EffectReason(defined, "definition")
    # Only the tool's own part of a name says what it does: a server may be called `search_server`.
    rule = _first_match((without_namespace(names[-1]),), _DEFAULT_RULES)
    return (
        EffectReason("write", "unknown") if rule is None else EffectReason(rule[1], "name", rule[0])
    )


def assumed_writes(
    calls: Iterable[ToolCall],
    costing: Iterable[ToolCall],
    settings: Settings,
    tools: Mapping[str, Tool],
) -> tuple[str, ...]:
    """The tools of costly calls that count as writes although nothing says so, in the order of the calls.

    `calls` have their names as written, `costing` as compared.
    """
    names = {call.name for call in costing}
    if not names:
        return ()
    known = tools_by_any_name(tools, settings)
    found: dict[str, None] = {}
    for call in calls:
        compared = comparable_name(call.name, settings)
        if compared in names and _is_assumed(call.name, settings, known):
            found[compared] = None
    return tuple(found)


def _is_assumed(name: str, settings: Settings, tools: Mapping[str, Tool]) -> bool:
    """Whether nothing is known about the effect of a tool, not even by a verb of change in its name."""
    is_unknown = effect_reason(name, settings, tools).source == "unknown"
    return is_unknown and _BEGINS_WITH_WRITE_VERB.match(without_namespace(name)) is None


def effect_of(name: str, settings: Settings, tools: Mapping[str, Tool]) -> Effect:
    """The effect of a tool; a tool that is not known to read counts as a write."""
    return effect_reason(name, settings, tools).effect


def free_positions(
    calls: Sequence[ToolCall],
    forbidden: Sequence[int],
    settings: Settings,
    tools: Mapping[str, Tool],
) -> set[int]:
    """Where the calls are that cost nothing unless they are correct: extra calls, or those that read.

    The names are as written. A forbidden call is never free.
    """
    if settings.extra_calls == "cost":
        return set()
    free = set(range(len(calls))).difference(forbidden)
    if settings.extra_calls == "free":
        return free
    known = tools_by_any_name(tools, settings)
    return {at for at in free if effect_of(calls[at].name, settings, known) == "read"}


@lru_cache(maxsize=4096)  # an agent has few tools, and calls them often
def _first_match(names: tuple[str, ...], rules: _Rules) -> tuple[str, Effect] | None:
    """The first rule that matches any of the names."""
    for rule in rules:
        if any(matches_pattern(rule[0], name) for name in names):
            return rule
    return None


_CHARACTER_SET = re.compile(r"(\[[^\]]*\])")


def forbidden_patterns(expected: Iterable[Expected]) -> tuple[str, ...]:
    """The names and patterns that are forbidden."""
    return tuple([item.pattern for item in expected if isinstance(item, Forbidden)])


def forbidding_pattern(patterns: Sequence[str], name: str, settings: Settings) -> str | None:
    """The first pattern that matches a tool's name, as written or as compared; None without one."""
    for pattern in patterns:
        if matches_pattern(pattern, name):
            return pattern
        if changes_names(settings):
            alike = _normalized_pattern(pattern, settings)
            names = normalize_letters(name, settings), comparable_name(name, settings)
            if any(matches_pattern(alike, known) for known in names):
                return pattern
    return None


def _normalized_pattern(pattern: str, settings: Settings) -> str:
    """A pattern with its letters normalized as in names, except the `-` in a set such as `[a-z]`."""
    is_folded = "case" in settings.normalize_name
    parts = [
        (part.casefold() if is_folded else part)
        if part.startswith("[")
        else normalize_letters(part, settings)
        for part in _CHARACTER_SET.split(pattern)
    ]
    return "".join(parts)


class Ignored(Struct, frozen=True, gc=False):
    """A call that does not count under the settings.

    Attributes:
        why: `read` (its tool changes nothing), `failed` (its result was an error), `repeated`, or
            `free` (it was not expected, and costs nothing).
    """

    call: ToolCall
    side: Literal["expected", "actual"]
    why: Literal["read", "failed", "repeated", "free"]


class PreparedCalls(NamedTuple):
    """The calls that count, on both sides.

    Attributes:
        ignored: the calls that were left out: first the expected, then the actual ones, in order.
        forbidden: the positions of the actual calls that must not have been made.
        free: the positions of those that cost nothing unless they are correct, as a bit set.
    """

    expected: tuple[Expected, ...]
    actual: tuple[ToolCall, ...]
    ignored: tuple[Ignored, ...] = ()
    forbidden: tuple[int, ...] = ()
    free: int = 0


def select_counted(
    expected: tuple[Expected, ...],
    actual: tuple[ToolCall, ...],
    settings: Settings,
    tools: Mapping[str, Tool],
) -> PreparedCalls:
    """Leave out the calls that do not count under these settings.

    A group that becomes empty is removed. If an alternative of a `one_of` becomes empty, the other
    alternatives become optional.
    """
    wanted = _Selector("expected", settings, tools)
    given = _Selector("actual", settings, tools)
    patterns = forbidden_patterns(expected)
    members = wanted.members(expected)
    made = [
        call
        for call in actual
        if forbidding_pattern(patterns, call.name, settings) is not None or given.keeps(call)
    ]
    return PreparedCalls(
        expected if members is None else members,
        tuple(made) if given.ignored else actual,
        (*wanted.ignored, *given.ignored),
    )


def repeat_key(call: ToolCall, name: str) -> str | None:
    """A text that two calls share exactly when one is a repeat of the other; None for no others.

    Arguments are compared as JSON values, and unreadable ones as text. It is unknown whether
    arguments are the same that were not recorded, or whose text was cut. `name` is the name of the
    tool as it is compared.
    """
    if call.error is None:
        return fingerprint([name, call.arguments or {}])
    is_known = call.error != NOT_CAPTURED and call.raw is not None
    # A fingerprint of an object never begins like that of a text.
    return (
        fingerprint([name, call.raw]) if is_known and len(call.raw or "") <= MAX_EXCERPT else None
    )


def _accepts_several(call: ToolCall) -> bool:
    """Whether an expected call accepts several different calls."""
    return call.arguments is None or contains_matchers(call.arguments)


class _Selector:
    """Selects the calls of one side that count, and records the others."""

    def __init__(
        self, side: Literal["expected", "actual"], settings: Settings, tools: Mapping[str, Tool]
    ) -> None:
        self.ignored: list[Ignored] = []
        self._side = side
        self._settings = settings
        self._tools = tools
        # Names and arguments, in order, so that the last ones can be removed again.
        self._seen: dict[str, None] = {}

    def keeps(self, call: ToolCall) -> bool:
        """Whether a call counts; it is remembered, so that the next equal one may be a repeat."""
        why = self._why_not(call)
        if why is not None:
            self.ignored.append(Ignored(call, self._side, why))
        return why is None

    def _why_not(self, call: ToolCall) -> Literal["read", "failed", "repeated"] | None:
        settings = self._settings
        if settings.failed_calls == "ignore" and call.failed is True:
            return "failed"
        if (
            settings.count_calls == "writes"
            and effect_of(call.name, settings, self._tools) == "read"
        ):
            return "read"
        if settings.repeated_calls == "collapse" and self._is_repeat(call):
            return "repeated"
        return None

    def _is_repeat(self, call: ToolCall) -> bool:
        is_ambiguous = self._side == "expected" and _accepts_several(call)
        kind = repeat_key(call, comparable_name(call.name, self._settings))
        if kind is None or is_ambiguous:
            return False
        if kind in self._seen:
            return True
        self._seen[kind] = None
        return False

    def members(self, members: tuple[Expected, ...]) -> tuple[Expected, ...] | None:
        """The members that count; None if all of them do."""
        left = [self._member(member) for member in members]
        if all(kept is member for kept, member in zip(left, members, strict=True)):
            return None
        return tuple([kept for kept in left if kept is not None])

    def _member(self, member: Expected) -> Expected | None:
        """What counts of a member; None if nothing does."""
        if isinstance(member, ToolCall):
            return member if self.keeps(member) else None
        if isinstance(member, Times):
            return self._times(member)
        if isinstance(member, Forbidden) or not member.members:
            return member
        select = {"one_of": self._one_of, "optional": self._optional}
        return select.get(member.kind, self._sequence)(member)

    def _sequence(self, group: Group) -> Group | None:
        left = self.members(group.members)
        if left is None:
            return group
        # A turn stays where it is, so that those after it keep their numbers.
        return structs.replace(group, members=left) if left or group.kind == "turn" else None

    def _optional(self, group: Group) -> Group | None:
        left = self._optional_member(group.members[0])
        if left is group.members[0] or left is None:
            return None if left is None else group
        if isinstance(left, Group) and left.kind == "optional":
            return left  # optional once is enough
        return structs.replace(group, members=(left,))

    def _one_of(self, group: Group) -> Group | None:
        branches = [self._optional_member(member) for member in group.members]
        if all(left is member for left, member in zip(branches, group.members, strict=True)):
            return group
        left = tuple([branch for branch in branches if branch is not None])
        if len(left) == len(branches):
            return structs.replace(group, members=left)
        if not left:
            return None
        rest = left[0] if len(left) == 1 else structs.replace(group, members=left)
        return Group("optional", (rest,))

    def _times(self, times: Times) -> Expected | None:
        """What counts of a repeated call; with collapsed repeats it is expected at most once."""
        if self._settings.repeated_calls == "count" or _accepts_several(times.call):
            return times if self.keeps(times.call) else None
        if times.least == 0:
            is_once = times.most is not None and times.most <= 1
            once = times if is_once else structs.replace(times, most=1)
            return None if self._optional_member(times.call) is None else once
        if not self.keeps(times.call):
            return None
        if times.least > 1:
            self.ignored.append(Ignored(times.call, self._side, "repeated"))
        return times.call

    def _optional_member(self, member: Expected) -> Expected | None:
        """As `_member`, for a call that may be omitted: no later call counts as its repeat."""
        before = len(self._seen)
        left = self._member(member)
        while len(self._seen) > before:
            self._seen.popitem()
        return left


def prepare_calls(
    expected: tuple[Expected, ...],
    actual: tuple[ToolCall, ...],
    settings: Settings,
    tools: Mapping[str, Tool],
) -> PreparedCalls:
    """Select the calls that count, then normalize names: a pattern may match a name as written.

    Raises:
        InvalidCall: a call is both expected and forbidden.
    """
    ignored: tuple[Ignored, ...] = ()
    patterns = forbidden_patterns(expected)
    for call in calls_in(expected) if patterns else ():
        pattern = forbidding_pattern(patterns, call.name, settings)
        if pattern is not None:
            problem = f"{call.name!r} is both expected and forbidden by {pattern!r}"
            raise InvalidCall(f"expected: {problem}. Remove one of the two.")
    is_selecting = (
        settings.count_calls != "all"
        or settings.failed_calls != "count"
        or settings.repeated_calls != "count"
    )
    if is_selecting:
        known = tools_by_any_name(tools, settings)
        expected, actual, ignored = select_counted(expected, actual, settings, known)[:3]
    forbidden = tuple(
        [
            position
            for position, call in enumerate(actual if patterns else ())
            if forbidding_pattern(patterns, call.name, settings) is not None
        ]
    )
    free = sum([1 << at for at in free_positions(actual, forbidden, settings, tools)])
    if changes_names(settings):
        expected = expectation_with_compared_names(expected, settings)
        # A forbidden call keeps its name, so that nothing is paired with it.
        kept = set(forbidden)
        actual = tuple(
            [
                call if position in kept else with_compared_name(call, settings)
                for position, call in enumerate(actual)
            ]
        )
    return PreparedCalls(expected, actual, ignored, forbidden, free)


def tools_by_any_name(tools: Mapping[str, Tool], settings: Settings) -> Mapping[str, Tool]:
    """The tools by name and by compared name, unless the effects of two with one name differ."""
    if not changes_names(settings):
        return tools
    compared: dict[str, Tool | None] = {}
    for name, tool in tools.items():
        alike = compared.setdefault(comparable_name(name, settings), tool)
        if alike is not None and alike.effect != tool.effect:
            compared[comparable_name(name, settings)] = None
    return {**{name: tool for name, tool in compared.items() if tool is not None}, **tools}
