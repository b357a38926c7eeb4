"""What the settings make of an expected call: rules around its plain values.

`Settings.arguments`, `arrays` and `nested_objects` say how values are compared. They are put into
the arguments as the same matchers that a case file could spell, so that one comparison knows all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import structs

from callscore.core.argument_rules import IGNORE
from callscore.core.arguments import matched_arguments
from callscore.core.comparator import comparator_of
from callscore.core.comparison import context_for
from callscore.core.comparison import fits as fits_value
from callscore.core.matcher import ABSENT, Matcher, holds_matchers
from callscore.core.wildcard import fits

if TYPE_CHECKING:
    from callscore.core.argument_rules import ArgumentRule
    from callscore.core.call import ToolCall
    from callscore.core.settings import Settings
    from callscore.core.verdict import Context, Slow

__all__ = ["Counts", "Demands", "counts_of", "demanded"]

# How the schema of a rule says that its operand is a value like any other.
_VALUE = "#/$defs/value"
# Deeper than this, values are compared as they are.
_DEEPEST = 100


class Counts(NamedTuple):
    """How the arguments of an actual call meet the demands of an expected one.

    Attributes:
        matched: how many of the wanted arguments were given as wanted.
        wanted: how many were wanted; one that may be absent, and is, was not.
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


class Demands(dict[str, Any]):
    """The arguments of an expected call with rules in them, ready to be compared.

    Attributes:
        context: what the rules need.
        tool: the tool that is called.
        rules: those of the settings, which also say what to ignore.
    """

    __slots__ = ("context", "rules", "tool")

    def __init__(self, tool: str, settings: Settings, slow: Slow | None = None) -> None:
        super().__init__()
        self.tool = tool
        self.rules = settings.arguments
        self.context: Context = context_for(settings, slow)

    def counts(self, given: dict[str, Any]) -> Counts:
        """How many of the arguments that were given are as demanded."""
        given = self.counted(given)
        matched = wanted = 0
        for key in self:
            actual = given.get(key, ABSENT)
            will_do = self.accepts(key, actual)
            if actual is not ABSENT:
                wanted += 1
                matched += will_do
            elif not will_do:
                wanted += 1
        return Counts(matched, wanted, len(given), len(self.keys() & given.keys()))

    def accepts(self, argument: str, value: Any) -> bool:
        """Whether a value will do for an argument that is demanded."""
        return fits_value(self[argument], value, self.context)

    @property
    def may_lack(self) -> frozenset[str]:
        """The arguments that are demanded, but need not be given."""
        return frozenset([key for key in self if self.accepts(key, ABSENT)])

    @property
    def kept(self) -> frozenset[str]:
        """The arguments that count though a rule ignores them, because the case has its own."""
        return frozenset([key for key in self if self._ignores(key)])

    def counted(self, given: dict[str, Any]) -> dict[str, Any]:
        """The arguments of a call without those that the rules ignore, and the case does not."""
        if not self.rules:
            return given
        return {key: value for key, value in given.items() if key in self or not self._ignores(key)}

    def _ignores(self, argument: str) -> bool:
        rule = _rule_for(self.tool, argument, self.rules)
        return rule is not None and rule.rule == IGNORE


def counts_of(wanted: dict[str, Any], given: dict[str, Any]) -> Counts:
    """How many arguments were wanted, given, both, and given as wanted."""
    if isinstance(wanted, Demands):
        return wanted.counts(given)
    shared = len(wanted.keys() & given.keys())
    return Counts(matched_arguments(wanted, given), len(wanted), len(given), shared)


def demanded(call: ToolCall, settings: Settings, slow: Slow | None = None) -> ToolCall:
    """The expected call with the rules of the settings in it; itself where none is about it.

    Args:
        call: the expected call.
        settings: how calls are compared.
        slow: what ran out of time so far in the case that is scored; None where none is.
    """
    arguments = call.arguments
    if arguments is None or not (settings.has_rules or holds_matchers(arguments)):
        return call
    demands = Demands(call.name, settings, slow)
    for key, value in arguments.items():
        rule = _rule_for(call.name, key, settings.arguments)
        if rule is None:
            demands[key] = _loosened(value, settings)
        elif rule.rule != IGNORE:
            demands[key] = _ruled(value, rule, settings)
        elif holds_matchers(value):  # what the case itself says counts for more
            demands[key] = _loosened(value, settings)
    if holds_matchers(demands) or _may_ignore(call.name, settings.arguments):
        return structs.replace(call, arguments=demands)
    return call


def _may_ignore(tool: str, rules: tuple[ArgumentRule, ...]) -> bool:
    """Whether some argument of this tool is ignored, be it one that a case does not expect."""
    return any(
        rule.rule == IGNORE and fits(rule.pattern.rpartition(".")[0], tool) for rule in rules
    )


def _ruled(value: Any, rule: ArgumentRule, settings: Settings) -> Any:
    """The value under a rule, where it is one that the rule can be about."""
    if value.__class__ is not Matcher:  # what the case itself says counts for more
        matcher = Matcher(f"${rule.rule}", value, rule.options)
        if comparator_of(matcher.key).check(matcher) is None:
            value = matcher
    return _loosened(value, settings)


def _loosened(value: Any, settings: Settings, depth: int = 0) -> Any:
    """The value with its arrays and objects as the settings compare them."""
    if depth == _DEEPEST:
        return value
    if value.__class__ is Matcher:
        return _loosened_rule(value, settings, depth)
    inside = _loosened_inside(value, settings, depth)
    is_loose = isinstance(inside, dict) and settings.nested_objects == "subset"
    key = "$subset" if is_loose else "$unordered"
    is_loose = is_loose or (isinstance(inside, list) and settings.arrays == "unordered")
    return Matcher(key, inside) if is_loose else inside


def _loosened_rule(matcher: Matcher, settings: Settings, depth: int) -> Matcher:
    """The rule with what stands inside of it loosened; at its own level it means what it says."""
    comparator = comparator_of(matcher.key)
    if not comparator.nests:
        return matcher
    # What a rule holds is a value itself, or a list or an object of values.
    is_value = comparator.schema["value"].get("$ref") == _VALUE
    loosened = _loosened if is_value else _loosened_inside
    return Matcher(matcher.key, loosened(matcher.value, settings, depth + 1), matcher.options)


def _loosened_inside(value: Any, settings: Settings, depth: int) -> Any:
    """The value with its members loosened, and itself as it is."""
    if isinstance(value, dict):
        return {key: _loosened(member, settings, depth + 1) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [_loosened(item, settings, depth + 1) for item in value]
    return value


def _rule_for(tool: str, argument: str, rules: tuple[ArgumentRule, ...]) -> ArgumentRule | None:
    """The first rule that is about this argument of this tool; a tool's name may have dots in it."""
    for rule in rules:
        of_tool, _, of_argument = rule.pattern.rpartition(".")
        if fits(of_tool, tool) and fits(of_argument, argument):
            return rule
    return None
