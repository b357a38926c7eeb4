"""The configuration of a score: `Settings`, presets, and rules for single arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal, TypedDict, get_args

from msgspec import Struct
from msgspec.structs import force_setattr

from callscore.core.call import Effect
from callscore.core.suggestions import did_you_mean
from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Unpack

__all__ = [
    "DEFAULT",
    "IGNORE",
    "PRESETS",
    "ArgumentRule",
    "ComparingOptions",
    "ExtraArguments",
    "Mode",
    "NamePart",
    "Order",
    "SettingOptions",
    "Settings",
    "cached_settings",
    "get_preset",
    "read_argument_rules",
    "settings_from",
]

IGNORE: Final = "ignore"  # the only rule that is not a comparator

_EXAMPLE = (
    'a mapping such as {"book_flight.date": "date", "*.query": {"text": {"similarity": 0.85}}}'
)


class ArgumentRule(Struct, frozen=True, gc=False):
    """How one argument is compared, wherever a case expects a plain value for it.

    Attributes:
        pattern: the tool and the argument, with `*` for anything: `book_flight.date`, `*.query`.
            What follows the last dot is the argument.
        rule: a comparator without its `$` (`date`, `text`), or `ignore`.
        options: what the comparator takes beside the value: `{"similarity": 0.85}`.
    """

    pattern: str
    rule: str
    options: dict[str, Any] = {}

    def __hash__(self) -> int:  # the options cannot be hashed, and need not be
        return hash((self.pattern, self.rule))


def read_argument_rules(value: Any) -> tuple[ArgumentRule, ...]:
    """Validated rules for single arguments, from rules or from a mapping of patterns to rules.

    In a mapping a rule is its name, or its name with its options: `{"text": {"similarity": 0.85}}`.

    Raises:
        InvalidSettings: a pattern, a rule or an option is invalid.
    """
    if isinstance(value, Mapping):
        rules = [_read_rule(pattern, rule) for pattern, rule in value.items()]
    elif isinstance(value, list | tuple) and all(isinstance(rule, ArgumentRule) for rule in value):
        rules = list(value)
    else:
        raise InvalidSettings(f"arguments: {value!r} is not {_EXAMPLE}")
    for rule in rules:
        _require_pattern(rule.pattern)
        _require_rule(rule)
    return tuple(rules)


def _read_rule(pattern: Any, value: Any) -> ArgumentRule:
    if isinstance(value, str):
        return ArgumentRule(pattern, value)
    if isinstance(value, Mapping) and len(value) == 1:
        ((rule, options),) = value.items()
        if isinstance(rule, str) and isinstance(options, Mapping):
            return ArgumentRule(pattern, rule, dict(options))
    raise InvalidSettings(
        f"arguments: {pattern!r} has {value!r}, which is no rule. A rule is its name, or its name"
        ' with its options: {"text": {"similarity": 0.85}}'
    )


def _require_pattern(pattern: Any) -> None:
    if not isinstance(pattern, str) or not pattern:
        raise InvalidSettings(f"arguments: {pattern!r} is not like 'book_flight.date'")
    tool, dot, argument = pattern.rpartition(".")
    if not dot:
        hint = f"that argument of any tool is '*.{pattern}', all of that tool's are '{pattern}.*'"
        raise InvalidSettings(f"arguments: {pattern!r} does not say of which tool: {hint}")
    if not tool or not argument:
        lack = "tool" if not tool else "argument"
        raise InvalidSettings(f"arguments: {pattern!r} names no {lack}; '*' is any")


def _require_rule(rule: ArgumentRule) -> None:
    from callscore.core.rules import Matcher, rules_by_name  # rarely needed

    known = rules_by_name()
    if rule.rule != IGNORE and rule.rule not in known:
        names = [*sorted(known), IGNORE]
        problem = f"{rule.rule!r} is not one of {', '.join(names)}"
        raise InvalidSettings(
            f"arguments: {rule.pattern!r}: {problem}{did_you_mean(rule.rule, names)}"
        )
    allowed = () if rule.rule == IGNORE else known[rule.rule].options
    for option in rule.options:
        if option not in allowed:
            takes = f"takes {', '.join(allowed)}" if allowed else "takes no options"
            problem = f"{rule.rule} {takes}; got {option!r}{did_you_mean(option, allowed)}"
            raise InvalidSettings(f"arguments: {rule.pattern!r}: {problem}")
    if rule.options:  # their values are checked together with the value of an example
        key, comparator = f"${rule.rule}", known[rule.rule]
        spelled = next(example[0] for example in comparator.examples if key in example[0])
        invalid = comparator.check(Matcher(key, spelled[key], rule.options))
        if invalid is not None:
            raise InvalidSettings(f"arguments: {rule.pattern!r}: {invalid}")


Order = Literal["any", "in_order", "exact"]
ExtraArguments = Literal["ignore", "count"]
NamePart = Literal["namespace", "dots", "case"]
CountCalls = Literal["all", "writes"]
FailedCalls = Literal["count", "ignore"]
RepeatedCalls = Literal["count", "collapse"]
Arrays = Literal["ordered", "unordered"]
NestedObjects = Literal["equal", "subset"]


class Mode(StrEnum):
    """Whether a call must be equal to the expected one, or only near enough."""

    STRICT = "strict"
    FLEXIBLE = "flexible"


class Settings(Struct, frozen=True, gc=False, kw_only=True, forbid_unknown_fields=True):
    """Everything that decides what a score is; the defaults are the strict comparison.

    Attributes:
        mode: `strict` wants equal arguments; `flexible` wants enough of them.
        argument_match_threshold: the overlap from which a flexible pair is correct, 0 to 1.
        order: `any`, `in_order` (pairs do not cross) or `exact` (position by position).
        extra_arguments: whether unexpected arguments lower a flexible overlap.
        pass_mark: the score from which a case passes.
        strip_prefix: what to take off the front of tools' names, as patterns in which `*` stands
            for anything: `mcp__*__`. The first pattern that fits is taken.
        normalize_name: differences in tools' names to ignore: `namespace` (what stands before the last
            `.`, `/`, `:` or `__`), `dots` (`.`, `-`, `/` and `:` are as good as `_`), `case`.
        count_calls: `all`, or `writes`: only those of tools that may change something.
        failed_calls: whether calls whose result was an error `count`, or to `ignore` them.
        repeated_calls: whether exact repeats of earlier calls `count`, or to `collapse` them.
        arrays: whether the items of an array must come `ordered`, or may be `unordered`.
        nested_objects: whether an object inside an argument must be `equal`, or may be a `subset`
            of what was given.
        effects: which tools `read` and which `write`, as patterns in which `*` stands for anything;
            the first that fits decides. They come before what the tools' definitions say. A mapping
            is accepted: `{"get_*": "read"}`.
        arguments: how single arguments are compared; the first rule that fits decides. A mapping
            is accepted: `{"book_flight.date": "date", "*.request_id": "ignore"}`.
        top_k: of how many of the answers to the same question the best one counts.
        similarity: how alike two texts are, from 0 to 1, in place of our own measure.
        judge: answers the questions of `$judge`: given the question and the value it returns
            whether the value is accepted, or how well it fits (0 to 1), or one of these and a reason.
    """

    mode: Mode | str = Mode.STRICT
    argument_match_threshold: float = 0.8
    order: Order = "any"
    extra_arguments: ExtraArguments = "ignore"
    pass_mark: float = 1.0
    strip_prefix: tuple[str, ...] = ()
    normalize_name: tuple[NamePart, ...] = ()
    count_calls: CountCalls = "all"
    failed_calls: FailedCalls = "count"
    repeated_calls: RepeatedCalls = "count"
    arrays: Arrays = "ordered"
    nested_objects: NestedObjects = "equal"
    effects: tuple[tuple[str, Effect], ...] = ()
    arguments: tuple[ArgumentRule, ...] = ()
    top_k: int = 1
    similarity: Callable[[str, str], float] | None = None
    judge: Callable[[str, Any], Any] | None = None

    @property
    def has_rules(self) -> bool:
        """Whether they ask for anything but equal values."""
        return bool(self.arguments or self.arrays != "ordered" or self.nested_objects != "equal")

    def __post_init__(self) -> None:
        for setting, choices in _CHOICES.items():
            _require_choice(setting, getattr(self, setting), choices)
        _require_fraction("argument_match_threshold", self.argument_match_threshold)
        _require_fraction("pass_mark", self.pass_mark)
        _require_strings("strip_prefix", self.strip_prefix)
        _require_strings("normalize_name", self.normalize_name)
        for part in self.normalize_name:
            _require_choice("normalize_name", part, get_args(NamePart))
        if self.effects != ():
            force_setattr(self, "effects", _effects(self.effects))
        if self.arguments != ():
            force_setattr(self, "arguments", read_argument_rules(self.arguments))
        top_k: object = self.top_k
        if isinstance(top_k, bool) or not isinstance(top_k, int) or top_k < 1:
            raise InvalidSettings(f"top_k: {top_k!r} is not an integer from 1 on")
        _require_callable("similarity", self.similarity)
        _require_callable("judge", self.judge)

    @classmethod
    def preset(cls, name: str, **options: Unpack[SettingOptions]) -> Settings:
        """The settings of a preset (`strict`, `flexible`, `outcome`), with single ones changed.

        Raises:
            InvalidSettings: there is no such preset or setting, or one has a value it cannot have.
        """
        return settings_from(options, preset=name)


_CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "mode": tuple(Mode),
    "order": get_args(Order),
    "extra_arguments": get_args(ExtraArguments),
    "count_calls": get_args(CountCalls),
    "failed_calls": get_args(FailedCalls),
    "repeated_calls": get_args(RepeatedCalls),
    "arrays": get_args(Arrays),
    "nested_objects": get_args(NestedObjects),
}


def _require_choice(setting: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        problem = f"{setting}: {value!r} is not one of {', '.join(choices)}"
        raise InvalidSettings(problem + did_you_mean(value, choices))


def _require_fraction(setting: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InvalidSettings(f"{setting}: {value!r} is not a number from 0 to 1")


def _require_strings(setting: str, value: object) -> None:
    if not isinstance(value, tuple) or not all(isinstance(item, str) and item for item in value):
        raise InvalidSettings(f"{setting}: {value!r} is not a tuple of texts")


def _require_callable(setting: str, value: object) -> None:
    if value is not None and not callable(value):
        raise InvalidSettings(f"{setting}: {value!r} cannot be called")


def _effects(value: Any) -> tuple[tuple[str, Effect], ...]:
    """Which tools read and which write, as pairs."""
    pairs = list(value.items()) if isinstance(value, Mapping) else value
    if not isinstance(pairs, list | tuple) or not all(
        isinstance(pair, list | tuple) and len(pair) == len(("pattern", "effect")) for pair in pairs
    ):
        raise InvalidSettings(f'effects: {value!r} is not a mapping such as {{"get_*": "read"}}')
    for pattern, effect in pairs:
        if not isinstance(pattern, str) or not pattern:
            raise InvalidSettings(f"effects: {pattern!r} is not a pattern of tools' names")
        _require_choice(f"effects: {pattern!r}", effect, get_args(Effect))
    return tuple([(pattern, effect) for pattern, effect in pairs])


DEFAULT = Settings()

_TUPLE_SETTINGS = ("strip_prefix", "normalize_name")


def settings_from(options: Mapping[str, Any], *, preset: str | None = None) -> Settings:
    """Settings from a preset and single options that override it.

    Where a setting takes several texts, a list or a single text is accepted.

    Raises:
        InvalidSettings: there is no such preset or setting, or one has a value it cannot have.
    """
    values = dict(options)
    for name in values:
        if name not in Settings.__struct_fields__:
            hint = did_you_mean(name, Settings.__struct_fields__)
            raise InvalidSettings(f"there is no setting {name!r}{hint}")
    for name in _TUPLE_SETTINGS:
        given = values.get(name)
        if isinstance(given, str | list):
            values[name] = (given,) if isinstance(given, str) else tuple(given)
    if preset is not None:
        values = {**get_preset(preset), **values}
    return cached_settings(**values)


# Rules with the options 1 and True are equal, and a callable may keep anything alive.
_NOT_CACHED = frozenset({"arguments", "similarity", "judge"})


def cached_settings(**values: Any) -> Settings:
    """The settings with these values; the same object for the same values, if they are hashable."""
    if _NOT_CACHED.isdisjoint(values):
        try:
            return _cached_settings(**values)
        except TypeError:  # not hashable: a mapping, for example
            pass
    return Settings(**values)


@lru_cache(maxsize=256, typed=True)  # typed: what was 1 before must not let True pass
def _cached_settings(**values: Any) -> Settings:
    settings = Settings(**values)
    return DEFAULT if settings == DEFAULT else settings  # selects the fast path


class ComparingOptions(TypedDict, total=False):
    """All settings except `judge`; see `Settings` for what each means."""

    mode: Mode | str
    argument_match_threshold: float
    order: Order
    extra_arguments: ExtraArguments
    pass_mark: float
    strip_prefix: str | Sequence[str]
    normalize_name: NamePart | Sequence[NamePart]
    count_calls: CountCalls
    failed_calls: FailedCalls
    repeated_calls: RepeatedCalls
    arrays: Arrays
    nested_objects: NestedObjects
    effects: Mapping[str, Effect] | Sequence[tuple[str, Effect]]
    arguments: Mapping[str, Any] | Sequence[ArgumentRule]
    top_k: int
    similarity: Callable[[str, str], float] | None


class SettingOptions(ComparingOptions, total=False):
    """The settings as people give them one by one; see `Settings` for what each means."""

    judge: Callable[[str, Any], Any] | None


# All presets name the same settings, so that choosing one replaces another completely.
_STRICT: Final = {
    "mode": "strict",
    "count_calls": "all",
    "failed_calls": "count",
    "arrays": "ordered",
    "nested_objects": "equal",
}
_OUTCOME: Final = {
    "count_calls": "writes",
    "failed_calls": "ignore",
    "arrays": "unordered",
    "nested_objects": "subset",
}
_PRESETS: Final[dict[str, dict[str, Any]]] = {
    "strict": _STRICT,
    "flexible": {**_STRICT, "mode": "flexible"},
    "outcome": {**_STRICT, **_OUTCOME},
}

PRESETS: Final = tuple(_PRESETS)


def get_preset(name: Any) -> dict[str, Any]:
    """The settings of a preset, by name; it does not change other settings.

    Raises:
        InvalidSettings: there is no such preset.
    """
    if not isinstance(name, str) or name not in _PRESETS:
        problem = f"preset: {name!r} is not one of {', '.join(PRESETS)}"
        raise InvalidSettings(problem + did_you_mean(name, PRESETS))
    return dict(_PRESETS[name])
