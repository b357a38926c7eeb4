"""Compares the arguments of one expected and one actual call: what matches, what differs, how close.

`Settings.arguments`, `arrays` and `nested_objects` become the same matchers in the expected
arguments that a case file could spell, so that there is only one comparison.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any, Final, Literal, NamedTuple, cast

from msgspec import Struct, structs

from callscore.core.budget import Budget, OverBudget
from callscore.core.call import NOT_CAPTURED, ToolCall
from callscore.core.equality import PLAIN, equal, json_type
from callscore.core.phrases import Note, Phrase
from callscore.core.rendering import json_path, scalar_text
from callscore.core.rules import (
    ABSENT,
    Context,
    Matcher,
    Verdict,
    comparator_for,
    contains_matchers,
    unwrap_matchers,
)
from callscore.core.settings import IGNORE, ArgumentRule, ExtraArguments, Settings
from callscore.core.tool_names import matches_pattern
from callscore.core.value_comparison import is_accepted, make_context, may_be_absent

DifferenceKind = Literal["missing", "unexpected", "type", "value", "matcher", "malformed"]
_ARRAYS = (list, tuple)
_PLAIN = frozenset({str, int, bool, type(None)})  # where equal is equal: a float may be NaN
# Rules that only say how the parts of a value are compared, and the depth down to which they are
# removed from a missing value.
_STRUCTURAL = ("$subset", "$unordered")
_MAX_MISSING_DEPTH = 200


TOO_MUCH = Phrase(
    "not examined: that would take too long", "не разобрано: это заняло бы слишком много времени"
)


class Difference(Struct, frozen=True, gc=False):
    """One reason why two calls are not equal.

    Attributes:
        path: where, as a JSON path into the arguments: `$.passengers[0].name`.
        kind: `missing` (expected and not given), `unexpected` (given and not expected), `type`
            and `value` (given, but different), `matcher` (given, but not matched),
            `malformed` (the arguments are not a JSON object).
        expected: the expected value; None if the kind is `unexpected`.
        actual: the actual value; None if the kind is `missing`.
        argument: the name of the top-level argument; None for all of them.
        detail: why the arguments cannot be read, if the kind is `malformed`.
        matcher: the key of the matcher that did not match: `$approx`.
        closeness: how close the value is to a match, from 0 to 1.
        note: a note of the matcher.
    """

    path: str
    kind: DifferenceKind
    expected: Any = None
    actual: Any = None
    argument: str | None = None
    detail: str | None = None
    matcher: str | None = None
    closeness: float | None = None
    note: Note | None = None

    @property
    def reason(self) -> str:
        """The difference in one English sentence."""
        from callscore.words.reasons import difference_reason

        return difference_reason(self)


def count_matched_arguments(expected: dict[str, Any], actual: dict[str, Any]) -> int:
    """The number of expected arguments that the actual call has with an equal value."""
    matched = 0
    for key, value in expected.items():
        if key in actual:
            other = actual[key]
            kind = value.__class__
            # Nearly all values are such scalars; comparing them inline saves a call.
            if kind is other.__class__ and kind in PLAIN:
                if value == other:
                    matched += 1
            elif equal(value, other):
                matched += 1
    return matched


def overlap_ratio(
    matched: int, *, expected: int, actual: int, shared: int, extra_arguments: ExtraArguments
) -> tuple[int, int]:
    """The overlap of a pair as a numerator and a denominator, from the counts of `ArgumentCounts`.

    Unexpected arguments increase the denominator if the settings count them.
    """
    if not expected and not actual:
        return 1, 1
    if extra_arguments == "count":
        return matched, expected + actual - shared
    return (matched, expected) if expected else (1, 2)


# Where a difference is: the steps from the root as a linked list, last step first.
# A step is a key or a position; in Python a key may be anything that can be hashed.
_Trail = tuple["_Trail", Any] | None
# Values still to compare: the path, both values, and the enclosing rule.
_Pending = tuple[_Trail, Any, Any, str | None]


def differences(
    expected: dict[str, Any], actual: dict[str, Any], context: Context | None = None
) -> tuple[Difference, ...]:
    """All differences between two argument objects, in the order of the expected one.

    The context is what rules need; None if the expected arguments contain none.
    """
    return _differences_in([(None, expected, actual, None)], context)


def differences_at(
    keys: Sequence[str], expected: dict[str, Any], actual: dict[str, Any]
) -> tuple[Difference, ...]:
    """`differences` between two objects without rules, given the keys whose values differ."""
    absent = ABSENT
    return _differences_in(
        [
            ((None, key), expected.get(key, absent), actual.get(key, absent), None)
            for key in reversed(keys)
        ],
        None,
    )


def _differences_in(pending: list[_Pending], context: Context | None) -> tuple[Difference, ...]:
    found: list[Difference] = []
    while pending:
        trail, left, right, matcher = pending.pop()
        if context is not None and left.__class__ is Matcher:
            rest, difference = _compare_by_rule((trail, left, right, matcher), context)
            pending += reversed(rest)
            found += difference
        elif isinstance(left, dict) and isinstance(right, dict):
            pending += reversed(_members(trail, left, right))
        elif isinstance(left, _ARRAYS) and isinstance(right, _ARRAYS):
            both = enumerate(zip_longest(left, right, fillvalue=ABSENT))
            pending += reversed([((trail, at), value, other, None) for at, (value, other) in both])
        elif left is ABSENT or right is ABSENT or not equal(left, right):
            found.append(_difference(trail, left, right, matcher))
    return tuple(found)


def _difference(trail: _Trail, left: Any, right: Any, matcher: str | None) -> Difference:
    path, argument = _place(trail)
    if left is ABSENT:
        return Difference(path, "unexpected", None, right, argument, matcher=matcher)
    if right is ABSENT:
        expected = left
        if matcher is not None:
            expected = unwrap_matchers(left, keys=_STRUCTURAL, depth=_MAX_MISSING_DEPTH)
        return Difference(path, "missing", expected, None, argument, matcher=matcher)
    is_same_type = left.__class__ is right.__class__ or json_type(left) == json_type(right)
    kind: DifferenceKind = "value" if is_same_type else "type"
    return Difference(path, kind, left, right, argument, None, matcher)


def _compare_by_rule(
    pending: _Pending, context: Context
) -> tuple[list[_Pending], list[Difference]]:
    """The parts to compare next, and the differences that the rule reports itself."""
    trail, rule, actual, parent_rule = pending
    if actual is ABSENT and not may_be_absent(rule):
        return [], [_difference(trail, rule, ABSENT, parent_rule or rule.key)]
    try:
        verdict = context.compare(rule, actual)
    except OverBudget:  # a score that took less can still be explained, but not in every detail
        verdict = Verdict(matched=False, value=0.0, note=Note(TOO_MUCH))
    if verdict.matched:
        return [], []
    if verdict.parts:
        return [
            ((trail, part.step), part.expected, part.actual, rule.key) for part in verdict.parts
        ], []
    path, argument = _place(trail)
    detail = {"matcher": rule.key, "closeness": verdict.value, "note": verdict.note}
    return [], [Difference(path, "matcher", rule, actual, argument, **detail)]


def _members(trail: _Trail, left: dict[str, Any], right: dict[str, Any]) -> list[_Pending]:
    """The members of two objects that may differ: most are texts or numbers, and the same."""
    found: list[_Pending] = []
    shared = 0
    for key, value in left.items():
        other = right.get(key, ABSENT)
        kind = value.__class__
        if other is not ABSENT:
            shared += 1
            if kind is other.__class__ and kind in _PLAIN and value == other:
                continue
        found.append(((trail, key), value, other, None))
    if shared < len(right):
        found += [
            ((trail, key), ABSENT, value, None) for key, value in right.items() if key not in left
        ]
    return found


def _place(trail: _Trail) -> tuple[str, str | None]:
    """The JSON path of a trail, and its first argument."""
    if trail is not None and trail[0] is None and trail[1].__class__ is str:
        name = trail[1]  # an argument itself, as in most differences
        return (f"$.{name}" if name.isidentifier() else json_path((name,))), name
    steps: list[Any] = []
    while trail is not None:
        trail, step = trail
        steps.append(step)
    steps.reverse()
    return json_path(steps), str(steps[0]) if steps and steps[0] is not None else None


# In the schema of a rule: its operand is itself a value that may be a rule.
_VALUE_SCHEMA = "#/definitions/value"
# Deeper than this, values are compared as they are.
_MAX_RELAXED_DEPTH = 100


class ArgumentCounts(NamedTuple):
    """How the arguments of an actual call match those of an expected one.

    Attributes:
        matched: how many of the wanted arguments were given as wanted.
        wanted: how many were wanted; an absent one that may be absent does not count.
        given: how many were given, without those that are ignored.
        shared: how many were both wanted and given.
    """

    matched: int
    wanted: int
    given: int
    shared: int

    @property
    def is_equal(self) -> bool:
        """Whether everything is as wanted, and nothing else was given."""
        return self.matched == self.wanted == self.shared == self.given


class ArgumentsWithDefaults(dict[str, Any]):
    """The arguments of an expected call, and the defaults that its tool has for these and others."""

    __slots__ = ("defaults",)

    def __init__(self, arguments: dict[str, Any], defaults: dict[str, Any]) -> None:
        super().__init__(arguments)
        self.defaults = defaults


class ExpectedArguments(dict[str, Any]):
    """The arguments of an expected call with rules in them, and what is needed to compare them.

    Attributes:
        omitted: the expected arguments with their defaults, which are not expected if they are absent.
        dropped: the defaults of others, as values or rules, with which these count as not given.
    """

    __slots__ = ("context", "dropped", "omitted", "rules", "tool")

    def __init__(self, tool: str, settings: Settings, budget: Budget) -> None:
        super().__init__()
        self.tool = tool
        self.rules = settings.arguments
        self.context: Context = make_context(settings, budget)
        self.omitted: set[str] = set()
        self.dropped: dict[str, Any] = {}

    def counts(self, given: dict[str, Any]) -> ArgumentCounts:
        """How many of the given arguments are as expected."""
        given = self.counted(given)
        matched = expected = 0
        for key in self:
            actual = given.get(key, ABSENT)
            is_right = self.accepts(key, actual)
            if actual is not ABSENT:
                expected += 1
                matched += is_right
            elif not is_right:
                expected += 1
        return ArgumentCounts(matched, expected, len(given), len(self.keys() & given.keys()))

    def accepts(self, argument: str, value: Any) -> bool:
        """Whether a value is accepted for an expected argument."""
        if value is ABSENT and argument in self.omitted:
            return True
        return is_accepted(self[argument], value, self.context)

    @property
    def omittable(self) -> frozenset[str]:
        """The expected arguments that need not be given."""
        return frozenset([key for key in self if self.accepts(key, ABSENT)])

    def add_defaults(self, arguments: ArgumentsWithDefaults, settings: Settings) -> None:
        """Let arguments with their defaults be left out of what is compared."""
        for key, value in arguments.defaults.items():
            if key in self:
                self.omitted.add(key)
            elif key not in arguments:
                self.dropped[key] = _demand(
                    value, rule_for(self.tool, key, settings.arguments), settings
                )

    @property
    def selection(self) -> tuple[frozenset[str], ...]:
        """What `counted` depends on, apart from the tool: equal ones select the same arguments.

        The first are those that count although a setting ignores them, because the case has a rule.
        """
        kept = frozenset([key for key in self if self._ignores(key)])
        return kept, frozenset(self.dropped)

    def counted(self, actual: dict[str, Any]) -> dict[str, Any]:
        """The arguments of a call that count: not ignored, or expected by the case."""
        if self.rules:
            actual = {
                key: value for key, value in actual.items() if key in self or not self._ignores(key)
            }
        dropped = self.dropped
        if not dropped:
            return actual
        return {
            key: value
            for key, value in actual.items()
            if key not in dropped or not is_accepted(dropped[key], value, self.context)
        }

    def differences(self, actual: dict[str, Any]) -> tuple[Difference, ...]:
        """All differences from the arguments of a call."""
        given = self.counted(actual)
        wanted = {key: self[key] for key in self if key in given or key not in self.omitted}
        return differences(wanted, given, self.context)

    def _ignores(self, argument: str) -> bool:
        rule = rule_for(self.tool, argument, self.rules)
        return rule is not None and rule.rule == IGNORE


def count_arguments(expected: dict[str, Any], actual: dict[str, Any]) -> ArgumentCounts:
    """How many arguments were wanted, given, both, and given as wanted."""
    if isinstance(expected, ExpectedArguments):
        return expected.counts(actual)
    shared = len(expected.keys() & actual.keys())
    return ArgumentCounts(
        count_matched_arguments(expected, actual), len(expected), len(actual), shared
    )


def apply_settings(call: ToolCall, settings: Settings, budget: Budget | None = None) -> ToolCall:
    """The expected call with the rules of the settings in it; the call itself if none applies.

    Its comparisons draw from the budget, or from one of their own.
    """
    arguments = call.arguments
    defaults = arguments if isinstance(arguments, ArgumentsWithDefaults) else None
    if arguments is None or not (
        defaults is not None or settings.has_rules or contains_matchers(arguments)
    ):
        return call
    demands = ExpectedArguments(call.name, settings, budget or Budget())
    for key, value in arguments.items():
        rule = rule_for(call.name, key, settings.arguments)
        # The case's own rule has precedence over a setting that ignores the argument.
        if rule is None or rule.rule != IGNORE or contains_matchers(value):
            demands[key] = _demand(value, rule, settings)
    if defaults is not None:
        demands.add_defaults(defaults, settings)
    # A rule may ignore arguments of this tool that the case does not expect.
    may_ignore = any(
        rule.rule == IGNORE and matches_pattern(rule.pattern.rpartition(".")[0], call.name)
        for rule in settings.arguments
    )
    if defaults is not None or may_ignore or contains_matchers(demands):
        return structs.replace(call, arguments=demands)
    return call


def _demand(value: Any, rule: ArgumentRule | None, settings: Settings) -> Any:
    """An expected value as the settings compare it."""
    if rule is not None and rule.rule != IGNORE:
        value = with_rule(value, rule)
    return _relaxed(value, settings)


def with_rule(value: Any, rule: ArgumentRule) -> Any:
    """The value as the operand of a rule, if the rule accepts such an operand."""
    if value.__class__ is not Matcher:  # the case's own rule has precedence
        matcher = Matcher(f"${rule.rule}", value, rule.options)
        if comparator_for(matcher.key).check(matcher) is None:
            return matcher
    return value


def _relaxed(value: Any, settings: Settings, depth: int = 0) -> Any:
    """The value with its arrays and objects as the settings compare them."""
    if depth == _MAX_RELAXED_DEPTH:
        return value
    if value.__class__ is Matcher:
        return _relaxed_rule(value, settings, depth)
    inside = _relaxed_inside(value, settings, depth)
    is_loose = isinstance(inside, dict) and settings.nested_objects == "subset"
    key = "$subset" if is_loose else "$unordered"
    is_loose = is_loose or (isinstance(inside, list) and settings.arrays == "unordered")
    return Matcher(key, inside) if is_loose else inside


def _relaxed_rule(matcher: Matcher, settings: Settings, depth: int) -> Matcher:
    """The rule with its operand relaxed, if it may contain rules."""
    comparator = comparator_for(matcher.key)
    if not comparator.nests:
        return matcher
    # The operand is a value itself, or a list or an object of values.
    is_value = comparator.schema["value"].get("$ref") == _VALUE_SCHEMA
    relax = _relaxed if is_value else _relaxed_inside
    return Matcher(matcher.key, relax(matcher.value, settings, depth + 1), matcher.options)


def _relaxed_inside(value: Any, settings: Settings, depth: int) -> Any:
    """The value with its members relaxed, but not the value itself."""
    if isinstance(value, dict):
        return {key: _relaxed(member, settings, depth + 1) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [_relaxed(item, settings, depth + 1) for item in value]
    return value


def rule_for(tool: str, argument: Any, rules: tuple[ArgumentRule, ...]) -> ArgumentRule | None:
    """The first rule that matches this argument of this tool; a tool's name may contain dots."""
    argument = argument if isinstance(argument, str) else scalar_text(argument)  # a key of Python
    for rule in rules:
        of_tool, _, of_argument = rule.pattern.rpartition(".")
        if matches_pattern(of_tool, tool) and matches_pattern(of_argument, argument):
            return rule
    return None


# Of a pair: whether it is correct, whether it is equal, the numerator and denominator of its overlap.
Grade = tuple[bool, bool, int, int]
# The grade of an actual call whose arguments cannot be read.
UNREADABLE: Final[Grade] = (False, False, 0, 1)


def grade_calls(expected: ToolCall, actual: ToolCall, settings: Settings) -> Grade:
    """Grade an expected and an actual call of the same tool as a pair."""
    if actual.error is not None:
        # Arguments that were not recorded are accepted if any arguments are.
        is_correct = expected.arguments is None and actual.error == NOT_CAPTURED
        return (True, False, 1, 1) if is_correct else UNREADABLE
    wanted, given = expected.arguments, actual.arguments or {}
    if wanted.__class__ is not dict:
        return _grade_with_rules(wanted, given, settings)
    matched = count_matched_arguments(wanted, given)
    if matched == len(wanted) == len(given):
        return True, True, 1, 1
    is_counting = settings.extra_arguments == "count"
    part, whole = overlap_ratio(
        matched,
        expected=len(wanted),
        actual=len(given),
        shared=len(wanted.keys() & given.keys()) if is_counting else 0,
        extra_arguments=settings.extra_arguments,
    )
    return is_close_enough(part, whole, settings), False, part, whole


def _grade_with_rules(
    expected: dict[str, Any] | None, actual: dict[str, Any], settings: Settings
) -> Grade:
    """`grade_calls` for expected arguments with rules, or if any arguments are accepted."""
    if expected is None:
        return True, False, 1, 1
    counts = cast("ExpectedArguments", expected).counts(actual)
    if counts.is_equal:
        return True, True, 1, 1
    part, whole = overlap_ratio(
        counts.matched,
        expected=counts.wanted,
        actual=counts.given,
        shared=counts.shared,
        extra_arguments=settings.extra_arguments,
    )
    return is_close_enough(part, whole, settings), False, part, whole


def is_close_enough(part: int, whole: int, settings: Settings) -> bool:
    """Whether an overlap makes a correct pair in flexible mode."""
    return settings.mode == "flexible" and part / whole >= settings.argument_match_threshold
